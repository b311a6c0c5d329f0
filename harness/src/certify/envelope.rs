//! Rules that every message of a server is held to, whatever asked for it.
//!
//! Functions of a conversation that is over. What a result holds for its own method is [`super::results`]'.

use serde_json::Value;

use super::era::{Era, SUBSCRIPTION_KEY};
use super::notes::Notes;
use super::results;
use super::talk::{Came, Sent, Talk};
use crate::engine::json;

/// One message with what was known when it came.
pub struct Seen<'t> {
    /// What came.
    pub came: &'t Came,
    /// The message.
    pub message: &'t Value,
    /// Whose answer it is.
    pub request: Option<&'t Sent>,
    /// The era of the conversation.
    pub era: Era,
    /// Everything that was sent in it.
    pub sent: &'t [Sent],
}

impl Seen<'_> {
    /// The lines that show it.
    pub fn lines(&self) -> Vec<String> {
        let request = self.request.map(|sent| format!("> {}", super::talk::clip(&sent.text)));
        request.into_iter().chain([self.came.line()]).collect()
    }

    /// What it answers, in words.
    pub fn about(&self) -> String {
        match self.request {
            Some(sent) if !sent.method.is_empty() => format!("the answer to {}", sent.method),
            _ => "a message".to_owned(),
        }
    }
}

/// Holds everything that came in a conversation to the rules of messages.
pub fn inspect(talk: &Talk, notes: &mut Notes) {
    let mut at = 0;
    while let Some(came) = talk.came.get(at) {
        at += 1;
        match read(&came.bytes) {
            Ok(message) => {
                pure(notes);
                let request = came.answers.map(|at| &talk.sent[at]);
                let seen = Seen { came, message: &message, request, era: talk.era, sent: &talk.sent };
                message_of(&seen, notes);
            }
            Err(why) => {
                let lines = || vec![came.line()];
                // A message over several lines is another fault than a line that is none.
                let joined = joined_length(&talk.came[at - 1..]);
                if let Some(count) = joined {
                    notes.broken("STDIO-2", format!("a message over {count} lines"), lines());
                    at += count - 1;
                } else if came.bytes.to_ascii_lowercase().starts_with(b"content-length:") {
                    notes.broken("STDIO-2", "a header before the message", lines());
                } else if str::from_utf8(&came.bytes).is_err() {
                    notes.broken("RPC-1", "a line that is not UTF-8", lines());
                } else {
                    notes.broken("STDIO-3", format!("stdout carries what is no message: {why}"), lines());
                }
            }
        }
    }
    growing(talk, notes);
    let repeated = talk.sent.iter().filter(|sent| sent.answers > 1);
    for sent in repeated {
        let what = format!("{} answered {} times", sent.method, sent.answers);
        notes.broken("RPC-4", what, vec![format!("> {}", super::talk::clip(&sent.text))]);
    }
}

/// Progress of one token grows from notification to notification.
fn growing(talk: &Talk, notes: &mut Notes) {
    let mut last: Vec<(Value, f64)> = Vec::new();
    for came in &talk.came {
        let Ok(message) = read(&came.bytes) else { continue };
        let params = &message["params"];
        let (true, Some(progress)) =
            (message["method"] == "notifications/progress", params["progress"].as_f64())
        else {
            continue;
        };
        let token = &params["progressToken"];
        let before = last.iter_mut().find(|(of, _)| of == token);
        match before {
            Some((_, before)) if progress <= *before => {
                let what = format!("progress {progress} after {before}");
                notes.broken("PROG-3", what, vec![came.line()]);
            }
            Some((_, before)) => *before = progress,
            None => last.push((token.clone(), progress)),
        }
    }
}

fn pure(notes: &mut Notes) {
    notes.holds("STDIO-2", "every message on a line of its own");
    notes.holds("STDIO-3", "nothing but messages on stdout");
}

/// A line as a value; white space and a carriage return are nobody's rule.
fn read(bytes: &[u8]) -> Result<Value, String> {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.is_empty() {
        return Err("an empty line".to_owned());
    }
    let text = str::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    json::read(text).map_err(|fault| format!("not JSON: {} at byte {}", fault.why, fault.at))?;
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.is_object() { Ok(value) } else { Err("JSON, and no object".to_owned()) }
}

