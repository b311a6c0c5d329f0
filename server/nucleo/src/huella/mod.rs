//! Fingerprints: SHA-256 over canonical forms and over the bytes that a call read.
//!
//! Owns which files stand under each call's fingerprint, in which order, and how the state at the end of a
//! call is compared with the one it started from. Must not decide what a change means to the caller.

mod entrada;

pub use entrada::{entrada_sha256, entrada_sha256_de_desafio, entrada_sha256_de_juicio, evaluar_con_entrada};

use crate::catalogo::Catalogo;
use crate::fallo::Fallo;
use crate::proyecto::{CONFIGURACION, Carpeta, ESCALARES, Fuente, Kind, Lectura};
use crate::valor::Valor;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A SHA-256 that takes bytes or text in pieces and ends in lower-case hexadecimal.
#[derive(Clone, Debug, Default)]
pub struct Sha256Text {
    hasher: Sha256,
    /// What was added last: canonical forms come in pieces of a few bytes, and hashing each by itself costs more
    /// than its bytes do.
    pending: Vec<u8>,
}

/// How many bytes are gathered before they are hashed.
const PENDING_BYTES: usize = 4096;

impl Sha256Text {
    /// An empty one.
    pub fn new() -> Sha256Text {
        Sha256Text::default()
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() > PENDING_BYTES {
            self.hasher.update(&self.pending);
            self.pending.clear();
        }
        if bytes.len() > PENDING_BYTES {
            self.hasher.update(bytes);
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    /// The digest of everything added.
    pub fn finish(mut self) -> String {
        use fmt::Write;
        self.hasher.update(&self.pending);
        let mut text = String::with_capacity(64);
        for byte in self.hasher.finalize() {
            write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        }
        text
    }
}

impl fmt::Write for Sha256Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.update(text.as_bytes());
        Ok(())
    }

    /// Half of what canonical JSON is made of: a byte needs no copying of slices.
    fn write_char(&mut self, c: char) -> fmt::Result {
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() && self.pending.len() < PENDING_BYTES => self.pending.push(byte),
            _ => self.update(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Ok(())
    }
}

/// SHA-256 of the canonical JSON of a value.
pub fn sha256_canonico(valor: &Valor) -> String {
    let mut hasher = Sha256Text::new();
    valor.write_canonical(&mut hasher).expect("hashing cannot fail");
    hasher.finish()
}

/// Which inputs of a call stand under its fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conjunto {
    /// The effective sources, configuration, corpus, differentials and macros: what `huella_proyecto` covers.
    Catalogo,
    /// The effective sources, configuration, macros and relations.
    Evaluacion,
    /// Configuration, macros and relations: an evaluation of a text loads no catalogue.
    EvaluacionDeTexto,
    /// Configuration and macros of a challenge, and what else it reads.
    Desafio {
        /// The effective sources. A text is challenged without them, but where differentials are held
        /// against them.
        catalogo: bool,
        /// Corpus and differentials, which a call may leave out.
        evidencia: bool,
    },
}

impl Conjunto {
    fn carpetas(self) -> &'static [Carpeta] {
        match self {
            Conjunto::Catalogo | Conjunto::Desafio { evidencia: true, .. } => {
                &[Carpeta::Corpus, Carpeta::Diferencial, Carpeta::Macros]
            }
            Conjunto::Desafio { evidencia: false, .. } => &[Carpeta::Macros],
            Conjunto::Evaluacion | Conjunto::EvaluacionDeTexto => &[Carpeta::Macros, Carpeta::Relaciones],
        }
    }

    fn has_catalogue(self) -> bool {
        match self {
            Conjunto::Catalogo | Conjunto::Evaluacion => true,
            Conjunto::EvaluacionDeTexto => false,
            Conjunto::Desafio { catalogo, .. } => catalogo,
        }
    }
}

