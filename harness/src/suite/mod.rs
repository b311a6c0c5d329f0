//! A folder of conversations as a suite of tests: what is in it, which server it runs through, what came of it.
//!
//! Owns discovery, its strictness, and the test target. Must not judge an answer; the engine does.

mod build;
mod discover;
mod env;
mod judge;
mod needs;
mod patience;
mod proof;

pub use build::{BuildFault, Built, build, build_mutated};
pub use discover::{Entry, EntryFault, SIZE_LIMIT, SuiteFault, discover, is_kebab, select};
pub use env::{forbids_rewriting, is_ci};
pub use judge::{Judged, Rerun, Runner, judge, judge_all, quoted, shown};
pub use needs::first_unmet;
pub use patience::{ENOUGH_FAILED, HUNG, Patience};
pub use proof::{Workspace, prove, prove_built, prove_folder};
