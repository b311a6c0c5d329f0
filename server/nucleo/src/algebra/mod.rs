//! The algebra: expressions, the pipeline, aggregates, their limits and the points where a caller can stop it.
//!
//! Owns what `de`, `unir`, `donde`, `sin`, `agrupar` and `resumen` mean, which comparisons are refused, and
//! what evidence must be before it is measured. A canonical form is compiled once into typed trees
//! (`pipeline`, `expression`) and run over shared rows (`run`). Must not know measures, files or
//! text surfaces, and never decides a default where the language asks for a declaration.

mod aggregate;
mod compare;
mod context;
mod error;
mod escalares;
mod evidencia;
mod expression;
mod key;
mod number;
mod pipeline;
mod plain_text;
#[cfg(test)]
mod plan_tests;
mod rows;
mod run;

pub use aggregate::Agregado;
pub use compare::{Comparador, compare};
pub use context::{Cancellation, Contexto, LimitesAlgebra};
pub use error::{AlgebraError, AlgebraErrorKind};
pub use escalares::{Arity, Escalares, EscalaresBase, SinEscalares};
pub use evidencia::{Evidencia, Filas};
pub use rows::Testigos;

pub(crate) use error::path_text;
pub(crate) use expression::{Expression, Row, Scope};
pub(crate) use key::same_value;
pub(crate) use pipeline::{Pipeline, Summary, is_blank};
pub(crate) use run::{Run, condition_holds};
