//! What must hold between the steps of one conversation: their order, their groups, the names they share.

use super::fault::{Fault, FaultKind};
use super::placeholder::{self, Piece, Placeholder};
use super::{Action, Fingerprint, Step};

/// Checks the steps together.
pub(super) fn steps(steps: &[Step]) -> Result<(), Fault> {
    order(steps)?;
    groups(steps)?;
    names(steps)
}

/// Nothing is sent behind `eof`, nothing is read behind `hangup`, and only `stderr` stands behind the one end.
fn order(steps: &[Step]) -> Result<(), Fault> {
    let (mut eof, mut hangup, mut end) = (false, false, None);
    for step in steps {
        let word = word(&step.action);
        let after = match (&step.action, end) {
            (Action::Stderr(_), _) => None,
            (_, Some(end)) => Some(end),
            (Action::Send(_) | Action::SendRaw(_) | Action::Fill { .. } | Action::Eof, _) if eof => {
                Some("eof")
            }
            (Action::Expect(_) | Action::ExpectUnordered(_) | Action::Hangup, _) if hangup => Some("hangup"),
            _ => None,
        };
        if let Some(after) = after {
            return Err(Fault::new(step.line, FaultKind::TooLate { step: word, after }));
        }
        match step.action {
            Action::Eof => eof = true,
            Action::Hangup => hangup = true,
            Action::Exit(_) | Action::Signal(_) => end = Some(word),
            _ => {}
        }
    }
    match (end, steps.last()) {
        (None, Some(last)) => Err(Fault::new(last.line, FaultKind::NoEnd)),
        _ => Ok(()),
    }
}

/// Without another `<~` in the file, nothing can come in another order.
fn groups(steps: &[Step]) -> Result<(), Fault> {
    let mut unordered = steps.iter().filter(|step| matches!(step.action, Action::ExpectUnordered(_)));
    match (unordered.next(), unordered.next()) {
        (Some(alone), None) => Err(Fault::new(alone.line, FaultKind::GroupOfOne)),
        _ => Ok(()),
    }
}

/// A name that a `let` or a kept value has, its line, and whether something uses it.
struct Name {
    name: String,
    line: usize,
    used: bool,
}

fn names(steps: &[Step]) -> Result<(), Fault> {
    let mut names: Vec<Name> = Vec::new();
    for step in steps {
        let fault = |kind| Fault::new(step.line, kind);
        let mut given = Vec::new();
        if let Some((text, is_message)) = text(&step.action) {
            for piece in placeholder::pieces(text).map_err(|e| fault(FaultKind::Placeholder(e)))? {
                let Piece::Placeholder(placeholder) = piece else { continue };
                match &placeholder {
                    Placeholder::Named(name) => match names.iter_mut().find(|known| known.name == *name) {
                        Some(known) => known.used = true,
                        None => return Err(fault(FaultKind::UndefinedName(name.clone()))),
                    },
                    Placeholder::Text | Placeholder::Loose(_) if !is_message => {
                        return Err(fault(FaultKind::NotHere(placeholder.to_string())));
                    }
                    Placeholder::Loose(loose) => given.extend(loose.name.clone()),
                    _ => {}
                }
            }
            if is_message {
                placeholder::Pattern::of(text, &mut |_| Ok(String::new()))
                    .and_then(|pattern| pattern.filled(&[]))
                    .map_err(|e| fault(FaultKind::Placeholder(e)))?;
            }
        }
        if let Action::Let { name, .. } = &step.action {
            given.push(name.clone());
        }
        for name in given {
            let taken = Placeholder::is_reserved(&name)
                || names.iter().any(|known| known.name == name)
                || !placeholder::is_name(&name);
            if taken {
                return Err(fault(FaultKind::TakenName(name)));
            }
            names.push(Name { name, line: step.line, used: false });
        }
    }
    // An answer that is not filled in yet may come to use any of them.
    let unfilled =
        steps.iter().any(|step| matches!(step.action, Action::Expect(None) | Action::ExpectUnordered(None)));
    match names.iter().find(|name| !name.used && !unfilled) {
        Some(unused) => Err(Fault::new(unused.line, FaultKind::UnusedName(unused.name.clone()))),
        None => Ok(()),
    }
}

/// The text of a step that may hold placeholders, and whether it is an expected message.
fn text(action: &Action) -> Option<(&str, bool)> {
    match action {
        Action::Expect(message) | Action::ExpectUnordered(message) => {
            message.as_deref().map(|message| (message, true))
        }
        Action::Send(text)
        | Action::Await(text)
        | Action::Stderr(text)
        | Action::Let { over: Fingerprint::Canonical(text), .. } => Some((text, false)),
        _ => None,
    }
}

fn word(action: &Action) -> &'static str {
    match action {
        Action::Send(_) => ">",
        Action::SendRaw(_) => ">raw",
        Action::Fill { .. } => ">fill",
        Action::Expect(_) => "<",
        Action::ExpectUnordered(_) => "<~",
        Action::Let { .. } => "let",
        Action::Write { .. } => "write",
        Action::Remove(_) => "remove",
        Action::Touch(_) => "touch",
        Action::Await(_) => "await",
        Action::Open(_) => "open",
        Action::Eof => "eof",
        Action::Hangup => "hangup",
        Action::Kill(_) => "kill",
        Action::Exit(_) => "exit",
        Action::Signal(_) => "signal",
        Action::Stderr(_) => "stderr",
    }
}
