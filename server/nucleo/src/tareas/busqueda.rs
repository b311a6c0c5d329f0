//! Literal search, whatever the case, through the texts of the tracker.
//!
//! Owns which files are looked through, and tells each one that was not.

use super::text::{lines, trim};
use super::vista::{Entry, Kind, Vista};
use super::{TEXT_LIMIT_BYTES, TareasError};
use crate::proyecto::Fault;
use std::path::Path;

/// A text to search for: literal, whatever the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Termino(String);

impl Termino {
    /// Reads one, without the white space around it; `None` when nothing else is left.
    pub fn parse(text: &str) -> Option<Termino> {
        let text = trim(text);
        (!text.is_empty()).then(|| Termino(text.to_lowercase()))
    }
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Busqueda {
    /// Lines that hold the text, by file and line.
    pub coincidencias: Vec<Coincidencia>,
    /// What was not looked through, by path.
    pub omitidos: Vec<Omitido>,
}

/// One line that holds the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coincidencia {
    /// The file, relative to the root.
    pub ruta: String,
    /// The line, from 1.
    pub linea: usize,
    /// The whole line.
    pub texto: String,
}

/// One thing that was not looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitido {
    /// Its path, relative to the root.
    pub ruta: String,
    /// Why.
    pub motivo: String,
}

/// Extensions of files that are texts. A file without an extension is taken for one.
const TEXT_EXTENSIONS: [&str; 31] = [
    "md", "txt", "rst", "oracle", "json", "yaml", "yml", "toml", "csv", "tsv", "log", "ini", "cfg", "conf",
    "sh", "bash", "py", "js", "ts", "html", "htm", "css", "xml", "sql", "c", "h", "cpp", "hpp", "rs", "go",
    "java",
];

/// Extensions of files that are known not to be texts.
const BINARY_EXTENSIONS: [&str; 37] = [
    "png", "jpg", "jpeg", "gif", "bmp", "ico", "webp", "svg", "pdf", "zip", "tar", "gz", "bz2", "xz", "7z",
    "rar", "exe", "bin", "so", "dll", "dylib", "pyc", "pyo", "pyd", "class", "mp3", "mp4", "mkv", "avi",
    "mov", "flv", "wav", "ogg", "woff", "woff2", "ttf", "eot",
];

/// Searches everything under `tareas/`, whose own entries are `entries`.
pub(super) fn search(
    vista: &Vista<'_>,
    entries: &[Entry],
    termino: &Termino,
) -> Result<Busqueda, TareasError> {
    let mut search = Search { vista, termino, found: Busqueda::default() };
    for entry in entries {
        search.check_name(entry)?;
        match entry.kind {
            _ if entry.is_hidden() => search.omit(entry, "entrada oculta"),
            Kind::Symlink => search.omit(entry, "enlace simbólico"),
            Kind::File => search.file(entry)?,
            Kind::Folder => search.folder(&entry.path)?,
            // A pipe between the tasks is no text and no part of one.
            Kind::Special => {}
        }
    }
    let mut found = search.found;
    found.coincidencias.sort_by(|a, b| (&a.ruta, a.linea).cmp(&(&b.ruta, b.linea)));
    found.omitidos.sort_by(|a, b| a.ruta.cmp(&b.ruta));
    Ok(found)
}

struct Search<'a> {
    vista: &'a Vista<'a>,
    termino: &'a Termino,
    found: Busqueda,
}

impl Search<'_> {
    fn check_name(&self, entry: &Entry) -> Result<(), TareasError> {
        if entry.is_utf8() { Ok(()) } else { Err(self.vista.broken(&entry.path, &Fault::Name)) }
    }

    fn omit(&mut self, entry: &Entry, motivo: impl Into<String>) {
        self.found.omitidos.push(Omitido { ruta: self.vista.presentar(&entry.path), motivo: motivo.into() });
    }

    /// Goes through a task's folder, at any depth. Hidden folders are looked into, hidden files are not.
    fn folder(&mut self, folder: &Path) -> Result<(), TareasError> {
        let mut pending = vec![folder.to_owned()];
        while let Some(folder) = pending.pop() {
            self.vista.check_cancelled()?;
            let entries = self.vista.entries(&folder).map_err(|fault| self.vista.broken(&folder, &fault))?;
            for entry in entries {
                self.check_name(&entry)?;
                match entry.kind {
                    Kind::Folder if self.vista.target(&entry.path.join(".git")).is_some() => {
                        self.omit(&entry, "repositorio anidado");
                    }
                    Kind::Folder => pending.push(entry.path),
                    Kind::Symlink if self.leads_to_folder(&entry) => {
                        self.omit(&entry, "enlace simbólico de directorio");
                    }
                    _ if entry.is_hidden() => self.omit(&entry, "archivo oculto"),
                    Kind::Symlink => self.omit(&entry, "enlace simbólico"),
                    Kind::Special => self.omit(&entry, "archivo especial (FIFO/dispositivo/socket)"),
                    Kind::File => self.file(&entry)?,
                }
            }
        }
        Ok(())
    }

    fn leads_to_folder(&self, entry: &Entry) -> bool {
        self.vista.target(&entry.path).is_some_and(|(_, kind)| kind == Kind::Folder)
    }

    fn file(&mut self, entry: &Entry) -> Result<(), TareasError> {
        self.vista.check_cancelled()?;
        let broken = |fault| self.vista.broken(&entry.path, &fault);
        let size = self.vista.stat(&entry.path).map_err(broken)?.ok_or_else(|| broken(Fault::Missing))?.size;
        let too_large = || format!("archivo supera el límite de {} MiB", TEXT_LIMIT_BYTES / (1024 * 1024));
        if size > TEXT_LIMIT_BYTES {
            self.omit(entry, too_large());
            return Ok(());
        }
        if let Some(motivo) = by_extension(&entry.name) {
            self.omit(entry, motivo);
            return Ok(());
        }
        match self.vista.text_bytes(&entry.path).map_err(broken)? {
            None => self.omit(entry, too_large()),
            Some(bytes) if bytes.contains(&0) => self.omit(entry, "archivo binario (contiene bytes nulos)"),
            Some(bytes) => match std::str::from_utf8(&bytes) {
                Ok(text) => self.lines(entry, text),
                Err(_) => self.omit(entry, "codificación no UTF-8"),
            },
        }
        Ok(())
    }

    fn lines(&mut self, entry: &Entry, text: &str) {
        let ruta = self.vista.presentar(&entry.path);
        for (index, line) in lines(text).enumerate() {
            if line.to_lowercase().contains(&self.termino.0) {
                let (ruta, texto) = (ruta.clone(), line.to_owned());
                self.found.coincidencias.push(Coincidencia { ruta, linea: index + 1, texto });
            }
        }
    }
}

/// Why a file of that name is not looked through, if its name says so.
fn by_extension(name: &str) -> Option<String> {
    let extension = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.is_empty() => extension.to_lowercase(),
        _ => return None,
    };
    if BINARY_EXTENSIONS.contains(&&*extension) {
        Some("archivo binario".to_owned())
    } else if TEXT_EXTENSIONS.contains(&&*extension) {
        None
    } else {
        Some(format!("extensión no admitida (.{extension})"))
    }
}
