//! The closed set of placeholders: values that the harness works out by itself, and values of a kind, never "anything".
//!
//! Owns their names and how a text with placeholders becomes bytes. Where a value comes from is the caller's: this
//! module reads no file and knows no project.

use std::fmt;

use std::ops::Range;

use super::loose::{Loose, LooseKind};
use super::message::{escape, member};

/// One placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// `{{project}}`: the canonical path of the project's copy.
    Project,
    /// `{{scratch}}`: the canonical path of the scratch folder, where `open NAME` creates files.
    Scratch,
    /// `{{version}}`: the server's version.
    Version,
    /// `{{text}}`: the compact form of the `structuredContent` in the same result.
    Text,
    /// `{{braces}}`: two opening braces, for a text that holds them itself.
    Braces,
    /// `{{sha256:FILE}}`: the SHA-256 of a file of the project, or of an `embebido:` source.
    Sha256(String),
    /// `{{NAME}}`: what the `let` of that name computed, or what `{{NAME:KIND}}` above found.
    Named(String),
    /// `{{KIND}}` or `{{NAME:KIND}}`: a value that the conversation does not pin.
    Loose(Loose),
}

impl Placeholder {
    /// Whether no `let` and no kept value may take this name, because it means something already.
    #[must_use]
    pub fn is_reserved(name: &str) -> bool {
        let taken = ["project", "scratch", "version", "text", "braces", "sha256"];
        taken.contains(&name) || LooseKind::ALL.iter().any(|kind| kind.word() == name)
    }

    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "project" => Self::Project,
            "scratch" => Self::Scratch,
            "version" => Self::Version,
            "text" => Self::Text,
            "braces" => Self::Braces,
            _ => match name.strip_prefix("sha256:") {
                Some("") => return None,
                Some(file) => Self::Sha256(file.to_owned()),
                None => match Loose::parse(name) {
                    Some(loose) => Self::Loose(loose),
                    None if is_name(name) && !Self::is_reserved(name) => Self::Named(name.to_owned()),
                    None => return None,
                },
            },
        })
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Project => f.write_str("{{project}}"),
            Self::Scratch => f.write_str("{{scratch}}"),
            Self::Version => f.write_str("{{version}}"),
            Self::Text => f.write_str("{{text}}"),
            Self::Braces => f.write_str("{{braces}}"),
            Self::Sha256(file) => write!(f, "{{{{sha256:{file}}}}}"),
            Self::Named(name) => write!(f, "{{{{{name}}}}}"),
            Self::Loose(loose) => loose.fmt(f),
        }
    }
}

/// Whether a `let` may take this name: `[a-z][a-z0-9_]*`.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// A stretch of a text: bytes that stand for themselves, or a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// These bytes.
    Literal(&'t str),
    /// A value to be worked out.
    Placeholder(Placeholder),
}

/// A text whose placeholders do not become bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceholderFault {
    /// `{{` without its `}}`.
    Unclosed,
    /// A name that the closed set does not have.
    Unknown(String),
    /// `{{text}}` where no `structuredContent` stands in the same result, or inside of it.
    NoStructuredContent,
    /// `{{text}}` outside a message.
    TextOutsideMessage,
    /// A placeholder for a number that is not a whole string.
    NotAlone(Loose),
    /// The caller has no value for it; the reason is the caller's.
    NoValue(Placeholder, String),
}

impl fmt::Display for PlaceholderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed => {
                f.write_str("`{{` without its `}}`; two literal braces are written `{{braces}}`")
            }
            Self::Unknown(name) => write!(
                f,
                "unknown placeholder `{{{{{name}}}}}`; there are project, scratch, version, text, braces, sha256:FILE, \
                 the name of a `let` above, and timestamp, uuid, integer, number, digits, NAME:KIND for what is not pinned"
            ),
            Self::NoStructuredContent => {
                f.write_str("`{{text}}` without `result.structuredContent` in the same message")
            }
            Self::TextOutsideMessage => f.write_str("`{{text}}` only stands in a message"),
            Self::NotAlone(loose) => {
                write!(f, "`{loose}` stands for a number, so it is a whole string: \"{loose}\"")
            }
            Self::NoValue(placeholder, why) => write!(f, "no value for `{placeholder}`: {why}"),
        }
    }
}

