//! `oracle_tareas`: what the project's tracker of tasks says, without writing to it.

use super::Call;
use crate::arguments::{self, TrackerQuery};
use crate::fault::Fault;
use crate::wire::{self, tracker};
use nucleo::tareas::{TareasError, Tracker, consultar};
use nucleo::valor::{Map, Valor};

/// Lists, shows, searches or states as facts.
///
/// # Errors
/// `ARGUMENTOS_INVALIDOS`, `TRACKER_AUSENTE`, `TRACKER_INVALIDO`, `TAREA_NO_ENCONTRADA`, `ID_AMBIGUO`,
/// `PROYECTO_CAMBIO_DURANTE_LA_CONSULTA`.
pub fn run(call: &Call, arguments: Map) -> Result<Valor, Fault> {
    let query = arguments::tracker(arguments)?;
    let found = consultar(&call.lectura(), |tracker| answer(tracker, &query));
    let found = found.map_err(|error| Fault::of_tracker(&error))?;
    let mut members = wire::head("oracle.mcp/tareas/v1", call.proyecto.raiz());
    members.extend([("accion", Valor::from(query.accion())), ("resultado", found)]);
    Ok(Valor::map(members))
}

fn answer(asked: &Tracker<'_>, query: &TrackerQuery) -> Result<Valor, TareasError> {
    Ok(match query {
        TrackerQuery::Listar { estado, etiqueta } => {
            Valor::list(asked.listar(*estado, etiqueta.as_deref()).into_iter().map(tracker::listed))
        }
        TrackerQuery::Ver(prefijo) => tracker::whole(asked.ver(prefijo)?),
        TrackerQuery::Buscar(termino) => tracker::search(&asked.buscar(termino)?),
        TrackerQuery::Hechos { git } => asked.hechos(*git)?.evidencia(),
    })
}
