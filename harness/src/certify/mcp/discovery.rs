//! `server/discover`, and whether anything else must come first.

use std::io;

use serde_json::{Value, json};

use super::super::bench::Bench;
use super::super::era::{self, CLIENT_KEY, Era, SERVER_KEY};
use super::super::talk::{Closing, Reply};

/// Asks who the server is; says whether it is of the era.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<bool> {
    let mut talk = bench.bare()?;
    let reply = talk.ask("server/discover", json!({}));
    let Some(result) = reply.result().cloned() else {
        let what = format!("server/discover: {}", reply.told());
        bench.notes.broken("DISC-1", &what, reply.lines.clone());
        bench.notes.broken("VER-3", what, reply.lines);
        bench.close(talk)?;
        return Ok(false);
    };
    bench.answered(&reply);
    for rule in ["DISC-1", "VER-3"] {
        bench.notes.holds(rule, "server/discover is answered");
    }
    fields(bench, &result, &reply);
    bench.capabilities = result["capabilities"].clone();
    let server = &result["_meta"][SERVER_KEY];
    bench.identity = server["name"]
        .as_str()
        .map(|name| format!("{name} {}", server["version"].as_str().unwrap_or_default()));
    extensions(bench, &reply);

    let mut meta = era::meta();
    if let Some(meta) = meta.as_object_mut() {
        meta.remove(CLIENT_KEY);
    }
    let anonymous = talk.ask_as_is("server/discover", Some(json!({"_meta": meta})), true);
    bench.answered(&anonymous);
    let served = anonymous.result().is_some();
    let what = format!("a request without clientInfo: {}", anonymous.told());
    bench.notes.judge("META-3", served, what, || anonymous.lines.clone());

    let closing = bench.close(talk)?;
    ending(bench, closing);
    first(bench)?;
    handshake(bench)?;
    Ok(true)
}

fn fields(bench: &mut Bench<'_>, result: &Value, reply: &Reply) {
    let lines = || reply.lines.clone();
    let list = result["supportedVersions"].as_array();
    let texts = list.is_some_and(|list| list.iter().all(Value::is_string));
    let missing: Vec<_> = [
        ("resultType", result["resultType"].is_string()),
        ("supportedVersions", texts),
        ("capabilities", result["capabilities"].is_object()),
        ("ttlMs", result["ttlMs"].is_u64()),
        ("cacheScope", result["cacheScope"].is_string()),
    ]
    .into_iter()
    .filter_map(|(name, good)| (!good).then_some(name))
    .collect();
    let what = if missing.is_empty() {
        "all five members are there".to_owned()
    } else {
        format!("missing or of another kind: {}", missing.join(", "))
    };
    bench.notes.judge("DISC-2", missing.is_empty(), what, lines);
    let bare = result.get("serverInfo").is_none();
    let what = if bare { "its name stands in _meta only" } else { "serverInfo stands in the result" };
    bench.notes.judge("DISC-3", bare, what, lines);
    let own = list.is_some_and(|list| list.contains(&Value::from(Era::Modern.revision())));
    let what = format!("\"supportedVersions\":{}", result["supportedVersions"]);
    bench.notes.judge("DISC-4", own, what, lines);
}

fn extensions(bench: &mut Bench<'_>, reply: &Reply) {
    let Some(extensions) = bench.capabilities.get("extensions").cloned() else { return };
    let keys = extensions.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
    let holds = keys.as_ref().is_some_and(|keys| keys.iter().all(|key| key.contains('/')));
    bench.notes.judge("VER-13", holds, format!("extensions: {extensions}"), || reply.lines.clone());
}

/// A server ends when its input does.
fn ending(bench: &mut Bench<'_>, closing: Closing) {
    let (holds, what) = match closing {
        Closing::Ended(ending @ crate::engine::Ending::Exit(_)) => {
            (true, format!("it ended by itself: {ending}"))
        }
        Closing::Ended(ending) => (false, format!("it did not leave, it fell: {ending}")),
        Closing::RunsOn => {
            (false, format!("{} ms after the end of its input it runs on", bench.options.limit.as_millis()))
        }
    };
    if bench.is_stdio() {
        bench.notes.judge("SHUT-3", holds, what, Vec::new);
    }
}

/// A request that opens a process is served like any other.
fn first(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.bare()?;
    let (method, expects_tools) =
        if bench.has("tools") { ("tools/list", true) } else { ("server/discover", false) };
    let reply = talk.ask(method, json!({}));
    let holds = reply.result().is_some_and(|result| !expects_tools || result["tools"].is_array());
    for rule in ["STDIO-10", "VER-5"] {
        let what = format!("{method} as the first message: {}", reply.told());
        bench.notes.judge(rule, holds, what, || reply.lines.clone());
    }
    bench.close(talk)?;
    Ok(())
}

/// What a server of this era says to the handshake of the other.
fn handshake(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.bare()?;
    // From here on the conversation is of the other era, if the server has it.
    talk.era = Era::Legacy;
    let reply = talk.ask_as_is("initialize", Some(era::initialize(Era::Legacy.revision())), true);
    if let Some(result) = reply.result() {
        let holds = super::handshake::is_whole(result);
        let what = if holds { "initialize is served" } else { "the result of initialize lacks a member" };
        bench.notes.judge("VER-8", holds, what, || reply.lines.clone());
        bench.notes.absent("VER-7", "the server serves initialize");
    } else if let Some(error) = reply.error() {
        let named = error.to_string().contains(Era::Modern.revision());
        let what = if named { "its error names its version" } else { "its error names no version" };
        bench.notes.judge("VER-7", named, what, || reply.lines.clone());
        bench.notes.absent("VER-8", "the server is of this era only");
    } else {
        let what = format!("initialize: {}", reply.silence);
        bench.notes.open("VER-7", &what);
        bench.notes.open("VER-8", what);
    }
    talk.close();
    talk.fault.take().map_or(Ok(()), Err)
}
