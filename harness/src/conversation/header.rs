//! Reads the header: comment lines, then `key: value` lines, then `---`.

use super::fault::{Fault, FaultKind, SUMMARY_LIMIT};
use super::placeholder::{self, Piece, Placeholder};
use super::words::{is_inner_path, words};
use super::{Header, Need};

/// The longest deadline that a header may ask for: ten minutes.
const DEADLINE_LIMIT_MS: u64 = 600_000;

/// Reads the header from the file's lines.
///
/// Gives it with the number of lines it takes, the `---` line included.
pub(super) fn read(lines: &[&str]) -> Result<(Header, usize), Fault> {
    let mut header = Header::default();
    let mut at = 0;
    while let Some(comment) = lines.get(at).and_then(|line| line.strip_prefix('#')) {
        header.comment.push(comment_text(comment).ok_or_else(|| Fault::new(at + 1, FaultKind::BadComment))?);
        at += 1;
    }
    let summary = header.comment.first().filter(|text| !text.trim().is_empty());
    let length = summary.ok_or_else(|| Fault::new(1, FaultKind::NoSummary))?.chars().count();
    if length > SUMMARY_LIMIT {
        return Err(Fault::new(1, FaultKind::LongSummary(length)));
    }
    let mut seen = Vec::new();
    loop {
        let line = *lines.get(at).ok_or_else(|| Fault::new(lines.len().max(1), FaultKind::NoSeparator))?;
        if line == "---" {
            header.source = lines[..at].iter().flat_map(|line| [*line, "\n"]).collect();
            return Ok((header, at + 1));
        }
        let number = at + 1;
        let (key, value) = line
            .split_once(':')
            .filter(|(key, _)| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
            .ok_or_else(|| Fault::new(number, FaultKind::BadHeaderLine(line.to_owned())))?;
        if seen.contains(&key) {
            return Err(Fault::new(number, FaultKind::RepeatedKey(key.to_owned())));
        }
        seen.push(key);
        let mut value = value.to_owned();
        at += 1;
        while let Some(more) = lines.get(at).filter(|line| line.starts_with([' ', '\t'])) {
            value.push(' ');
            value.push_str(more.trim());
            at += 1;
        }
        set(&mut header, key, value.trim()).map_err(|kind| Fault::new(number, kind))?;
    }
}

/// A comment line without its `#` and one space; `None` where the space is missing.
pub(super) fn comment_text(after_hash: &str) -> Option<String> {
    match after_hash.strip_prefix(' ') {
        Some(text) => Some(text.to_owned()),
        None if after_hash.is_empty() => Some(String::new()),
        None => None,
    }
}

fn set(header: &mut Header, key: &str, value: &str) -> Result<(), FaultKind> {
    match key {
        "covers" => header.covers = list("covers", value, "ids of requisitos.toml, with commas between")?,
        "project" => {
            if !is_inner_path(value) {
                return Err(bad("project", value, "a folder under proyectos/"));
            }
            header.project = Some(value.to_owned());
        }
        "args" => header.args = arguments("args", value)?,
        "arguments" => header.arguments = Some(arguments("arguments", value)?),
        "needs" => header.needs = needs(value)?,
        "deadline_ms" => {
            let deadline = value.parse().ok().filter(|ms| (1..=DEADLINE_LIMIT_MS).contains(ms));
            let takes = "milliseconds, from 1 to 600000";
            header.deadline_ms = Some(deadline.ok_or_else(|| bad("deadline_ms", value, takes))?);
        }
        "large" => {
            if value != "yes" {
                return Err(bad("large", value, "`yes`"));
            }
            header.large = true;
        }
        "spacing" => {
            if value != "free" {
                return Err(bad("spacing", value, "`free`"));
            }
            header.spacing_free = true;
        }
        _ => return Err(FaultKind::UnknownKey(key.to_owned())),
    }
    if header.arguments.is_some() && !header.args.is_empty() {
        return Err(FaultKind::ArgsAndArguments);
    }
    Ok(())
}

fn bad(key: &'static str, value: &str, takes: &'static str) -> FaultKind {
    FaultKind::BadValue { key, value: value.to_owned(), takes }
}

/// Words between commas that differ from each other; at least one.
fn list(key: &'static str, value: &str, takes: &'static str) -> Result<Vec<String>, FaultKind> {
    if value.is_empty() {
        return Err(FaultKind::EmptyValue(key));
    }
    let found: Vec<_> = value.split(',').map(|word| word.trim().to_owned()).collect();
    let is_id = |word: &String| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    let repeated = found.iter().enumerate().any(|(at, word)| found[..at].contains(word));
    if repeated || !found.iter().all(is_id) {
        return Err(bad(key, value, takes));
    }
    Ok(found)
}

fn needs(value: &str) -> Result<Vec<Need>, FaultKind> {
    let takes = "python3, landlock or git, with commas between";
    list("needs", value, takes)?
        .iter()
        .map(|word| {
            Need::ALL.into_iter().find(|need| need.word() == word).ok_or_else(|| bad("needs", value, takes))
        })
        .collect()
}

fn arguments(key: &'static str, value: &str) -> Result<Vec<String>, FaultKind> {
    let found =
        words(value).ok_or_else(|| bad(key, value, "words, those with white space in double quotes"))?;
    if found.is_empty() && key == "args" {
        return Err(FaultKind::EmptyValue(key));
    }
    for word in &found {
        for piece in placeholder::pieces(word).map_err(FaultKind::Placeholder)? {
            match piece {
                Piece::Literal(_)
                | Piece::Placeholder(Placeholder::Project | Placeholder::Scratch | Placeholder::Braces) => {}
                Piece::Placeholder(other) => return Err(FaultKind::NotHere(other.to_string())),
            }
        }
    }
    Ok(found)
}
