//! Methods that are not there, cursors that are none, notifications that nobody knows, and several requests at once.

use std::io;

use serde_json::json;

use super::super::bench::Bench;
use super::super::era::{Era, LOG_LEVEL_KEY};
use super::super::talk::Talk;

/// Capabilities, and a method of each that a server without it does not know.
const OF_CAPABILITIES: [(&str, &str); 2] = [("prompts", "prompts/list"), ("resources", "resources/list")];

/// The rule that capabilities tell the truth.
pub fn truth(era: Era) -> &'static str {
    match era {
        Era::Modern => "DISC-6",
        Era::Legacy => "LIFE-5",
    }
}

/// Asks for what is not there.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.open()?;
    unknown(bench, &mut talk);
    unadvertised(bench, &mut talk);
    if bench.has("tools") {
        let reply = talk.ask("tools/list", json!({"cursor": "certify-no-such-cursor"}));
        bench.expect_code("PAGE-3", "a cursor that was never given", &reply, &[-32602]);
        no_such_call(bench, &mut talk);
    } else {
        for rule in ["TRES-4", "ERR-4"] {
            bench.notes.absent(rule, "the server has no tools");
        }
    }
    bench.close(talk)?;
    if bench.is_stdio() {
        notifications(bench)?;
    }
    Ok(())
}

fn unknown(bench: &mut Bench<'_>, talk: &mut Talk) {
    let reply = talk.ask("certify/no-such-method", json!({}));
    bench.expect_code("ERR-3", "an unknown method", &reply, &[-32601]);
    if bench.era == Era::Legacy {
        return;
    }
    for method in ["ping", "resources/subscribe"] {
        let reply = talk.ask(method, json!({"uri": "certify:none"}));
        bench.expect_code("ERR-3", &format!("{method}, which the revision no longer has"), &reply, &[-32601]);
    }
    let tasks = bench.capabilities["extensions"].get("io.modelcontextprotocol/tasks").is_some();
    if !tasks {
        let reply = talk.ask("tasks/get", json!({"taskId": "certify-none"}));
        bench.expect_code("EXT-1", "tasks/get", &reply, &[-32601]);
    }
    let loud = json!({"_meta": {LOG_LEVEL_KEY: "certify-loud"}});
    let reply = talk.ask(if bench.has("tools") { "tools/list" } else { "server/discover" }, loud);
    bench.expect_code("META-4", "an unknown logLevel", &reply, &[-32602]);
}

fn unadvertised(bench: &mut Bench<'_>, talk: &mut Talk) {
    let rule = truth(bench.era);
    let mut looked = false;
    for (capability, method) in OF_CAPABILITIES {
        if !bench.has(capability) {
            let reply = talk.ask(method, json!({}));
            bench.expect_code(
                rule,
                &format!("{method} without capabilities.{capability}"),
                &reply,
                &[-32601],
            );
            looked = true;
        }
    }
    if !looked && bench.has("tools") {
        bench.notes.absent(rule, "every capability that was looked for is advertised");
    }
}

fn no_such_call(bench: &mut Bench<'_>, talk: &mut Talk) {
    let reply = talk.ask("tools/call", json!({"name": "certify_no_such_tool", "arguments": {}}));
    bench.expect_code("TRES-4", "an unknown tool", &reply, &[-32602]);
    let reply = talk.ask("tools/call", json!({"arguments": {}}));
    bench.expect_code("ERR-4", "tools/call without a name", &reply, &[-32602]);
    let callable = bench.callable().next().cloned();
    if let Some(tool) = callable {
        let reply = talk.ask("tools/call", json!({"name": tool["name"], "arguments": []}));
        bench.expect_code("ERR-4", "tools/call with a list of arguments", &reply, &[-32602]);
    }
}

/// Nobody is answered who asked nothing.
fn notifications(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.open()?;
    talk.tell("notifications/certify-unknown", None);
    talk.tell("tools/list", Some(json!({})));
    let alive = bench.fence(&mut talk);
    talk.watch(bench.grace());
    bench.answered(&alive);
    bench.close(talk)?;
    let mut talk = bench.open()?;
    talk.tell("notifications/cancelled", Some(json!({"requestId": "certify-unknown"})));
    talk.tell("notifications/cancelled", Some(json!({})));
    let alive = bench.fence(&mut talk);
    let what = format!("a cancellation of what is unknown, then a request: {}", alive.told());
    bench.notes.judge("CANC-3", alive.message.is_some(), what, || alive.lines.clone());
    talk.watch(bench.grace());
    bench.close(talk)?;
    let mut talk = bench.open()?;
    let answered = talk.begin(bench.era.fence(), json!({}));
    talk.wait(&answered);
    talk.cancel(&answered);
    let alive = bench.fence(&mut talk);
    let what = format!("a cancellation of what is answered, then a request: {}", alive.told());
    bench.notes.judge("CANC-4", alive.message.is_some(), what, || alive.lines.clone());
    talk.watch(bench.grace());
    bench.close(talk)?;
    Ok(())
}

/// Several requests before the first answer.
pub fn interleaved(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.open()?;
    let methods = [bench.era.fence(), "certify/no-such-method", bench.era.fence()];
    let ids: Vec<_> = methods.into_iter().map(|method| talk.begin(method, json!({}))).collect();
    for id in &ids {
        let reply = talk.wait(id);
        bench.answered(&reply);
        let what = format!(
            "three requests at once: {}",
            if reply.message.is_some() { "all answered" } else { &reply.silence }
        );
        bench.notes.judge("STDIO-11", reply.message.is_some(), what, || reply.lines.clone());
    }
    bench.close(talk)?;
    Ok(())
}
