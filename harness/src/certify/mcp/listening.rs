//! `subscriptions/listen`: its acknowledgement, its end by the client, and its end with the input.

use std::io;

use serde_json::{Value, json};

use super::super::bench::Bench;
use super::super::era::SUBSCRIPTION_KEY;
use super::super::talk::{Came, Talk};

/// The rules about subscriptions, for a server that takes none.
const RULES: [&str; 5] = ["SUBS-1", "SUBS-2", "SUBS-3", "SUBS-5", "SHUT-5"];

/// Subscribes, and ends the subscription in both ways.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.open()?;
    let id = begin(&mut talk);
    bench.fence(&mut talk);
    talk.watch(bench.grace());
    if let Some(came) = talk.answer(&id) {
        refusal(bench, &came.message);
        bench.close(talk)?;
        return Ok(());
    }
    bench.notes.holds("SUBS-1", "subscriptions/listen is taken");
    let accepted = acknowledged(bench, &talk, &id);
    talk.cancel(&id);
    let before = talk.came.len();
    bench.fence(&mut talk);
    talk.watch(bench.grace());
    let late = talk.came[before..].iter().find(|came| concerns(came, &talk, &id));
    let lines: Vec<_> = late.iter().map(|came| came.line()).collect();
    let what = if late.is_some() {
        "something comes of a subscription that was ended"
    } else {
        "nothing more comes"
    };
    bench.notes.judge("SUBS-5", late.is_none(), what, || lines);
    bench.close(talk)?;
    if accepted {
        open_at_the_end(bench)?;
    } else {
        bench.notes.open("SHUT-5", "no subscription was acknowledged");
    }
    Ok(())
}

fn begin(talk: &mut Talk) -> Value {
    talk.begin("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
}

fn refusal(bench: &mut Bench<'_>, answer: &Value) {
    let told = ["tools", "prompts", "resources"].iter().any(|capability| {
        let capability = &bench.capabilities[capability];
        capability["listChanged"] == true || capability["subscribe"] == true
    });
    let unknown = answer["error"]["code"] == -32601;
    if unknown && !told {
        for rule in RULES {
            bench.notes.absent(rule, "the server advertises no changes, and takes no subscription");
        }
    } else {
        let lines = vec![format!("< {}", super::super::talk::clip(&answer.to_string()))];
        bench.notes.broken("SUBS-1", "subscriptions/listen is answered at once", lines);
    }
}

/// Whether a message is about the subscription: its answer, or a notification with its id.
fn concerns(came: &Came, talk: &Talk, id: &Value) -> bool {
    let is_answer = came.answers.is_some_and(|at| talk.sent[at].id.as_ref() == Some(id));
    is_answer || came.message["params"]["_meta"].get(SUBSCRIPTION_KEY) == Some(id)
}

/// Holds the first message of the subscription to being its acknowledgement.
fn acknowledged(bench: &mut Bench<'_>, talk: &Talk, id: &Value) -> bool {
    let first = talk.came.iter().find(|came| {
        came.message["method"] == "notifications/subscriptions/acknowledged"
            || came.message["params"]["_meta"].get(SUBSCRIPTION_KEY) == Some(id)
    });
    let Some(came) = first else {
        bench.notes.broken("SUBS-2", "no acknowledgement came", Vec::new());
        return false;
    };
    let lines = || vec![came.line()];
    let params = &came.message["params"];
    let holds = came.message["method"] == "notifications/subscriptions/acknowledged"
        && params["_meta"].get(SUBSCRIPTION_KEY) == Some(id)
        && params["notifications"].is_object();
    let what = if holds {
        "acknowledged first, with its id"
    } else {
        "the first message is no acknowledgement with its id"
    };
    bench.notes.judge("SUBS-2", holds, what, lines);
    let more: Vec<_> = params["notifications"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, value)| *name != "toolsListChanged" && !is_nothing(value))
        .map(|(name, _)| name.clone())
        .collect();
    let what = if more.is_empty() {
        "nothing but what was asked".to_owned()
    } else {
        format!("also {}", more.join(", "))
    };
    bench.notes.judge("SUBS-3", more.is_empty(), what, lines);
    holds
}

fn is_nothing(value: &Value) -> bool {
    value == &Value::Null || value == &Value::Bool(false) || value.as_array().is_some_and(Vec::is_empty)
}

/// A subscription that is open when the input ends.
fn open_at_the_end(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.open()?;
    let id = begin(&mut talk);
    bench.fence(&mut talk);
    let before = talk.came.len();
    talk.close();
    // The pages of the protocol contradict each other: the result, or a cancellation by the server.
    let ended = talk.came[before..].iter().any(|came| {
        let message = &came.message;
        let result = message.get("result").is_some() && message.get("id") == Some(&id);
        let cancelled =
            message["method"] == "notifications/cancelled" && message["params"].get("requestId") == Some(&id);
        result || cancelled
    });
    let lines = talk.lines_since(before);
    let what =
        if ended { "it is answered before the server leaves" } else { "the server leaves without a result" };
    bench.notes.judge("SHUT-5", ended, what, || lines);
    bench.close(talk)?;
    Ok(())
}
