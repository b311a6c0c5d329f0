//! When a run over a mutated server has shown enough: every conversation more would only cost time.
//!
//! Owns the count of conversations that timed out or failed in one run. A run that gave up is red already; it only ends
//! sooner.

use std::env;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::engine::Outcome;

/// How many conversations may time out before the rest of a run is not run.
const HANGS: usize = 2;

/// The variable that says after how many failed conversations the rest of a run is not run.
const ENOUGH: &str = "HARNESS_ENOUGH";

/// Why a conversation was not run: each would wait for its whole deadline, one after the other.
pub const HUNG: &str = "not run, for the server hung in conversations before it";

/// Why a conversation was not run: as many as was asked for had failed.
pub const ENOUGH_FAILED: &str = "not run, for enough conversations had failed";

/// The patience of one run.
#[derive(Debug)]
pub struct Patience {
    hangs: AtomicUsize,
    failures: AtomicUsize,
}

impl Patience {
    /// Never gives up: a person wants to see every conversation.
    #[must_use]
    pub fn endless() -> Self {
        Self::new(usize::MAX, usize::MAX)
    }

    /// Gives up on a server that hangs.
    #[must_use]
    pub fn short() -> Self {
        Self::new(HANGS, usize::MAX)
    }

    /// Gives up on a server that hangs, and where `HARNESS_ENOUGH` says so, after that many failures.
    #[must_use]
    pub fn of_surroundings() -> Self {
        let enough = env::var(ENOUGH).ok().and_then(|value| value.parse().ok());
        Self::new(HANGS, enough.filter(|enough| *enough > 0).unwrap_or(usize::MAX))
    }

    fn new(hangs: usize, failures: usize) -> Self {
        Self { hangs: AtomicUsize::new(hangs), failures: AtomicUsize::new(failures) }
    }

    /// Why the run gives up, if it does.
    #[must_use]
    pub fn is_over(&self) -> Option<&'static str> {
        if self.hangs.load(Ordering::Relaxed) == 0 {
            Some(HUNG)
        } else if self.failures.load(Ordering::Relaxed) == 0 {
            Some(ENOUGH_FAILED)
        } else {
            None
        }
    }

    /// Notes how a conversation ended.
    pub fn note(&self, outcome: Outcome) {
        match outcome {
            // The last two say nothing about the server, so they are no reason to have seen enough of it.
            Outcome::Passed | Outcome::NotApplicable | Outcome::BadFixture | Outcome::HarnessError => {}
            Outcome::Timeout => {
                lose(&self.hangs);
                lose(&self.failures);
            }
            _ => lose(&self.failures),
        }
    }
}

fn lose(left: &AtomicUsize) {
    // Already none left: nothing to take away.
    let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patience: &Patience, outcomes: &[Outcome], expect: Option<&str>) {
        outcomes.iter().for_each(|outcome| patience.note(*outcome));
        assert_eq!(patience.is_over(), expect, "{outcomes:?}");
    }

    #[test]
    fn a_server_that_hangs_is_given_up_on() {
        let patience = Patience::short();
        check(&patience, &[Outcome::Timeout, Outcome::Mismatch, Outcome::Mismatch, Outcome::Passed], None);
        check(&patience, &[Outcome::Timeout], Some(HUNG));
        check(&patience, &[Outcome::Timeout, Outcome::Passed], Some(HUNG));
    }

    #[test]
    fn enough_failures_are_enough_and_what_passes_does_not_count() {
        let patience = Patience::new(HANGS, 3);
        check(
            &patience,
            &[Outcome::Passed, Outcome::Mismatch, Outcome::NotApplicable, Outcome::Timeout],
            None,
        );
        check(&patience, &[Outcome::HarnessError, Outcome::BadFixture], None);
        check(&patience, &[Outcome::ServerDied], Some(ENOUGH_FAILED));
    }

    #[test]
    fn a_person_sees_everything() {
        check(&Patience::endless(), &[Outcome::Timeout; 9], None);
    }
}
