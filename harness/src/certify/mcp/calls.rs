//! `tools/call` of the tools that may be called: good arguments, bad ones, and an envelope with more in it.

use std::io;

use serde_json::{Value, json};

use super::super::arguments;
use super::super::bench::{Bench, Call};
use super::super::era::Era;
use super::super::outcomes;
use super::super::talk::{Reply, Talk};

/// How many tools are called; the first of a list stand for the rest.
const CALLS: usize = 12;

/// The rules that need a call.
const NEED_A_CALL: [&str; 9] =
    ["TRES-1", "TRES-2", "TRES-3", "TRES-7", "TRES-8", "TRES-11", "TRES-10", "TOOL-12", "MRTR-2"];

/// Calls what may be called.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    let calls = bench.calls();
    let mut talk = bench.open()?;
    for call in calls.iter().take(CALLS) {
        let reply = talk.ask("tools/call", call.params());
        if bench.answered(&reply) {
            outcomes::judge(&call.tool, &reply, bench.era, &mut bench.notes);
        }
    }
    if let Some(call) = calls.first() {
        envelope(bench, &mut talk, call);
    }
    let tools: Vec<_> = bench.callable().take(CALLS).cloned().collect();
    for tool in &tools {
        refused(bench, &mut talk, tool);
    }
    bench.close(talk)?;
    open_rules(bench, &calls);
    Ok(())
}

/// Further members of params change nothing about what a call comes to.
fn envelope(bench: &mut Bench<'_>, talk: &mut Talk, call: &Call) {
    let plain = talk.ask("tools/call", call.params());
    let Some(kind) = kind(&plain) else { return };
    let mut compare = |bench: &mut Bench<'_>, rule: &'static str, what: &str, params: Value| {
        let reply = talk.ask("tools/call", params);
        if bench.answered(&reply) {
            let same = self::kind(&reply) == Some(kind);
            bench.notes.judge(rule, same, format!("{what}: {}", reply.told()), || reply.lines.clone());
        }
    };
    let with = |member: &str, value: Value| {
        let mut params = call.params();
        params[member] = value;
        params
    };
    compare(bench, "TRES-1", "a further member of params", with("certify", json!(true)));
    if call.arguments == json!({}) {
        compare(bench, "TRES-1", "no arguments", json!({"name": call.tool["name"]}));
    }
    let progress = json!({"progressToken": "certify-progress"});
    compare(bench, "TRES-1", "a progressToken", with("_meta", progress));
    match bench.era {
        Era::Modern => {
            // A requestState that nobody gave may be refused: it is an attacker's until it is proved.
            compare(bench, "MRTR-2", "inputResponses", with("inputResponses", json!({})));
        }
        Era::Legacy if bench.has("tasks") => bench.notes.absent("TOOL-12", "tasks are advertised"),
        Era::Legacy => compare(bench, "TOOL-12", "a member task", with("task", json!({"ttl": 60_000}))),
    }
}

/// What a call came to: 0 a success, 1 a failure of the tool, 2 an error of the protocol, 3 something else.
fn kind(reply: &Reply) -> Option<u8> {
    match (reply.result(), reply.error()) {
        (Some(_), _) if reply.is_tool_error() => Some(1),
        (Some(result), _) if is_success(result) => Some(0),
        (Some(_), _) => Some(3),
        (None, Some(_)) => Some(2),
        (None, None) => None,
    }
}

fn is_success(result: &Value) -> bool {
    let flag = result.get("isError").is_none_or(|flag| flag == false);
    flag && result["content"].is_array() && result["resultType"] != "input_required"
}

/// Arguments that the tool's own schema refuses.
fn refused(bench: &mut Bench<'_>, talk: &mut Talk, tool: &Value) {
    let Some(arguments) = arguments::refused(&tool["inputSchema"]) else { return };
    let reply = talk.ask("tools/call", json!({"name": tool["name"], "arguments": arguments}));
    if !bench.answered(&reply) {
        return;
    }
    let what = format!("{} with arguments that its schema refuses: {}", tool["name"], reply.told());
    let lines = || reply.lines.clone();
    let success = kind(&reply) == Some(0);
    bench.notes.judge("TOOL-11", !success, &what, lines);
    match reply.code() {
        // An example of the schema has it so, the page says otherwise.
        Some(-32602) => bench.notes.broken("TRES-6", &what, lines()),
        Some(_) => bench.notes.broken("TRES-5", &what, lines()),
        None if success => {}
        None => {
            bench.notes.holds("TRES-5", &what);
            bench.notes.holds("TRES-6", what);
            outcomes::judge(tool, &reply, bench.era, &mut bench.notes);
        }
    }
}

/// What could not be looked at, and why.
fn open_rules(bench: &mut Bench<'_>, calls: &[Call]) {
    let why = if bench.tools.is_empty() {
        None
    } else if calls.is_empty() {
        Some("no tool that may be called: name a call with --call")
    } else {
        Some("no call that was made shows it")
    };
    if !bench.tools.iter().any(|tool| tool.get("outputSchema").is_some()) {
        for rule in ["TRES-8", "TRES-10", "TRES-11"] {
            bench.notes.absent(rule, "no tool has an outputSchema");
        }
    }
    for rule in NEED_A_CALL {
        if bench.notes.verdict(rule).is_some() {
            continue;
        }
        match why {
            Some(why) => bench.notes.open(rule, why),
            None => bench.notes.absent(rule, "the server has no tools"),
        }
    }
    for rule in ["TOOL-11", "TRES-5", "TRES-6"] {
        if bench.notes.verdict(rule).is_none() {
            match why {
                Some(_) if bench.notes.verdict("TRES-6").is_some() => bench.notes.absent(rule, "see TRES-6"),
                Some(_) if bench.notes.verdict("TOOL-11").is_some() => bench.notes.open(rule, "see TOOL-11"),
                Some(_) => {
                    bench.notes.open(rule, "no tool that may be called refuses arguments by its schema")
                }
                None => bench.notes.absent(rule, "the server has no tools"),
            }
        }
    }
}
