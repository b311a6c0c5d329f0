//! The facts of the tracker, as relations of rows that a measure can judge.
//!
//! Owns which relations there are, their columns and their order. Judges nothing: a link to a file that is
//! missing is a fact here, and a fault only where a measure says so.

mod commit;
mod fence;
mod inventory;
mod line;
mod link;
mod reference;
mod span;

use super::auditoria::Record;
use super::git::{self, Repository};
use super::vista::{Entry, Kind, Vista};
use super::{AUXILIARES, DOCUMENTO, TEXT_LIMIT_BYTES, TareasError};
use crate::valor::{Integer, Valor};
use commit::Commit;
use inventory::{Archivo, Inventory};
use reference::Referencia;
use std::collections::{BTreeMap, BTreeSet};

/// The schema that the row of `lectura_seguimiento` names.
const ESQUEMA: &str = "oracle.tareas.hechos/v1";

/// Something that was not read or not resolved, so that what the facts say is not all there is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Omision {
    pub ruta: String,
    /// From 1; 0 when the whole of it was left out.
    pub linea: usize,
    pub motivo: String,
}

/// How far Git was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LecturaGit {
    NoSolicitado,
    SinRepositorio,
    Comprobado { head: Option<String> },
}

impl LecturaGit {
    fn as_str(&self) -> &'static str {
        match self {
            LecturaGit::NoSolicitado => "no_solicitado",
            LecturaGit::SinRepositorio => "sin_repositorio",
            LecturaGit::Comprobado { .. } => "comprobado",
        }
    }

    fn head(&self) -> &str {
        match self {
            LecturaGit::Comprobado { head: Some(head) } => head,
            _ => "",
        }
    }
}

/// The facts of one tracker.
#[derive(Debug)]
pub struct Hechos {
    archivos: Vec<Archivo>,
    commits: Vec<Commit>,
    git: LecturaGit,
    omisiones: BTreeSet<Omision>,
    referencias: Vec<Referencia>,
    tareas: Vec<Seguida>,
}

/// What is told of a task, and the measures that close it.
#[derive(Debug)]
struct Seguida {
    id: String,
    titulo: String,
    estado: &'static str,
    prioridad: Integer,
    ruta: String,
    sha256: String,
    cierra_con: Vec<String>,
}

/// Takes the facts of a tracker that was audited.
pub(super) fn extract(
    vista: &Vista<'_>,
    entries: &[Entry],
    records: &[Record],
    con_git: bool,
) -> Result<Hechos, TareasError> {
    expect_physical(vista, entries)?;
    let Inventory { mut archivos, nested, mut omisiones } = inventory::take(vista)?;
    let tareas = records.iter().map(|record| followed(vista, record)).collect::<Result<Vec<_>, _>>()?;
    let referencias = reference::collect(vista, &archivos, &mut omisiones)?;
    let (mut git, mut commits) = (LecturaGit::NoSolicitado, Vec::new());
    if con_git {
        git = LecturaGit::SinRepositorio;
        if let Some(repository) = git::locate(vista)? {
            git = ask(vista, &repository, &mut archivos, &nested)?;
            let estados: BTreeMap<&str, &str> = tareas.iter().map(|t| (&*t.id, t.estado)).collect();
            commits = repository.commits(vista)?.into_iter().map(|row| Commit::of(row, &estados)).collect();
            if repository.is_shallow(vista)? {
                omisiones.insert(shallow());
            }
        }
    }
    archivos.sort_by(|a, b| a.ruta.cmp(&b.ruta));
    Ok(Hechos { archivos, commits, git, omisiones, referencias, tareas })
}

