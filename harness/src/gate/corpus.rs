//! The conversations of the folder, as the gate counts and shows them.
//!
//! Owns nothing but the projection: which files are conversations, and what they are called, is the suite's word.

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
