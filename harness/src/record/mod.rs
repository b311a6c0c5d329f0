//! Stands between any client and a server, passes every byte on, and writes the conversation down.
//!
//! Modules in reading order: who attends, bytes that pass, what a person types, what it was that passed, in which order it
//! may come, what it gives away, how a conversation says it, whether that holds. Must not compare answers; the engine does, in the one replay that a
//! recording has to survive.

pub(crate) mod attend;
pub(crate) mod relay;
pub(crate) mod typed;

pub(crate) mod transcript;

mod naming;
mod order;
mod variations;
mod written;

mod journal;
mod session;
mod verify;

pub use relay::{Client, Event};
pub use session::{Fault, Plan, Recorded, record};
pub use variations::Variation;
pub use verify::Verdict;
