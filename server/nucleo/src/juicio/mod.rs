//! From verdicts to their consequence: what a shadow forgives, and whether a whole report holds.
//!
//! Owns the judgement of one evidence by many measures: which of them apply, which could not judge, and when
//! all of it complies. Must not read files, nor change what a verdict says.

mod informe;
mod sombra;

pub use informe::{Dictamen, Informe, Juzgada, informe};
pub use sombra::Sombra;

#[cfg(test)]
mod tests;
