//! Structural mutants: one for each interchangeable source, expression node, aggregate and field reference,
//! named by its path.

use super::Mutante;
use super::form::{Form, Path, RESUMEN, TUBERIA, child_path, items, path_text};
use super::umbral::{inverse, sources};
use crate::valor::Valor;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

pub(super) fn mutantes(form: Form) -> Vec<Mutante> {
    let mut found = Vec::new();
    of_sources(form, &mut found);
    of_expressions(form, &mut found);
    of_aggregates(form, &mut found);
    of_fields(form, &mut found);
    found
}

fn of_sources(form: Form, found: &mut Vec<Mutante>) {
    let relations: BTreeSet<&str> =
        sources(form.source()).into_iter().map(|(relation, _)| relation).collect();
    for (path, actual) in source_paths(form.source(), vec![TUBERIA, 1]) {
        for other in relations.iter().filter(|other| **other != actual) {
            let nombre = format!("fuente:{}:{actual}→{other}", path_text(&path));
            found.push(Mutante { nombre, datos: form.with_text(&path, other) });
        }
    }
}

/// Each relation name under a source, with its path.
fn source_paths(source: &Valor, path: Path) -> Vec<(Path, &str)> {
    match items(source) {
        [Valor::Text(head), Valor::Text(relation), _] if &**head == "de" => {
            vec![(child_path(&path, 1), relation)]
        }
        [_, left, right] => {
            [source_paths(left, child_path(&path, 1)), source_paths(right, child_path(&path, 2))].concat()
        }
        _ => Vec::new(),
    }
}

fn of_expressions(form: Form, found: &mut Vec<Mutante>) {
    for (path, node) in form.expression_nodes() {
        let at = path_text(&path);
        let head_path = child_path(&path, 0);
        if let Valor::Bool(value) = node {
            let nombre = format!("expresion:booleano@{at}");
            found.push(Mutante { nombre, datos: form.with(&path, Valor::Bool(!value)) });
        }
        match node.head() {
            Some("y") => found.push(logic(form, &at, &head_path, "y", "o")),
            Some("o") => found.push(logic(form, &at, &head_path, "o", "y")),
            Some("no") => {
                let datos = form.with(&path, items(node)[1].clone());
                found.push(Mutante { nombre: format!("expresion:quitar_no@{at}"), datos });
            }
            Some(head) => {
                if let Some(other) = inverse(head) {
                    let nombre = format!("expresion:comparador@{at}:{head}→{other}");
                    found.push(Mutante { nombre, datos: form.with_text(&head_path, other) });
                }
            }
            None => {}
        }
    }
}

fn logic(form: Form, at: &str, head_path: &[usize], from: &str, to: &str) -> Mutante {
    let nombre = format!("expresion:logico@{at}:{from}→{to}");
    Mutante { nombre, datos: form.with_text(head_path, to) }
}

fn of_aggregates(form: Form, found: &mut Vec<Mutante>) {
    let mut places = vec![(vec![RESUMEN, 1], vec![RESUMEN, 2])];
    for (index, step) in form.steps().filter(|(_, step)| step.head() == Some("agrupar")) {
        for at in 0..items(&items(step)[2]).len() {
            places.push((vec![TUBERIA, index, 2, at, 1], vec![TUBERIA, index, 2, at, 2]));
        }
    }
    for (place, expression) in places {
        let aggregate = form.at(&place).as_str().unwrap_or_default();
        let at = path_text(&place);
        let (name, datos) = match aggregate {
            // `contar` ignores its expression: `suma(1)` would be the same claim, so nothing is measured.
            "contar" => {
                let summed = form.with_text(&place, "suma");
                ("suma(0)", Form::new(&summed).with(&expression, Valor::from(0i64)))
            }
            _ => {
                let other = alternative(aggregate);
                (other, form.with_text(&place, other))
            }
        };
        found.push(Mutante { nombre: format!("agregado:{at}:{aggregate}→{name}"), datos });
    }
}

fn alternative(aggregate: &str) -> &'static str {
    match aggregate {
        "max" => "min",
        "min" => "max",
        "suma" => "promedio",
        _ => "suma",
    }
}

/// What a field name can be exchanged with: the names read through one alias, or the derived columns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Space<'a> {
    Alias(&'a str),
    Columns,
}

fn of_fields(form: Form, found: &mut Vec<Mutante>) {
    let mut reads = Vec::new();
    let mut names: BTreeMap<Space, BTreeSet<&str>> = BTreeMap::new();
    for (path, node) in form.expression_nodes() {
        let (space, name, at) = match items(node) {
            [Valor::Text(head), Valor::Text(alias), Valor::Text(name)] if &**head == "campo" => {
                (Space::Alias(alias), &**name, child_path(&path, 2))
            }
            [Valor::Text(head), Valor::Text(name)] if &**head == "col" => {
                (Space::Columns, &**name, child_path(&path, 1))
            }
            _ => continue,
        };
        names.entry(space.clone()).or_default().insert(name);
        reads.push((at, space, name));
    }
    for (_, step) in form.steps().filter(|(_, step)| step.head() == Some("agrupar")) {
        let declared = items(step)[1..].iter().flat_map(items).filter_map(Valor::head);
        names.entry(Space::Columns).or_default().extend(declared);
    }
    for (at, space, actual) in reads {
        for other in names[&space].iter().filter(|other| **other != actual) {
            let nombre = format!("campo:{}:{actual}→{other}", path_text(&at));
            found.push(Mutante { nombre, datos: form.with_text(&at, other) });
        }
    }
}
