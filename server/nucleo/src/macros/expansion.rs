//! Expansion: arguments into the holes of a template, again and again until no macro is left on top.

use super::{Macro, MacroError, Macros};
use crate::algebra::{AlgebraErrorKind, Contexto, Expression, Row, Scope};
use crate::sintaxis::tree::{as_hole, exactly};
use crate::valor::{Integer, Valor};
use crate::vocabulario::SIN_DECLARAR;
use std::borrow::Cow;

/// Most nodes one substitution may produce. Arguments repeat, so a short chain of macros could fill the memory
/// long before its expansions are counted.
const MAX_NODES: usize = 200_000;

/// Deepest tree one substitution may produce: as deep as what is read.
const MAX_HEIGHT: usize = crate::valor::MAX_DEPTH;

/// The canonical form of `datos`: as it is when no macro heads it, else expanded, which may take several turns.
///
/// Guards are evaluated over their arguments alone, within `contexto`.
///
/// # Errors
/// `Uso` when an invocation has other arguments than its macro or a guard does not hold, `Limite` past
/// `expansiones_maximas`.
pub fn expandir<'a>(
    datos: &'a Valor,
    macros: &Macros,
    contexto: &Contexto<'_>,
) -> Result<Cow<'a, Valor>, MacroError> {
    let limite = contexto.limites.expansiones_maximas;
    let mut tree = Cow::Borrowed(datos);
    for _ in 0..limite {
        let Some(called) = tree.head().and_then(|head| macros.get(head)) else { return Ok(tree) };
        tree = Cow::Owned(expand_once(called, &tree, contexto)?);
    }
    // The turn that only looks counts too: a chain as long as the limit is already too long.
    Err(MacroError::Limite { nombre: "expansiones_maximas", valor: format!("más de {limite}"), limite })
}

fn expand_once(called: &Macro, tree: &Valor, contexto: &Contexto<'_>) -> Result<Valor, MacroError> {
    let arguments = tree.as_list().and_then(|items| items.get(1..)).unwrap_or_default();
    let parameters = called.parametros();
    let missing = parameters.len().saturating_sub(arguments.len());
    let name = called.nombre();
    if arguments.len() > parameters.len() || arguments.is_empty() || missing > called.omissible() {
        return Err(MacroError::usage(format!(
            "«{name}» lleva {} y recibió {} argumentos",
            parameters.join(", "),
            arguments.len()
        )));
    }
    let undeclared = Valor::text(SIN_DECLARAR);
    let mut values: Vec<&Valor> = arguments.iter().collect();
    let last = values.len() - 1;
    values.splice(last..last, std::iter::repeat_n(&undeclared, missing));
    let value_of = |parameter: &str| {
        parameters.iter().position(|known| **known == *parameter).map(|index| values[index])
    };
    for guard in called.guardas() {
        let condition = substitute(&guard.condicion, &value_of)?;
        let holds = evaluates_true(&condition, contexto).map_err(|error| match error.kind {
            AlgebraErrorKind::Limit { nombre, valor, limite } => MacroError::Limite { nombre, valor, limite },
            _ => MacroError::usage(format!("{name}: una guarda no se pudo evaluar: {error}")),
        })?;
        if !holds {
            let subject = values[0].as_str().unwrap_or(name);
            return Err(MacroError::usage(format!("{subject}: {}", guard.mensaje)));
        }
    }
    let mut expanded = substitute(called.plantilla(), &value_of)?;
    if missing > 0 {
        drop_undeclared_origin(&mut expanded);
        drop_undeclared_scope(&mut expanded);
    }
    Ok(expanded)
}

