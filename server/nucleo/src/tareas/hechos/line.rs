//! What one line of Markdown refers to: definitions by key, lines of notes, inline links, autolinks.

use super::fence::after_indent;
use super::link::{Links, links};
use super::span::Spans;
use crate::sintaxis::fragment::is_space;
use crate::tareas::text::skip_blanks;
use std::ops::Range;

/// Targets as written, and why something was left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Referred {
    pub targets: Vec<String>,
    pub omitted: Vec<String>,
}

/// What a line outside any fenced block refers to.
pub(super) fn referred(line: &str) -> Referred {
    if let Some(key) = definition(line) {
        let omitted = vec![format!("definición de enlace por referencia no resuelta: [{key}]: ...")];
        return Referred { targets: Vec::new(), omitted };
    }
    let code = Spans::of_code(line.as_bytes());
    let url = noted_url(line);
    let noted = url.clone().map(|span| without_angles(&line[span]).to_owned());
    let Links { targets, omitted, covered } = links(line, &code, url.as_ref());
    let autolinks = autolinks(line).into_iter().filter(|span| {
        let holds = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
        code.holding(span.start).is_none()
            && !covered.holding(span.start).is_some_and(holds)
            && !url.as_ref().is_some_and(holds)
    });
    let autolinks = autolinks.map(|span| line[span.start + 1..span.end - 1].to_owned());
    Referred { targets: noted.into_iter().chain(targets).chain(autolinks).collect(), omitted }
}

/// The key that a line defines: `[key]: target`.
fn definition(line: &str) -> Option<&str> {
    let (key, rest) = after_indent(line).strip_prefix('[')?.split_once(']')?;
    (!key.is_empty() && rest.starts_with(':')).then_some(key)
}

/// Where the target of a note's line stands: `- URL: target`.
fn noted_url(line: &str) -> Option<Range<usize>> {
    let bullet = skip_blanks(line).strip_prefix(['-', '*'])?;
    let text = skip_blanks(bullet);
    if text.len() == bullet.len() {
        return None;
    }
    let target = skip_blanks(skip_blanks(text.strip_prefix("URL")?).strip_prefix(':')?);
    let start = line.len() - target.len();
    let length = target.find(is_space).unwrap_or(target.len());
    (length > 0).then_some(start..start + length)
}

fn without_angles(target: &str) -> &str {
    target.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(target)
}

/// Targets in angles that are remote by their scheme, with the angles.
fn autolinks(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    // Where the next target would have to end: looked for once, however many angles open before it.
    let mut stop = 0;
    while let Some(next) = line[at..].find('<') {
        let start = at + next;
        at = start + 1;
        let Some(body) = behind_scheme(&line[start..]).map(|length| start + length) else { continue };
        if stop < body {
            stop = line[body..].find(['>', ' ', '\t', '\r', '\n']).map_or(line.len(), |length| body + length);
        }
        if stop > body && line[stop..].starts_with('>') {
            at = stop + 1;
            found.push(start..at);
        }
    }
    found
}

/// How much of `text` an angle and a remote scheme take up.
fn behind_scheme(text: &str) -> Option<usize> {
    let scheme = text.get(1..5).filter(|scheme| scheme.eq_ignore_ascii_case("http"))?;
    let rest = &text[1 + scheme.len()..];
    // Without regard to case, the long s is an s too.
    let rest = rest.strip_prefix(['s', 'S', 'ſ']).unwrap_or(rest).strip_prefix("://")?;
    Some(text.len() - rest.len())
}
