//! A conversation file: what a client sent, what the server must answer, and what must be left behind.
//!
//! Owns the syntax tree, its reader and printer, and the closed set of placeholders. The reader and the printer
//! round-trip: printing what was read gives the file back. Must not start a process or look at a project.

mod fault;
mod header;
mod loose;
mod message;
pub mod placeholder;
mod print;
mod read;
mod steps;
#[cfg(test)]
mod tests;
mod validate;
mod words;

use std::ops::Range;

pub use fault::{Fault, FaultKind, SUMMARY_LIMIT};
pub use loose::{Loose, LooseKind};
pub use message::{compact, escape, member, pretty, strings};
pub use print::{print, render, render_header};
pub use read::{read, read_bytes};
pub use words::{join as join_words, words};

/// A conversation as written, comments and layout included.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// What it shows, why it matters, and what it runs over.
    pub header: Header,
    /// What happens, in order. Never empty; exactly one is an [`Action::Exit`] or an [`Action::Signal`].
    pub steps: Vec<Step>,
    /// Blank lines and comments behind the last step, as written.
    pub trailing: String,
}

impl Conversation {
    /// The adjacent [`Action::ExpectUnordered`] steps from `first` on: one group, its order not promised.
    ///
    /// Empty where `first` is no such step.
    #[must_use]
    pub fn unordered_group(&self, first: usize) -> Range<usize> {
        let length = self.steps[first.min(self.steps.len())..]
            .iter()
            .take_while(|step| matches!(step.action, Action::ExpectUnordered(_)))
            .count();
        first..first + length
    }

    /// Whether some expected answer is not filled in yet, so that the conversation pins less than it says.
    #[must_use]
    pub fn first_unfilled(&self) -> Option<&Step> {
        self.steps
            .iter()
            .find(|step| matches!(step.action, Action::Expect(None) | Action::ExpectUnordered(None)))
    }
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
    /// Arguments after the server's own command; they may hold placeholders.
    pub args: Vec<String>,
    /// Arguments instead of the server's own ones (`Some(vec![])`: none at all): a start that must fail.
    pub arguments: Option<Vec<String>>,
    /// What a machine must have.
    pub needs: Vec<Need>,
    /// Deadline of each step in milliseconds, where the default does not do.
    pub deadline_ms: Option<u64>,
    /// Named as larger than a conversation should be.
    pub large: bool,
    /// Whether the server may set white space between the tokens of its messages as it likes.
    pub spacing_free: bool,
    /// The header as written, up to the `---` line and without it.
    pub source: String,
}

/// Something that a machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A `python3` command.
    Python3,
    /// A kernel that enforces Landlock.
    Landlock,
    /// A `git` command.
    Git,
}

impl Need {
    /// Every need, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Python3, Self::Landlock, Self::Git];

    /// Its word in a header.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Python3 => "python3",
            Self::Landlock => "landlock",
            Self::Git => "git",
        }
    }
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
    /// Blank lines and comments above the step, as written.
    pub above: String,
    /// The step as written, layout included, so that printing gives the file back.
    pub source: String,
}

/// What one step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `> JSON`: sends one message, compacted to one line, placeholders unresolved.
    Send(String),
    /// `>raw TEXT`: sends these bytes and nothing else.
    SendRaw(Vec<u8>),
    /// `>fill COUNT BYTE`: sends `count` copies of one byte.
    Fill {
        /// How many.
        count: usize,
        /// Which byte.
        byte: u8,
    },
    /// `< JSON`: expects the next message, compacted, placeholders unresolved. `None`: not filled in yet.
    Expect(Option<String>),
    /// `<~ JSON`: adjacent ones expect their messages in any order; see [`Conversation::unordered_group`]. One that a
    /// later `<~` expects may come already.
    ExpectUnordered(Option<String>),
    /// `let NAME = files PATTERN...` or `let NAME = canonical JSON`: a fingerprint the harness computes.
    Let {
        /// The placeholder's name.
        name: String,
        /// What it is taken over.
        over: Fingerprint,
    },
    /// `write PATH` and lines behind `| `: replaces a file of the project, or creates it.
    Write {
        /// Relative to the project.
        path: String,
        /// Its new content, each line with its line feed.
        content: String,
    },
    /// `remove PATH`: removes a file of the project.
    Remove(String),
    /// `touch PATH`: sets a file's modification time to now.
    Touch(String),
    /// `await TEXT`: waits for a line on stderr that holds the text.
    Await(String),
    /// `open NAME`: creates an empty file in the scratch folder outside the project.
    Open(String),
    /// `eof`: closes the server's stdin.
    Eof,
    /// `hangup`: closes the reading end of the server's stdout.
    Hangup,
    /// `kill NAME`: sends the server a signal.
    Kill(Signal),
    /// `exit N`: the server ends by itself with this code.
    Exit(i32),
    /// `signal NAME`: the server ends by this signal.
    Signal(Signal),
    /// `stderr TEXT`: stderr holds this text; without any `stderr` or `await` it must be empty.
    Stderr(String),
}

/// What a `let` is taken over.
#[derive(Clone, Debug, PartialEq)]
pub enum Fingerprint {
    /// SHA-256 over path, NUL, bytes, NUL of each file, in order of path.
    Files(Vec<String>),
    /// SHA-256 over the canonical form of a JSON value, here compacted, placeholders unresolved.
    Canonical(String),
}

/// A signal that a conversation may send or expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// `HUP`
    Hup,
    /// `INT`
    Int,
    /// `QUIT`
    Quit,
    /// `ABRT`
    Abrt,
    /// `KILL`
    Kill,
    /// `SEGV`
    Segv,
    /// `PIPE`
    Pipe,
    /// `TERM`
    Term,
}

impl Signal {
    /// Every signal that has a word.
    pub const ALL: [Self; 8] =
        [Self::Hup, Self::Int, Self::Quit, Self::Abrt, Self::Kill, Self::Segv, Self::Pipe, Self::Term];

    /// Its word in a step.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Hup => "HUP",
            Self::Int => "INT",
            Self::Quit => "QUIT",
            Self::Abrt => "ABRT",
            Self::Kill => "KILL",
            Self::Segv => "SEGV",
            Self::Pipe => "PIPE",
            Self::Term => "TERM",
        }
    }

    /// Its number, the same on every Unix for these eight.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Hup => 1,
            Self::Int => 2,
            Self::Quit => 3,
            Self::Abrt => 6,
            Self::Kill => 9,
            Self::Segv => 11,
            Self::Pipe => 13,
            Self::Term => 15,
        }
    }
}
