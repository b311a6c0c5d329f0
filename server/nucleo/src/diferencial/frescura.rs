//! What a fixture was generated from, and what those things are now.
//!
//! Owns how the four fingerprints are worked out: emitter and reference over files, catalogue and
//! configuration over canonical forms. Must not compare them: a measure does.

use super::formato::{Formato, texto};
use crate::catalogo::Catalogo;
use crate::huella::sha256_canonico;
use crate::proyecto::{Kind, Lectura};
use crate::valor::{Map, Text, Valor};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The part of a fixture that says where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frescura {
    /// Files or folders of the emitter, from the root of the project.
    emisor: Vec<Text>,
    /// Files or folders of the reference implementation, from the same root.
    referencia: Vec<Text>,
    configuracion: Valor,
    /// Fingerprints by what they are of, as declared.
    pub(super) huellas: BTreeMap<Text, Text>,
}

/// What a fixture declares a fingerprint of.
const CLASES: [&str; 4] = ["catalogo", "configuracion", "emisor", "referencia"];

impl Frescura {
    pub(super) fn from_valor(valor: Option<&Valor>) -> Result<Frescura, String> {
        let Some(Valor::Map(datos)) = valor else { return Err("no declara `frescura`".to_owned()) };
        if texto(datos, "algoritmo") != Some("sha256") {
            return Err("no declara `frescura.algoritmo` igual a \"sha256\"".to_owned());
        }
        raiz_fuentes(datos)?;
        let Some(Valor::Map(fuentes)) = datos.get("fuentes") else {
            return Err("no declara `frescura.fuentes`".to_owned());
        };
        let configuracion = match datos.get("configuracion") {
            Some(map @ Valor::Map(_)) => map.clone(),
            _ => return Err("no declara `frescura.configuracion` como objeto".to_owned()),
        };
        let (emisor, referencia) =
            (rutas(fuentes.get("emisor"), "emisor")?, rutas(fuentes.get("referencia"), "referencia")?);
        let huellas = huellas(datos.get("huellas"))?;
        Ok(Frescura { emisor, referencia, configuracion, huellas })
    }
}

/// Where the paths of a fixture start: only at the project. Nothing outside of its root is ever read, so a fixture
/// that starts elsewhere cannot be held against what it was generated from.
fn raiz_fuentes(datos: &Map) -> Result<(), String> {
    match texto(datos, "raiz_fuentes") {
        Some(".") => Ok(()),
        Some(raiz) if !is_confined(Path::new(raiz)) => Err(format!(
            "`frescura.raiz_fuentes` es \"{raiz}\", que sale de la raíz del proyecto: nada de afuera se lee, así que \
             no se puede comprobar si está al día"
        )),
        _ => Err("`frescura.raiz_fuentes` sólo admite \".\"".to_owned()),
    }
}

fn rutas(valor: Option<&Valor>, clase: &str) -> Result<Vec<Text>, String> {
    let malformed = || format!("`frescura.fuentes.{clase}` tiene que ser una lista de rutas relativas");
    let items = valor.and_then(Valor::as_list).filter(|items| !items.is_empty()).ok_or_else(malformed)?;
    let path = |item: &Valor| match item {
        Valor::Text(path) if !path.trim().is_empty() && is_confined(Path::new(&**path)) => Ok(path.clone()),
        _ => Err(malformed()),
    };
    items.iter().map(path).collect()
}