/// How many lines make up the message that starts here, where it is more than one.
fn joined_length(lines: &[Came]) -> Option<usize> {
    if lines.first()?.bytes.first() != Some(&b'{') {
        return None;
    }
    let mut text = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        text.extend_from_slice(&line.bytes);
        text.push(b'\n');
        if at > 0 && serde_json::from_slice::<Value>(&text).is_ok_and(|value| value.is_object()) {
            return Some(at + 1);
        }
    }
    None
}

fn message_of(seen: &Seen<'_>, notes: &mut Notes) {
    let is_rpc = seen.message.get("jsonrpc") == Some(&Value::from("2.0"));
    notes.judge(
        "RPC-1",
        is_rpc,
        if is_rpc { "JSON-RPC 2.0 in UTF-8" } else { "no \"jsonrpc\":\"2.0\"" },
        || seen.lines(),
    );
    let member = |name: &str| seen.message.get(name);
    match (member("method"), member("result"), member("error")) {
        (Some(Value::String(method)), None, None) => call(seen, method, notes),
        (None, Some(result), None) => {
            let holds = result.is_object();
            let what = if holds { "every result is an object" } else { "\"result\" is no object" };
            notes.judge("RPC-5", holds, what, || seen.lines());
            identity(seen, notes);
            if holds {
                results::result(seen, result, notes);
            }
        }
        (None, None, Some(error)) => {
            let holds = error.get("code").is_some_and(Value::is_i64)
                && error.get("message").is_some_and(Value::is_string);
            let what = if holds {
                "every error has an integer code and a message"
            } else {
                "an error without an integer \"code\" and a string \"message\""
            };
            notes.judge("RPC-8", holds, what, || seen.lines());
            identity(seen, notes);
            results::error(seen, error, notes);
        }
        _ => {
            let what = "a message has exactly one of method, result and error";
            notes.broken("STDIO-3", what, seen.lines());
        }
    }
}

/// Whose answer an answer is.
fn identity(seen: &Seen<'_>, notes: &mut Notes) {
    let sent_before = &seen.sent[..seen.came.after];
    let unlawful = sent_before.iter().any(|sent| !sent.lawful);
    match seen.message.get("id") {
        Some(Value::String(_) | Value::Number(_)) if seen.request.is_some() => {
            notes.holds("RPC-4", "answers carry the ids of their requests, type and value");
            if seen.message.get("error").is_some() {
                notes.holds("RPC-9", "errors carry the ids of their requests");
            }
        }
        // An id that stood in what was no request is nobody's.
        Some(Value::String(_) | Value::Number(_)) if unlawful => {}
        Some(id @ (Value::String(_) | Value::Number(_))) => {
            notes.broken("RPC-4", format!("an answer with the id {id}, which no request has"), seen.lines());
        }
        // What could not be read has no id, and its error cannot carry one.
        None | Some(Value::Null) if unlawful => {}
        None | Some(Value::Null) if sent_before.iter().any(is_a_notice) => {
            notes.broken("RPC-10", "an answer without id after a notification", seen.lines());
        }
        _ => notes.broken("RPC-9", "an answer to a request that does not carry its id", seen.lines()),
    }
}

/// Whether something sent was a notification that a server may wrongly answer.
fn is_a_notice(sent: &Sent) -> bool {
    sent.id.is_none() && sent.method != "notifications/initialized"
}

/// A request or a notification of the server.
fn call(seen: &Seen<'_>, method: &str, notes: &mut Notes) {
    if seen.message.get("id").is_some() {
        return request(seen, method, notes);
    }
    let params = &seen.message["params"];
    match (method, seen.era) {
        ("notifications/progress", _) => progress(seen, params, notes),
        ("notifications/message", Era::Modern) => {
            let asked = seen
                .came
                .waiting
                .iter()
                .any(|at| seen.sent[*at].params["_meta"].get(super::era::LOG_LEVEL_KEY).is_some());
            let what =
                if asked { "log messages only where asked for" } else { "a log message nobody asked for" };
            notes.judge("LOG-1", asked, what, || seen.lines());
        }
        ("notifications/cancelled", Era::Modern) => {
            let about = params.get("requestId");
            let listens = seen
                .sent
                .iter()
                .any(|sent| sent.method == "subscriptions/listen" && sent.id.as_ref() == about);
            let what = "the server cancels what is no subscription";
            notes.judge(
                "CANC-6",
                listens,
                if listens { "it cancels only subscriptions" } else { what },
                || seen.lines(),
            );
        }
        ("notifications/subscriptions/acknowledged", Era::Modern) => subscribed(seen, params, notes),
        (_, Era::Modern) if method.starts_with("notifications/") && method.ends_with("ed") => {
            subscribed(seen, params, notes);
        }
        (_, Era::Modern) => {
            notes.broken(
                "STDIO-7",
                format!("the notification {method}, which no request asked for"),
                seen.lines(),
            );
        }
        (_, Era::Legacy) => {}
    }
}

