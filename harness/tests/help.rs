//! Every verb's help has an example that runs, and long work says how far it is to whoever looks, and to nobody else.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HARNESS: &str = env!("CARGO_BIN_EXE_harness");

/// Verbs whose example takes minutes, or a round of cargo-mutants before it: theirs is read, with its options, and not run.
const LONG: [&str; 3] = ["mutantes", "gate check", "gate report"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn shell(line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(root()).env_remove("CI").env_remove("INSTA_UPDATE");
    // The narrowest of terminals: what is shown has to run from there too.
    command.env("COLUMNS", "40");
    command.output().expect("a shell")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn help(verb: &str) -> String {
    let output = shell(&format!("'{HARNESS}' {verb} --help"));
    assert!(output.status.success(), "{verb}");
    text(&output.stdout)
}

/// The verbs that a help lists, those below them in their place.
fn verbs(above: &str) -> Vec<String> {
    let help = help(above);
    let Some((_, listed)) = help.split_once("Commands:\n") else { return Vec::new() };
    let names = listed.lines().take_while(|line| line.starts_with("  "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names
        .flat_map(|name| {
            let verb = format!("{above} {name}").trim().to_owned();
            let below = verbs(&verb);
            if below.is_empty() { vec![verb] } else { below }
        })
        .collect()
}

#[test]
fn every_verb_has_an_example_that_runs() {
    let verbs = verbs("");
    for verb in ["replay", "bless", "record", "talk", "certify", "requirements"].iter().chain(&LONG) {
        assert!(verbs.iter().any(|found| found == verb), "{verb} is not in {verbs:?}");
    }
    for verb in verbs {
        let help = help(&verb);
        let examples: Vec<_> = help.lines().filter_map(|line| line.trim_start().strip_prefix("$ ")).collect();
        assert!(!examples.is_empty(), "the help of `{verb}` has no line `  $ …`:\n{help}");
        for example in examples {
            let called = format!("cargo run -p harness -- {verb}");
            assert!(example.contains(&called), "`{example}` does not call `{called}`");
            let line = example.replace("cargo run -p harness --", &format!("'{HARNESS}'"));
            let line = if LONG.contains(&verb.as_str()) { format!("{line} --help") } else { line };
            let output = shell(&line);
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            // A certificate that names what a small server leaves out is what its example is there for.
            let verdicts: &[i32] = if verb == "certify" { &[0, 1] } else { &[0] };
            assert!(verdicts.iter().any(|code| output.status.code() == Some(*code)), "{line}\n{out}\n{err}");
        }
    }
}

#[test]
fn every_failure_names_the_command_that_runs_it_again() {
    let greeter = "python3 harness/examples/greeter/greeter.py";
    let check = |line: &str, code: i32, again: &str| {
        let output = shell(&format!("'{HARNESS}' {line}"));
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{line}\n{told}");
        let again = format!("run again: cargo run -p harness -- {again}\n");
        assert_eq!(told.matches(&again).count(), 1, "no `{again}` in\n{told}");
    };
    let certify = format!("certify --profile mcp-2025-11-25 -- {greeter}");
    check(&certify, 1, &certify);
    check("talk -- sh -c 'exit 3' < /dev/null", 1, "talk -- sh -c 'exit 3'");
    check("talk -- /no/such/server", 3, "talk -- /no/such/server");
    check("replay --server true no/such.conv", 3, "replay --server true no/such.conv");
    let conversation = "harness/examples/greeter/conversations/greeting.conv";
    check(
        &format!("replay --server true {conversation}"),
        1,
        &format!("replay --server true {conversation}"),
    );
    check(&format!("bless --server true {conversation}"), 4, &format!("bless --server true {conversation}"));
    check("record --out ci/library -- true", 2, "record --out ci/library -- true");
    check("gate report no/such/folder", 3, "gate report no/such/folder");
}

const REPLAY: &str =
    "replay --server 'python3 harness/examples/greeter/greeter.py' harness/examples/greeter/conversations";

#[test]
fn a_pipe_sees_no_progress() {
    let output = shell(&format!("'{HARNESS}' {REPLAY}"));
    assert_eq!(text(&output.stderr), "");
    let out = text(&output.stdout);
    assert!(out.contains("passed") && !out.contains(['\r', '\u{1b}']), "{out}");
}

/// `script` runs a command on a terminal of its own. Where there is none, the unit tests of the line have to do.
#[test]
fn a_terminal_sees_progress() {
    if !shell("script --version").status.success() {
        return;
    }
    let inner = format!("'{HARNESS}' {REPLAY}").replace('"', "\\\"");
    let output = shell(&format!("script -qec \"{inner}\" /dev/null < /dev/null"));
    let out = text(&output.stdout);
    assert!(out.contains("\r\u{1b}[Kstarting") && out.contains("\r\u{1b}[K1 of 1"), "{out:?}");
}
