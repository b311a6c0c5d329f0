//! The names of tasks: what an id is, and what may be asked for in its place.

use super::text::trim;

/// Digits of the date, a dash, digits of the hour.
const STAMP: [usize; 2] = [8, 6];

/// Where the suffix of an id begins: behind the stamp and its dash.
const SUFFIX_AT: usize = STAMP[0] + STAMP[1] + 2;

/// Whether `name` is the id of a task: `AAAAMMDD-HHMMSS`, and if anything follows, a dash and lower-case
/// ASCII letters, digits, dashes and underscores.
pub fn is_tarea_id(name: &str) -> bool {
    let mut parts = name.splitn(3, '-');
    let stamped = STAMP.iter().all(|digits| {
        parts.next().is_some_and(|part| part.len() == *digits && part.bytes().all(|b| b.is_ascii_digit()))
    });
    stamped && parts.next().is_none_or(is_suffix)
}

/// What stands behind the stamp of an id and its dash.
fn is_suffix(text: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
    !text.is_empty() && text.bytes().all(is_part)
}

/// What a task may be asked for by: its id, the beginning of it, or everything behind its stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefijo(String);

impl Prefijo {
    /// Reads one, without the white space around it; `None` when the text could be part of no name: it must
    /// open with an ASCII letter or digit and go on with those, dashes and underscores, so that no path can
    /// be written with it.
    pub fn parse(text: &str) -> Option<Prefijo> {
        let text = trim(text);
        let opens = text.bytes().next()?.is_ascii_alphanumeric();
        let goes_on = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        (opens && goes_on).then(|| Prefijo(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the id begins with it, or ends with exactly it behind the stamp.
    pub(super) fn could_mean(&self, id: &str) -> bool {
        id.starts_with(&self.0) || id.get(SUFFIX_AT..) == Some(&self.0)
    }
}
