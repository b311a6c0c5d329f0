//! Values of the core → their JSON objects, in the order in which the contract lists the fields.
//!
//! Projects and decides nothing.

pub mod tracker;

use crate::message::quote;
use nucleo::catalogo::Entrada;
use nucleo::fallo::Fallo;
use nucleo::fijacion::Fijacion;
use nucleo::juicio::Sombra;
use nucleo::medida::{Medida, Requiere, Umbral, Veredicto};
use nucleo::sintaxis::imprimir_expr;
use nucleo::valor::{Text, Valor};

/// Members of an object, in order.
pub type Members = Vec<(&'static str, Valor)>;

/// Most witnesses that an answer shows.
const WITNESSES: usize = 5;

/// What every successful answer opens with: its schema, who says it, and over which project.
pub fn head(schema: &str, raiz: &str) -> Members {
    vec![
        ("esquema", Valor::from(schema)),
        ("oracle_version", Valor::from(crate::VERSION)),
        ("proyecto", Valor::from(raiz)),
    ]
}

/// One measure of the catalogue: `id`, `origen`, `fijacion`.
pub fn index_row(entrada: &Entrada, fijacion: Fijacion) -> Members {
    vec![
        ("id", text(entrada.medida.id())),
        ("origen", Valor::from(entrada.origen.to_string())),
        ("fijacion", Valor::from(fijacion.as_str())),
    ]
}

/// What the detail of a measure adds to its row.
pub fn detail(entrada: &Entrada) -> [(&'static str, Valor); 7] {
    let medida = &entrada.medida;
    [
        ("relaciones", Valor::list(medida.relaciones().iter().map(text))),
        ("ambito", Valor::from(medida.ambito().as_str())),
        ("requiere", Valor::list(medida.requiere().iter().map(requirement))),
        ("umbral", threshold(medida.umbral())),
        ("alcance", text(medida.alcance())),
        ("fuente", Valor::from(entrada.fuente.presentada())),
        ("fuente_sha256", Valor::from(entrada.fuente.sha256())),
    ]
}

/// What a verdict says, from `medida` to `alcance`.
///
/// # Errors
/// [`Fallo::EvaluacionFallo`] when the value is no number, which the published schema cannot carry.
pub fn verdict(medida: &Medida, veredicto: &Veredicto, sombra: Option<Sombra<'_>>) -> Result<Members, Fallo> {
    if !matches!(veredicto.valor, Valor::Int(_) | Valor::Float(_)) {
        return Err(Fallo::EvaluacionFallo {
            tipo: "ValorNoNumerico".to_owned(),
            mensaje: format!(
                "el resumen de «{}» dio {} y el valor de un veredicto es un número",
                veredicto.medida,
                quote(&veredicto.valor.to_compact())
            ),
        });
    }
    let shown = veredicto.testigos.first(WITNESSES);
    let left_out = veredicto.testigos.len() - shown.len();
    Ok(vec![
        ("medida", text(&veredicto.medida)),
        ("estado", Valor::from(veredicto.estado.as_str())),
        ("valor", veredicto.valor.clone()),
        ("umbral", threshold(medida.umbral())),
        ("sombra", sombra.map_or(Valor::Null, shadow)),
        ("testigos", Valor::List(shown)),
        ("testigos_omitidos", Valor::from(left_out)),
        ("alcance", text(medida.alcance())),
    ])
}

fn threshold(umbral: &Umbral) -> Valor {
    Valor::map([
        ("operador", Valor::from(umbral.operador.as_str())),
        ("valor", umbral.valor.clone()),
        ("segun", text(&umbral.segun)),
        ("porque", text(&umbral.porque)),
    ])
}

fn shadow(sombra: Sombra<'_>) -> Valor {
    let declared = sombra.declarada;
    Valor::map([
        ("desde", text(&declared.desde)),
        ("porque", text(&declared.porque)),
        ("cota", declared.cota.clone().map_or(Valor::Null, Valor::Int)),
        ("perdona", Valor::from(sombra.perdona)),
    ])
}

/// A requirement as the surface writes it.
fn requirement(requiere: &Requiere) -> Valor {
    match requiere {
        Requiere::Relacion(relacion) => text(relacion),
        Requiere::Filas { relacion, alias, condicion } => {
            Valor::from(format!("{relacion} {alias} donde {}", imprimir_expr(condicion)))
        }
    }
}

fn text(text: &Text) -> Valor {
    Valor::Text(text.clone())
}
