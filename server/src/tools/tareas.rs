//! `oracle_tareas`: what the project's tracker of tasks says, without writing to it.

use super::Call;
use crate::arguments::{self, TrackerQuery};
use crate::fault::Fault;
use crate::stability::unchanged;
use crate::wire::{self, tracker};
use nucleo::tareas::{TareasError, Tracker, Vista};
use nucleo::valor::{Map, Valor};

/// Lists, shows, searches or states as facts.
///
/// # Errors
/// `ARGUMENTOS_INVALIDOS`, `TRACKER_AUSENTE`, `TRACKER_INVALIDO`, `TAREA_NO_ENCONTRADA`, `ID_AMBIGUO`,
/// `PROYECTO_CAMBIO_DURANTE_LA_CONSULTA`.
pub fn run(call: &Call, arguments: Map) -> Result<Valor, Fault> {
    let query = arguments::tracker(arguments)?;
    let raiz = call.proyecto.raiz();
    let lectura = call.lectura();
    let vista = Vista::new(&lectura);
    let outcome = answer(&vista, &query);
    unchanged(&vista).map_err(|fallo| Fault::of(&fallo, raiz, "$.accion"))?;
    let mut members = wire::head("oracle.mcp/tareas/v1", raiz);
    members.push(("accion", Valor::from(query.accion())));
    members.push(("resultado", outcome.map_err(|error| Fault::of_tracker(&error))?));
    Ok(Valor::map(members))
}

fn answer(vista: &Vista<'_>, query: &TrackerQuery) -> Result<Valor, TareasError> {
    let found = Tracker::abrir(vista)?;
    Ok(match query {
        TrackerQuery::Listar { estado, etiqueta } => {
            Valor::list(found.listar(*estado, etiqueta.as_deref()).into_iter().map(tracker::listed))
        }
        TrackerQuery::Ver(prefijo) => tracker::whole(found.ver(prefijo)?),
        TrackerQuery::Buscar(termino) => tracker::search(&found.buscar(termino)?),
        TrackerQuery::Hechos { git } => found.hechos(*git)?.evidencia(),
    })
}
