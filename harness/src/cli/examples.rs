//! An example for each verb, shown below its options. Each runs as it stands in the workspace's root, and a test has it
//! run.

/// Of `replay`.
pub(super) const REPLAY: &str = "Example:
  $ cargo run -p harness -- replay --server 'python3 harness/examples/greeter/greeter.py' harness/examples/greeter/conversations";

/// Of `bless`.
pub(super) const BLESS: &str = "Example:
  $ cargo run -p harness -- bless --server 'python3 harness/examples/greeter/greeter.py' harness/examples/greeter/conversations";

/// Of `record`.
pub(super) const RECORD: &str = "Example:
  $ echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | cargo run -p harness -- record --out \"$(mktemp -d)/ping.conv\" -- python3 harness/examples/greeter/greeter.py";

/// Of `talk`.
pub(super) const TALK: &str = "Example:
  $ echo 'tools/call {\"name\":\"greet\",\"arguments\":{\"who\":\"Ada\"}}' | cargo run -p harness -- talk -- python3 harness/examples/greeter/greeter.py";

/// Of `certify`.
pub(super) const CERTIFY: &str = "Example:
  $ cargo run -p harness -- certify --profile mcp-2025-11-25 -- python3 harness/examples/greeter/greeter.py";

/// Of `requirements`.
pub(super) const REQUIREMENTS: &str = "Example:
  $ cargo run -p harness -- requirements --check";

/// Of `mutantes`.
pub(super) const MUTANTES: &str = "Example:
  $ cargo run -p harness -- mutantes --only sin-evidencia-rojo";

/// Of `gate check`.
pub(super) const GATE_CHECK: &str = "Example, after `cargo mutants -p server`:
  $ cargo run -p harness -- gate check --compare mutants.out";

/// Of `gate report`.
pub(super) const GATE_REPORT: &str = "Example, after `cargo mutants -p server`:
  $ cargo run -p harness -- gate report mutants.out";
