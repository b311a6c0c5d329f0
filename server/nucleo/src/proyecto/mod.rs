//! A project on disk: its root, fixed once, and one call's consistent view of what lies under it.
//!
//! Owns every read of a project's files and what each call takes from them: configuration, macros,
//! relations, corpus. Must not decide what a measure means, nor write, create or remove anything.

mod archivo;
mod base;
mod configuracion;
mod corpus;
#[cfg(test)]
pub(crate) mod disk;
mod fuente;
mod lectura;
mod macros;
mod relaciones;

pub use archivo::{ENTRIES_LIMIT, FILE_LIMIT_BYTES};
pub use configuracion::{Configuracion, EnSombra};
pub use corpus::{Andamios, CasoDeCorpus, Corpus};
pub use fuente::Fuente;
pub use lectura::{Lectura, Opciones};

pub(crate) use archivo::{Depth, Entry, Fault, Kind, read};
pub(crate) use lectura::{CONFIGURACION, Carpeta, ESCALARES};

use crate::fallo::Fallo;
use crate::instalacion::Instalacion;
use std::path::Path;
use std::sync::Arc;

/// A project whose physical root was fixed when it was opened. Cheap to clone; holds nothing that was read.
#[derive(Clone, Debug)]
pub struct Proyecto {
    raiz: Arc<str>,
    confia_en_escalares: bool,
    instalacion: Option<Instalacion>,
}

impl Proyecto {
    /// Opens the project at `ruta`, which must be a folder that holds `catalogos/`. Symlinks on the way to
    /// the root are resolved here, once; no later call can move it.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`]. Contract: "Autoridad y modelo de ejecución".
    pub fn open(ruta: &Path) -> Result<Proyecto, Fallo> {
        let invalid = |why: String| Fallo::ProyectoInvalido { motivo: why };
        let shown = ruta.display();
        let raiz = ruta.canonicalize().map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => invalid(format!("«{shown}» no existe")),
            _ => invalid(format!("no se puede resolver «{shown}»: {e}")),
        })?;
        let Some(text) = raiz.to_str() else {
            return Err(invalid(format!("la ruta «{shown}» no es UTF-8")));
        };
        if !raiz.join(Carpeta::Catalogos.nombre()).is_dir() {
            return Err(invalid(format!("«{text}» no es un proyecto: le falta `catalogos/`")));
        }
        Ok(Proyecto { raiz: Arc::from(text), confia_en_escalares: false, instalacion: None })
    }

    /// The same project, whose `escalares.py` may run. Whoever starts the process says so; no call can.
    pub fn confiando_en_escalares(self, confia: bool) -> Proyecto {
        Proyecto { confia_en_escalares: confia, ..self }
    }

    /// The same project, whose base set and libraries come from an installation. Whoever starts the process says so.
    pub fn con_instalacion(self, instalacion: Instalacion) -> Proyecto {
        Proyecto { instalacion: Some(instalacion), ..self }
    }

    /// The physical root, as every answer shows it.
    pub fn raiz(&self) -> &str {
        &self.raiz
    }

    /// A fresh view of the project for one call. Nothing is read yet.
    pub fn lectura(&self, opciones: Opciones) -> Lectura {
        Lectura::new(self.clone(), opciones)
    }

    pub(crate) fn confia_en_escalares(&self) -> bool {
        self.confia_en_escalares
    }

    pub(crate) fn instalacion(&self) -> Option<&Instalacion> {
        self.instalacion.as_ref()
    }

    pub(crate) fn ruta(&self) -> &Path {
        Path::new(&*self.raiz)
    }
}

#[cfg(test)]
mod tests;
