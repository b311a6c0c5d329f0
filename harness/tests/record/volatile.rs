//! What a server does not say twice: listed, and loosened only where it is asked for.

use std::fs;

use super::between::Bench;
use super::{Check, named};

/// Every one of them.
pub const ALL: &[Check] = named![
    what_differs_is_listed_with_its_placeholder,
    what_differs_is_loosened_on_demand_and_counted,
    a_value_that_comes_back_is_kept,
    another_answer_is_never_loosened,
];

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Says its process, a moment and a word.
const SERVER: &str = r#"read -r line
printf '{"jsonrpc":"2.0","id":1,"result":{"pid":%s,"at":"since %s","word":"same"}}\n' $$ "$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)"
cat"#;

fn what_differs_is_listed_with_its_placeholder() {
    let bench = Bench::shell(SERVER);
    let mut client = bench.record(&[]);
    client.line(PING).read();
    let told = client.end();
    told.check(
        1,
        &[
            "session.conv:6: $.result.pid was ",
            ": write {{integer}}\n",
            "$.result.at was ",
            ": write {{timestamp}}\n",
            "a second run does not say the same; put the placeholders where the values stand",
            "not finished",
        ],
    );
    assert!(bench.text().contains("# Not finished: places that a second run does not say the same: 2.\n"));
    // A person puts them in.
    let text = bench.text();
    let (above, _) = text.split_once("< ").expect("an answer");
    let answer =
        r#"{"jsonrpc":"2.0","id":1,"result":{"pid":"{{integer}}","at":"since {{timestamp}}","word":"same"}}"#;
    fs::write(bench.out(), format!("{above}< {answer}\neof\nexit 0\n")).expect("a file");
    let (code, out) = bench.replay(&[]);
    assert!(code == 0 && out.contains("not pinned: 2 places, "), "{out}");
    let (_, json) = bench.replay(&["--json"]);
    assert!(json.contains("\"unpinned\":{\"bytes\":") && json.contains(",\"places\":2}"), "{json}");
}

fn what_differs_is_loosened_on_demand_and_counted() {
    let bench = Bench::shell(SERVER);
    let mut client = bench.record(&["--volatile"]);
    client.line(PING).read();
    client.end().check(0, &["a fresh server says the same; not pinned: 2 places, "]);
    let text = bench.text();
    assert!(text.contains(r#""pid":"{{integer}}","at":"since {{timestamp}}","word":"same""#), "{text}");
    assert!(!text.contains("Not finished"), "{text}");
}

fn a_value_that_comes_back_is_kept() {
    let script = r#"session=$(cat /proc/sys/kernel/random/uuid)
read -r line
printf '{"jsonrpc":"2.0","id":1,"result":{"session":"%s"}}\n' "$session"
read -r line
case $line in
    *"$session"*) printf '{"jsonrpc":"2.0","id":2,"result":{"known":"%s"}}\n' "$session" ;;
    *) printf '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"who?"}}\n' ;;
esac
cat"#;
    let bench = Bench::shell(script);
    let mut client = bench.record(&["--volatile"]);
    let answer = client.line(PING).read();
    let session = answer.split('"').rev().nth(1).expect("a session");
    let reply = client
        .line(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"m","params":{{"s":"{session}"}}}}"#))
        .read();
    assert!(reply.contains("known"), "{reply}");
    client.end().check(0, &["not pinned: 1 place, 36 bytes"]);
    let steps = bench.steps();
    for part in [r#""session":"{{session:uuid}}""#, r#"{"s":"{{session}}"}"#, r#"{"known":"{{session}}"}"#] {
        assert!(steps.contains(part), "{steps}");
    }
}

fn another_answer_is_never_loosened() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mark = folder.path().join("mark");
    let script = format!(
        "read -r line; word=yes; [ -e {0} ] && word=no; echo > {0}; printf '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"word\":\"%s\"}}}}\\n' $word; cat",
        mark.display()
    );
    let bench = Bench::shell(&script);
    let mut client = bench.record(&["--volatile"]);
    client.line(PING).read();
    client.end().check(1, &["$.result.word was \"yes\", is \"no\": no placeholder stands for both"]);
    assert!(bench.steps().contains("\"word\":\"yes\""), "{}", bench.steps());
}
