//! A folder of conversations as a suite of tests: what is in it, which server it runs through, what came of it.
//!
//! Owns discovery, its strictness, and the test target. Must not judge an answer; the engine does.

mod build;
mod discover;

pub use build::{BuildFault, Built, build};
pub use discover::{Entry, EntryFault, SIZE_LIMIT, SuiteFault, discover, select};
