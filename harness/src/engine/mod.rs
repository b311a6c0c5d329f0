//! Replays one conversation through a spawned server and says what came of it.
//!
//! Modules in reading order: bytes and values, then the server's process and streams, then what a conversation runs in
//! and what it is held to, then the replay itself. Nothing here knows a particular server, and nothing of a server's
//! code is called: what is expected is worked out apart from it. Unix only: it stands on process groups and pipes.

pub(crate) mod json;
mod visible;

mod canonical;
mod compare;
mod fingerprint;
pub(crate) mod loose;
pub(crate) mod purity;
mod tree;

mod errors;
pub(crate) mod lines;
mod offspring;
pub(crate) mod process;
pub(crate) mod pumps;
mod watchdog;

mod expect;
pub(crate) mod ledger;
mod probe;
mod resolve;
mod schema;
pub(crate) mod stage;

mod ending;
mod replay;
mod report;
mod session;
mod steps;

use std::ffi::OsString;
use std::path::PathBuf;

pub use process::Ending;
pub use replay::{record, replay};
pub use report::{Answer, Finding, Outcome, Report, Unpinned};
pub use visible::visible;

/// A server that conversations run through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its program and its own arguments; `{{project}}` in an argument is the path of the project's copy.
    pub command: Vec<OsString>,
    /// Its version, for `{{version}}`.
    pub version: Option<String>,
    /// The folder that holds the projects which conversations name.
    pub projects: PathBuf,
    /// The folder that holds what `embebido:` names stand for.
    pub embedded_root: Option<PathBuf>,
}
