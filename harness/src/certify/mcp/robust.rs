//! What only a client that breaks its own duty can send; told, and never held against a server.

use std::io;

use serde_json::json;

use super::super::bench::Bench;
use super::super::talk::Talk;

/// Sends what is no message, one process each.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    raw(bench, "ERR-1", "a line that ends inside a value", b"{\"jsonrpc\":\"2.0\",\"id\":", &[-32700])?;
    raw(bench, "ERR-2", "a number", b"42", &[-32600, -32700])?;
    let fence = bench.era.request(&json!("in-a-batch"), bench.era.fence(), json!({}));
    let batch = json!([fence]).to_string();
    raw(bench, "RPC-11", "a batch of one", batch.as_bytes(), &[-32600, -32700])?;
    let null = bench.era.request(&json!(null), bench.era.fence(), json!({})).to_string();
    raw(bench, "RPC-2", "a request whose id is null", null.as_bytes(), &[-32600, -32602])?;
    let list =
        json!({"jsonrpc": "2.0", "id": "positional", "method": bench.era.fence(), "params": []}).to_string();
    raw(bench, "RPC-12", "positional params", list.as_bytes(), &[-32600, -32602, -32601])
}

/// Sends bytes and sees whether an error comes and the server goes on.
fn raw(bench: &mut Bench<'_>, rule: &'static str, what: &str, bytes: &[u8], codes: &[i64]) -> io::Result<()> {
    let mut talk = bench.open()?;
    let before = talk.came.len();
    talk.send_raw(bytes);
    let alive = bench.fence(&mut talk);
    let told = error_among(&talk, before, codes);
    let what = match (&told, alive.message.is_some()) {
        (_, false) => format!("{what}: then {}", alive.silence),
        (Some(error), true) => format!("{what}: {error}"),
        (None, true) => format!("{what}: no error, and the server goes on"),
    };
    let lines = talk.lines_since(before);
    bench.notes.judge(rule, told.is_some() && alive.message.is_some(), what, || lines);
    bench.close(talk)?;
    Ok(())
}

/// The error with one of the codes that came since, in words.
fn error_among(talk: &Talk, before: usize, codes: &[i64]) -> Option<String> {
    talk.came[before..].iter().find_map(|came| {
        let message = &came.message;
        let code = message["error"]["code"].as_i64().filter(|code| codes.contains(code))?;
        let id = match message.get("id") {
            Some(serde_json::Value::Null) => " with the id null, which the schema of the protocol refuses",
            _ => "",
        };
        Some(format!("the error {code}{id}"))
    })
}
