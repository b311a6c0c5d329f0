//! Replays recorded JSON-RPC conversations, byte for byte, through a spawned MCP server.
//!
//! Modules in reading order: what a conversation file is, how one is replayed, and what stands on both. The library
//! never calls the server's own crates: what it expects, it works out by its own means.

pub mod conversation;

pub mod engine;

pub mod suite;

pub mod bless;
pub mod record;
pub mod requirements;

pub mod client;

pub mod census;

pub mod gate;

pub mod certify;

pub mod cli;

mod block;
mod whole;
