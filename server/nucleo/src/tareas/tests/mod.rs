//! The tracker, by its parts and on disk.

mod disk;
mod format;
mod git;
mod view;

use super::vista::Vista;
use super::{Estado, Prefijo, TareasError, Termino, Tracker, consultar};
use crate::proyecto::disk::Disk;
use crate::valor::Valor;

/// The document of a task in that state, with a body.
pub(super) fn document(estado: &str, body: &str) -> String {
    format!("# Título\n\n- ESTADO: {estado}\n- PRIORIDAD: 50\n\n{body}\n")
}

/// A project whose tracker holds these files, by their paths under `tareas/`.
pub(super) fn tracker(files: &[(&str, &str)]) -> Disk {
    let disk = Disk::new();
    std::fs::create_dir_all(disk.path("tareas")).unwrap();
    for (path, text) in files {
        disk.write(&format!("tareas/{path}"), text);
    }
    disk
}

pub(super) const ONE: &str = "20260101-000000-uno";

/// A project whose tracker holds one open task with that body.
pub(super) fn one(body: &str) -> Disk {
    tracker(&[(&format!("{ONE}/TAREA.md"), &document("ABIERTA", body))])
}

/// What a query answers over the project as it is now.
pub(super) fn ask<T>(
    disk: &Disk,
    query: impl FnOnce(&Tracker<'_>) -> Result<T, TareasError>,
) -> Result<T, TareasError> {
    consultar(&disk.lectura(), query)
}

/// The ids of the tasks that are listed.
fn listed(disk: &Disk, estado: Estado, etiqueta: Option<&str>) -> Result<Vec<String>, TareasError> {
    ask(disk, |tracker| Ok(tracker.listar(estado, etiqueta).iter().map(|tarea| tarea.id.clone()).collect()))
}

fn seen(disk: &Disk, id: &str) -> Result<String, TareasError> {
    ask(disk, |tracker| tracker.ver(&Prefijo::parse(id).unwrap()).map(|tarea| tarea.id.clone()))
}

/// What a search finds, as `path:line`, and what it leaves out, as `path: reason`.
fn searched(disk: &Disk, texto: &str) -> Result<(Vec<String>, Vec<String>), TareasError> {
    let found = ask(disk, |tracker| tracker.buscar(&Termino::parse(texto).unwrap()))?;
    let hits = found.coincidencias.iter().map(|hit| format!("{}:{}", hit.ruta, hit.linea));
    let omitted = found.omitidos.iter().map(|omitted| format!("{}: {}", omitted.ruta, omitted.motivo));
    Ok((hits.collect(), omitted.collect()))
}

/// The rows of one relation of the facts.
pub(super) fn rows(disk: &Disk, relation: &str, git: bool) -> Result<Vec<Valor>, TareasError> {
    let facts = ask(disk, |tracker| tracker.hechos(git).map(|facts| facts.evidencia()))?;
    Ok(facts.as_map().unwrap().get(relation).unwrap().as_list().unwrap().to_vec())
}

/// One column of some rows, as compact JSON.
pub(super) fn column(rows: &[Valor], name: &str) -> Vec<String> {
    rows.iter().map(|row| row.as_map().unwrap().get(name).unwrap().to_compact()).collect()
}

/// The records that make a tracker invalid.
#[track_caller]
pub(super) fn records<T: std::fmt::Debug>(outcome: Result<T, TareasError>) -> Vec<String> {
    match outcome {
        Err(TareasError::Invalido { registros, .. }) => registros,
        other => panic!("expected invalid records, got {other:?}"),
    }
}
