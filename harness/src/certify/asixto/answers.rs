//! Rules about what `tools/call` comes to, and about the gateway's own metadata.

use std::io;

use serde_json::{Value, json};

use super::super::bench::{Bench, Call};
use super::super::talk::{Reply, Talk};
use super::parameters::Expects;
use super::words;

/// How many characters the gateway hands on.
const HANDED_ON: usize = 3_000;

/// Calls what may be called, and holds what comes to the rules of answers.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    let calls = calls(bench);
    let mut talk = bench.open()?;
    for (call, expects) in &calls {
        let reply = talk.ask("tools/call", call.params());
        if !bench.answered(&reply) {
            bench.notes.broken("AX-MET-3", format!("tools/call: {}", reply.silence), reply.lines);
            continue;
        }
        let what = format!("{}: {}", call.tool["name"], reply.told());
        bench.notes.judge("AX-MET-3", reply.result().is_some(), what, || reply.lines.clone());
        if let Some(result) = reply.result() {
            answer(bench, call, *expects, result, &reply);
        }
        with_metadata(bench, &mut talk, call, *expects, &reply);
    }
    bench.close(talk)?;
    left_open(bench, calls.is_empty());
    Ok(())
}

/// The calls of the parameters, then those that the bench may make besides.
fn calls(bench: &Bench<'_>) -> Vec<(Call, Option<Expects>)> {
    let named = bench.options.parameters.iter().flat_map(|parameters| &parameters.calls);
    let mut calls: Vec<_> = named
        .filter_map(|named| {
            let tool = bench.tools.iter().find(|tool| tool["name"] == named.tool)?.clone();
            Some((Call { tool, arguments: named.arguments.clone() }, Some(named.expects)))
        })
        .collect();
    for call in bench.calls() {
        if calls.iter().all(|(known, _)| known.tool["name"] != call.tool["name"]) {
            calls.push((call, None));
        }
    }
    calls
}

fn answer(bench: &mut Bench<'_>, call: &Call, expects: Option<Expects>, result: &Value, reply: &Reply) {
    let lines = || reply.lines.clone();
    let complete = result["resultType"] == "complete";
    bench.notes.judge("AX-MET-4", complete, format!("\"resultType\":{}", result["resultType"]), lines);
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<_> =
        blocks.iter().filter(|block| block["type"] == "text").filter_map(|b| b["text"].as_str()).collect();
    let what = if texts.is_empty() { "no block of text" } else { "a text for the model" };
    bench.notes.judge("AX-RES-1", !texts.is_empty(), what, lines);
    let media: Vec<_> =
        blocks.iter().filter(|block| block["type"] != "text").map(|b| b["type"].to_string()).collect();
    let what = if media.is_empty() {
        "text only".to_owned()
    } else {
        format!("blocks of type {}", media.join(", "))
    };
    bench.notes.judge("AX-RES-6", media.is_empty(), what, lines);
    let length: usize = texts.iter().map(|text| text.chars().count()).sum();
    bench.notes.judge("AX-RES-3", length <= HANDED_ON, format!("{length} characters"), lines);
    let all = [texts.join("\n"), result["structuredContent"].to_string()].join("\n");
    let secret = words::secret(&all);
    let what =
        secret.map_or_else(|| "nothing that looks like one".to_owned(), |what| format!("it holds {what}"));
    bench.notes.judge("AX-RES-7", secret.is_none(), what, lines);
    outcome(bench, call, expects, result, reply);
}

