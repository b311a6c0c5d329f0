//! Every file under `tareas/`, as facts: whose it is, what it is, how large.

use super::Omision;
use crate::proyecto::Fault;
use crate::tareas::git::Tracking;
use crate::tareas::vista::{Entry, Kind, Vista};
use crate::tareas::{DOCUMENTO, TareasError};
use crate::valor::{Integer, Valor};
use std::collections::BTreeSet;
use std::path::Path;

/// Folders where a version control system keeps its own.
const VERSION_CONTROL: [&str; 3] = [".git", ".hg", ".svn"];

/// One file of the tracker.
#[derive(Debug)]
pub(super) struct Archivo {
    /// Empty for what lies directly under `tareas/`.
    tarea_id: String,
    /// Relative to the root.
    pub ruta: String,
    clase: &'static str,
    tipo: &'static str,
    size_bytes: u64,
    /// What Git says of it, once asked.
    pub git: Option<Tracking>,
}

impl Archivo {
    fn new(ruta: String, tipo: &'static str, size_bytes: u64) -> Archivo {
        let mut parts = ruta.splitn(4, '/').skip(1);
        let (tarea_id, clase) = match (parts.next(), parts.next(), parts.next()) {
            (Some(id), Some(DOCUMENTO), None) => (id.to_owned(), "documento"),
            (Some(id), Some(_), _) => (id.to_owned(), "adjunto"),
            _ => (String::new(), "auxiliar"),
        };
        Archivo { tarea_id, ruta, clase, tipo, size_bytes, git: None }
    }

    /// A file that Git knows and the disk does not.
    pub fn absent(ruta: &str, git: Tracking) -> Archivo {
        Archivo { git: Some(git), ..Archivo::new(ruta.to_owned(), ABSENT, 0) }
    }

    /// Whether links are looked for in it.
    pub fn is_markdown(&self) -> bool {
        self.tipo == REGULAR && self.ruta.to_lowercase().ends_with(".md")
    }

    pub fn row(&self) -> Valor {
        let unknown = Tracking::default();
        let git = self.git.as_ref().unwrap_or(&unknown);
        Valor::map([
            ("tarea_id", Valor::from(&*self.tarea_id)),
            ("ruta", Valor::from(&*self.ruta)),
            ("clase", Valor::from(self.clase)),
            ("tipo", Valor::from(self.tipo)),
            (
                "tamano_bytes",
                Valor::Int(Integer::from(usize::try_from(self.size_bytes).unwrap_or(usize::MAX))),
            ),
            ("existe", Valor::from(self.tipo != ABSENT)),
            ("git_comprobado", Valor::from(self.git.is_some())),
            ("en_indice", Valor::from(git.en_indice)),
            ("en_head", Valor::from(git.en_head)),
            ("ignorado", Valor::from(git.ignorado)),
            ("indice", Valor::from(git.indice())),
            ("trabajo", Valor::from(git.trabajo())),
        ])
    }
}

const REGULAR: &str = "regular";
const ABSENT: &str = "ausente";

/// What lies under `tareas/`.
pub(super) struct Inventory {
    /// In no order that matters.
    pub archivos: Vec<Archivo>,
    /// Folders that are repositories of their own: there, and not looked into.
    pub nested: Vec<String>,
    pub omisiones: BTreeSet<Omision>,
}

/// Takes the inventory. Symlinks are named, never followed.
pub(super) fn take(vista: &Vista<'_>) -> Result<Inventory, TareasError> {
    let mut inventory = Inventory { archivos: Vec::new(), nested: Vec::new(), omisiones: BTreeSet::new() };
    let mut pending = vec![vista.carpeta()];
    while let Some(folder) = pending.pop() {
        vista.check_cancelled()?;
        for entry in vista.entries(&folder).map_err(|fault| vista.broken(&folder, &fault))? {
            if !entry.is_utf8() {
                return Err(vista.broken(&entry.path, &Fault::Name));
            }
            if inventory.enters(vista, &entry)? {
                pending.push(entry.path);
            }
        }
    }
    Ok(inventory)
}

impl Inventory {
    /// Takes one entry in; tells whether it is a folder to be looked into.
    fn enters(&mut self, vista: &Vista<'_>, entry: &Entry) -> Result<bool, TareasError> {
        let ruta = vista.presentar(&entry.path);
        if VERSION_CONTROL.contains(&&*entry.name) && is_folder_or_leads_to_one(vista, entry) {
            self.omit(&ruta, "metadatos de control de versiones");
            return Ok(false);
        }
        match entry.kind {
            Kind::Folder if holds_repository(vista, &entry.path) => {
                self.omit(&ruta, "repositorio anidado");
                self.nested.push(ruta);
            }
            Kind::Folder => return Ok(true),
            Kind::File => {
                let size = size(vista, &entry.path)?;
                self.archivos.push(Archivo::new(ruta, REGULAR, size));
            }
            Kind::Symlink => {
                self.omit(&ruta, "enlace simbólico en el tracker");
                let size = size(vista, &entry.path)?;
                self.archivos.push(Archivo::new(ruta, "enlace", size));
            }
            Kind::Special => {
                self.omit(&ruta, "archivo especial en el tracker (FIFO/dispositivo/socket)");
                self.archivos.push(Archivo::new(ruta, "especial", 0));
            }
        }
        Ok(false)
    }

    fn omit(&mut self, ruta: &str, motivo: &str) {
        self.omisiones.insert(Omision { ruta: ruta.to_owned(), linea: 0, motivo: motivo.to_owned() });
    }
}

fn is_folder_or_leads_to_one(vista: &Vista<'_>, entry: &Entry) -> bool {
    match entry.kind {
        Kind::Folder => true,
        Kind::Symlink => vista.target(&entry.path).is_some_and(|(_, kind)| kind == Kind::Folder),
        Kind::File | Kind::Special => false,
    }
}

fn holds_repository(vista: &Vista<'_>, folder: &Path) -> bool {
    vista.target(&folder.join(".git")).is_some()
}

fn size(vista: &Vista<'_>, path: &Path) -> Result<u64, TareasError> {
    let stat = vista.stat(path).map_err(|fault| vista.broken(path, &fault))?;
    Ok(stat.ok_or_else(|| vista.broken(path, &Fault::Missing))?.size)
}
