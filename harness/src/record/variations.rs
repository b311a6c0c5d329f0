//! What a server does not say twice: where it differs, what the two values have in common, and the typed placeholder
//! that stands for both.
//!
//! Functions of values. Nothing is loosened that has no kind: an answer that is simply another one stays red.

use std::ops::Range;

use crate::bless::{Values, generalise};
use crate::conversation::placeholder::{Pattern, Placeholder, is_name};
use crate::conversation::{Action, Conversation, Loose, LooseKind, render, strings};
use crate::engine::json::{self, Kind, Node};
use crate::engine::loose::fit;
use crate::engine::{Report, visible};

/// How many bytes of a value are shown.
const SHOWN: usize = 60;

/// A value that is kept under a name is at least this long: a shorter one stands elsewhere by chance.
const TELLING: usize = 4;

/// One value that differs between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The line of its step.
    pub line: usize,
    /// Its JSON path.
    pub path: String,
    /// What it was, safe to show.
    pub was: String,
    /// What it is now, safe to show.
    pub is: String,
    /// The places in the step's message that differ; none where they have no kind.
    places: Vec<(Range<usize>, LooseKind)>,
    /// The whole value in the step's message.
    whole: Range<usize>,
}

impl Variation {
    /// The placeholders that would stand for it, where there are any.
    pub fn placeholders(&self) -> Option<String> {
        let words: Vec<_> = self.places.iter().map(|(_, kind)| format!("{{{{{}}}}}", kind.word())).collect();
        (!words.is_empty()).then(|| words.join(" and "))
    }
}

/// Every value that a second run gave otherwise than the conversation expects.
pub fn variations(conversation: &Conversation, report: &Report, values: &Values) -> Vec<Variation> {
    let mut found = Vec::new();
    for answer in report.answers.iter().filter(|answer| !answer.as_expected) {
        let step = conversation.steps.iter().find(|step| step.line == answer.line);
        let Some(Action::Expect(Some(expected)) | Action::ExpectUnordered(Some(expected))) =
            step.map(|step| &step.action)
        else {
            continue;
        };
        let actual = generalise(&answer.message, values);
        if let (Ok(left), Ok(right)) = (json::read(expected), json::read(&actual)) {
            let mut walk = Walk { expected, actual: &actual, line: answer.line, found: &mut found };
            walk.values(&left.root, &right.root, "$");
        }
    }
    found
}

struct Walk<'w> {
    expected: &'w str,
    actual: &'w str,
    line: usize,
    found: &'w mut Vec<Variation>,
}

impl Walk<'_> {
    fn values(&mut self, left: &Node, right: &Node, path: &str) {
        let (was, is) = (left.raw(self.expected), right.raw(self.actual));
        if was == is || fits(was, is) {
            return;
        }
        match (&left.kind, &right.kind) {
            (Kind::Map(members), Kind::Map(others))
                if members.iter().map(|m| &m.key).eq(others.iter().map(|m| &m.key)) =>
            {
                for (mine, theirs) in members.iter().zip(others) {
                    self.values(&mine.value, &theirs.value, &format!("{path}.{}", mine.key));
                }
            }
            (Kind::List(items), Kind::List(others)) if items.len() == others.len() => {
                for (at, (mine, theirs)) in items.iter().zip(others).enumerate() {
                    self.values(mine, theirs, &format!("{path}[{at}]"));
                }
            }
            _ => self.found.push(Variation {
                line: self.line,
                path: path.to_owned(),
                was: visible(was.as_bytes(), SHOWN),
                is: visible(is.as_bytes(), SHOWN),
                places: places(left, was, is, matches!(right.kind, Kind::Text(_))),
                whole: left.span.clone(),
            }),
        }
    }
}

/// Whether the loose places of a value already take the other one.
fn fits(was: &str, is: &str) -> bool {
    let pattern = Pattern::of(was, &mut |placeholder| Ok(placeholder.to_string()));
    pattern.is_ok_and(|pattern| fit(&pattern, is).is_ok_and(|fitted| fitted.text == is))
}

