//! The one reader of JSON: strict RFC 8259, in bounded depth, with exact integers and shared keys.
//!
//! Refused: lone surrogates, numbers beyond doubles, integers over 4300 digits, nesting over
//! [`MAX_DEPTH`], anything after the value. A repeated key keeps its last value.

use super::integer::Integer;
use super::{Map, Text, Valor};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// How many lists and maps may stand inside one another.
pub const MAX_DEPTH: usize = 512;

/// Longest key that is looked up among the shared ones; longer keys are rarely repeated.
const SHARED_KEY_BYTES: usize = 64;

/// Longest text value that is: names of states and kinds repeat, sentences do not.
const SHARED_VALUE_BYTES: usize = 16;

/// Most distinct texts that are shared, so that hostile input cannot grow a table without end.
const SHARED_TEXTS: usize = 4096;

/// Why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong, in Spanish, without a final stop.
    pub reason: String,
    /// Line of the offence, from 1.
    pub line: usize,
    /// Column of the offence in characters, from 1.
    pub column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (línea {}, columna {})", self.reason, self.line, self.column)
    }
}

impl std::error::Error for JsonError {}

/// A member of the outermost map, with the bytes its value was written in.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// The key.
    pub key: Text,
    /// The value as it was written.
    pub raw: &'a str,
    /// The value.
    pub value: Valor,
}

/// Reads one JSON value; white space around it is allowed, anything else is not.
pub fn parse(text: &str) -> Result<Valor, JsonError> {
    let mut reader = Reader::new(text);
    let value = reader.value(0).map_err(|fault| reader.error(fault))?;
    reader.end().map_err(|fault| reader.error(fault))?;
    Ok(value)
}

/// Reads the JSON value that `text` starts with, with nothing before it, and says how many bytes it takes.
pub fn prefix(text: &str) -> Result<(Valor, usize), JsonError> {
    let mut reader = Reader::new(text);
    if let Some(b' ' | b'\t' | b'\n' | b'\r') = reader.peek() {
        return Err(reader.error("se esperaba un valor JSON"));
    }
    let value = reader.value(0).map_err(|fault| reader.error(fault))?;
    Ok((value, reader.at))
}

/// Reads one JSON value and, when it is a map, keeps how each member was written, repeated keys included.
/// `Ok(None)` when the value is well formed but no map.
pub fn members(text: &str) -> Result<Option<Vec<Member<'_>>>, JsonError> {
    let mut reader = Reader::new(text);
    reader.space();
    if reader.peek() != Some(b'{') {
        return parse(text).map(|_| None);
    }
    let mut found = Vec::new();
    reader
        .map_members(0, |_, key, raw, value| found.push(Member { key, raw, value }))
        .and_then(|()| reader.end())
        .map_err(|fault| reader.error(fault))?;
    Ok(Some(found))
}

/// A reason, raised at the reader's position.
type Fault = &'static str;

