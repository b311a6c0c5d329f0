//! Blesses one file: replays it, fills it in, replays what it wrote, and only then touches the file.

use std::fmt;
use std::fs;
use std::path::Path;

use similar::TextDiff;

use super::files::hashes;
use super::fill::{Filled, Scope, fill};
use super::generalise::Values;
use crate::conversation::{self, Conversation, print};
use crate::engine::{self, Report, Target};
use crate::suite::{SIZE_LIMIT, shown};
use crate::whole::write_whole;

/// What blessing a file came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blessed {
    /// Every answer already stands.
    Unchanged,
    /// The file was written.
    Written {
        /// Lines that were empty.
        filled: usize,
        /// Lines that stood and changed.
        changed: usize,
        /// The difference of the changed ones, empty where none changed.
        difference: String,
    },
}

/// Why a file stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The file is no conversation.
    Fixture(String),
    /// Filled in, the file would be no conversation; most often a `let` whose value never came.
    FilledIn(String),
    /// Something but an answer is wrong; the report.
    NotOnlyAnswers(String),
    /// Answers that stand differ, and only empty ones may be written; their lines.
    Standing(Vec<usize>),
    /// An answer never came; the lines that stay empty.
    Unfilled(usize),
    /// The written conversation does not pass: what the server says is not the same twice. The report of the second
    /// replay.
    NotRepeated(String),
    /// The written file would be larger than a conversation should be; its size.
    TooLarge(usize),
    /// The file changed while it was replayed.
    Changed,
    /// The system does not let it be read or written.
    Io(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixture(why) => f.write_str(why),
            Self::FilledIn(why) => write!(f, "with the answers that came, {why}"),
            Self::NotOnlyAnswers(report) => write!(f, "not only an answer is wrong: {report}"),
            Self::Standing(lines) => {
                let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
                write!(f, "answers that stand differ, in line {}; `--rebless` changes them", lines.join(", "))
            }
            Self::Unfilled(line) => write!(f, "no answer came for line {line}"),
            Self::NotRepeated(report) => write!(
                f,
                "a second replay does not say the same: {report}  hint: a fingerprint is worked out with `let`"
            ),
            Self::TooLarge(size) => {
                write!(
                    f,
                    "it would have {size} bytes, over {SIZE_LIMIT}; make it smaller, or say `large: yes`"
                )
            }
            Self::Changed => f.write_str("the file changed in the meantime"),
            Self::Io(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

/// Blesses the conversation at a path.
///
/// # Errors
/// A [`Refusal`]; the file is then as it was.
pub fn bless(path: &Path, target: &Target, scope: Scope) -> Result<Blessed, Refusal> {
    let bytes = fs::read(path).map_err(|error| Refusal::Io(error.to_string()))?;
    let mut conversation =
        conversation::read_bytes(&bytes).map_err(|fault| Refusal::Fixture(fault.to_string()))?;
    let before = print(&conversation);
    let name = shown(path).display().to_string();
    let report = engine::record(&conversation, target, &name);
    let Filled { filled, changed, differing } = take(&mut conversation, &report, target, scope)?;
    if !differing.is_empty() {
        return Err(Refusal::Standing(differing));
    }
    if let Some(step) = conversation.first_unfilled() {
        return Err(Refusal::Unfilled(step.line));
    }
    let after = print(&conversation);
    if after == before {
        return Ok(Blessed::Unchanged);
    }
    // What is kept is the file, so the file is what has to pass.
    let written = conversation::read(&after).map_err(|fault| Refusal::FilledIn(fault.to_string()))?;
    let second = engine::replay(&written, target, &name);
    if !second.passed() {
        return Err(Refusal::NotRepeated(second.to_string()));
    }
    if after.len() > SIZE_LIMIT && !written.header.large {
        return Err(Refusal::TooLarge(after.len()));
    }
    if fs::read(path).ok().as_deref() != Some(bytes.as_slice()) {
        return Err(Refusal::Changed);
    }
    write_whole(path, after.as_bytes()).map_err(|error| Refusal::Io(error.to_string()))?;
    let difference = if changed.is_empty() { String::new() } else { difference(&before, &after) };
    Ok(Blessed::Written { filled: filled.len(), changed: changed.len(), difference })
}

fn take(
    conversation: &mut Conversation,
    report: &Report,
    target: &Target,
    scope: Scope,
) -> Result<Filled, Refusal> {
    if !report.passed() && !report.only_content_differs() {
        return Err(Refusal::NotOnlyAnswers(report.to_string()));
    }
    let project = conversation.header.project.as_ref().map(|project| target.projects.join(project));
    let values = Values {
        project: report.project.clone(),
        scratch: report.scratch.clone(),
        version: target.version.clone(),
        names: report.names.iter().cloned().collect(),
        files: hashes(project.as_deref(), target.embedded_root.as_deref())
            .map_err(|error| Refusal::Io(error.to_string()))?,
    };
    Ok(fill(conversation, &report.answers, &values, scope))
}

fn difference(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(2).to_string()
}
