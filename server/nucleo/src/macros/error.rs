//! What can be wrong with a macro: its declaration, an invocation, or the cost of expanding it.

use crate::forma::TextError;
use std::fmt;

/// Why a macro is not declared or not expanded. Sentences are Spanish, lower case, without a final stop.
#[derive(Clone, Debug, PartialEq)]
pub enum MacroError {
    /// The declaration is no valid macro, or its name is taken.
    Declaracion {
        /// What is wrong.
        mensaje: String,
    },
    /// The text of the declaration is not read.
    Texto(TextError),
    /// The invocation is not what the macro needs.
    Uso {
        /// What is wrong.
        mensaje: String,
    },
    /// A budget of `LimitesAlgebra` was exceeded.
    Limite {
        /// Which budget, by its field name.
        nombre: &'static str,
        /// What was observed.
        valor: String,
        /// The active limit.
        limite: usize,
    },
}

impl MacroError {
    pub(crate) fn declaration(mensaje: impl Into<String>) -> MacroError {
        MacroError::Declaracion { mensaje: mensaje.into() }
    }

    pub(crate) fn usage(mensaje: impl Into<String>) -> MacroError {
        MacroError::Uso { mensaje: mensaje.into() }
    }
}

impl fmt::Display for MacroError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MacroError::Declaracion { mensaje } | MacroError::Uso { mensaje } => f.write_str(mensaje),
            MacroError::Texto(error) => error.fmt(f),
            MacroError::Limite { nombre, valor, limite } => {
                write!(f, "{nombre}: se observó {valor} y el límite activo es {limite}")
            }
        }
    }
}

impl std::error::Error for MacroError {}
