//! The surface: its operations, and what each of them cannot do without.
//!
//! Reads a plain list here and an OpenAPI document in `openapi`. A list has an operation a line; behind ` | ` stand, with
//! commas between, the fields that it requires. Lines that start with `#` and blank lines are the author's.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{Code, Fault};
use super::openapi;

/// One thing that the surface can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name: `medida probar`, `GET /terceros/{id}`.
    pub name: String,
    /// The fields that it requires, in order.
    pub requires: BTreeSet<String>,
}

/// Reads one source, whichever kind it is.
///
/// # Errors
/// [`Fault`] with the line or the entry that is wrong.
pub fn read(text: &str) -> Result<Vec<Operation>, Fault> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    if start.starts_with(['{', '[']) {
        return openapi::read(text);
    }
    if ["openapi:", "swagger:"].iter().any(|key| start.starts_with(key)) {
        return Err(Fault::new(Code::BadOpenApi, "OpenAPI is read as JSON; this looks like YAML"));
    }
    list(text)
}

fn list(text: &str) -> Result<Vec<Operation>, Fault> {
    let mut operations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |why: &str| Fault::new(Code::BadOperation, why).at(format!("line {}", number + 1));
        let (name, fields) = match line.split_once('|') {
            None => (line, None),
            Some((name, fields)) => (name.trim_end(), Some(fields)),
        };
        if name.is_empty() {
            return Err(wrong("the operation has no name"));
        }
        let mut requires = BTreeSet::new();
        for field in fields.into_iter().flat_map(|fields| fields.split(',')) {
            let field = field.trim();
            if field.is_empty() {
                return Err(wrong("a field has no name"));
            }
            if !requires.insert(field.to_owned()) {
                return Err(wrong(&format!("the field `{field}` stands twice")));
            }
        }
        operations.push(Operation { name: name.split_whitespace().collect::<Vec<_>>().join(" "), requires });
    }
    Ok(operations)
}

/// The operations of all sources, by name.
///
/// # Errors
/// [`Code::RepeatedOperation`], [`Code::NoOperations`].
pub fn together(sources: Vec<Vec<Operation>>) -> Result<BTreeMap<String, Operation>, Fault> {
    let mut all = BTreeMap::new();
    for operation in sources.into_iter().flatten() {
        let name = operation.name.clone();
        if all.insert(name.clone(), operation).is_some() {
            return Err(Fault::new(Code::RepeatedOperation, format!("`{name}` comes twice")));
        }
    }
    if all.is_empty() {
        return Err(Fault::new(Code::NoOperations, "no source names an operation"));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(name: &str, requires: &[&str]) -> Operation {
        Operation {
            name: name.to_owned(),
            requires: requires.iter().map(|field| (*field).to_owned()).collect(),
        }
    }

    #[test]
    fn a_list_has_an_operation_a_line() {
        let read =
            read("\u{feff}# verbs\n\nmedida  probar | medida,  evidencia\n  --help\r\nPOST /x:batch|a\n");
        let expect = [
            operation("medida probar", &["evidencia", "medida"]),
            operation("--help", &[]),
            operation("POST /x:batch", &["a"]),
        ];
        assert_eq!(read, Ok(expect.to_vec()));
        assert_eq!(super::read("# nothing\n"), Ok(Vec::new()));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let check = |text: &str, expect: &str| {
            assert_eq!(read(text).map_err(|fault| fault.to_string()), Err(expect.to_owned()), "{text}");
        };
        check("a\n| x", "bad_operation: line 2: the operation has no name");
        check("a |", "bad_operation: line 1: a field has no name");
        check("a | x,,y", "bad_operation: line 1: a field has no name");
        check("a | x, x", "bad_operation: line 1: the field `x` stands twice");
        check("openapi: 3.1.0\n", "bad_openapi: OpenAPI is read as JSON; this looks like YAML");
        check("\n swagger: '2.0'\n", "bad_openapi: OpenAPI is read as JSON; this looks like YAML");
        check("[1", "bad_openapi: EOF while parsing a list at line 1 column 2");
    }

    #[test]
    fn sources_are_put_together_once() {
        let (a, b) = (operation("a", &[]), operation("b", &["x"]));
        let all = together(vec![vec![b.clone()], vec![a.clone()]]).expect("two operations");
        assert_eq!(all.into_values().collect::<Vec<_>>(), [a.clone(), b]);
        let twice = together(vec![vec![a.clone()], vec![a]]).map_err(|fault| fault.to_string());
        assert_eq!(twice, Err("repeated_operation: `a` comes twice".to_owned()));
        let none = together(vec![Vec::new()]).map_err(|fault| fault.to_string());
        assert_eq!(none, Err("no_operations: no source names an operation".to_owned()));
    }
}