/// The text as a shared one when it is short and the table knows it or has room.
fn share(known: &mut HashSet<Text>, text: Cow<'_, str>, longest: usize) -> Text {
    if text.len() > longest {
        return Text::from(text);
    }
    if let Some(text) = known.get(&*text) {
        return text.clone();
    }
    let text = Text::from(text);
    if known.len() < SHARED_TEXTS {
        known.insert(text.clone());
    }
    text
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    keys: HashSet<Text>,
    values: HashSet<Text>,
    /// Members of the maps that are open, innermost last: each map is then made in its exact size.
    open: Vec<(Text, Valor)>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader { text, at: 0, keys: HashSet::new(), values: HashSet::new(), open: Vec::new() }
    }

    fn error(&self, reason: Fault) -> JsonError {
        let mut at = self.at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        JsonError {
            reason: reason.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.space();
        if self.at < self.text.len() { Err("sobra texto después del valor") } else { Ok(()) }
    }

    fn value(&mut self, depth: usize) -> Result<Valor, Fault> {
        self.space();
        match self.peek() {
            None => Err("el texto termina antes de tiempo"),
            Some(b'{') => {
                let first = self.open.len();
                self.map_members(depth, |reader, key, _, value| reader.open.push((key, value)))?;
                Ok(Valor::Map(Map::from_members(self.open.drain(first..).collect())))
            }
            Some(b'[') => self.list(depth),
            Some(b'"') => {
                let text = self.string()?;
                Ok(Valor::Text(share(&mut self.values, text, SHARED_VALUE_BYTES)))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Valor::Bool(true)),
            Some(b'f') => self.word("false", Valor::Bool(false)),
            Some(b'n') => self.word("null", Valor::Null),
            Some(_) => Err("se esperaba un valor JSON"),
        }
    }

    fn word(&mut self, word: &str, value: Valor) -> Result<Valor, Fault> {
        if !self.text[self.at..].starts_with(word) {
            return Err("se esperaba un valor JSON");
        }
        self.at += word.len();
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Valor, Fault> {
        self.enter(depth)?;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Valor::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                None => return Err("el texto termina antes de tiempo"),
                Some(_) => return Err("se esperaba «,» o «]»"),
            }
        }
        self.at += 1;
        items.shrink_to_fit();
        Ok(Valor::List(items))
    }

    /// Reads a map and hands each member over with its raw text.
    fn map_members(
        &mut self,
        depth: usize,
        mut take: impl FnMut(&mut Self, Text, &'a str, Valor),
    ) -> Result<(), Fault> {
        self.enter(depth)?;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(if self.at < self.text.len() {
                    "se esperaba una clave entre comillas"
                } else {
                    "el texto termina antes de tiempo"
                });
            }
            let key = self.string()?;
            let key = share(&mut self.keys, key, SHARED_KEY_BYTES);
            self.space();
            if self.peek() != Some(b':') {
                return Err("se esperaba «:»");
            }
            self.at += 1;
            self.space();
            let start = self.at;
            let value = self.value(depth + 1)?;
            let raw = &self.text[start..self.at];
            take(self, key, raw, value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                None => return Err("el texto termina antes de tiempo"),
                Some(_) => return Err("se esperaba «,» o «}»"),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn enter(&mut self, depth: usize) -> Result<(), Fault> {
        if depth >= MAX_DEPTH {
            return Err("hay demasiados niveles de anidamiento");
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    let text = &self.text[start..self.at];
                    self.at += 1;
                    return Ok(Cow::Borrowed(text));
                }
                Some(b'\\') => return self.escaped_string(start).map(Cow::Owned),
                Some(0..=0x1f) => return Err("hay un carácter de control sin escapar en un texto"),
                Some(_) => self.at += 1,
                None => return Err(self.unclosed(start)),
            }
        }
    }

    /// The fault of a string whose text starts at `start` and never ends; it stands at the quote.
    fn unclosed(&mut self, start: usize) -> Fault {
        self.at = start - 1;
        "el texto termina antes de tiempo"
    }

    /// The rest of a string that has at least one escape.
    fn escaped_string(&mut self, start: usize) -> Result<String, Fault> {
        let mut out = String::from(&self.text[start..self.at]);
        let mut plain_from = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    out.push_str(&self.text[plain_from..self.at]);
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(&self.text[plain_from..self.at]);
                    self.at += 1;
                    match self.peek() {
                        Some(kind) => out.push(self.escape(kind)?),
                        None => return Err(self.unclosed(start)),
                    }
                    plain_from = self.at;
                }
                Some(0..=0x1f) => return Err("hay un carácter de control sin escapar en un texto"),
                Some(_) => self.at += 1,
                None => return Err(self.unclosed(start)),
            }
        }
    }

    /// The character that the escape of `kind` stands for; the backslash is already behind.
    fn escape(&mut self, kind: u8) -> Result<char, Fault> {
        let plain = match kind {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => {
                self.at -= 1;
                return Err("hay un escape desconocido en un texto");
            }
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, Fault> {
        const LONE: Fault = "hay un sustituto UTF-16 sin pareja en un texto";
        let first = self.hex4()?;
        let code = if (0xd800..0xdc00).contains(&first) {
            if !self.text[self.at..].starts_with("\\u") {
                return Err(LONE);
            }
            self.at += 2;
            let second = self.hex4()?;
            if !(0xdc00..0xe000).contains(&second) {
                return Err(LONE);
            }
            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        } else {
            first
        };
        char::from_u32(code).ok_or(LONE)
    }

    fn hex4(&mut self) -> Result<u32, Fault> {
        const BAD: Fault = "hay un escape \\u incompleto en un texto";
        let digits = self.text.as_bytes().get(self.at..self.at + 4).ok_or(BAD)?;
        let mut code = 0;
        for digit in digits {
            code = code * 16 + (*digit as char).to_digit(16).ok_or(BAD)?;
        }
        self.at += 4;
        Ok(code)
    }

    fn number(&mut self) -> Result<Valor, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err("hay un número mal escrito"),
        }
        if let Some(b'0'..=b'9') = self.peek() {
            return Err("hay un número con ceros a la izquierda");
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            whole = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        let text = &self.text[start..self.at];
        if whole {
            return Integer::parse(text).map(Valor::Int).ok_or("hay un entero con demasiadas cifras");
        }
        match text.parse::<f64>() {
            Ok(float) if float.is_finite() => Ok(Valor::Float(float)),
            _ => Err("hay un número fuera del rango de los flotantes"),
        }
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.digits();
        if self.at == start { Err("hay un número mal escrito") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round(text: &str, printed: &str) {
        assert_eq!(parse(text).unwrap().to_compact(), printed);
    }

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        assert_eq!(parse(text).unwrap_err().reason, reason);
    }

    #[test]
    fn numbers_keep_their_kind_and_every_digit() {
        round("[1, 1.0, -0, -0.0, 1e2, 18446744073709551616]", "[1,1.0,0,-0.0,100.0,18446744073709551616]");
        round(
            "[1e-7,1e16,123456789.125,0.0001,1e22,9007199254740993]",
            "[1e-07,1e+16,123456789.125,0.0001,1e+22,9007199254740993]",
        );
        refused("1e400", "hay un número fuera del rango de los flotantes");
        refused("01", "hay un número con ceros a la izquierda");
        refused("NaN", "se esperaba un valor JSON");
        refused(&"9".repeat(4301), "hay un entero con demasiadas cifras");
    }

    #[test]
    fn text_is_unescaped_once_and_surrogates_come_in_pairs() {
        round(r#""\u00e9\ud83d\ude00\n\u0001\/""#, "\"é😀\\n\\u0001/\"");
        refused(r#""\ud800""#, "hay un sustituto UTF-16 sin pareja en un texto");
        refused(r#""\udc00""#, "hay un sustituto UTF-16 sin pareja en un texto");
        refused(r#""\ud800\ud800""#, "hay un sustituto UTF-16 sin pareja en un texto");
        refused("\"a\nb\"", "hay un carácter de control sin escapar en un texto");
    }

    #[test]
    fn a_repeated_key_keeps_its_first_place_and_last_value() {
        round(r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#);
        let many: String = (0..40).map(|i| format!("\"k{}\":{i},", i % 20)).collect();
        let last: String = (0..20).map(|i| format!("\"k{i}\":{},", i + 20)).collect();
        round(&format!("{{{}}}", many.trim_end_matches(',')), &format!("{{{}}}", last.trim_end_matches(',')));
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(parse(&deep(MAX_DEPTH)).is_ok());
        refused(&deep(MAX_DEPTH + 1), "hay demasiados niveles de anidamiento");
        refused(&"[".repeat(100_000), "hay demasiados niveles de anidamiento");
    }

    #[test]
    fn an_error_says_where() {
        let error = parse("{\"a\":\n  ñ}").unwrap_err();
        assert_eq!((error.line, error.column), (2, 3));
        refused("{} {}", "sobra texto después del valor");
        refused("{\"a\":1", "el texto termina antes de tiempo");
        let column = |text| parse(text).unwrap_err().column;
        assert_eq!(
            [column("[\"é\", \"abc"), column("\"é\\n"), column("\"é\\"), column(r#""é\q""#)],
            [7, 1, 1, 3]
        );
    }

    #[test]
    fn a_value_is_read_off_the_start_of_a_text() {
        let read = |text| prefix(text).map(|(value, end)| (value.to_compact(), end)).ok();
        assert_eq!(read("\"ñ\" rest"), Some(("\"ñ\"".to_owned(), 4)));
        assert_eq!(read("[1, 2],3"), Some(("[1,2]".to_owned(), 6)));
        assert_eq!(read(" 1"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn members_keep_how_values_were_written() {
        let found = members(" {\"id\": 1.0 , \"a\": [1, 2]} ").unwrap().unwrap();
        assert_eq!(found.iter().map(|m| m.raw).collect::<Vec<_>>(), ["1.0", "[1, 2]"]);
        assert_eq!(members("[1]").unwrap(), None);
        assert!(members("{} x").is_err());
    }

    #[test]
    fn canonical_form_sorts_keys_by_code_point_at_every_depth() {
        let value = parse(r#"{"b":{"z":1,"a":2},"ñ":1,"Z":0}"#).unwrap();
        assert_eq!(value.to_canonical(), r#"{"Z":0,"b":{"a":2,"z":1},"ñ":1}"#);
    }
}
