//! Building and taking apart nodes of the canonical form: lists whose first item names them.

use crate::valor::Valor;

/// The head of a hole of a template: `["$", parameter]`.
pub(crate) const HOLE: &str = "$";

/// A node: its head, then its items.
pub(crate) fn node(head: &str, items: impl IntoIterator<Item = Valor>) -> Valor {
    Valor::list(std::iter::once(Valor::text(head)).chain(items))
}

/// A hole for `parameter`.
pub(crate) fn hole(parameter: &str) -> Valor {
    node(HOLE, [Valor::text(parameter)])
}

/// The parameter of a hole, if `value` is one.
pub(crate) fn as_hole(value: &Valor) -> Option<&str> {
    match value.as_list()? {
        [head, parameter] if head.as_str() == Some(HOLE) => parameter.as_str(),
        _ => None,
    }
}

/// The items after the head, if `value` is a node named `head`.
pub(crate) fn items_of<'a>(value: &'a Valor, head: &str) -> Option<&'a [Valor]> {
    match value.as_list()? {
        [first, items @ ..] if first.as_str() == Some(head) => Some(items),
        _ => None,
    }
}

/// The items after the head, if `value` is a node named `head` with exactly `N` of them.
pub(crate) fn exactly<'a, const N: usize>(value: &'a Valor, head: &str) -> Option<&'a [Valor; N]> {
    items_of(value, head)?.try_into().ok()
}

/// Whether `name` is a name inside expressions: ASCII letters, digits and `_`, not starting with a digit.
pub(crate) fn is_ident(name: &str) -> bool {
    ident_length(name) == name.len() && !name.is_empty()
}

/// Length in bytes of the name at the start of `text`; 0 when there is none.
pub(crate) fn ident_length(text: &str) -> usize {
    match text.bytes().next() {
        Some(b'A'..=b'Z' | b'a'..=b'z' | b'_') => {
            text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
        }
        _ => 0,
    }
}

/// As [`ident_length`], for names of macros and parameters, which may hold hyphens.
pub(crate) fn hyphenated_length(text: &str) -> usize {
    match ident_length(text) {
        0 => 0,
        _ => text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count(),
    }
}

/// Whether `name` is a name that may hold hyphens.
pub(crate) fn is_hyphenated(name: &str) -> bool {
    hyphenated_length(name) == name.len() && !name.is_empty()
}

/// Whether `name` is lower-case ASCII letters, digits and `_`, starting with a letter.
pub(crate) fn is_lower_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether `id` can be the id of a measure: two or more lower-case names joined by dots.
pub fn is_measure_id(id: &str) -> bool {
    id.contains('.') && id.split('.').all(is_lower_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measure_ids_are_dotted_lower_names() {
        for id in ["a.b", "a1_.b.c_2"] {
            assert!(is_measure_id(id), "{id}");
        }
        for id in ["a", "a.", ".a", "a..b", "A.b", "a.1", "a.ñ", "a-b.c", ""] {
            assert!(!is_measure_id(id), "{id}");
        }
    }

    #[test]
    fn holes_are_exactly_two_texts() {
        assert_eq!(as_hole(&hole("x")), Some("x"));
        assert_eq!(as_hole(&node(HOLE, [])), None);
        assert_eq!(as_hole(&Valor::text("$x")), None);
    }
}
