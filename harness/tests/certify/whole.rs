//! What holds of all cases together, of reports, and of baselines.

use std::collections::BTreeSet;
use std::time::Duration;

use harness::certify::{Baseline, Certificate, Options, Profile, Sight, Subject, Verdict, certify, report};

use harness::suite::{Workspace, build};

use super::cases;

/// A check and its name.
pub type Check = (&'static str, fn() -> Result<(), String>);

/// All of them.
pub const ALL: [Check; 8] = [
    ("the_verb_ends_with_what_it_found", the_verb),
    ("our_own_server_keeps_all_but_what_is_accepted", our_own_server),
    ("every_rule_that_can_be_seen_has_a_server_that_breaks_it", every_rule_is_broken_once),
    ("a_good_server_leaves_nothing_open", nothing_is_open),
    ("every_report_tells_what_is_broken", every_report_tells),
    ("a_baseline_accepts_and_goes_stale", a_baseline_accepts),
    ("a_server_that_does_not_start_shows_nothing", nothing_starts),
    ("a_server_of_the_other_era_is_one_failure", one_failure),
];

/// Rules that no server of this harness breaks, and why.
const UNBROKEN: [(&str, &str); 3] = [
    ("HTTP-1", "a server that takes no POST is not reached at all"),
    ("LIFE-4", "told only: that a server falls silent before the handshake"),
    ("LIFE-7", "told only: that a server falls silent at a second handshake"),
];

fn every_rule_is_broken_once() -> Result<(), String> {
    for profile in [Profile::Modern, Profile::Legacy] {
        let broken: BTreeSet<_> = cases::all()
            .iter()
            .filter(|case| case.rules().0 == profile)
            .flat_map(|case| case.rules().1)
            .collect();
        let visible = |sight| !matches!(sight, Sight::Unseen(_));
        let missing: Vec<_> = profile
            .rules()
            .into_iter()
            .filter(|rule| visible(rule.sight) && !broken.contains(&rule.id))
            .map(|rule| rule.id)
            .filter(|id| UNBROKEN.iter().all(|(known, _)| known != id))
            .collect();
        if !missing.is_empty() {
            return Err(format!("{}: no case breaks {missing:?}", profile.name()));
        }
    }
    Ok(())
}

/// The rules that do not bind the good server.
const FREE: [&str; 7] = ["CACHE-4", "ERR-13", "MRTR-1", "PROG-3", "VER-7", "VER-13", "SUBS-4"];

fn nothing_is_open() -> Result<(), String> {
    for profile in [Profile::Modern, Profile::Legacy] {
        let certificate = cases::patiently("none", profile)?;
        let open = |judged: &&harness::certify::Judged| match judged.verdict {
            Verdict::Broken | Verdict::Inconclusive => true,
            Verdict::NotApplicable => judged.rule.sight != Sight::Http && !FREE.contains(&judged.rule.id),
            Verdict::Holds | Verdict::NotObserved => false,
        };
        let open: Vec<_> = certificate.rules.iter().filter(open).map(|judged| judged.rule.id).collect();
        if !open.is_empty() || !certificate.is_green() || certificate.identity.as_deref() != Some("prueba 1")
        {
            return Err(format!("{}: {open:?}\n{}", profile.name(), report::text(&certificate)));
        }
    }
    Ok(())
}

fn contains(what: &str, text: &str, words: &[&str]) -> Result<(), String> {
    match words.iter().find(|word| !text.contains(**word)) {
        Some(word) => Err(format!("{what} does not say {word:?}:\n{text}")),
        None => Ok(()),
    }
}

fn every_report_tells() -> Result<(), String> {
    let certificate = cases::patiently("no result type", Profile::Modern)?;
    let told = "the answer to tools/list has no &quot;resultType&quot;";
    contains(
        "text",
        &report::text(&certificate),
        &[
            "mcp-2026-07-28 · prueba 1\n",
            "\nbroken (1)\n  MUST RPC-6 Every result has its resultType, a failed tool's too. [basic/index.mdx:73] red\n",
            "    the answer to tools/list has no \"resultType\"\n      > {\"id\":",
            "\n  SHUT-1: a private extension of those names",
            " hold, 1 broken, 0 told, 0 accepted; 0 inconclusive, ",
        ],
    )?;
    let json = report::json(&certificate);
    let rule = json["rules"].as_array().and_then(|rules| rules.iter().find(|rule| rule["rule"] == "RPC-6"));
    let good = rule
        .is_some_and(|rule| rule["verdict"] == "broken" && rule["red"] == true && rule["level"] == "MUST");
    if !good || json["green"] != false || json["summary"]["broken"] != 1 {
        return Err(format!("json: {json}"));
    }
    let xml = report::junit(&certificate).map_err(|error| error.to_string())?;
    let xml = String::from_utf8(xml).map_err(|error| error.to_string())?;
    let failure = format!("<failure message=\"{told}\" type=\"MUST\">");
    contains(
        "junit",
        &xml,
        &[
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "failures=\"1\"",
            &failure,
            "<skipped message=\"not observed: ",
        ],
    )?;
    contains(
        "html",
        &report::html(&certificate),
        &["<!doctype html>", "width=device-width", told, "id=\"RPC-6\""],
    )
}

fn accepting(flaw: &'static str, baseline: &str, strict: bool) -> Result<Certificate, String> {
    let mut certificate = cases::patiently(flaw, Profile::Modern)?;
    certificate.strict = strict;
    certificate.accept(&Baseline::read(baseline).map_err(|fault| fault.to_string())?);
    Ok(certificate)
}

fn a_baseline_accepts() -> Result<(), String> {
    let entry = |rule: &str| {
        format!(
            "[[accepted]]\nprofile = \"mcp-2026-07-28\"\nrule = \"{rule}\"\nreason = \"known since spring\"\n"
        )
    };
    let check = |flaw: &'static str, baseline: &str, strict: bool, green: bool, words: &str| {
        let certificate = accepting(flaw, baseline, strict)?;
        let text = report::text(&certificate);
        if certificate.is_green() != green {
            return Err(format!("{flaw}: green is {}\n{text}", certificate.is_green()));
        }
        contains(flaw, &text, &[words])
    };
    check("no result type", "", false, false, " hold, 1 broken, ")?;
    check("no result type", &entry("RPC-6"), false, true, "accepted: known since spring")?;
    check(
        "no result type",
        &(entry("RPC-6") + &entry("RPC-7")),
        false,
        false,
        "RPC-7 is accepted as broken, and it is not: holds",
    )?;
    check("no server info", "", false, true, "told, not held against it")?;
    check("no server info", "", true, false, "SHOULD META-7")?;
    check("no server info", &entry("META-7"), true, true, ", 0 broken, 0 told, 1 accepted")?;
    let stale = accepting("none", &entry("RPC-6"), false)?;
    let xml =
        String::from_utf8(report::junit(&stale).map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    contains("junit", &xml, &["name=\"baseline RPC-6\"", "type=\"stale\"", "failures=\"1\""])?;
    contains("html", &report::html(&stale), &["Stale in the baseline", "RPC-6 is accepted as broken"])
}

fn nothing_starts() -> Result<(), String> {
    let nowhere = [
        Subject::Command(vec!["/nowhere/server".into()]),
        // Port 0 is nobody's.
        Subject::Url("http://127.0.0.1:0/mcp".to_owned()),
        Subject::Url("https://127.0.0.1:0/mcp".to_owned()),
        Subject::Url("http://example.com/mcp".to_owned()),
    ];
    for subject in nowhere {
        if let Ok(certificate) = certify(Profile::Modern, &subject, &Options::default()) {
            return Err(report::text(&certificate));
        }
    }
    // A certificate is asked for, and none is there.
    let plain = super::web::serve("http").map_err(|error| error.to_string())?;
    let subject = Subject::Url(plain.replace("http:", "https:"));
    match certify(Profile::Modern, &subject, &Options::default()) {
        Ok(certificate) => Err(report::text(&certificate)),
        Err(_) => Ok(()),
    }
}

/// One fault is not told ten times.
fn one_failure() -> Result<(), String> {
    let certificate = cases::run("legacy only", Profile::Modern, Duration::from_secs(300))?;
    let open = certificate.counts().inconclusive;
    if cases::broken(&certificate).len() > 2 || open < 40 {
        return Err(report::text(&certificate));
    }
    Ok(())
}

/// The folder of what is known about our own server.
fn ours(file: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("certify/oracle").join(file)
}

fn our_own_server() -> Result<(), String> {
    let workspace = Workspace::own();
    let built = build(&workspace.root).map_err(|fault| fault.to_string())?;
    let project = workspace.conversations().join("proyectos/tienda");
    let subject = Subject::Command(vec![built.executable.into(), "--proyecto".into(), project.into()]);
    let read = |file: &str| std::fs::read_to_string(ours(file)).map_err(|error| format!("{file}: {error}"));
    let slow = serde_json::from_str(&read("slow.json")?).map_err(|error| error.to_string())?;
    let options = Options {
        limit: Duration::from_secs(300),
        slow: Some(("oracle_evaluar".to_owned(), slow)),
        ..Options::default()
    };
    let baseline = Baseline::read(&read("accepted.toml")?).map_err(|fault| fault.to_string())?;
    for profile in Profile::ALL {
        let mut certificate = certify(profile, &subject, &options).map_err(|error| error.to_string())?;
        certificate.strict = true;
        certificate.accept(&baseline);
        let open = certificate.counts().inconclusive;
        if !certificate.is_green() || profile != Profile::Asixto && open > 0 {
            return Err(report::text(&certificate));
        }
    }
    Ok(())
}

/// Runs the program over this executable as a server; gives its exit code, its output and its complaint.
fn harness(arguments: &[&str], flaw: &str) -> Result<(Option<i32>, String, String), String> {
    let exe = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["certify", "--limit-ms", "300000", "--grace-ms", "20", "--profile"])
        .args(arguments)
        .arg("--")
        .arg(exe)
        .args(["--serve", flaw])
        .output()
        .map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((output.status.code(), text(&output.stdout), text(&output.stderr)))
}

