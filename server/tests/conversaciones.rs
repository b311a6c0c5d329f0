//! Every conversation over the binary that Cargo built for this very test: the gate of every mutant of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::suite::prove(env!("CARGO_BIN_EXE_oracle-mcp"), env!("CARGO_PKG_VERSION"))
}
