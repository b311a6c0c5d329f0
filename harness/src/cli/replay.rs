//! `replay`: a line per conversation, what is wrong with those that failed, and a summary.

use std::num::NonZeroUsize;
use std::thread;

use serde_json::json;

use super::progress::Progress;
use super::{Exit, Streams, server};
use crate::engine::{Outcome, Unpinned};
use crate::suite::{Judged, Workspace, judge_all, select, shown};

/// Options of `replay`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ReplayArgs {
    #[command(flatten)]
    server: server::ServerArgs,
    /// One JSON object per conversation and one for the summary, a line each.
    #[arg(long)]
    json: bool,
    /// How many conversations run at the same time; as many as there are cores without it.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// How many conversations ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Summary {
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Of the failed ones, those where the harness is at fault.
    harness: usize,
    /// What those that passed do not pin.
    unpinned: Unpinned,
}

impl Summary {
    fn add(&mut self, outcome: Outcome, unpinned: Unpinned) {
        self.unpinned += unpinned;
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::NotApplicable => self.skipped += 1,
            _ => self.failed += 1,
        }
        self.harness += usize::from(outcome == Outcome::HarnessError);
    }

    /// A fault of the harness never reads as a fault of the server, and nothing but skips shows nothing.
    fn exit(self) -> Exit {
        match self {
            Self { harness: 1.., .. } => Exit::Void,
            Self { failed: 1.., .. } => Exit::Failed,
            Self { passed: 1.., .. } => Exit::Passed,
            _ => Exit::Void,
        }
    }
}

/// Replays what the options name.
pub(super) fn run(workspace: &Workspace, args: &ReplayArgs, streams: &mut Streams<'_>) -> Exit {
    let entries = match select(&args.server.folder(workspace), &args.server.paths) {
        Ok(entries) => entries,
        Err(fault) => return streams.void(&fault.to_string()),
    };
    let mut progress = Progress::new(streams.terminal);
    progress.show(streams.err, args.server.starting());
    let runner = args.server.runner(workspace);
    progress.clear(streams.err);
    let runner = match runner {
        Ok(runner) => runner,
        Err(why) => return streams.void(&why),
    };
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let mut summary = Summary::default();
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let mut failures = Vec::new();
    let mut done = 0;
    judge_all(&entries, &runner, jobs, &mut |judged| {
        summary.add(judged.outcome, judged.unpinned);
        progress.clear(streams.err);
        streams.say(&if args.json { json_line(&judged) } else { line(&judged, width) });
        done += 1;
        progress.show(streams.err, &format!("{done} of {}", entries.len()));
        if !matches!(judged.outcome, Outcome::Passed | Outcome::NotApplicable) {
            failures.push(judged);
        }
    });
    progress.clear(streams.err);
    let Summary { passed, failed, skipped, unpinned, .. } = summary;
    if args.json {
        let counts =
            json!({"passed": passed, "failed": failed, "skipped": skipped, "unpinned": json_of(unpinned)});
        streams.say(&json!({"summary": counts}).to_string());
        return summary.exit();
    }
    for judged in &failures {
        streams.say(&format!("\n---- {} ----\n{}", judged.name, judged.words.trim_end()));
    }
    let unpinned = if unpinned.places > 0 { format!("; not pinned: {unpinned}") } else { String::new() };
    streams.say(&format!("\n{passed} passed, {failed} failed, {skipped} skipped{unpinned}"));
    summary.exit()
}

/// `name  outcome`, and the reason of a skip.
fn line(judged: &Judged, width: usize) -> String {
    let Judged { name, outcome, words, .. } = judged;
    let reason = if *outcome == Outcome::NotApplicable { format!(": {words}") } else { String::new() };
    format!("{name:width$}  {}{reason}", outcome.word())
}

fn json_line(judged: &Judged) -> String {
    let Judged { name, path, outcome, unpinned, words } = judged;
    json!({
        "name": name,
        "path": shown(path).to_string_lossy(),
        "outcome": outcome.word(),
        "words": words,
        "unpinned": json_of(*unpinned),
    })
    .to_string()
}

fn json_of(unpinned: Unpinned) -> serde_json::Value {
    json!({"places": unpinned.places, "bytes": unpinned.bytes})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_says_what_was_shown() {
        let check = |outcomes: &[Outcome], expect: Exit| {
            let mut summary = Summary::default();
            outcomes.iter().for_each(|outcome| summary.add(*outcome, Unpinned::default()));
            assert_eq!(summary.exit(), expect, "{outcomes:?}");
        };
        check(&[Outcome::Passed, Outcome::NotApplicable], Exit::Passed);
        check(&[Outcome::Passed, Outcome::Mismatch], Exit::Failed);
        check(&[Outcome::Passed, Outcome::BadFixture], Exit::Failed);
        check(&[Outcome::Mismatch, Outcome::HarnessError], Exit::Void);
        check(&[Outcome::NotApplicable], Exit::Void);
        check(&[], Exit::Void);
    }
}
