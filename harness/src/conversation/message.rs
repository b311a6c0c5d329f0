//! A message's JSON as text: compact for the wire, spread for reading, every other byte verbatim.
//!
//! Works on text that the reader has already found to be JSON. Never decodes a number or a string, so key order,
//! digits and escapes come out as they went in.

use std::ops::Range;

/// Removes white space outside strings.
#[must_use]
pub fn compact(json: &str) -> String {
    let mut compacted = String::with_capacity(json.len());
    let mut strings = Strings::default();
    for c in json.chars() {
        let inside = strings.step(c);
        if inside || !matches!(c, ' ' | '\t' | '\r' | '\n') {
            compacted.push(c);
        }
    }
    compacted
}

/// Tells, character by character, what is inside a JSON string; its quotes count as inside.
#[derive(Default)]
struct Strings {
    open: bool,
    escaped: bool,
}

impl Strings {
    fn step(&mut self, c: char) -> bool {
        if !self.open {
            self.open = c == '"';
            return self.open;
        }
        match c {
            _ if self.escaped => self.escaped = false,
            '\\' => self.escaped = true,
            '"' => self.open = false,
            _ => {}
        }
        true
    }
}

/// The widest line that [`pretty`] leaves a container on.
const WIDTH: usize = 100;

/// Spreads compact JSON over lines for reading: a container that fits stays on one line.
///
/// The first line carries no indent, every other one at least four spaces, so that it continues a step. `prefix` is
/// the width of what stands before the first line. A message whose last member alone is a container opens that on
/// the first line, beside its id.
#[must_use]
pub fn pretty(compact: &str, prefix: usize) -> String {
    let mut spread = String::with_capacity(compact.len() * 2);
    let head = envelope(compact);
    spread.push_str(&compact[..head]);
    let closing = compact.len() - usize::from(head > 0);
    spread_value(&compact[head..closing], prefix + head, 0, compact.len() - closing, &mut spread);
    spread.push_str(&compact[closing..]);
    spread
}

/// How many bytes of a message stand before its one container, where that is its last member; else none.
fn envelope(compact: &str) -> usize {
    if !compact.starts_with('{') {
        return 0;
    }
    let mut containers = items(compact).filter_map(|item| {
        let value_at = item.start + key_length(compact, &compact[item.clone()]);
        compact[value_at..].starts_with(['{', '[']).then_some((value_at, item.end))
    });
    match (containers.next(), containers.next()) {
        (Some((value_at, end)), None) if end + 1 == compact.len() => value_at,
        _ => 0,
    }
}

/// `column` is where the value starts, `level` how deep it lies, `tail` what follows on the same line.
fn spread_value(value: &str, column: usize, level: usize, tail: usize, out: &mut String) {
    let container = value.starts_with(['{', '[']);
    if !container || column + value.chars().count() + tail <= WIDTH || items(value).next().is_none() {
        out.push_str(value);
        return;
    }
    out.push_str(&value[..1]);
    if let Some(item) = only_container(value) {
        spread_value(item, column + 1, level, tail + 1, out);
        out.push_str(&value[value.len() - 1..]);
        return;
    }
    let last = items(value).count() - 1;
    let indent = level * 2 + 4;
    for (index, item) in items(value).enumerate() {
        out.push('\n');
        out.push_str(&" ".repeat(indent));
        let item = &value[item];
        let value_at = key_length(value, item);
        out.push_str(&item[..value_at]);
        let closing = if index == last { tail + 1 } else { 1 };
        spread_value(&item[value_at..], indent + item[..value_at].chars().count(), level + 1, closing, out);
        if index < last {
            out.push(',');
        }
    }
    out.push_str(&value[value.len() - 1..]);
}

/// The one item of an array, where that is a container: both open on one line.
fn only_container(value: &str) -> Option<&str> {
    let mut all = items(value);
    let only = &value[all.next()?];
    let fits = value.starts_with('[') && only.starts_with(['{', '[']) && all.next().is_none();
    fits.then_some(only)
}

/// Length of `"key":` before a member's value; nothing in an array.
fn key_length(container: &str, item: &str) -> usize {
    if container.starts_with('{') { string_end(item) + 1 } else { 0 }
}

/// The byte just behind the string that a text starts with.
fn string_end(text: &str) -> usize {
    let mut strings = Strings::default();
    strings.step('"');
    for (at, byte) in text.bytes().enumerate().skip(1) {
        strings.step(char::from(byte));
        if !strings.open {
            return at + 1;
        }
    }
    text.len()
}

