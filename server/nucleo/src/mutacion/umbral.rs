//! Mutators of the threshold, the needs and the summary.

use super::form::{Form, REQUIERE, RESUMEN, TUBERIA, UMBRAL, items};
use super::predicate::is_predicate;
use crate::valor::{Integer, Valor};
use std::cmp::Ordering;

const OPERATOR: [usize; 2] = [UMBRAL, 1];
const LIMIT: [usize; 2] = [UMBRAL, 2];
const AGGREGATE: [usize; 2] = [RESUMEN, 1];

pub(super) fn is_upper(operator: &str) -> bool {
    matches!(operator, "<" | "<=")
}

pub(super) fn is_lower(operator: &str) -> bool {
    matches!(operator, ">" | ">=")
}

/// The comparator that holds exactly where `operator` does not.
pub(super) fn inverse(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "<=" => ">",
        "<" => ">=",
        ">=" => "<",
        ">" => "<=",
        "==" => "!=",
        "!=" => "==",
        _ => return None,
    })
}

/// The limit one unit, or one representable float, more permissive.
pub(super) fn aflojar_umbral(form: Form) -> Option<Valor> {
    let up = is_upper(form.operator());
    if !up && !is_lower(form.operator()) {
        return None;
    }
    let limit = match form.limit() {
        Valor::Int(limit) => Valor::Int(limit.add(&Integer::from(if up { 1i64 } else { -1 }))),
        Valor::Float(limit) => {
            let next = if up { limit.next_up() } else { limit.next_down() };
            Valor::Float(Some(next).filter(|next| next.is_finite())?)
        }
        _ => return None,
    };
    Some(form.with(&LIMIT, limit))
}

pub(super) fn invertir_comparador(form: Form) -> Option<Valor> {
    Some(form.with_text(&OPERATOR, inverse(form.operator())?))
}

pub(super) fn quitar_requiere(form: Form) -> Option<Valor> {
    form.requiere().map(|_| form.without(&[REQUIERE]))
}

pub(super) fn aflojar_cota_superior(form: Form) -> Option<Valor> {
    is_upper(form.operator()).then(|| greater(form.limit()))?.map(|limit| form.with(&LIMIT, limit))
}

pub(super) fn aflojar_cota_inferior(form: Form) -> Option<Valor> {
    is_lower(form.operator()).then(|| smaller(form.limit()))?.map(|limit| form.with(&LIMIT, limit))
}

pub(super) fn incluir_limite_superior(form: Form) -> Option<Valor> {
    operator_changed(form, "<", "<=")
}

pub(super) fn incluir_limite_inferior(form: Form) -> Option<Valor> {
    operator_changed(form, ">", ">=")
}

pub(super) fn igualdad_como_cota_superior(form: Form) -> Option<Valor> {
    operator_changed(form, "==", "<=")
}

pub(super) fn igualdad_como_cota_inferior(form: Form) -> Option<Valor> {
    operator_changed(form, "==", ">=")
}

fn operator_changed(form: Form, from: &str, to: &str) -> Option<Valor> {
    (form.operator() == from).then(|| form.with_text(&OPERATOR, to))
}

pub(super) fn quitar_requisitos_de_evidencia(form: Form) -> Option<Valor> {
    form.requiere().filter(|entries| !entries.is_empty()).map(|_| form.without(&[REQUIERE]))
}

/// Drops every row just before the summary, where the zero of an empty aggregate would pass.
pub(super) fn vaciar_tuberia_si_cero_aprueba(form: Form) -> Option<Valor> {
    if !passes(form, 0) {
        return None;
    }
    let mut steps = form.tuberia().to_vec();
    steps.push(Valor::list([Valor::text("donde"), Valor::Bool(false)]));
    Some(form.with(&[TUBERIA], Valor::List(steps)))
}

pub(super) fn convertir_conteo_en_existencia(form: Form) -> Option<Valor> {
    let counts = form.aggregate() == "contar" && is_upper(form.operator());
    // Where the threshold is exactly `<= 0`, count and existence are the same claim: no mutant.
    let equivalent = form.operator() == "<=" && is_zero(form.limit());
    if !counts || equivalent || !(passes(form, 0) || passes(form, 1)) {
        return None;
    }
    let summary = Valor::list([Valor::text("resumen"), Valor::text("max"), Valor::from(1i64)]);
    Some(form.with(&[RESUMEN], summary))
}

pub(super) fn maximo_por_minimo(form: Form) -> Option<Valor> {
    (is_upper(form.operator()) && form.aggregate() == "max").then(|| form.with_text(&AGGREGATE, "min"))
}

pub(super) fn minimo_por_maximo(form: Form) -> Option<Valor> {
    (is_lower(form.operator()) && form.aggregate() == "min").then(|| form.with_text(&AGGREGATE, "max"))
}

