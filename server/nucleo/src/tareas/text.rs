//! Text as the format of the tracker understands it: lines, blanks, decimal digits, lower case.
//!
//! Unicode throughout, by the rules that the published implementation's language gives them.

use crate::sintaxis::fragment::{is_space, lines_with_ends, without_end};
use crate::valor::Integer;

/// The lines of a text, without their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    lines_with_ends(text).map(without_end)
}

/// The text without white space around it.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Whether nothing but white space stands there.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// What `text` goes on with behind its spaces and tabs.
pub(super) fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// The pieces of a list with commas, without white space around them.
pub(super) fn pieces(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(trim)
}

/// Zeros of the decimal digits, each followed by its nine others. General category `Nd` of Unicode 14.
const ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
    0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
    0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066,
    0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950,
    0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6,
    0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// The value of a decimal digit of any script.
pub(super) fn decimal(c: char) -> Option<u8> {
    let code = u32::from(c);
    let after = ZEROS.partition_point(|zero| *zero <= code);
    let digit = code - ZEROS[after.checked_sub(1)?];
    u8::try_from(digit).ok().filter(|digit| *digit < 10)
}

/// Longest integer that is read, in digits, leading zeros among them.
const INTEGER_DIGITS: usize = 4300;

/// An integer: a sign if any, digits of any script, single underscores between them.
pub(super) fn integer(text: &str) -> Option<Integer> {
    let (negative, digits) = match text.strip_prefix(['+', '-']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let mut plain = String::from(if negative { "-" } else { "" });
    let mut count = 0;
    for group in digits.split('_') {
        if group.is_empty() {
            return None;
        }
        for c in group.chars() {
            plain.push(char::from(b'0' + decimal(c)?));
            count += 1;
        }
    }
    if count > INTEGER_DIGITS { None } else { Integer::parse(&plain) }
}
