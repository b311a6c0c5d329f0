//! Faults of files and of the harness, which must never read as faults of a server; and recording.

use harness::conversation::{Action, Conversation};
use harness::engine::{Outcome, Report, record, replay};

use super::bench::{Bench, ask, check, echo, hurried, steps, told, two_calls};

type Check = (&'static str, fn(&Bench) -> Result<(), String>);

/// A conversation as a program might build it, without asking the reader.
fn unread(actions: &[Action]) -> Conversation {
    let mut conversation = steps("eof\nexit 0\n");
    let model = conversation.steps[0].clone();
    conversation.steps = actions
        .iter()
        .enumerate()
        .map(|(at, action)| harness::conversation::Step {
            action: action.clone(),
            line: at + 4,
            ..model.clone()
        })
        .collect();
    conversation
}

/// What is the file's or the harness's.
pub fn all() -> Vec<Check> {
    vec![
        ("a server that cannot be started is no fault of the server", |bench| {
            let report = replay(&two_calls(), &bench.command(&["/no/such/server".into()]), "x");
            check(&report, Outcome::HarnessError, &["\"/no/such/server\" cannot be started"])?;
            check(&replay(&two_calls(), &bench.command(&[]), "x"), Outcome::HarnessError, &["is empty"])
        }),
        ("a version that nobody said is no fault of the server", |bench| {
            let mut target = bench.target("none");
            target.version = None;
            let conversation = steps("> {\"id\":\"{{version}}\"}\neof\nexit 0\n");
            check(&replay(&conversation, &target, "x"), Outcome::HarnessError, &["x:4: ", "{{version}}"])
        }),
        ("a project that is not there is a bad fixture", |bench| {
            let mut conversation = two_calls();
            conversation.header.project = Some("nada".to_owned());
            let report = replay(&conversation, &bench.target("none"), "x");
            check(&report, Outcome::BadFixture, &["there is no project", "nada"])
        }),
        ("an answer that is not filled in is a bad fixture", |bench| {
            let text = [&ask("1"), "<\n", "eof\nexit 0\n"].concat();
            let report = replay(&steps(&text), &bench.target("none"), "x");
            check(&report, Outcome::BadFixture, &["x:5: ", "not filled in"])
        }),
        ("an answer that no server may give is a bad fixture", |bench| {
            let text = [&ask("1"), "< {\"id\":1}\n", "eof\nexit 0\n"].concat();
            let report = replay(&steps(&text), &bench.target("none"), "x");
            check(&report, Outcome::BadFixture, &["x:5: ", "the expected message is none: \"jsonrpc\""])?;
            let later = [&ask("1"), &told("1"), "< {\"jsonrpc\":\"2.0\"}\n", "eof\nexit 0\n"].concat();
            let report = replay(&steps(&later), &bench.target("none"), "x");
            check(&report, Outcome::BadFixture, &["x:6: ", "the expected message is none"])
        }),
        ("a fingerprint over nothing is a bad fixture", |bench| {
            let text = "let h = files nada/**\nawait {{h}}\neof\nexit 0\n";
            let report = replay(&steps(text), &bench.target("none"), "x");
            check(&report, Outcome::BadFixture, &["x:4: ", "no file matches \"nada/**\""])
        }),
        ("a step that cannot be done is a bad fixture", |bench| {
            for step in ["remove nada", "touch nada", "remove catalogos", "write enlace/x\n| y"] {
                let report = replay(&steps(&format!("{step}\neof\nexit 0\n")), &bench.target("none"), "x");
                check(&report, Outcome::BadFixture, &["x:4: ", "the file \""])?;
            }
            Ok(())
        }),
        ("a path that leads out is a bad fixture", |bench| {
            let out = |path: &str| {
                let path = path.to_owned();
                [Action::Remove(path.clone()), Action::Touch(path.clone()), Action::Open(path)]
            };
            for path in ["../chico/oracle.json", "/etc/passwd", "", "a/../../b"] {
                for action in out(path) {
                    let report = replay(&unread(&[action]), &bench.target("none"), "x");
                    check(&report, Outcome::BadFixture, &["x:4: ", "is no path inside the folder"])?;
                }
            }
            Ok(())
        }),
        ("without an end of its own a conversation ends at the end of input", |bench| {
            check(&replay(&unread(&[]), &bench.target("none"), "x"), Outcome::Passed, &[])?;
            let report = replay(&unread(&[Action::Send("{}".to_owned())]), &bench.target("exit-code"), "x");
            check(&report, Outcome::Mismatch, &["x:4: ", "expected exit 0, got exit 3"])
        }),
        ("a server without streams that does not end is named so", |bench| {
            let conversation = hurried(steps(&[&ask("1"), &told("1"), "eof\nexit 0\n"].concat()));
            let report = replay(&conversation, &bench.shell("exec >&-; exec sleep 1000"), "x");
            check(&report, Outcome::Timeout, &["stdout is closed, and the server lives on"])
        }),
        ("a server that ends while its offspring holds stdout has died", |bench| {
            let conversation = hurried(steps(&[&ask("1"), &told("1"), "eof\nexit 0\n"].concat()));
            let report = replay(&conversation, &bench.shell("sleep 1000 & exit 4"), "x");
            let words = ["ended (exit 4) before answer to the request 1", "still running: sleep 1000"];
            check(&report, Outcome::ServerDied, &words)
        }),
        ("what is awaited on stderr and does not come is named", |bench| {
            let conversation = hurried(steps("await nada\neof\nexit 0\n"));
            let report = replay(&conversation, &bench.target("none"), "x");
            check(&report, Outcome::Timeout, &["x:4: ", "no line on stderr with \"nada\" within 1500 ms"])?;
            let report = replay(&steps("await nada\neof\nexit 0\n"), &bench.target("dead-at-start"), "x");
            check(&report, Outcome::ServerDied, &["ended (exit 7) before line on stderr with \"nada\""])?;
            let report = replay(&steps("await nada\neof\nexit 0\n"), &bench.target("banner"), "x");
            check(&report, Outcome::ImpureOutput, &["x:4: ", "servidor listo"])
        }),
        ("a text that stderr lacks is named at its line", |bench| {
            let conversation = steps("eof\nexit 0\nstderr adiós\nstderr hola\n");
            let report = replay(&conversation, &bench.target("stderr"), "x");
            check(&report, Outcome::Mismatch, &["x:7: ", "stderr does not hold \"hola\"", "| adiós"])
        }),
    ]
}

fn lines(report: &Report) -> Vec<(usize, bool)> {
    report.answers.iter().map(|answer| (answer.line, answer.as_expected)).collect()
}

fn equal<T: PartialEq + std::fmt::Debug>(found: T, expect: T) -> Result<(), String> {
    if found == expect { Ok(()) } else { Err(format!("expected {expect:?}, got {found:?}")) }
}

/// Writing down what a server answers.
pub fn recording() -> Vec<Check> {
    vec![
        ("what is not filled in is written down", |bench| {
            let text = [&ask("1"), "<\n", &ask("2"), &told("2"), "eof\nexit 0\n"].concat();
            let report = record(&steps(&text), &bench.target("none"), "x");
            check(&report, Outcome::Passed, &[])?;
            equal(lines(&report), vec![(5, false), (7, true)])?;
            let project = report.project.as_deref().unwrap_or_default();
            equal(
                project.ends_with("/chico") && !project.starts_with(&*bench.projects().to_string_lossy()),
                true,
            )?;
            equal(report.answers[0].message.contains("\"largo\":4"), true)
        }),
        ("a group is written down in the order of its requests", |bench| {
            let text = [&ask("1"), &ask("2"), "<~\n<~\neof\nexit 0\n"].concat();
            let report = record(&steps(&text), &bench.target("swapped"), "x");
            check(&report, Outcome::Passed, &[])?;
            let ids: Vec<_> =
                report.answers.iter().map(|answer| answer.message.contains("\"id\":1")).collect();
            equal(ids, vec![true, false])
        }),
        ("a half filled group takes what is left", |bench| {
            let group = format!("<~\n<~ {}\n", echo("1", "hola"));
            let text = [&ask("1"), &ask("2"), &group, "eof\nexit 0\n"].concat();
            for flaw in ["none", "swapped"] {
                let report = record(&steps(&text), &bench.target(flaw), "x");
                check(&report, Outcome::Passed, &[])?;
                equal(lines(&report), vec![(6, false), (7, true)])?;
            }
            Ok(())
        }),
        ("other content does not stop a recording", |bench| {
            let wrong = format!("< {}\n", echo("1", "otra"));
            let text = [&ask("1"), &wrong, &ask("2"), "<\n", "eof\nexit 0\n"].concat();
            let report = record(&steps(&text), &bench.target("none"), "x");
            check(&report, Outcome::Mismatch, &["x:5: ", "differs at $.result.content[0].text"])?;
            equal(report.only_content_differs(), true)?;
            equal(lines(&report), vec![(5, false), (7, false)])?;
            let report = record(&steps(&text), &bench.target("exit-code"), "x");
            check(&report, Outcome::Mismatch, &["expected exit 0, got exit 3"])?;
            equal(report.only_content_differs(), false)
        }),
        ("nothing but an answer is ever written down", |bench| {
            let text = [&ask("1"), "<\n", &ask("2"), "<\n", "eof\nexit 0\n"].concat();
            for (flaw, outcome) in [
                ("banner", Outcome::ImpureOutput),
                ("dup", Outcome::ExtraMessage),
                ("early", Outcome::ExtraMessage),
                ("schema", Outcome::SchemaBroken),
                ("write", Outcome::TreeChanged),
                ("dies", Outcome::ServerDied),
                ("stderr", Outcome::Mismatch),
            ] {
                let report = record(&steps(&text), &bench.target(flaw), flaw);
                check(&report, outcome, &[])?;
                equal(report.only_content_differs(), false)?;
            }
            Ok(())
        }),
        ("an answer after its cancellation is not written down", |bench| {
            let wait = super::bench::call("1", "espera", "");
            let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
            let text = format!("> {wait}\nawait esperando\n> {cancel}\n<\neof\nexit 0\n");
            let report = record(&steps(&text), &bench.target("late"), "x");
            check(&report, Outcome::ExtraMessage, &["which had been cancelled"])
        }),
    ]
}
