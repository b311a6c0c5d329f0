//! From the text of a measure that lies in no file to the measure.
//!
//! Owns where each fault of such a text is said to be: the line and column of what was written, also of what
//! a macro made of it. Must not read files.

use crate::algebra::Contexto;
use crate::fallo::Fallo;
use crate::forma::{self, TextError};
use crate::macros::{self, MacroError, Macros};
use crate::medida::{Medida, MedidaError};
use crate::sintaxis::Posicion;

/// How a text is called while it has no id.
const TEXTO: &str = "texto";

/// Reads one measure from a text in the `oracle` format, held to its one form like the text of any file.
///
/// # Errors
/// [`Fallo::MedidaInvalida`] with the place of the fault; [`Fallo::LimiteDeAlgebra`] for a budget that the
/// form of the measure exceeds. Contract: "oracle_evaluar".
pub fn medida_de_texto(texto: &str, macros: &Macros, contexto: &Contexto<'_>) -> Result<Medida, Fallo> {
    let leida = forma::leer_oracle(texto, macros).map_err(|error| unreadable(&error))?;
    let canonica = macros::expandir(&leida.datos, macros, contexto).map_err(|error| match error {
        MacroError::Limite { nombre, valor, limite } => Fallo::LimiteDeAlgebra { nombre, valor, limite },
        other => invalid(TEXTO, other.to_string(), leida.ubicar(&[], macros)),
    })?;
    Medida::from_datos(&canonica, contexto).map_err(|error| match error {
        MedidaError { id, motivo, ruta, limit: None } => {
            invalid(id.as_deref().unwrap_or(TEXTO), motivo, leida.ubicar(&ruta, macros))
        }
        other => Fallo::from(other),
    })
}

fn invalid(sujeto: &str, motivo: String, donde: Posicion) -> Fallo {
    Fallo::MedidaInvalida { sujeto: sujeto.to_owned(), motivo, donde: donde.to_string() }
}

fn unreadable(error: &TextError) -> Fallo {
    let start = Posicion { linea: 1, columna: 1 };
    match error {
        TextError::Sintaxis(error) => invalid(TEXTO, error.mensaje.clone(), error.posicion()),
        TextError::Forma(difference) => invalid(TEXTO, difference.motivo(), difference.posicion()),
        TextError::Version(_) | TextError::SinForma(_) | TextError::Contenido { .. } => {
            invalid(TEXTO, error.to_string(), start)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Cancellation, LimitesAlgebra, SinEscalares};

    const MEDIDA: &str = "medida a.b:\n    de cosa c\n    donde c.x < 0\n    resumen contar(1)\n    \
                          umbral <= 0 segun contrato porque \"p\"\n    alcance \"NO ve más\"\n";

    fn read(texto: &str) -> Result<Medida, Fallo> {
        let (limites, cancellation) = (LimitesAlgebra::default(), Cancellation::new());
        let contexto = Contexto { limites: &limites, cancellation: &cancellation, escalares: &SinEscalares };
        medida_de_texto(texto, &Macros::estandar(), &contexto)
    }

    #[track_caller]
    fn refused(texto: &str, sujeto: &str, donde: &str) {
        match read(texto) {
            Err(Fallo::MedidaInvalida { sujeto: s, donde: d, .. }) => assert_eq!((&*s, &*d), (sujeto, donde)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_in_its_one_form_is_the_measure_it_says() {
        assert_eq!(&**read(MEDIDA).unwrap().id(), "a.b");
    }

    #[test]
    fn a_fault_of_the_text_is_told_by_line_and_column() {
        refused("", "texto", "línea 1, columna 1");
        refused(&MEDIDA.replace("c.x < 0", "c.x <"), "texto", "línea 3, columna 16");
        refused(&MEDIDA.replace("c.x < 0", "c.x  < 0"), "texto", "línea 3, columna 15");
        refused(MEDIDA.trim_end(), "texto", "línea 6, columna 24");
        refused(&format!("sintaxis 9.0\n{MEDIDA}"), "texto", "línea 1, columna 1");
    }

    #[test]
    fn a_fault_of_the_measure_is_told_with_its_id() {
        refused(&MEDIDA.replace("NO ve más", " "), "a.b", "línea 6, columna 5");
    }
}
