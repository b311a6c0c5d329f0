//! Runs contract mutants: each is put into a copy of the workspace, built, and shown to every conversation.
//!
//! Owns the order of a run and the fate of a mutant. A run starts and ends with a green baseline over the same copy;
//! without both it has shown nothing and gives an error instead of results.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use super::contract::ContractMutant;
use super::replay::{Kill, Replay, Replayed, Verdict, Which};
use super::results::{Fate, Judged};
use super::workspace::Workspace;
use crate::suite::{BuildFault, Built, build_mutated};

/// What a run is made of.
pub struct Campaign<'a> {
    /// The workspace, which is copied and never written.
    pub workspace: &'a Path,
    /// What judges a build.
    pub replay: &'a dyn Replay,
    /// Whether a mutant that every conversation it names noticed is not shown to the others.
    pub named_only: bool,
    /// How many copies work at the same time; at least one.
    pub jobs: usize,
}

/// What a run reports as it goes.
#[derive(Debug)]
pub enum Event<'a> {
    /// A copy was built and this many conversations are green over it.
    Baseline(usize),
    /// One more mutant was judged.
    Judged {
        /// What became of it.
        judged: &'a Judged,
        /// How many are judged with it.
        done: usize,
        /// How many there are.
        total: usize,
    },
}

/// What a whole run gives.
#[derive(Debug)]
pub struct Finished {
    /// The conversations of the baseline, in order of name.
    pub conversations: Vec<String>,
    /// Each mutant, in the order they were given.
    pub judged: Vec<Judged>,
}

enum Message {
    Baseline(Vec<String>),
    Judged(usize, Judged),
    Broken(String),
}

impl Campaign<'_> {
    /// Runs every mutant.
    ///
    /// # Errors
    /// A copy that cannot be made, a baseline that does not build or is not green before or after, a conversation
    /// that a mutant names and the baseline did not pass.
    pub fn run(
        &self,
        mutants: &[ContractMutant],
        progress: &mut dyn FnMut(Event<'_>),
    ) -> Result<Finished, String> {
        let next = AtomicUsize::new(0);
        let mut conversations = Vec::new();
        let mut judged: Vec<Option<Judged>> = vec![None; mutants.len()];
        let (mut done, mut broken) = (0, None);
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.jobs.clamp(1, mutants.len().max(1)) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    if let Err(fault) = self.work(mutants, next, &sender) {
                        next.store(mutants.len(), Ordering::Relaxed);
                        // The receiver lives as long as this scope.
                        let _ = sender.send(Message::Broken(fault));
                    }
                });
            }
            drop(sender);
            for message in receiver {
                match message {
                    Message::Baseline(names) => {
                        progress(Event::Baseline(names.len()));
                        conversations = names;
                    }
                    Message::Judged(index, fate) => {
                        done += 1;
                        progress(Event::Judged { judged: &fate, done, total: mutants.len() });
                        judged[index] = Some(fate);
                    }
                    Message::Broken(fault) => broken = broken.take().or(Some(fault)),
                }
            }
        });
        if let Some(fault) = broken {
            return Err(fault);
        }
        let judged: Vec<_> = judged.into_iter().flatten().collect();
        if judged.len() != mutants.len() {
            return Err("a worker ended before its mutants did".to_owned());
        }
        Ok(Finished { conversations, judged })
    }

    /// One copy, one baseline, mutants until there are no more, and the baseline again.
    fn work(
        &self,
        mutants: &[ContractMutant],
        next: &AtomicUsize,
        sender: &Sender<Message>,
    ) -> Result<(), String> {
        let copy = Workspace::copy_of(self.workspace)?;
        let (binary, names) = self.baseline(&copy, mutants)?;
        // The receiver outlives every worker.
        let _ = sender.send(Message::Baseline(names));
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(index) else { break };
            let started = Instant::now();
            let mut judged = self.judge(&copy, mutant, &binary)?;
            judged.millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let _ = sender.send(Message::Judged(index, judged));
        }
        self.baseline(&copy, &[]).map(|_| ())
    }

    /// Builds the copy as it is and replays everything over it: the binary's bytes and the conversations that passed.
    fn baseline(
        &self,
        copy: &Workspace,
        mutants: &[ContractMutant],
    ) -> Result<(Vec<u8>, Vec<String>), String> {
        let server =
            build_mutated(copy.root()).map_err(|fault| format!("the baseline is not green: {fault}"))?;
        let replayed = self.replay.replay(copy.root(), &server, Which::All)?;
        let mut names = Vec::new();
        for Replayed { conversation, verdict } in replayed {
            match verdict {
                Verdict::Passed => names.push(conversation),
                Verdict::NotRun(_) => {}
                Verdict::Failed(why) | Verdict::Void(why) => {
                    return Err(format!("the baseline is not green: {conversation}: {why}"));
                }
            }
        }
        if names.is_empty() {
            return Err("the baseline is not green: it ran no conversation".to_owned());
        }
        for mutant in mutants {
            if let Some(killer) = mutant.killers.iter().find(|killer| !names.contains(killer)) {
                return Err(format!("{}: no conversation {killer:?} passed in the baseline", mutant.id));
            }
        }
        let binary = fs::read(&server.executable)
            .map_err(|error| format!("{}: {error}", server.executable.display()))?;
        Ok((binary, names))
    }

    /// What becomes of one mutant. An error is a copy that can no longer be trusted.
    fn judge(&self, copy: &Workspace, mutant: &ContractMutant, baseline: &[u8]) -> Result<Judged, String> {
        let end = |fate, kills, detail| Judged { id: mutant.id.clone(), fate, kills, detail, millis: 0 };
        let applied = match copy.apply(mutant) {
            Ok(applied) => applied,
            Err(fault) => return Ok(end(Fate::Stale, Vec::new(), fault)),
        };
        let judged = match build_mutated(copy.root()) {
            Err(BuildFault::DoesNotCompile(words)) => end(Fate::Unviable, Vec::new(), words),
            Err(fault) => return Err(fault.to_string()),
            Ok(server) => {
                let (fate, kills, mut detail) = self.shown(copy, &server, &mutant.killers)?;
                if fate == Fate::Survived && fs::read(&server.executable).is_ok_and(|bytes| bytes == baseline)
                {
                    detail.push_str("; its binary is the one without it");
                }
                end(fate, kills, detail)
            }
        };
        applied.restore()?;
        Ok(judged)
    }

    /// Shows a mutated server to the conversations.
    fn shown(&self, copy: &Workspace, server: &Built, named: &[String]) -> Result<Said, String> {
        if self.named_only {
            let said = fate(self.replay.replay(copy.root(), server, Which::Only(named))?, named);
            if said.0 == Fate::Killed {
                return Ok(said);
            }
        }
        Ok(fate(self.replay.replay(copy.root(), server, Which::First(named))?, named))
    }
}

