//! Replays recorded JSON-RPC conversations, byte for byte, through a spawned MCP server.

pub mod conversation;
