//! The tracker of tasks under `tareas/`, read and never written: records, search, relational facts, Git.
//!
//! Owns the format of the tracker and what each of the four queries says of it. It opens no file for
//! writing, runs no program but `git`, and that one without locks, hooks or filters. Knows no tool and no
//! wire. Contract: "oracle_tareas".

mod auditoria;
mod busqueda;
mod documento;
mod error;
mod git;
mod hechos;
mod id;
mod text;
mod tracker;
mod vista;

pub use busqueda::{Busqueda, Coincidencia, Omitido, Termino};
pub use documento::{Estado, Tarea};
pub use error::TareasError;
pub use hechos::Hechos;
pub use id::{Prefijo, is_tarea_id};
pub use tracker::{Tracker, consultar};

#[cfg(test)]
mod tests;

/// The folder of the tracker, under the root.
const CARPETA: &str = "tareas";

/// The document of a task, inside its folder.
const DOCUMENTO: &str = "TAREA.md";

/// Files that may lie directly under `tareas/` besides the folders of tasks.
const AUXILIARES: [&str; 4] = ["README.md", "README", ".gitignore", "etiquetas"];

/// The file of label descriptions: the one name that the audit lets be a symlink wherever it leads, because
/// no query reads it.
const ETIQUETAS: &str = "etiquetas";

/// Largest text that a search looks through, and largest Markdown that facts are taken from, in bytes.
const TEXT_LIMIT_BYTES: u64 = 2 * 1024 * 1024;
