//! A conversation from its first step to its report.
//!
//! Owns the way from a finding to a report. A panic in here is a fault of the harness and is reported as one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Target;
use super::report::{Finding, Outcome, Report};
use super::session::{Mode, Session};
use crate::conversation::Conversation;

/// Replays a conversation through the target and holds it to every byte.
///
/// It stops at the first thing that is not as it should be; `name` is what the report calls the conversation. A
/// conversation with an answer that is not filled in is a bad fixture. What its header needs is not looked at.
#[must_use]
pub fn replay(conversation: &Conversation, target: &Target, name: &str) -> Report {
    if let Some(step) = conversation.first_unfilled() {
        return Report::bad_fixture(name, Some(step.line), "the answer is not filled in yet");
    }
    run(conversation, target, name, Mode::Replay)
}

/// Replays a conversation and writes down what the target answers, also where the file says nothing or something else.
///
/// The outcome is [`Outcome::Passed`] where everything that the file says holds, and [`Outcome::Mismatch`] with
/// [`Report::only_content_differs`] where nothing but the content of answers is different. On any other outcome nothing
/// of it should be kept.
#[must_use]
pub fn record(conversation: &Conversation, target: &Target, name: &str) -> Report {
    run(conversation, target, name, Mode::Record)
}

fn run(conversation: &Conversation, target: &Target, name: &str, mode: Mode) -> Report {
    guarded(name, || match Session::start(conversation, target, mode) {
        Ok(mut session) => {
            let finding = session.play().err().or_else(|| session.differs.take());
            told(name, session, finding)
        }
        Err(finding) => Report::unrun(name, finding),
    })
}

/// A report in any case: what panics on the way to it ends its server and is told as the harness's own fault.
fn guarded(name: &str, run: impl FnOnce() -> Report) -> Report {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let headline = "the harness panicked; its message is on stderr";
        Report::unrun(name, Finding::new(Outcome::HarnessError, headline))
    })
}

fn told(name: &str, mut session: Session<'_>, finding: Option<Finding>) -> Report {
    // What was written before the finding may still be on its way.
    let _ = session.catch_up();
    let line = finding.as_ref().and_then(|finding| finding.line);
    let step = session.conversation.steps.iter().find(|step| Some(step.line) == line);
    let comment = step.map(|step| step.comment.clone()).unwrap_or_default();
    let text = |path: &std::path::Path| path.to_str().map(str::to_owned);
    Report {
        name: name.to_owned(),
        outcome: finding.as_ref().map_or(Outcome::Passed, |finding| finding.outcome),
        comment,
        stderr: session.pumps.errors().shown(),
        ending: session.ending().ok().flatten(),
        project: text(&session.stage.project),
        scratch: text(&session.stage.scratch),
        names: session.names.clone().into_iter().collect(),
        answers: std::mem::take(&mut session.answers),
        unpinned: session.unpinned,
        finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_of_the_harness() {
        let report = guarded("x", || panic!("this panic is part of the test"));
        assert_eq!((report.name.as_str(), report.outcome), ("x", Outcome::HarnessError));
        assert_eq!(guarded("x", || Report::not_applicable("y", "z")).name, "y");
    }
}
