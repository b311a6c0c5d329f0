//! JSON as bytes: reads one text strictly and remembers where each value stands in it.
//!
//! Owns the only JSON reader of the engine. A number keeps its digits and a string its escapes, so two values are the
//! same only where their bytes are. Must not print; [`super::canonical`] does.

use std::ops::Range;

/// How deep values may nest: far beyond any message, and far from the end of a thread's stack.
const DEPTH: usize = 400;

/// A whole text that is JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The value.
    pub root: Node,
    /// What the grammar allows and a wire should not carry, in order of place.
    pub oddities: Vec<Oddity>,
}

/// One value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; its digits are its bytes.
    Number,
    /// A string, its escapes resolved; a surrogate without its pair became U+FFFD.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object, its members as written.
    Map(Vec<Member>),
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name, escapes resolved.
    pub key: String,
    /// Its value.
    pub value: Node,
}

/// Something that the grammar allows and a wire should not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// Byte offset in the text.
    pub at: usize,
    /// What stands there.
    pub what: OddityKind,
}

/// The kinds of [`Oddity`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OddityKind {
    /// White space outside strings.
    Space,
    /// A member whose name the same object already has.
    Repeated(String),
    /// An escaped surrogate without its pair, which stands for no character.
    LoneSurrogate,
}

/// A text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotJson {
    /// Byte offset of the fault.
    pub at: usize,
    /// What is wrong there.
    pub why: &'static str,
}

impl Node {
    /// The member of that name, where this is an object that has one; of equal names the last.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    /// The members of an object; nothing for any other value.
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Map(members) => members,
            _ => &[],
        }
    }

    /// The items of an array; nothing for any other value.
    pub fn items(&self) -> &[Self] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is an object.
    pub fn is_map(&self) -> bool {
        matches!(self.kind, Kind::Map(_))
    }

    /// The value's bytes in the text that it was read from.
    pub fn raw<'t>(&self, text: &'t str) -> &'t str {
        &text[self.span.clone()]
    }
}

