//! Which rules of a published contract does a server keep?
//!
//! Modules in reading order: rules and what is noted about them; the line to a server and a conversation over it; rules
//! that every message, definition and result is held to; the probes of each profile; the certificate, the baseline that
//! it is held to, and its reports. A probe sends only what a client may send, unless its rule says REPORT. No tool is
//! called that its author has not named or called read-only.

mod rule;
mod table;

mod notes;

mod era;
mod http;
mod line;
mod talk;

mod definitions;
mod envelope;
mod outcomes;
mod results;

mod arguments;
mod bench;

mod asixto;
mod mcp;

mod baseline;
mod certificate;
pub mod report;

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use serde_json::Value;

pub use asixto::{Expects, Named, Parameters};
pub use baseline::{Accepted, Baseline, BaselineFault};
pub use certificate::{Certificate, Counts, Judged};
pub use rule::{Level, Rule, Sight, Verdict};

use bench::Bench;
use era::Era;

/// A published contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The Model Context Protocol, revision 2026-07-28.
    Modern,
    /// The Model Context Protocol, revision 2025-11-25.
    Legacy,
    /// A gateway's contract of tools, *02 · Contrato de herramientas*, over the newer revision.
    Asixto,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Modern, Self::Legacy, Self::Asixto];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Modern => "mcp-2026-07-28",
            Self::Legacy => "mcp-2025-11-25",
            Self::Asixto => "asixto",
        }
    }

    /// The profile of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Its rules, in the order of a report.
    #[must_use]
    pub fn rules(self) -> Vec<Rule> {
        match self {
            Self::Modern => mcp::rules(Era::Modern),
            Self::Legacy => mcp::rules(Era::Legacy),
            Self::Asixto => asixto::rules(),
        }
    }
}

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A command that serves over its standard streams.
    Command(Vec<OsString>),
    /// The URL of an endpoint of Streamable HTTP: `https`, or `http` on this machine.
    Url(String),
}

impl Subject {
    /// The server as a report names it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
                words.join(" ")
            }
            Self::Url(url) => url.clone(),
        }
    }
}

/// What a run is told besides the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How long an answer may take.
    pub limit: Duration,
    /// How long to wait for what should not come.
    pub grace: Duration,
    /// Calls that may be made: tool and arguments.
    pub calls: Vec<(String, Value)>,
    /// A call that takes its time, for what happens while it runs.
    pub slow: Option<(String, Value)>,
    /// Whether tools that call themselves read-only may be called without being named.
    pub read_only: bool,
    /// What a profile cannot know by itself.
    pub parameters: Option<Parameters>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limit: Duration::from_secs(10),
            grace: Duration::from_millis(200),
            calls: Vec::new(),
            slow: None,
            read_only: true,
            parameters: None,
        }
    }
}

/// Runs the probes of a profile over a server.
///
/// # Errors
/// The server cannot be started or reached, or the machine fails in between; nothing was shown then.
pub fn certify(profile: Profile, subject: &Subject, options: &Options) -> io::Result<Certificate> {
    let era = match profile {
        Profile::Modern | Profile::Asixto => Era::Modern,
        Profile::Legacy => Era::Legacy,
    };
    let mut bench = Bench::new(subject, options, era);
    reach(&bench)?;
    match profile {
        Profile::Modern | Profile::Legacy => mcp::probe(&mut bench)?,
        Profile::Asixto => asixto::probe(&mut bench)?,
    }
    Ok(Certificate::new(profile, subject, &bench.notes, bench.identity))
}

/// Sees that an endpoint is there at all: what is not reached has broken no rule.
fn reach(bench: &Bench<'_>) -> io::Result<()> {
    if bench.is_stdio() {
        return Ok(());
    }
    bench.endpoint()?.exchange("POST", &[], Some(b"")).map(|_| ())
}
