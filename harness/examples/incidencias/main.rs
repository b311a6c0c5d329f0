//! A minimal MCP server over stdio with one tool, `incidencias`: something small and real to try a client or the harness
//! on.
//!
//! ```text
//! cargo build -p harness --example incidencias
//! cargo run -p harness -- replay --root harness/examples/incidencias/conversaciones --server target/debug/examples/incidencias
//! ```

mod server;

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    match server::serve(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // The client closed its end; there is nobody left to tell.
        Err(_) => ExitCode::FAILURE,
    }
}