/// Reads a whole text as one JSON value (RFC 8259).
///
/// # Errors
/// [`NotJson`] with the place of the first fault; nesting beyond 400 levels is one.
pub fn read(text: &str) -> Result<Document, NotJson> {
    let mut reader = Reader { text, at: 0, oddities: Vec::new() };
    reader.space();
    let root = reader.value(0)?;
    reader.space();
    if reader.at < text.len() {
        return reader.fault("something follows the value");
    }
    Ok(Document { root, oddities: reader.oddities })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    oddities: Vec<Oddity>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// A fault at a place where the grammar wants one certain thing.
    fn lacking<T>(&self, why: &'static str) -> Result<T, NotJson> {
        self.fault(if self.at < self.text.len() { why } else { "the text ends inside a value" })
    }

    fn fault<T>(&self, why: &'static str) -> Result<T, NotJson> {
        Err(NotJson { at: self.at, why })
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn space(&mut self) {
        let start = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        if self.at > start {
            self.oddities.push(Oddity { at: start, what: OddityKind::Space });
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, NotJson> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth == DEPTH => return self.fault("nested too deep"),
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(_) => return self.fault("no JSON value starts with this"),
            None => return self.fault("the text ends inside a value"),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind, NotJson> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            return Ok(kind);
        }
        self.fault("no JSON value starts with this")
    }

    fn map(&mut self, depth: usize) -> Result<Kind, NotJson> {
        let mut members: Vec<Member> = Vec::new();
        self.at += 1;
        self.space();
        if self.take(b'}') {
            return Ok(Kind::Map(members));
        }
        loop {
            let key_at = self.at;
            if self.peek() != Some(b'"') {
                return self.lacking("a member's name is a string");
            }
            let key = self.string()?;
            if members.iter().any(|member| member.key == key) {
                self.oddities.push(Oddity { at: key_at, what: OddityKind::Repeated(key.clone()) });
            }
            self.space();
            if !self.take(b':') {
                return self.lacking("a colon follows a member's name");
            }
            self.space();
            let value = self.value(depth + 1)?;
            members.push(Member { key, value });
            self.space();
            if self.take(b'}') {
                return Ok(Kind::Map(members));
            }
            if !self.take(b',') {
                return self.lacking("a comma or `}` follows a member");
            }
            self.space();
        }
    }

    fn list(&mut self, depth: usize) -> Result<Kind, NotJson> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.take(b']') {
            return Ok(Kind::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']') {
                return Ok(Kind::List(items));
            }
            if !self.take(b',') {
                return self.lacking("a comma or `]` follows an item");
            }
            self.space();
        }
    }

    fn digits(&mut self) -> Result<(), NotJson> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.fault("a digit is missing");
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Kind, NotJson> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        Ok(Kind::Number)
    }

    fn string(&mut self) -> Result<String, NotJson> {
        let mut decoded = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(plain) = rest.find(|c: char| c == '"' || c == '\\' || c < ' ') else {
                self.at = self.text.len();
                return self.fault("the text ends inside a string");
            };
            decoded.push_str(&rest[..plain]);
            self.at += plain;
            if self.take(b'"') {
                return Ok(decoded);
            }
            if !self.take(b'\\') {
                return self.fault("a control character stands unescaped in a string");
            }
            decoded.push(self.escape()?);
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<char, NotJson> {
        let c = match self.peek() {
            Some(b'u') => return self.unicode(),
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return self.fault("no escape is written so"),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode(&mut self) -> Result<char, NotJson> {
        let start = self.at - 1;
        let first = self.unit()?;
        if let 0xd800..=0xdbff = first
            && self.text[self.at..].starts_with("\\u")
        {
            let behind_first = self.at;
            self.at += 1;
            let second = self.unit()?;
            if let 0xdc00..=0xdfff = second {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = behind_first;
        }
        Ok(char::from_u32(first).unwrap_or_else(|| {
            self.oddities.push(Oddity { at: start, what: OddityKind::LoneSurrogate });
            char::REPLACEMENT_CHARACTER
        }))
    }

    /// Reads `uXXXX`.
    fn unit(&mut self) -> Result<u32, NotJson> {
        self.at += 1;
        let digits = self.text.as_bytes().get(self.at..self.at + 4).unwrap_or_default();
        let mut unit = 0;
        for digit in digits {
            let Some(value) = char::from(*digit).to_digit(16) else {
                return self.fault("`\\u` takes four hexadecimal digits");
            };
            unit = unit * 16 + value;
        }
        if digits.len() < 4 {
            return self.fault("`\\u` takes four hexadecimal digits");
        }
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Node {
        read(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).root
    }

    #[test]
    fn values_keep_their_bytes() {
        let text = r#"{"a":[1.0,-0,1E+2,true,false,null,{}],"é":"x\n"}"#;
        let node = root(text);
        let raws: Vec<_> = node.get("a").map_or(&[][..], Node::items).iter().map(|n| n.raw(text)).collect();
        assert_eq!(raws, ["1.0", "-0", "1E+2", "true", "false", "null", "{}"]);
        assert_eq!(node.get("é").and_then(Node::text), Some("x\n"));
        assert_eq!(node.get("é").map(|n| n.raw(text)), Some(r#""x\n""#));
        assert_eq!(node.get("b"), None);
        assert_eq!((node.items().len(), node.text(), node.is_map()), (0, None, true));
        assert_eq!((root("[]").members().len(), root("[]").is_map()), (0, false));
    }

    #[test]
    fn escapes_are_resolved() {
        let check = |text: &str, expect: &str| assert_eq!(root(text).text(), Some(expect), "{text}");
        check(r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t");
        check(r#""\u00e9\u00E9é""#, "ééé");
        check(r#""\ud83d\ude00\ud7ff\ue000""#, "\u{1f600}\u{d7ff}\u{e000}");
        check(r#""\udbff\udfff""#, "\u{10ffff}");
    }

    #[test]
    fn what_is_not_json_is_placed() {
        let check = |text: &str, at: usize, why: &str| {
            let fault = read(text).expect_err(text);
            assert_eq!((fault.at, fault.why), (at, why), "{text}");
        };
        let unfinished = ["", "  ", "[", "[1", "[1,", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,"];
        for (text, at) in unfinished.map(|text| (text, text.len())) {
            check(text, at, "the text ends inside a value");
        }
        for (text, at) in
            [("nul", 0), ("truE", 0), ("fals ", 0), ("'a'", 0), ("[,]", 1), ("+1", 0), ("NaN", 0)]
        {
            check(text, at, "no JSON value starts with this");
        }
        for (text, at) in [("-", 1), ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("1e-x", 3)] {
            check(text, at, "a digit is missing");
        }
        for (text, at) in [("01", 1), ("1 2", 2), ("{}x", 2), ("-01", 2), ("1e-+1", 3)] {
            let why = if text == "1e-+1" { "a digit is missing" } else { "something follows the value" };
            check(text, at, why);
        }
        check("[1 2]", 3, "a comma or `]` follows an item");
        check("{\"a\":1;", 6, "a comma or `}` follows a member");
        check("{\"a\" 1}", 5, "a colon follows a member's name");
        check("{a:1}", 1, "a member's name is a string");
        check("{\"a\":1,}", 7, "a member's name is a string");
        check("\"a", 2, "the text ends inside a string");
        check("\"\u{1f}\"", 1, "a control character stands unescaped in a string");
        check("\"a\nb\"", 2, "a control character stands unescaped in a string");
        check(r#""\x""#, 2, "no escape is written so");
        check(r#""\u12g4""#, 3, "`\\u` takes four hexadecimal digits");
        check(r#""\u12"#, 3, "`\\u` takes four hexadecimal digits");
        check(r#""\ud800\u12""#, 9, "`\\u` takes four hexadecimal digits");
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(DEPTH)).is_ok());
        assert_eq!(read(&nested(DEPTH + 1)), Err(NotJson { at: DEPTH, why: "nested too deep" }));
        let mixed = format!("{}1{}", "{\"a\":".repeat(DEPTH + 1), "}".repeat(DEPTH + 1));
        assert_eq!(read(&mixed).map(|_| ()), Err(NotJson { at: DEPTH * 5, why: "nested too deep" }));
    }

    #[test]
    fn oddities_are_told() {
        let check = |text: &str, expect: &[(usize, OddityKind)]| {
            let found = read(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).oddities;
            let expect: Vec<_> =
                expect.iter().map(|(at, what)| Oddity { at: *at, what: what.clone() }).collect();
            assert_eq!(found, expect, "{text}");
        };
        check("{\"a b\":[1,\"\\u0041 \"]}", &[]);
        for (text, at) in [
            (" 1", 0),
            ("1\t", 1),
            ("{ }", 1),
            ("{\"a\" :1}", 4),
            ("{\"a\":\n1}", 5),
            ("{\"a\":1 }", 6),
            ("{\"a\":1,\r\"b\":1}", 7),
            ("[ 1]", 1),
            ("[1 ]", 2),
            ("[1, 1]", 3),
        ] {
            check(text, &[(at, OddityKind::Space)]);
        }
        check(r#"{"a":1,"\u0061":2}"#, &[(7, OddityKind::Repeated("a".to_owned()))]);
        check(r#"[{"a":1},{"a":2}]"#, &[]);
        check(r#""x\ud800""#, &[(2, OddityKind::LoneSurrogate)]);
        check(r#""\udc00\ud800\u0041""#, &[(1, OddityKind::LoneSurrogate), (7, OddityKind::LoneSurrogate)]);
        assert_eq!(root(r#""\ud800\u0041""#).text(), Some("\u{fffd}A"));
    }

    #[test]
    fn of_equal_names_the_last_counts() {
        assert_eq!(root(r#"{"a":1,"a":"x"}"#).get("a").and_then(Node::text), Some("x"));
    }
}
