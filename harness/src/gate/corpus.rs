//! The conversations of the folder, as the gate counts and shows them.
//!
//! Owns nothing but the projection: which files are conversations, and what they are called, is the suite's word.

use std::fs;
use std::path::Path;

use crate::suite;

/// The folder of the conversations, relative to the workspace.
pub const FOLDER: &str = "conversaciones";

/// One conversation as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The name of its test.
    pub name: String,
    /// Its file, relative to the workspace.
    pub path: String,
    /// The statements that it pins.
    pub covers: Vec<String>,
    /// The file as it stands.
    pub source: String,
}

/// Every conversation of a workspace, by name.
///
/// # Errors
/// A folder that is no suite, or a file that is no conversation.
pub fn recorded(workspace: &Path) -> Result<Vec<Recorded>, String> {
    let folder = workspace.join(FOLDER);
    let entries = suite::discover(&folder).map_err(|fault| fault.to_string())?;
    let recorded = entries.into_iter().map(|entry| {
        let fail = |why: String| format!("{}: {why}", entry.path.display());
        let conversation = entry.conversation.map_err(|fault| fail(fault.to_string()))?;
        Ok(Recorded {
            path: format!("{FOLDER}/{}.conv", entry.name),
            name: entry.name,
            covers: conversation.header.covers,
            source: fs::read_to_string(&entry.path).map_err(|error| fail(error.to_string()))?,
        })
    });
    recorded.collect()
}
