//! A conversation file: what a client sent, what the server must answer, and what must be left behind.
//!
//! Owns the syntax tree. The reader and the printer round-trip: printing what was read gives the file back.

/// A conversation as written, comments and layout included.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// What it shows, why it matters, and what it runs over.
    pub header: Header,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// Everything before the `---` line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Comment lines, without `#` and one space; the first says what the conversation shows.
    pub comment: Vec<String>,
    /// Ids of `requisitos.toml` that it covers.
    pub covers: Vec<String>,
    /// Folder under `proyectos/` that it runs over a copy of.
    pub project: Option<String>,
    /// Arguments after the server's own command.
    pub args: Vec<String>,
    /// Arguments instead of the server's own ones: a start that must fail.
    pub arguments: Option<Vec<String>>,
    /// What a machine must have.
    pub needs: Vec<String>,
    /// Deadline of each step in milliseconds, where the default does not do.
    pub deadline_ms: Option<u64>,
    /// Named as larger than a conversation should be.
    pub large: bool,
}

/// One step and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Comment lines right above it, without `#` and one space.
    pub comment: Vec<String>,
    /// Line of the step in its file, from 1.
    pub line: usize,
    /// What happens.
    pub action: Action,
    /// The step as written, layout included, so that printing gives the file back.
    pub source: String,
}

/// What one step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `>`: sends one message, compacted to one line.
    Send(String),
    /// `>raw`: sends these bytes and nothing else.
    SendRaw(Vec<u8>),
    /// `>fill N B`: sends `count` copies of one byte.
    Fill {
        /// How many.
        count: usize,
        /// Which byte.
        byte: u8,
    },
    /// `<`: expects the next message, compacted, placeholders unresolved. `None`: not filled in yet.
    Expect(Option<String>),
    /// Adjacent `<~`: expects these messages in any order.
    ExpectUnordered(Vec<Option<String>>),
    /// `let NAME = files PATTERN...` or `let NAME = canonical JSON`: a fingerprint the harness computes.
    Let {
        /// The placeholder's name.
        name: String,
        /// What it is taken over.
        over: Fingerprint,
    },
    /// `write PATH` and lines behind `| `: replaces a file of the project.
    Write {
        /// Relative to the project.
        path: String,
        /// Its new content.
        content: String,
    },
    /// `remove PATH`: removes a file of the project.
    Remove(String),
    /// `touch PATH`: sets a file's modification time to now.
    Touch(String),
    /// `await TEXT`: waits for a line on stderr that holds the text.
    Await(String),
    /// `open NAME`: creates a file in the scratch folder outside the project.
    Open(String),
    /// `eof`: closes the server's stdin.
    Eof,
    /// `hangup`: closes the reading end of the server's stdout.
    Hangup,
    /// `kill NAME`: sends the server a signal.
    Kill(String),
    /// `exit N`: the server ends by itself with this code.
    Exit(i32),
    /// `signal NAME`: the server ends by this signal.
    Signal(String),
    /// `stderr TEXT`: stderr holds this text; without any such step it must be empty.
    Stderr(String),
}

/// What a `let` is taken over.
#[derive(Clone, Debug, PartialEq)]
pub enum Fingerprint {
    /// SHA-256 over path, NUL, bytes, NUL of each file, in order of path.
    Files(Vec<String>),
    /// SHA-256 over the canonical form of a JSON value.
    Canonical(String),
}
