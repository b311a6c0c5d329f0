//! Macros: declarations in data that expand to the canonical form before a measure is built.
//!
//! Owns what a valid declaration is, which macros are known, and expansion. Must not know files: who loads a
//! folder hands texts over one by one, in its order.

mod declaration;
mod error;
mod expansion;
mod library;

pub use declaration::{Guarda, Macro};
pub use error::MacroError;
pub use expansion::expandir;
pub use library::Macros;

pub(crate) use expansion::{substitute, written_path};

#[cfg(test)]
mod tests;