/// The places of a value that differ from another, each with what both have there.
fn places(node: &Node, was: &str, is: &str, is_text: bool) -> Vec<(Range<usize>, LooseKind)> {
    let start = node.span.start;
    match node.kind {
        Kind::Number => {
            let both = |kind: LooseKind| [was, is].iter().all(|it| kind.length(it) == Some(it.len()));
            let kind = [LooseKind::Integer, LooseKind::Number].into_iter().find(|kind| both(*kind));
            kind.map(|kind| (node.span.clone(), kind)).into_iter().collect()
        }
        Kind::Text(_) if is_text => {
            let mine = pieces(&was[1..was.len() - 1]);
            let theirs = pieces(&is[1..is.len() - 1]);
            let shape = |pieces: &[Bit<'_>]| -> Vec<_> {
                pieces.iter().map(|bit| bit.kind.ok_or_else(|| bit.text.to_owned())).collect()
            };
            if shape(&mine) != shape(&theirs) {
                return Vec::new();
            }
            let differ = mine.iter().zip(&theirs).filter(|(mine, theirs)| mine.text != theirs.text);
            differ
                .filter_map(|(mine, _)| {
                    let at = start + 1 + mine.at;
                    Some((at..at + mine.text.len(), mine.kind?))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// A stretch of a string: a value of some kind, or what stands between two.
struct Bit<'t> {
    at: usize,
    text: &'t str,
    kind: Option<LooseKind>,
}

fn pieces(text: &str) -> Vec<Bit<'_>> {
    let kinds = [LooseKind::Uuid, LooseKind::Timestamp, LooseKind::Digits];
    let mut found = Vec::new();
    let (mut at, mut literal) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        // A placeholder is no value, whatever digits its name has.
        let braces = rest.strip_prefix("{{").and_then(|inside| inside.find("}}")).map(|end| end + 4);
        let value =
            kinds.into_iter().find_map(|kind| Some((kind, kind.length(rest)?))).filter(|_| braces.is_none());
        let Some((kind, length)) = value else {
            at += braces.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
            continue;
        };
        found.push(Bit { at: literal, text: &text[literal..at], kind: None });
        found.push(Bit { at, text: &text[at..at + length], kind: Some(kind) });
        at += length;
        literal = at;
    }
    found.push(Bit { at: literal, text: &text[literal..], kind: None });
    found
}

/// Puts typed placeholders where a value differs, and gives how many.
///
/// A value that a later step repeats is kept under a name, and that step says the name. Behind such a step the second
/// run said what it said for want of the new value, so nothing is loosened there yet.
pub fn loosen(conversation: &mut Conversation, variations: &[Variation]) -> usize {
    let mut count = 0;
    let mut until = usize::MAX;
    for line in lines(variations) {
        let Some(at) = conversation.steps.iter().position(|step| step.line == line && line <= until) else {
            continue;
        };
        let mut wanted: Vec<(Range<usize>, Loose)> = Vec::new();
        for variation in variations.iter().filter(|variation| variation.line == line) {
            let Some(text) = message(&conversation.steps[at].action).map(str::to_owned) else { continue };
            for (range, kind) in candidates(variation, &text) {
                let value = &text[range.clone()];
                let name = (!kind.is_bare() && is_repeated(conversation, at, value))
                    .then(|| new_name(conversation, &wanted, &variation.path));
                if kind == LooseKind::Token && name.is_none() {
                    continue;
                }
                if let Some(name) = &name {
                    until = until.min(repeat(conversation, at, value, name));
                }
                wanted.push((range, Loose { name, kind }));
            }
        }
        count += wanted.len();
        put(conversation, at, wanted);
    }
    count
}

fn lines(variations: &[Variation]) -> Vec<usize> {
    let mut lines: Vec<_> = variations.iter().map(|variation| variation.line).collect();
    lines.dedup();
    lines
}

fn message(action: &Action) -> Option<&str> {
    match action {
        Action::Send(text) => Some(text),
        Action::Expect(text) | Action::ExpectUnordered(text) => text.as_deref(),
        _ => None,
    }
}

/// The places of a variation; a whole string without white space where it has none of a kind.
fn candidates(variation: &Variation, text: &str) -> Vec<(Range<usize>, LooseKind)> {
    if !variation.places.is_empty() {
        return variation.places.clone();
    }
    let whole = variation.whole.start + 1..variation.whole.end.saturating_sub(1);
    let is_text = text[variation.whole.clone()].starts_with('"');
    let is_token = || LooseKind::Token.length(&text[whole.clone()]) == Some(whole.len());
    if is_text && is_token() { vec![(whole, LooseKind::Token)] } else { Vec::new() }
}

/// Whether a step behind this one has the value in some string.
fn is_repeated(conversation: &Conversation, at: usize, value: &str) -> bool {
    let has = |text: &str| strings(text).any(|range| text[range].contains(value));
    value.len() >= TELLING && conversation.steps[at + 1..].iter().any(|s| message(&s.action).is_some_and(has))
}

/// Has later steps say the name instead of the value, and gives the line of the first that the client sends.
fn repeat(conversation: &mut Conversation, at: usize, value: &str, name: &str) -> usize {
    let placeholder = Placeholder::Named(name.to_owned()).to_string();
    let mut first = usize::MAX;
    for step in &mut conversation.steps[at + 1..] {
        let Some(text) = message(&step.action) else { continue };
        let mut written = String::with_capacity(text.len());
        let mut end = 0;
        for range in strings(text) {
            written.push_str(&text[end..range.start]);
            written.push_str(&text[range.clone()].replace(value, &placeholder));
            end = range.end;
        }
        written.push_str(&text[end..]);
        if written != text {
            if matches!(step.action, Action::Send(_)) {
                first = first.min(step.line);
            }
            rewrite(&mut step.action, written);
            step.source = render(&step.action);
        }
    }
    first
}

fn rewrite(action: &mut Action, written: String) {
    match action {
        Action::Send(text) => *text = written,
        Action::Expect(text) | Action::ExpectUnordered(text) => *text = Some(written),
        _ => {}
    }
}

/// A name that nothing has yet, after the member that the value stands in.
fn new_name(conversation: &Conversation, wanted: &[(Range<usize>, Loose)], path: &str) -> String {
    let key = path.rsplit('.').next().unwrap_or_default();
    let key: String = key.split('[').next().unwrap_or_default().to_lowercase();
    let base = if is_name(&key) && !Placeholder::is_reserved(&key) { key } else { "value".to_owned() };
    let taken = |name: &str| {
        let own = wanted.iter().any(|(_, loose)| loose.name.as_deref() == Some(name));
        let texts = conversation.steps.iter().filter_map(|step| message(&step.action));
        let marks = [format!("{{{{{name}:"), format!("{{{{{name}}}}}")];
        own || texts.into_iter().any(|text| marks.iter().any(|mark| text.contains(mark)))
    };
    let names = std::iter::once(base.clone()).chain((2_usize..).map(|number| format!("{base}_{number}")));
    names.into_iter().find(|name| !taken(name)).unwrap_or(base)
}

fn put(conversation: &mut Conversation, at: usize, mut wanted: Vec<(Range<usize>, Loose)>) {
    let step = &mut conversation.steps[at];
    let Some(mut text) = message(&step.action).map(str::to_owned) else { return };
    wanted.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    for (range, loose) in wanted {
        let written = if loose.kind.is_bare() { format!("\"{loose}\"") } else { loose.to_string() };
        text.replace_range(range, &written);
    }
    rewrite(&mut step.action, text);
    step.source = render(&step.action);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{print, read};
    use crate::engine::{Answer, Outcome};

    const A: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const B: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

    fn result(id: u8, body: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{body}}}"#)
    }

    /// A conversation of these steps, and what a second run said to its expecting ones.
    fn run(steps: &str, said: &[&str]) -> (Conversation, Vec<Variation>) {
        let conversation =
            read(&format!("# It.\n---\n{steps}exit 0\n")).unwrap_or_else(|fault| panic!("{fault}"));
        let expects = |action: &Action| matches!(action, Action::Expect(_) | Action::ExpectUnordered(_));
        let lines = conversation.steps.iter().filter(|step| expects(&step.action)).map(|step| step.line);
        let mut report = Report::bad_fixture("x", None, "");
        report.outcome = Outcome::Mismatch;
        report.answers = lines
            .zip(said)
            .map(|(line, message)| Answer { line, message: (*message).to_owned(), as_expected: false })
            .collect();
        let found = variations(&conversation, &report, &Values::default());
        (conversation, found)
    }

    fn told(was: &str, is: &str) -> Vec<(String, Option<String>)> {
        let (_, found) = run(&format!("< {}\n", result(1, was)), &[&result(1, is)]);
        found
            .into_iter()
            .map(|it| {
                let words = it.placeholders();
                (it.path, words)
            })
            .collect()
    }

    fn loosened(steps: &str, said: &[&str], expect: &str, count: usize) {
        let (mut conversation, found) = run(steps, said);
        assert_eq!(loosen(&mut conversation, &found), count);
        let text = print(&conversation);
        assert_eq!(text, format!("# It.\n---\n{expect}exit 0\n"));
        read(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    }

    #[test]
    fn each_value_that_differs_is_found_and_has_a_kind_or_none() {
        let check = |was: &str, is: &str, path: &str, words: Option<&str>| {
            let expect = vec![(format!("$.result{path}"), words.map(str::to_owned))];
            assert_eq!(told(was, is), expect, "{was} {is}");
        };
        check(r#"{"a":[1,2]}"#, r#"{"a":[1,3]}"#, ".a[1]", Some("{{integer}}"));
        check(r#"{"a":1.5}"#, r#"{"a":2}"#, ".a", Some("{{number}}"));
        check(r#"{"a":1}"#, r#"{"a":"1"}"#, ".a", None);
        check(r#"{"a":"x"}"#, r#"{"a":1}"#, ".a", None);
        check(r#"{"a":"took 12 ms"}"#, r#"{"a":"took 7 ms"}"#, ".a", Some("{{digits}}"));
        let both = |uuid: &str, second: u8| format!(r#"{{"a":"{uuid} 1 2026-11-30T12:00:0{second}Z"}}"#);
        check(&both(A, 1), &both(B, 2), ".a", Some("{{uuid}} and {{timestamp}}"));
        check(r#"{"a":"yes"}"#, r#"{"a":"no"}"#, ".a", None);
        check(r#"{"a":true}"#, r#"{"a":false}"#, ".a", None);
        check(r#"{"a":{"b":1}}"#, r#"{"a":{"c":1}}"#, ".a", None);
        check(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#, ".a", None);
        assert_eq!(told(r#"{"a":"é 1"}"#, r#"{"a":"é 1"}"#), []);
        assert_eq!(told(r#"{"a":"{{integer}}","b":"{{digits}} x"}"#, r#"{"a":7,"b":"8 x"}"#), []);
    }

    #[test]
    fn values_of_a_kind_are_loosened_and_others_are_not() {
        let steps = format!("< {}\n< {}\n", result(1, r#"{"a":1,"b":"no","c":"7 of 9"}"#), result(2, "{}"));
        let said = [result(1, r#"{"a":22,"b":"yes","c":"8 of 9"}"#), result(2, "{}")];
        let expect = format!(
            "< {}\n< {}\n",
            result(1, r#"{"a":"{{integer}}","b":"no","c":"{{digits}} of 9"}"#),
            result(2, "{}")
        );
        loosened(&steps, &[&said[0], &said[1]], &expect, 2);
    }

    #[test]
    fn a_value_that_comes_back_is_kept_under_a_name() {
        let send =
            |value: &str| format!("> {{\"id\":2,\"method\":\"m\",\"params\":{{\"s\":\"at {value}\"}}}}\n");
        let answer = |value: &str| result(1, &format!(r#"{{"sessionId":"{value}"}}"#));
        let steps = format!("< {}\n{}< {}\n", answer(A), send(A), result(2, r#"{"n":1}"#));
        let said = [answer(B), result(2, r#"{"n":2}"#)];
        // What came behind the stale value is left for the next run.
        let expect = format!(
            "< {}\n{}< {}\n",
            answer("{{sessionid:uuid}}"),
            send("{{sessionid}}"),
            result(2, r#"{"n":1}"#)
        );
        loosened(&steps, &[&said[0], &said[1]], &expect, 1);
    }

    #[test]
    fn a_token_needs_somebody_who_repeats_it() {
        let answer = |value: &str| result(1, &format!(r#"{{"uuid":"{value}","b":"x{value}"}}"#));
        let steps = format!("< {}\n> [\"ab-cd\"]\n", answer("ab-cd"));
        let expect =
            format!("< {}\n> [\"{{{{value}}}}\"]\n", answer("ab-cd").replacen("ab-cd", "{{value:token}}", 1));
        loosened(&steps, &[&answer("ef-gh")], &expect, 1);
        let alone = format!("< {}\n> [\"ab\"]\n", answer("ab"));
        loosened(&alone, &[&answer("cd")], &alone, 0);
    }

    #[test]
    fn a_placeholder_is_no_value_and_hides_none() {
        let check = |text: &str, expect: &[(&str, Option<LooseKind>)]| {
            let found: Vec<_> = pieces(text).iter().map(|bit| (bit.text, bit.kind)).collect();
            assert_eq!(found, expect, "{text}");
        };
        let digits = Some(LooseKind::Digits);
        check("{{sha256:a1}}2", &[("{{sha256:a1}}", None), ("2", digits), ("", None)]);
        check("a7{{1", &[("a", None), ("7", digits), ("{{", None), ("1", digits), ("", None)]);
        check(&format!("é{A}"), &[("é", None), (A, Some(LooseKind::Uuid)), ("", None)]);
    }

    #[test]
    fn a_key_that_is_no_name_lends_none_and_a_name_is_taken_once_in_a_file() {
        let answer = |id: u8, value: &str| result(id, &format!(r#"{{"session-id":"{value}"}}"#));
        let steps = format!("< {}\n< {}\n> [\"{A}\",\"{B}\"]\n", answer(1, A), answer(2, B));
        let said = [answer(1, B), answer(2, A)];
        let expect = format!(
            "< {}\n< {}\n> [\"{{{{value}}}}\",\"{{{{value_2}}}}\"]\n",
            answer(1, "{{value:uuid}}"),
            answer(2, "{{value_2:uuid}}")
        );
        loosened(&steps, &[&said[0], &said[1]], &expect, 2);
    }

    #[test]
    fn names_are_given_once() {
        let answer =
            |one: &str, two: &str| result(1, &format!(r#"{{"a":[{{"id":"{one}"}},{{"id":"{two}"}}]}}"#));
        let steps = format!("< {}\n> [\"{A}\",\"{B}\"]\n", answer(A, B));
        let expect =
            format!("< {}\n> [\"{{{{id}}}}\",\"{{{{id_2}}}}\"]\n", answer("{{id:uuid}}", "{{id_2:uuid}}"));
        loosened(&steps, &[&answer(B, A)], &expect, 2);
    }
}