fn the_verb() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).map_err(|e| e.to_string());
    let check = |arguments: &[&str], flaw: &str, code: i32, words: &str| {
        let (came, out, err) = harness(arguments, flaw)?;
        if came == Some(code) && (out.contains(words) || err.contains(words)) {
            return Ok(out);
        }
        Err(format!("{arguments:?} {flaw}: {came:?}\n{out}\n{err}"))
    };
    let (html, junit) = (path("a.html"), path("a.xml"));
    check(&["mcp-2026-07-28", "--html", &html, "--junit", &junit], "none", 0, " 0 broken, ")?;
    contains("html", &std::fs::read_to_string(&html).unwrap_or_default(), &["</html>"])?;
    contains("junit", &std::fs::read_to_string(&junit).unwrap_or_default(), &["</testsuites>"])?;
    let out = check(&["mcp-2026-07-28", "--json"], "no result type", 1, "\"green\":false")?;
    serde_json::from_str::<serde_json::Value>(&out).map_err(|error| error.to_string())?;
    check(&["mcp-2026-07-28", "--strict"], "no server info", 1, "META-7")?;
    check(&["mcp-2026-07-28"], "no server info", 0, "META-7")?;
    check(&["mcp-1999"], "none", 2, "the profiles are mcp-2026-07-28")?;
    write("bad.toml", "[[accepted]]\n")?;
    check(&["mcp-2026-07-28", "--baseline", &path("bad.toml")], "none", 3, "bad.toml: ")?;
    check(&["asixto", "--parameters", &path("none.toml")], "none", 3, "none.toml: ")?;
    write("good.toml", "[[accepted]]\nprofile = \"mcp-2026-07-28\"\nrule = \"RPC-6\"\nreason = \"x\"\n")?;
    check(&["mcp-2026-07-28", "--baseline", &path("good.toml")], "no result type", 0, "accepted: x")?;
    check(&["mcp-2026-07-28", "--baseline", &path("good.toml")], "none", 1, "take it off the baseline")?;
    check(&["mcp-2026-07-28", "--html", "/nowhere/a.html"], "none", 3, "/nowhere/a.html: ")?;
    check(&["asixto", "--named-only"], "asixto", 0, "no tool may be called").map(|_| ())
}
