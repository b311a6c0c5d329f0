//! The one printed form: a text is accepted only if printing what it says gives the text back.
//!
//! Comment lines are set aside; everything else counts, blank lines and line ends included. This is the one
//! way from a text to a tree for whoever loads one, so a spelling that does not load in one place loads nowhere.

use crate::caso::{self, Caso};
use crate::macros::Macros;
use crate::relacion::{self, Relacion};
use crate::sintaxis::fragment::{is_comment, lines_with_ends, without_end};
use crate::sintaxis::{self, Lectura, Posicion, PrintError, SyntaxError};
use crate::version::{self, VersionError};
use std::fmt;

/// Why a text gives no tree.
#[derive(Clone, Debug, PartialEq)]
pub enum TextError {
    /// The grammar does not take it.
    Sintaxis(SyntaxError),
    /// It declares a version of the surface that this core does not serve.
    Version(VersionError),
    /// It is read, but its content cannot be written on the surface.
    SinForma(PrintError),
    /// It is read, but is not written in its one form.
    Forma(Diferencia),
    /// It is read and written well, but what it declares is not valid.
    Contenido {
        /// What is wrong, in Spanish, lower case, without a final stop.
        mensaje: String,
    },
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Sintaxis(error) => error.fmt(f),
            TextError::Version(error) => error.fmt(f),
            TextError::SinForma(error) => error.fmt(f),
            TextError::Forma(difference) => difference.fmt(f),
            TextError::Contenido { mensaje } => f.write_str(mensaje),
        }
    }
}

impl std::error::Error for TextError {}

impl From<SyntaxError> for TextError {
    fn from(error: SyntaxError) -> TextError {
        TextError::Sintaxis(error)
    }
}

impl From<VersionError> for TextError {
    fn from(error: VersionError) -> TextError {
        TextError::Version(error)
    }
}

impl From<PrintError> for TextError {
    fn from(error: PrintError) -> TextError {
        TextError::SinForma(error)
    }
}

impl From<Diferencia> for TextError {
    fn from(difference: Diferencia) -> TextError {
        TextError::Forma(difference)
    }
}

/// The first line in which a text departs from its one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diferencia {
    /// Line of the text, from 1, comments counted.
    pub linea: usize,
    /// Column in characters, from 1, of the first character that departs.
    pub columna: usize,
    /// The line as written; `None` when the text ends before.
    pub escrito: Option<String>,
    /// The line as its one form has it; `None` when the form ends before.
    pub esperado: Option<String>,
}

impl Diferencia {
    /// Where the text departs.
    pub fn posicion(&self) -> Posicion {
        Posicion { linea: self.linea, columna: self.columna }
    }

    /// What stands there and what should, without the place.
    pub fn motivo(&self) -> String {
        let detail = match (&self.escrito, &self.esperado) {
            (Some(written), Some(form)) if without_end(written) == without_end(form) => {
                let end = match &written[without_end(written).len()..] {
                    "" => "sin salto de línea".to_owned(),
                    "\r\n" => "con CRLF".to_owned(),
                    other => format!("con {other:?}"),
                };
                format!("«{}» termina {end} y la forma única termina con LF", without_end(form))
            }
            (Some(written), Some(form)) => {
                format!("dice «{}» y se escribe «{}»", without_end(written), without_end(form))
            }
            (Some(written), None) => format!("sobra «{}»", without_end(written)),
            (None, Some(form)) => format!("falta «{}»", without_end(form)),
            (None, None) => String::new(),
        };
        format!("fuera de la forma única: {detail}")
    }
}

impl fmt::Display for Diferencia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.posicion(), self.motivo())
    }
}

/// Succeeds when `texto`, without its comment lines, is `impreso`.
pub fn exigir(texto: &str, impreso: &str) -> Result<(), Diferencia> {
    let mut written = lines_with_ends(texto).enumerate().filter(|(_, line)| !is_comment(without_end(line)));
    let mut form = lines_with_ends(impreso);
    let mut below = 1;
    loop {
        let (line, escrito) = match written.next() {
            Some((index, line)) => (index + 1, Some(line)),
            None => (below, None),
        };
        below = line + 1;
        let esperado = form.next();
        if escrito == esperado {
            match escrito {
                Some(_) => continue,
                None => return Ok(()),
            }
        }
        let common = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        let same = escrito.zip(esperado).map_or(0, |(a, b)| common(a, b));
        return Err(Diferencia {
            linea: line,
            columna: same + 1,
            escrito: escrito.map(str::to_owned),
            esperado: esperado.map(str::to_owned),
        });
    }
}

