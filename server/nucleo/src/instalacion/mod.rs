//! An environment where the published distribution is installed: its base set as data, and the libraries of
//! policies beside it.
//!
//! Owns what counts as an installation, that nothing outside of it is read, and that what is read is what was
//! installed, by the digests of `RECORD`. Must not execute anything of it, nor decide what a source means.

mod bibliotecas;
mod distribucion;
mod manifiesto;
mod registro;

pub(crate) use bibliotecas::Bibliotecas;

use crate::fallo::Fallo;
use crate::proyecto::{Carpeta, Depth, Fault, Fuente, Kind, Lectura, read};
use distribucion::Metadatos;
use registro::Registro;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The package that holds the base set, as a folder and as a distribution's name made part of a path.
const PAQUETE: &str = "oracle_metalenguaje";

/// How the folders with a distribution's metadata end.
const METADATOS: &str = ".dist-info";

/// An environment where the published distribution is installed, fixed when it was opened. Cheap to clone; holds
/// nothing that was read.
#[derive(Clone, Debug)]
pub struct Instalacion {
    /// The physical folder where distributions are installed.
    sitio: Arc<Path>,
    /// The folder with the metadata of the published distribution.
    metadatos: Arc<Path>,
}

/// Why a folder is no installation. Spanish, without a final stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalacionInvalida {
    motivo: String,
}

impl fmt::Display for InstalacionInvalida {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.motivo)
    }
}

impl std::error::Error for InstalacionInvalida {}

impl Instalacion {
    /// Opens the environment at `ruta`: one that a tool made (`lib/python3.x/site-packages`, `Lib/site-packages`),
    /// or the folder itself where distributions are installed. Symlinks on the way are resolved here, once.
    ///
    /// # Errors
    /// [`InstalacionInvalida`] when the distribution is not there exactly once, is reached through a symlink that
    /// leaves the environment, or its `RECORD` cannot be read.
    pub fn open(ruta: &Path) -> Result<Instalacion, InstalacionInvalida> {
        let invalid = |why: String| InstalacionInvalida {
            motivo: format!("«{}» no es una instalación de oracle-metalenguaje: {why}", ruta.display()),
        };
        let raiz = ruta.canonicalize().map_err(|e| invalid(format!("no se puede resolver: {e}")))?;
        let sitio = sitio(&raiz).map_err(invalid)?;
        let metadatos = metadatos(&sitio).map_err(invalid)?;
        let told = |name: &str| {
            let bytes = read(&metadatos.join(name)).map_err(|fault| format!("{name} {fault}"))?;
            String::from_utf8(bytes).map_err(|_| format!("{name} {}", Fault::Encoding))
        };
        let nombre = Metadatos::parse(&told("METADATA").map_err(invalid)?).nombre.unwrap_or_default();
        if distribucion::normalizar(&nombre).as_deref() != Some(PAQUETE) {
            return Err(invalid(format!("METADATA es de «{nombre}»")));
        }
        let registro = Registro::parse(&told("RECORD").map_err(invalid)?);
        let registro = registro.map_err(|why| invalid(format!("RECORD está roto: {why}")))?;
        let catalogos = format!("{PAQUETE}/{}/", Carpeta::Catalogos.nombre());
        if !registro.rutas().any(|ruta| ruta.starts_with(&catalogos)) {
            return Err(invalid(
                "RECORD no trae el catálogo base; una instalación editable no se lee".to_owned(),
            ));
        }
        Ok(Instalacion { sitio: sitio.into(), metadatos: metadatos.into() })
    }

    /// A folder of the package.
    fn carpeta(&self, partes: &[&str]) -> PathBuf {
        self.sitio.join(PAQUETE).join(partes.iter().collect::<PathBuf>())
    }

    /// How `path` is called in a `RECORD`.
    fn registrada(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.sitio).unwrap_or(path);
        let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.join("/")
    }

    /// Whether `path` lies in it.
    pub(crate) fn contiene(&self, path: &Path) -> bool {
        path.starts_with(&self.sitio)
    }
}

