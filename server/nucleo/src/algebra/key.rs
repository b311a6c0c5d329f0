//! Identity of values: when two count as one key.
//!
//! Owns the equality behind `agrupar`, unique keys and witnesses taken as a bag: by numeric value across
//! integers, floats and booleans (`1`, `1.0` and `true` are one key, `-0.0` is `0`), by code points for
//! text, by members for lists and maps. It is not `==`: comparison in a measure is stricter.

use crate::valor::{Integer, Map, Text, Valor};
use num_bigint::BigInt;
use num_traits::FromPrimitive;

/// A value reduced to its identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    Null,
    Int(Integer),
    /// The bits of a float that is no integer.
    Float(u64),
    Text(Text),
    List(Vec<Key>),
    /// Sorted by name.
    Map(Vec<(Text, Key)>),
}

impl Key {
    /// The identity of any value.
    pub(super) fn of(value: &Valor) -> Key {
        match value {
            Valor::Null => Key::Null,
            Valor::Bool(value) => Key::Int(Integer::from(i64::from(*value))),
            Valor::Int(integer) => Key::Int(integer.clone()),
            Valor::Float(float) => Key::of_float(*float),
            Valor::Text(text) => Key::Text(text.clone()),
            Valor::List(items) => Key::List(items.iter().map(Key::of).collect()),
            Valor::Map(map) => Key::of_map(map),
        }
    }

    /// The identity of a scalar or an absent value; `None` for lists and maps, which identify nothing.
    pub(super) fn of_scalar(value: &Valor) -> Option<Key> {
        match value {
            Valor::List(_) | Valor::Map(_) => None,
            scalar => Some(Key::of(scalar)),
        }
    }

    /// The identity of a map, whatever the order of its members.
    pub(super) fn of_map(map: &Map) -> Key {
        let mut members: Vec<_> = map.iter().map(|(name, value)| (name.clone(), Key::of(value))).collect();
        members.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Key::Map(members)
    }

    fn of_float(float: f64) -> Key {
        if float.fract() == 0.0
            && let Some(whole) = BigInt::from_f64(float)
        {
            return Key::Int(Integer::from(whole));
        }
        Key::Float(float.to_bits())
    }
}

/// Whether two values are one by that identity: what tells a mutant's value from the original's.
pub(crate) fn same_value(a: &Valor, b: &Valor) -> bool {
    Key::of(a) == Key::of(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valor::parse;

    #[track_caller]
    fn check(a: &str, b: &str, same: bool) {
        assert_eq!(Key::of(&parse(a).unwrap()) == Key::of(&parse(b).unwrap()), same, "{a} {b}");
    }

    #[test]
    fn numbers_are_one_key_by_value() {
        check("1", "1.0", true);
        check("1", "true", true);
        check("0", "false", true);
        check("0", "-0.0", true);
        check("9007199254740992", "9007199254740992.0", true);
        check("9007199254740993", "9007199254740992.0", false);
        check("1e300", "1e300", true);
        check("0.5", "0.5", true);
        check("0.5", "0.25", false);
        check("1", "\"1\"", false);
        check("null", "0", false);
        check("[1,true]", "[true,1.0]", true);
        check(r#"{"a":1,"b":2}"#, r#"{"b":2.0,"a":1}"#, true);
        check(r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false);
    }
}
