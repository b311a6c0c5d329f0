//! The algebra's one error: what kind, in which words, and where in the measure.
//!
//! Owns the distinction between a broken contract, an exceeded budget, evidence that is not evaluable and a
//! cancelled call. Must not know error codes: those belong to whoever shows it.

use crate::fallo::Fallo;
use std::fmt;

/// What went wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum AlgebraErrorKind {
    /// An expression, operator or value is outside what the algebra allows; the reason, in Spanish.
    Contract(String),
    /// A budget of `LimitesAlgebra` was exceeded.
    Limit {
        /// The budget, by its field name.
        nombre: &'static str,
        /// What was observed.
        valor: String,
        /// The active limit.
        limite: usize,
    },
    /// The evidence is not relations of facts.
    Evidence {
        /// The relation; empty when the evidence as a whole is at fault.
        relacion: String,
        /// The row, from 0; `None` when the relation itself is at fault.
        indice: Option<usize>,
        /// The reason, in Spanish.
        motivo: String,
    },
    /// The caller asked to stop.
    Cancelled,
}

/// An error of the algebra and where it happened in the canonical form of the measure.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgebraError {
    /// What went wrong.
    pub kind: AlgebraErrorKind,
    /// Indices from the root of the measure to the node at fault; `None` when no node is.
    pub ruta: Option<Vec<usize>>,
}

impl AlgebraError {
    /// A broken contract, without a place yet.
    pub fn contract(motivo: impl Into<String>) -> AlgebraError {
        AlgebraErrorKind::Contract(motivo.into()).into()
    }

    /// An exceeded budget, without a place yet.
    pub fn limit(nombre: &'static str, valor: impl ToString, limite: usize) -> AlgebraError {
        AlgebraErrorKind::Limit { nombre, valor: valor.to_string(), limite }.into()
    }

    /// Evidence that cannot be evaluated.
    pub fn evidence(relacion: &str, indice: Option<usize>, motivo: impl Into<String>) -> AlgebraError {
        AlgebraErrorKind::Evidence { relacion: relacion.to_owned(), indice, motivo: motivo.into() }.into()
    }

    /// The same error at `ruta`, unless it already knows its place.
    pub(crate) fn at(mut self, ruta: &[usize]) -> AlgebraError {
        self.ruta.get_or_insert_with(|| ruta.to_vec());
        self
    }

    /// The same error seen from the parent that holds its node at `index`.
    pub(crate) fn under(mut self, index: usize) -> AlgebraError {
        self.ruta.get_or_insert_default().insert(0, index);
        self
    }

    /// The same error seen from the root, where its node's root stands at `ruta`.
    pub(crate) fn rooted(mut self, ruta: &[usize]) -> AlgebraError {
        let inner = self.ruta.take().unwrap_or_default();
        self.ruta = Some([ruta, &inner].concat());
        self
    }
}

impl From<AlgebraErrorKind> for AlgebraError {
    fn from(kind: AlgebraErrorKind) -> AlgebraError {
        AlgebraError { kind, ruta: None }
    }
}

/// The path as it is shown: `2.1.3`; the root is `raíz`.
pub(crate) fn path_text(ruta: &[usize]) -> String {
    if ruta.is_empty() {
        return "raíz".to_owned();
    }
    ruta.iter().map(usize::to_string).collect::<Vec<_>>().join(".")
}

impl fmt::Display for AlgebraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            AlgebraErrorKind::Contract(motivo) => f.write_str(motivo)?,
            AlgebraErrorKind::Limit { nombre, valor, limite } => {
                write!(f, "{nombre}: se observó {valor} y el límite activo es {limite}")?;
            }
            AlgebraErrorKind::Evidence { relacion, indice: Some(indice), motivo } => {
                write!(f, "la fila {indice} de la relación «{relacion}»: {motivo}")?;
            }
            AlgebraErrorKind::Evidence { relacion, indice: None, motivo } => {
                write!(f, "la relación «{relacion}»: {motivo}")?;
            }
            AlgebraErrorKind::Cancelled => f.write_str("la evaluación se canceló")?,
        }
        match &self.ruta {
            Some(ruta) => write!(f, " (en «{}» de la forma canónica)", path_text(ruta)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for AlgebraError {}

impl From<AlgebraError> for Fallo {
    /// A broken contract during evaluation is `EvaluacionFallo`; the other kinds have a code of their own.
    fn from(error: AlgebraError) -> Fallo {
        match error.kind {
            AlgebraErrorKind::Contract(_) => {
                Fallo::EvaluacionFallo { tipo: "ErrorDeAlgebra".to_owned(), mensaje: error.to_string() }
            }
            AlgebraErrorKind::Limit { nombre, valor, limite } => {
                Fallo::LimiteDeAlgebra { nombre, valor, limite }
            }
            AlgebraErrorKind::Evidence { relacion, indice, motivo } => {
                Fallo::EvidenciaInvalida { relacion, indice, motivo }
            }
            AlgebraErrorKind::Cancelled => Fallo::Cancelado,
        }
    }
}
