//! When to give up on a server that hangs: every conversation would wait for its whole deadline, one after the other.
//!
//! Owns the count of conversations that timed out in one run. A run that gave up is red already; it only ends sooner.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many conversations may time out before the rest of a run is not run.
const GIVES_UP_AFTER: usize = 2;

/// The patience of one run.
#[derive(Debug)]
pub struct Patience {
    left: AtomicUsize,
}

impl Patience {
    /// Never gives up: a person wants to see every conversation.
    #[must_use]
    pub fn endless() -> Self {
        Self { left: AtomicUsize::new(usize::MAX) }
    }

    /// Gives up after a few conversations: under a mutant, one that noticed is enough.
    #[must_use]
    pub fn short() -> Self {
        Self { left: AtomicUsize::new(GIVES_UP_AFTER) }
    }

    /// Whether the run gives up.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Notes that a conversation timed out.
    pub fn lose(&self) {
        // Already over: nothing to take away.
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_patience_ends_and_stays_over() {
        let patience = Patience::short();
        for _ in 0..GIVES_UP_AFTER {
            assert!(!patience.is_over());
            patience.lose();
        }
        assert!(patience.is_over());
        patience.lose();
        assert!(patience.is_over());
        let endless = Patience::endless();
        endless.lose();
        assert!(!endless.is_over());
    }
}
