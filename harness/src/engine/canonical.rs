//! The canonical form of a JSON value, worked out apart from the server that is under test.
//!
//! Keys sorted by code point, no spaces, UTF-8 unescaped, integers with every digit, floats in the shortest form that
//! reads back, written as Python writes them. Must not read files; [`super::fingerprint`] does.

use super::json::{self, Kind, Node, OddityKind};
use crate::conversation::escape;

/// Prints the canonical form of a JSON text.
///
/// # Errors
/// A reason for people: the text is not JSON, repeats a member's name, holds half a surrogate pair or a float that
/// no double holds.
pub fn canonical(text: &str) -> Result<String, String> {
    let document = json::read(text).map_err(|fault| format!("{} at byte {}", fault.why, fault.at))?;
    for oddity in document.oddities {
        match oddity.what {
            OddityKind::Space => {}
            OddityKind::Repeated(key) => {
                return Err(format!("the member \"{key}\" stands twice in one object"));
            }
            OddityKind::LoneSurrogate => return Err("an escaped surrogate lacks its pair".to_owned()),
        }
    }
    let mut out = String::with_capacity(text.len());
    print(&document.root, text, &mut out)?;
    Ok(out)
}

fn print(node: &Node, text: &str, out: &mut String) -> Result<(), String> {
    match &node.kind {
        Kind::Null | Kind::Bool(_) => out.push_str(node.raw(text)),
        Kind::Number => out.push_str(&number(node.raw(text))?),
        Kind::Text(decoded) => print_text(decoded, out),
        Kind::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                print(item, text, out)?;
            }
            out.push(']');
        }
        Kind::Map(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            out.push('{');
            for (index, member) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                print_text(&member.key, out);
                out.push(':');
                print(&member.value, text, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn print_text(text: &str, out: &mut String) {
    out.push('"');
    out.push_str(&escape(text));
    out.push('"');
}

/// The canonical digits of a number: an integer stays, `-0` is `0`, a float becomes the shortest that reads back.
fn number(digits: &str) -> Result<String, String> {
    if !digits.contains(['.', 'e', 'E']) {
        return Ok(if digits == "-0" { "0".to_owned() } else { digits.to_owned() });
    }
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(float(value)),
        _ => Err(format!("no double holds the number {digits}")),
    }
}

/// A double as Python's `repr` writes it: an exponent below -4 and from 16 on, of two digits at least.
fn float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        return format!("{value:?}");
    }
    format!("{mantissa}e{exponent:+03}")
}

#[cfg(test)]
mod tests {
    use super::canonical;

    fn check(text: &str, expect: &str) {
        assert_eq!(canonical(text).as_deref(), Ok(expect), "{text}");
    }

    fn refused(text: &str, why: &str) {
        let fault = canonical(text).expect_err(text);
        assert!(fault.contains(why), "{text}: {fault}");
    }

    #[test]
    fn keys_are_sorted_by_code_point_at_every_depth() {
        check(r#"{"b":1,"a":{"z":1,"Z":2},"":0}"#, r#"{"":0,"a":{"Z":2,"z":1},"b":1}"#);
        check("{\"\u{ffff}\":1,\"\u{10000}\":2,\"é\":3}", "{\"é\":3,\"\u{ffff}\":1,\"\u{10000}\":2}");
        check(r#"[{"b":1,"a":2},[ ]]"#, r#"[{"a":2,"b":1},[]]"#);
    }

    #[test]
    fn text_is_unescaped_but_where_json_needs_it() {
        check(r#""\u00e9\/\u0001\u001f\n\"\\ \u007f""#, "\"é/\\u0001\\u001f\\n\\\"\\\\ \u{7f}\"");
        check("\"\\b\\f\\r\\t\"", "\"\\b\\f\\r\\t\"");
    }

    #[test]
    fn integers_keep_every_digit() {
        check("-0", "0");
        check("18446744073709551616000", "18446744073709551616000");
        check("-7", "-7");
        check("[true,false,null]", "[true,false,null]");
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (text, expect) in [
            ("1.0", "1.0"),
            ("-0.0", "-0.0"),
            ("1e2", "100.0"),
            ("1E+2", "100.0"),
            ("0.1", "0.1"),
            ("0.0001", "0.0001"),
            ("0.00012345", "0.00012345"),
            ("0.00001", "1e-05"),
            ("1e-7", "1e-07"),
            ("-1.5e-7", "-1.5e-07"),
            ("1e15", "1000000000000000.0"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("1e16", "1e+16"),
            ("1.25e17", "1.25e+17"),
            ("1e100", "1e+100"),
            ("2.2250738585072014e-308", "2.2250738585072014e-308"),
            ("5e-324", "5e-324"),
            ("123456789.125", "123456789.125"),
        ] {
            check(text, expect);
        }
    }

    #[test]
    fn what_has_no_canonical_form_is_refused() {
        refused("1e400", "no double holds the number 1e400");
        refused("-1e400", "no double holds");
        refused(r#"{"a":1,"a":2}"#, "the member \"a\" stands twice");
        refused(r#""\ud800""#, "lacks its pair");
        refused("[", "ends inside a value at byte 1");
    }
}
