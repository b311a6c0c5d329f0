//! One call's consistent view of a project: each file read from disk once, each folder walked once.
//!
//! Owns what was read, so that what was parsed is what gets fingerprinted, and the confinement of every
//! source to physical files under the root. Must not parse what it reads.

use super::archivo::{self, Depth, Entry, Fault, Kind, WalkFault};
use super::{Fuente, Proyecto};
use crate::algebra::{Cancellation, Contexto, Escalares, EscalaresBase, LimitesAlgebra};
use crate::escalares::{EscalaresDelProyecto, WorkerFault};
use crate::fallo::Fallo;
use crate::huella::Sha256Text;
use crate::instalacion::Bibliotecas;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a call brings besides the project.
#[derive(Clone, Debug, Default)]
pub struct Opciones {
    /// The budgets of the algebra, also while sources load.
    pub limites: LimitesAlgebra,
    /// The call's cancellation, looked at between files and between evaluations.
    pub cancellation: Cancellation,
}

/// The folders of a project that the core reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Carpeta {
    Catalogos,
    Corpus,
    Diferencial,
    Macros,
    Relaciones,
}

impl Carpeta {
    pub(crate) fn nombre(self) -> &'static str {
        match self {
            Carpeta::Catalogos => "catalogos",
            Carpeta::Corpus => "corpus",
            Carpeta::Diferencial => "diferencial",
            Carpeta::Macros => "macros",
            Carpeta::Relaciones => "relaciones",
        }
    }

    /// Extensions of the files that are sources.
    fn extensiones(self) -> &'static [&'static str] {
        match self {
            Carpeta::Catalogos | Carpeta::Macros => &["oracle", "json"],
            Carpeta::Corpus => &["caso", "json"],
            Carpeta::Diferencial => &["json"],
            Carpeta::Relaciones => &["relacion", "oracle", "json"],
        }
    }

    /// Whether a path is, by its name, a source of this folder.
    pub(crate) fn is_source(self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| self.extensiones().contains(&extension))
    }

    /// Whether a fingerprint covers every file of the folder, whatever its extension. Then nothing in it may
    /// be a symlink; elsewhere only sources are held to that.
    fn is_fingerprinted_whole(self) -> bool {
        self != Carpeta::Catalogos
    }
}

/// Bytes that were read, or why they were not: the same answer for as long as the view lives.
type Read = Result<Arc<[u8]>, Fault>;

/// What a folder that is none of the project's own held; none where there is no folder.
type Listing = Option<Arc<[Entry]>>;

/// One call's view of a project. Every file is read from disk at most once, every folder walked at most once.
#[derive(Debug)]
pub struct Lectura {
    proyecto: Proyecto,
    opciones: Opciones,
    files: RefCell<BTreeMap<PathBuf, Read>>,
    /// How many bytes more may be kept.
    pub(super) room: Cell<u64>,
    folders: RefCell<BTreeMap<Carpeta, Option<Arc<[Entry]>>>>,
    /// Folders of the installation, by how far down they were walked.
    listings: RefCell<BTreeMap<(PathBuf, Depth), Listing>>,
    /// The libraries of the installation, once somebody asked for them.
    bibliotecas: OnceCell<Bibliotecas>,
    /// SHA-256 of files that were hashed without being kept.
    digests: RefCell<BTreeMap<PathBuf, Result<String, Fault>>>,
    /// The project's own scalar functions, once they run.
    escalares: OnceCell<EscalaresDelProyecto>,
}

impl Lectura {
    pub(super) fn new(proyecto: Proyecto, opciones: Opciones) -> Lectura {
        Lectura {
            proyecto,
            opciones,
            files: RefCell::default(),
            room: Cell::new(archivo::SOURCES_LIMIT_BYTES),
            folders: RefCell::default(),
            listings: RefCell::default(),
            bibliotecas: OnceCell::new(),
            digests: RefCell::default(),
            escalares: OnceCell::new(),
        }
    }

    /// The project this is a view of.
    pub fn proyecto(&self) -> &Proyecto {
        &self.proyecto
    }

