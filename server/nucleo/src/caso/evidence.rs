//! Reading the evidence of a case: a table under its fields, or rows as maps.

use super::read::{Reader, json_prefix};
use crate::sintaxis::SyntaxError;
use crate::sintaxis::fragment::{Fragment, is_space};
use crate::valor::{Map, Text, Valor};

/// The head that declares which fields identify a row.
pub(super) const KEY: &str = "clave";

/// What the line of a relation declares.
struct Heading<'a> {
    key: Option<Vec<&'a str>>,
    fields: Vec<Text>,
}

/// Reads the relation that `line` opens, with the rows below it. It may not be one of `known`.
pub(super) fn relation<'a>(
    line: Fragment<'a>,
    reader: &mut Reader<'a>,
    known: &Map,
) -> Result<(Text, Valor), SyntaxError> {
    let body = line.indented(2)?;
    let written = match body.text.split_once(':') {
        Some((name, _)) if !name.chars().all(is_space) => name,
        _ => return Err(body.error("se esperaba una relación «<nombre>: <campos>»")),
    };
    let name = Text::from(written.trim_matches(is_space));
    if known.contains_key(&name) {
        return Err(body.error(format!("la relación «{name}» está repetida")));
    }
    let heading = heading(body.after(written.len() + 1))?;
    let mut rows = Vec::new();
    if let Some(key) = heading.key {
        rows.push(Valor::list([Valor::text(KEY), Valor::list(key.into_iter().map(Valor::text))]));
    }
    let before = rows.len();
    while let Some(line) = reader.take_deeper(3) {
        rows.push(Valor::Map(row(line.indented(3)?, &name, &heading.fields)?));
    }
    if !heading.fields.is_empty() && rows.len() == before {
        let after = body.after(written.len() + 1);
        return Err(after.error(format!("«{name}» declara campos y no tiene filas")));
    }
    Ok((name, Valor::List(rows)))
}

/// `clave(a, b); x, y`, each part optional.
fn heading(source: Fragment<'_>) -> Result<Heading<'_>, SyntaxError> {
    let mut rest = source.trimmed_start();
    let mut key = None;
    if let Some(inside) = rest.strip("clave(") {
        let close =
            inside.text.find(')').ok_or_else(|| rest.error("se esperaba «)» al final de la clave"))?;
        let names = names(Fragment { text: &inside.text[..close], ..inside })?;
        if names.is_empty() {
            return Err(inside.error("la clave nombra al menos un campo"));
        }
        key = Some(names);
        rest = inside.after(close + 1).trimmed_start();
        if !rest.text.is_empty() {
            rest =
                rest.strip(";").ok_or_else(|| rest.error("se esperaba «;» entre la clave y los campos"))?;
        }
    }
    let fields: Vec<Text> = names(rest)?.into_iter().map(Text::from).collect();
    if let Some(repeated) = (1..fields.len()).find(|at| fields[..*at].contains(&fields[*at])) {
        return Err(source.error(format!("el campo «{}» está repetido", fields[repeated])));
    }
    Ok(Heading { key, fields })
}

/// Names between commas; each is one word.
fn names(source: Fragment<'_>) -> Result<Vec<&str>, SyntaxError> {
    let mut found = Vec::new();
    for piece in source.split(',') {
        let words = piece.words();
        if let Some(second) = words.get(1) {
            return Err(second.error("se esperaba «,» entre los campos"));
        }
        found.extend(words.first().map(|word| word.text));
    }
    Ok(found)
}

fn row(body: Fragment<'_>, relation: &str, fields: &[Text]) -> Result<Map, SyntaxError> {
    if let Some(rest) = body.strip("fila ") {
        if !fields.is_empty() {
            return Err(body.error("la relación declara campos: sus filas van como tabla, sin «fila»"));
        }
        return match json_prefix(rest)? {
            (Valor::Map(_), after) if !after.text.chars().all(is_space) => {
                Err(after.error("sobra texto después de la fila"))
            }
            (Valor::Map(row), _) => Ok(row),
            _ => Err(rest.error("una fila es un mapa «{ … }»")),
        };
    }
    if fields.is_empty() {
        return Err(body.error("se esperaba «fila { … }» u otra relación"));
    }
    let values = values(body)?;
    if values.len() != fields.len() {
        return Err(body.error(format!(
            "la relación «{relation}» declara {} campos ({}) y esta fila trae {}",
            fields.len(),
            fields.join(", "),
            values.len()
        )));
    }
    Ok(fields.iter().cloned().zip(values).collect())
}

/// JSON values between commas.
fn values(body: Fragment<'_>) -> Result<Vec<Valor>, SyntaxError> {
    let mut found = Vec::new();
    let mut rest = body.trimmed_start();
    while !rest.text.is_empty() {
        let (value, after) = json_prefix(rest)?;
        found.push(value);
        let after = after.trimmed_start();
        rest = match after.strip(",") {
            Some(next) => next.trimmed_start(),
            None if after.text.is_empty() => after,
            None => return Err(after.error("se esperaba «,» entre los valores de la fila")),
        };
    }
    Ok(found)
}
