//! Mutators of filters and groups.
//!
//! Those of one predicate only apply where weakening it can only move the verdict one way: the summary
//! counts rows, or sums indicators, under a bound that is known to be upper or lower.

use super::form::{Form, Path, RESUMEN, TUBERIA, child_path, items};
use super::umbral::{greater, is_lower, is_upper, smaller};
use crate::valor::Valor;

/// Whether an expression can only give a boolean.
pub(super) fn is_predicate(expression: &Valor) -> bool {
    match expression {
        Valor::Bool(_) => true,
        _ => matches!(expression.head(), Some("<" | "<=" | ">" | ">=" | "==" | "!=" | "y" | "o" | "no")),
    }
}

pub(super) fn quitar_filtro(form: Form) -> Option<Valor> {
    form.without_steps("donde")
}

pub(super) fn quitar_antijunta(form: Form) -> Option<Valor> {
    form.without_steps("sin")
}

pub(super) fn negar_filtro(form: Form) -> Option<Valor> {
    let mut filtered = false;
    let steps = form.tuberia().iter().map(|step| match (step.head(), items(step)) {
        (Some("donde"), [donde, predicate]) => {
            filtered = true;
            let negated = Valor::list([Valor::text("no"), predicate.clone()]);
            Valor::list([donde.clone(), negated])
        }
        _ => step.clone(),
    });
    let steps = Valor::list(steps);
    filtered.then(|| form.with(&[TUBERIA], steps))
}

/// Which way a bound looks.
#[derive(Clone, Copy)]
enum Bound {
    Upper,
    Lower,
}

impl Bound {
    /// Whether the verdict is monotone in the rows under a bound that looks this way.
    fn rules(self, form: Form) -> bool {
        let looks = match self {
            Bound::Upper => is_upper(form.operator()),
            Bound::Lower => is_lower(form.operator()),
        };
        looks && (form.aggregate() == "contar" || sums_indicators(form))
    }
}

fn sums_indicators(form: Form) -> bool {
    form.aggregate() == "suma" && is_predicate(form.summed())
}

pub(super) fn conservar_una_rama_de_disyuncion(form: Form) -> Option<Valor> {
    predicate_changed(form, Bound::Upper, |node| first_operand(node, "o"))
}

pub(super) fn quitar_un_termino_de_conjuncion(form: Form) -> Option<Valor> {
    predicate_changed(form, Bound::Lower, |node| first_operand(node, "y"))
}

pub(super) fn hacer_estricta_comparacion_interna(form: Form) -> Option<Valor> {
    predicate_changed(form, Bound::Upper, |node| comparator_changed(node, [("<=", "<"), (">=", ">")]))
}

pub(super) fn incluir_frontera_interna(form: Form) -> Option<Valor> {
    predicate_changed(form, Bound::Lower, |node| comparator_changed(node, [("<", "<="), (">", ">=")]))
}

/// Narrows a numeric predicate: values near its border no longer count.
pub(super) fn alejar_limite_de_defecto(form: Form) -> Option<Valor> {
    predicate_changed(form, Bound::Upper, |node| border_moved(node, greater, smaller))
}

/// Widens a numeric predicate: values near its border count as well.
pub(super) fn acercar_limite_de_requisito(form: Form) -> Option<Valor> {
    predicate_changed(form, Bound::Lower, |node| border_moved(node, smaller, greater))
}

pub(super) fn eliminar_filtro_de_requisito(form: Form) -> Option<Valor> {
    if !Bound::Lower.rules(form) {
        return None;
    }
    let (index, _) = form.steps_after_grouping().find(|(_, step)| step.head() == Some("donde"))?;
    Some(form.without(&[TUBERIA, index]))
}

pub(super) fn quitar_clave_de_agrupamiento(form: Form) -> Option<Valor> {
    let keys = last_grouping_keys(form, is_upper).filter(|keys| *keys >= 2)?;
    Some(form.without(&[TUBERIA, form.tuberia().len() - 1, 1, keys - 1]))
}

pub(super) fn eliminar_agrupamiento_de_requisito(form: Form) -> Option<Valor> {
    last_grouping_keys(form, is_lower)?;
    Some(form.without(&[TUBERIA, form.tuberia().len() - 1]))
}

/// How many keys the last step groups by, where the groups are what is counted under such a bound.
fn last_grouping_keys(form: Form, looks: fn(&str) -> bool) -> Option<usize> {
    let (_, last) = form.steps().last()?;
    let counted = form.aggregate() == "contar" && looks(form.operator());
    (counted && last.head() == Some("agrupar")).then(|| items(&items(last)[1]).len())
}

/// Changes the first node, parents first, that `change` accepts: in a filter of the rows that are counted,
/// else in the indicators that are summed.
fn predicate_changed(form: Form, bound: Bound, change: impl Fn(&Valor) -> Option<Valor>) -> Option<Valor> {
    if !bound.rules(form) {
        return None;
    }
    let filters = form.steps_after_grouping().filter(|(_, step)| step.head() == Some("donde"));
    let mut roots: Vec<Path> = filters.map(|(index, _)| vec![TUBERIA, index, 1]).collect();
    if sums_indicators(form) {
        roots.push(vec![RESUMEN, 2]);
    }
    roots.into_iter().find_map(|root| {
        let (path, node) = first_change(form.at(&root), root, &change)?;
        Some(form.with(&path, node))
    })
}

fn first_change(
    node: &Valor,
    path: Path,
    change: &impl Fn(&Valor) -> Option<Valor>,
) -> Option<(Path, Valor)> {
    if let Some(changed) = change(node) {
        return Some((path, changed));
    }
    items(node)
        .iter()
        .enumerate()
        .find_map(|(index, child)| first_change(child, child_path(&path, index), change))
}

fn first_operand(node: &Valor, head: &str) -> Option<Valor> {
    match items(node) {
        [first, kept, _, ..] if first.as_str() == Some(head) => Some(kept.clone()),
        _ => None,
    }
}

fn comparator_changed(node: &Valor, changes: [(&str, &str); 2]) -> Option<Valor> {
    let [Valor::Text(comparator), left, right] = items(node) else {
        return None;
    };
    let (_, to) = changes.into_iter().find(|(from, _)| *from == &**comparator)?;
    Some(Valor::list([Valor::text(to), left.clone(), right.clone()]))
}

fn border_moved(
    node: &Valor,
    of_lower: fn(&Valor) -> Option<Valor>,
    of_upper: fn(&Valor) -> Option<Valor>,
) -> Option<Valor> {
    let [comparator, left, border] = items(node) else {
        return None;
    };
    let moved = match comparator.as_str()? {
        ">" | ">=" => of_lower(border)?,
        "<" | "<=" => of_upper(border)?,
        _ => return None,
    };
    Some(Valor::list([comparator.clone(), left.clone(), moved]))
}
