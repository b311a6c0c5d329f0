//! The base set that ships inside the program: measures about the language itself.
//!
//! Owns their texts and their identity. They load like any other source; nothing here is privileged, except
//! that a project needs no installation to be judged by them.

use crate::algebra::Contexto;
use crate::catalogo::medida_de_fuente;
use crate::fallo::Fallo;
use crate::macros::Macros;
use crate::medida::Medida;
use crate::proyecto::Fuente;

/// The measure that says which measures nothing exercises; `fijacion` is what it answers.
pub const EJERCITADA: &str = "meta.toda_medida_esta_ejercitada";
/// The measure that says which fingerprints of a differential are stale.
pub const FRESCURA: &str = "meta.ninguna_evidencia_se_juzga_con_referente_vencido";

/// A source under `base/`, with the path it is known by.
macro_rules! embebida {
    ($ruta:literal) => {
        ($ruta, include_str!(concat!("../base/", $ruta)))
    };
}

/// Path and text of each source, ordered by path.
const FUENTES: [(&str, &str); 2] = [
    embebida!("catalogos/meta/meta.ninguna_evidencia_se_juzga_con_referente_vencido.oracle"),
    embebida!("catalogos/meta/meta.toda_medida_esta_ejercitada.oracle"),
];

/// The sources of the base catalogue, in order.
pub(crate) fn fuentes() -> Vec<Fuente> {
    FUENTES.iter().map(|(ruta, texto)| Fuente::embebida(format!("embebido:{ruta}"), texto)).collect()
}

/// One measure of the base set, for what the core itself asks of it.
///
/// Errors: [`Fallo::EvidenciaIncompleta`] when the set does not have it or it does not load.
pub(crate) fn medida(id: &str, contexto: &Contexto<'_>) -> Result<Medida, Fallo> {
    let missing =
        |why: String| Fallo::EvidenciaIncompleta { motivo: format!("falta la medida jueza {id}{why}") };
    let fuente = fuentes().into_iter().find(|fuente| fuente.stem() == id);
    let fuente = fuente.ok_or_else(|| missing(String::new()))?;
    medida_de_fuente(&fuente, &Macros::estandar(), contexto).map_err(|why| missing(format!(": {why}")))
}
