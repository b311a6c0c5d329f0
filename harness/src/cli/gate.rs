//! What the gate asks of the engine: every conversation of a workspace over one server.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use crate::engine::Outcome;
use crate::gate::replay::{Replay, Replayed, Verdict, Which};
use crate::suite::{Built, Judged, Patience, Rerun, Runner, Workspace, discover, judge_all};

/// The conversations of a workspace.
pub(super) struct Corpus;

impl Replay for Corpus {
    fn replay(&self, workspace: &Path, server: &Built, which: Which<'_>) -> Result<Vec<Replayed>, String> {
        let workspace = Workspace { root: workspace.to_owned() };
        let mut entries = discover(&workspace.conversations()).map_err(|fault| fault.to_string())?;
        match which {
            Which::All => {}
            Which::First(names) => entries.sort_by_key(|entry| !names.contains(&entry.name)),
            Which::Only(names) => entries.retain(|entry| names.contains(&entry.name)),
        }
        let runner = Runner {
            target: workspace.target(&server.executable, &server.version),
            command: Rerun::default(),
            patience: Arc::new(Patience::short()),
        };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let mut replayed = Vec::with_capacity(entries.len());
        judge_all(&entries, &runner, jobs, &mut |judged| replayed.push(verdict(judged)));
        Ok(replayed)
    }
}

fn verdict(judged: Judged) -> Replayed {
    let verdict = match judged.outcome {
        Outcome::Passed => Verdict::Passed,
        Outcome::NotApplicable => Verdict::NotRun(judged.words),
        Outcome::BadFixture | Outcome::HarnessError => Verdict::Void(judged.words),
        _ => Verdict::Failed(judged.outcome.word().to_owned()),
    };
    Replayed { conversation: judged.name, verdict }
}
