//! Aggregates: from the values of a bag to one value.
//!
//! Owns what `contar`, `max`, `min`, `suma` and `promedio` accept and answer. An empty bag gives `0`; values
//! are taken one at a time, so no bag is copied.

use super::AlgebraError;
use super::compare::{family, order};
use super::number::{Number, Sum};
use crate::valor::Valor;
use std::borrow::Cow;
use std::cmp::Ordering;

/// An aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agregado {
    /// How many rows; its expression is not evaluated.
    Contar,
    /// The largest value; of equal ones the first.
    Max,
    /// The smallest value; of equal ones the first.
    Min,
    /// The sum; booleans count as 0 and 1.
    Suma,
    /// The arithmetic mean, always a float; booleans count as 0 and 1.
    Promedio,
}

impl Agregado {
    /// Every aggregate, in the language's order.
    pub const ALL: [Agregado; 5] =
        [Agregado::Contar, Agregado::Max, Agregado::Min, Agregado::Suma, Agregado::Promedio];

    /// The aggregate as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Agregado::Contar => "contar",
            Agregado::Max => "max",
            Agregado::Min => "min",
            Agregado::Suma => "suma",
            Agregado::Promedio => "promedio",
        }
    }

    /// The aggregate that is written `text`.
    pub fn parse(text: &str) -> Option<Agregado> {
        Agregado::ALL.into_iter().find(|aggregate| aggregate.as_str() == text)
    }
}

/// An aggregate that has seen some of its values.
pub(super) struct Accumulator<'v> {
    aggregate: Agregado,
    count: usize,
    extreme: Option<Cow<'v, Valor>>,
    sum: Sum,
}

impl<'v> Accumulator<'v> {
    pub(super) fn new(aggregate: Agregado) -> Accumulator<'v> {
        Accumulator { aggregate, count: 0, extreme: None, sum: Sum::ZERO }
    }

    /// Takes one more value.
    pub(super) fn add(&mut self, value: Cow<'v, Valor>) -> Result<(), AlgebraError> {
        self.count += 1;
        match self.aggregate {
            Agregado::Contar => Ok(()),
            Agregado::Max => self.add_extreme(value, Ordering::Greater),
            Agregado::Min => self.add_extreme(value, Ordering::Less),
            Agregado::Suma | Agregado::Promedio => self.add_term(&value),
        }
    }

    fn add_extreme(&mut self, value: Cow<'v, Valor>, wins: Ordering) -> Result<(), AlgebraError> {
        let Some(best) = &self.extreme else {
            // A value comes in an order with itself only when it is a scalar.
            if order(&value, &value).is_none() {
                return Err(self.refusal(&value));
            }
            self.extreme = Some(value);
            return Ok(());
        };
        match order(&value, best) {
            Some(order) if order == wins => self.extreme = Some(value),
            Some(_) => {}
            None => {
                return Err(AlgebraError::contract(format!(
                    "«{}» agrega valores de una misma familia, y recibió {} y {}",
                    self.aggregate.as_str(),
                    family(best),
                    family(&value)
                )));
            }
        }
        Ok(())
    }

    fn add_term(&mut self, value: &Valor) -> Result<(), AlgebraError> {
        let indicator;
        let term = match value {
            Valor::Bool(value) => {
                indicator = crate::valor::Integer::from(i64::from(*value));
                Number::Int(&indicator)
            }
            other => Number::of(other).ok_or_else(|| self.refusal(other))?,
        };
        self.sum.add(term).map_err(|_| self.too_large())
    }

    fn refusal(&self, value: &Valor) -> AlgebraError {
        let accepted = match self.aggregate {
            Agregado::Suma | Agregado::Promedio => "números o booleanos",
            _ => "escalares",
        };
        let aggregate = self.aggregate.as_str();
        AlgebraError::contract(format!("«{aggregate}» agrega {accepted}, y recibió {}", family(value)))
    }

    fn too_large(&self) -> AlgebraError {
        let aggregate = self.aggregate.as_str();
        AlgebraError::contract(format!("«{aggregate}» salió del rango de los flotantes"))
    }

    /// The answer over what was added.
    pub(super) fn finish(self) -> Result<Valor, AlgebraError> {
        if self.count == 0 || self.aggregate == Agregado::Contar {
            return Ok(Valor::from(self.count));
        }
        let float = match (self.aggregate, &self.sum) {
            (Agregado::Suma, Sum::Int(sum)) => return Ok(Valor::Int(sum.clone())),
            (Agregado::Suma, Sum::Float(sum)) => *sum,
            (Agregado::Promedio, sum) => sum.mean(self.count).map_err(|_| self.too_large())?,
            // An extreme is there once a value came.
            _ => return Ok(self.extreme.map_or(Valor::Null, Cow::into_owned)),
        };
        if float.is_finite() { Ok(Valor::Float(float)) } else { Err(self.too_large()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valor::parse;

    #[track_caller]
    fn check(aggregate: &str, values: &str, expect: Option<&str>) {
        let values = parse(values).unwrap();
        let mut accumulator = Accumulator::new(Agregado::parse(aggregate).unwrap());
        let answer = values
            .as_list()
            .unwrap()
            .iter()
            .try_for_each(|value| accumulator.add(Cow::Borrowed(value)))
            .and_then(|()| accumulator.finish());
        assert_eq!(answer.ok().map(|value| value.to_compact()).as_deref(), expect);
    }

    #[test]
    fn an_empty_bag_gives_zero() {
        for aggregate in Agregado::ALL {
            check(aggregate.as_str(), "[]", Some("0"));
        }
    }

    #[test]
    fn extremes_keep_the_first_of_equal_values() {
        check("max", "[1, 1.0]", Some("1"));
        check("max", "[1.0, 1]", Some("1.0"));
        check("min", "[2, 1.0, 1]", Some("1.0"));
        check("min", "[0, -0.0]", Some("0"));
        check("max", "[false, true, true]", Some("true"));
        check("max", r#"["a", "ñ", "Z"]"#, Some("\"ñ\""));
        check("max", "[9007199254740992.0, 9007199254740993]", Some("9007199254740993"));
    }

    #[test]
    fn sums_and_means_take_numbers_and_indicators() {
        check("suma", "[true, true, false, 2]", Some("4"));
        check("suma", "[true, 0.5]", Some("1.5"));
        check("suma", "[9223372036854775807, 9223372036854775807]", Some("18446744073709551614"));
        check("suma", "[-0.0]", Some("0.0"));
        check("promedio", "[1, 2]", Some("1.5"));
        check("promedio", "[2, 2]", Some("2.0"));
        check("promedio", "[true, false]", Some("0.5"));
        check("promedio", "[0.1, 0.2]", Some("0.15000000000000002"));
        check("suma", "[1e308, 1e308]", None);
        check("suma", "[1e308, 1e308, -1e308]", None);
        check("suma", &format!("[1{}, 0.5]", "0".repeat(400)), None);
        check("promedio", &format!("[1{}]", "0".repeat(400)), None);
    }

    #[test]
    fn what_has_no_order_or_no_sum_is_refused() {
        for aggregate in ["max", "min", "suma", "promedio"] {
            for values in ["[null]", "[[1]]", "[{}]", "[1, \"a\"]", "[\"a\", 1]", "[1, null]"] {
                check(aggregate, values, None);
            }
        }
        check("max", "[1, true]", None);
        check("suma", "[\"a\"]", None);
    }

    #[test]
    fn counting_looks_at_nothing() {
        check("contar", "[null, [1], \"a\"]", Some("3"));
    }
}