impl std::error::Error for PlaceholderFault {}

/// Splits a text into what stands for itself and what has to be worked out.
///
/// `{{{` is a brace and then `{{`, so a placeholder may follow a brace.
///
/// # Errors
/// [`PlaceholderFault::Unclosed`] and [`PlaceholderFault::Unknown`].
pub fn pieces(text: &str) -> Result<Vec<Piece<'_>>, PlaceholderFault> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(mut start) = rest.find("{{") {
        while rest[start + 1..].starts_with("{{") {
            start += 1;
        }
        let inside = &rest[start + 2..];
        let end = inside.find("}}").ok_or(PlaceholderFault::Unclosed)?;
        let name = &inside[..end];
        let placeholder =
            Placeholder::parse(name).ok_or_else(|| PlaceholderFault::Unknown(name.to_owned()))?;
        if start > 0 {
            found.push(Piece::Literal(&rest[..start]));
        }
        found.push(Piece::Placeholder(placeholder));
        rest = &inside[end + 2..];
    }
    if !rest.is_empty() {
        found.push(Piece::Literal(rest));
    }
    Ok(found)
}

/// Gives a placeholder its value, unescaped; the error is a reason for people.
pub type Lookup<'l> = dyn FnMut(&Placeholder) -> Result<String, String> + 'l;

/// Resolves the placeholders of an argument or of a text on stderr: values stand as they are.
///
/// # Errors
/// Any [`PlaceholderFault`]; `{{text}}` has no meaning here.
pub fn resolve_plain(text: &str, lookup: &mut Lookup<'_>) -> Result<String, PlaceholderFault> {
    let mut resolved = String::with_capacity(text.len());
    for piece in pieces(text)? {
        match piece {
            Piece::Literal(literal) => resolved.push_str(literal),
            Piece::Placeholder(Placeholder::Text) => return Err(PlaceholderFault::TextOutsideMessage),
            Piece::Placeholder(placeholder) => resolved.push_str(&value(placeholder, lookup)?),
        }
    }
    Ok(resolved)
}

/// Resolves the placeholders of a compact message: values are escaped as JSON text, and `{{text}}` becomes the
/// escaped compact form of the `structuredContent` in the same result.
///
/// # Errors
/// Any [`PlaceholderFault`]; a value that is not pinned has none here.
pub fn resolve_message(compact: &str, lookup: &mut Lookup<'_>) -> Result<String, PlaceholderFault> {
    let pattern = Pattern::of(compact, lookup)?;
    match pattern.places.first() {
        Some(place) => {
            let why = "only an expected message leaves a value open".to_owned();
            Err(PlaceholderFault::NoValue(Placeholder::Loose(place.loose.clone()), why))
        }
        None => pattern.filled(&[]),
    }
}

/// An expected message whose placeholders have their values, but for what it does not pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// JSON: values resolved, loose places as they are written, nothing where `{{text}}` stands.
    pub text: String,
    /// What is not pinned, in order.
    pub places: Vec<Place>,
    texts: Vec<usize>,
}

/// A place of a message that is not pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where its placeholder stands in [`Pattern::text`].
    pub range: Range<usize>,
    /// What may stand there.
    pub loose: Loose,
}

