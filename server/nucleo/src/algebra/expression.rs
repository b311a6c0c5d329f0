//! Expressions: checked and resolved once, evaluated over many rows.
//!
//! Owns the form of an expression, where each name of it points, and its evaluation: access to data is
//! always explicit, booleans are strict, and no operand is skipped because another decided. What the rows
//! are is [`super::rows`]'s.

use super::compare::{Comparador, compare, family};
use super::escalares::{Arity, Escalares};
use super::{AlgebraError, Contexto, is_blank};
use crate::valor::{Map, Text, Valor};
use std::borrow::Cow;

/// The alias under which `agrupar` leaves its columns.
pub(crate) const DERIVED: &str = "_";

/// The names that an expression may use at one point of a pipeline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Aliases of facts; their position is their slot.
    pub(crate) aliases: Vec<Text>,
    /// Columns of `agrupar`; `None` before one.
    pub(crate) columns: Option<Vec<Text>>,
}

impl Scope {
    /// The scope of a single relation under `alias`.
    pub(crate) fn of_alias(alias: Text) -> Scope {
        Scope { aliases: vec![alias], columns: None }
    }

    fn fact(&self, alias: &str) -> Option<usize> {
        self.aliases.iter().position(|known| &**known == alias)
    }

    fn column(&self, nombre: &str) -> Expression {
        match &self.columns {
            Some(columns) => match columns.iter().position(|known| &**known == nombre) {
                Some(at) => Expression::Column(at),
                None => Expression::Absent,
            },
            // Without `agrupar` the derived alias is as any: a source may have taken it.
            None => match self.fact(DERIVED) {
                Some(slot) => Expression::Field { slot, nombre: Text::from(nombre) },
                None => Expression::Absent,
            },
        }
    }

    fn field(&self, alias: &Text, nombre: &Text) -> Expression {
        if self.columns.is_some() && &**alias == DERIVED {
            return self.column(nombre);
        }
        match self.fact(alias) {
            Some(slot) => Expression::Field { slot, nombre: nombre.clone() },
            None => Expression::UnknownAlias(alias.clone()),
        }
    }

    fn whole(&self, alias: &Text) -> Expression {
        match (&self.columns, self.fact(alias)) {
            (Some(columns), _) if &**alias == DERIVED => Expression::Columns(columns.clone()),
            (_, Some(slot)) => Expression::Fact(slot),
            _ => Expression::UnknownAlias(alias.clone()),
        }
    }
}

/// A checked expression whose names are resolved against a [`Scope`].
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Literal(Valor),
    Field {
        slot: usize,
        nombre: Text,
    },
    Column(usize),
    /// A column that is not there.
    Absent,
    /// An alias no row has: an error once a row is there to lack it.
    UnknownAlias(Text),
    Fact(usize),
    /// The columns of `agrupar` as one map.
    Columns(Vec<Text>),
    Compare {
        operator: Comparador,
        sides: Box<[Expression; 2]>,
    },
    /// `y`, or `o` when `any`.
    Logic {
        any: bool,
        operands: Vec<Expression>,
    },
    Not(Box<Expression>),
    Escalar {
        nombre: Text,
        args: Vec<Expression>,
    },
}

/// One row as an expression sees it.
#[derive(Clone, Copy)]
pub(crate) struct Row<'v, 'r> {
    /// The rows of each slot's relation.
    pub(crate) tables: &'r [&'v [Map]],
    /// Which row of each slot's relation.
    pub(crate) at: &'r [u32],
    /// The columns of the group.
    pub(crate) columns: &'v [Valor],
}

impl<'v> Row<'v, '_> {
    fn fact(&self, slot: usize) -> &'v Map {
        &self.tables[slot][self.at[slot] as usize]
    }
}

/// What a field that is not there gives.
pub(super) static ABSENT: Valor = Valor::Null;

/// Errors are rare and large: boxed, they keep the way of a value narrow.
type Raised = Box<AlgebraError>;

impl Expression {
    /// Checks `node`, an expression of the canonical form, and resolves its names.
    ///
    /// # Errors
    /// `Contract` or `Limit`, with the path from `node` to what is at fault.
    pub(crate) fn compile(
        node: &Valor,
        scope: &Scope,
        contexto: &Contexto<'_>,
    ) -> Result<Expression, AlgebraError> {
        compile(node, scope, contexto, 0).map_err(|error| match error.kind {
            super::AlgebraErrorKind::Limit { nombre, limite, .. } => {
                AlgebraError::limit(nombre, depth(node), limite).at(error.ruta.as_deref().unwrap_or_default())
            }
            _ => *error,
        })
    }

