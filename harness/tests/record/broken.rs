//! Servers that die, clients that are killed, files that cannot be: a code for each, and nothing said is lost.

use std::fs;

use super::between::{Bench, call, cancel, echo, on_lines, until, written};
use super::{Check, named};

/// Every one of them.
pub const ALL: &[Check] = named![
    a_server_that_dies_is_recorded_as_it_died,
    a_server_that_does_not_start_leaves_no_file,
    a_file_that_is_there_is_never_replaced,
    a_file_that_cannot_be_written_stops_it_before_the_server,
    a_name_that_would_not_run_is_refused,
    a_project_that_is_not_there_is_no_recording,
    what_was_said_is_kept_when_the_recorder_is_killed,
    noise_of_the_server_passes_and_keeps_the_recording_open,
    an_answer_after_its_cancellation_is_pointed_out,
    a_server_that_is_not_the_same_twice_is_told,
    what_gives_the_machine_away_is_named_and_not_said,
];

fn a_server_that_dies_is_recorded_as_it_died() {
    for (flaw, end) in [("dies", "exit 1\n"), ("aborts", "signal ABRT\n")] {
        let bench = Bench::flawed(flaw);
        let mut client = bench.record(&[]);
        assert_eq!(client.line(&call(1, "eco")).read(), "");
        let told = client.end();
        told.check(0, &["a fresh server says the same\n"]);
        assert_eq!(on_lines(&bench.steps()), format!("> {}\n{end}", call(1, "eco")));
    }
}

fn a_server_that_does_not_start_leaves_no_file() {
    let bench = Bench::command(&["/no/such/server"]);
    bench.record(&[]).end().check(3, &["the server \"/no/such/server\" cannot be started: "]);
    assert!(!bench.out().exists());
}

fn a_file_that_is_there_is_never_replaced() {
    let bench = Bench::shell("echo started >&2");
    fs::write(bench.out(), "mine\n").expect("a file");
    let told = bench.record(&[]).end();
    told.check(4, &["session.conv exists; a recording never replaces a file"]);
    assert!(!told.err.lines().any(|line| line == "started"), "{}", told.err);
    assert_eq!(bench.text(), "mine\n");
}

fn a_file_that_cannot_be_written_stops_it_before_the_server() {
    let bench = Bench::shell("echo started >&2");
    let out = bench.out().with_file_name("none").join("a.conv");
    let told = bench.start(&["record", "--out", out.to_str().expect("UTF-8"), "--"]).end();
    told.check(4, &["none/a.conv cannot be created: "]);
    assert!(!told.err.lines().any(|line| line == "started"), "{}", told.err);
}

fn a_name_that_would_not_run_is_refused() {
    let bench = Bench::shell("echo started >&2");
    bench.start(&["record", "--out", "Session.conv", "--"]).end().check(2, &["lower-case kebab"]);
    bench.record(&["--shows", ""]).end().check(2, &["--shows takes one line"]);
    bench.start(&["record", "--"]).end().check(2, &["--out"]);
}

fn a_project_that_is_not_there_is_no_recording() {
    let bench = Bench::shell("echo started >&2");
    bench.record(&["--project", "nowhere"]).end().check(3, &["there is no project "]);
    assert!(!bench.out().exists());
}

fn what_was_said_is_kept_when_the_recorder_is_killed() {
    let bench = Bench::flawed("none");
    let mut client = bench.record(&[]);
    client.line(&call(1, "eco")).told(&echo(1)).line(&call(2, "espera")).complaint("esperando");
    // A complaint is told before it is passed on, so it and all before it is on its way to the file.
    until(|| fs::read_to_string(bench.out()).is_ok_and(|text| text.contains("# stderr: esperando\n")));
    client.signal("KILL");
    assert_eq!(client.end().code, None);
    let steps = on_lines(&bench.steps());
    let expect =
        format!("> {}\n< {}\n> {}\n# stderr: esperando\n", call(1, "eco"), written(1), call(2, "espera"));
    assert_eq!(steps, expect);
}

fn noise_of_the_server_passes_and_keeps_the_recording_open() {
    let bench = Bench::flawed("banner");
    let mut client = bench.record(&[]);
    client.told("servidor listo").line(&call(1, "eco")).told(&echo(1));
    client.end().check(
        1,
        &["no conversation holds this: stdout carried what is no message", "is recorded, and not finished"],
    );
    let text = bench.text();
    assert!(
        text.contains("#\n# Not finished: ") && text.contains("# stdout carried what is no message: "),
        "{text}"
    );
    assert!(text.contains("servidor listo"), "{text}");
}

fn an_answer_after_its_cancellation_is_pointed_out() {
    let bench = Bench::flawed("late");
    let mut client = bench.record(&[]);
    client.line(&call(1, "espera")).complaint("esperando").line(&cancel(1));
    assert!(client.read().contains("tarde"));
    client.end().check(1, &["no conversation holds this: an answer to a request that had been cancelled"]);
    assert!(
        bench.text().contains("\n# an answer to a request that had been cancelled\n< "),
        "{}",
        bench.text()
    );
}

fn a_server_that_is_not_the_same_twice_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mark = folder.path().join("mark");
    let script = format!("if [ -e {0} ]; then exit 3; fi; echo > {0}; cat > /dev/null", mark.display());
    let bench = Bench::shell(&script);
    let told = bench.record(&[]).line("{}").end();
    told.check(1, &["a second run does not go the same way:", "expected exit 0, got exit 3", "not finished"]);
    assert!(bench.text().contains("# Not finished: a second run does not go the same way.\n"));
}

fn what_gives_the_machine_away_is_named_and_not_said() {
    let bench = Bench::flawed("none");
    let mut client = bench.record(&[]);
    client.line(r#"{"jsonrpc":"2.0","method":"x","params":{"key":"s3cret-of-this-test"}}"#);
    let told = client.end();
    told.check(0, &["the recording holds the value of the variable RECORDED_SECRET"]);
    assert!(!told.err.contains("s3cret"), "{}", told.err);
    assert!(
        bench.text().contains("# It holds the value of the variable RECORDED_SECRET.\n> "),
        "{}",
        bench.text()
    );
}
