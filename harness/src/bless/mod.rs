//! Fills in what a server says now: empty answers, and on demand those that stand.
//!
//! Owns when it refuses. Must not judge a replay: it takes the engine's word, and the conversation it writes has passed
//! once more.

mod fill;
mod generalise;

pub use fill::{Filled, Scope, fill};
pub use generalise::{Values, generalise};