    /// The value of the expression over `row`.
    ///
    /// # Errors
    /// `Contract`, with the path from this expression to what is at fault.
    pub(crate) fn evaluate<'v>(
        &'v self,
        row: Row<'v, '_>,
        escalares: &dyn Escalares,
    ) -> Result<Cow<'v, Valor>, AlgebraError> {
        evaluate(self, row, escalares).map_err(|error| error.at(&[]))
    }

    /// Whether the expression holds over `row`; anything but a boolean is an error.
    pub(crate) fn holds(
        &self,
        row: Row<'_, '_>,
        escalares: &dyn Escalares,
        who: &str,
    ) -> Result<bool, AlgebraError> {
        match truth(self, row, escalares).map_err(|error| error.at(&[]))? {
            Truth::Bool(holds) => Ok(holds),
            Truth::Other(family) => {
                Err(AlgebraError::contract(format!("«{who}» exige un booleano, y recibió {family}")).at(&[]))
            }
        }
    }

    /// The two fields of a direct equality `campo == campo`, as (slot, name) pairs.
    pub(super) fn as_field_equality(&self) -> Option<[(usize, &str); 2]> {
        let Expression::Compare { operator: Comparador::Equal, sides } = self else { return None };
        match &**sides {
            [Expression::Field { slot: a, nombre: x }, Expression::Field { slot: b, nombre: y }] => {
                Some([(*a, x), (*b, y)])
            }
            _ => None,
        }
    }
}

/// How deep an expression goes, counted as its limit counts: access to data is a leaf.
fn depth(node: &Valor) -> usize {
    match node.as_list() {
        Some([Valor::Text(head), ..]) if matches!(&**head, "campo" | "hecho" | "col") => 0,
        Some([_, args @ ..]) => args.iter().map(|arg| 1 + depth(arg)).max().unwrap_or(0),
        _ => 0,
    }
}

fn wrong(motivo: impl Into<String>) -> Raised {
    Box::new(AlgebraError::contract(motivo).at(&[]))
}

fn compile(node: &Valor, scope: &Scope, contexto: &Contexto<'_>, depth: usize) -> Result<Expression, Raised> {
    let limite = contexto.limites.profundidad_expresion;
    if depth > limite {
        return Err(Box::new(AlgebraError::limit("profundidad_expresion", depth, limite).at(&[])));
    }
    let Some(items) = node.as_list() else {
        return match node {
            Valor::Map(_) => Err(wrong("un literal es un escalar, no un mapa")),
            scalar => Ok(Expression::Literal(scalar.clone())),
        };
    };
    let head = match items {
        [Valor::Text(head), ..] if !is_blank(head) => head,
        [] => return Err(wrong("una expresión no es una lista vacía")),
        _ => return Err(wrong("la cabeza de una expresión es un texto no vacío")),
    };
    if let Some(access) = accessor(head, items, scope)? {
        return Ok(access);
    }
    let operands = |range: std::ops::Range<usize>| {
        range
            .map(|at| {
                compile(&items[at], scope, contexto, depth + 1).map_err(|error| Box::new(error.under(at)))
            })
            .collect::<Result<Vec<_>, _>>()
    };
    let all = 1..items.len();
    if let Some(operator) = Comparador::parse(head) {
        if items.len() != 3 {
            return Err(wrong(format!("«{head}» lleva dos operandos, no {}", items.len() - 1)));
        }
        let sides = operands(all)?.try_into().map_err(|_| wrong("«==» lleva dos operandos"))?;
        return Ok(Expression::Compare { operator, sides: Box::new(sides) });
    }
    match &**head {
        "y" | "o" if items.len() < 3 => {
            Err(wrong(format!("«{head}» lleva al menos dos operandos, no {}", items.len() - 1)))
        }
        "y" | "o" => Ok(Expression::Logic { any: &**head == "o", operands: operands(all)? }),
        "no" if items.len() != 2 => Err(wrong(format!("«no» lleva un operando, no {}", items.len() - 1))),
        "no" => {
            let operand = compile(&items[1], scope, contexto, depth + 1);
            Ok(Expression::Not(Box::new(operand.map_err(|error| Box::new(error.under(1)))?)))
        }
        _ => match contexto.escalares.arity(head) {
            Some(arity) if arity.accepts(items.len() - 1) => {
                Ok(Expression::Escalar { nombre: head.clone(), args: operands(all)? })
            }
            Some(arity) => Err(wrong(arity_refusal(head, arity, items.len() - 1))),
            None => {
                Err(wrong(format!("«{head}» no es acceso a datos, comparador, lógico ni escalar declarada")))
            }
        },
    }
}

/// The access to data that `items` is; `None` when its head is none.
fn accessor(head: &str, items: &[Valor], scope: &Scope) -> Result<Option<Expression>, Raised> {
    let form = match head {
        "campo" => "«campo» se escribe [\"campo\", alias, nombre]",
        "hecho" => "«hecho» se escribe [\"hecho\", alias]",
        "col" => "«col» se escribe [\"col\", nombre]",
        _ => return Ok(None),
    };
    let expected = if head == "campo" { 3 } else { 2 };
    if items.len() != expected {
        return Err(wrong(form));
    }
    let mut names = Vec::with_capacity(2);
    for (at, item) in items.iter().enumerate().skip(1) {
        match item {
            Valor::Text(name) if !is_blank(name) => names.push(name),
            _ => {
                let error = AlgebraError::contract(format!("{form}, con textos no vacíos")).at(&[]);
                return Err(Box::new(error.under(at)));
            }
        }
    }
    Ok(Some(match (head, &names[..]) {
        ("campo", [alias, nombre]) => scope.field(alias, nombre),
        ("hecho", [alias]) => scope.whole(alias),
        (_, names) => scope.column(names[0]),
    }))
}