fn outcome(bench: &mut Bench<'_>, call: &Call, expects: Option<Expects>, result: &Value, reply: &Reply) {
    let lines = || reply.lines.clone();
    let what = format!("{}: {}", call.tool["name"], reply.told());
    if expects == Some(Expects::Empty) {
        bench.notes.judge("AX-RES-4", !reply.is_tool_error(), &what, lines);
    }
    if reply.is_tool_error() || expects == Some(Expects::Failure) {
        let error = &result["structuredContent"]["error"];
        let kind = error["error_type"].as_str();
        let types = bench.options.parameters.as_ref().and_then(|parameters| parameters.error_types.as_ref());
        let known = types.is_none_or(|types| types.iter().any(|known| Some(known.as_str()) == kind));
        let holds = reply.is_tool_error() && kind.is_some() && known && error["user_message"].is_string();
        let what = if holds { what } else { format!("{what}, and its error object is {error}") };
        bench.notes.judge("AX-RES-5", holds, what, lines);
        return;
    }
    let Some(schema) = call.tool.get("outputSchema") else { return };
    let value = result.get("structuredContent").unwrap_or(&Value::Null);
    let validator = jsonschema::validator_for(schema).ok();
    let fault =
        validator.and_then(|validator| validator.iter_errors(value).next().map(|error| error.to_string()));
    let what = fault.clone().unwrap_or_else(|| "it conforms".to_owned());
    bench.notes.judge("AX-RES-2", fault.is_none(), what, lines);
}

/// The same call as the gateway sends it, and again with the same key.
fn with_metadata(
    bench: &mut Bench<'_>,
    talk: &mut Talk,
    call: &Call,
    expects: Option<Expects>,
    plain: &Reply,
) {
    let reads = call.tool["annotations"]["readOnlyHint"] == true;
    if !reads && expects != Some(Expects::Write) {
        return;
    }
    let mut params = call.params();
    params["_meta"] = gateway(&call.tool["name"]);
    let first = talk.ask("tools/call", params.clone());
    let same = first.result().is_some() == plain.result().is_some()
        && first.is_tool_error() == plain.is_tool_error();
    let what = format!("{} with the gateway's keys: {}", call.tool["name"], first.told());
    bench.notes.judge("AX-ENV-1", same, what, || first.lines.clone());
    if expects == Some(Expects::Write) {
        let second = talk.ask("tools/call", params);
        let same = first.result().map(|r| &r["structuredContent"])
            == second.result().map(|r| &r["structuredContent"]);
        let what = format!(
            "{} twice with one key: {}",
            call.tool["name"],
            if same { "the same" } else { "another answer" }
        );
        bench.notes.judge("AX-ENV-2", same, what, || [first.lines.clone(), second.lines.clone()].concat());
    }
}

/// The metadata that the gateway sends with a call.
fn gateway(tool: &Value) -> Value {
    json!({
        "com.asixto/idempotencyKey": format!("certify-{}", tool.as_str().unwrap_or_default()),
        "com.asixto/conversationId": "cnv_certify",
        "com.asixto/requestId": "req_certify",
        "com.asixto/channel": "voice",
        "com.asixto/companyId": "cmp_certify",
        "com.asixto/priceListId": null,
        "com.asixto/currency": "COP",
        "com.asixto/timezone": "America/Bogota",
    })
}

/// What no call showed.
fn left_open(bench: &mut Bench<'_>, without_calls: bool) {
    let needs = [
        ("AX-MET-3", "a call"),
        ("AX-MET-4", "a call"),
        ("AX-ENV-1", "a call of a tool that only reads, or one that expects \"write\""),
        ("AX-ENV-2", "a call that expects \"write\""),
        ("AX-RES-1", "a call"),
        ("AX-RES-2", "a call of a tool with an outputSchema that succeeds"),
        ("AX-RES-3", "a call"),
        ("AX-RES-4", "a call that expects \"empty\""),
        ("AX-RES-5", "a call that expects \"failure\""),
        ("AX-RES-6", "a call"),
        ("AX-RES-7", "a call"),
    ];
    for (rule, need) in needs {
        if bench.notes.verdict(rule).is_none() {
            let whence = if without_calls { "no tool may be called" } else { "no call shows it" };
            bench.notes.open(rule, format!("{whence}: it takes {need}, named in --parameters"));
        }
    }
}
