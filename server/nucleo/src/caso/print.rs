//! Printing a case to the one text of its surface.

use super::evidence::KEY;
use super::{check_espera, is_case_id, leer};
use crate::sintaxis::PrintError;
use crate::sintaxis::fragment::{INDENT, is_comment, is_space};
use crate::valor::{Map, Text, Valor};

/// Every member that the surface can write.
const MEMBERS: [&str; 16] = [
    "id",
    "fecha",
    "origen",
    "procedencia",
    "titulo",
    "etiqueta",
    "espera",
    "sintoma",
    "como_se_detecto",
    "medida",
    "estado_sin_medida",
    "resuelto",
    "limite_humano",
    "sin_medida_todavia",
    "evidencia",
    "leccion",
];

/// The members of `origen` that come first, in this order; the rest follow by name.
const ORIGIN_ORDER: [&str; 9] =
    ["tipo", "repo", "commit", "plan", "cuando_utc", "comando", "registro", "evidencia_sha256", "estado"];

/// The one text of a case. Refuses what its reader would not give back; the order of members, and of those of
/// `origen`, is the surface's.
pub fn imprimir(datos: &Valor) -> Result<String, PrintError> {
    let text = written(datos)?;
    match leer(&text) {
        Ok(read) if read.to_canonical() == datos.to_canonical() => Ok(text),
        _ => Err(PrintError::new("la superficie no puede escribir este caso sin cambiarlo")),
    }
}

/// As [`imprimir`], without reading back what was written: enough for who compares it with a text it read.
pub(crate) fn written(datos: &Valor) -> Result<String, PrintError> {
    let members = datos.as_map().ok_or_else(|| PrintError::new("un caso es un mapa"))?;
    if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&&***name)) {
        return Err(PrintError::new(format!("la superficie de un caso no tiene «{unknown}»")));
    }
    let case = Case { members };
    let id = case.word("id")?;
    if !is_case_id(id) {
        return Err(PrintError::new(format!("«{id}» no es un id de caso")));
    }
    let mut lines = vec![format!("caso {id}:"), format!("{INDENT}fecha: {}", spaced(case.member("fecha")?))];
    lines.extend(case.origin()?);
    lines.extend(case.optional_word("procedencia")?);
    lines.push(format!("{INDENT}titulo: {}", spaced(case.member("titulo")?)));
    lines.push(format!("{INDENT}etiqueta: {}", case.word("etiqueta")?));
    if let Some(expected) = case.optional_word("espera")? {
        check_espera(case.word("espera")?, case.word("etiqueta")?).map_err(PrintError::new)?;
        lines.push(expected);
    }
    lines.extend(case.prose("sintoma")?);
    lines.push(format!("{INDENT}como_se_detecto: {}", case.word("como_se_detecto")?));
    lines.push(match case.member("medida")? {
        Valor::Null => format!("{INDENT}medida: null"),
        _ => format!("{INDENT}medida: {}", case.word("medida")?),
    });
    lines.extend(case.optional_word("estado_sin_medida")?);
    for optional in ["resuelto", "limite_humano", "sin_medida_todavia"] {
        if members.contains_key(optional) {
            lines.extend(case.prose(optional)?);
        }
    }
    lines.extend(case.evidence()?);
    lines.extend(case.prose("leccion")?);
    Ok(lines.join("\n") + "\n")
}

struct Case<'a> {
    members: &'a Map,
}

