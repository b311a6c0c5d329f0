//! What a round of cargo-mutants left in its folder.
//!
//! Owns the form of `mutants.json`, `outcomes.json` and the logs. Reads everything, believes nothing: that is
//! [`super::check`]'s.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::log::{self, Ended};

/// One mutant that cargo-mutants listed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Listed {
    /// Its name, with file, line and column.
    pub name: String,
    /// The file, relative to the workspace.
    pub file: String,
    /// Which operator made it.
    pub genre: String,
    /// What stands there instead.
    pub replacement: String,
    /// Where.
    pub span: Span,
}

/// A stretch of a source file, lines and columns from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Span {
    /// Its first character.
    pub start: Position,
    /// Behind its last character.
    pub end: Position,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
}

/// What one build and its tests came to.
#[derive(Clone, Debug)]
pub struct Tested {
    /// cargo-mutants' word: `Success`, `CaughtMutant`, `MissedMutant`, `Timeout`, `Unviable`, …
    pub summary: String,
    /// What the conversations printed.
    pub tests: BTreeMap<String, Ended>,
    /// The log as it stands.
    pub log: String,
    /// Seconds of every phase together.
    pub seconds: f64,
}

/// A whole round.
#[derive(Clone, Debug)]
pub struct Round {
    /// The version that made it.
    pub version: String,
    /// Every mutant that was to be run, as listed.
    pub listed: Vec<Listed>,
    /// The list as it stands, to be held against what is listed now.
    pub listing: Value,
    /// What the unmutated tree came to.
    pub baseline: Option<Tested>,
    /// What each mutant came to, by name. One name may have several.
    pub outcomes: Vec<(String, Tested)>,
    /// Whether the round came to its own end.
    pub ended: bool,
    /// The commands of the baseline, each with its arguments.
    pub commands: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct OutcomesFile {
    outcomes: Vec<OutcomeRecord>,
    end_time: Option<String>,
    cargo_mutants_version: String,
}

#[derive(Deserialize)]
struct OutcomeRecord {
    scenario: Scenario,
    summary: String,
    log_path: String,
    phase_results: Vec<Phase>,
}

#[derive(Deserialize)]
enum Scenario {
    Baseline,
    Mutant { name: String },
}

#[derive(Deserialize)]
struct Phase {
    duration: f64,
    argv: Vec<String>,
}

impl Round {
    /// Reads a folder that cargo-mutants wrote.
    ///
    /// # Errors
    /// A file that is not there or not of the form.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let text = |name: &str| {
            fs::read_to_string(folder.join(name))
                .map_err(|error| format!("{}: {name}: {error}", folder.display()))
        };
        let bad = |name: &str, error: serde_json::Error| format!("{}: {name}: {error}", folder.display());
        let listing: Value =
            serde_json::from_str(&text("mutants.json")?).map_err(|error| bad("mutants.json", error))?;
        let listed = Vec::deserialize(&listing).map_err(|error| bad("mutants.json", error))?;
        let file: OutcomesFile =
            serde_json::from_str(&text("outcomes.json")?).map_err(|error| bad("outcomes.json", error))?;
        let mut round = Self {
            version: file.cargo_mutants_version,
            listed,
            listing,
            baseline: None,
            outcomes: Vec::new(),
            ended: file.end_time.is_some(),
            commands: Vec::new(),
        };
        for record in file.outcomes {
            let log = text(&record.log_path)?;
            let outcome = Tested {
                summary: record.summary,
                tests: log::tests(&log),
                log,
                seconds: record.phase_results.iter().map(|phase| phase.duration).sum(),
            };
            match record.scenario {
                Scenario::Baseline => {
                    round.baseline = Some(outcome);
                    round.commands = record.phase_results.into_iter().map(|phase| phase.argv).collect();
                }
                Scenario::Mutant { name } => round.outcomes.push((name, outcome)),
            }
        }
        Ok(round)
    }

    /// How many mutants ended with cargo-mutants' word.
    #[must_use]
    pub fn count(&self, summary: &str) -> usize {
        self.outcomes.iter().filter(|(_, outcome)| outcome.summary == summary).count()
    }

    /// The mutants that did not compile, without line and column, in order.
    #[must_use]
    pub fn unviable(&self) -> Vec<String> {
        let unviable = self.outcomes.iter().filter(|(_, outcome)| outcome.summary == "Unviable");
        let mut names: Vec<_> = unviable.map(|(name, _)| placeless(name)).collect();
        names.sort();
        names
    }
}

/// A mutant's name without line and column, which move with every edit above it.
#[must_use]
pub fn placeless(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    let file = parts.next().unwrap_or_default();
    let number = |part: Option<&str>| part.is_some_and(|part| part.parse::<usize>().is_ok());
    match (number(parts.next()), number(parts.next()), parts.next()) {
        (true, true, Some(change)) => format!("{file}:{change}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_its_place_and_nothing_else() {
        for (name, expect) in [
            (
                "server/src/a.rs:4:19: replace s -> S with a::b()",
                "server/src/a.rs: replace s -> S with a::b()",
            ),
            ("server/src/a.rs: replace s", "server/src/a.rs: replace s"),
            ("a.rs:x:1: y", "a.rs:x:1: y"),
        ] {
            assert_eq!(placeless(name), expect);
        }
    }
}
