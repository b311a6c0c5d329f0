//! Faults of files and of the harness, which must never read as faults of a server.

use harness::conversation::{Action, Conversation};
use harness::engine::{Outcome, replay};

use super::bench::{Bench, Check, ask, check, hurried, named, steps, told, two_calls};

/// Every one of them.
pub const ALL: &[Check] = &named![
    a_server_that_cannot_be_started_is_no_fault_of_the_server,
    a_version_that_nobody_said_is_no_fault_of_the_server,
    a_project_that_is_not_there_is_a_bad_fixture,
    an_answer_that_is_not_filled_in_is_a_bad_fixture,
    an_answer_that_no_server_may_give_is_a_bad_fixture,
    a_fingerprint_over_nothing_is_a_bad_fixture,
    a_step_that_cannot_be_done_is_a_bad_fixture,
    a_path_that_leads_out_is_a_bad_fixture,
    without_an_end_of_its_own_a_conversation_ends_at_the_end_of_input,
    a_server_without_streams_that_does_not_end_is_named_so,
    a_server_that_ends_while_its_offspring_holds_stdout_has_died,
    what_is_awaited_on_stderr_and_does_not_come_is_named,
    a_server_that_prints_without_end_while_something_else_is_awaited_is_stopped,
    a_text_that_stderr_lacks_is_named_at_its_line,
];

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

fn a_server_that_cannot_be_started_is_no_fault_of_the_server(bench: &Bench) -> Result<(), String> {
    let report = replay(&two_calls(), &bench.command(&["/no/such/server".into()]), "x");
    check(&report, Outcome::HarnessError, &["\"/no/such/server\" cannot be started"])?;
    check(&replay(&two_calls(), &bench.command(&[]), "x"), Outcome::HarnessError, &["is empty"])
}

fn a_version_that_nobody_said_is_no_fault_of_the_server(bench: &Bench) -> Result<(), String> {
    let mut target = bench.target("none");
    target.version = None;
    let conversation = steps("> {\"id\":\"{{version}}\"}\neof\nexit 0\n");
    check(&replay(&conversation, &target, "x"), Outcome::HarnessError, &["x:4: ", "{{version}}"])
}

fn a_project_that_is_not_there_is_a_bad_fixture(bench: &Bench) -> Result<(), String> {
    let mut conversation = two_calls();
    conversation.header.project = Some("nada".to_owned());
    let report = replay(&conversation, &bench.target("none"), "x");
    check(&report, Outcome::BadFixture, &["there is no project", "nada"])
}

fn an_answer_that_is_not_filled_in_is_a_bad_fixture(bench: &Bench) -> Result<(), String> {
    let text = [&ask("1"), "<\n", "eof\nexit 0\n"].concat();
    let report = replay(&steps(&text), &bench.target("none"), "x");
    check(&report, Outcome::BadFixture, &["x:5: ", "not filled in"])
}

fn an_answer_that_no_server_may_give_is_a_bad_fixture(bench: &Bench) -> Result<(), String> {
    let text = [&ask("1"), "< {\"id\":1}\n", "eof\nexit 0\n"].concat();
    let report = replay(&steps(&text), &bench.target("none"), "x");
    check(&report, Outcome::BadFixture, &["x:5: ", "the expected message is none: \"jsonrpc\""])?;
    let later = [&ask("1"), &told("1"), "< {\"jsonrpc\":\"2.0\"}\n", "eof\nexit 0\n"].concat();
    let report = replay(&steps(&later), &bench.target("none"), "x");
    check(&report, Outcome::BadFixture, &["x:6: ", "the expected message is none"])
}

fn a_fingerprint_over_nothing_is_a_bad_fixture(bench: &Bench) -> Result<(), String> {
    let text = "let h = files nada/**\nawait {{h}}\neof\nexit 0\n";
    let report = replay(&steps(text), &bench.target("none"), "x");
    check(&report, Outcome::BadFixture, &["x:4: ", "no file matches \"nada/**\""])
}

fn a_step_that_cannot_be_done_is_a_bad_fixture(bench: &Bench) -> Result<(), String> {
    for step in ["remove nada", "touch nada", "remove catalogos", "write enlace/x\n| y"] {
        let report = replay(&steps(&format!("{step}\neof\nexit 0\n")), &bench.target("none"), "x");
        check(&report, Outcome::BadFixture, &["x:4: ", "the file \""])?;
    }
    Ok(())
}

fn a_path_that_leads_out_is_a_bad_fixture(bench: &Bench) -> Result<(), String> {
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
}

fn without_an_end_of_its_own_a_conversation_ends_at_the_end_of_input(bench: &Bench) -> Result<(), String> {
    check(&replay(&unread(&[]), &bench.target("none"), "x"), Outcome::Passed, &[])?;
    let report = replay(&unread(&[Action::Send("{}".to_owned())]), &bench.target("exit-code"), "x");
    check(&report, Outcome::Mismatch, &["x:4: ", "expected exit 0, got exit 3"])
}

fn a_server_without_streams_that_does_not_end_is_named_so(bench: &Bench) -> Result<(), String> {
    let conversation = hurried(steps(&[&ask("1"), &told("1"), "eof\nexit 0\n"].concat()));
    let report = replay(&conversation, &bench.shell("exec >&-; exec sleep 1000"), "x");
    check(&report, Outcome::Timeout, &["stdout is closed, and the server lives on"])
}

fn a_server_that_ends_while_its_offspring_holds_stdout_has_died(bench: &Bench) -> Result<(), String> {
    let conversation = steps(&[&ask("1"), &told("1"), "eof\nexit 0\n"].concat());
    let report = replay(&conversation, &bench.shell("sleep 1000 & exit 4"), "x");
    let words = ["ended (exit 4) before answer to the request 1", "still running: sleep 1000"];
    check(&report, Outcome::ServerDied, &words)
}

fn what_is_awaited_on_stderr_and_does_not_come_is_named(bench: &Bench) -> Result<(), String> {
    let conversation = hurried(steps("await nada\neof\nexit 0\n"));
    let report = replay(&conversation, &bench.target("none"), "x");
    check(&report, Outcome::Timeout, &["x:4: ", "no line on stderr with \"nada\" within 4000 ms"])?;
    let report = replay(&steps("await nada\neof\nexit 0\n"), &bench.target("dead-at-start"), "x");
    check(&report, Outcome::ServerDied, &["ended (exit 7) before line on stderr with \"nada\""])?;
    let report = replay(&steps("await nada\neof\nexit 0\n"), &bench.target("banner"), "x");
    check(&report, Outcome::ImpureOutput, &["x:4: ", "servidor listo"])
}

fn a_server_that_prints_without_end_while_something_else_is_awaited_is_stopped(
    bench: &Bench,
) -> Result<(), String> {
    let text = [&ask("1"), "await nada\neof\nexit 0\n"].concat();
    let report = replay(&steps(&text), &bench.target("babbles-at-length"), "x");
    check(&report, Outcome::ExtraMessage, &["x:5: ", "message after message that no step has come to"])
}

fn a_text_that_stderr_lacks_is_named_at_its_line(bench: &Bench) -> Result<(), String> {
    let conversation = steps("eof\nexit 0\nstderr adiós\nstderr hola\n");
    let report = replay(&conversation, &bench.target("stderr"), "x");
    check(&report, Outcome::Mismatch, &["x:7: ", "stderr does not hold \"hola\"", "| adiós"])
}
