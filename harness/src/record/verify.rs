//! Replays what was recorded against a fresh server and says whether it may be called finished.

use super::variations::{Variation, loosen, variations};
use crate::bless::{Values, hashes};
use crate::conversation::{Conversation, Fault, print, read};
use crate::engine::{self, Report, Target, Unpinned};

/// How often a conversation is replayed to find out what varies: a value that is kept shows more behind it.
const ROUNDS: usize = 4;

/// What a fresh server made of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It said the same.
    Same(Unpinned),
    /// Nothing differed but values of answers.
    Varies(Vec<Variation>),
    /// Something else was not the same; the report.
    Differs(String),
}

/// Replays a conversation once.
pub fn verify(conversation: &Conversation, target: &Target, name: &str) -> Verdict {
    let report = engine::record(conversation, target, name);
    if report.passed() {
        return Verdict::Same(report.unpinned);
    }
    let varies = variations(conversation, &report, &values(conversation, &report, target));
    if report.only_content_differs() && !varies.is_empty() {
        Verdict::Varies(varies)
    } else {
        Verdict::Differs(report.to_string())
    }
}

/// Replays a conversation and puts typed placeholders where values vary, until it says the same or no more can be done.
///
/// # Errors
/// What was put in does not make a conversation, which is a fault of this program.
pub fn settle(
    mut conversation: Conversation,
    target: &Target,
    name: &str,
) -> Result<(Conversation, Verdict), Fault> {
    let mut verdict = verify(&conversation, target, name);
    for _ in 1..ROUNDS {
        let Verdict::Varies(varies) = &verdict else { break };
        if loosen(&mut conversation, varies) == 0 {
            break;
        }
        conversation = read(&print(&conversation))?;
        verdict = verify(&conversation, target, name);
    }
    Ok((conversation, verdict))
}

/// What the harness knows of a replay.
fn values(conversation: &Conversation, report: &Report, target: &Target) -> Values {
    let project = conversation.header.project.as_ref().map(|project| target.projects.join(project));
    Values {
        project: report.project.clone(),
        scratch: report.scratch.clone(),
        version: target.version.clone(),
        names: report.names.iter().cloned().collect(),
        // What cannot be read has no name, and shows as a difference.
        files: hashes(project.as_deref(), target.embedded_root.as_deref()).unwrap_or_default(),
    }
}
