//! What a client did is what is written down: its order, its cancellations, its closings, its bytes.

use std::fs;

use super::between::{Bench, call, cancel, echo, on_lines, until, written};
use super::{Check, named};

/// Every one of them.
pub const ALL: &[Check] = named![
    a_conversation_is_recorded_and_replays,
    a_client_that_cancels_pipelines_and_closes_early,
    bytes_that_are_no_message_pass_and_are_kept,
    a_line_in_pieces_is_one_line,
    a_client_that_hangs_up,
    a_signal_is_the_servers,
    white_space_of_the_server_passes_and_is_not_pinned,
    the_server_runs_over_a_copy_of_the_project,
];

fn a_conversation_is_recorded_and_replays() {
    let bench = Bench::flawed("none");
    let told = bench
        .record(&["--shows", "Two answers."])
        .line(&call(1, "eco"))
        .told(&echo(1))
        .line(&call(2, "eco"))
        .told(&echo(2))
        .end();
    told.check(
        0,
        &[
            "session.conv is recorded, and a fresh server says the same\n",
            "replay it: ",
            " replay --server '",
        ],
    );
    assert_eq!(told.out, "");
    let expect = format!(
        "> {}\n< {}\n> {}\n< {}\neof\nexit 0\n",
        call(1, "eco"),
        written(1),
        call(2, "eco"),
        written(2)
    );
    assert_eq!(on_lines(&bench.steps()), expect);
    assert!(bench.text().starts_with("# Two answers.\n---\n"));
    assert_eq!(bench.replay(&[]).0, 0);
    let (code, out) = bench.over(&Bench::flawed("keys")).replay(&[]);
    assert!(code == 1 && out.contains("mismatch"), "{out}");
}

fn a_client_that_cancels_pipelines_and_closes_early() {
    let bench = Bench::flawed("none");
    let mut client = bench.record(&[]);
    client.line(&call(1, "espera")).complaint("esperando").line(&call(2, "eco")).told(&echo(2));
    client.line(&cancel(1)).send(format!("{}\n{}\n", call(3, "eco"), call(4, "eco"))).close();
    let told = client.told(&echo(3)).told(&echo(4)).end();
    told.check(0, &["a fresh server says the same\n"]);
    let steps = on_lines(&bench.steps());
    let head = format!(
        "> {}\nawait esperando\n> {}\n< {}\n> {}\n",
        call(1, "espera"),
        call(2, "eco"),
        written(2),
        cancel(1)
    );
    assert!(steps.starts_with(&format!("{head}> {}\n> {}\n", call(3, "eco"), call(4, "eco"))), "{steps}");
    assert!(steps.contains("\neof\n") && steps.contains(&format!("<~ {}\n", written(4))), "{steps}");
    assert_eq!(bench.replay(&[]).0, 0);
    let (code, out) = bench.over(&Bench::flawed("late")).replay(&[]);
    assert!(code == 1 && out.contains("an answer to the request 1, which had been cancelled"), "{out}");
}

fn bytes_that_are_no_message_pass_and_are_kept() {
    let bench = Bench::shell(
        "read -r a; read -r b; read -r c; read -r d; printf '%s' \"$a$b$c$d\" | od -An -tx1 >&2; cat",
    );
    let mut client = bench.record(&["--exact"]);
    client.send(b"hola\n\xff\xfe\n{\"a\": 1}\n{}\r\nrest").close();
    let told = client.end();
    assert!(told.err.contains("68 6f 6c 61 ff fe 7b 22 61 22 3a 20 31 7d"), "{}", told.err);
    let steps = bench.steps();
    let sent = ">raw hola\\n\n>raw \\xFF\\xFE\\n\n>raw {\"a\": 1}\\n\n>raw {}\\r\\n\n>raw rest\neof\n";
    assert!(steps.starts_with(sent), "{steps}");
    // The server says the client's own words, which are no message.
    told.check(1, &["no conversation holds this: stdout carried what is no message", "rest"]);
}

fn a_line_in_pieces_is_one_line() {
    let bench = Bench::flawed("none");
    let line = call(1, "eco");
    let (one, two) = line.split_at(20);
    let told = bench.record(&[]).send(one).send(two).send("\n").told(&echo(1)).end();
    told.check(0, &[]);
    assert!(bench.steps().starts_with("> {\"jsonrpc\":\"2.0\",\"id\":1,"));
}

fn a_client_that_hangs_up() {
    let bench = Bench::flawed("none");
    let mut client = bench.record(&[]);
    client.line(&call(1, "eco")).told(&echo(1)).hang_up();
    // It is noticed before anything is written that nobody reads.
    until(|| fs::read_to_string(bench.out()).is_ok_and(|text| text.ends_with("hangup\n")));
    client.line(&call(2, "eco"));
    client.end().check(0, &[]);
    let sent = [call(1, "eco"), call(2, "eco")];
    let expect = format!("> {}\n< {}\nhangup\n> {}\neof\nexit 0\n", sent[0], written(1), sent[1]);
    assert_eq!(on_lines(&bench.steps()), expect);
}

fn a_signal_is_the_servers() {
    let bench = Bench::flawed("ignores-eof");
    let mut client = bench.record(&[]);
    client.line(&call(1, "eco")).told(&echo(1)).close();
    until(|| fs::read_to_string(bench.out()).is_ok_and(|text| text.ends_with("eof\n")));
    client.signal("TERM");
    client.end().check(0, &["a fresh server says the same\n"]);
    let steps = bench.steps();
    assert!(steps.ends_with("eof\nkill TERM\nsignal TERM\n"), "{steps}");
}

fn white_space_of_the_server_passes_and_is_not_pinned() {
    let spaced = r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#;
    let bench = Bench::shell(&format!("read -r line; printf '%s\\n' '{spaced}'; cat"));
    let told = bench.record(&[]).line(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).told(spaced).end();
    told.check(0, &[]);
    assert!(bench.text().contains("\nspacing: free\n---\n"), "{}", bench.text());
    assert_eq!(bench.replay(&[]).0, 0);
    let strict = bench.text().replace("spacing: free\n", "");
    fs::write(bench.out(), strict).expect("a file");
    let (code, out) = bench.replay(&[]);
    assert!(code == 1 && out.contains("white space outside a string"), "{out}");
}

fn the_server_runs_over_a_copy_of_the_project() {
    let root = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(root.path().join("proyectos/p")).expect("a project");
    fs::write(root.path().join("proyectos/p/file"), "x").expect("a file");
    let script = r#"read -r line; printf '{"jsonrpc":"2.0","id":1,"result":{"at":"%s","serverInfo":{"version":"3.1"}}}\n' "$0"; cat"#;
    let bench = Bench::command(&["/bin/sh", "-c", script, "{{project}}/file"]);
    let root = root.path().to_str().expect("UTF-8");
    let mut client = bench.record(&["--root", root, "--project", "p"]);
    let answer = client.line(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).read();
    assert!(answer.contains("/p/file\"") && !answer.contains(root), "{answer}");
    client.end().check(0, &[&format!("--server-version 3.1 --root {root}")]);
    let text = bench.text();
    assert!(text.contains("\nproject: p\n---\n"), "{text}");
    assert!(text.contains(r#"{"at":"{{project}}/file","serverInfo":{"version":"{{version}}"}}"#), "{text}");
    assert_eq!(bench.replay(&["--root", root, "--server-version", "3.1"]).0, 0);
}