impl Pattern {
    /// Resolves what has a value.
    ///
    /// # Errors
    /// Any [`PlaceholderFault`] but the one of `{{text}}` that has nothing to repeat.
    pub fn of(compact: &str, lookup: &mut Lookup<'_>) -> Result<Self, PlaceholderFault> {
        let mut text = String::with_capacity(compact.len());
        let (mut places, mut texts) = (Vec::new(), Vec::new());
        for piece in pieces(compact)? {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Placeholder(Placeholder::Text) => texts.push(text.len()),
                Piece::Placeholder(Placeholder::Loose(loose)) => {
                    let start = text.len();
                    text.push_str(&loose.to_string());
                    places.push(Place { range: start..text.len(), loose });
                }
                Piece::Placeholder(placeholder) => text.push_str(&escape(&value(placeholder, lookup)?)),
            }
        }
        let alone = |place: &Place| {
            text[..place.range.start].ends_with('"') && text[place.range.end..].starts_with('"')
        };
        match places.iter().find(|place| place.loose.kind.is_bare() && !alone(place)) {
            Some(place) => Err(PlaceholderFault::NotAlone(place.loose.clone())),
            None => Ok(Self { text, places, texts }),
        }
    }

    /// The message with a value for each place, `None` leaving the placeholder as it is written; `{{text}}` repeats what
    /// then stands in `structuredContent`.
    ///
    /// # Errors
    /// [`PlaceholderFault::NoStructuredContent`].
    pub fn filled(&self, values: &[Option<String>]) -> Result<String, PlaceholderFault> {
        let mut message = self.text.clone();
        let mut texts = self.texts.clone();
        for (place, value) in self.places.iter().zip(values).rev() {
            let Some(value) = value else { continue };
            // A number takes the place of the quotes as well.
            let quotes = usize::from(place.loose.kind.is_bare());
            let range = place.range.start - quotes..place.range.end + quotes;
            for at in texts.iter_mut().filter(|at| **at >= range.end) {
                *at = *at + value.len() - range.len();
            }
            message.replace_range(range, value);
        }
        if texts.is_empty() {
            return Ok(message);
        }
        let structured = member(&message, &["result", "structuredContent"])
            .filter(|structured| !texts.iter().any(|at| structured.contains(at)))
            .ok_or(PlaceholderFault::NoStructuredContent)?;
        let text = escape(&message[structured]);
        for at in texts.into_iter().rev() {
            message.insert_str(at, &text);
        }
        Ok(message)
    }
}