    /// The budgets this view loads and evaluates with.
    pub fn limites(&self) -> &LimitesAlgebra {
        &self.opciones.limites
    }

    /// The cancellation this view obeys.
    pub fn cancellation(&self) -> &Cancellation {
        &self.opciones.cancellation
    }

    /// What measures of this project load and evaluate with: the scalar functions of the language, and those of
    /// the project once [`Lectura::escalares`] ran them.
    pub fn contexto(&self) -> Contexto<'_> {
        let escalares = self.escalares.get().map_or(&EscalaresBase as &dyn Escalares, |own| own);
        Contexto { limites: self.limites(), cancellation: self.cancellation(), escalares }
    }

    /// Runs what the project brings as scalar functions of its own, for as long as this view lives. They are code:
    /// where nobody trusted them the call is held back, for no catalogue loads without them.
    ///
    /// Errors: [`Fallo::EscalaresNoAutorizadas`]; [`Fallo::ProyectoInvalido`] when the name is a symlink that
    /// leads nowhere, and when a trusted one is no physical file; [`Fallo::CatalogoInvalido`] when it does not load.
    /// Contract: "Autoridad y modelo de ejecución".
    pub fn escalares(&self) -> Result<(), Fallo> {
        let Some(path) = self.archivo_de_escalares()? else { return Ok(()) };
        if !self.proyecto.confia_en_escalares() {
            return Err(Fallo::EscalaresNoAutorizadas { archivo: path.display().to_string() });
        }
        if self.escalares.get().is_some() {
            return Ok(());
        }
        let broken = |fuente: String, motivo: String| Fallo::CatalogoInvalido { fuente, motivo };
        let fuente = self.fuente(&path, broken)?;
        let own = EscalaresDelProyecto::cargar(self.proyecto.ruta(), fuente.bytes(), self.cancellation())
            .map_err(|fault| match fault {
                WorkerFault::Cancelled => Fallo::Cancelado,
                fault => broken(fuente.presentada().to_owned(), fault.to_string()),
            })?;
        self.escalares.get_or_init(|| own);
        Ok(())
    }

    /// Where the project's own scalar functions are; `None` when it brings none.
    fn archivo_de_escalares(&self) -> Result<Option<PathBuf>, Fallo> {
        let path = self.ruta(ESCALARES);
        match path.symlink_metadata() {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Ok(metadata) if metadata.is_symlink() && !path.exists() => {
                Err(self.invalid(&path, &Fault::Symlink))
            }
            _ => Ok(Some(path)),
        }
    }

    /// Fails with [`Fallo::Cancelado`] once the caller asked to stop.
    pub(crate) fn check_cancelled(&self) -> Result<(), Fallo> {
        if self.opciones.cancellation.requested() { Err(Fallo::Cancelado) } else { Ok(()) }
    }

    /// The absolute path of something directly under the root.
    pub(crate) fn ruta(&self, nombre: &str) -> PathBuf {
        self.proyecto.ruta().join(nombre)
    }

    /// How `path` is shown: relative to the root when it lies under it, else whole.
    pub(crate) fn presentar(&self, path: &Path) -> String {
        path.strip_prefix(self.proyecto.ruta()).unwrap_or(path).display().to_string()
    }

    /// That `path` makes the project invalid.
    pub(crate) fn invalid(&self, path: &Path, fault: &Fault) -> Fallo {
        Fallo::ProyectoInvalido { motivo: format!("«{}» {fault}", self.presentar(path)) }
    }

    /// Everything under a folder, ordered by path; `None` when the project has no such folder.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] when the folder is no physical folder, cannot be listed whole, or
    /// holds what could bring in sources from elsewhere.
    pub(crate) fn carpeta(&self, carpeta: Carpeta) -> Result<Option<Arc<[Entry]>>, Fallo> {
        if let Some(known) = self.folders.borrow().get(&carpeta) {
            return Ok(known.clone());
        }
        let entries = self.walk(carpeta)?;
        self.folders.borrow_mut().insert(carpeta, entries.clone());
        Ok(entries)
    }

    fn walk(&self, carpeta: Carpeta) -> Result<Option<Arc<[Entry]>>, Fallo> {
        let path = self.ruta(carpeta.nombre());
        let kind = match path.symlink_metadata() {
            Ok(metadata) => metadata.file_type(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(self.invalid(&path, &Fault::Refused(e.to_string()))),
        };
        if !kind.is_dir() {
            let motivo = format!("`{}/` tiene que ser una carpeta física", carpeta.nombre());
            return Err(Fallo::ProyectoInvalido { motivo });
        }
        let entries = self.entries(&path, Depth::Whole)?;
        for entry in &entries {
            let brings_elsewhere = match entry.kind {
                Kind::File | Kind::Folder => false,
                Kind::SymlinkToFolder => true,
                Kind::Symlink | Kind::Special => carpeta.is_fingerprinted_whole(),
            };
            if let (true, Some(fault)) = (brings_elsewhere, entry.fault()) {
                return Err(self.invalid(&entry.path, &fault));
            }
        }
        Ok(Some(entries.into()))
    }

    fn entries(&self, folder: &Path, depth: Depth) -> Result<Vec<Entry>, Fallo> {
        archivo::walk(folder, depth, self.cancellation()).map_err(|fault| match fault {
            WalkFault::At(at, fault) => self.invalid(&at, &fault),
            WalkFault::TooMany => Fallo::ProyectoInvalido {
                motivo: format!("`{}/` pasa las {} entradas", self.presentar(folder), archivo::ENTRIES_LIMIT),
            },
            WalkFault::Cancelled => Fallo::Cancelado,
        })
    }

    /// What a folder of the installation holds, ordered by path; `None` when there is no such folder.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] when it is reached through a symlink or cannot be listed whole.
    pub(crate) fn listado(&self, folder: &Path, depth: Depth) -> Result<Listing, Fallo> {
        let key = (folder.to_owned(), depth);
        if let Some(known) = self.listings.borrow().get(&key) {
            return Ok(known.clone());
        }
        let listing = match folder.canonicalize() {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(self.invalid(folder, &Fault::Refused(e.to_string()))),
            Ok(physical) if physical != folder => return Err(self.invalid(folder, &Fault::Symlink)),
            Ok(_) => Some(self.entries(folder, depth)?.into()),
        };
        self.listings.borrow_mut().insert(key, listing);
        Ok(self.listings.borrow()[&(folder.to_owned(), depth)].clone())
    }

    /// The libraries of the installation, worked out by `find` the first time.
    pub(crate) fn bibliotecas(&self, find: impl FnOnce() -> Bibliotecas) -> &Bibliotecas {
        self.bibliotecas.get_or_init(find)
    }

    /// The entries of a folder that are sources by their extension, whether they can be read or not.
    ///
    /// Errors: as [`Lectura::carpeta`], and for a source that is a symlink or no regular file.
    pub(crate) fn fuentes(&self, carpeta: Carpeta) -> Result<Vec<PathBuf>, Fallo> {
        let mut found = Vec::new();
        for entry in self.carpeta(carpeta)?.iter().flat_map(|entries| entries.iter()) {
            if !carpeta.is_source(&entry.path) {
                continue;
            }
            if let Some(fault) = entry.fault().filter(Fault::is_structural) {
                return Err(self.invalid(&entry.path, &fault));
            }
            found.push(entry.path.clone());
        }
        Ok(found)
    }

    /// The bytes of a physical file, read from disk the first time they are asked for.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Arc<[u8]>, Fault> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let read: Read = archivo::read_within(self.room.get(), path).map(Arc::from);
        self.room.update(|room| room - read.as_ref().map_or(0, |bytes| bytes.len() as u64));
        self.files.borrow_mut().insert(path.to_owned(), read.clone());
        read
    }

    /// One source of the project with its bytes.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] when it is no physical file; whatever `unreadable` makes of the
    /// presented path and the reason when the file itself cannot be read.
    pub(crate) fn fuente(
        &self,
        path: &Path,
        unreadable: impl FnOnce(String, String) -> Fallo,
    ) -> Result<Fuente, Fallo> {
        self.check_cancelled()?;
        let presentada = self.presentar(path);
        match self.bytes(path) {
            Ok(bytes) => Ok(Fuente::de_archivo(path, presentada, bytes)),
            Err(fault) if fault.is_structural() => Err(self.invalid(path, &fault)),
            Err(fault) => Err(unreadable(presentada, fault.to_string())),
        }
    }

    /// Hands the bytes of a physical file to `sink`: the ones this view read, else from disk without keeping
    /// more of them than their SHA-256.
    pub(crate) fn stream(&self, path: &Path, sink: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
        let known = self.files.borrow().get(path).cloned();
        if let Some(read) = known {
            return read.map(|bytes| sink(&bytes));
        }
        let mut hasher = Sha256Text::new();
        let streamed = archivo::stream(path, self.cancellation(), &mut |piece| {
            hasher.update(piece);
            sink(piece);
        });
        let digest = streamed.clone().map(|()| hasher.finish());
        self.digests.borrow_mut().insert(path.to_owned(), digest);
        streamed
    }

    /// SHA-256, in hexadecimal, of a physical file that nobody parses; worked out once.
    pub(crate) fn digest(&self, path: &Path) -> Result<String, Fault> {
        if let Some(known) = self.digests.borrow().get(path) {
            return known.clone();
        }
        let mut hasher = Sha256Text::new();
        let digest = self.stream(path, &mut |piece| hasher.update(piece)).map(|()| hasher.finish());
        self.digests.borrow_mut().insert(path.to_owned(), digest.clone());
        digest
    }

    /// Everything under a folder that is none of the project's own, unseen by the view: what a differential
    /// names as its origin.
    pub(crate) fn recorrer(&self, folder: &Path) -> Result<Vec<Entry>, String> {
        archivo::walk(folder, Depth::Whole, self.cancellation()).map_err(|fault| match fault {
            WalkFault::At(at, fault) => format!("«{}» {fault}", self.presentar(&at)),
            WalkFault::TooMany => format!("pasa las {} entradas", archivo::ENTRIES_LIMIT),
            WalkFault::Cancelled => "se canceló la consulta".to_owned(),
        })
    }

    /// A view of the same project and options that has read nothing.
    pub(crate) fn again(&self) -> Lectura {
        Lectura::new(self.proyecto.clone(), self.opciones.clone())
    }

    /// Whether everything this view read is on disk exactly as it read it.
    pub(crate) fn is_unchanged(&self) -> bool {
        let fresh = self.again();
        // What this view ran is among the files it read.
        let nothing_new_runs = self.escalares.get().is_some() || fresh.archivo_de_escalares() == Ok(None);
        nothing_new_runs
            && self
                .folders
                .borrow()
                .iter()
                .all(|(folder, seen)| fresh.carpeta(*folder).is_ok_and(|now| now == *seen))
            && self.digests.borrow().iter().all(|(path, seen)| fresh.digest(path) == *seen)
            && self.changed(|_| true).is_empty()
    }

    /// The files and listed folders among those wanted that are not on disk as this view read them.
    pub(crate) fn changed(&self, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let fresh = self.again();
        let files = self.files.borrow();
        let listings = self.listings.borrow();
        let other_bytes = |path: &Path, seen: &Read| match (archivo::read(path), seen) {
            (Ok(now), Ok(seen)) => now[..] != seen[..],
            (Err(now), Err(seen)) => now != *seen,
            _ => true,
        };
        let other_entries =
            |folder: &Path, depth, seen: &Listing| fresh.listado(folder, depth) != Ok(seen.clone());
        let files = files.iter().filter(|(path, seen)| wanted(path) && other_bytes(path, seen));
        let folders = listings
            .iter()
            .filter(|((folder, depth), seen)| wanted(folder) && other_entries(folder, *depth, seen));
        files.map(|(path, _)| path.clone()).chain(folders.map(|((folder, _), _)| folder.clone())).collect()
    }
}

/// The project's configuration.
pub(crate) const CONFIGURACION: &str = "oracle.json";
/// The project's scalar functions.
pub(crate) const ESCALARES: &str = "escalares.py";
