//! `oracle_juzgar`: whether the evidence that came with the call complies with everything that obliges.

use super::Call;
use crate::fault::Fault;
use crate::stability::stable;
use crate::{arguments, wire};
use nucleo::algebra::Evidencia;
use nucleo::fallo::Fallo;
use nucleo::huella::{Conjunto, entrada_sha256_de_juicio};
use nucleo::juicio::{Informe, informe};
use nucleo::valor::{Map, Text, Valor};

/// Judges the evidence by the effective catalogue, or by the measures that are asked for.
///
/// # Errors
/// Any domain fault that loading or selecting has, and `EVIDENCIA_INVALIDA` or `LIMITE_DE_ALGEBRA` for the
/// evidence as a whole. What one measure fails with is part of the answer.
pub fn run(call: &Call, arguments: Map) -> Result<Valor, Fault> {
    let (ids, evidence) = arguments::judgement(arguments)?;
    answer(call, ids.as_deref(), evidence).map_err(|fallo| Fault::of(&fallo, call.proyecto.raiz(), "$.ids"))
}

fn answer(call: &Call, ids: Option<&[Text]>, evidence: Valor) -> Result<Valor, Fallo> {
    let lectura = call.lectura();
    lectura.escalares()?;
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    // Nothing here depends on the declared relations, but a project that does not load whole judges nothing.
    lectura.relaciones()?;
    stable(&lectura, Conjunto::Evaluacion, Some(&catalogo), |_| {
        let configuracion = lectura.configuracion()?;
        let evidencia = Evidencia::from_valor(evidence)?;
        let informe = informe(&catalogo, &configuracion, ids, &evidencia, &lectura.contexto())?;
        let medidas = informe.juzgadas.iter().map(|juzgada| juzgada.medida);
        let entrada = entrada_sha256_de_juicio(medidas, &evidencia);
        let advertencias = warnings(&informe);
        let mut members = wire::head("oracle.mcp/juzgar/v1", call.proyecto.raiz());
        members.push(("entrada_sha256", Valor::from(entrada)));
        members.push(("ok", Valor::from(informe.ok())));
        members.extend(wire::report(informe));
        members.push(("advertencias", Valor::list(advertencias)));
        Ok(Valor::map(members))
    })
}

fn warnings(informe: &Informe<'_>) -> Option<Valor> {
    let nothing = "Ninguna medida del catálogo efectivo aplica a las relaciones de esta evidencia: no se juzgó nada, \
                   y eso no es un verde.";
    (!informe.aplico_alguna()).then(|| Valor::from(nothing))
}
