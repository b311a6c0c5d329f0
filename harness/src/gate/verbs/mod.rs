//! What the command line asks of the gate: `mutantes`, `gate check` and `gate report`.
//!
//! Owns where things are read from and written to, and the words for people. Judges nothing.
//!
//! Exit codes: 0 green; 1 red, a mutant lives or the round is objected to; 3 nothing was shown, because the
//! run itself could not be had (no green baseline, a stale entry, a mutant that does not compile, an unreadable file).
//! 2 is left to the command line's own faults.

mod check;
mod contract;
mod report;

use std::io::Write;

pub use check::{CheckArgs, check};
pub use contract::{ContractArgs, contract};
pub use report::{ReportArgs, report};

/// How a verb ends; its number is the program's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing lives, nothing is objected to.
    Green = 0,
    /// A mutant lives, or the round is not believed.
    Red = 1,
    /// Nothing was shown.
    Void = 3,
}

/// Where a verb writes.
pub struct Streams<'a> {
    /// The result.
    pub out: &'a mut dyn Write,
    /// Progress and faults.
    pub err: &'a mut dyn Write,
    /// Whether progress may overwrite itself.
    pub terminal: bool,
}

impl Streams<'_> {
    /// Ends a verb that could not show anything.
    fn void(&mut self, why: &str) -> Exit {
        // Nobody reads a closed stream; the exit code still says it.
        let _ = writeln!(self.err, "gate: {why}");
        Exit::Void
    }
}
