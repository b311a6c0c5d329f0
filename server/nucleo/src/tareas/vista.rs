//! One query's view of what it reads, with a fingerprint of all of it.
//!
//! Owns every look at the disk and every question to Git that the tracker makes. Each is noted with what it
//! found, so that the same looks at the end of the call tell whether the answer mixes two states. Must not
//! know what a record means.

use super::TareasError;
use super::git::{GitFault, Output};
use crate::huella::Sha256Text;
use crate::proyecto::{ENTRIES_LIMIT, FILE_LIMIT_BYTES, Fault, Lectura};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a name stands for, without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Symlink,
    Special,
}

impl From<fs::FileType> for Kind {
    fn from(kind: fs::FileType) -> Kind {
        if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Folder
        } else if kind.is_symlink() {
            Kind::Symlink
        } else {
            Kind::Special
        }
    }
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The name; where it is no UTF-8, what can be shown of it.
    pub name: String,
    pub path: PathBuf,
    pub kind: Kind,
}

impl Entry {
    pub(super) fn is_hidden(&self) -> bool {
        self.name.starts_with('.')
    }

    /// Whether the name can be told whole.
    pub(super) fn is_utf8(&self) -> bool {
        self.path.file_name().is_some_and(|name| name.to_str().is_some())
    }
}

/// What a name stands for and its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub kind: Kind,
    pub size: u64,
}

/// One look.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    /// The names in a folder.
    Entries(PathBuf),
    /// What a name stands for.
    Stat(PathBuf),
    /// What is behind a name once symlinks are followed.
    Target(PathBuf),
    /// The bytes of a physical file.
    Content(PathBuf),
    /// What Git answers in a folder.
    Git(PathBuf, Vec<String>),
}

/// One query's view of the tracker. Every file is read at most once.
#[derive(Debug)]
pub(super) struct Vista<'a> {
    lectura: &'a Lectura,
    /// What each look found, as a SHA-256.
    found: RefCell<BTreeMap<Look, String>>,
    /// Names listed so far.
    listed: Cell<usize>,
}

