//! `initialize` and `ping`.

use std::io;

use serde_json::{Value, json};

use super::super::bench::Bench;
use super::super::era::{self, Era};
use super::super::talk::Reply;

/// A version that no server speaks.
const NO_VERSION: &str = "1999-01-01";

/// Shakes hands; says whether the server is of the era.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<bool> {
    let asked = Era::Legacy.revision();
    let mut talk = bench.bare()?;
    let reply = talk.ask_as_is("initialize", Some(era::initialize(asked)), true);
    let Some(result) = reply.result().cloned() else {
        let what = format!("initialize for {asked}: {}", reply.told());
        bench.notes.broken("VER-12", &what, reply.lines.clone());
        bench.notes.broken(bench.answering(), what, reply.lines);
        bench.close(talk)?;
        return Ok(false);
    };
    bench.answered(&reply);
    let whole = is_whole(&result);
    let what = if whole { "all three members are there" } else { "a member is missing or of another kind" };
    bench.notes.judge("LIFE-2", whole, what, || reply.lines.clone());
    let version = result["protocolVersion"].as_str().unwrap_or("?").to_owned();
    if version != asked {
        let what = format!("asked for {asked}, the server offers {version}");
        bench.notes.broken("VER-12", what, reply.lines);
        bench.close(talk)?;
        return Ok(false);
    }
    bench.notes.holds("VER-12", format!("asked for {asked}, it answers {version}"));
    bench.capabilities = result["capabilities"].clone();
    let server = &result["serverInfo"];
    bench.identity = server["name"]
        .as_str()
        .map(|name| format!("{name} {}", server["version"].as_str().unwrap_or_default()));

    talk.tell("notifications/initialized", None);
    ping(bench, &talk.ask("ping", json!({})), "after the handshake");
    let second = talk.ask_as_is("initialize", Some(era::initialize(asked)), false);
    let what = format!("a second initialize: {}", second.told());
    bench.notes.judge("LIFE-7", second.message.is_some(), what, || second.lines.clone());
    bench.close(talk)?;

    if bench.is_stdio() {
        before(bench)?;
    } else {
        bench
            .notes
            .absent("LIFE-4", "over HTTP a session may begin with initialize, and nothing goes before it");
    }
    counter_offer(bench)?;
    Ok(true)
}

/// Whether a result of `initialize` has all that it must have.
pub fn is_whole(result: &Value) -> bool {
    result["protocolVersion"].is_string()
        && result["capabilities"].is_object()
        && result["serverInfo"]["name"].is_string()
        && result["serverInfo"]["version"].is_string()
}

fn ping(bench: &mut Bench<'_>, reply: &Reply, when: &str) {
    if !bench.answered(reply) {
        bench.notes.open("PING-1", format!("{when}: {}", reply.silence));
        return;
    }
    let members =
        reply.result().and_then(Value::as_object).map(|result| result.keys().any(|key| key != "_meta"));
    let what = format!("{when}: {}", reply.told());
    bench.notes.judge("PING-1", members == Some(false), what, || reply.lines.clone());
}

/// What comes before the handshake.
fn before(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.bare()?;
    let reply = talk.ask("ping", json!({}));
    ping(bench, &reply, "before initialize");
    let early = talk.ask_as_is("tools/list", Some(json!({})), false);
    let what = format!("tools/list before initialize: {}", early.told());
    bench.notes.judge("LIFE-4", early.message.is_some(), what, || early.lines.clone());
    bench.close(talk)?;
    Ok(())
}

/// A version that the server does not speak.
fn counter_offer(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.bare()?;
    let reply = talk.ask_as_is("initialize", Some(era::initialize(NO_VERSION)), true);
    if bench.answered(&reply) {
        let offered = reply.result().and_then(|result| result["protocolVersion"].as_str());
        // An example on the page of the rule refuses instead; who does so is not wrong.
        let refused = reply.code() == Some(-32602);
        let holds = refused || offered.is_some_and(|offered| offered != NO_VERSION);
        let what = match offered {
            Some(offered) => format!("asked for {NO_VERSION}, it offers {offered}"),
            None => format!("asked for {NO_VERSION}: {}", reply.told()),
        };
        bench.notes.judge("VER-12", holds, what, || reply.lines.clone());
    }
    bench.close(talk)?;
    Ok(())
}
