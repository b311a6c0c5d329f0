//! Fills in what a server says now: empty answers, and on demand those that stand.
//!
//! Owns when it refuses. Must not judge a replay: it takes the engine's word, and the conversation it writes has passed
//! once more.

mod files;
mod fill;
mod generalise;
mod take;

pub use files::hashes;
pub use fill::{Filled, Scope, fill};
pub use generalise::{Values, generalise};
pub use take::{Blessed, Refusal, bless};