impl<'a> Vista<'a> {
    /// A view that has looked at nothing yet.
    pub(super) fn new(lectura: &'a Lectura) -> Vista<'a> {
        Vista { lectura, found: RefCell::default(), listed: Cell::default() }
    }

    /// The fingerprint of everything this view has looked at so far, in hexadecimal.
    pub(super) fn huella(&self) -> String {
        let mut hasher = Sha256Text::new();
        for (look, digest) in self.found.borrow().iter() {
            hasher.update(format!("{look:?}\0{digest}\0").as_bytes());
        }
        hasher.finish()
    }

    /// The fingerprint of the same looks, done again now. Equal to [`Vista::huella`] when nothing of what
    /// the query read has changed. Once the caller asked to stop it is the one of before: nobody waits for it.
    pub(super) fn huella_actual(&self) -> String {
        let lectura = self.lectura.again();
        let fresh = Vista::new(&lectura);
        for look in self.found.borrow().keys() {
            if fresh.check_cancelled().is_err() {
                return self.huella();
            }
            fresh.repeat(look);
        }
        fresh.huella()
    }

    fn repeat(&self, look: &Look) {
        // Each look notes what it finds; what it answers was for the query.
        match look {
            Look::Entries(path) => drop(self.entries(path)),
            Look::Stat(path) => drop(self.stat(path)),
            Look::Target(path) => drop(self.target(path)),
            Look::Content(path) => self.note_content(path),
            Look::Git(folder, arguments) => drop(self.git(folder, arguments)),
        }
    }

    /// The root of the project.
    pub(super) fn raiz(&self) -> &Path {
        Path::new(self.lectura.proyecto().raiz())
    }

    /// The folder of the tracker.
    pub(super) fn carpeta(&self) -> PathBuf {
        self.raiz().join(super::CARPETA)
    }

    /// `path` relative to the root, as answers show it.
    pub(super) fn presentar(&self, path: &Path) -> String {
        path.strip_prefix(self.raiz()).unwrap_or(path).display().to_string()
    }

    /// That these records make the tracker invalid.
    pub(super) fn invalid(&self, registros: Vec<String>) -> TareasError {
        TareasError::Invalido { ruta: self.carpeta().display().to_string(), registros }
    }

    /// That `path` makes the tracker invalid.
    pub(super) fn broken(&self, path: &Path, fault: &Fault) -> TareasError {
        self.invalid(vec![format!("{}: {fault}", self.presentar(path))])
    }

    pub(super) fn check_cancelled(&self) -> Result<(), TareasError> {
        if self.lectura.cancellation().requested() { Err(TareasError::Cancelado) } else { Ok(()) }
    }

    /// Notes what a look found. A look that is repeated and finds something else leaves both, so that no
    /// later state can have the same fingerprint: the query has seen two.
    fn note(&self, look: Look, found: &[u8]) {
        let mut hasher = Sha256Text::new();
        hasher.update(found);
        let digest = hasher.finish();
        let mut notes = self.found.borrow_mut();
        let noted = notes.entry(look).or_insert_with(|| digest.clone());
        if !noted.ends_with(&digest) {
            noted.push_str(&digest);
        }
    }

    /// The names in a folder, sorted. All the folders of one query may hold [`ENTRIES_LIMIT`] of them.
    pub(super) fn entries(&self, folder: &Path) -> Result<Vec<Entry>, Fault> {
        let found = list(folder, ENTRIES_LIMIT.saturating_sub(self.listed.get()));
        self.listed.update(|listed| listed + found.as_ref().map_or(0, Vec::len));
        self.note(Look::Entries(folder.to_owned()), format!("{found:?}").as_bytes());
        found
    }

    /// What a name stands for, without following it; `None` when nothing has it.
    pub(super) fn stat(&self, path: &Path) -> Result<Option<Stat>, Fault> {
        let found = match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some(Stat { kind: metadata.file_type().into(), size: metadata.len() })),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(Fault::Refused(error.to_string())),
        };
        // The size of a folder is the file system's business.
        let seen =
            found.as_ref().map(|stat| stat.map(|s| (s.kind, s.size * u64::from(s.kind != Kind::Folder))));
        self.note(Look::Stat(path.to_owned()), format!("{seen:?}").as_bytes());
        found
    }

    /// Where a name leads once symlinks are followed, and to what; `None` when it leads nowhere.
    pub(super) fn target(&self, path: &Path) -> Option<(PathBuf, Kind)> {
        let found = path.canonicalize().ok().and_then(|physical| {
            let kind = fs::symlink_metadata(&physical).ok()?.file_type().into();
            Some((physical, kind))
        });
        self.note(Look::Target(path.to_owned()), format!("{found:?}").as_bytes());
        found
    }

    /// The bytes of a physical file, kept for the rest of the query.
    pub(super) fn document(&self, path: &Path, size: u64) -> Result<Arc<[u8]>, Fault> {
        if size > FILE_LIMIT_BYTES {
            return Err(Fault::TooLarge);
        }
        let bytes = self.lectura.bytes(path);
        self.note_content(path);
        bytes
    }

    /// The bytes of a physical file that is used once; `None` when there are more than
    /// [`super::TEXT_LIMIT_BYTES`].
    pub(super) fn text_bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, Fault> {
        let limit = super::TEXT_LIMIT_BYTES as usize;
        let mut bytes = Vec::new();
        let streamed = self.lectura.stream(path, &mut |piece| {
            bytes.extend_from_slice(&piece[..piece.len().min((limit + 1).saturating_sub(bytes.len()))]);
        });
        self.note_content(path);
        streamed.map(|()| (bytes.len() <= limit).then_some(bytes))
    }

    /// SHA-256 of a physical file, from what was read of it.
    pub(super) fn sha256(&self, path: &Path) -> Result<String, Fault> {
        self.lectura.digest(path)
    }

    fn note_content(&self, path: &Path) {
        let digest = self.lectura.digest(path);
        self.note(Look::Content(path.to_owned()), format!("{digest:?}").as_bytes());
    }

    /// What Git answers in `folder`.
    pub(super) fn git(&self, folder: &Path, arguments: &[String]) -> Result<Output, GitFault> {
        let found = super::git::run(folder, arguments, self.lectura.cancellation());
        let look = Look::Git(folder.to_owned(), arguments.to_vec());
        match &found {
            Ok(output) => {
                let code = format!("{:?}", output.code);
                self.note(look, &[code.as_bytes(), &output.stdout, b"\0", &output.stderr].concat());
            }
            Err(fault) => self.note(look, format!("{fault:?}").as_bytes()),
        }
        found
    }
}

/// Whether the error says that nothing has that name.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn list(folder: &Path, limit: usize) -> Result<Vec<Entry>, Fault> {
    let refused = |error: io::Error| Fault::Refused(error.to_string());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().map_err(refused)?.into();
        if entries.len() == limit {
            return Err(Fault::Refused(format!("el tracker pasa las {ENTRIES_LIMIT} entradas")));
        }
        entries.push(Entry { name, path: entry.path(), kind });
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}
