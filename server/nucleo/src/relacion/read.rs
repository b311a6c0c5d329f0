//! Reading the surface of a relation.

use super::{Relacion, SIN_UNIDAD, Tipo};
use crate::forma::TextError;
use crate::sintaxis::SyntaxError;
use crate::sintaxis::fragment::{Fragment, is_space};
use crate::sintaxis::tree::{is_lower_name, node};
use crate::valor::{Valor, parse};

/// Reads the text of a relation and checks what it declares. Its one printed form is for `forma` to ask.
pub fn leer(texto: &str) -> Result<Relacion, TextError> {
    let tree = tree(texto)?;
    Relacion::from_datos(&tree).map_err(|error| TextError::Contenido { mensaje: error.mensaje })
}

/// The parts of a declaration while its lines are read.
struct Parts {
    common: Vec<Valor>,
    variants: Option<Variants>,
    scope: Option<Valor>,
}

struct Variants {
    discriminant: Valor,
    /// The value of each variant and its fields.
    entries: Vec<(Valor, Vec<Valor>)>,
}

fn tree(texto: &str) -> Result<Valor, SyntaxError> {
    let mut lines = Fragment::lines(texto).filter(|line| !line.text.chars().all(is_space));
    let Some(header) = lines.next() else {
        return Err(SyntaxError::new(1, 1, "se esperaba «relacion <nombre>:»"));
    };
    let name = header
        .text
        .strip_prefix("relacion ")
        .and_then(|rest| rest.strip_suffix(':'))
        .filter(|name| is_lower_name(name))
        .ok_or_else(|| {
            header.error("se esperaba «relacion <nombre>:», con minúsculas ASCII, dígitos y «_»")
        })?;
    let mut parts = Parts { common: Vec::new(), variants: None, scope: None };
    let mut below = header.line + 1;
    for line in lines {
        read_line(line, &mut parts)?;
        below = line.line + 1;
    }
    let Some(scope) = parts.scope else {
        return Err(SyntaxError::new(below, 1, "falta «alcance»: hay que declarar qué no observa el sensor"));
    };
    let mut items = vec![Valor::text(name), node("campos", parts.common)];
    if let Some(variants) = parts.variants {
        let entries = variants
            .entries
            .into_iter()
            .map(|(value, fields)| node("variante", std::iter::once(value).chain(fields)));
        items.push(node("variantes", std::iter::once(variants.discriminant).chain(entries)));
    }
    items.push(node("alcance", [scope]));
    Ok(node("relacion", items))
}

fn read_line(line: Fragment<'_>, parts: &mut Parts) -> Result<(), SyntaxError> {
    if parts.scope.is_some() {
        return Err(line.trimmed_start().error("«alcance» va al final"));
    }
    let level = depth(line)?;
    let body = line.indented(level)?;
    match level {
        1 => match (body.strip("alcance "), body.strip("variantes por ")) {
            (Some(rest), _) => parts.scope = Some(json(rest, "el alcance es un texto entre comillas")?),
            (_, Some(rest)) => {
                if parts.variants.is_some() {
                    return Err(body.error("las variantes se declaran una sola vez"));
                }
                let discriminant = before_colon(rest)?;
                parts.variants =
                    Some(Variants { discriminant: Valor::text(discriminant), entries: Vec::new() });
            }
            _ if parts.variants.is_some() => {
                return Err(body.error("los campos comunes van antes de las variantes"));
            }
            _ => parts.common.push(field(body)?),
        },
        2 => match &mut parts.variants {
            Some(variants) => variants.entries.push((variant_value(body)?, Vec::new())),
            None => return Err(body.error("una variante va debajo de «variantes por <campo>:»")),
        },
        _ => match parts.variants.as_mut().and_then(|variants| variants.entries.last_mut()) {
            Some((_, fields)) => fields.push(field(body)?),
            None => return Err(body.error("un campo de variante va debajo de su variante")),
        },
    }
    Ok(())
}

/// The level of a line: one for the relation, two for a variant, three for the fields of a variant.
fn depth(line: Fragment<'_>) -> Result<usize, SyntaxError> {
    let spaces = line.text.bytes().take_while(|byte| *byte == b' ').count();
    match spaces {
        4 | 8 | 12 => Ok(spaces / 4),
        _ => Err(line.trimmed_start().error("se esperaba una sangría de 4, 8 o 12 espacios")),
    }
}

fn before_colon(rest: Fragment<'_>) -> Result<&str, SyntaxError> {
    rest.text
        .strip_suffix(':')
        .filter(|name| is_lower_name(name))
        .ok_or_else(|| rest.error("se esperaba «variantes por <campo>:»"))
}

fn variant_value(body: Fragment<'_>) -> Result<Valor, SyntaxError> {
    let Some(value) = body.text.strip_suffix(':') else {
        return Err(body.error("se esperaba «<valor de la variante>:»"));
    };
    if is_lower_name(value) {
        return Ok(Valor::text(value));
    }
    json(Fragment { text: value, ..body }, "el valor de una variante es un nombre o un texto entre comillas")
}

fn json(source: Fragment<'_>, message: &str) -> Result<Valor, SyntaxError> {
    parse(source.text).map_err(|error| {
        let column = source.column + error.column - 1;
        SyntaxError::new(source.line, column, format!("{message}: {}", error.reason))
    })
}

/// `<name>: <type>`, and for a number its unit.
fn field(body: Fragment<'_>) -> Result<Valor, SyntaxError> {
    const SHAPE: &str =
        "se esperaba «<campo>: <tipo>», «<campo>: <tipo> <unidad>» o una cláusula de la relación";
    let Some((name, _)) = body.text.split_once(": ").filter(|(name, _)| is_lower_name(name)) else {
        return Err(body.error(SHAPE));
    };
    let rest = body.after(name.len() + 2);
    let (word, unit) = match rest.text.split_once(' ') {
        Some((word, _)) => (word, Some(rest.after(word.len() + 1))),
        None => (rest.text, None),
    };
    let tipo = Tipo::parse(word).ok_or_else(|| {
        let known = Tipo::TODOS.map(Tipo::as_str).join(", ");
        rest.error(format!("el tipo de un campo es uno de {known}"))
    })?;
    let unit = match (tipo.is_number(), unit) {
        (_, Some(unit)) if unit.text.starts_with('[') => {
            return Err(unit.error("la unidad se escribe sin corchetes"));
        }
        (_, Some(unit))
            if unit.text.is_empty() || unit.text.contains(|c| is_space(c) || "[]".contains(c)) =>
        {
            return Err(unit.error("la unidad es una sola palabra, sin corchetes"));
        }
        (true, Some(unit)) => unit.text,
        (true, None) => {
            let after = rest.after(rest.text.len());
            return Err(after.error(format!("falta la unidad: una magnitud o «{SIN_UNIDAD}»")));
        }
        (false, Some(unit)) => return Err(unit.error(format!("{word} no lleva unidad"))),
        (false, None) => SIN_UNIDAD,
    };
    Ok(node("campo", [Valor::text(name), Valor::text(word), Valor::text(unit)]))
}
