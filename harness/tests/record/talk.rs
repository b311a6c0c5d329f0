//! A conversation by hand: every line that travels has its arrow.

use super::between::{Bench, call, echo};
use super::{Check, named};

/// Every one of them.
pub const ALL: &[Check] = named![
    every_line_that_travels_is_shown,
    lines_of_a_pipe_wait_for_their_answers,
    a_server_that_ends_badly_is_no_success,
];

fn every_line_that_travels_is_shown() {
    let bench = Bench::flawed("none");
    let mut client = bench.start(&["talk", "--legacy", "--"]);
    client.line("# a remark").line(&call(1, "eco")).line("notifications/x").line("ping [1]");
    let told = client.end();
    told.check(0, &["harness: what stands behind ping is no object"]);
    let x = r#"→ {"jsonrpc":"2.0","method":"notifications/x","params":{}}"#;
    assert_eq!(told.out, format!("→ {}\n← {}\n{x}\n= exit 0\n", call(1, "eco"), echo(1)));
}

fn lines_of_a_pipe_wait_for_their_answers() {
    let bench = Bench::flawed("none");
    let mut client = bench.start(&["talk", "--"]);
    let eco = r#"tools/call {"name":"eco","arguments":{"texto":"hola"}}"#;
    let told = client.line(eco).line(eco).end();
    let arrows: Vec<_> = told.out.lines().map(|line| line.chars().next().expect("an arrow")).collect();
    assert_eq!(arrows, ['→', '←', '→', '←', '='], "{}", told.out);
    assert!(
        told.out.contains(&echo(2)) && told.out.contains("protocolVersion\":\"2026-07-28\""),
        "{}",
        told.out
    );
}

fn a_server_that_ends_badly_is_no_success() {
    let told = Bench::flawed("exit-code").start(&["talk", "--"]).end();
    assert_eq!((told.code, told.out.as_str()), (Some(1), "= exit 3\n"));
    let told = Bench::flawed("stderr").start(&["talk", "--"]).end();
    assert_eq!((told.code, told.out.as_str()), (Some(0), "! adiós\n= exit 0\n"));
    Bench::command(&["/no/such/server"]).start(&["talk", "--"]).end().check(3, &["cannot be started"]);
    Bench::flawed("none")
        .start(&["talk", "--project", "nowhere", "--"])
        .end()
        .check(3, &["there is no project"]);
}
