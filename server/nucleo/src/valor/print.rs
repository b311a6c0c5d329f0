//! The two printings of JSON: compact, in the order written, and canonical, with sorted keys.
//!
//! Both print one form of everything else: no spaces, UTF-8 unescaped, floats as [`float_text`] gives them.

use super::{Integer, Map, Text, Valor};
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
        Valor::Int(integer) => write_integer(integer, out),
        Valor::Float(float) => write_float(*float, out),
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
    if sorted {
        write_members(map.iter_sorted(), out, sorted)
    } else {
        write_members(map.iter(), out, sorted)
    }
}

fn write_members<'v>(
    members: impl Iterator<Item = (&'v Text, &'v Valor)>,
    out: &mut impl Write,
    sorted: bool,
) -> fmt::Result {
    out.write_char('{')?;
    for (i, (key, item)) in members.enumerate() {
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
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        out.write_str(&rest[..at])?;
        match rest.as_bytes()[at] {
            b'"' => out.write_str("\\\""),
            b'\\' => out.write_str("\\\\"),
            b'\n' => out.write_str("\\n"),
            b'\r' => out.write_str("\\r"),
            b'\t' => out.write_str("\\t"),
            0x08 => out.write_str("\\b"),
            0x0c => out.write_str("\\f"),
            control => write!(out, "\\u{control:04x}"),
        }?;
        rest = &rest[at + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

/// Most decimal digits that a `u64` takes.
const WORD_DIGITS: usize = 20;

/// Prints an integer that fits a machine word, with at least `width` digits: evidence holds millions, and the
/// formatting of the standard library costs more than the digits do.
fn write_word(mut value: u64, width: usize, out: &mut impl Write) -> fmt::Result {
    let mut digits = [b'0'; WORD_DIGITS];
    let mut start = WORD_DIGITS;
    while value > 0 || start > WORD_DIGITS - width {
        start -= 1;
        digits[start] += u8::try_from(value % 10).unwrap_or_default();
        value /= 10;
    }
    out.write_str(str::from_utf8(&digits[start..]).unwrap_or_default())
}

fn write_integer(integer: &Integer, out: &mut impl Write) -> fmt::Result {
    match integer.to_i64() {
        Some(small) => {
            if small < 0 {
                out.write_char('-')?;
            }
            write_word(small.unsigned_abs(), 1, out)
        }
        None => write!(out, "{integer}"),
    }
}

/// A finite float as the canonical form prints it: the shortest digits that read back to it, in positional
/// notation from `1e-4` up to, not including, `1e16`, else with a signed exponent of at least two digits.
///
/// `1.0`, `0.0001`, `1e-05`, `123456789.125`, `1e+16`.
pub fn float_text(value: f64) -> String {
    let mut out = String::new();
    write_float(value, &mut out).expect("writing to a string cannot fail");
    out
}

/// Powers of ten that are tried for a decimal of few digits.
const SCALES: [u64; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/// Below this many units every decimal has at most fifteen digits, and no two such decimals are one double.
const SHORT_UNITS: f64 = 1e15;

fn write_float(value: f64, out: &mut impl Write) -> fmt::Result {
    if value.is_sign_negative() {
        out.write_char('-')?;
    }
    let value = value.abs();
    match short_decimal(value) {
        Some((units, places)) => {
            write_word(units / SCALES[places], 1, out)?;
            out.write_char('.')?;
            write_word(units % SCALES[places], places.max(1), out)
        }
        None => write_shortest(value, out),
    }
}

/// The value as so many units of so many decimal places, when few digits say it and the notation is positional.
/// Those digits are the shortest: the quotient is rounded as reading the decimal would be, and only one decimal
/// of up to fifteen digits reads as a given double.
fn short_decimal(value: f64) -> Option<(u64, usize)> {
    if value != 0.0 && value < 1e-4 {
        return None;
    }
    SCALES.iter().enumerate().find_map(|(places, scale)| {
        let scale = *scale as f64;
        let units = value * scale + 0.5;
        let whole = units as u64;
        (units < SHORT_UNITS && whole as f64 / scale == value).then_some((whole, places))
    })
}

/// The shortest digits of any positive float, found by the standard library.
fn write_shortest(value: f64, out: &mut impl Write) -> fmt::Result {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` always prints an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` prints an integer exponent");
    if !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
    }
    let digits = mantissa.replace('.', "");
    match usize::try_from(exponent) {
        Err(_) => write!(out, "0.{:0>1$}", digits, digits.len() + exponent.unsigned_abs() as usize - 1),
        Ok(exponent) if digits.len() <= exponent + 1 => write!(out, "{digits:0<0$}.0", exponent + 1),
        Ok(exponent) => write!(out, "{}.{}", &digits[..=exponent], &digits[exponent + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(value: f64, expect: &str) {
        assert_eq!(float_text(value), expect);
    }

    /// The same form, worked out from the two notations of the standard library.
    fn by_the_standard_library(value: f64) -> String {
        let scientific = format!("{value:e}");
        let (mantissa, exponent) = scientific.split_once('e').unwrap();
        match exponent.parse::<i32>().unwrap() {
            -4..16 => format!("{value:?}"),
            small @ ..0 => format!("{mantissa}e-{:02}", -small),
            large => format!("{mantissa}e+{large:02}"),
        }
    }

    #[test]
    fn floats_change_notation_where_the_canonical_form_does() {
        check(0.0, "0.0");
        check(-0.0, "-0.0");
        check(0.0001, "0.0001");
        check(0.00012345, "0.00012345");
        check(0.00009, "9e-05");
        check(999_999_999_999_999.0, "999999999999999.0");
        check(1_000_000_000_000_000.0, "1000000000000000.0");
        check(9_999_999_999_999_998.0, "9999999999999998.0");
        check(1e16, "1e+16");
        check(-1.5e300, "-1.5e+300");
        check(5e-324, "5e-324");
        check(0.1 + 0.2, "0.30000000000000004");
        check(12.000001, "12.000001");
        check(-1234.5678901, "-1234.5678901");
    }

    #[test]
    fn integers_have_all_their_digits() {
        for value in [0, 7, -7, 10, 1_000_000, i64::MAX, i64::MIN] {
            assert_eq!(Valor::from(value).to_compact(), value.to_string());
        }
    }

    proptest! {
        #[test]
        fn floats_are_the_shortest_digits(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            prop_assert_eq!(float_text(value), by_the_standard_library(value));
        }

        #[test]
        fn decimals_are_the_shortest_digits(units in -2_000_000_000_000_000i64..2_000_000_000_000_000, places in 0..9i32) {
            let value = units as f64 / 10f64.powi(places);
            prop_assert_eq!(float_text(value), by_the_standard_library(value));
        }
    }
}
