//! The two printings of JSON: compact, in the order written, and canonical, with sorted keys.
//!
//! Both print one form of everything else: no spaces, UTF-8 unescaped, floats as [`float_text`] gives them.

use super::{Map, Valor};
use std::fmt::{self, Write};

impl Valor {
    /// Prints compact JSON with members in their own order.
    pub fn write_compact(&self, out: &mut impl Write) -> fmt::Result {
        write(self, out, false)
    }

    /// Prints canonical JSON: as compact, with keys sorted by code point at every depth.
    pub fn write_canonical(&self, out: &mut impl Write) -> fmt::Result {
        write(self, out, true)
    }

    /// Compact JSON as text.
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        self.write_compact(&mut out).expect("writing to a string cannot fail");
        out
    }

    /// Canonical JSON as text.
    pub fn to_canonical(&self) -> String {
        let mut out = String::new();
        self.write_canonical(&mut out).expect("writing to a string cannot fail");
        out
    }
}

fn write(value: &Valor, out: &mut impl Write, sorted: bool) -> fmt::Result {
    match value {
        Valor::Null => out.write_str("null"),
        Valor::Bool(true) => out.write_str("true"),
        Valor::Bool(false) => out.write_str("false"),
        Valor::Int(integer) => write!(out, "{integer}"),
        Valor::Float(float) => out.write_str(&float_text(*float)),
        Valor::Text(text) => write_text(text, out),
        Valor::List(items) => {
            out.write_char('[')?;
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.write_char(',')?;
                }
                write(item, out, sorted)?;
            }
            out.write_char(']')
        }
        Valor::Map(map) => write_map(map, out, sorted),
    }
}

fn write_map(map: &Map, out: &mut impl Write, sorted: bool) -> fmt::Result {
    let mut members: Vec<_> = map.iter().collect();
    if sorted {
        members.sort_by(|a, b| a.0.cmp(b.0));
    }
    out.write_char('{')?;
    for (i, (key, item)) in members.into_iter().enumerate() {
        if i > 0 {
            out.write_char(',')?;
        }
        write_text(key, out)?;
        out.write_char(':')?;
        write(item, out, sorted)?;
    }
    out.write_char('}')
}

impl Map {
    /// Prints canonical JSON: keys sorted by code point at every depth.
    pub fn write_canonical(&self, out: &mut impl Write) -> fmt::Result {
        write_map(self, out, true)
    }
}

/// Prints a JSON string: only quotes, backslashes and control characters are escaped.
fn write_text(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..=0x1f => "",
            _ => continue,
        };
        out.write_str(&text[plain_from..at])?;
        if escape.is_empty() {
            write!(out, "\\u{byte:04x}")?;
        } else {
            out.write_str(escape)?;
        }
        plain_from = at + 1;
    }
    out.write_str(&text[plain_from..])?;
    out.write_char('"')
}

/// A finite float as the canonical form prints it: the shortest digits that read back to it, in positional
/// notation from `1e-4` up to, not including, `1e16`, else with a signed exponent of at least two digits.
///
/// `1.0`, `0.0001`, `1e-05`, `123456789.125`, `1e+16`.
pub fn float_text(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` always prints an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` prints an integer exponent");
    if (-4..16).contains(&exponent) {
        let positional = format!("{value}");
        return if positional.contains('.') { positional } else { positional + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}
