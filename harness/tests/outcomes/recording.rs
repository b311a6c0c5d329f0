//! Writing down what a server answers, and what is never written down.

use harness::engine::{Outcome, Report, record};

use super::bench::{Bench, Check, ask, call, check, echo, named, steps, told};

/// Every one of them.
pub const ALL: &[Check] = &named![
    what_is_not_filled_in_is_written_down,
    a_group_is_written_down_in_the_order_of_its_requests,
    a_half_filled_group_takes_what_is_left,
    other_content_does_not_stop_a_recording,
    nothing_but_an_answer_is_ever_written_down,
    an_answer_after_its_cancellation_is_not_written_down,
];

fn lines(report: &Report) -> Vec<(usize, bool)> {
    report.answers.iter().map(|answer| (answer.line, answer.as_expected)).collect()
}

fn equal<T: PartialEq + std::fmt::Debug>(found: T, expect: T) -> Result<(), String> {
    if found == expect { Ok(()) } else { Err(format!("expected {expect:?}, got {found:?}")) }
}

fn what_is_not_filled_in_is_written_down(bench: &Bench) -> Result<(), String> {
    let text = [&ask("1"), "<\n", &ask("2"), &told("2"), "eof\nexit 0\n"].concat();
    let report = record(&steps(&text), &bench.target("none"), "x");
    check(&report, Outcome::Passed, &[])?;
    equal(lines(&report), vec![(5, false), (7, true)])?;
    let project = report.project.as_deref().unwrap_or_default();
    equal(project.ends_with("/chico") && !project.starts_with(&*bench.projects().to_string_lossy()), true)?;
    equal(report.answers[0].message.contains("\"largo\":4"), true)
}

fn a_group_is_written_down_in_the_order_of_its_requests(bench: &Bench) -> Result<(), String> {
    let text = [&ask("1"), &ask("2"), "<~\n<~\neof\nexit 0\n"].concat();
    let report = record(&steps(&text), &bench.target("swapped"), "x");
    check(&report, Outcome::Passed, &[])?;
    let ids: Vec<_> = report.answers.iter().map(|answer| answer.message.contains("\"id\":1")).collect();
    equal(ids, vec![true, false])
}

fn a_half_filled_group_takes_what_is_left(bench: &Bench) -> Result<(), String> {
    let group = format!("<~\n<~ {}\n", echo("1", "hola"));
    let text = [&ask("1"), &ask("2"), &group, "eof\nexit 0\n"].concat();
    for flaw in ["none", "swapped"] {
        let report = record(&steps(&text), &bench.target(flaw), "x");
        check(&report, Outcome::Passed, &[])?;
        equal(lines(&report), vec![(6, false), (7, true)])?;
    }
    Ok(())
}

fn other_content_does_not_stop_a_recording(bench: &Bench) -> Result<(), String> {
    let wrong = format!("< {}\n", echo("1", "otra"));
    let text = [&ask("1"), &wrong, &ask("2"), "<\n", "eof\nexit 0\n"].concat();
    let report = record(&steps(&text), &bench.target("none"), "x");
    check(&report, Outcome::Mismatch, &["x:5: ", "differs at $.result.content[0].text"])?;
    equal(report.only_content_differs(), true)?;
    equal(lines(&report), vec![(5, false), (7, false)])?;
    let report = record(&steps(&text), &bench.target("exit-code"), "x");
    check(&report, Outcome::Mismatch, &["expected exit 0, got exit 3"])?;
    equal(report.only_content_differs(), false)
}

fn nothing_but_an_answer_is_ever_written_down(bench: &Bench) -> Result<(), String> {
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
}

fn an_answer_after_its_cancellation_is_not_written_down(bench: &Bench) -> Result<(), String> {
    let wait = call("1", "espera", "");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let text = format!("> {wait}\nawait esperando\n> {cancel}\n<\neof\nexit 0\n");
    let report = record(&steps(&text), &bench.target("late"), "x");
    check(&report, Outcome::ExtraMessage, &["which had been cancelled"])
}
