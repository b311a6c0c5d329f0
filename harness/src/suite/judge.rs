//! Judges conversations through one server: each by itself, several at a time, told in their order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::discover::{Entry, EntryFault};
use super::env::is_ci;
use super::needs::first_unmet;
use super::patience::Patience;
use super::proof::Workspace;
use crate::engine::{self, Outcome, Report, Target, Unpinned};

/// A server and how a person would run it again.
#[derive(Clone, Debug)]
pub struct Runner {
    /// What conversations are replayed through.
    pub target: Target,
    /// The command without its paths: `cargo run -p harness --`, and the options behind the verb.
    pub command: Rerun,
    /// When a run over this server gives up.
    pub patience: Arc<Patience>,
}

/// The parts of the one command that runs a conversation again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rerun {
    /// What stands before the verb.
    pub program: String,
    /// Options behind the verb, each with a space in front.
    pub options: String,
}

impl Default for Rerun {
    fn default() -> Self {
        let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
        let executable = std::env::current_exe().unwrap_or_default();
        Self { program: program(&here, &Workspace::own().root, &executable), options: String::new() }
    }
}

/// What runs this program again: Cargo inside the workspace, elsewhere its executable, or Cargo over the workspace where
/// it is a library in somebody else's test.
fn program(here: &Path, workspace: &Path, executable: &Path) -> String {
    if here.starts_with(workspace) {
        return "cargo run -p harness --".to_owned();
    }
    if executable.file_stem().is_some_and(|name| name == "harness") {
        return quoted(&executable.to_string_lossy());
    }
    let manifest = quoted(&workspace.join("Cargo.toml").to_string_lossy());
    format!("cargo run --manifest-path {manifest} -p harness --")
}

/// A word as a shell takes it: bare where it can be.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Rerun {
    /// The command that runs one conversation with a verb.
    #[must_use]
    pub fn of(&self, verb: &str, path: &Path) -> String {
        format!("{} {verb}{} {}", self.program, self.options, quoted(&shown(path).to_string_lossy()))
    }
}

/// One conversation and what came of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What came of it.
    pub outcome: Outcome,
    /// What it does not pin of what was said.
    pub unpinned: Unpinned,
    /// For people: the outcome, where, why, and the command that goes on from there. Empty where it passed.
    pub words: String,
}

/// Judges one conversation; whatever breaks inside the harness is told as such.
#[must_use]
pub fn judge(entry: &Entry, runner: &Runner) -> Judged {
    let again = || Some(format!("run again: {}\n", runner.command.of("replay", &entry.path)));
    if let Some(why) = runner.patience.is_over() {
        let words = format!("harness error: {why}\n");
        let (name, path) = (entry.name.clone(), entry.path.clone());
        return Judged { name, path, outcome: Outcome::HarnessError, unpinned: Unpinned::default(), words };
    }
    let mut unpinned = Unpinned::default();
    let (outcome, words, on) = match &entry.conversation {
        Err(fault) => (Outcome::BadFixture, bad_fixture(&entry.path, fault), again()),
        Ok(conversation) => match first_unmet(&conversation.header.needs) {
            Some(need) if is_ci() => {
                let words = format!("harness error: needs {}, which CI must have\n", need.word());
                (Outcome::HarnessError, words, None)
            }
            Some(need) => (Outcome::NotApplicable, format!("needs {}", need.word()), None),
            None => {
                let name = shown(&entry.path).display().to_string();
                match catch_unwind(AssertUnwindSafe(|| engine::replay(conversation, &runner.target, &name))) {
                    Ok(report) if report.passed() => {
                        unpinned = report.unpinned;
                        (Outcome::Passed, String::new(), None)
                    }
                    Ok(report) => (report.outcome, words_of(&report), Some(go_on(entry, runner, &report))),
                    Err(_) => (Outcome::HarnessError, "harness error: it panicked\n".to_owned(), again()),
                }
            }
        },
    };
    runner.patience.note(outcome);
    let words = words + &on.unwrap_or_default();
    Judged { name: entry.name.clone(), path: entry.path.clone(), outcome, unpinned, words }
}

/// Why a file cannot run, and where.
fn bad_fixture(path: &Path, fault: &EntryFault) -> String {
    let path = shown(path);
    match fault {
        EntryFault::Format(fault) => {
            format!("bad fixture: {}:{}\n  {}\n", path.display(), fault.line, fault.words())
        }
        other => format!("bad fixture: {}\n  {other}\n", path.display()),
    }
}

/// What a report says, the outcome first: `mismatch: conversaciones/a.conv:7`.
fn words_of(report: &Report) -> String {
    let text = report.to_string();
    let outcome = report.outcome.word();
    let (place, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let place = place.strip_suffix(outcome).and_then(|place| place.strip_suffix(": ")).unwrap_or(place);
    let end = if rest.ends_with('\n') { "" } else { "\n" };
    format!("{outcome}: {place}\n{rest}{end}")
}

/// The commands that go on from a report: run it again, fill it in, or take what came.
fn go_on(entry: &Entry, runner: &Runner, report: &Report) -> String {
    let unfilled =
        entry.conversation.as_ref().is_ok_and(|conversation| conversation.first_unfilled().is_some());
    if report.outcome == Outcome::BadFixture && unfilled {
        return format!("fill in: {}\n", runner.command.of("bless", &entry.path));
    }
    let mut words = format!("run again: {}\n", runner.command.of("replay", &entry.path));
    if report.only_content_differs() {
        words.push_str(&format!("take it: {}\n", runner.command.of("bless --rebless", &entry.path)));
    }
    words
}

/// A path as a person types it: from the current folder, where it lies below.
#[must_use]
pub fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).ok();
    let full = path.canonicalize().ok();
    match (here, full) {
        (Some(here), Some(full)) => full.strip_prefix(&here).map_or(full.clone(), Path::to_owned),
        _ => path.to_owned(),
    }
}

/// Judges every entry, `jobs` at a time, and tells each in the order of the entries as soon as it can.
pub fn judge_all(entries: &[Entry], runner: &Runner, jobs: usize, tell: &mut dyn FnMut(Judged)) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, entries.len().max(1)) {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || {
                while let Some((index, entry)) = take(entries, next) {
                    // The receiver lives as long as this scope.
                    let _ = sender.send((index, judge(entry, runner)));
                }
            });
        }
        drop(sender);
        let mut early: Vec<Option<Judged>> = entries.iter().map(|_| None).collect();
        let mut due = 0;
        for (index, judged) in receiver {
            early[index] = Some(judged);
            while let Some(judged) = early.get_mut(due).and_then(Option::take) {
                tell(judged);
                due += 1;
            }
        }
    });
}

fn take<'e>(entries: &'e [Entry], next: &AtomicUsize) -> Option<(usize, &'e Entry)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    entries.get(index).map(|entry| (index, entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_one_that_runs_where_a_person_is() {
        let check = |here: &str, executable: &str, expect: &str| {
            assert_eq!(program(here.as_ref(), "/w s".as_ref(), executable.as_ref()), expect);
        };
        check("/w s/server", "/t/harness", "cargo run -p harness --");
        check("/elsewhere", "/t/harness", "/t/harness");
        check("/elsewhere", "/t x/harness", "'/t x/harness'");
        check("/elsewhere", "/t/harness-1a2b", "cargo run --manifest-path '/w s/Cargo.toml' -p harness --");
    }

    #[test]
    fn a_word_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(
            ["a/b-1.c", "a b", "it's", "", "$x"].map(quoted),
            ["a/b-1.c", "'a b'", "'it'\\''s'", "''", "'$x'"]
        );
    }
}