/// The one folder of an environment where the package is installed.
fn sitio(raiz: &Path) -> Result<PathBuf, String> {
    let mut candidates = vec![raiz.to_owned(), raiz.join("Lib").join("site-packages")];
    let versions = fs::read_dir(raiz.join("lib")).into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = versions
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"))
        .map(|entry| entry.path().join("site-packages"))
        .collect();
    versions.sort();
    candidates.extend(versions);
    candidates.retain(|candidate| candidate.join(PAQUETE).symlink_metadata().is_ok());
    match &candidates[..] {
        [] => Err(format!("ni ella ni su site-packages tienen {PAQUETE}")),
        [one] => {
            let physical = one.canonicalize().map_err(|e| format!("no se puede resolver: {e}"))?;
            if !physical.starts_with(raiz) || physical.to_str().is_none() {
                return Err(format!("«{}» sale de ella por un enlace simbólico", one.display()));
            }
            Ok(physical)
        }
        several => {
            let shown: Vec<String> = several.iter().map(|path| format!("«{}»", path.display())).collect();
            Err(format!("{PAQUETE} está más de una vez: {}", shown.join(", ")))
        }
    }
}

/// The one folder with the metadata of the published distribution.
fn metadatos(sitio: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(sitio).map_err(|e| format!("no se puede listar: {e}"))?;
    let is_own = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let own = name.strip_suffix(METADATOS).and_then(|stem| stem.split_once('-'));
        own.is_some_and(|(name, _)| distribucion::normalizar(name).as_deref() == Some(PAQUETE))
    };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_own).collect();
    match (found.pop(), found.pop()) {
        (Some(one), None) if one.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) => Ok(one),
        (Some(_), None) => Err(format!("los metadatos de {PAQUETE} no son una carpeta física")),
        (None, _) => Err(format!("faltan los metadatos de {PAQUETE}")),
        (Some(_), Some(_)) => Err(format!("los metadatos de {PAQUETE} están más de una vez")),
    }
}

/// Where sources are installed, and the list that vouches for them.
#[derive(Clone, Copy)]
struct Publicadas<'a> {
    instalacion: &'a Instalacion,
    registro: &'a Registro,
}

impl Lectura {
    /// The base catalogue of the installation, or one of its profiles when `perfil` names it.
    pub(crate) fn catalogo_instalado(
        &self,
        instalacion: &Instalacion,
        perfil: Option<&str>,
    ) -> Result<Vec<Fuente>, Fallo> {
        let catalogos = Carpeta::Catalogos.nombre();
        let folder = match perfil {
            None => instalacion.carpeta(&[catalogos]),
            Some(nombre) => instalacion.carpeta(&["perfiles", nombre, catalogos]),
        };
        self.fuentes_de_base(instalacion, &folder, Carpeta::Catalogos)
    }

    /// Whether the installation has that profile.
    pub(crate) fn hay_perfil_instalado(
        &self,
        instalacion: &Instalacion,
        nombre: &str,
    ) -> Result<bool, Fallo> {
        let folder = instalacion.carpeta(&["perfiles", nombre, Carpeta::Catalogos.nombre()]);
        Ok(self.listado(&folder, Depth::Whole)?.is_some())
    }

    /// The relations that come with the base catalogue of the installation.
    pub(crate) fn relaciones_instaladas(&self, instalacion: &Instalacion) -> Result<Vec<Fuente>, Fallo> {
        let folder = instalacion.carpeta(&[Carpeta::Relaciones.nombre()]);
        self.fuentes_de_base(instalacion, &folder, Carpeta::Relaciones)
    }

    /// The standard macros of the installation. One that lost them is no installation.
    pub(crate) fn macros_instaladas(&self, instalacion: &Instalacion) -> Result<Vec<Fuente>, Fallo> {
        let folder = instalacion.carpeta(&["nucleo", Carpeta::Macros.nombre()]);
        let found = self.fuentes_de_base(instalacion, &folder, Carpeta::Macros)?;
        if found.is_empty() {
            return Err(self.instalacion_rota(&folder, "no trae las macros del lenguaje"));
        }
        Ok(found)
    }

    /// The source of one measure of the installed base catalogue, by the name of its file; none of the others is
    /// read.
    pub(crate) fn fuente_de_jueza(
        &self,
        instalacion: &Instalacion,
        id: &str,
    ) -> Result<Option<Fuente>, Fallo> {
        let registro = self.registro(&instalacion.metadatos)?;
        let publicadas = Publicadas { instalacion, registro: &registro };
        let folder = instalacion.carpeta(&[Carpeta::Catalogos.nombre()]);
        let rutas = self.rutas_publicadas(publicadas, &folder, Carpeta::Catalogos)?;
        let named = rutas.iter().find(|path| path.file_stem().and_then(|stem| stem.to_str()) == Some(id));
        named.map(|path| self.publicada(publicadas, path)).transpose()
    }

