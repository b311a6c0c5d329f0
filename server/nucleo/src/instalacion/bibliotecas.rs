//! Libraries of policies: which installed distributions publish one, and what of it a project may select.
//!
//! Owns discovery. A distribution publishes a library when its `RECORD` lists the manifest where its name says it
//! has to be. One library that is not in form leaves none: what is ambiguous or carries code is nobody's policy.

use super::distribucion::{Metadatos, normalizar};
use super::manifiesto::Manifiesto;
use super::registro::Registro;
use super::{Instalacion, METADATOS, Publicadas, partes};
use crate::fallo::Fallo;
use crate::proyecto::{Carpeta, Depth, Entry, Fault, Fuente, Kind, Lectura};
use crate::valor::Text;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where distributions publish libraries, each in a folder of its own name.
const CARPETA: &str = "oracle_bibliotecas";

/// The manifest of a library.
const MANIFIESTO: &str = "oracle-biblioteca.toml";

/// Extensions of files that something could execute: a library is data only.
const EJECUTABLES: [&str; 6] = ["dll", "dylib", "py", "pyc", "pyd", "so"];

/// One library: its folders by what they hold, in the order of its manifest, and the list that vouches for their files.
#[derive(Debug)]
pub(crate) struct Biblioteca {
    registro: Registro,
    carpetas: BTreeMap<Carpeta, Vec<PathBuf>>,
}

/// What is installed, by id; or why nothing of it is to be used.
pub(crate) type Bibliotecas = Result<BTreeMap<Text, Biblioteca>, Fallo>;

impl Lectura {
    /// Whether a library of this id may be selected. Without an installation there is none.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] when any installed library is not in form.
    pub(crate) fn hay_biblioteca(&self, id: &str) -> Result<bool, Fallo> {
        Ok(self.biblioteca(id)?.is_some())
    }

    /// The sources of a library in one of its kinds of folder: catalogues and relations by the order of the folders,
    /// macros by path over all of them, since each sees those before it.
    ///
    /// Errors: [`Fallo::ProyectoInvalido`] for a library that is not there, and for a file that is not what was
    /// installed.
    pub(crate) fn fuentes_de_biblioteca(&self, id: &str, carpeta: Carpeta) -> Result<Vec<Fuente>, Fallo> {
        let absent =
            || Fallo::ProyectoInvalido { motivo: format!("la biblioteca «{id}» no está instalada") };
        let (instalacion, biblioteca) = self.biblioteca(id)?.ok_or_else(absent)?;
        let publicadas = Publicadas { instalacion, registro: &biblioteca.registro };
        let mut rutas = Vec::new();
        for folder in biblioteca.carpetas.get(&carpeta).into_iter().flatten() {
            rutas.extend(self.rutas_publicadas(publicadas, folder, carpeta)?);
        }
        if carpeta == Carpeta::Macros {
            rutas.sort();
        }
        rutas.iter().map(|path| self.publicada(publicadas, path)).collect()
    }

    fn biblioteca(&self, id: &str) -> Result<Option<(&Instalacion, &Biblioteca)>, Fallo> {
        let Some(instalacion) = self.proyecto().instalacion() else { return Ok(None) };
        match self.bibliotecas(|| self.descubrir(instalacion)) {
            Ok(found) => Ok(found.get(id).map(|biblioteca| (instalacion, biblioteca))),
            Err(fallo) => Err(fallo.clone()),
        }
    }

    /// Every library that is installed. Fails when one is not in form, two have the same id, or the metadata of any
    /// distribution cannot be read.
    fn descubrir(&self, instalacion: &Instalacion) -> Bibliotecas {
        let mut found = BTreeMap::new();
        let mut publishers: BTreeMap<Text, String> = BTreeMap::new();
        let entries = self.listado(&instalacion.sitio, Depth::Top)?;
        for entry in entries.iter().flat_map(|entries| entries.iter()) {
            let name = entry.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !name.to_lowercase().ends_with(METADATOS) || entry.kind == Kind::File {
                continue;
            }
            if let Some(fault) = entry.fault().filter(Fault::is_structural) {
                return Err(self.biblioteca_invalida(&entry.path, &fault.to_string()));
            }
            let Some((id, nombre, biblioteca)) = self.publica(instalacion, &entry.path)? else { continue };
            if let Some(other) = publishers.insert(id.clone(), nombre.clone()) {
                let why = format!("publica «{id}», que también publica «{other}»");
                return Err(self.biblioteca_invalida(&entry.path, &why));
            }
            found.insert(id, biblioteca);
        }
        Ok(found)
    }

