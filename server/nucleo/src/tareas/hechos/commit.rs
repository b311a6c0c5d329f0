//! One commit, read by the tracker's convention: `<id>: resumen`, and `<id>: done` for the one that closes.
//!
//! States what the subject names and whether that task exists. Whether it should is a measure's to say.

use crate::sintaxis::fragment::is_space;
use crate::tareas::git::Subject;
use crate::tareas::text::{decimal, trim};
use crate::valor::Valor;
use std::collections::BTreeMap;

/// The summary of the commit that closes a task.
const CLOSING: &str = "done";

/// One row of `commit_seguimiento`.
#[derive(Debug)]
pub(super) struct Commit {
    subject: Subject,
    /// The task that the subject names.
    names: Option<Named>,
}

#[derive(Debug)]
struct Named {
    tarea: String,
    /// Absent when no such task exists.
    estado: Option<String>,
    closes: bool,
}

impl Commit {
    /// Reads a subject against the tasks there are, with their states.
    pub fn of(subject: Subject, estados: &BTreeMap<&str, &str>) -> Commit {
        let names = named(&subject.asunto).map(|(tarea, summary)| Named {
            tarea: tarea.to_owned(),
            estado: estados.get(tarea).map(|estado| (*estado).to_owned()),
            closes: trim(summary) == CLOSING,
        });
        Commit { subject, names }
    }

    pub fn row(&self) -> Valor {
        let named = self.names.as_ref();
        let estado = named.and_then(|named| named.estado.as_deref());
        Valor::map([
            ("sha", Valor::from(&*self.subject.sha)),
            ("asunto", Valor::from(&*self.subject.asunto)),
            ("nombra_tarea", Valor::from(named.is_some())),
            ("tarea_nombrada", Valor::from(named.map_or("", |named| &named.tarea))),
            ("tarea_existe", Valor::from(estado.is_some())),
            ("estado_de_la_tarea", Valor::from(estado.unwrap_or_default())),
            ("es_cierre", Valor::from(named.is_some_and(|named| named.closes))),
        ])
    }
}

/// The task that a subject names, and its summary.
fn named(subject: &str) -> Option<(&str, &str)> {
    let (before, after) = subject.split_once(':')?;
    let rest = digits(digits(before, 8)?.strip_prefix('-')?, 6)?;
    let is_part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let ends = rest.is_empty()
        || rest.strip_prefix('-').is_some_and(|suffix| !suffix.is_empty() && suffix.bytes().all(is_part));
    ends.then(|| (before, after.trim_start_matches(is_space)))
}

/// What follows behind that many digits.
fn digits(text: &str, count: usize) -> Option<&str> {
    let end = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let (digits, rest) = text.split_at(end);
    let whole = digits.chars().count() == count && digits.chars().all(|c| decimal(c).is_some());
    whole.then_some(rest)
}
