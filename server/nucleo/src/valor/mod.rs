//! The values of the language and of JSON: exact integers of any size, finite floats, text, booleans,
//! lists and ordered maps.
//!
//! Owns the one reading and the two printings of JSON that everything else shares. Decides nothing about
//! comparison: that is the algebra's. Own code rather than a library's because evidence needs what none
//! gives at once: integers that keep every digit, floats printed as the canonical form prints them, keys
//! stored once however many rows repeat them, and one verdict on depth, duplicates and surrogates.

mod integer;
mod map;
mod print;
mod read;

pub use integer::Integer;
pub use map::Map;
pub use print::float_text;
pub use read::{JsonError, MAX_DEPTH, Member, members, parse, prefix};

use std::sync::Arc;

/// Shared text; a key that a million rows repeat is stored once.
pub type Text = Arc<str>;

/// One JSON value, as the language sees it. Equality is structural and type-strict: `1`, `1.0` and `true`
/// are three values.
#[derive(Clone, Debug, PartialEq)]
pub enum Valor {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer, exact whatever its size.
    Int(Integer),
    /// A finite float.
    Float(f64),
    /// Text.
    Text(Text),
    /// A list.
    List(Vec<Valor>),
    /// A map that keeps the order in which its keys were written.
    Map(Map),
}

impl Valor {
    /// A text value.
    pub fn text(text: impl AsRef<str>) -> Valor {
        Valor::Text(Arc::from(text.as_ref()))
    }

    /// A list of the given values.
    pub fn list(items: impl IntoIterator<Item = Valor>) -> Valor {
        Valor::List(items.into_iter().collect())
    }

    /// A map of the given members, in that order; a repeated key keeps its last value.
    pub fn map<K: AsRef<str>>(members: impl IntoIterator<Item = (K, Valor)>) -> Valor {
        Valor::Map(members.into_iter().map(|(k, v)| (Arc::from(k.as_ref()), v)).collect())
    }

    /// The text, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Valor::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Valor::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Valor]> {
        match self {
            Valor::List(items) => Some(items),
            _ => None,
        }
    }

    /// The members, if this is a map.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Valor::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The first item of a list, if it is text: the head of a node of the canonical form.
    pub fn head(&self) -> Option<&str> {
        self.as_list()?.first()?.as_str()
    }
}

impl From<bool> for Valor {
    fn from(value: bool) -> Valor {
        Valor::Bool(value)
    }
}

impl From<i64> for Valor {
    fn from(value: i64) -> Valor {
        Valor::Int(Integer::from(value))
    }
}

impl From<usize> for Valor {
    fn from(value: usize) -> Valor {
        Valor::Int(Integer::from(value))
    }
}

impl From<&str> for Valor {
    fn from(value: &str) -> Valor {
        Valor::text(value)
    }
}

impl From<String> for Valor {
    fn from(value: String) -> Valor {
        Valor::Text(Arc::from(value))
    }
}

impl From<Text> for Valor {
    fn from(value: Text) -> Valor {
        Valor::Text(value)
    }
}