/// The value of a closed expression, as a condition.
fn evaluates_true(condition: &Valor, contexto: &Contexto<'_>) -> Result<bool, crate::algebra::AlgebraError> {
    let expression = Expression::compile(condition, &Scope::default(), contexto)?;
    let row = Row { tables: &[], at: &[], columns: &[] };
    let value = expression.evaluate(row, contexto.escalares)?;
    Ok(match value.as_ref() {
        Valor::Null => false,
        Valor::Bool(value) => *value,
        Valor::Int(value) => *value != Integer::ZERO,
        Valor::Float(value) => *value != 0.0,
        Valor::Text(value) => !value.is_empty(),
        Valor::List(items) => !items.is_empty(),
        Valor::Map(members) => !members.is_empty(),
    })
}

/// `template` with the value that `value_of` gives in the place of each hole; a hole it knows nothing of stays.
///
/// # Errors
/// `Uso` when the result would be larger or deeper than anything a measure needs.
pub(crate) fn substitute<'v>(
    template: &Valor,
    value_of: &impl Fn(&str) -> Option<&'v Valor>,
) -> Result<Valor, MacroError> {
    filled(template, value_of, MAX_HEIGHT, &mut { MAX_NODES })
        .ok_or_else(|| MacroError::usage("la expansión es demasiado grande"))
}

/// `None` past `height` levels or once `nodes` are used up.
fn filled<'v>(
    template: &Valor,
    value_of: &impl Fn(&str) -> Option<&'v Valor>,
    height: usize,
    nodes: &mut usize,
) -> Option<Valor> {
    if let Some(value) = as_hole(template).and_then(value_of) {
        take(value, height, nodes)?;
        return Some(value.clone());
    }
    *nodes = nodes.checked_sub(1)?;
    let Valor::List(items) = template else { return Some(template.clone()) };
    let height = height.checked_sub(1)?;
    let filled: Option<Vec<_>> = items.iter().map(|item| filled(item, value_of, height, nodes)).collect();
    filled.map(Valor::List)
}

/// Pays for a whole value.
fn take(value: &Valor, height: usize, nodes: &mut usize) -> Option<()> {
    *nodes = nodes.checked_sub(1)?;
    let height = height.checked_sub(1)?;
    value.as_list().unwrap_or_default().iter().try_for_each(|item| take(item, height, nodes))
}

/// An invocation that could not say `segun` expands to a threshold that does not say it.
fn drop_undeclared_origin(tree: &mut Valor) {
    let Valor::List(items) = tree else { return };
    let undeclared =
        items.len() == 5 && items[0].as_str() == Some("umbral") && items[4].as_str() == Some(SIN_DECLARAR);
    if undeclared {
        items.pop();
    } else {
        items.iter_mut().for_each(drop_undeclared_origin);
    }
}

/// An invocation that could not say `ambito` expands to a measure that does not say it.
fn drop_undeclared_scope(tree: &mut Valor) {
    let Valor::List(items) = tree else { return };
    let undeclared =
        |item: &Valor| exactly(item, "ambito").is_some_and(|[scope]| scope.as_str() == Some(SIN_DECLARAR));
    for at in 0..items.len() {
        if undeclared(&items[at]) {
            items.remove(at);
            return;
        }
        drop_undeclared_scope(&mut items[at]);
    }
}

/// Where the node at `path` of the expansion of an invocation of `called` was written: the index of its argument
/// and the way inside it. `None` when the template holds the node itself.
///
/// `turns` bounds how many macros are gone through.
pub(crate) fn written_path(
    called: &Macro,
    macros: &Macros,
    path: &[usize],
    turns: usize,
) -> Option<Vec<usize>> {
    let template = called.plantilla();
    let inner = match template.head().and_then(|head| macros.get(head)) {
        Some(next) => written_path(next, macros, path, turns.checked_sub(1)?)?,
        None => path.to_vec(),
    };
    let mut node = template;
    let mut rest = inner.as_slice();
    loop {
        if let Some(parameter) = as_hole(node) {
            let index = called.parametros().iter().position(|known| **known == *parameter)?;
            return Some([&[index + 1], rest].concat());
        }
        let (index, after) = rest.split_first()?;
        node = node.as_list()?.get(*index)?;
        rest = after;
    }
}
