//! Strings and numbers: how they are written, and which texts are stored once. Knows no list and no map.

use super::super::{Integer, Text, Valor};
use super::{Fault, Reader};
use std::borrow::Cow;

/// Longest key that is looked up among the shared ones; longer keys are rarely repeated.
const SHARED_KEY_BYTES: usize = 64;

/// Longest text value that is: names of states and kinds repeat, sentences do not.
const SHARED_VALUE_BYTES: usize = 16;

/// Most distinct keys that are shared, so that hostile input cannot grow a table without end.
const SHARED_KEYS: usize = 4096;

/// How many text values are remembered at once, each in the one place its bytes lead to.
const REMEMBERED_VALUES: usize = 1024;

/// Where a short text is remembered.
fn place(text: &str) -> usize {
    let hash = text.bytes().fold(0usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(usize::from(byte)));
    (hash ^ hash >> 10) % REMEMBERED_VALUES
}

impl<'a> Reader<'a> {
    /// The text of a value, which is shared with an equal one where that is remembered.
    pub(super) fn value_text(&mut self, text: Cow<'_, str>) -> Text {
        if text.len() > SHARED_VALUE_BYTES {
            return Text::from(text);
        }
        if self.values.is_empty() {
            self.values.resize(REMEMBERED_VALUES, None);
        }
        let known = &mut self.values[place(&text)];
        match known {
            Some(known) if **known == *text => known.clone(),
            _ => known.insert(Text::from(text)).clone(),
        }
    }

    /// The text of a key, shared while it is short and the table knows it or has room.
    pub(super) fn key_text(&mut self, text: Cow<'_, str>) -> Text {
        if text.len() > SHARED_KEY_BYTES {
            return Text::from(text);
        }
        if let Some(text) = self.keys.get(&*text) {
            return text.clone();
        }
        let text = Text::from(text);
        if self.keys.len() < SHARED_KEYS {
            self.keys.insert(text.clone());
        }
        text
    }

    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let start = self.at;
        let rest = &self.text[start..];
        let Some(end) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) else {
            return Err(self.unclosed(start));
        };
        self.at += end;
        match rest.as_bytes()[end] {
            b'"' => {
                self.at += 1;
                Ok(Cow::Borrowed(&rest[..end]))
            }
            b'\\' => self.escaped_string(start).map(Cow::Owned),
            _ => Err("hay un carácter de control sin escapar en un texto"),
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

    pub(super) fn number(&mut self) -> Result<Valor, Fault> {
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
