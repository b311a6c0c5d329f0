//! `subscriptions/listen`: its acknowledgement, its end by the client, and its end with the input.

use std::io;

use serde_json::{Value, json};

use super::super::bench::Bench;
use super::super::era::SUBSCRIPTION_KEY;
use super::super::talk::Talk;

/// The rules about subscriptions, for a server that takes none.
const RULES: [&str; 5] = ["SUBS-1", "SUBS-2", "SUBS-3", "SUBS-5", "SHUT-5"];

/// Subscribes, and ends the subscription in both ways.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.open()?;
    let id = begin(&mut talk);
    bench.fence(&mut talk);
    talk.watch(bench.grace());
    let refused = answer(&talk, &id);
    if let Some(error) = refused {
        refusal(bench, &error);
        bench.close(talk)?;
        return Ok(());
    }
    bench.notes.holds("SUBS-1", "subscriptions/listen is taken");
    let accepted = acknowledged(bench, &talk, &id);
    talk.cancel(&id);
    let before = talk.came.len();
    bench.fence(&mut talk);
    talk.watch(bench.grace());
    let late = talk.came[before..].iter().find(|came| concerns(came.answers, &talk, &id, &came.bytes));
    let lines: Vec<_> = late.iter().map(|came| format!("< {}", came.shown)).collect();
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

/// The answer to a request, if it has come.
fn answer(talk: &Talk, id: &Value) -> Option<Value> {
    let at = talk.sent.iter().position(|sent| sent.id.as_ref() == Some(id));
    let came = talk.came.iter().find(|came| came.answers.is_some() && came.answers == at)?;
    serde_json::from_slice(&came.bytes).ok()
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
fn concerns(answers: Option<usize>, talk: &Talk, id: &Value, bytes: &[u8]) -> bool {
    let is_answer = answers.is_some_and(|at| talk.sent[at].id.as_ref() == Some(id));
    let message: Value = serde_json::from_slice(bytes).unwrap_or(Value::Null);
    is_answer || message["params"]["_meta"].get(SUBSCRIPTION_KEY) == Some(id)
}

/// Holds the first message of the subscription to being its acknowledgement.
fn acknowledged(bench: &mut Bench<'_>, talk: &Talk, id: &Value) -> bool {
    let first = talk
        .came
        .iter()
        .filter_map(|came| serde_json::from_slice::<Value>(&came.bytes).ok().map(|message| (came, message)))
        .find(|(_, message)| {
            message["method"] == "notifications/subscriptions/acknowledged"
                || message["params"]["_meta"].get(SUBSCRIPTION_KEY) == Some(id)
        });
    let Some((came, message)) = first else {
        bench.notes.broken("SUBS-2", "no acknowledgement came", Vec::new());
        return false;
    };
    let lines = || vec![format!("< {}", came.shown)];
    let params = &message["params"];
    let holds = message["method"] == "notifications/subscriptions/acknowledged"
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
        let message: Value = serde_json::from_slice(&came.bytes).unwrap_or(Value::Null);
        let result = message.get("result").is_some() && message.get("id") == Some(&id);
        let cancelled =
            message["method"] == "notifications/cancelled" && message["params"].get("requestId") == Some(&id);
        result || cancelled
    });
    let lines: Vec<_> = talk.came[before..].iter().map(|came| format!("< {}", came.shown)).collect();
    let what =
        if ended { "it is answered before the server leaves" } else { "the server leaves without a result" };
    bench.notes.judge("SHUT-5", ended, what, || lines);
    bench.close(talk)?;
    Ok(())
}
