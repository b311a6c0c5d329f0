//! One job for each index, spread over all cores, and two jobs side by side.
//!
//! Owns the threads and where cancellation is looked at between jobs. The outcome is that of doing the jobs
//! one after the other, whatever the number of cores. Must not know what a job is.

use crate::algebra::Cancellation;
use crate::fallo::Fallo;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Stack of a thread: values nest as deep as the reader of JSON lets them.
const STACK_BYTES: usize = 16_777_216;

/// Fewest steps, counted as `Evidencia::trabajo` counts them, that are worth the start of threads.
const WORTH_THREADS: usize = 20_000;

/// What `job` gives for each index below `count`, in that order. `steps` is about how many they all take.
///
/// # Errors
/// [`Fallo::Cancelado`] once the caller asked to stop; jobs that had not begun by then never do.
pub(crate) fn map<T: Send>(
    count: usize,
    steps: usize,
    cancellation: &Cancellation,
    job: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Fallo> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while !cancellation.requested() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            done.push((index, job(index)));
        }
        done
    };
    let cores =
        if steps < WORTH_THREADS { 1 } else { thread::available_parallelism().map_or(1, usize::from) };
    let mut done = thread::scope(|scope| {
        // A thread that the system does not give is one fewer: the caller's own does all that is left.
        let start = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok();
        let hands: Vec<_> = (1..cores.min(count)).map_while(start).collect();
        let mut done = work();
        for hand in hands {
            done.extend(hand.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    if cancellation.requested() {
        return Err(Fallo::Cancelado);
    }
    done.sort_unstable_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, outcome)| outcome).collect())
}

/// What two jobs give, the second done by another thread while the caller does the first; by the caller, where
/// the system gives no thread.
pub(crate) fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl Fn() -> B + Sync) -> (A, B) {
    thread::scope(|scope| {
        let hand = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, &second);
        let done = first();
        let other = match hand {
            Ok(hand) => hand.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => second(),
        };
        (done, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn two_jobs_are_both_done_and_a_panic_of_either_is_the_callers() {
        assert_eq!(both(|| 1, || "b"), (1, "b"));
        let silent = |first: bool| catch_unwind(|| both(|| assert!(!first), || assert!(first)));
        assert!(silent(true).is_err() && silent(false).is_err());
    }

    /// Too little for threads, and enough.
    const WORK: [usize; 2] = [0, usize::MAX];

    #[test]
    fn every_index_once_and_in_order() {
        for (count, work) in [0, 1, 2, 3, 1000].into_iter().flat_map(|count| WORK.map(|work| (count, work))) {
            let outcomes = map(count, work, &Cancellation::new(), |index| index * 2);
            assert_eq!(outcomes, Ok((0..count).map(|index| index * 2).collect()));
        }
    }

    #[test]
    fn no_job_begins_after_a_cancellation() {
        for work in WORK {
            let cancellation = Cancellation::new();
            let begun = AtomicUsize::new(0);
            let outcome = map(1_000_000, work, &cancellation, |_| {
                begun.fetch_add(1, Ordering::Relaxed);
                cancellation.cancel();
            });
            assert_eq!(outcome, Err(Fallo::Cancelado));
            assert!(begun.into_inner() < 1_000_000);
            let late = map(1, work, &cancellation, |_| panic!("it began"));
            assert_eq!(late, Err::<Vec<()>, _>(Fallo::Cancelado));
        }
    }

    #[test]
    fn a_panic_reaches_whoever_asked() {
        for work in WORK {
            let panicking =
                AssertUnwindSafe(|| map(100, work, &Cancellation::new(), |index| assert!(index < 50)));
            assert!(catch_unwind(panicking).is_err());
        }
    }
}
