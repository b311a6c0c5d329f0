//! Any value as the text that `contiene` looks through.
//!
//! Owns that one writing: a text as it is, a number as it is printed, everything else as the published
//! implementation shows it (`True`, `None`, `[1, 'a']`, `{'k': 'v'}`). It is no JSON and nothing reads it back.

use crate::valor::{Valor, float_text};
use std::fmt::Write;

/// The text of a value.
pub(super) fn plain_text(value: &Valor) -> String {
    match value {
        Valor::Text(text) => text.to_string(),
        other => {
            let mut out = String::new();
            write_value(other, &mut out);
            out
        }
    }
}

fn write_value(value: &Valor, out: &mut String) {
    match value {
        Valor::Null => out.push_str("None"),
        Valor::Bool(true) => out.push_str("True"),
        Valor::Bool(false) => out.push_str("False"),
        Valor::Int(integer) => out.push_str(&integer.to_string()),
        Valor::Float(float) => out.push_str(&float_text(*float)),
        Valor::Text(text) => write_quoted(text, out),
        Valor::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_value(item, out);
            }
            out.push(']');
        }
        Valor::Map(map) => {
            out.push('{');
            for (i, (name, item)) in map.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_quoted(name, out);
                out.push_str(": ");
                write_value(item, out);
            }
            out.push('}');
        }
    }
}

/// Single quotes, unless only those are in the text.
fn write_quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if is_shown(c) => out.push(c),
            c => write_code(u32::from(c), out),
        }
    }
    out.push(quote);
}

/// Whether a character has a shape of its own: no control, no format, no separator but the space, and assigned.
fn is_shown(c: char) -> bool {
    // Behind another character a combining mark is shown, so the standard library escapes just what has no shape.
    let pair: String = ['a', c].into_iter().collect();
    matches!(c, '\'' | '"') || pair.escape_debug().count() == 2
}

fn write_code(code: u32, out: &mut String) {
    let written = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    written.expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valor::parse;

    #[track_caller]
    fn check(value: &str, expect: &str) {
        assert_eq!(plain_text(&parse(value).unwrap()), expect);
    }

    #[test]
    fn each_kind_has_its_writing() {
        check("\"a'b\\n\"", "a'b\n");
        check("null", "None");
        check("[true, false, null]", "[True, False, None]");
        check("[1, 1.0, 1e16, -7]", "[1, 1.0, 1e+16, -7]");
        check(r#"{"b": ["x"], "a": {}}"#, "{'b': ['x'], 'a': {}}");
    }

    #[test]
    fn quotes_and_what_has_no_shape_are_escaped() {
        check(r#"["a'b", "a\"b", "a'\"b"]"#, r#"["a'b", 'a"b', 'a\'"b']"#);
        check(r#"["\\ \n\r\t"]"#, r"['\\ \n\r\t']");
        check(
            r#"["\u0000\u007f\u00a0\u200b\u2028\ue000\udb80\udc00"]"#,
            r"['\x00\x7f\xa0\u200b\u2028\ue000\U000f0000']",
        );
        check("[\"ñandú e\u{301} 😀\"]", "['ñandú e\u{301} 😀']");
    }
}
