//! The small notations inside a line: words, quoted words, escaped bytes.

/// Splits a value at white space; a word that starts with `"` is a JSON string.
///
/// `None` where a quoted word does not close, or is followed by anything but white space.
#[must_use]
pub fn words(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = if rest.starts_with('"') {
            quoted_end(rest)?
        } else {
            rest.find(char::is_whitespace).unwrap_or(rest.len())
        };
        let word = &rest[..end];
        found.push(if word.starts_with('"') { serde_json::from_str(word).ok()? } else { word.to_owned() });
        if !rest[end..].is_empty() && !rest[end..].starts_with(char::is_whitespace) {
            return None;
        }
        rest = rest[end..].trim_start();
    }
    Some(found)
}

fn quoted_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, c)| {
        if escaped {
            escaped = false;
            return None;
        }
        escaped = c == '\\';
        (c == '"').then_some(at + 1)
    })
}

/// Writes words so that [`words`] gives them back.
#[must_use]
pub fn join(words: &[String]) -> String {
    let quote = |word: &String| {
        let plain = !word.is_empty() && !word.starts_with('"') && !word.contains(char::is_whitespace);
        if plain { word.clone() } else { format!("\"{}\"", super::message::escape(word)) }
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Decodes `\n`, `\r`, `\t`, `\\` and `\xNN`; everything else stands for its UTF-8 bytes.
///
/// `None` at any other escape.
pub(super) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = rest[at + 1..].chars().next()?;
        let mut length = 2;
        bytes.push(match escape {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            '\\' => b'\\',
            'x' => {
                length = 4;
                let digits = rest.get(at + 2..at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
                u8::from_str_radix(digits, 16).ok()?
            }
            _ => return None,
        });
        rest = &rest[at + length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}

/// Writes bytes so that [`unescape`] gives them back: printable text as it is, everything else escaped.
pub(super) fn escape_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\\' => text.push_str("\\\\"),
                ' '..='~' => text.push(c),
                c if c.is_alphanumeric() => text.push(c),
                c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| text.push_str(&format!("\\x{b:02X}"))),
            }
        }
        chunk.invalid().iter().for_each(|b| text.push_str(&format!("\\x{b:02X}")));
    }
    text
}

/// Whether a path stays inside the folder that it is relative to, written in the one way there is.
pub(super) fn is_inner_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\0', '\\'])
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_may_be_quoted() {
        let check = |text: &str, expect: Option<&[&str]>| {
            assert_eq!(
                words(text).as_deref(),
                expect.map(|e| e.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()).as_deref()
            );
        };
        check("a  b\tc", Some(&["a", "b", "c"]));
        check(r#"--x "a b" "\"" """#, Some(&["--x", "a b", "\"", ""]));
        check("", Some(&[]));
        check("\"a", None);
        check("\"a\"b", None);
    }

    #[test]
    fn bytes_have_five_escapes() {
        let check = |text: &str, expect: Option<&[u8]>| assert_eq!(unescape(text).as_deref(), expect);
        check(r"a\n\r\t\\\x00\xFf", Some(b"a\n\r\t\\\x00\xff"));
        check("é", Some("é".as_bytes()));
        check(r"\u0041", None);
        check(r"\x+1", None);
        check(r"\x1", None);
        check("\\", None);
    }

    #[test]
    fn a_path_never_leaves_its_folder() {
        for path in ["a", "a/b.c", "catálogo/x y"] {
            assert!(is_inner_path(path), "{path}");
        }
        for path in ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\\b"] {
            assert!(!is_inner_path(path), "{path}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(unescape(&escape_bytes(&bytes)), Some(bytes));
        }

        #[test]
        fn words_come_back(given: Vec<String>) {
            prop_assert_eq!(words(&join(&given)), Some(given));
        }
    }
}