fn arity_refusal(nombre: &str, arity: Arity, given: usize) -> String {
    let range = match arity {
        Arity { min, max: None } => format!("{min} o más"),
        Arity { min, max: Some(max) } if min == max => min.to_string(),
        Arity { min, max: Some(max) } => format!("de {min} a {max}"),
    };
    format!("la escalar «{nombre}» recibe {range} argumentos, no {given}")
}

/// What a condition gives: conditions are evaluated for every row, so their booleans are no values.
enum Truth {
    Bool(bool),
    /// The family of what is no boolean.
    Other(&'static str),
}

impl Truth {
    fn of(value: &Valor) -> Truth {
        value.as_bool().map_or_else(|| Truth::Other(family(value)), Truth::Bool)
    }
}

fn evaluate<'v>(
    expression: &'v Expression,
    row: Row<'v, '_>,
    escalares: &dyn Escalares,
) -> Result<Cow<'v, Valor>, Raised> {
    match expression {
        Expression::Literal(value) => Ok(Cow::Borrowed(value)),
        Expression::Field { slot, nombre } => {
            Ok(Cow::Borrowed(row.fact(*slot).get(nombre).unwrap_or(&ABSENT)))
        }
        Expression::Column(at) => Ok(Cow::Borrowed(&row.columns[*at])),
        Expression::Absent => Ok(Cow::Borrowed(&ABSENT)),
        Expression::UnknownAlias(alias) => Err(wrong(format!("la fila no tiene el alias «{alias}»"))),
        Expression::Fact(slot) => Ok(Cow::Owned(Valor::Map(row.fact(*slot).clone()))),
        Expression::Columns(names) => {
            Ok(Cow::Owned(Valor::Map(names.iter().cloned().zip(row.columns.iter().cloned()).collect())))
        }
        Expression::Compare { operator, sides } => {
            compared(*operator, sides, row, escalares).map(|holds| Cow::Owned(Valor::Bool(holds)))
        }
        Expression::Logic { any, operands } => {
            combined(*any, operands, row, escalares).map(|holds| Cow::Owned(Valor::Bool(holds)))
        }
        Expression::Not(node) => negated(node, row, escalares).map(|holds| Cow::Owned(Valor::Bool(holds))),
        Expression::Escalar { nombre, args } => {
            let args = args
                .iter()
                .enumerate()
                .map(|(i, arg)| {
                    evaluate(arg, row, escalares)
                        .map(Cow::into_owned)
                        .map_err(|error| Box::new(error.under(i + 1)))
                })
                .collect::<Result<Vec<_>, _>>()?;
            escalares
                .call(nombre, &args)
                .map(Cow::Owned)
                .map_err(|motivo| wrong(format!("la escalar «{nombre}» falló: {motivo}")))
        }
    }
}

/// What [`evaluate`] gives, as a condition.
fn truth(expression: &Expression, row: Row<'_, '_>, escalares: &dyn Escalares) -> Result<Truth, Raised> {
    match expression {
        Expression::Compare { operator, sides } => {
            compared(*operator, sides, row, escalares).map(Truth::Bool)
        }
        Expression::Logic { any, operands } => combined(*any, operands, row, escalares).map(Truth::Bool),
        Expression::Not(node) => negated(node, row, escalares).map(Truth::Bool),
        other => evaluate(other, row, escalares).map(|value| Truth::of(&value)),
    }
}

fn compared(
    operator: Comparador,
    sides: &[Expression; 2],
    row: Row<'_, '_>,
    escalares: &dyn Escalares,
) -> Result<bool, Raised> {
    let left = evaluate(&sides[0], row, escalares).map_err(|error| Box::new(error.under(1)))?;
    let right = evaluate(&sides[1], row, escalares).map_err(|error| Box::new(error.under(2)))?;
    compare(operator, &left, &right).map_err(|error| Box::new(error.at(&[])))
}

/// Every operand is evaluated before any decides: an error in one is never hidden by another.
fn combined(
    any: bool,
    operands: &[Expression],
    row: Row<'_, '_>,
    escalares: &dyn Escalares,
) -> Result<bool, Raised> {
    let mut strict = true;
    let mut result = !any;
    for (i, node) in operands.iter().enumerate() {
        match truth(node, row, escalares).map_err(|error| Box::new(error.under(i + 1)))? {
            Truth::Bool(value) if any => result |= value,
            Truth::Bool(value) => result &= value,
            Truth::Other(_) => strict = false,
        }
    }
    let who = if any { "o" } else { "y" };
    if strict { Ok(result) } else { Err(wrong(format!("«{who}» exige operandos booleanos"))) }
}

fn negated(node: &Expression, row: Row<'_, '_>, escalares: &dyn Escalares) -> Result<bool, Raised> {
    match truth(node, row, escalares).map_err(|error| Box::new(error.under(1)))? {
        Truth::Bool(value) => Ok(!value),
        Truth::Other(_) => Err(wrong("«no» exige un operando booleano")),
    }
}
