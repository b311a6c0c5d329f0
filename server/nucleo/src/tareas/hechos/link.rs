//! Links of one Markdown line: `[text](target)` and `![alt](target)`, and those that cannot be resolved.
//!
//! Owns the subset of Markdown that the published implementation reads, byte by byte. Resolves no target.

use super::span::{Spans, is_escaped};
use std::ops::Range;

/// A link whose text or target does not end on its line.
const INCOMPLETE: &str = "sintaxis de enlace incompleta o multilínea no admitida";

/// What was found in a line.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Targets as written, in order.
    pub targets: Vec<String>,
    /// Why something was left out.
    pub omitted: Vec<String>,
    /// What the links, and a rest of the line that could not be read, take up.
    pub covered: Spans,
}

/// Reads the links of a line whose code is `code`. `url` is a part already taken as a target of its own.
pub(super) fn links(line: &str, code: &Spans, url: Option<&Range<usize>>) -> Links {
    let bytes = line.as_bytes();
    let mut links = Links::default();
    let mut at = 0;
    while at < bytes.len() {
        let bracket = at + usize::from(bytes[at..].starts_with(b"!["));
        if code.holding(at).is_some() || bytes[bracket] != b'[' || is_escaped(bytes, bracket) {
            at += 1;
            continue;
        }
        let end = match text_end(bytes, bracket + 1, code) {
            Ok(end) => end,
            Err(reached) => {
                if reached == bytes.len() {
                    links.omitted.push(INCOMPLETE.to_owned());
                }
                at += 1;
                continue;
            }
        };
        if bytes.get(end + 1) != Some(&b'(') {
            at = end + 1;
            continue;
        }
        match target(bytes, end + 2) {
            Some((target, after)) => {
                links.targets.push(line[target].to_owned());
                links.covered.push(at..after);
                at = after;
            }
            None => {
                // Where it ends is unknown, so what follows on this line is no target either.
                links.omitted.push(INCOMPLETE.to_owned());
                links.covered.push(at..bytes.len());
                break;
            }
        }
    }
    by_key(line, |at| {
        links.covered.holding(at).is_some()
            || code.holding(at).is_some()
            || url.is_some_and(|url| url.contains(&at))
    })
    .into_iter()
    .for_each(|found| links.omitted.push(format!("enlace por referencia no resuelto: {found}")));
    links
}

/// Where the bracket that opened just before `from` closes; else where the search ended: at another
/// bracket that opens, or at the end of the line.
fn text_end(line: &[u8], from: usize, code: &Spans) -> Result<usize, usize> {
    let mut at = from;
    while at < line.len() {
        if let Some(span) = code.holding(at) {
            at = span.end;
            continue;
        }
        match line[at] {
            b']' if !is_escaped(line, at) => return Ok(at),
            b'[' if !is_escaped(line, at) => return Err(at),
            _ => at += 1,
        }
    }
    Err(at)
}

/// The target that begins at `from`, behind the parenthesis, and where the link ends.
fn target(line: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let start = skip_blanks(line, from);
    if line.get(start) == Some(&b'<') {
        let end = closing(line, start + 1, b'>')?;
        return Some((start + 1..end, link_end(line, end + 1)?));
    }
    let mut depth = 1;
    let mut at = start;
    while at < line.len() {
        match line[at] {
            // The escaped sign follows, whatever it is; all of its bytes but the first are no ASCII.
            b'\\' => at += 1,
            b' ' | b'\t' if depth == 1 => return Some((start..at, link_end(line, at)?)),
            b'(' => depth += 1,
            b')' if depth == 1 => return Some((start..at, at + 1)),
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where a link ends whose target ended at `from`: at its parenthesis, with a title in quotes before it if any.
fn link_end(line: &[u8], from: usize) -> Option<usize> {
    let mut at = skip_blanks(line, from);
    if let Some(quote @ (b'\'' | b'"')) = line.get(at).copied()
        && at > from
    {
        at = skip_blanks(line, closing(line, at + 1, quote)? + 1);
    }
    (line.get(at) == Some(&b')')).then_some(at + 1)
}

/// The next such sign that is not escaped.
fn closing(line: &[u8], from: usize, sign: u8) -> Option<usize> {
    (from..line.len()).find(|at| line[*at] == sign && !is_escaped(line, *at))
}

fn skip_blanks(line: &[u8], from: usize) -> usize {
    from + line[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Links by key, `[text][key]`, as written, unless they begin where `is_covered` says or behind a backslash.
fn by_key(line: &str, is_covered: impl Fn(usize) -> bool) -> Vec<String> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let bracket = at + usize::from(bytes[at..].starts_with(b"!["));
        if bytes[bracket] != b'[' {
            at += 1;
            continue;
        }
        match key_end(bytes, bracket) {
            Ok(end) => {
                if !is_covered(at) && !is_escaped(bytes, at) {
                    found.push(line[at..end].to_owned());
                }
                at = end;
            }
            // Brackets in between are escaped ones: from each of them the same text would end the same way.
            Err(stop) if stop > bracket + 1 && bytes[stop - 1] == b'!' => at = stop - 1,
            Err(stop) => at = stop,
        }
    }
    found
}

/// Where the link by key ends whose text opens at `bracket`; else where its text ended without a key.
fn key_end(line: &[u8], bracket: usize) -> Result<usize, usize> {
    let mut at = bracket + 1;
    loop {
        match line.get(at) {
            Some(b'\\') if at + 1 < line.len() => at += 2,
            Some(b']') => break,
            None | Some(b'\\' | b'[') => return Err(at),
            Some(_) => at += 1,
        }
    }
    if line.get(at + 1) != Some(&b'[') {
        return Err(at);
    }
    line[at + 2..].iter().position(|byte| *byte == b']').map(|length| at + 2 + length + 1).ok_or(at)
}
