//! What the documents of the tracker refer to, and whether it is there.
//!
//! Owns what a target means: remote, anchor, local, or none that is admitted. Nothing outside the project is
//! looked at, no symlink is followed, and nothing is fetched.

use super::Omision;
use super::fence::Fences;
use super::inventory::Archivo;
use super::line::referred;
use crate::tareas::text::lines;
use crate::tareas::vista::{Kind, Vista};
use crate::tareas::{CARPETA, TEXT_LIMIT_BYTES, TareasError};
use crate::valor::Valor;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One row of `referencia_seguimiento`.
#[derive(Debug)]
pub(super) struct Referencia {
    tarea_id: String,
    origen: String,
    linea: usize,
    destino: String,
    clase: &'static str,
    estado: &'static str,
}

impl Referencia {
    pub fn row(&self) -> Valor {
        Valor::map([
            ("tarea_id", Valor::from(&*self.tarea_id)),
            ("origen", Valor::from(&*self.origen)),
            ("linea", Valor::from(self.linea)),
            ("destino_declarado", Valor::from(&*self.destino)),
            ("clase", Valor::from(self.clase)),
            ("estado", Valor::from(self.estado)),
        ])
    }
}

/// Everything that the Markdown of the tracker refers to, by document, line and target.
pub(super) fn collect(
    vista: &Vista<'_>,
    archivos: &[Archivo],
    omisiones: &mut BTreeSet<Omision>,
) -> Result<Vec<Referencia>, TareasError> {
    let mut found = Vec::new();
    for archivo in archivos.iter().filter(|archivo| archivo.is_markdown()) {
        vista.check_cancelled()?;
        match text(vista, &archivo.ruta)? {
            Ok(text) => read(vista, &archivo.ruta, &text, &mut found, omisiones)?,
            Err(motivo) => {
                omisiones.insert(Omision { ruta: archivo.ruta.clone(), linea: 0, motivo });
            }
        }
    }
    found.sort_by(|a, b| (&a.origen, a.linea, &a.destino).cmp(&(&b.origen, b.linea, &b.destino)));
    Ok(found)
}

/// The text of a document, or why links are not looked for in it.
fn text(vista: &Vista<'_>, ruta: &str) -> Result<Result<String, String>, TareasError> {
    let path = vista.raiz().join(ruta);
    let broken = |fault| vista.broken(&path, &fault);
    let too_large =
        || Ok(Err(format!("archivo Markdown supera el límite de {} MiB", TEXT_LIMIT_BYTES / (1024 * 1024))));
    if vista.stat(&path).map_err(broken)?.is_some_and(|stat| stat.size > TEXT_LIMIT_BYTES) {
        return too_large();
    }
    match vista.text_bytes(&path).map_err(broken)? {
        None => too_large(),
        Some(bytes) if bytes.contains(&0) => Ok(Err("archivo Markdown contiene bytes nulos".to_owned())),
        Some(bytes) => Ok(String::from_utf8(bytes)
            .map_err(|_| "archivo Markdown con codificación inválida (no UTF-8)".to_owned())),
    }
}

fn read(
    vista: &Vista<'_>,
    origen: &str,
    text: &str,
    found: &mut Vec<Referencia>,
    omisiones: &mut BTreeSet<Omision>,
) -> Result<(), TareasError> {
    let tarea_id = match origen.splitn(3, '/').collect::<Vec<_>>()[..] {
        [CARPETA, id, _] => id,
        _ => "",
    };
    let mut fences = Fences::default();
    for (index, line) in lines(text).enumerate() {
        let linea = index + 1;
        let omit = |motivo| Omision { ruta: origen.to_owned(), linea, motivo };
        if fences.take(line) {
            continue;
        }
        let referred = referred(line);
        omisiones.extend(referred.omitted.into_iter().map(omit));
        for destino in referred.targets {
            let Meaning { clase, estado, omitted } = meaning(vista, origen, &destino)?;
            omisiones.extend(omitted.map(omit));
            let (tarea_id, origen) = (tarea_id.to_owned(), origen.to_owned());
            found.push(Referencia { tarea_id, origen, linea, destino, clase, estado });
        }
    }
    Ok(())
}

/// What a target is, and whether it is there.
struct Meaning {
    clase: &'static str,
    estado: &'static str,
    /// Why that was not found out.
    omitted: Option<String>,
}

