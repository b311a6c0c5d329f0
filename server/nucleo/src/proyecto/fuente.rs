//! One source: its bytes, how it is shown and what identifies it under a fingerprint.

use super::archivo::Fault;
use crate::huella::Sha256Text;
use crate::valor::{self, Valor};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The bytes of one file of the project or of one source that ships inside the program.
#[derive(Clone, Debug)]
pub struct Fuente {
    presentada: Arc<str>,
    identidad: Arc<str>,
    bytes: Arc<[u8]>,
}

impl Fuente {
    /// A file on disk; `path` is absolute and UTF-8, as every walk under a root gives it.
    pub(crate) fn de_archivo(path: &Path, presentada: String, bytes: Arc<[u8]>) -> Fuente {
        Fuente { presentada: presentada.into(), identidad: path.to_string_lossy().into(), bytes }
    }

    /// A source that ships inside the program.
    pub(crate) fn embebida(identidad: String, texto: &'static str) -> Fuente {
        let identidad: Arc<str> = identidad.into();
        Fuente { presentada: identidad.clone(), identidad, bytes: Arc::from(texto.as_bytes()) }
    }

    /// How it is shown: relative to the project where it lies inside it, whole elsewhere.
    pub fn presentada(&self) -> &str {
        &self.presentada
    }

    /// What identifies it under a fingerprint: the absolute path, or the name of the embedded source.
    pub fn identidad(&self) -> &str {
        &self.identidad
    }

    /// The bytes as they were read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// SHA-256 of the bytes, in lower-case hexadecimal.
    pub fn sha256(&self) -> String {
        let mut hasher = Sha256Text::new();
        hasher.update(&self.bytes);
        hasher.finish()
    }

    /// The bytes as text, or the reason, in Spanish, that they are none.
    pub fn texto(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.bytes).map_err(|_| Fault::Encoding.to_string())
    }

    /// The extension of the name, empty when it has none.
    pub(crate) fn extension(&self) -> &str {
        Path::new(&*self.identidad).extension().and_then(|e| e.to_str()).unwrap_or_default()
    }

    /// What the source says: `from_json` of its value when its name says it is JSON, else `from_text` of its
    /// text. The error says the reason in Spanish.
    pub(crate) fn leer<T, J: fmt::Display, S: fmt::Display>(
        &self,
        from_json: impl FnOnce(Valor) -> Result<T, J>,
        from_text: impl FnOnce(&str) -> Result<T, S>,
    ) -> Result<T, String> {
        let texto = self.texto()?;
        if self.extension() != "json" {
            return from_text(texto).map_err(|e| e.to_string());
        }
        let datos = valor::parse(texto).map_err(|e| format!("no es JSON: {e}"))?;
        from_json(datos).map_err(|e| e.to_string())
    }

    /// The name without its extension.
    pub(crate) fn stem(&self) -> &str {
        Path::new(&*self.identidad).file_stem().and_then(|e| e.to_str()).unwrap_or_default()
    }
}
