//! The audit every query starts with: what lies directly under `tareas/`, and each task's document.
//!
//! Owns which names may be there and which symlinks may stand. A tracker with one bad record answers
//! nothing, so the audit goes on past the first and gathers them all.

use super::documento::Tarea;
use super::id::is_tarea_id;
use super::vista::{Entry, Kind, Vista};
use super::{AUXILIARES, DOCUMENTO, ETIQUETAS, TareasError};
use crate::proyecto::Fault;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most bytes that the documents of one tracker may add up to: they are held while the query lasts.
const DOCUMENTS_LIMIT_BYTES: u64 = 256 * 1024 * 1024;

/// A task with its document.
pub(super) struct Record {
    pub tarea: Tarea,
    /// Where the document physically lies.
    pub path: PathBuf,
}

/// Everything directly under `tareas/`, sorted, and the records in it.
pub(super) struct Audit {
    pub entries: Vec<Entry>,
    pub records: Vec<Record>,
}

/// Audits the folder of the tracker, which must be physical.
///
/// Errors: [`TareasError::Ausente`]; [`TareasError::Invalido`] with every record that is wrong.
pub(super) fn audit(vista: &Vista<'_>) -> Result<Audit, TareasError> {
    let folder = vista.carpeta();
    expect_folder(vista, &folder)?;
    let entries = vista.entries(&folder).map_err(|fault| vista.broken(&folder, &fault))?;
    let (mut records, mut wrong, mut total) = (Vec::new(), Vec::new(), 0);
    for entry in entries.iter().filter(|entry| !entry.is_hidden()) {
        vista.check_cancelled()?;
        match record(vista, &folder, entry, &mut total) {
            Ok(record) => records.extend(record),
            Err(reason) => wrong.push(reason),
        }
    }
    if wrong.is_empty() { Ok(Audit { entries, records }) } else { Err(vista.invalid(wrong)) }
}

fn expect_folder(vista: &Vista<'_>, folder: &Path) -> Result<(), TareasError> {
    let absent = || TareasError::Ausente { ruta: folder.display().to_string() };
    let stat = vista.stat(folder).map_err(|fault| vista.broken(folder, &fault))?.ok_or_else(absent)?;
    match stat.kind {
        Kind::Folder => Ok(()),
        Kind::Symlink if vista.target(folder).is_some_and(|(_, kind)| kind == Kind::Folder) => {
            Err(vista.invalid(vec![format!("{}: es un enlace simbólico", super::CARPETA)]))
        }
        _ => Err(absent()),
    }
}

/// The record that one entry is, if it is one; else why it may not be there.
fn record(
    vista: &Vista<'_>,
    folder: &Path,
    entry: &Entry,
    total: &mut u64,
) -> Result<Option<Record>, String> {
    let shown = vista.presentar(&entry.path);
    let kind = match entry.kind {
        Kind::Symlink if entry.name == ETIQUETAS => return Ok(None),
        Kind::Symlink => match inside(vista, folder, &entry.path) {
            Inside::Yes(_, kind) => kind,
            Inside::No => return Err(format!("{shown}: es un enlace simbólico que sale de tareas/")),
            Inside::Broken => return Err(format!("{shown}: es un enlace simbólico roto")),
        },
        kind => kind,
    };
    match kind {
        Kind::File if AUXILIARES.contains(&&*entry.name) => Ok(None),
        Kind::File => Err(format!("{shown}: no es una tarea ni un archivo del tracker")),
        Kind::Folder if !is_tarea_id(&entry.name) => {
            Err(format!("{shown}: el nombre de la carpeta no es un id de tarea"))
        }
        Kind::Folder => read(vista, folder, entry, total).map(Some),
        // A pipe or a device holds no record; the inventory of facts names it.
        Kind::Special | Kind::Symlink => Ok(None),
    }
}

/// Where a name leads, against the folder of the tracker.
enum Inside {
    Yes(PathBuf, Kind),
    No,
    Broken,
}

fn inside(vista: &Vista<'_>, folder: &Path, path: &Path) -> Inside {
    match vista.target(path) {
        None => Inside::Broken,
        Some((physical, kind)) if physical.starts_with(folder) => Inside::Yes(physical, kind),
        Some(_) => Inside::No,
    }
}

fn read(vista: &Vista<'_>, folder: &Path, entry: &Entry, total: &mut u64) -> Result<Record, String> {
    let document = entry.path.join(DOCUMENTO);
    let shown = vista.presentar(&document);
    let (path, bytes) =
        document_bytes(vista, folder, &document, total).map_err(|why| format!("{shown}: {why}"))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| format!("{shown}: {}", Fault::Encoding))?;
    let ruta = path.display().to_string();
    let tarea = Tarea::leer(text, &entry.name, ruta).map_err(|why| format!("{shown}: {why}"))?;
    Ok(Record { tarea, path })
}

/// Reads the document of a task: a file, or a symlink to a file under `tareas/`.
fn document_bytes(
    vista: &Vista<'_>,
    folder: &Path,
    document: &Path,
    total: &mut u64,
) -> Result<(PathBuf, Arc<[u8]>), String> {
    let (path, kind) = match inside(vista, folder, document) {
        Inside::Yes(path, kind) => (path, kind),
        Inside::No => return Err("es un enlace simbólico que sale de tareas/".to_owned()),
        Inside::Broken => return Err("falta, o es un enlace simbólico roto".to_owned()),
    };
    if kind != Kind::File {
        return Err("no es un archivo regular".to_owned());
    }
    let stat = vista.stat(&path).map_err(|fault| fault.to_string())?;
    let size = stat.map_or(0, |stat| stat.size);
    *total = total.saturating_add(size);
    if *total > DOCUMENTS_LIMIT_BYTES {
        return Err(format!("con él los documentos pasan los {DOCUMENTS_LIMIT_BYTES} bytes"));
    }
    let bytes = vista.document(&path, size).map_err(|fault| fault.to_string())?;
    Ok((path, bytes))
}
