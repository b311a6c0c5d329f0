//! The surface of measures and macros: texts to trees with positions, trees to their one printed text.
//!
//! Owns the grammar of `.oracle`. It does not know whether a tree is a valid measure or declaration, nor
//! whether a text stands in its one printed form: `forma` says that.

mod clause;
mod declaration;
mod error;
mod expr;
mod form;
pub(crate) mod fragment;
mod invocation;
mod lexer;
mod medida;
mod print;
mod print_expr;
pub(crate) mod tree;

pub use error::{Posicion, Posiciones, PrintError, SyntaxError};
pub use print::imprimir;
pub use print_expr::imprimir_expr;
pub(crate) use print_expr::quoted;
pub use tree::is_measure_id;

use crate::macros::{Macros, written_path};
use crate::valor::{Text, Valor};
use crate::version;
use declaration::Signature;
use form::{Header, Id};
use fragment::{Fragment, is_space};

/// A text read: the tree as written, invocations of macros unexpanded.
#[derive(Clone, Debug, PartialEq)]
pub struct Lectura {
    /// The tree: a measure, an invocation of a macro or a declaration of one.
    pub datos: Valor,
    /// The version of the surface that the text declares, if it declares one.
    pub version: Option<Text>,
    /// Where the nodes of the tree stand.
    pub posiciones: Posiciones,
}

impl Lectura {
    /// Where the node at `ruta` of the canonical form stands in the text; the nearest known place around it
    /// when the text does not show it.
    pub fn ubicar(&self, ruta: &[usize], macros: &Macros) -> Posicion {
        const TURNS: usize = 16;
        match self.datos.head().and_then(|head| macros.get(head)) {
            None => self.posiciones.cercana(ruta),
            Some(called) => {
                let written = written_path(called, macros, ruta, TURNS).unwrap_or_default();
                self.posiciones.cercana(&written)
            }
        }
    }
}

/// Reads the text of a measure, of an invocation of one of `macros`, or of a declaration of a macro.
///
/// A first line `sintaxis MAYOR.MENOR` is read as the version of the surface; whether that version is served
/// is for who loads the text.
pub fn leer(texto: &str, macros: &Macros) -> Result<Lectura, SyntaxError> {
    let lines = Fragment::solid_lines(texto);
    let mut lines = lines.as_slice();
    let mut version = None;
    if let [first, rest @ ..] = lines
        && let Some(declared) = declared_version(*first)?
    {
        version = Some(declared);
        lines = rest;
        if rest.is_empty() {
            return Err(SyntaxError::new(first.line + 1, 1, "falta el encabezado de la medida"));
        }
    }
    let Some(header) = lines.first() else {
        return Err(SyntaxError::new(1, 1, "falta el encabezado de la medida"));
    };
    let mut places = Posiciones::default();
    places.record(&[], header.line, 1);
    places.record(&[0], header.line, 1);
    let datos = match Signature::split(*header) {
        Some(signature) => {
            places.record(&[1], header.line, signature.name.column);
            declaration::read(&signature, lines, macros)?
        }
        None => {
            if let Some(Header { id, .. }) = Header::split(*header) {
                places.record(&[1], id.line, id.column);
            }
            form::read(lines, macros, Id::Measure, &mut places)?
        }
    };
    Ok(Lectura { datos, version, posiciones: places })
}

/// The version a line `sintaxis MAYOR.MENOR` declares; `None` when the line is something else.
fn declared_version(line: Fragment<'_>) -> Result<Option<Text>, SyntaxError> {
    let Some(rest) = line.strip("sintaxis").filter(|rest| rest.text.starts_with(is_space)) else {
        return Ok(None);
    };
    match rest.words().as_slice() {
        [version] => match version::parse(version.text) {
            Ok(_) => Ok(Some(Text::from(version.text))),
            Err(error) => Err(version.error(error.to_string())),
        },
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests;
