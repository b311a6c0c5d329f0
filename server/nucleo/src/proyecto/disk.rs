//! Projects on disk for tests: written before the core opens them, removed when the test ends.

use super::{Lectura, Opciones, Proyecto};
use crate::algebra::Cancellation;
use crate::fallo::Fallo;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A project that a test writes. Its parent folder is the test's too.
pub(crate) struct Disk {
    folder: TempDir,
}

impl Disk {
    /// A project with an empty `catalogos/`.
    pub fn new() -> Disk {
        let disk = Disk { folder: TempDir::new().unwrap() };
        fs::create_dir_all(disk.path("catalogos")).unwrap();
        disk
    }

    /// A project that holds these files.
    pub fn with(files: &[(&str, &str)]) -> Disk {
        let disk = Disk::new();
        for (path, text) in files {
            disk.write(path, text);
        }
        disk
    }

    pub fn raiz(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("proyecto")
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.raiz().join(path)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A symlink at `path` to `target`, as written.
    pub fn link(&self, path: &str, target: impl AsRef<Path>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// A pipe nobody writes to.
    pub fn pipe(&self, path: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    pub fn proyecto(&self) -> Proyecto {
        Proyecto::open(&self.raiz()).unwrap()
    }

    pub fn lectura(&self) -> Lectura {
        self.proyecto().lectura(Opciones::default())
    }

    /// A view of the project by somebody who trusts its `escalares.py`.
    pub fn lectura_confiada(&self, cancellation: &Cancellation) -> Lectura {
        let opciones = Opciones { cancellation: cancellation.clone(), ..Opciones::default() };
        self.proyecto().confiando_en_escalares(true).lectura(opciones)
    }
}

/// The surface text of a measure that counts the rows of `relacion` whose `n` is below zero.
pub(crate) fn medida(id: &str, relacion: &str) -> String {
    format!(
        "ninguno {id}:\n    de {relacion} a\n    donde a.n < 0\n    umbral <= 0 segun contrato porque \"x\"\n    \
         ambito universal\n    alcance \"no ve más\"\n"
    )
}

/// A case of the corpus for a measure, as JSON.
pub(crate) fn caso(id: &str, medida: &str, etiqueta: &str, evidencia: &str) -> String {
    format!(
        r#"{{"id":"{id}","fecha":"2026-01-01","origen":{{"tipo":"prueba"}},"procedencia":"construida",
        "titulo":"t","etiqueta":"{etiqueta}","sintoma":"s","como_se_detecto":"persona","medida":"{medida}",
        "evidencia":{evidencia},"leccion":"l"}}"#
    )
}

/// The code a failure has in the contract, and what it names: what the tests of the core compare.
pub(crate) fn told<T>(outcome: &Result<T, Fallo>) -> String {
    match outcome {
        Ok(_) => "ok".to_owned(),
        Err(Fallo::ProyectoInvalido { motivo }) => format!("proyecto: {motivo}"),
        Err(Fallo::CatalogoInvalido { fuente, motivo }) => format!("catalogo: {fuente}: {motivo}"),
        Err(Fallo::EvidenciaIncompleta { motivo }) => format!("incompleta: {motivo}"),
        Err(other) => format!("{other:?}"),
    }
}
