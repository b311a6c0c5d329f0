//! The Oracle language core: relations in, a verdict out.
//!
//! It knows no JSON-RPC, no stdio and no tools. Files are read in `proyecto` and in the modules under it
//! that load a kind of file; everything else is a function of values.

pub mod alcance;
pub mod algebra;
pub mod base;
pub mod caso;
pub mod catalogo;
mod cores;
pub mod desafio;
pub mod diferencial;
mod escalares;
pub mod fallo;
pub mod fijacion;
pub mod forma;
pub mod huella;
pub mod instalacion;
pub mod juicio;
pub mod macros;
pub mod medida;
pub mod mutacion;
pub mod proyecto;
pub mod relacion;
pub mod sintaxis;
pub mod tareas;
pub mod valor;
pub mod version;
pub mod vocabulario;
