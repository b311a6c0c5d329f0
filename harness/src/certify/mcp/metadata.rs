//! Versions and capabilities of each request, and whether one request leaks into the next.

use std::io;

use serde_json::{Value, json};

use super::super::bench::Bench;
use super::super::era::{self, CAPABILITIES_KEY, Era, VERSION_KEY};
use super::super::talk::{Reply, Talk};

/// A version that no server speaks.
const NO_VERSION: &str = "2099-01-01";

/// Asks with metadata that are not right.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    unsupported(bench)?;
    opening(bench)?;
    leaks(bench)
}

fn method(bench: &Bench<'_>) -> &'static str {
    if bench.has("tools") { "tools/list" } else { "server/discover" }
}

fn version(talk: &mut Talk, method: &str, version: &Value) -> Reply {
    let meta = json!({VERSION_KEY: version, CAPABILITIES_KEY: {}});
    talk.ask_as_is(method, Some(json!({"_meta": meta})), true)
}

/// A version that is not served, as the first thing a process hears.
fn unsupported(bench: &mut Bench<'_>) -> io::Result<()> {
    let mut talk = bench.bare()?;
    let reply = version(&mut talk, "server/discover", &json!(NO_VERSION));
    let what = format!("server/discover in {NO_VERSION}");
    bench.expect_code("DISC-5", &what, &reply, &[-32022]);
    bench.expect_code("VER-1", &what, &reply, &[-32022]);
    let method = method(bench);
    // Over HTTP the version of the older revision is also that revision's own header, and a server may serve it so.
    let older = bench.is_stdio().then_some(Era::Legacy.revision());
    for unserved in [Some(NO_VERSION), older].into_iter().flatten() {
        let reply = version(&mut talk, method, &json!(unserved));
        bench.expect_code("VER-1", &format!("{method} in {unserved}"), &reply, &[-32022]);
    }
    bench.close(talk)?;
    Ok(())
}

/// Metadata without a required key, as the first thing a process hears.
fn opening(bench: &mut Bench<'_>) -> io::Result<()> {
    let method = method(bench);
    let mut talk = bench.bare()?;
    let half = json!({"_meta": {VERSION_KEY: Era::Modern.revision()}});
    let reply = talk.ask_as_is(method, Some(half), true);
    bench.expect_code("META-2", &format!("{method} without clientCapabilities"), &reply, &[-32602]);
    // Over HTTP no header says the same as a number, and it is the difference that is answered.
    if bench.is_stdio() {
        let reply = version(&mut talk, method, &json!(7));
        bench.expect_code("META-2", &format!("{method} with a number for a version"), &reply, &[-32602]);
    }
    bench.close(talk)?;

    // Without any metadata a server of both eras may take it for a request of the other one.
    let mut talk = bench.bare()?;
    let reply = talk.ask_as_is("server/discover", None, true);
    bench.expect_code("META-2", "server/discover without _meta", &reply, &[-32602, -32601]);
    bench.close(talk)?;
    Ok(())
}

/// What one request says is not taken for what the next one leaves out.
fn leaks(bench: &mut Bench<'_>) -> io::Result<()> {
    let method = method(bench);
    let mut talk = bench.open()?;
    let whole = talk.ask(method, json!({}));
    bench.answered(&whole);
    let reply = version(&mut talk, method, &json!(NO_VERSION));
    bench.expect_code("VER-1", &format!("{method} in {NO_VERSION} after a whole request"), &reply, &[-32022]);
    let half = json!({"_meta": {VERSION_KEY: Era::Modern.revision()}});
    let reply = talk.ask_as_is(method, Some(half), true);
    let what = format!("{method} without clientCapabilities after a whole request");
    bench.expect_code("META-5", &what, &reply, &[-32602]);
    let reply = talk.ask_as_is(method, Some(json!({"_meta": {"progressToken": "certify"}})), true);
    let inferred = reply.result().is_some_and(|result| result.get("resultType").is_some());
    let what = format!("{method} without version and capabilities after a whole request: {}", reply.told());
    bench.notes.judge("META-5", !inferred, what, || reply.lines.clone());
    let again = talk.ask_as_is(method, Some(era::with_meta(json!({}), era::meta())), true);
    bench.answered(&again);
    let served = again.result().is_some();
    let what = format!("a whole request after refused ones: {}", again.told());
    bench.notes.judge("VER-5", served, what, || again.lines.clone());
    bench.close(talk)?;
    Ok(())
}
