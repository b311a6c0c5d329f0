//! `oracle_evaluar`: what one measure says of the evidence that came with the call.

use super::Call;
use crate::arguments::{self, MeasureSource};
use crate::fault::Fault;
use crate::stability::stable;
use crate::wire;
use nucleo::alcance::alcance_derivado;
use nucleo::algebra::Evidencia;
use nucleo::catalogo::medida_de_texto;
use nucleo::fallo::Fallo;
use nucleo::huella::{Conjunto, evaluar_con_entrada};
use nucleo::juicio::Sombra;
use nucleo::medida::Medida;
use nucleo::proyecto::{Configuracion, Lectura};
use nucleo::relacion::Relacion;
use nucleo::valor::{Map, Valor};

/// Judges the evidence by a measure of the effective catalogue or by one that is only text.
///
/// # Errors
/// Any domain fault that loading, reading the measure or evaluating has.
pub fn run(call: &Call, arguments: Map) -> Result<Valor, Fault> {
    let (source, evidence) = arguments::evaluation(arguments)?;
    let (subject, outcome) = match source {
        MeasureSource::Id(id) => ("$.medida.id", by_id(call, &id, evidence)),
        MeasureSource::Text(text) => ("$.medida.texto", by_text(call, &text, evidence)),
    };
    outcome.map_err(|fallo| Fault::of(&fallo, call.proyecto.raiz(), subject))
}

fn by_id(call: &Call, id: &str, evidence: Valor) -> Result<Valor, Fallo> {
    let lectura = call.lectura();
    lectura.escalares()?;
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    let relaciones = lectura.relaciones()?;
    stable(&lectura, Conjunto::Evaluacion, Some(&catalogo), |_| {
        let medida = &catalogo.efectiva(id)?.medida;
        evaluate(&lectura, medida, evidence, &relaciones, &lectura.configuracion()?)
    })
}

/// A text is nobody's: no shadow of the project covers it.
fn by_text(call: &Call, text: &str, evidence: Valor) -> Result<Valor, Fallo> {
    let lectura = call.lectura();
    lectura.escalares()?;
    let macros = lectura.macros()?;
    let relaciones = lectura.relaciones()?;
    stable(&lectura, Conjunto::EvaluacionDeTexto, None, |_| {
        let medida = medida_de_texto(text, &macros, &lectura.contexto())?;
        evaluate(&lectura, &medida, evidence, &relaciones, &Configuracion::default())
    })
}

fn evaluate(
    lectura: &Lectura,
    medida: &Medida,
    evidence: Valor,
    relaciones: &[Relacion],
    configuracion: &Configuracion,
) -> Result<Valor, Fallo> {
    let evidencia = Evidencia::from_valor(evidence)?;
    let (veredicto, entrada) = evaluar_con_entrada(medida, &evidencia, &lectura.contexto())?;
    let mut members = wire::head("oracle.mcp/evaluacion/v2", lectura.proyecto().raiz());
    members.push(("entrada_sha256", Valor::from(entrada)));
    members.extend(wire::verdict(medida, &veredicto, Sombra::sobre(configuracion, &veredicto))?);
    let derived = alcance_derivado(medida, relaciones).into_iter().map(Valor::from);
    members.push(("alcance_derivado", Valor::list(derived)));
    members.push(("advertencias", Valor::list(warnings(medida, &evidencia, relaciones))));
    Ok(Valor::map(members))
}

/// What a reader might take for granted and should not.
fn warnings(medida: &Medida, evidencia: &Evidencia, relaciones: &[Relacion]) -> Vec<Valor> {
    let undeclared = relaciones.is_empty().then(|| {
        "El proyecto no declara relaciones: alcance_derivado está vacío y no dice que la medida lea todos \
         los campos."
            .to_owned()
    });
    let unrequired = medida.consumidas_sin_declarar(evidencia).into_iter().map(|relacion| {
        format!(
            "La medida consume «{relacion}» sin declararla en requiere, y la evidencia no trajo filas \
             de esa relación: el resultado es el del álgebra sobre ninguna fila."
        )
    });
    undeclared.into_iter().chain(unrequired).map(Valor::from).collect()
}