/// Reads the text of a measure, an invocation or a macro: of a version that is served, in its one form.
pub fn leer_oracle(texto: &str, macros: &Macros) -> Result<Lectura, TextError> {
    let read = sintaxis::leer(texto, macros)?;
    if let Some(declared) = &read.version {
        version::require_sintaxis(declared)?;
    }
    exigir(texto, &sintaxis::imprimir(&read.datos, macros)?)?;
    Ok(read)
}

/// Reads the text of a relation, in its one form.
pub fn leer_relacion(texto: &str) -> Result<Relacion, TextError> {
    let read = relacion::leer(texto)?;
    exigir(texto, &relacion::imprimir(&read)?)?;
    Ok(read)
}

/// Reads the text of a case, in its one form.
pub fn leer_caso(texto: &str) -> Result<Caso, TextError> {
    let read = caso::leer(texto)?;
    exigir(texto, &caso::written(&read)?)?;
    Caso::from_datos(read).map_err(|error| TextError::Contenido { mensaje: error.mensaje })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str =
        "medida a.b:\n    de r x\n    resumen contar(1)\n    umbral > 0 segun tanteo\n    alcance \"q\"\n";

    #[track_caller]
    fn check(from: &str, to: &str, expect: &str) {
        assert!(FORM.contains(from), "{from:?}");
        let shown = match leer_oracle(&FORM.replacen(from, to, 1), &Macros::estandar()) {
            Ok(_) => "bien".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expect);
    }

    #[test]
    fn comments_are_set_aside_and_nothing_else_is() {
        check("medida", "# uno\n  # dos\nmedida", "bien");
        check("    de r x\n", "    de r x\n# tres\n", "bien");
        check("> 0", "> 00", "línea 4, columna 15: se esperaba «segun» o «porque» y llegó 0");
        check(
            "> 0",
            ">0",
            "línea 4, columna 13: fuera de la forma única: dice «    umbral >0 segun tanteo» y se escribe «    umbral > 0 segun tanteo»",
        );
        check(
            "de r x",
            "de r  x",
            "línea 2, columna 10: fuera de la forma única: dice «    de r  x» y se escribe «    de r x»",
        );
        check(
            "> 0",
            "> 0.50",
            "línea 4, columna 17: fuera de la forma única: dice «    umbral > 0.50 segun tanteo» y se escribe «    umbral > 0.5 segun tanteo»",
        );
    }

    #[test]
    fn line_ends_and_blank_lines_count() {
        check(
            "\"q\"\n",
            "\"q\"",
            "línea 5, columna 16: fuera de la forma única: «    alcance \"q\"» termina sin salto de línea y la forma única termina con LF",
        );
        check(
            "x\n",
            "x\r\n",
            "línea 2, columna 11: fuera de la forma única: «    de r x» termina con CRLF y la forma única termina con LF",
        );
        check(
            "x\n",
            "x\n# a\n\n",
            "línea 4, columna 1: fuera de la forma única: dice «» y se escribe «    resumen contar(1)»",
        );
        check("\"q\"\n", "\"q\"\n\n", "línea 6, columna 1: fuera de la forma única: sobra «»");
        check(
            "tanteo",
            "tanteo ",
            "línea 4, columna 28: fuera de la forma única: dice «    umbral > 0 segun tanteo » y se escribe «    umbral > 0 segun tanteo»",
        );
    }

    #[test]
    fn a_declared_version_is_looked_at_first_and_has_no_place_in_the_form() {
        check("medida", "sintaxis 2.0\nmedida", "se declara la sintaxis 2.0 y este núcleo sirve 1.0");
        check(
            "medida",
            "sintaxis 1.0\nmedida",
            "línea 1, columna 1: fuera de la forma única: dice «sintaxis 1.0» y se escribe «medida a.b:»",
        );
    }

    #[test]
    fn what_is_missing_is_shown() {
        let shown = exigir("a\n", "a\nb\n").unwrap_err();
        assert_eq!(
            (shown.linea, shown.to_string().as_str()),
            (2, "línea 2, columna 1: fuera de la forma única: falta «b»")
        );
        assert_eq!(exigir("# x\n", ""), Ok(()));
        assert_eq!(exigir("", ""), Ok(()));
    }
}
