//! Two messages against each other: the same bytes or not, and where they part.
//!
//! Functions of two texts. Must not decide what may follow what; [`super::expect`] does.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::json::{self, Kind, Member, Node};
use super::visible::visible;
use crate::conversation::escape;

/// Where two messages part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first place, as a JSON path from `$`.
    pub path: String,
    /// What differs there.
    pub what: String,
}

/// The longest stretch of a value that a sentence quotes, in bytes.
const QUOTED: usize = 120;

/// The first difference between two messages; none only where every byte is the same.
pub fn first_difference(expected: &str, actual: &str) -> Option<Difference> {
    if expected == actual {
        return None;
    }
    let difference = match (json::read(expected), json::read(actual)) {
        (Ok(left), Ok(right)) => {
            values(Side { node: &left.root, text: expected }, Side { node: &right.root, text: actual }, "$")
        }
        _ => None,
    };
    Some(difference.unwrap_or_else(|| Difference {
        path: "$".to_owned(),
        what: "the same value in other bytes".to_owned(),
    }))
}

#[derive(Clone, Copy)]
struct Side<'t> {
    node: &'t Node,
    text: &'t str,
}

impl Side<'_> {
    fn raw(&self) -> &str {
        self.node.raw(self.text)
    }

    fn of<'t>(&'t self, node: &'t Node) -> Side<'t> {
        Side { node, text: self.text }
    }
}

fn values(left: Side<'_>, right: Side<'_>, path: &str) -> Option<Difference> {
    if left.raw() == right.raw() {
        return None;
    }
    match (&left.node.kind, &right.node.kind) {
        (Kind::Map(expected), Kind::Map(actual)) => members(left, expected, right, actual, path),
        (Kind::List(expected), Kind::List(actual)) => items(left, expected, right, actual, path),
        (Kind::Text(expected), Kind::Text(actual)) => Some(texts(expected, actual, path)),
        _ => at(path, format!("expected {}, got {}", quote(left.raw()), quote(right.raw()))),
    }
}

fn at(path: &str, what: String) -> Option<Difference> {
    Some(Difference { path: path.to_owned(), what })
}

fn quote(raw: &str) -> String {
    visible(raw.as_bytes(), QUOTED)
}

fn members(
    left: Side<'_>,
    expected: &[Member],
    right: Side<'_>,
    actual: &[Member],
    path: &str,
) -> Option<Difference> {
    for (mine, theirs) in expected.iter().zip(actual) {
        if mine.key != theirs.key {
            break;
        }
        let found = values(left.of(&mine.value), right.of(&theirs.value), &step(path, &mine.key));
        if found.is_some() {
            return found;
        }
    }
    let has = |members: &[Member], key: &str| members.iter().any(|member| member.key == key);
    if let Some(missing) = expected.iter().find(|member| !has(actual, &member.key)) {
        let value = quote(missing.value.raw(left.text));
        return at(&step(path, &missing.key), format!("missing; expected {value}"));
    }
    if let Some(more) = actual.iter().find(|member| !has(expected, &member.key)) {
        return at(&step(path, &more.key), format!("not expected: {}", quote(more.value.raw(right.text))));
    }
    let names = |members: &[Member]| {
        let keys: Vec<_> = members.iter().map(|member| member.key.as_str()).collect();
        quote(&keys.join(", "))
    };
    if names(expected) == names(actual) {
        return at(path, "the same members in other bytes".to_owned());
    }
    at(
        path,
        format!("the members come in another order: expected {}; got {}", names(expected), names(actual)),
    )
}

fn items(
    left: Side<'_>,
    expected: &[Node],
    right: Side<'_>,
    actual: &[Node],
    path: &str,
) -> Option<Difference> {
    for (index, (mine, theirs)) in expected.iter().zip(actual).enumerate() {
        let found = values(left.of(mine), right.of(theirs), &format!("{path}[{index}]"));
        if found.is_some() {
            return found;
        }
    }
    if let Some(missing) = expected.get(actual.len()) {
        let value = quote(missing.raw(left.text));
        return at(&format!("{path}[{}]", actual.len()), format!("missing; expected {value}"));
    }
    if let Some(more) = actual.get(expected.len()) {
        let value = quote(more.raw(right.text));
        return at(&format!("{path}[{}]", expected.len()), format!("not expected: {value}"));
    }
    at(path, "the same items in other bytes".to_owned())
}

