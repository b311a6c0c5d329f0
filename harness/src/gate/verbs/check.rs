//! `gate check`: reads what a round left, objects or writes the score.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::Value;

use super::{Exit, Streams};
use crate::gate::check::{Evidence, Objection, Purpose, objections};
use crate::gate::contract::read_folder;
use crate::gate::corpus;
use crate::gate::fingerprint::{self, Fingerprints};
use crate::gate::matrix::{self, MATRIX};
use crate::gate::report;
use crate::gate::results::Results;
use crate::gate::round::Round;
use crate::gate::scoreboard::{SCOREBOARD, Score};

/// The reviewed unviable mutants, relative to the workspace: one name a line, `#` for the reason.
pub const REVIEWED: &str = "mutantes/unviable.txt";

/// Options of `gate check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The folder that cargo-mutants wrote.
    #[arg(default_value = "mutants.out")]
    pub folder: PathBuf,
    /// Hold the published score against this round instead of writing it.
    #[arg(long)]
    pub compare: bool,
    /// The round was a part (`--in-diff`, `--shard`): check it, and leave the score alone.
    #[arg(long, conflicts_with = "compare")]
    pub part: bool,
}

impl CheckArgs {
    fn purpose(&self) -> Purpose {
        match (self.part, self.compare) {
            (true, _) => Purpose::Part,
            (false, true) => Purpose::Compare,
            (false, false) => Purpose::Publish,
        }
    }
}

/// Checks the last round of a workspace.
pub fn check(workspace: &Path, args: &CheckArgs, streams: &mut Streams<'_>) -> Exit {
    match run(workspace, args, streams) {
        Ok(exit) => exit,
        Err(why) => streams.void(&why),
    }
}

fn run(workspace: &Path, args: &CheckArgs, streams: &mut Streams<'_>) -> Result<Exit, String> {
    let round = Round::read(&workspace.join(&args.folder))?;
    let recorded = corpus::recorded(workspace)?;
    let entries = read_folder(&workspace.join("mutantes"))?;
    let contract = Results::read(workspace);
    let noticed = matrix::noticed(&round, contract.as_ref().ok(), &recorded);
    let conversations: Vec<_> = recorded.iter().map(|recorded| recorded.name.clone()).collect();
    let found = objections(&Evidence {
        purpose: args.purpose(),
        round: &round,
        listing: &listing(workspace)?,
        conversations: &conversations,
        idle: &matrix::idle(&noticed, &recorded),
        reviewed: &reviewed(&workspace.join(REVIEWED))?,
        contract: contract.as_ref().map_err(String::as_str),
        entries: &entries.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>(),
        fingerprints: &Fingerprints::take_from_disk(workspace)?,
        untracked: &fingerprint::untracked(workspace),
    });
    let page =
        report::report(workspace, &round, &entries, contract.as_ref().ok(), &recorded)?.write(workspace)?;
    let mut words = vec![page, times(&round, contract.as_ref().ok())];
    let exit = match objected(&found) {
        Some(text) => {
            words.push(text);
            Exit::Red
        }
        None if args.part => {
            words.push("this part of the gate is green".to_owned());
            Exit::Green
        }
        None => {
            let fingerprints = Fingerprints::take(workspace)?;
            let matrix = matrix::render(&noticed, &recorded, &fingerprints);
            let score = Score {
                fingerprints,
                conversations: conversations.len(),
                caught: round.count("CaughtMutant"),
                unviable: round.count("Unviable"),
                contract: entries.len(),
            };
            publish(workspace, args.compare, &score, &matrix, &mut words)?
        }
    };
    for word in words {
        writeln!(streams.out, "{word}").map_err(|error| error.to_string())?;
    }
    Ok(exit)
}

/// What cargo-mutants lists for the tree as it is now, in the form of `mutants.json`.
fn listing(workspace: &Path) -> Result<Value, String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["mutants", "--package", "server", "--list", "--json", "--diff"])
        .current_dir(workspace)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo mutants --list: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo mutants --list: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo mutants --list: {error}"))
}

/// The reviewed unviable mutants. No file: none was reviewed.
fn reviewed(path: &Path) -> Result<Vec<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let names = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            Ok(names.map(str::to_owned).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn objected(found: &[Objection]) -> Option<String> {
    if found.is_empty() {
        return None;
    }
    let lines: Vec<_> = found.iter().map(|objection| format!("objection: {objection}")).collect();
    Some(format!("{}\nthe gate is red: {} objections", lines.join("\n"), found.len()))
}

fn times(round: &Round, contract: Option<&Results>) -> String {
    let per = |seconds: f64, count: usize| seconds / count.max(1) as f64;
    let seconds: f64 = round.outcomes.iter().map(|(_, outcome)| outcome.seconds).sum();
    let mut text = format!(
        "cargo-mutants: {} caught, {} missed, {} timed out, {} unviable; {:.2} s each",
        round.count("CaughtMutant"),
        round.count("MissedMutant"),
        round.count("Timeout"),
        round.count("Unviable"),
        per(seconds, round.outcomes.len())
    );
    if let Some(results) = contract {
        let seconds = results.mutants.iter().map(|judged| judged.millis as f64 / 1000.0).sum();
        text.push_str(&format!(
            "\ncontract mutants: {}; {:.2} s each",
            results.mutants.len(),
            per(seconds, results.mutants.len())
        ));
    }
    text
}

/// Writes the score and the matrix, or holds the published score against this one.
fn publish(
    workspace: &Path,
    compare: bool,
    score: &Score,
    matrix: &str,
    words: &mut Vec<String>,
) -> Result<Exit, String> {
    let page = score.render();
    let path = workspace.join(SCOREBOARD);
    if compare {
        let published = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if published != page {
            words.push(format!(
                "the gate is red: {SCOREBOARD} is not this round's score; run ci/gate and commit what it writes"
            ));
            return Ok(Exit::Red);
        }
    } else {
        fs::write(&path, &page).map_err(|error| format!("{SCOREBOARD}: {error}"))?;
        fs::write(workspace.join(MATRIX), matrix).map_err(|error| format!("{MATRIX}: {error}"))?;
        words.push(format!("wrote {SCOREBOARD} and {MATRIX}"));
    }
    words.push(format!(
        "the gate is green: {} caught, {} unviable and reviewed, {} contract mutants killed",
        score.caught, score.unviable, score.contract
    ));
    Ok(Exit::Green)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reviewed_names_stand_one_a_line_between_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unviable.txt");
        assert_eq!(reviewed(&path), Ok(Vec::new()));
        fs::write(&path, "# why\na: b\n\n  c: d\n").unwrap();
        assert_eq!(reviewed(&path), Ok(vec!["a: b".to_owned(), "c: d".to_owned()]));
    }

    #[test]
    fn a_published_score_is_compared_and_a_new_one_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("mutantes")).unwrap();
        let print = |text: &str| text.to_owned();
        let fingerprints =
            Fingerprints { server: print("1"), conversations: print("2"), mutants: print("3") };
        let score = |caught| Score {
            fingerprints: fingerprints.clone(),
            conversations: 1,
            caught,
            unviable: 0,
            contract: 1,
        };
        let publish =
            |compare, caught| publish(folder.path(), compare, &score(caught), "matrix", &mut Vec::new());
        assert_eq!(publish(true, 1), Ok(Exit::Red));
        assert_eq!(publish(false, 1), Ok(Exit::Green));
        assert_eq!(publish(true, 1), Ok(Exit::Green));
        assert_eq!(publish(true, 2), Ok(Exit::Red));
    }
}