/// The ranges of a compact container's items, members with their keys.
fn items(container: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 1;
    let end = container.len().saturating_sub(1);
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let mut strings = Strings::default();
        let mut depth = 0_usize;
        let start = at;
        let mut stop = end;
        for (offset, byte) in container.as_bytes()[start..end].iter().enumerate() {
            if strings.step(char::from(*byte)) {
                continue;
            }
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => {
                    stop = start + offset;
                    break;
                }
                _ => {}
            }
        }
        at = stop + 1;
        Some(start..stop)
    })
}

/// Where the value stands that `path` names, one member after the other, in compact JSON.
///
/// Keys are compared as they are written. Of equal keys the last one counts.
#[must_use]
pub fn member(compact: &str, path: &[&str]) -> Option<Range<usize>> {
    let mut found = 0..compact.len();
    for key in path {
        let container = &compact[found.clone()];
        if !container.starts_with('{') {
            return None;
        }
        let inner = items(container)
            .filter_map(|item| {
                let text = &container[item.clone()];
                let key_end = string_end(text);
                (text.get(1..key_end - 1) == Some(*key)).then_some(item.start + key_end + 1..item.end)
            })
            .last()?;
        found = found.start + inner.start..found.start + inner.end;
    }
    Some(found)
}

/// Where each string of compact JSON stands, keys included, without its quotes.
pub fn strings(compact: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + compact[at..].find('"')?;
        at = start + string_end(&compact[start..]);
        Some(start + 1..at.max(start + 2) - 1)
    })
}

/// Escapes a text for a JSON string, with as few escapes as JSON allows.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '\u{8}' => escaped.push_str("\\b"),
            '\u{c}' => escaped.push_str("\\f"),
            c if u32::from(c) < 0x20 => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_keeps_what_strings_hold() {
        let check = |text: &str, expect: &str| assert_eq!(compact(text), expect);
        check("{ \"a b\" : [ 1 ,\n\t2.0 ] }", "{\"a b\":[1,2.0]}");
        check(r#"{"a":"\" x", "b\\" : " "}"#, r#"{"a":"\" x","b\\":" "}"#);
    }

    #[test]
    fn escapes_are_the_fewest() {
        assert_eq!(escape("a\"\\\n\r\t\u{8}\u{c}\u{1}/é\u{7f}"), "a\\\"\\\\\\n\\r\\t\\b\\f\\u0001/é\u{7f}");
    }

    #[test]
    fn a_member_is_found_by_its_path() {
        let check = |text: &str, path: &[&str], expect: Option<&str>| {
            assert_eq!(member(text, path).map(|range| &text[range]), expect, "{text}");
        };
        check(r#"{"a":1,"b":{"a":[{"c":2}],"c":"x,}"}}"#, &["b", "c"], Some(r#""x,}""#));
        check(r#"{"a":1,"b":{"a":[{"c":2}]}}"#, &["b", "a"], Some(r#"[{"c":2}]"#));
        check(r#"{"a":1,"a":2}"#, &["a"], Some("2"));
        check(r#"{"x":{"a":1}}"#, &["a"], None);
        check("[1]", &["a"], None);
        check("{}", &["a"], None);
        check("{}", &[], Some("{}"));
    }

    #[test]
    fn strings_are_found_with_their_keys() {
        let text = r#"{"a":"","b\"":["c\\",1]}"#;
        let found: Vec<_> = strings(text).map(|range| &text[range]).collect();
        assert_eq!(found, ["a", "", "b\\\"", "c\\\\"]);
    }

    #[test]
    fn short_messages_stay_on_a_line_and_long_ones_spread() {
        assert_eq!(pretty(r#"{"a":[1,2]}"#, 2), r#"{"a":[1,2]}"#);
        let long = "x".repeat(60);
        let text = format!(r#"{{"id":1,"result":{{"a":"{long}","b":["{long}",{{}}]}}}}"#);
        let expect =
            format!("{{\"id\":1,\"result\":{{\n    \"a\":\"{long}\",\n    \"b\":[\"{long}\",{{}}]}}}}");
        assert_eq!(pretty(&text, 2), expect);
        assert_eq!(compact(&expect), text);
        let text = format!(r#"{{"id":1,"result":{{"a":[{{"b":"{long}","c":"{long}"}}]}}}}"#);
        let expect = format!(
            "{{\"id\":1,\"result\":{{\n    \"a\":[{{\n      \"b\":\"{long}\",\n      \"c\":\"{long}\"}}]}}}}"
        );
        assert_eq!(pretty(&text, 2), expect);
        let text = format!(r#"{{"id":1,"result":{{"a":"{long}"}},"b":"{long}"}}"#);
        let expect =
            format!("{{\n    \"id\":1,\n    \"result\":{{\"a\":\"{long}\"}},\n    \"b\":\"{long}\"}}");
        assert_eq!(pretty(&text, 2), expect);
        assert_eq!(compact(&expect), text);
    }
}
