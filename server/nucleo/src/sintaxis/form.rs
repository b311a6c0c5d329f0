//! A whole form: its header line, then the body of a measure or of an invocation of a macro.

use super::clause::{Block, name};
use super::error::{Posiciones, SyntaxError};
use super::fragment::{Fragment, is_space};
use super::tree::is_measure_id;
use super::{invocation, medida};
use crate::macros::Macros;
use crate::valor::Valor;

/// What may stand where the id of a form goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Id {
    /// The id of a measure that can be loaded.
    Measure,
    /// Anything, holes included: the form is a template.
    Template,
}

/// The two words of a header `<class> <id>:`.
pub(crate) struct Header<'a> {
    pub class: Fragment<'a>,
    pub id: Fragment<'a>,
}

impl<'a> Header<'a> {
    /// Takes a header apart; `None` when the line is none.
    pub fn split(line: Fragment<'a>) -> Option<Header<'a>> {
        let rest = Fragment { text: line.text.strip_suffix(':')?, ..line };
        match rest.words().as_slice() {
            [class, id] if !line.text.starts_with(is_space) && !rest.text.ends_with(is_space) => {
                Some(Header { class: *class, id: *id })
            }
            _ => None,
        }
    }
}

/// Reads the form that `lines` hold, the first of which is its header.
pub(crate) fn read(
    lines: &[Fragment<'_>],
    macros: &Macros,
    id: Id,
    places: &mut Posiciones,
) -> Result<Valor, SyntaxError> {
    const EXPECTED: &str = "se esperaba un encabezado «medida <id>:» o «<macro declarada> <id>:»";
    let [first, body @ ..] = lines else {
        return Err(SyntaxError::new(1, 1, EXPECTED));
    };
    let header = Header::split(*first).ok_or_else(|| first.error(EXPECTED))?;
    let called = match header.class.text {
        "medida" => None,
        class => Some(macros.get(class).ok_or_else(|| first.error(EXPECTED))?),
    };
    if id == Id::Measure && !is_measure_id(header.id.text) {
        return Err(header
            .id
            .error("se esperaba un id «dominio.nombre», sólo con minúsculas ASCII, dígitos y «_»"));
    }
    let id = match id {
        Id::Measure => Valor::text(header.id.text),
        Id::Template => name(header.id)?,
    };
    match called {
        None => medida::read(id, Block::new(*first, body), places),
        Some(called) => invocation::read(called, id, *first, body, macros, places),
    }
}
