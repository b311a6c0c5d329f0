//! A request that is cancelled while it runs.
//!
//! Only a call that takes its time shows anything: an answer that was on its way already is nobody's fault.

use std::io;

use super::super::bench::{Bench, Call};
use super::super::era::Era;

/// Cancels the slow call, where one is named.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    if !bench.has("tools") {
        bench.notes.absent("CANC-2", "the server has no tools");
        return Ok(());
    }
    let Some(call) = bench.slow() else {
        bench.notes.open("CANC-2", "no call that takes its time: name one with --slow");
        return Ok(());
    };
    // Run once to its end: a tool that never answers would look as if it had been cancelled.
    let mut talk = bench.open()?;
    let id = talk.begin("tools/call", call.params());
    let alive = bench.fence(&mut talk);
    if alive.message.is_none() {
        bench.notes.open("CANC-2", "while the slow call runs nothing else is answered");
        bench.close(talk)?;
        return Ok(());
    }
    if bench.era == Era::Legacy {
        let what = format!("while a tool runs: {}", alive.told());
        bench.notes.judge("PING-1", alive.result().is_some(), what, || alive.lines.clone());
    }
    let early = talk.answer(&id).is_some();
    bench.fence(&mut talk);
    let whole = talk.wait(&id);
    bench.close(talk)?;
    if early || whole.message.is_none() {
        let why = if early { "is answered before it can be cancelled" } else { "is never answered" };
        bench.notes.open("CANC-2", format!("the slow call {why}"));
        return Ok(());
    }
    cancelled(bench, &call, whole.took)
}

fn cancelled(bench: &mut Bench<'_>, call: &Call, takes: std::time::Duration) -> io::Result<()> {
    let mut talk = bench.open()?;
    let id = talk.begin("tools/call", call.params());
    bench.fence(&mut talk);
    if talk.answer(&id).is_some() {
        bench.notes.open("CANC-2", "the slow call is answered before it can be cancelled");
        bench.close(talk)?;
        return Ok(());
    }
    let before = talk.came.len();
    talk.cancel(&id);
    let alive = bench.fence(&mut talk);
    talk.watch(takes + bench.grace());
    let answered = talk.answer(&id).is_some();
    let lines = talk.lines_since(before);
    let what = match (answered, alive.message.is_some()) {
        (true, _) => "the cancelled call is answered",
        (false, true) => "silence about the cancelled call, and the server goes on",
        (false, false) => "nothing is answered after a cancellation",
    };
    bench.notes.judge("CANC-2", !answered && alive.message.is_some(), what, || lines);
    bench.close(talk)?;
    Ok(())
}
