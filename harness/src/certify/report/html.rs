//! The report as one page: nothing is fetched, no script runs, and it reads on a phone.

use quick_xml::escape::escape;

use super::super::certificate::{Certificate, Counts, Judged};
use super::super::rule::Verdict;

const STYLE: &str = include_str!("page.css");

/// The report as a page of HTML.
#[must_use]
pub fn html(certificate: &Certificate) -> String {
    let profile = certificate.profile.name();
    let identity = certificate.identity.as_deref().unwrap_or("a server that does not say its name");
    let (word, class) = if !certificate.shows_something() {
        ("nothing shown", "none")
    } else if certificate.is_green() {
        ("green", "green")
    } else {
        ("red", "red")
    };
    let sections: String = Verdict::ALL.into_iter().map(|verdict| section(certificate, verdict)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{profile}: {identity}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <p class=\"mark {class}\">{word}</p>\n<h1>{identity}</h1>\n<p>{profile}</p>\n<pre>{server}</pre>\n\
         </header>\n{tiles}{stale}<main>\n{sections}</main>\n</body>\n</html>\n",
        identity = escape(identity),
        server = escape(certificate.server.as_str()),
        tiles = tiles(certificate.counts()),
        stale = stale(certificate),
    )
}

fn tiles(counts: Counts) -> String {
    let Counts { failed, warned, accepted, held, inconclusive, not_applicable, not_observed } = counts;
    let tiles: String = [
        ("hold", held, "green"),
        ("broken", failed, "red"),
        ("told", warned, "amber"),
        ("accepted", accepted, "amber"),
        ("inconclusive", inconclusive, "none"),
        ("not applicable", not_applicable, "none"),
        ("not observed", not_observed, "none"),
    ]
    .into_iter()
    .map(|(word, count, class)| {
        let class = if count == 0 { "none" } else { class };
        format!("<li class=\"{class}\"><b>{count}</b> {word}</li>\n")
    })
    .collect();
    format!("<ul class=\"tiles\">\n{tiles}</ul>\n")
}

fn stale(certificate: &Certificate) -> String {
    let items: String = certificate
        .stale
        .iter()
        .map(|(rule, verdict)| format!("<li>{}</li>\n", escape(super::stale(rule, *verdict))))
        .collect();
    if items.is_empty() {
        items
    } else {
        format!("<h2>Stale in the baseline</h2>\n<ul class=\"red\">\n{items}</ul>\n")
    }
}

fn section(certificate: &Certificate, verdict: Verdict) -> String {
    let of: Vec<_> = certificate.rules.iter().filter(|judged| judged.verdict == verdict).collect();
    if of.is_empty() {
        return String::new();
    }
    let count = of.len();
    let rules: String = of.into_iter().map(|judged| rule(judged, certificate.strict)).collect();
    // What is broken stands open; the rest unfolds.
    let open = if verdict == Verdict::Broken { " open" } else { "" };
    format!("<details{open}>\n<summary><h2>{} ({count})</h2></summary>\n{rules}</details>\n", verdict.word())
}

fn rule(judged: &Judged, strict: bool) -> String {
    let class = match judged.verdict {
        Verdict::Broken if judged.is_red(strict) => "red",
        Verdict::Broken => "amber",
        Verdict::Holds => "green",
        _ => "none",
    };
    let accepted = match &judged.accepted {
        Some(reason) => format!("<p>Accepted: {}</p>\n", escape(reason.as_str())),
        None if judged.is_warning(strict) => "<p>Told, not held against the server.</p>\n".to_owned(),
        None => String::new(),
    };
    let notes: String = judged
        .notes
        .iter()
        .map(|note| {
            let lines = note.lines.join("\n");
            let lines =
                if lines.is_empty() { lines } else { format!("<pre>{}</pre>\n", escape(lines.as_str())) };
            format!("<p class=\"note\">{}</p>\n{lines}", escape(note.what.as_str()))
        })
        .collect();
    let rule = judged.rule;
    format!(
        "<article class=\"{class}\" id=\"{id}\">\n<h3><b>{id}</b> <span>{level}</span></h3>\n<p>{says}</p>\n\
         {accepted}{notes}<p class=\"source\">{source}</p>\n</article>\n",
        id = escape(rule.id),
        level = rule.level.word(),
        says = escape(rule.says),
        source = escape(rule.source),
    )
}
