//! What a server's tools cover of a whole surface, and what its catalogue costs to read.
//!
//! A *surface* is a list of operations: the verbs of a command line, the routes of an API. Each operation has a tool, or
//! an exclusion with a code, a motive and another way; one that has neither is a gap, and gaps are to be zero. The
//! catalogue is measured in characters and in tokens, because a model reads all of it at every turn.
//!
//! Modules in reading order: the inputs ([`operations`], [`postures`], [`catalogue`]), what is made of them ([`judge`],
//! [`size`]), and how it is told ([`report`]). Works on texts and values; the command line reads the files and starts the
//! server. Must not know a particular surface.

mod fault;

pub mod catalogue;
pub mod operations;
pub mod postures;

mod openapi;

pub mod judge;
pub mod size;

pub mod report;

pub use fault::{Code, Fault};
