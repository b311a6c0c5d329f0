//! The adapter of `oracle-mcp`: bytes in, bytes out, over stdio, in two revisions of MCP.
//!
//! It validates arguments, calls one function of the core per statement, and projects its value. It decides
//! nothing about measures, opens no file for writing, and takes no path from a call.

mod message;
mod transport;

mod dispatch;
mod era;
mod inflight;

mod arguments;
mod fault;
mod stability;
mod tools;
mod wire;

pub mod isolation;

use nucleo::instalacion::{Instalacion, InstalacionInvalida};
use nucleo::proyecto::Proyecto;
use std::io;
use std::path::Path;

/// The version every answer shows.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Fixes the root, and whether its `escalares.py` may run, for as long as the process lives.
///
/// # Errors
/// The text of a `PROYECTO_INVALIDO` when there is no project there.
pub fn open(root: &Path, trust_scalars: bool) -> Result<Proyecto, String> {
    let shown = root.display().to_string();
    match Proyecto::open(root) {
        Ok(proyecto) => Ok(proyecto.confiando_en_escalares(trust_scalars)),
        Err(fallo) => Err(fault::Fault::of(&fallo, &shown, "--proyecto").text()),
    }
}

/// The same project, whose base set and libraries come from the installation at `path`, for as long as the process
/// lives.
///
/// # Errors
/// Why there is no installation there.
pub fn with_installation(proyecto: Proyecto, path: &Path) -> Result<Proyecto, InstalacionInvalida> {
    Ok(proyecto.con_instalacion(Instalacion::open(path)?))
}

/// Serves `proyecto` on stdin and stdout until the input ends or the client asks to leave; gives the exit code.
///
/// # Errors
/// When stdin cannot be read or no worker can be started.
pub fn run(proyecto: Proyecto) -> io::Result<u8> {
    let mut lines = transport::Lines::of_stdin();
    let mut dispatcher = dispatch::Dispatcher::start(proyecto, transport::Output::of_stdout())?;
    let code = loop {
        let Some(line) = lines.next()? else { break 0 };
        if let Some(code) = dispatcher.take(line) {
            break code;
        }
    };
    dispatcher.close();
    Ok(code)
}