/// Facts are taken of physical tasks only: a symlink would have one document counted as two.
fn expect_physical(vista: &Vista<'_>, entries: &[Entry]) -> Result<(), TareasError> {
    let mut wrong = Vec::new();
    for entry in entries.iter().filter(|e| !e.is_hidden() && !AUXILIARES.contains(&&*e.name)) {
        vista.check_cancelled()?;
        let document = entry.path.join(DOCUMENTO);
        let shown = vista.presentar(&document);
        match entry.kind {
            Kind::Symlink => {
                wrong.push(format!("{}: es un enlace simbólico", vista.presentar(&entry.path)));
            }
            Kind::Folder => {
                let stat = vista.stat(&document).map_err(|fault| vista.broken(&document, &fault))?;
                match stat {
                    Some(stat) if stat.kind == Kind::Symlink => {
                        wrong.push(format!("{shown}: es un enlace simbólico"));
                    }
                    Some(stat) if stat.size > TEXT_LIMIT_BYTES => {
                        wrong.push(format!("{shown}: pasa los {TEXT_LIMIT_BYTES} bytes"));
                    }
                    _ => {}
                }
            }
            Kind::File | Kind::Special => {}
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(vista.invalid(wrong)) }
}

fn followed(vista: &Vista<'_>, record: &Record) -> Result<Seguida, TareasError> {
    let tarea = &record.tarea;
    Ok(Seguida {
        id: tarea.id.clone(),
        titulo: tarea.titulo.clone(),
        estado: tarea.estado.as_str(),
        prioridad: tarea.prioridad.clone(),
        ruta: vista.presentar(&record.path),
        sha256: vista.sha256(&record.path).map_err(|fault| vista.broken(&record.path, &fault))?,
        cierra_con: tarea.cierra_con.clone(),
    })
}

/// Asks Git about every file of the inventory, and adds those that only Git knows.
fn ask(
    vista: &Vista<'_>,
    repository: &Repository,
    archivos: &mut Vec<Archivo>,
    nested: &[String],
) -> Result<LecturaGit, TareasError> {
    let tracked = repository.tracked(vista)?;
    for archivo in archivos.iter_mut() {
        archivo.git = Some(tracked.row(&archivo.ruta));
    }
    let known: BTreeSet<&str> =
        archivos.iter().map(|archivo| &*archivo.ruta).chain(nested.iter().map(String::as_str)).collect();
    let absent: Vec<Archivo> = tracked
        .paths()
        .filter(|ruta| !known.contains(ruta))
        .map(|ruta| Archivo::absent(ruta, tracked.row(ruta)))
        .collect();
    archivos.extend(absent);
    Ok(LecturaGit::Comprobado { head: tracked.head })
}

/// A history that was cut short is evidence with a hole in it, and says so.
fn shallow() -> Omision {
    Omision {
        ruta: ".git".to_owned(),
        linea: 0,
        motivo: "historia de git superficial: los commits anteriores al corte del clon no se leyeron"
            .to_owned(),
    }
}

impl Hechos {
    /// The facts as evidence: each relation with its rows, in the order in which they are published.
    pub fn evidencia(&self) -> Valor {
        Valor::map([
            ("archivo_seguimiento", Valor::list(self.archivos.iter().map(Archivo::row))),
            ("commit_seguimiento", Valor::list(self.commits.iter().map(Commit::row))),
            ("lectura_seguimiento", Valor::list([self.reading()])),
            ("omision_seguimiento", Valor::list(self.omisiones.iter().map(Omision::row))),
            ("referencia_seguimiento", Valor::list(self.referencias.iter().map(Referencia::row))),
            ("tarea_seguimiento", Valor::list(self.tareas.iter().map(Seguida::row))),
            ("tarea_cierre_medida", Valor::list(self.tareas.iter().flat_map(Seguida::closings))),
        ])
    }

    fn reading(&self) -> Valor {
        Valor::map([
            ("esquema", Valor::from(ESQUEMA)),
            ("completa", Valor::from(self.omisiones.is_empty())),
            ("git", Valor::from(self.git.as_str())),
            ("head", Valor::from(self.git.head())),
        ])
    }
}

impl Omision {
    fn row(&self) -> Valor {
        Valor::map([
            ("ruta", Valor::from(&*self.ruta)),
            ("linea", Valor::from(self.linea)),
            ("motivo", Valor::from(&*self.motivo)),
        ])
    }
}

impl Seguida {
    fn row(&self) -> Valor {
        Valor::map([
            ("id", Valor::from(&*self.id)),
            ("titulo", Valor::from(&*self.titulo)),
            ("estado_declarado", Valor::from(self.estado)),
            ("prioridad_declarada", Valor::Int(self.prioridad.clone())),
            ("ruta", Valor::from(&*self.ruta)),
            ("sha256_documento", Valor::from(&*self.sha256)),
        ])
    }

    fn closings(&self) -> impl Iterator<Item = Valor> {
        self.cierra_con.iter().map(|medida| {
            Valor::map([("tarea_id", Valor::from(&*self.id)), ("medida", Valor::from(&**medida))])
        })
    }
}

#[cfg(test)]
mod tests;