impl Meaning {
    fn unchecked(clase: &'static str, omitted: Option<String>) -> Meaning {
        Meaning { clase, estado: "no_comprobado", omitted }
    }

    fn refused(omitted: String) -> Meaning {
        Meaning::unchecked("no_admitida", Some(omitted))
    }

    fn local(estado: &'static str) -> Meaning {
        Meaning { clase: "local", estado, omitted: None }
    }
}

fn meaning(vista: &Vista<'_>, origen: &str, destino: &str) -> Result<Meaning, TareasError> {
    if ["http://", "https://"].iter().any(|scheme| has_scheme(destino, scheme)) {
        return Ok(Meaning::unchecked("remota", None));
    }
    if destino.starts_with('#') {
        return Ok(Meaning::unchecked("ancla", None));
    }
    if destino.starts_with("//") {
        return Ok(Meaning::refused(format!("URL de red o protocolo no admitida: {destino}")));
    }
    if is_scheme(destino) {
        return Ok(Meaning::refused(format!("esquema no admitido en referencia: {destino}")));
    }
    let path = destino.split(['#', '?']).next().unwrap_or_default();
    // What a percent sign stands for is part of the name; a backslash that came out of one escapes nothing.
    let path = percent_decoded(&path.replace(r"\(", "(").replace(r"\)", ")"));
    if path.contains('\0') {
        return Ok(Meaning::refused("carácter NUL en referencia".to_owned()));
    }
    if path.starts_with("//") {
        return Ok(Meaning::refused(format!("URL con host no admitida: {destino}")));
    }
    local(vista, origen, &path)
}

fn has_scheme(destino: &str, scheme: &str) -> bool {
    destino.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

fn is_scheme(destino: &str) -> bool {
    let opens = destino.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b));
    opens && destino.split_once(':').is_some_and(|(name, _)| goes_on(name))
}

/// Follows a path from its document, step by step: what precedes a `..` must be a folder that is there.
fn local(vista: &Vista<'_>, origen: &str, path: &str) -> Result<Meaning, TareasError> {
    let parts = |path: &Path| -> Vec<String> {
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (mut at, steps) = if path.starts_with('/') {
        let Ok(inside) = Path::new(path).strip_prefix(vista.raiz()) else {
            return Ok(Meaning::local("fuera_del_proyecto"));
        };
        (Vec::new(), parts(inside))
    } else {
        let folder = Path::new(origen).parent().unwrap_or(Path::new(""));
        let steps = path.split('/').filter(|step| !step.is_empty());
        (parts(folder), steps.map(str::to_owned).collect())
    };
    for step in steps {
        match look(vista, &at)? {
            Found::Folder => {}
            Found::Symlink(path) => return Ok(behind_symlink(vista, &path)),
            Found::Nothing | Found::Other => return Ok(Meaning::local("ausente")),
        }
        match &*step {
            "." => {}
            ".." => {
                if at.pop().is_none() {
                    return Ok(Meaning::local("fuera_del_proyecto"));
                }
            }
            _ => at.push(step),
        }
    }
    let needs_folder = path.ends_with('/') || path.ends_with("/.") || path == ".";
    Ok(match look(vista, &at)? {
        Found::Symlink(path) => behind_symlink(vista, &path),
        Found::Folder => Meaning::local("presente"),
        Found::Other if !needs_folder => Meaning::local("presente"),
        Found::Nothing | Found::Other => Meaning::local("ausente"),
    })
}

enum Found {
    Nothing,
    Folder,
    Symlink(PathBuf),
    Other,
}

fn look(vista: &Vista<'_>, parts: &[String]) -> Result<Found, TareasError> {
    let mut path = vista.raiz().to_owned();
    path.extend(parts);
    let stat = vista.stat(&path).map_err(|fault| vista.broken(&path, &fault))?;
    Ok(match stat.map(|stat| stat.kind) {
        None => Found::Nothing,
        Some(Kind::Folder) => Found::Folder,
        Some(Kind::Symlink) => Found::Symlink(path),
        Some(Kind::File | Kind::Special) => Found::Other,
    })
}

fn behind_symlink(vista: &Vista<'_>, path: &Path) -> Meaning {
    let why = format!("enlace simbólico en la ruta de referencia: {}", vista.presentar(path));
    Meaning::unchecked("local", Some(why))
}

/// The text with `%XX` replaced by the bytes they stand for; what is no UTF-8 then becomes U+FFFD.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let byte = byte.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
