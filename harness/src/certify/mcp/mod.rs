//! The probes of both revisions of the protocol, in the order they run.
//!
//! Each conversation has a process of its own: what one probe does to a server is not told of another. Owns the order.

mod calls;
mod cancelling;
mod catalogue;
mod discovery;
mod handshake;
mod http;
mod listening;
mod metadata;
mod methods;
mod robust;
mod table;

use std::io;

pub use table::rules;

use super::bench::Bench;
use super::era::Era;
use super::notes::Notes;

/// Runs every probe of the bench's era.
///
/// A server that is not of the era is asked nothing further: what was not looked at stays inconclusive.
///
/// # Errors
/// The server cannot be started or reached, or the machine fails.
pub fn probe(bench: &mut Bench<'_>) -> io::Result<()> {
    let is_of_the_era = match bench.era {
        Era::Modern => discovery::probe(bench)?,
        Era::Legacy => handshake::probe(bench)?,
    };
    if !is_of_the_era {
        return Ok(());
    }
    catalogue::probe(bench)?;
    methods::probe(bench)?;
    calls::probe(bench)?;
    if bench.era == Era::Modern {
        metadata::probe(bench)?;
    }
    if bench.is_stdio() {
        methods::interleaved(bench)?;
        cancelling::probe(bench)?;
        if bench.era == Era::Modern {
            listening::probe(bench)?;
        }
        robust::probe(bench)?;
    } else {
        let endpoint = bench.endpoint()?;
        http::probe(bench, &endpoint)?;
    }
    settle(&mut bench.notes, bench.era);
    Ok(())
}

/// What holds because nothing against it came in a whole run.
const UNSEEN_SO_HELD: [(&str, &str); 7] = [
    ("RPC-13", "no request of the server came"),
    ("STDIO-8", "no request of the server came"),
    ("STDIO-7", "nothing came but what belongs to a request"),
    ("LOG-1", "no log message came"),
    ("CANC-6", "the server cancelled nothing"),
    ("RPC-10", "no notification was answered"),
    ("RPC-14", "no request of the server came"),
];

/// What does not bind a server that never did it.
const UNSEEN_SO_FREE: [(&str, &str); 7] = [
    ("PROG-3", "the server tells no progress"),
    ("ERR-13", "no request needed a capability of the client"),
    ("MRTR-1", "no result asked for more"),
    ("SUBS-4", "no notification of a subscription came"),
    ("CACHE-4", "no list has a second page"),
    ("VER-13", "no extension is advertised"),
    ("EXT-1", "tasks are advertised"),
];

fn settle(notes: &mut Notes, era: Era) {
    for (rule, what) in UNSEEN_SO_HELD {
        if notes.verdict(rule).is_none() {
            notes.holds(rule, what);
        }
    }
    for (rule, what) in UNSEEN_SO_FREE {
        if notes.verdict(rule).is_none() {
            notes.absent(rule, what);
        }
    }
    for rule in ["ERR-6", "ERR-7", "ERR-8", "ERR-9", "ERR-11", "ERR-12", "RPC-8", "RPC-9"] {
        if era == Era::Modern && notes.verdict(rule).is_none() {
            notes.open(rule, "no error came");
        }
    }
}
