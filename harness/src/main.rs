//! The harness as a program; everything it does is the library's.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::cli::main(std::env::args_os())
}