/// Whether a path, as written, goes down only.
fn is_confined(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn huellas(valor: Option<&Valor>) -> Result<BTreeMap<Text, Text>, String> {
    let malformed = || format!("`frescura.huellas` tiene que traer el SHA-256 de {}", CLASES.join(", "));
    let is_digest =
        |t: &str| t.len() == 64 && t.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let declared = match valor {
        Some(Valor::Map(map)) if map.len() == CLASES.len() => map,
        _ => return Err(malformed()),
    };
    let digest = |clase: &&str| match declared.get(clase) {
        Some(Valor::Text(digest)) if is_digest(digest) => Ok((Text::from(*clase), digest.clone())),
        _ => Err(malformed()),
    };
    CLASES.iter().map(digest).collect()
}

/// The fingerprints as they come out now. The error says what could not be worked out.
pub(super) fn actuales(
    lectura: &Lectura,
    catalogo: &Catalogo,
    formato: &Formato,
) -> Result<BTreeMap<Text, Text>, String> {
    let frescura = &formato.frescura;
    let of = |clase: &str, rutas: &[Text]| {
        huella_archivos(lectura, rutas).map_err(|why| format!("no se puede comprobar {clase}: {why}"))
    };
    let digests = [
        ("catalogo", huella_catalogo(catalogo, formato)?),
        ("configuracion", sha256_canonico(&frescura.configuracion)),
        ("emisor", of("emisor", &frescura.emisor)?),
        ("referencia", of("referencia", &frescura.referencia)?),
    ];
    Ok(digests.into_iter().map(|(clase, digest)| (Text::from(clase), Text::from(digest))).collect())
}

/// Over the canonical forms of the measures the fixture judges, but those it brings itself: a fingerprint
/// of what it says of itself would only check itself.
fn huella_catalogo(catalogo: &Catalogo, formato: &Formato) -> Result<String, String> {
    let mut canonicas = BTreeMap::new();
    for id in formato.medidas().into_iter().filter(|id| !formato.declaradas.contains(*id)) {
        let entrada = catalogo.cargada(id).ok_or_else(|| format!("falta la medida «{id}»"))?;
        canonicas.insert(id.clone(), entrada.medida.datos());
    }
    if canonicas.is_empty() {
        return Err("no juzga ninguna medida del catálogo".to_owned());
    }
    Ok(sha256_canonico(&Valor::map(canonicas)))
}

/// Over a manifest of every file that the paths name, each with its own SHA-256.
fn huella_archivos(lectura: &Lectura, rutas: &[Text]) -> Result<String, String> {
    let raiz = lectura.proyecto().ruta();
    let mut manifest = BTreeMap::new();
    for ruta in rutas {
        for path in archivos(lectura, raiz, ruta)? {
            let inside = path.strip_prefix(raiz).ok().and_then(Path::to_str);
            let inside = inside.ok_or_else(|| format!("«{ruta}» queda fuera de la raíz del proyecto"))?;
            let digest = lectura.digest(&path).map_err(|fault| format!("«{inside}» {fault}"))?;
            manifest.insert(inside.to_owned(), digest);
        }
    }
    Ok(sha256_canonico(&Valor::list(
        manifest
            .into_iter()
            .map(|(ruta, sha256)| Valor::map([("ruta", Valor::from(ruta)), ("sha256", Valor::from(sha256))])),
    )))
}

/// The files that one path names: itself, or everything under it but what tools leave behind.
fn archivos(lectura: &Lectura, raiz: &Path, ruta: &str) -> Result<Vec<PathBuf>, String> {
    let named = raiz.join(ruta);
    let physical = named.canonicalize().map_err(|e| format!("«{ruta}» no se puede resolver: {e}"))?;
    if !physical.starts_with(raiz) || physical == raiz {
        return Err(format!("«{ruta}» no queda dentro de la raíz del proyecto"));
    }
    if named.is_symlink() {
        return Err(format!("«{ruta}» es un enlace simbólico"));
    }
    if !physical.is_dir() {
        return Ok(vec![physical]);
    }
    let mut found = Vec::new();
    for entry in lectura.recorrer(&physical).map_err(|why| format!("«{ruta}»: {why}"))? {
        let inside = entry.path.strip_prefix(&physical).unwrap_or(&entry.path);
        match entry.kind {
            _ if is_left_behind(inside) => {}
            Kind::File => found.push(entry.path),
            Kind::Symlink => return Err(format!("«{}» es un enlace simbólico", entry.path.display())),
            Kind::Folder | Kind::SymlinkToFolder | Kind::Special => {}
        }
    }
    if found.is_empty() { Err(format!("«{ruta}» no contiene archivos")) } else { Ok(found) }
}

/// Hidden entries and bytecode: an editor or an interpreter rewrites them, not the author.
fn is_left_behind(inside: &Path) -> bool {
    let left = |name: &str| name.starts_with('.') || name == "__pycache__";
    inside.components().any(|part| part.as_os_str().to_str().is_some_and(left))
}

/// Both sets of fingerprints as the relation that the measure of freshness reads.
pub(super) fn referentes_comparados(
    declaradas: &BTreeMap<Text, Text>,
    actuales: &BTreeMap<Text, Text>,
) -> Valor {
    let fila = |(que, leida): (&Text, &Text)| {
        Valor::map([
            ("que", Valor::Text(que.clone())),
            ("huella_leida", Valor::Text(leida.clone())),
            ("huella_actual", actuales.get(que).cloned().map_or(Valor::Null, Valor::Text)),
            ("cuando_lectura", Valor::from("al generar")),
            ("cuando_actual", Valor::from("ahora")),
        ])
    };
    Valor::map([("referente_comparado", Valor::list(declaradas.iter().map(fila)))])
}
