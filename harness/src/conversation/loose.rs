//! Values that a conversation does not pin: their kinds, and how much of a text each kind takes.
//!
//! A kind says what a value looks like, never that it may be anything. Functions of texts.

use std::fmt;

/// A place of an expected message whose value the conversation does not pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loose {
    /// The name under which later steps find the value again; none where nothing needs it.
    pub name: Option<String>,
    /// What the value looks like.
    pub kind: LooseKind,
}

/// What a value looks like that is not pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LooseKind {
    /// A moment as RFC 3339 writes it; a blank for the `T`, a comma and a missing zone are let be.
    Timestamp,
    /// A UUID: 8, 4, 4, 4 and 12 hexadecimal digits.
    Uuid,
    /// An integer that is a JSON number: the whole string of the placeholder stands for it, quotes included.
    Integer,
    /// Any JSON number, in the same way.
    Number,
    /// Decimal digits inside of a string.
    Digits,
    /// Characters without white space inside of a string. Only with a name that a later step uses.
    Token,
}

impl LooseKind {
    /// Every kind, the one with the most to say of a value first.
    pub const ALL: [Self; 6] =
        [Self::Uuid, Self::Timestamp, Self::Integer, Self::Number, Self::Digits, Self::Token];

    /// Its word in a placeholder.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::Uuid => "uuid",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Digits => "digits",
            Self::Token => "token",
        }
    }

    /// Whether it stands for a JSON number, and its placeholder therefore for a whole string.
    #[must_use]
    pub fn is_bare(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }

    /// How many bytes at the start of a text are such a value: as many as can be, none where it does not start so.
    #[must_use]
    pub fn length(self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let length = match self {
            Self::Uuid => shape(bytes, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")?,
            Self::Timestamp => timestamp(bytes)?,
            Self::Integer => integer(bytes),
            Self::Number => number(bytes),
            Self::Digits => digits(bytes),
            Self::Token => {
                text.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\\')).unwrap_or(text.len())
            }
        };
        (length > 0).then_some(length)
    }
}

impl Loose {
    /// Reads what stands between the braces: a kind, or `NAME:KIND`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, word) = match text.split_once(':') {
            Some((name, word)) => (Some(name), word),
            None => (None, text),
        };
        let kind = LooseKind::ALL.into_iter().find(|kind| kind.word() == word)?;
        let named = name.is_none_or(super::placeholder::is_name);
        let may_be = name.is_some() || kind != LooseKind::Token;
        (named && may_be).then(|| Self { name: name.map(str::to_owned), kind })
    }
}

impl fmt::Display for Loose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{{{{{name}:{}}}}}", self.kind.word()),
            None => write!(f, "{{{{{}}}}}", self.kind.word()),
        }
    }
}

/// The length of a shape that the bytes start with: `h` is a hexadecimal digit, `d` a decimal one.
fn shape(bytes: &[u8], shape: &str) -> Option<usize> {
    let fits = |(byte, shape): (&u8, u8)| match shape {
        b'h' => byte.is_ascii_hexdigit(),
        b'd' => byte.is_ascii_digit(),
        other => *byte == other,
    };
    (bytes.len() >= shape.len() && bytes.iter().zip(shape.bytes()).all(fits)).then_some(shape.len())
}

fn timestamp(bytes: &[u8]) -> Option<usize> {
    let day = shape(bytes, "dddd-dd-dd")?;
    if !matches!(bytes.get(day), Some(b'T' | b't' | b' ')) {
        return None;
    }
    let mut at = day + 1 + shape(&bytes[day + 1..], "dd:dd:dd")?;
    if matches!(bytes.get(at), Some(b'.' | b',')) {
        let fraction = digits(&bytes[at + 1..]);
        at += if fraction > 0 { fraction + 1 } else { 0 };
    }
    let zone = match bytes.get(at) {
        Some(b'Z' | b'z') => 1,
        Some(b'+' | b'-') => {
            let digits = &bytes[at + 1..];
            shape(digits, "dd:dd").or_else(|| shape(digits, "dddd")).map_or(0, |length| length + 1)
        }
        _ => 0,
    };
    Some(at + zone)
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn integer(bytes: &[u8]) -> usize {
    let sign = usize::from(bytes.starts_with(b"-"));
    let digits = digits(&bytes[sign..]);
    if digits == 0 { 0 } else { sign + digits }
}

fn number(bytes: &[u8]) -> usize {
    let mut at = integer(bytes);
    if at == 0 {
        return 0;
    }
    let fraction = if bytes.get(at) == Some(&b'.') { digits(&bytes[at + 1..]) } else { 0 };
    at += if fraction > 0 { fraction + 1 } else { 0 };
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(&bytes[at + 1 + sign..]);
        at += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_takes_what_it_looks_like_and_no_more() {
        use LooseKind::*;
        let check = |kind: LooseKind, text: &str, expect: Option<&str>| {
            assert_eq!(kind.length(text).map(|length| &text[..length]), expect, "{kind:?} of {text}");
        };
        let uuid = "0f8fad5b-d9cb-469f-A165-70867728950e";
        check(Uuid, &format!("{uuid}x"), Some(uuid));
        check(Uuid, &uuid[1..], None);
        check(Uuid, &uuid.replace('-', "_"), None);
        check(Timestamp, "2026-11-30T12:00:00Z.", Some("2026-11-30T12:00:00Z"));
        check(Timestamp, "2026-11-30 12:00:00,123 INFO", Some("2026-11-30 12:00:00,123"));
        check(Timestamp, "2026-11-30t12:00:00.5+02:00x", Some("2026-11-30t12:00:00.5+02:00"));
        check(Timestamp, "2026-11-30T12:00:00-0300", Some("2026-11-30T12:00:00-0300"));
        check(Timestamp, "2026-11-30T12:00:00z", Some("2026-11-30T12:00:00z"));
        check(Timestamp, "2026-11-30T12:00:00-x", Some("2026-11-30T12:00:00"));
        check(Timestamp, "2026-11-30T12:00:00.", Some("2026-11-30T12:00:00"));
        for none in ["2026-11-30", "2026-11-30_12:00:00", "26-11-30T12:00:00", "2026-11-30T12:00"] {
            check(Timestamp, none, None);
        }
        check(Integer, "-12.5", Some("-12"));
        check(Integer, "-", None);
        check(Integer, "x1", None);
        check(Number, "-12.5e+3,", Some("-12.5e+3"));
        check(Number, "1E2", Some("1E2"));
        check(Number, "1.e", Some("1"));
        check(Number, "1e-", Some("1"));
        check(Number, ".5", None);
        check(Digits, "007 b", Some("007"));
        check(Digits, "-7", None);
        check(Token, "aé-/= b", Some("aé-/="));
        check(Token, "a\\n", Some("a"));
        check(Token, "\"", None);
        check(Token, "abc", Some("abc"));
    }

    #[test]
    fn a_loose_value_prints_as_it_is_written() {
        let check = |text: &str, expect: bool| {
            let read = Loose::parse(text).map(|loose| loose.to_string());
            assert_eq!(read, expect.then(|| format!("{{{{{text}}}}}")));
        };
        for text in ["uuid", "timestamp", "integer", "number", "digits", "a_1:uuid", "cursor:token"] {
            check(text, true);
        }
        for text in ["token", "any", "A:uuid", ":uuid", "a:b", "a:uuid:x", ""] {
            check(text, false);
        }
        assert_eq!([LooseKind::Integer, LooseKind::Number].map(LooseKind::is_bare), [true; 2]);
        assert!(!LooseKind::Digits.is_bare());
    }
}
