//! `oracle_catalogo_efectivo`: what obliges this project, and what holds each measure in place.

use super::Call;
use crate::fault::Fault;
use crate::stability::stable;
use crate::{arguments, wire};
use nucleo::catalogo::{Catalogo, Entrada};
use nucleo::fallo::Fallo;
use nucleo::fijacion::{Fijaciones, ejercicio};
use nucleo::huella::Conjunto;
use nucleo::valor::{Map, Text, Valor};

/// Without ids the index of the effective catalogue, with ids the detail of those.
///
/// # Errors
/// Any domain fault that loading a catalogue or judging its fixation has.
pub fn run(call: &Call, arguments: Map) -> Result<Valor, Fault> {
    let ids = arguments::catalogue(arguments)?;
    answer(call, ids).map_err(|fallo| Fault::of(&fallo, call.proyecto.raiz(), "$.ids"))
}

fn answer(call: &Call, ids: Option<Vec<Text>>) -> Result<Valor, Fallo> {
    let lectura = call.lectura();
    lectura.escalares()?;
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    stable(&lectura, Conjunto::Catalogo, Some(&catalogo), |huella| {
        let fijaciones = ejercicio(&lectura, &catalogo)?;
        let detailed = ids.is_some();
        let medidas = match ids {
            None => index(&catalogo, &fijaciones)?,
            Some(ids) => details(&catalogo, &fijaciones, ids)?,
        };
        let mut members = wire::head("oracle.mcp/catalogo-efectivo/v1", call.proyecto.raiz());
        members.extend([
            ("huella_proyecto", Valor::from(huella)),
            ("detalle", Valor::from(detailed)),
            ("total", Valor::from(catalogo.efectivas().count())),
            ("medidas", Valor::List(medidas)),
        ]);
        Ok(Valor::map(members))
    })
}

fn index(catalogo: &Catalogo, fijaciones: &Fijaciones) -> Result<Vec<Valor>, Fallo> {
    catalogo.efectivas_por_id().map(|entrada| Ok(Valor::map(row(entrada, fijaciones)?))).collect()
}

/// Ordered by id, whatever the order of the request.
fn details(catalogo: &Catalogo, fijaciones: &Fijaciones, mut ids: Vec<Text>) -> Result<Vec<Valor>, Fallo> {
    ids.sort();
    let detail = |id: &Text| {
        let entrada = catalogo.efectiva(id)?;
        let mut members = row(entrada, fijaciones)?;
        members.extend(wire::detail(entrada));
        Ok(Valor::map(members))
    };
    ids.iter().map(detail).collect()
}

fn row(entrada: &Entrada, fijaciones: &Fijaciones) -> Result<wire::Members, Fallo> {
    let id = entrada.medida.id();
    let unjudged = || Fallo::EvidenciaIncompleta { motivo: format!("nadie juzgó «{id}»") };
    Ok(wire::index_row(entrada, fijaciones.de(id).ok_or_else(unjudged)?))
}