impl<'a> Case<'a> {
    fn member(&self, name: &str) -> Result<&'a Valor, PrintError> {
        self.members.get(name).ok_or_else(|| PrintError::new(format!("al caso le falta «{name}»")))
    }

    fn word(&self, name: &str) -> Result<&'a str, PrintError> {
        let value = self.member(name)?;
        value
            .as_str()
            .ok_or_else(|| PrintError::new(format!("«{name}» es un texto, no {}", value.to_compact())))
    }

    fn optional_word(&self, name: &str) -> Result<Option<String>, PrintError> {
        if !self.members.contains_key(name) {
            return Ok(None);
        }
        Ok(Some(format!("{INDENT}{name}: {}", self.word(name)?)))
    }

    fn map(&self, name: &str) -> Result<&'a Map, PrintError> {
        self.member(name)?.as_map().ok_or_else(|| PrintError::new(format!("«{name}» es un mapa")))
    }

    fn origin(&self) -> Result<Vec<String>, PrintError> {
        let mut members: Vec<_> = self.map("origen")?.iter().collect();
        let rank = |name: &Text| ORIGIN_ORDER.iter().position(|known| **known == **name);
        // A known name ranks before any other; among the others the name decides.
        members.sort_by_key(|(name, _)| match rank(name) {
            Some(place) => (place, None),
            None => (ORIGIN_ORDER.len(), Some((*name).clone())),
        });
        let lines =
            members.into_iter().map(|(name, value)| format!("{INDENT}{INDENT}{name}: {}", spaced(value)));
        Ok(std::iter::once(format!("{INDENT}origen:")).chain(lines).collect())
    }

    fn prose(&self, name: &str) -> Result<Vec<String>, PrintError> {
        let mut lines = vec![format!("{INDENT}{name}:")];
        for line in self.word(name)?.split('\n') {
            if is_comment(line) {
                return Err(PrintError::new(format!("una línea de «{name}» no puede empezar con «#»")));
            }
            lines.push(format!("{INDENT}{INDENT}{line}"));
        }
        Ok(lines)
    }

    fn evidence(&self) -> Result<Vec<String>, PrintError> {
        let mut lines = vec![format!("{INDENT}evidencia:")];
        for (name, rows) in self.map("evidencia")?.iter() {
            lines.extend(relation_lines(name, rows)?);
        }
        Ok(lines)
    }
}

fn relation_lines(name: &str, rows: &Valor) -> Result<Vec<String>, PrintError> {
    let bad = |what: &Valor| PrintError::new(format!("«{name}» no puede llevar {}", what.to_compact()));
    let items = rows.as_list().ok_or_else(|| bad(rows))?;
    let (key, items) = match items {
        [first, rest @ ..] if first.head() == Some(KEY) => {
            (Some(key_text(first).ok_or_else(|| bad(first))?), rest)
        }
        _ => (None, items),
    };
    let mut facts = Vec::with_capacity(items.len());
    for item in items {
        facts.push(item.as_map().ok_or_else(|| bad(item))?);
    }
    let indent = INDENT.repeat(2);
    let Some(fields) = table_fields(&facts) else {
        let key = key.map(|key| format!(" {key}")).unwrap_or_default();
        let maps = items.iter().map(|item| format!("{}fila {}", INDENT.repeat(3), spaced(item)));
        return Ok(std::iter::once(format!("{indent}{name}:{key}")).chain(maps).collect());
    };
    let key = key.map(|key| format!("{key}; ")).unwrap_or_default();
    let heading = format!("{indent}{name}: {key}{}", fields.join(", "));
    let rows = facts.iter().map(|fact| {
        let values: Vec<String> = fact.values().map(spaced).collect();
        format!("{}{}", INDENT.repeat(3), values.join(", "))
    });
    Ok(std::iter::once(heading).chain(rows).collect())
}

fn key_text(head: &Valor) -> Option<String> {
    let [_, names] = head.as_list()? else { return None };
    let names: Option<Vec<&str>> = names.as_list()?.iter().map(Valor::as_str).collect();
    Some(format!("{KEY}({})", names?.join(", ")))
}

/// The fields of rows that make a table: all rows have the same, in the same order, and each is one word.
fn table_fields(facts: &[&Map]) -> Option<Vec<Text>> {
    let fields: Vec<Text> = facts.first()?.keys().cloned().collect();
    let plain = |name: &Text| !name.is_empty() && !name.contains(|c| is_space(c) || c == ',');
    let regular = facts.iter().all(|fact| fact.keys().eq(fields.iter()));
    (!fields.is_empty() && regular && fields.iter().all(plain)).then_some(fields)
}

/// JSON with a space after each comma and colon.
fn spaced(value: &Valor) -> String {
    match value {
        Valor::List(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Valor::Map(members) => {
            let member = |(name, value): (&Text, &Valor)| {
                format!("{}: {}", Valor::Text(name.clone()).to_compact(), spaced(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_compact(),
    }
}