fn request(seen: &Seen<'_>, method: &str, notes: &mut Notes) {
    match seen.era {
        Era::Modern => {
            for rule in ["RPC-13", "STDIO-8"] {
                notes.broken(rule, format!("the server sends the request {method}"), seen.lines());
            }
        }
        Era::Legacy => {
            let before = &seen.sent[..seen.came.after];
            // Who asks before its time may be answered before its time.
            let ready = before.iter().any(|sent| sent.method == "notifications/initialized" || !sent.lawful);
            let holds = ready || method == "ping";
            let what = format!("the request {method} before notifications/initialized");
            notes.judge(
                "RPC-14",
                holds,
                if holds { "no request before its time".to_owned() } else { what },
                || seen.lines(),
            );
        }
    }
}

/// A notification of a subscription names the subscription.
fn subscribed(seen: &Seen<'_>, params: &Value, notes: &mut Notes) {
    let named = params["_meta"].get(SUBSCRIPTION_KEY);
    let listens = seen
        .sent
        .iter()
        .any(|sent| sent.method == "subscriptions/listen" && sent.id.is_some() && sent.id.as_ref() == named);
    let what = if listens {
        "notifications of a subscription name it"
    } else {
        "a notification that belongs to no subscription of this client"
    };
    notes.judge("SUBS-4", listens, what, || seen.lines());
    if !listens {
        notes.broken("STDIO-7", what, seen.lines());
    }
}

fn progress(seen: &Seen<'_>, params: &Value, notes: &mut Notes) {
    let token = params.get("progressToken");
    let active = seen
        .came
        .waiting
        .iter()
        .any(|at| token.is_some() && seen.sent[*at].params["_meta"].get("progressToken") == token);
    let holds = active && params.get("progress").is_some_and(Value::is_number);
    let what =
        if holds { "progress only for what runs" } else { "progress for a token of no running request" };
    notes.judge("PROG-3", holds, what, || seen.lines());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_json_object_however_it_is_spaced() {
        let check = |line: &str, expect: &str| match read(line.as_bytes()) {
            Ok(_) => assert_eq!("", expect, "{line}"),
            Err(why) => assert!(why.contains(expect) && !expect.is_empty(), "{line}: {why}"),
        };
        check("{}", "");
        check("{ \"a\" : 1 }\r", "");
        check("", "an empty line");
        check("\r", "an empty line");
        check("ready", "not JSON");
        check("{\"a\":NaN}", "not JSON");
        check("[]", "no object");
        assert!(read(b"{\"\xff\":1}").is_err_and(|why| why == "not UTF-8"));
    }

    #[test]
    fn a_message_over_several_lines_is_told_apart_from_noise() {
        let length = |lines: &[&str]| {
            let came: Vec<_> = lines
                .iter()
                .map(|line| Came {
                    shown: String::new(),
                    bytes: line.as_bytes().to_vec(),
                    message: Value::Null,
                    answers: None,
                    after: 0,
                    waiting: Vec::new(),
                })
                .collect();
            joined_length(&came)
        };
        assert_eq!(length(&["{", "\"a\":1", "}"]), Some(3));
        assert_eq!(length(&["{", "\"a\":1}", "{}"]), Some(2));
        assert_eq!(length(&["{", "ready"]), None);
        assert_eq!(length(&["ready", "{}"]), None);
        assert_eq!(length(&["{}"]), None);
        assert_eq!(length(&[]), None);
    }
}
