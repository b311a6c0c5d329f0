//! Comparison under the language's contract: nothing is compared silently.
//!
//! Owns which pairs of values may be compared and how. Absent values, different families, anything but
//! scalars, and equality of floats are errors, never `false`.

use super::AlgebraError;
use super::number::Number;
use crate::valor::Valor;
use std::cmp::Ordering;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparador {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparador {
    /// Every operator, in the language's order.
    pub const ALL: [Comparador; 6] = [
        Comparador::Equal,
        Comparador::NotEqual,
        Comparador::Less,
        Comparador::LessOrEqual,
        Comparador::Greater,
        Comparador::GreaterOrEqual,
    ];

    /// The operator as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Comparador::Equal => "==",
            Comparador::NotEqual => "!=",
            Comparador::Less => "<",
            Comparador::LessOrEqual => "<=",
            Comparador::Greater => ">",
            Comparador::GreaterOrEqual => ">=",
        }
    }

    /// The operator that is written `text`.
    pub fn parse(text: &str) -> Option<Comparador> {
        Comparador::ALL.into_iter().find(|operator| operator.as_str() == text)
    }

    fn is_equality(self) -> bool {
        matches!(self, Comparador::Equal | Comparador::NotEqual)
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Comparador::Equal => order.is_eq(),
            Comparador::NotEqual => order.is_ne(),
            Comparador::Less => order.is_lt(),
            Comparador::LessOrEqual => order.is_le(),
            Comparador::Greater => order.is_gt(),
            Comparador::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// What a value is to a comparison, as error texts name it.
pub(super) fn family(value: &Valor) -> &'static str {
    match value {
        Valor::Null => "ausente",
        Valor::Bool(_) => "booleano",
        Valor::Int(_) | Valor::Float(_) => "número",
        Valor::Text(_) => "texto",
        Valor::List(_) => "lista",
        Valor::Map(_) => "mapa",
    }
}

/// The order of two scalars of one family; `None` when they are not that.
pub(super) fn order(a: &Valor, b: &Valor) -> Option<Ordering> {
    match (a, b) {
        (Valor::Text(a), Valor::Text(b)) => Some(a.cmp(b)),
        (Valor::Bool(a), Valor::Bool(b)) => Some(a.cmp(b)),
        _ => Some(Number::of(a)?.compare(Number::of(b)?)),
    }
}

/// Whether `a operator b` holds.
///
/// # Errors
/// A broken contract when a side is absent or no scalar, when their families differ, or when `==` or `!=`
/// meets a float.
pub fn compare(operator: Comparador, a: &Valor, b: &Valor) -> Result<bool, AlgebraError> {
    match order(a, b) {
        Some(order) if !(operator.is_equality() && (is_float(a) || is_float(b))) => Ok(operator.holds(order)),
        _ => Err(AlgebraError::contract(refusal(operator, a, b))),
    }
}

fn is_float(value: &Valor) -> bool {
    matches!(value, Valor::Float(_))
}

/// Why the comparison is refused.
fn refusal(operator: Comparador, a: &Valor, b: &Valor) -> String {
    let operator_text = operator.as_str();
    let (left, right) = (family(a), family(b));
    let scalar = |family| matches!(family, "número" | "booleano" | "texto");
    if left == "ausente" || right == "ausente" {
        format!(
            "«{operator_text}» recibió un valor ausente ({left} y {right}): un campo que falta no se compara"
        )
    } else if !scalar(left) || !scalar(right) {
        format!("«{operator_text}» compara escalares, y recibió {left} y {right}")
    } else if left != right {
        format!("«{operator_text}» compara valores de una misma familia, y recibió {left} y {right}")
    } else {
        format!(
            "«{operator_text}» no se aplica a flotantes ({} y {}): compará por orden, con una tolerancia escrita",
            a.to_compact(),
            b.to_compact()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valor::parse;

    #[track_caller]
    fn check(text: &str, expect: Option<bool>) {
        let [a, operator, b] = text.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let operator = Comparador::parse(operator).unwrap();
        let answer = compare(operator, &parse(a).unwrap(), &parse(b).unwrap());
        assert_eq!(answer.ok(), expect, "{text}");
    }

    #[test]
    fn numbers_compare_exactly() {
        check("1 < 2", Some(true));
        check("2 <= 2", Some(true));
        check("2 > 2.5", Some(false));
        check("9007199254740993 > 9007199254740992.0", Some(true));
        check("9007199254740992 > 9007199254740992.0", Some(false));
        check("18446744073709551616 == 18446744073709551616", Some(true));
        check("100000000000000000000 < 1e19", Some(false));
        check("-100000000000000000000 < -1e19", Some(true));
        check("-1 >= -1.5", Some(true));
        check("-2 >= -1.5", Some(false));
        check("0.5 >= 0.5", Some(true));
        check("-0.0 >= 0", Some(true));
    }

    #[test]
    fn text_compares_by_code_point_and_booleans_by_value() {
        check(r#""a" < "b""#, Some(true));
        check(r#""Z" < "a""#, Some(true));
        check(r#""😀" > "￿""#, Some(true));
        check("false < true", Some(true));
        check("true == true", Some(true));
        check("true != true", Some(false));
    }

    #[test]
    fn nothing_is_compared_silently() {
        for operator in Comparador::ALL {
            for pair in [
                ("null", "1"),
                ("1", "null"),
                ("1", "true"),
                ("1", "\"1\""),
                ("\"true\"", "true"),
                ("[1]", "[1]"),
                ("{}", "{}"),
                ("1", "[]"),
            ] {
                check(&format!("{} {} {}", pair.0, operator.as_str(), pair.1), None);
            }
        }
        check("1.5 == 1.5", None);
        check("1 != 1.0", None);
        check("1.0 == 1", None);
    }
}
