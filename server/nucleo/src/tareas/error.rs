//! What can go wrong when the tracker is asked: one variant for each distinction a caller acts upon.

/// A failure of a query over the tracker. Texts are Spanish, without a final stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TareasError {
    /// The project has no folder `tareas/`.
    Ausente {
        /// Where it would be.
        ruta: String,
    },
    /// Records that do not load, broken central documents, or symlinks that may not be there.
    Invalido {
        /// The folder `tareas/`.
        ruta: String,
        /// What is wrong, one line for each record. Never empty.
        registros: Vec<String>,
    },
    /// No task has that id, prefix or suffix.
    NoEncontrada {
        /// What was asked for.
        id: String,
    },
    /// More than one task has that prefix or suffix.
    Ambiguo {
        /// What was asked for.
        prefijo: String,
        /// The ids it could mean, sorted.
        ids: Vec<String>,
    },
    /// Git was asked for and could not be read: it is not installed, refuses the repository, or took too long.
    Git {
        /// The folder `tareas/`.
        ruta: String,
        /// What happened.
        motivo: String,
    },
    /// What the query looked at is not what it was when the query looked.
    Cambio {
        /// Fingerprint of what was looked at.
        inicial: String,
        /// Fingerprint of the same looks, done again.
        actual: String,
    },
    /// The caller asked to stop.
    Cancelado,
}

impl std::fmt::Display for TareasError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for TareasError {}