/// A mutant's fate, who noticed it, and what else there is to say.
type Said = (Fate, Vec<Kill>, String);

/// What a replay over a mutated server says about the mutant.
fn fate(replayed: Vec<Replayed>, named: &[String]) -> Said {
    let (mut kills, mut voided) = (Vec::new(), Vec::new());
    for Replayed { conversation, verdict } in replayed {
        match verdict {
            Verdict::Failed(outcome) => kills.push(Kill { conversation, outcome }),
            Verdict::Void(why) => voided.push(format!("{conversation}: {why}")),
            Verdict::Passed | Verdict::NotRun(_) => {}
        }
    }
    kills.sort();
    let blind: Vec<_> =
        named.iter().filter(|name| kills.iter().all(|kill| &kill.conversation != *name)).cloned().collect();
    match (kills.is_empty(), voided.is_empty()) {
        (true, true) => (Fate::Survived, kills, format!("not noticed by {}", blind.join(", "))),
        (true, false) => (Fate::Void, kills, voided.join("; ")),
        (false, _) if blind.is_empty() => (Fate::Killed, kills, String::new()),
        (false, _) => (Fate::OtherKillers, kills, format!("not noticed by {}", blind.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(verdicts: &[(&str, Verdict)]) -> Vec<Replayed> {
        verdicts
            .iter()
            .map(|(name, verdict)| Replayed { conversation: (*name).to_owned(), verdict: verdict.clone() })
            .collect()
    }

    #[test]
    fn a_fate_follows_from_who_noticed() {
        let failed = || Verdict::Failed("mismatch".to_owned());
        let void = || Verdict::Void("no such file".to_owned());
        let skipped = || Verdict::NotRun("needs python3".to_owned());
        for (verdicts, expect) in [
            (vec![("a", failed()), ("b", Verdict::Passed)], Fate::Killed),
            (vec![("a", failed()), ("b", void())], Fate::Killed),
            (vec![("a", Verdict::Passed), ("b", Verdict::Passed)], Fate::Survived),
            (vec![("a", skipped()), ("b", Verdict::Passed)], Fate::Survived),
            (vec![("a", void()), ("b", void())], Fate::Void),
            (vec![("a", void()), ("b", Verdict::Passed)], Fate::Void),
            (vec![("a", Verdict::Passed), ("b", failed())], Fate::OtherKillers),
            (vec![("a", void()), ("b", failed())], Fate::OtherKillers),
        ] {
            let (fate, _, _) = fate(replayed(&verdicts), &["a".to_owned()]);
            assert_eq!(fate, expect, "{verdicts:?}");
        }
    }

    #[test]
    fn who_did_not_notice_is_named() {
        let verdicts = [("a", Verdict::Passed), ("b", Verdict::Failed("timeout".to_owned()))];
        let (_, kills, detail) = fate(replayed(&verdicts), &["a".to_owned(), "b".to_owned()]);
        assert_eq!(kills, [Kill { conversation: "b".to_owned(), outcome: "timeout".to_owned() }]);
        assert_eq!(detail, "not noticed by a");
    }
}
