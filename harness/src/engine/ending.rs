//! The end of a conversation: how the server ends, what it leaves behind, and that nothing more was said.
//!
//! Owns the order of these checks. Everything the server printed must have been expected by now.

use std::time::{Duration, Instant};

use super::offspring::Left;
use super::process::Ending;
use super::report::{Finding, Outcome};
use super::session::{Session, mine, unresolved};
use super::tree::{Look, Snapshot};
use crate::conversation::Action;

impl Session<'_> {
    /// The server ends in the way that the step names, with all its streams, and leaves nothing behind.
    ///
    /// # Errors
    /// A message or a line that was not expected; no end in time; another end; a process that stays.
    pub fn end(&mut self, expected: Ending) -> Result<(), Finding> {
        self.ended_as_said = true;
        let over = self.wait(|session| {
            let pumps = &session.pumps;
            let over = pumps.server_ended() && pumps.stdout_ended() && pumps.stderr_ended();
            (over || !session.inbox.is_empty()).then_some(())
        })?;
        if let Some(arrival) = self.inbox.front() {
            return Err(self.unexpected(arrival));
        }
        let Some(ending) = self.ending()? else { return Err(self.does_not_end()) };
        judge(expected, ending)?;
        let left = self.left_behind()?;
        if !left.is_empty() {
            return Err(Finding::new(Outcome::Mismatch, "the server left processes behind")
                .with_details(left.iter().map(|left| format!("still running: {left}"))));
        }
        match over {
            Some(()) => Ok(()),
            None => Err(Finding::new(
                Outcome::Mismatch,
                "the server ended, and something still holds its streams open",
            )),
        }
    }

    /// What is left once the conversation has no more steps.
    ///
    /// # Errors
    /// Whatever was not as it should be.
    pub fn finish(&mut self) -> Result<(), Finding> {
        if !self.ended_as_said {
            self.pumps.close_stdin();
            self.end(Ending::Exit(0))?;
        }
        self.check_errors()?;
        self.check_tree(Look::Bytes)?;
        if let Some(original) = &self.stage.original {
            let now =
                Snapshot::take(original, Look::Metadata).map_err(|error| mine("the project", &error))?;
            let changes = self.original.changes_to(&now);
            if !changes.is_empty() {
                let headline = "the project that was copied is not as it was";
                return Err(Finding::new(Outcome::TreeChanged, headline)
                    .with_details(changes.iter().map(ToString::to_string)));
            }
        }
        Ok(())
    }

    fn does_not_end(&self) -> Finding {
        let headline = format!("the server did not end within {} ms", self.limit.as_millis());
        Finding::new(Outcome::Timeout, headline)
    }

    /// What still runs of the server's once those that are about to end had the step's time to do so.
    fn left_behind(&self) -> Result<Vec<Left>, Finding> {
        let deadline = Instant::now() + self.limit;
        loop {
            let left = self.server.left();
            if left.is_empty() || Instant::now() >= deadline {
                return Ok(left);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// stderr holds each text that a step names; where none does, it is empty.
    fn check_errors(&mut self) -> Result<(), Finding> {
        let mut texts = Vec::new();
        for step in &self.conversation.steps {
            if let Action::Stderr(text) = &step.action {
                texts.push((step.line, self.values().plain(text).map_err(unresolved)?));
            }
        }
        let silent = texts.is_empty() && self.awaited.is_empty();
        let errors = self.pumps.errors();
        for (line, text) in texts {
            if !errors.holds(&text) {
                let headline = format!("stderr does not hold \"{text}\"");
                return Err(Finding { line: Some(line), ..Finding::new(Outcome::Mismatch, headline) });
            }
        }
        if silent && !errors.is_empty() {
            return Err(Finding::new(
                Outcome::Mismatch,
                "stderr is not empty, and no step expects anything there",
            ));
        }
        Ok(())
    }
}

/// Whether a server ended as it should have: a signal is no exit code, whatever its number.
fn judge(expected: Ending, ending: Ending) -> Result<(), Finding> {
    if expected == ending {
        return Ok(());
    }
    let outcome = match (expected, ending) {
        (Ending::Exit(_), Ending::Signal(_)) => Outcome::ServerDied,
        _ => Outcome::Mismatch,
    };
    Err(Finding::new(outcome, format!("the server's end: expected {expected}, got {ending}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_the_expected_one_or_named() {
        let check = |expected, ending, outcome| {
            assert_eq!(judge(expected, ending).map_err(|finding| finding.outcome), outcome);
        };
        check(Ending::Exit(0), Ending::Exit(0), Ok(()));
        check(Ending::Signal(9), Ending::Signal(9), Ok(()));
        check(Ending::Exit(0), Ending::Exit(3), Err(Outcome::Mismatch));
        check(Ending::Exit(139), Ending::Signal(11), Err(Outcome::ServerDied));
        check(Ending::Signal(11), Ending::Exit(139), Err(Outcome::Mismatch));
        check(Ending::Signal(9), Ending::Signal(15), Err(Outcome::Mismatch));
        let headline = judge(Ending::Exit(0), Ending::Signal(11)).map_err(|finding| finding.headline);
        assert_eq!(headline, Err("the server's end: expected exit 0, got signal SEGV".to_owned()));
    }
}
