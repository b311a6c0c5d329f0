//! What the gate asks of the engine: replay a corpus over a server, and say how each conversation ended.
//!
//! Owns the seam between both, so that the runner of mutants can be held with a fixture of its own.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::suite::Built;

/// How one conversation ended, as far as a mutant is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The server did what the conversation says.
    Passed,
    /// The server did not; the word for how (`mismatch`, `timeout`, …).
    Failed(String),
    /// Nothing can be said about the server: it could not be started, the file or the harness is at fault.
    Void(String),
    /// It was not run, and the reason.
    NotRun(String),
}

/// One conversation over one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The conversation's name.
    pub conversation: String,
    /// How it ended.
    pub verdict: Verdict,
}

/// Which conversations are replayed.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// Every one.
    All,
    /// Every one, these before all others.
    First(&'a [String]),
    /// These and no others.
    Only(&'a [String]),
}

/// Something that replays a corpus.
pub trait Replay: Sync {
    /// Replays conversations of `workspace` over a server. It may give up on a server that hangs.
    ///
    /// # Errors
    /// A corpus that cannot be read.
    fn replay(&self, workspace: &Path, server: &Built, which: Which<'_>) -> Result<Vec<Replayed>, String>;
}

/// A conversation that noticed a mutant, and how.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kill {
    /// The conversation's name.
    pub conversation: String,
    /// The word for how it failed.
    pub outcome: String,
}
