//! The gate: mutants of the server, each of which some conversation must kill, and the check that the round was real.
//!
//! Modules in reading order. The contract mutants: what an entry says (`contract`), the copy of the workspace it is
//! applied to (`workspace`), how it is judged (`replay`, `campaign`). The round of cargo-mutants:
//! what it left behind (`round`, `log`), whether it can be believed (`check`). What both come to: `fingerprint`,
//! `scoreboard`, `matrix`, `report`. The verbs of the command line are in `verbs`.
//!
//! Nothing here decides whether a conversation passed: that is the engine's word alone.

pub mod campaign;
pub mod check;
pub mod contract;
pub mod corpus;
pub mod fingerprint;
pub mod log;
pub mod matrix;
pub mod replay;
pub mod report;
pub mod results;
pub mod round;
pub mod scoreboard;
pub mod verbs;
pub mod workspace;

/// The version of cargo-mutants that every figure of the gate was taken with.
pub const CARGO_MUTANTS_VERSION: &str = "27.1.0";
