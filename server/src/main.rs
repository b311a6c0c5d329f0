//! `oracle-mcp`: options, the order of start-up, exit code.
fn main() {}
