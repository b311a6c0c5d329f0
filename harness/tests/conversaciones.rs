//! Every conversation over the workspace's own server, which Cargo builds first; and what they cover, counted.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::suite::prove_built()
}