fn texts(expected: &str, actual: &str, path: &str) -> Difference {
    let what = if expected == actual {
        "the same text, escaped in another way".to_owned()
    } else {
        let same = expected.chars().zip(actual.chars()).take_while(|(a, b)| a == b).count();
        let from = |text: &str| {
            let rest: String = text.chars().skip(same.saturating_sub(20)).collect();
            format!("\"{}\"", quote(&escape(&rest)))
        };
        format!("texts part at character {same}: expected {}, got {}", from(expected), from(actual))
    };
    Difference { path: path.to_owned(), what }
}

/// A path one member deeper; a name that is no word is quoted.
fn step(path: &str, key: &str) -> String {
    let word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if word { format!("{path}.{key}") } else { format!("{path}[\"{}\"]", quote(key)) }
}

/// Both messages with one scalar to a line: what was taken away (`-`), what came in (`+`), and three lines around.
pub fn diff(expected: &str, actual: &str) -> String {
    let (expected, actual) = (spread(expected), spread(actual));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&expected, &actual);
    let mut out = String::new();
    let mut lines = 0;
    for op in diff.grouped_ops(3).iter().flatten() {
        for change in diff.iter_changes(op) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let line = visible(change.value().trim_end_matches('\n').as_bytes(), LINE);
            lines += 1;
            if lines <= LINES {
                out.push_str(&format!("{sign} {line}\n"));
            }
        }
    }
    if lines > LINES {
        out.push_str(&format!("[… {} lines left out …]\n", lines - LINES));
    }
    out
}

/// The longest line of a diff, in bytes.
const LINE: usize = 2_000;

/// The longest diff, in lines.
const LINES: usize = 400;

/// After this time a diff is no longer the smallest one.
const PATIENCE: Duration = Duration::from_secs(2);

/// JSON over lines, in a layout that no value changes for another; a text that is none stays as it is.
fn spread(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    match json::read(text) {
        Ok(document) => spread_value(&document.root, text, 1, &mut out),
        Err(_) => out.push_str(text),
    }
    out.push('\n');
    out
}