    fn fuentes_de_base(
        &self,
        instalacion: &Instalacion,
        folder: &Path,
        carpeta: Carpeta,
    ) -> Result<Vec<Fuente>, Fallo> {
        let registro = self.registro(&instalacion.metadatos)?;
        self.fuentes_publicadas(Publicadas { instalacion, registro: &registro }, folder, carpeta)
    }

    /// The list of what a distribution installed, by the folder of its metadata.
    fn registro(&self, metadatos: &Path) -> Result<Registro, Fallo> {
        let path = metadatos.join("RECORD");
        let texto = self.texto_instalado(&path)?;
        Registro::parse(&texto).map_err(|why| self.instalacion_rota(&path, &format!("está roto: {why}")))
    }

    /// A physical file of the installation as text.
    fn texto_instalado(&self, path: &Path) -> Result<String, Fallo> {
        self.check_cancelled()?;
        let broken = |fault: Fault| self.instalacion_rota(path, &fault.to_string());
        // A file that is not there is told by reading it.
        if path.canonicalize().is_ok_and(|physical| physical != path) {
            return Err(broken(Fault::Symlink));
        }
        let bytes = self.bytes(path).map_err(broken)?;
        std::str::from_utf8(&bytes).map(str::to_owned).map_err(|_| broken(Fault::Encoding))
    }

    fn fuentes_publicadas(
        &self,
        publicadas: Publicadas<'_>,
        folder: &Path,
        carpeta: Carpeta,
    ) -> Result<Vec<Fuente>, Fallo> {
        let rutas = self.rutas_publicadas(publicadas, folder, carpeta)?;
        rutas.iter().map(|path| self.publicada(publicadas, path)).collect()
    }

    /// The sources under an installed folder, by path: what is there, which must be all that was installed.
    fn rutas_publicadas(
        &self,
        Publicadas { instalacion, registro }: Publicadas<'_>,
        folder: &Path,
        carpeta: Carpeta,
    ) -> Result<Vec<PathBuf>, Fallo> {
        let mut found = Vec::new();
        let entries = self.listado(folder, Depth::Whole)?;
        for entry in entries.iter().flat_map(|entries| entries.iter()) {
            let is_source = carpeta.is_source(&entry.path);
            match entry.fault() {
                Some(fault)
                    if fault.is_structural() && (is_source || entry.kind == Kind::SymlinkToFolder) =>
                {
                    return Err(self.instalacion_rota(&entry.path, &fault.to_string()));
                }
                _ if is_source => found.push(entry.path.clone()),
                _ => {}
            }
        }
        let prefix = format!("{}/", instalacion.registrada(folder));
        for ruta in registro.rutas().filter(|ruta| ruta.starts_with(&prefix)) {
            let path = instalacion.sitio.join(ruta);
            if carpeta.is_source(&path) && found.binary_search(&path).is_err() {
                return Err(self.instalacion_rota(&path, "figura en RECORD y no está"));
            }
        }
        Ok(found)
    }

    /// One installed source, whose bytes are those that were installed.
    fn publicada(&self, publicadas: Publicadas<'_>, path: &Path) -> Result<Fuente, Fallo> {
        let broken = |why: &str| self.instalacion_rota(path, why);
        let fuente = self.fuente(path, |_, why| broken(&why))?;
        let ruta = publicadas.instalacion.registrada(path);
        publicadas.registro.verificar(&ruta, fuente.bytes()).map_err(|why| broken(&why))?;
        Ok(fuente)
    }

    /// That what is installed at `path` is not as it has to be. A project is not judged by less than it selects.
    fn instalacion_rota(&self, path: &Path, why: &str) -> Fallo {
        Fallo::ProyectoInvalido { motivo: format!("la instalación: «{}» {why}", self.presentar(path)) }
    }
}

/// Whether a path, as written, names something under where it starts.
fn partes(ruta: &str) -> Vec<&str> {
    let parts = Path::new(ruta).components();
    parts
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
