//! Bytes of a server as text that is safe to show: nothing moves the cursor, nothing is lost in silence.

/// Shows bytes: UTF-8 as it is, line feeds as line feeds, every other control character and byte as an escape.
///
/// Beyond `limit` bytes the middle is left out, and the text says how many bytes that were.
#[must_use]
pub fn visible(bytes: &[u8], limit: usize) -> String {
    if bytes.len() <= limit {
        return shown(bytes);
    }
    let head = limit.div_ceil(2);
    let tail = limit - head;
    let cut = bytes.len() - limit;
    format!("{}[… {cut} bytes left out …]{}", shown(&bytes[..head]), shown(&bytes[bytes.len() - tail..]))
}

fn shown(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push('\n'),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() || is_unseen(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

/// Characters that XML 1.0 does not allow, that turn the direction of writing or that take no place.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn controls_and_bad_bytes_are_escaped() {
        let check = |bytes: &[u8], expect: &str| assert_eq!(visible(bytes, 100), expect);
        check("añ€\u{1f600}".as_bytes(), "añ€\u{1f600}");
        check(b"a\nb\r\n\tc", "a\nb\\r\n\\tc");
        check(b"\x1b[31m\x00\x08\x7f", "\\u{1b}[31m\\u{0}\\u{8}\\u{7f}");
        check(b"a\xff\xfeb\xed\xa0\x80", "a\\xff\\xfeb\\xed\\xa0\\x80");
        check(
            "\u{feff}\u{fffe}\u{202e}\u{2067}\u{200b}\u{85}".as_bytes(),
            "\\u{feff}\\u{fffe}\\u{202e}\\u{2067}\\u{200b}\\u{85}",
        );
    }

    #[test]
    fn a_cut_is_named() {
        assert_eq!(visible(b"abcdef", 6), "abcdef");
        assert_eq!(visible(b"abcdefg", 5), "abc[… 2 bytes left out …]fg");
        assert_eq!(visible(b"abc", 0), "[… 3 bytes left out …]");
        assert_eq!(visible("éé".as_bytes(), 3), "é[… 1 bytes left out …]\\xa9");
    }
}
