//! The one reader of JSON: strict RFC 8259, in bounded depth, with exact integers and shared keys.
//!
//! Refused: lone surrogates, numbers beyond doubles, integers over 4300 digits, nesting over
//! [`MAX_DEPTH`], anything after the value. A repeated key keeps its last value.

mod nested;
mod scalar;

use super::map::Shape;
use super::{Text, Valor};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// How many lists and maps may stand inside one another.
pub const MAX_DEPTH: usize = 512;

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
        .map_members(0, &[], |_, key, raw, value| {
            found.extend(key.map(|key| Member { key, raw, value }));
        })
        .and_then(|()| reader.end())
        .map_err(|fault| reader.error(fault))?;
    Ok(Some(found))
}

/// A reason, raised at the reader's position.
type Fault = &'static str;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    keys: HashSet<Text>,
    shapes: HashMap<Box<[Text]>, Arc<Shape>>,
    /// The shape of the last map that was read at each depth: the next one there is likely to have it.
    recent: Vec<Option<Arc<Shape>>>,
    values: Vec<Option<Text>>,
    /// Values of the maps that are open or wait for their block, innermost last.
    open: Vec<Valor>,
    /// Keys of the maps that are open and have another shape than the last, innermost last.
    names: Vec<Text>,
    /// First value and shape of each map that waits for its block.
    waiting: Vec<(usize, u32)>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader {
            text,
            at: 0,
            keys: HashSet::new(),
            shapes: HashMap::new(),
            recent: Vec::new(),
            values: Vec::new(),
            open: Vec::new(),
            names: Vec::new(),
            waiting: Vec::new(),
        }
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
                self.map(depth)?;
                Ok(Valor::Map(self.alone(depth, first)))
            }
            Some(b'[') => self.list(depth),
            Some(b'"') => {
                let text = self.string()?;
                Ok(Valor::Text(self.value_text(text)))
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
    fn keys_are_read_strictly_whatever_keys_came_before() {
        round(r#"[{"a\"b":1},{"a\"b":2},{"a\u0022b":3}]"#, r#"[{"a\"b":1},{"a\"b":2},{"a\"b":3}]"#);
        round(
            r#"[{"a\\":1},{"a\\":2},{},{"\u0061":1},{"a":2}]"#,
            r#"[{"a\\":1},{"a\\":2},{},{"a":1},{"a":2}]"#,
        );
        round(
            r#"[{"a":1,"b":2},{"a":1,"b":2,"a":3},{"a":1},{"a":4,"b":5}]"#,
            r#"[{"a":1,"b":2},{"a":3,"b":2},{"a":1},{"a":4,"b":5}]"#,
        );
        refused(r#"[{"a\"b":1},{"a"b":2}]"#, "se esperaba «:»");
        refused(r#"[{"a\\":1},{"a\":2}]"#, "el texto termina antes de tiempo");
        refused("[{\"a\\nb\":1},{\"a\nb\":2}]", "hay un carácter de control sin escapar en un texto");
        refused(r#"[{"a":1,"b":2},{"a":1,}]"#, "se esperaba una clave entre comillas");
        refused(r#"[{"a":1,"b":2},{"a":1,"b"}]"#, "se esperaba «:»");
        refused(r#"[{"a":1,"b":2},{"a":1,"b":2"#, "el texto termina antes de tiempo");
        refused(r#"[{"a":1},{"a"#, "el texto termina antes de tiempo");
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