pub(super) fn suma_de_indicadores_por_maximo(form: Form) -> Option<Valor> {
    (aggregates_indicators(form, "suma") && is_upper(form.operator()) && passes(form, 0))
        .then(|| form.with_text(&AGGREGATE, "max"))
}

pub(super) fn promedio_por_minimo(form: Form) -> Option<Valor> {
    (aggregates_indicators(form, "promedio") && is_upper(form.operator()))
        .then(|| form.with_text(&AGGREGATE, "min"))
}

pub(super) fn promedio_por_maximo(form: Form) -> Option<Valor> {
    (aggregates_indicators(form, "promedio") && is_lower(form.operator()))
        .then(|| form.with_text(&AGGREGATE, "max"))
}

fn aggregates_indicators(form: Form, aggregate: &str) -> bool {
    form.aggregate() == aggregate && is_predicate(form.summed())
}

fn is_zero(limit: &Valor) -> bool {
    match limit {
        Valor::Int(limit) => *limit == Integer::ZERO,
        Valor::Float(limit) => *limit == 0.0,
        _ => false,
    }
}

/// Whether the small integer `value` would pass the threshold; a boolean limit counts as 0 or 1.
fn passes(form: Form, value: i64) -> bool {
    let value = Integer::from(value);
    let order = match form.limit() {
        Valor::Int(limit) => value.cmp(limit),
        Valor::Bool(limit) => value.cmp(&Integer::from(i64::from(*limit))),
        Valor::Float(limit) => value.cmp_f64(*limit),
        _ => return false,
    };
    match form.operator() {
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        ">=" => order != Ordering::Less,
        "==" => order == Ordering::Equal,
        _ => order != Ordering::Equal,
    }
}

/// A number clearly above: one more, or twice as far where one more is lost in the float's precision.
pub(super) fn greater(value: &Valor) -> Option<Valor> {
    match value {
        Valor::Int(value) => Some(Valor::Int(value.add(&Integer::from(1i64)))),
        Valor::Float(value) => {
            let far = if *value < 0.0 { value / 2.0 } else { value * 2.0 };
            let found = [value + 1.0, far].into_iter().find(|next| next.is_finite() && next > value);
            found.map(Valor::Float)
        }
        _ => None,
    }
}

/// A number clearly below, likewise.
pub(super) fn smaller(value: &Valor) -> Option<Valor> {
    match value {
        Valor::Int(value) => Some(Valor::Int(value.add(&Integer::from(-1i64)))),
        Valor::Float(value) => {
            let far = if *value < 0.0 { value * 2.0 } else { value / 2.0 };
            let found = [value - 1.0, far].into_iter().find(|next| next.is_finite() && next < value);
            found.map(Valor::Float)
        }
        _ => None,
    }
}

/// Removes from a product the factor nobody reads, when `requiere` still demands that it came.
pub(super) fn quitar_factor_no_observado_del_producto(form: Form) -> Option<Valor> {
    let required: Vec<&str> = form.requiere()?.iter().filter_map(Valor::as_str).collect();
    let groups = form.steps().any(|(_, step)| step.head() == Some("agrupar"));
    if form.aggregate() != "contar" || !is_upper(form.operator()) || groups {
        return None;
    }
    let [head, left, right] = items(form.source()) else {
        return None;
    };
    if head.as_str() != Some("unir") {
        return None;
    }
    let mut read = Vec::new();
    form.steps().for_each(|(_, step)| referenced_aliases(step, &mut read));
    referenced_aliases(form.summed(), &mut read);
    for (dropped, kept) in [(right, left), (left, right)] {
        let sources = sources(dropped);
        let unread = sources.iter().all(|(_, alias)| !read.contains(alias));
        if unread && sources.iter().all(|(relation, _)| required.contains(relation)) {
            return Some(form.with(&[TUBERIA, 1], kept.clone()));
        }
    }
    None
}

/// Relation and alias of each `de` under a source.
pub(super) fn sources(source: &Valor) -> Vec<(&str, &str)> {
    match items(source) {
        [Valor::Text(head), Valor::Text(relation), Valor::Text(alias)] if &**head == "de" => {
            vec![(relation, alias)]
        }
        [_, left, right] => [sources(left), sources(right)].concat(),
        _ => Vec::new(),
    }
}

fn referenced_aliases<'a>(node: &'a Valor, found: &mut Vec<&'a str>) {
    if let [Valor::Text(head), Valor::Text(alias), ..] = items(node)
        && matches!(&**head, "campo" | "hecho")
    {
        found.push(alias);
    }
    items(node).iter().for_each(|child| referenced_aliases(child, found));
}