    /// The library that a distribution publishes, with its id and the distribution's name; none for most.
    fn publica(
        &self,
        instalacion: &Instalacion,
        metadatos: &Path,
    ) -> Result<Option<(Text, String, Biblioteca)>, Fallo> {
        let invalid = |why: &str| self.biblioteca_invalida(metadatos, why);
        let is_there = |name: &str| metadatos.join(name).symlink_metadata().is_ok();
        if !is_there("METADATA") || !is_there("RECORD") {
            return Ok(None);
        }
        let declared = Metadatos::parse(&self.texto_instalado(&metadatos.join("METADATA"))?);
        let Some(nombre) = declared.nombre.filter(|nombre| !nombre.trim().is_empty()) else {
            return Ok(None);
        };
        let folder = normalizar(&nombre).ok_or_else(|| invalid(&format!("declara el nombre «{nombre}»")))?;
        let registro = self.registro(metadatos)?;
        let ruta = format!("{CARPETA}/{folder}/{MANIFIESTO}");
        if !registro.incluye(&ruta) {
            return Ok(None);
        }
        if let Some(code) = registro.rutas().find(|ruta| is_executable(Path::new(ruta))) {
            return Err(invalid(&format!("no es sólo datos: instala «{code}»")));
        }
        let raiz = instalacion.sitio.join(CARPETA).join(folder);
        let entries = self.contenido(&raiz)?;
        let manifiesto = self.manifiesto(instalacion, &registro, &raiz)?;
        if declared.version.as_deref() != Some(&manifiesto.version) {
            let installed = declared.version.unwrap_or_default();
            let why =
                format!("instala la versión «{installed}» y su manifiesto es de la «{}»", manifiesto.version);
            return Err(invalid(&why));
        }
        let mut carpetas = BTreeMap::new();
        for (carpeta, rutas) in manifiesto.carpetas {
            carpetas.insert(carpeta, self.carpetas_de(&raiz, &entries, &rutas)?);
        }
        Ok(Some((manifiesto.id, nombre, Biblioteca { registro, carpetas })))
    }

    fn manifiesto(
        &self,
        instalacion: &Instalacion,
        registro: &Registro,
        raiz: &Path,
    ) -> Result<Manifiesto, Fallo> {
        let path = raiz.join(MANIFIESTO);
        let invalid = |why: &str| self.biblioteca_invalida(&path, why);
        let texto = self.texto_instalado(&path)?;
        registro.verificar(&instalacion.registrada(&path), texto.as_bytes()).map_err(|why| invalid(&why))?;
        Manifiesto::parse(&texto).map_err(|why| invalid(&why))
    }

    /// Everything under a library: physical files and folders, none of which something could execute.
    fn contenido(&self, raiz: &Path) -> Result<Vec<Entry>, Fallo> {
        let entries = self.listado(raiz, Depth::Whole)?.unwrap_or_default();
        for entry in entries.iter() {
            if let Some(fault) = entry.fault().filter(Fault::is_structural) {
                return Err(self.biblioteca_invalida(&entry.path, &fault.to_string()));
            }
            if entry.kind == Kind::File && is_executable(&entry.path) {
                return Err(self.biblioteca_invalida(&entry.path, "no es sólo datos"));
            }
        }
        Ok(entries.to_vec())
    }

    /// The folders that a manifest names, in its order.
    fn carpetas_de(&self, raiz: &Path, entries: &[Entry], rutas: &[String]) -> Result<Vec<PathBuf>, Fallo> {
        let is_folder = |path: &Path| {
            path == raiz || entries.iter().any(|entry| entry.kind == Kind::Folder && entry.path == path)
        };
        let mut found = Vec::new();
        for ruta in rutas {
            let path = partes(ruta).iter().fold(raiz.to_owned(), |path, part| path.join(part));
            if !is_folder(&path) {
                return Err(self.biblioteca_invalida(&path, "tiene que ser una carpeta física"));
            }
            found.push(path);
        }
        Ok(found)
    }

    fn biblioteca_invalida(&self, path: &Path, why: &str) -> Fallo {
        Fallo::ProyectoInvalido {
            motivo: format!("bibliotecas instaladas: «{}» {why}", self.presentar(path)),
        }
    }
}

fn is_executable(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    EJECUTABLES.contains(&&*extension.to_lowercase())
}
