//! What the server does where the kernel grants no isolation.
//!
//! A conversation cannot show it on a machine that has Landlock. Here the kernel has no more of it to give: a thread may
//! be restricted a few times only, whatever it starts counts on from there, and these threads are at the limit.

#![cfg(target_os = "linux")]

use landlock::{AccessFs, Ruleset, RulesetAttr, RulesetStatus};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

const LACK: &str = "no se pudo renunciar a escribir: ";

/// One more layer for this thread, as long as the kernel has one.
fn restrict() -> bool {
    let rules = Ruleset::default().handle_access(AccessFs::MakeChar).and_then(Ruleset::create);
    rules
        .and_then(|rules| rules.restrict_self())
        .is_ok_and(|status| status.ruleset == RulesetStatus::FullyEnforced)
}

/// What the server does over a project and an empty input where there is no isolation left.
fn start(options: &[&str]) -> Output {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conversaciones/proyectos/vacio");
    let mut command = Command::new(env!("CARGO_BIN_EXE_oracle-mcp"));
    command.arg("--proyecto").arg(project).args(options).stdin(Stdio::null());
    let run = move || {
        while restrict() {}
        command.output().expect("the server starts")
    };
    thread::spawn(run).join().expect("nothing panics")
}

fn check(options: &[&str], code: i32) {
    let output = start(options);
    let told = String::from_utf8(output.stderr).expect("stderr is text");
    assert_eq!(output.status.code(), Some(code), "{told}");
    assert!(told.starts_with(LACK) && told.lines().count() == 1, "{told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn it_says_so_and_serves() {
    check(&[], 0);
}

#[test]
fn it_does_not_start_where_isolation_is_insisted_on() {
    check(&["--exigir-aislamiento"], 2);
}
