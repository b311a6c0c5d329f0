//! One `TAREA.md`: a title, a block of fields, a body.
//!
//! Owns what makes a record valid. Takes text, reads no file.

use super::text::{integer, is_blank, lines, pieces, skip_blanks, trim};
use crate::medida::is_medida_id;
use crate::valor::Integer;
use std::collections::BTreeSet;

/// Whether a task still waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estado {
    /// It waits.
    Abierta,
    /// It is done.
    Cerrada,
}

impl Estado {
    /// The word of the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Estado::Abierta => "ABIERTA",
            Estado::Cerrada => "CERRADA",
        }
    }

    /// Reads the word of the contract.
    pub fn parse(word: &str) -> Option<Estado> {
        [Estado::Abierta, Estado::Cerrada].into_iter().find(|estado| estado.as_str() == word)
    }
}

/// One task, whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Tarea {
    /// The name of its folder.
    pub id: String,
    /// The text of its first heading.
    pub titulo: String,
    /// Whether it waits.
    pub estado: Estado,
    /// The larger, the earlier it is listed.
    pub prioridad: Integer,
    /// Labels as written, in the order written.
    pub etiquetas: Vec<String>,
    /// Measures that close it, each once, in the order written.
    pub cierra_con: Vec<String>,
    /// Fields that the format does not know, as written, in the order written.
    pub campos_adicionales: Vec<(String, String)>,
    /// Everything behind the fields, notes included, without blank lines around it.
    pub cuerpo: String,
    /// Absolute physical path of the document.
    pub ruta: String,
}

/// The fields of the block, by the upper-case form of their names.
const ESTADO: &str = "ESTADO";
const PRIORIDAD: &str = "PRIORIDAD";
const ETIQUETAS: &str = "ETIQUETAS";
const CIERRA_CON: &str = "CIERRA CON";

impl Tarea {
    /// Reads a document. `id` is the name of its folder, `ruta` where it physically lies.
    ///
    /// Errors: why it is no record, in Spanish, as the end of a sentence that names the document.
    pub(super) fn leer(texto: &str, id: &str, ruta: String) -> Result<Tarea, String> {
        let lines: Vec<&str> = lines(texto).collect();
        let title_at = first_solid(&lines, 0).ok_or("está vacío")?;
        let titulo = trim(lines[title_at])
            .strip_prefix("# ")
            .map(|title| trim(title).to_owned())
            .ok_or("no empieza con un título de nivel 1")?;
        let fields_at = first_solid(&lines, title_at + 1).unwrap_or(lines.len());
        let (fields, body_at) = block(&lines, fields_at)?;
        let known = |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.value);

        let estado = known(ESTADO).ok_or("le falta el campo ESTADO")?;
        let estado = Estado::parse(&estado.to_uppercase())
            .ok_or_else(|| format!("«{estado}» no es un ESTADO: va ABIERTA o CERRADA"))?;
        let prioridad = known(PRIORIDAD).ok_or("le falta el campo PRIORIDAD")?;
        let prioridad =
            integer(prioridad).ok_or_else(|| format!("la PRIORIDAD «{prioridad}» no es un entero"))?;
        let etiquetas = pieces(known(ETIQUETAS).unwrap_or_default())
            .filter(|label| !label.is_empty())
            .map(str::to_owned)
            .collect();
        let cierra_con = closing_measures(known(CIERRA_CON).unwrap_or_default())?;
        let campos_adicionales = fields
            .iter()
            .filter(|field| ![ESTADO, PRIORIDAD, ETIQUETAS, CIERRA_CON].contains(&&*field.name))
            .map(|field| (field.written.to_owned(), field.value.to_owned()))
            .collect();
        let cuerpo = trim(&lines[body_at..].join("\n")).to_owned();
        let id = id.to_owned();
        Ok(Tarea { id, titulo, estado, prioridad, etiquetas, cierra_con, campos_adicionales, cuerpo, ruta })
    }

    /// Whether one of its labels is this one, whatever the case.
    pub(super) fn has_label(&self, label: &str) -> bool {
        let label = label.to_lowercase();
        self.etiquetas.iter().any(|own| own.to_lowercase() == label)
    }
}

fn first_solid(lines: &[&str], from: usize) -> Option<usize> {
    (from..lines.len()).find(|at| !is_blank(lines[*at]))
}

/// One line of the block.
struct Field<'a> {
    written: &'a str,
    /// The upper-case form.
    name: String,
    value: &'a str,
}

/// The block of fields from line `from` on, and the line it ends before: the first that is no field.
fn block<'a>(lines: &[&'a str], from: usize) -> Result<(Vec<Field<'a>>, usize), String> {
    let mut fields: Vec<Field<'_>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut at = from;
    while let Some((written, value)) = lines.get(at).and_then(|line| field(line)) {
        let name = written.to_ascii_uppercase();
        if !seen.insert(name.clone()) {
            return Err(format!("el campo «{written}» se repite"));
        }
        fields.push(Field { written, name, value });
        at += 1;
    }
    Ok((fields, at))
}

/// Name and value of a line of the block: a bullet, a name, a colon, anything.
fn field(line: &str) -> Option<(&str, &str)> {
    let bullet = skip_blanks(line).strip_prefix(['-', '*'])?;
    let text = skip_blanks(bullet);
    if text.len() == bullet.len() {
        return None;
    }
    let (before, value) = text.split_once(':')?;
    let name = before.trim_end_matches([' ', '\t']);
    let is_word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    (is_word || name.eq_ignore_ascii_case(CIERRA_CON)).then(|| (name, trim(value)))
}

/// The measures of `CIERRA CON`, each once.
fn closing_measures(list: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for id in pieces(list).filter(|_| !list.is_empty()) {
        if !is_medida_id(id) {
            return Err(format!("CIERRA CON nombra «{id}», que no es un id de medida"));
        }
        if seen.insert(id) {
            found.push(id.to_owned());
        }
    }
    Ok(found)
}
