//! What stands in a message where the conversation pins nothing: found by its place in the JSON, held to its kind.
//!
//! Functions of two texts. A place that does not fit stays as it is written, so that a comparison finds it there.

use super::json::{self, Kind, Node};
use crate::conversation::placeholder::{Pattern, Place};

/// A pattern against a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The expected message with the values that came; placeholders where nothing fits.
    pub text: String,
    /// Values that later steps find by a name.
    pub kept: Vec<(String, String)>,
    /// How many places took a value.
    pub places: usize,
    /// How many bytes they took.
    pub bytes: usize,
}

/// Takes the values of a pattern's loose places from a message.
///
/// # Errors
/// A reason for people: `{{text}}` has nothing to repeat.
pub fn fit(pattern: &Pattern, message: &str) -> Result<Fitted, String> {
    let mut values = vec![None; pattern.places.len()];
    if !pattern.places.is_empty()
        && let (Ok(expected), Ok(actual)) = (json::read(&pattern.text), json::read(message))
    {
        walk(Side { node: &expected.root, pattern }, &actual.root, message, &mut values);
    }
    let text = pattern.filled(&values).map_err(|fault| fault.to_string())?;
    let taken =
        pattern.places.iter().zip(&values).filter_map(|(place, value)| Some((place, value.as_ref()?)));
    let kept = taken.clone().filter_map(|(place, value)| Some((place.loose.name.clone()?, value.clone())));
    let kept = kept.collect();
    Ok(Fitted { text, kept, places: taken.clone().count(), bytes: taken.map(|(_, value)| value.len()).sum() })
}

#[derive(Clone, Copy)]
struct Side<'p> {
    node: &'p Node,
    pattern: &'p Pattern,
}

fn walk(expected: Side<'_>, actual: &Node, message: &str, values: &mut [Option<String>]) {
    let side = |node| Side { node, ..expected };
    match (&expected.node.kind, &actual.kind) {
        (Kind::Map(members), Kind::Map(_)) => {
            for member in members {
                if let Some(value) = actual.get(&member.key) {
                    walk(side(&member.value), value, message, values);
                }
            }
        }
        (Kind::List(items), Kind::List(theirs)) => {
            for (item, value) in items.iter().zip(theirs) {
                walk(side(item), value, message, values);
            }
        }
        (Kind::Text(_), _) => string(expected, actual, message, values),
        _ => {}
    }
}

/// Takes the values of the places inside one string, all of them or none.
fn string(expected: Side<'_>, actual: &Node, message: &str, values: &mut [Option<String>]) {
    let inside = expected.node.span.start + 1..expected.node.span.end - 1;
    let places: Vec<(usize, &Place)> = expected
        .pattern
        .places
        .iter()
        .enumerate()
        .filter(|(_, place)| inside.start <= place.range.start && place.range.end <= inside.end)
        .collect();
    let raw = actual.raw(message);
    let found = match places.first() {
        None => return,
        Some((_, place)) if place.loose.kind.is_bare() => {
            let whole =
                matches!(actual.kind, Kind::Number) && place.loose.kind.length(raw) == Some(raw.len());
            whole.then(|| vec![raw.to_owned()])
        }
        Some(_) if !matches!(actual.kind, Kind::Text(_)) => None,
        Some(_) => {
            along(&expected.pattern.text[inside.clone()], inside.start, &places, &raw[1..raw.len() - 1])
        }
    };
    for ((index, _), value) in places.iter().zip(found.into_iter().flatten()) {
        values[*index] = Some(value);
    }
}

/// Goes along two strings: what is written has to stand there, a place takes as much as its kind can.
fn along(expected: &str, start: usize, places: &[(usize, &Place)], actual: &str) -> Option<Vec<String>> {
    let mut rest = actual;
    let mut at = 0;
    let mut values = Vec::with_capacity(places.len());
    for (_, place) in places {
        rest = rest.strip_prefix(&expected[at..place.range.start - start])?;
        let (value, behind) = rest.split_at(place.loose.kind.length(rest)?);
        values.push(value.to_owned());
        rest = behind;
        at = place.range.end - start;
    }
    (rest == &expected[at..]).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(expected: &str, actual: &str) -> Fitted {
        let pattern = Pattern::of(expected, &mut |_| Err("nothing".to_owned())).expect("a pattern");
        fit(&pattern, actual).expect("it fits")
    }

    /// The places that fit are as the message has them; everything else is as it is written.
    fn check(expected: &str, actual: &str, text: &str) {
        assert_eq!(fitted(expected, actual).text, text);
    }

    const UUID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

    #[test]
    fn values_are_taken_by_their_place() {
        let actual = format!(r#"{{"b":[1,{{"c":"at 2026-11-30T12:00:00Z by {UUID}"}}],"a":-7}}"#);
        check(
            r#"{"a":"{{integer}}","b":[1,{"c":"at {{timestamp}} by {{uuid}}"}]}"#,
            &actual,
            &format!(r#"{{"a":-7,"b":[1,{{"c":"at 2026-11-30T12:00:00Z by {UUID}"}}]}}"#),
        );
        check(
            r#"["{{uuid}}","{{uuid}}"]"#,
            &format!("[\"{UUID}\"]"),
            &format!("[\"{UUID}\",\"{{{{uuid}}}}\"]"),
        );
    }

    #[test]
    fn what_does_not_fit_stays_as_it_is_written() {
        for actual in
            [r#"{"a":"7"}"#, r#"{"a":7.5}"#, r#"{"a":null}"#, r#"{"b":7}"#, "[7]", r#"{"a":"{{integer}}"}"#]
        {
            check(r#"{"a":"{{integer}}"}"#, actual, r#"{"a":"{{integer}}"}"#);
        }
        let pattern = r#"{"a":"n {{digits}} of {{digits}}."}"#;
        check(pattern, r#"{"a":"n 1 of 22."}"#, r#"{"a":"n 1 of 22."}"#);
        for actual in [r#"{"a":"n 1 of 22"}"#, r#"{"a":"n 1 of x."}"#, r#"{"a":"m 1 of 2."}"#, r#"{"a":1}"#] {
            check(pattern, actual, pattern);
        }
        check(r#"{"a":"x","b":"{{number}}"}"#, r#"{"a":"y","b":1.5}"#, r#"{"a":"x","b":1.5}"#);
    }

    #[test]
    fn what_is_taken_is_counted_and_kept_by_its_name() {
        let found = fitted(r#"["{{s:token}}","{{digits}}","{{digits}}"]"#, r#"["ab","123","x"]"#);
        assert_eq!(found.kept, [("s".to_owned(), "ab".to_owned())]);
        assert_eq!((found.places, found.bytes), (2, 5));
        let none = fitted(r#"["{{braces}}"]"#, "[1]");
        assert_eq!((none.text.as_str(), none.places, none.bytes), (r#"["{{"]"#, 0, 0));
    }
}