fn value(placeholder: Placeholder, lookup: &mut Lookup<'_>) -> Result<String, PlaceholderFault> {
    if placeholder == Placeholder::Braces {
        return Ok("{{".to_owned());
    }
    lookup(&placeholder).map_err(|why| PlaceholderFault::NoValue(placeholder, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(placeholder: &Placeholder) -> Result<String, String> {
        match placeholder {
            Placeholder::Project => Ok("/tmp/a\"b".to_owned()),
            Placeholder::Named(name) => Ok(format!("<{name}>")),
            _ => Err("nothing".to_owned()),
        }
    }

    fn message(text: &str, expect: &str) {
        assert_eq!(resolve_message(text, &mut lookup).as_deref(), Ok(expect));
    }

    fn fault(text: &str, expect: PlaceholderFault) {
        assert_eq!(resolve_message(text, &mut lookup), Err(expect));
    }

    #[test]
    fn values_are_escaped_in_a_message_and_plain_elsewhere() {
        message(r#"{"a":"{{project}}/x"}"#, r#"{"a":"/tmp/a\"b/x"}"#);
        assert_eq!(resolve_plain("in {{project}}", &mut lookup).as_deref(), Ok("in /tmp/a\"b"));
    }

    #[test]
    fn a_text_block_is_the_escaped_structured_content() {
        message(
            r#"{"result":{"content":[{"text":"{{text}}"}],"structuredContent":{"a":"\n","p":"{{x}}"}}}"#,
            r#"{"result":{"content":[{"text":"{\"a\":\"\\n\",\"p\":\"<x>\"}"}],"structuredContent":{"a":"\n","p":"<x>"}}}"#,
        );
    }

    #[test]
    fn a_text_block_needs_structured_content_beside_it() {
        fault(r#"{"result":{"content":"{{text}}"}}"#, PlaceholderFault::NoStructuredContent);
        fault(r#"{"result":{"structuredContent":"{{text}}"}}"#, PlaceholderFault::NoStructuredContent);
        fault(r#"{"structuredContent":{},"result":"{{text}}"}"#, PlaceholderFault::NoStructuredContent);
    }

    #[test]
    fn braces_stand_for_themselves_only_when_asked() {
        message(r#"{"a":"{{braces}}x}}"}"#, r#"{"a":"{{x}}"}"#);
        message(r#"{"a":"{{braces}}{{{braces}}{"}"#, r#"{"a":"{{{{{{"}"#);
        message(r#"{"a":"{{{x}}}"}"#, r#"{"a":"{<x>}"}"#);
    }

    #[test]
    fn the_set_is_closed() {
        for name in
            ["*", "", "any", "Project", " project", "sha256:", "sha256", "token", "x:any", "a-b", "1a"]
        {
            let expect = PlaceholderFault::Unknown(name.to_owned());
            if is_name(name) && !Placeholder::is_reserved(name) {
                message(&format!("\"{{{{{name}}}}}\""), &format!("\"<{name}>\""));
            } else {
                fault(&format!("\"{{{{{name}}}}}\""), expect);
            }
        }
        fault("\"{{project\"", PlaceholderFault::Unclosed);
    }

    #[test]
    fn a_value_that_is_not_to_be_had_says_why() {
        fault("\"{{version}}\"", PlaceholderFault::NoValue(Placeholder::Version, "nothing".to_owned()));
    }

    fn pattern(text: &str) -> Pattern {
        Pattern::of(text, &mut lookup).unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[test]
    fn what_is_not_pinned_is_filled_in_and_repeated_in_the_text() {
        let found = pattern(
            r#"{"result":{"content":"{{text}}","structuredContent":{"a":"{{integer}}","b":"{{x}} {{b:uuid}}"},"c":"{{text}}"}}"#,
        );
        let kinds: Vec<_> = found.places.iter().map(|place| place.loose.kind).collect();
        assert_eq!(kinds, [LooseKind::Integer, LooseKind::Uuid]);
        let values = [Some("7".to_owned()), Some("U".to_owned())];
        assert_eq!(
            found.filled(&values).as_deref(),
            Ok(
                r#"{"result":{"content":"{\"a\":7,\"b\":\"<x> U\"}","structuredContent":{"a":7,"b":"<x> U"},"c":"{\"a\":7,\"b\":\"<x> U\"}"}}"#
            )
        );
        let half = r#"{"a":"{{integer}}","b":"U"}"#;
        let found = pattern(r#"{"a":"{{integer}}","b":"{{uuid}}"}"#);
        assert_eq!(found.filled(&[None, Some("U".to_owned())]).as_deref(), Ok(half));
    }

    #[test]
    fn what_is_not_pinned_has_no_value_of_its_own() {
        let loose = |name: Option<&str>, kind| Loose { name: name.map(str::to_owned), kind };
        let uuid = Placeholder::Loose(loose(Some("x"), LooseKind::Uuid));
        let why = "only an expected message leaves a value open".to_owned();
        fault("\"{{x:uuid}}\"", PlaceholderFault::NoValue(uuid, why));
        for text in ["\"{{integer}} ms\"", "\" {{integer}}\"", "\"{{number}}{{number}}\""] {
            let found = Pattern::of(text, &mut lookup);
            assert!(matches!(found, Err(PlaceholderFault::NotAlone(_))), "{text}: {found:?}");
        }
    }

    #[test]
    fn placeholders_print_as_they_are_written() {
        for text in [
            "{{project}}",
            "{{scratch}}",
            "{{version}}",
            "{{text}}",
            "{{braces}}",
            "{{sha256:a/b c}}",
            "{{x_1}}",
            "{{uuid}}",
            "{{x_1:token}}",
        ] {
            match pieces(text).as_deref() {
                Ok([Piece::Placeholder(placeholder)]) => assert_eq!(placeholder.to_string(), text),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
