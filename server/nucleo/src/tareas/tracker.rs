//! The tracker once it was audited, and the queries that list tasks and show one.
//!
//! Owns which tasks a query means and in which order they are told.

use super::auditoria::{Audit, Record, audit};
use super::documento::{Estado, Tarea};
use super::id::{Prefijo, is_tarea_id};
use super::text::trim;
use super::vista::{Entry, Kind, Vista};
use super::{Busqueda, Hechos, TareasError, Termino, busqueda, hechos};
use crate::proyecto::Lectura;
use std::cmp::Reverse;

/// Opens the tracker of a project, asks it, and does every look of that again: an answer, or a failure, that
/// mixes two states of the project is worth nothing.
///
/// Errors: [`TareasError::Cambio`] whatever came out, when something that was looked at is another thing now;
/// [`TareasError::Ausente`]; [`TareasError::Invalido`] with every record that is wrong; what `query` fails
/// with; [`TareasError::Cancelado`].
pub fn consultar<T>(
    lectura: &Lectura,
    query: impl FnOnce(&Tracker<'_>) -> Result<T, TareasError>,
) -> Result<T, TareasError> {
    let vista = Vista::new(lectura);
    let outcome = Tracker::abrir(&vista).and_then(|tracker| query(&tracker));
    vista.check_cancelled()?;
    let (inicial, actual) = (vista.huella(), vista.huella_actual());
    if inicial == actual { outcome } else { Err(TareasError::Cambio { inicial, actual }) }
}

/// A tracker whose records are all valid.
pub struct Tracker<'a> {
    vista: &'a Vista<'a>,
    entries: Vec<Entry>,
    records: Vec<Record>,
}

impl<'a> Tracker<'a> {
    /// Audits the tracker of the project that `vista` looks at.
    pub(super) fn abrir(vista: &'a Vista<'a>) -> Result<Tracker<'a>, TareasError> {
        let Audit { entries, records } = audit(vista)?;
        Ok(Tracker { vista, entries, records })
    }

    /// The tasks in that state, with that label if one is given: the highest priority first, then by id.
    /// Labels are compared whole, whatever their case and the white space around them; an empty one asks for
    /// nothing.
    pub fn listar(&self, estado: Estado, etiqueta: Option<&str>) -> Vec<&Tarea> {
        let label = etiqueta.filter(|label| !label.is_empty()).map(trim);
        let mut found: Vec<&Tarea> = self
            .records
            .iter()
            .map(|record| &record.tarea)
            .filter(|tarea| tarea.estado == estado)
            .filter(|tarea| label.is_none_or(|label| tarea.has_label(label)))
            .collect();
        found.sort_by_key(|tarea| (Reverse(&tarea.prioridad), &tarea.id));
        found
    }

    /// The one task of that id, or whose id begins with it, or ends with it behind its stamp.
    ///
    /// Errors: [`TareasError::NoEncontrada`]; [`TareasError::Ambiguo`]; [`TareasError::Invalido`] when a
    /// symlink that is no task has that very name.
    pub fn ver(&self, prefijo: &Prefijo) -> Result<&Tarea, TareasError> {
        if let Some(exact) = self.task(prefijo.as_str()) {
            return Ok(exact);
        }
        let named = |entry: &&Entry| entry.name == prefijo.as_str() && entry.kind == Kind::Symlink;
        if let Some(entry) = self.entries.iter().find(named) {
            let shown = self.vista.presentar(&entry.path);
            return Err(self.vista.invalid(vec![format!("{shown}: es un enlace simbólico y no una tarea")]));
        }
        let ids: Vec<&str> = self
            .entries
            .iter()
            .map(|entry| &*entry.name)
            .filter(|name| is_tarea_id(name) && prefijo.could_mean(name))
            .collect();
        let absent = || TareasError::NoEncontrada { id: prefijo.as_str().to_owned() };
        match ids[..] {
            [] => Err(absent()),
            [id] => self.task(id).ok_or_else(absent),
            _ => Err(TareasError::Ambiguo {
                prefijo: prefijo.as_str().to_owned(),
                ids: ids.into_iter().map(str::to_owned).collect(),
            }),
        }
    }

    /// Every line under `tareas/` that holds the text, and what was not looked through.
    ///
    /// Errors: [`TareasError::Invalido`] for what cannot be read or told; [`TareasError::Cancelado`].
    pub fn buscar(&self, termino: &Termino) -> Result<Busqueda, TareasError> {
        busqueda::search(self.vista, &self.entries, termino)
    }

    /// The facts of the tracker as relations that a measure can judge; with `git`, also what Git knows of it.
    ///
    /// Errors: [`TareasError::Invalido`] also for a central document that is a symlink or too large;
    /// [`TareasError::Git`]; [`TareasError::Cancelado`].
    pub fn hechos(&self, git: bool) -> Result<Hechos, TareasError> {
        hechos::extract(self.vista, &self.entries, &self.records, git)
    }

    fn task(&self, id: &str) -> Option<&Tarea> {
        let records = &self.records;
        records.binary_search_by(|record| (*record.tarea.id).cmp(id)).ok().map(|at| &records[at].tarea)
    }
}
