//! The report for a terminal: what is broken in full, what was not looked at with its reason, what holds in a list.

use super::super::certificate::{Certificate, Judged};
use super::super::rule::Verdict;

/// How wide a list of ids runs.
const WIDTH: usize = 110;

/// The report as text.
#[must_use]
pub fn text(certificate: &Certificate) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    let identity = certificate.identity.as_deref().unwrap_or("a server that does not say its name");
    line(&format!("{} · {identity}", certificate.profile.name()));
    line(&certificate.server);
    for verdict in Verdict::ALL {
        let of: Vec<_> = certificate.rules.iter().filter(|judged| judged.verdict == verdict).collect();
        if of.is_empty() {
            continue;
        }
        line(&format!("\n{} ({})", verdict.word(), of.len()));
        if verdict == Verdict::Holds {
            list(&of, &mut line);
            continue;
        }
        for judged in of {
            one(judged, certificate.strict, &mut line);
        }
    }
    if !certificate.stale.is_empty() {
        line("\nstale in the baseline");
        for (rule, verdict) in &certificate.stale {
            line(&format!("  {}", super::stale(rule, *verdict)));
        }
    }
    line(&format!("\n{}", super::summary(certificate)));
    out
}

fn one(judged: &Judged, strict: bool, line: &mut impl FnMut(&str)) {
    let rule = judged.rule;
    if judged.verdict != Verdict::Broken {
        let why: Vec<_> = judged.notes.iter().map(|note| note.what.as_str()).collect();
        line(&format!("  {}: {}", rule.id, why.join("; ")));
        return;
    }
    let worth = match &judged.accepted {
        Some(reason) => format!("accepted: {reason}"),
        None if judged.is_red(strict) => "red".to_owned(),
        None => "told, not held against it".to_owned(),
    };
    line(&format!("  {} {} {} [{}] {worth}", rule.level.word(), rule.id, rule.says, rule.source));
    for note in &judged.notes {
        line(&format!("    {}", note.what));
        for shown in &note.lines {
            line(&format!("      {shown}"));
        }
    }
}

fn list(of: &[&Judged], line: &mut impl FnMut(&str)) {
    let mut row = String::from(" ");
    for judged in of {
        if row.len() + 1 + judged.rule.id.len() > WIDTH {
            line(&row);
            row = String::from(" ");
        }
        row.push(' ');
        row.push_str(judged.rule.id);
    }
    line(&row);
}