fn spread_value(node: &Node, text: &str, level: usize, out: &mut String) {
    let keyed = node.members().iter().map(|member| (Some(&member.key), &member.value));
    let inside: Vec<_> = keyed.chain(node.items().iter().map(|item| (None, item))).collect();
    if inside.is_empty() {
        out.push_str(node.raw(text));
        return;
    }
    let raw = node.raw(text);
    out.push_str(&raw[..1]);
    for (index, (key, value)) in inside.iter().enumerate() {
        out.push_str(if index > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(level));
        if let Some(key) = key {
            out.push_str(&format!("\"{}\":", escape(key)));
        }
        spread_value(value, text, level + 1, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(level - 1));
    out.push_str(&raw[raw.len() - 1..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &str, actual: &str, path: &str, what: &str) {
        let found = first_difference(expected, actual).unwrap_or_else(|| panic!("{expected} = {actual}"));
        assert_eq!((found.path.as_str(), found.what.as_str()), (path, what));
    }

    #[test]
    fn only_the_same_bytes_are_the_same() {
        for text in ["{}", r#"{"a":[1,"x"]}"#, "not json"] {
            assert_eq!(first_difference(text, text), None);
        }
        check("not json", "{}", "$", "the same value in other bytes");
        check("{}", "{", "$", "the same value in other bytes");
        check("{} ", "{}", "$", "the same value in other bytes");
        check("{ }", "{}", "$", "the same members in other bytes");
        check("[1 ]", "[1]", "$", "the same items in other bytes");
        check("[{\"a\" :1}]", "[{\"a\":1}]", "$[0]", "the same members in other bytes");
    }

    #[test]
    fn scalars_part_by_their_digits() {
        check(r#"{"a":{"b":1}}"#, r#"{"a":{"b":1.0}}"#, "$.a.b", "expected 1, got 1.0");
        check("[0,1,2]", "[0,1,3]", "$[2]", "expected 2, got 3");
        check(r#"{"id":3}"#, r#"{"id":"3"}"#, "$.id", "expected 3, got \"3\"");
        check("[true]", "[null]", "$[0]", "expected true, got null");
        check("[{}]", "[[]]", "$[0]", "expected {}, got []");
    }

    #[test]
    fn texts_part_at_a_character() {
        let what = "texts part at character 2: expected \"ñab\", got \"ñac\"";
        check("[\"ñab\"]", "[\"ñac\"]", "$[0]", what);
        check("[\"a\\n\"]", "[\"b\\n\"]", "$[0]", r#"texts part at character 0: expected "a\n", got "b\n""#);
        let long = "x".repeat(50);
        check(
            &format!("\"{long}a\""),
            &format!("\"{long}\""),
            "$",
            &format!("texts part at character 50: expected \"{0}a\", got \"{0}\"", "x".repeat(20)),
        );
        check(r#"["é"]"#, r#"["\u00e9"]"#, "$[0]", "the same text, escaped in another way");
    }

    #[test]
    fn members_go_missing_come_in_and_change_places() {
        check(r#"{"a":1,"b":2}"#, r#"{"a":1}"#, "$.b", "missing; expected 2");
        check(r#"{"a":1}"#, r#"{"a":1,"b":2}"#, "$.b", "not expected: 2");
        check(r#"{"a":1,"c":3}"#, r#"{"a":1,"b":2,"c":3}"#, "$.b", "not expected: 2");
        check(r#"{"a":1,"b":2,"c":3}"#, r#"{"a":1,"c":3}"#, "$.b", "missing; expected 2");
        check(
            r#"{"b":2,"a":1}"#,
            r#"{"a":1,"b":2}"#,
            "$",
            "the members come in another order: expected b, a; got a, b",
        );
        check(r#"{"a b":{"":1}}"#, r#"{"a b":{"":2}}"#, "$[\"a b\"][\"\"]", "expected 1, got 2");
        check(r#"{"a":{"é":1}}"#, r#"{"a":{}}"#, "$.a[\"é\"]", "missing; expected 1");
        check(r#"{"a":1,"b":2}"#, r#"{"a":9}"#, "$.a", "expected 1, got 9");
    }

    #[test]
    fn items_go_missing_and_come_in() {
        check("[1,2]", "[1]", "$[1]", "missing; expected 2");
        check("[1]", "[1,[2]]", "$[1]", "not expected: [2]");
    }

    #[test]
    fn long_values_are_cut_where_they_are_quoted() {
        let long = format!("[{}1]", "1,".repeat(400));
        let found = first_difference(&format!("{{\"a\":{long}}}"), "{}").expect("they differ");
        assert!(found.what.contains("bytes left out") && found.what.len() < 300, "{}", found.what);
    }

    #[test]
    fn a_diff_has_both_sides() {
        let check = |expected: &str, actual: &str, expect: &str| assert_eq!(diff(expected, actual), expect);
        check("{}", "{}", "");
        check("[1,{}]", "[2,{}]", "  [\n-   1,\n+   2,\n    {}\n  ]\n");
        check(
            "{\"a\":{\"é\\n\":[true]},\"b\":1}",
            "{\"a\":{\"é\\n\":[\"\u{202e}\"]},\"b\":1}",
            "  {\n    \"a\":{\n      \"é\\n\":[\n-       true\n+       \"\\u{202e}\"\n      ]\n    },\n    \"b\":1\n",
        );
        check("no json", "[]", "- no json\n+ []\n");
        let full = |value: &str| format!("[{value}{}]", format!(",{value}").repeat(LINES / 2 - 2));
        let shown = diff(&full("1"), &full("2"));
        assert_eq!((shown.lines().count(), shown.contains("left out")), (LINES, false), "{shown}");
        let many = |value: &str| format!("[{value}{}]", format!(",{value}").repeat(LINES - 1));
        let shown = diff(&many("1"), &many("2"));
        assert!(shown.ends_with(&format!("\n-   1,\n[… {} lines left out …]\n", LINES + 2)), "{shown}");
        assert_eq!(shown.lines().count(), LINES + 1);
    }
}