/// Where the bytes of one input are.
enum Input<'a> {
    /// In memory, parsed from there.
    Fuente(&'a Fuente),
    /// On disk, unless the view already read them.
    Archivo,
}

impl Lectura {
    /// The fingerprint of what this view read and will read for a call: SHA-256 over path and bytes of each
    /// input, each ended by a zero byte, ordered by the parts of the path. `catalogo` is the one this view
    /// loaded; `None` for an evaluation of a text.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] when a folder's structure is at fault or an input cannot be read.
    pub fn huella_inicial(&self, conjunto: Conjunto, catalogo: Option<&Catalogo>) -> Result<String, Fallo> {
        let mut inputs: BTreeMap<PathBuf, Input<'_>> = BTreeMap::new();
        for entrada in catalogo.iter().flat_map(|catalogo| catalogo.efectivas()) {
            inputs.insert(PathBuf::from(entrada.fuente.identidad()), Input::Fuente(&entrada.fuente));
        }
        for nombre in [CONFIGURACION, ESCALARES] {
            let path = self.ruta(nombre);
            if path.symlink_metadata().is_ok() {
                inputs.insert(path, Input::Archivo);
            }
        }
        for &carpeta in conjunto.carpetas() {
            for entry in self.carpeta(carpeta)?.iter().flat_map(|entries| entries.iter()) {
                if entry.kind == Kind::File {
                    inputs.insert(entry.path.clone(), Input::Archivo);
                    self.keep_if_source(carpeta, &entry.path);
                }
            }
        }
        let mut hasher = Sha256Text::new();
        for (path, input) in &inputs {
            self.check_cancelled()?;
            hasher.update(path.as_os_str().as_encoded_bytes());
            hasher.update(b"\0");
            match input {
                Input::Fuente(fuente) => hasher.update(fuente.bytes()),
                Input::Archivo => self
                    .stream(path, &mut |piece| hasher.update(piece))
                    .map_err(|fault| self.invalid(path, &fault))?,
            }
            hasher.update(b"\0");
        }
        Ok(hasher.finish())
    }

    /// What [`Lectura::huella_inicial`] would answer over the project as it is on disk now. Where the project
    /// no longer loads, a fingerprint of that failure, which is none of a project that does: the caller
    /// compares, and a break in the middle of a call counts as a change.
    pub fn huella_actual(&self, conjunto: Conjunto, inicial: &str) -> String {
        // Everything a fingerprint says is worked out from what was read: the same bytes, the same answer.
        if self.is_unchanged() {
            return inicial.to_owned();
        }
        let fresh = self.again();
        let digest = |text: String| {
            let mut hasher = Sha256Text::new();
            hasher.update(text.as_bytes());
            hasher.finish()
        };
        let actual = fresh.reload(conjunto).unwrap_or_else(|fallo| digest(format!("{fallo:?}")));
        // A fingerprint does not cover all that an installation gave: what lies beside its measures took part too.
        let installed = |path: &Path| self.proyecto().instalacion().is_some_and(|own| own.contiene(path));
        let changed = if actual == inicial { self.changed(installed) } else { Vec::new() };
        if changed.is_empty() { actual } else { digest(format!("{inicial}{changed:?}")) }
    }

    fn reload(&self, conjunto: Conjunto) -> Result<String, Fallo> {
        self.escalares()?;
        let macros = self.macros()?;
        if conjunto.carpetas().contains(&Carpeta::Relaciones) {
            self.relaciones()?;
        }
        let catalogo = if conjunto.has_catalogue() { Some(self.catalogo(&macros)?) } else { None };
        self.huella_inicial(conjunto, catalogo.as_ref())
    }

    /// A source is parsed from memory later in the call, so it is read into memory now.
    fn keep_if_source(&self, carpeta: Carpeta, path: &Path) {
        if carpeta.is_source(path) {
            // Its fault, if it has one, is met again by whoever uses it.
            let _kept = self.bytes(path);
        }
    }
}

#[cfg(test)]
mod tests;
