//! `mutantes`: runs the contract mutants and says what killed what.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use clap::Args;

use super::{Exit, Streams};
use crate::gate::campaign::{Campaign, Event, Finished};
use crate::gate::contract::{ContractMutant, read_folder};
use crate::gate::fingerprint::Fingerprints;
use crate::gate::replay::Replay;
use crate::gate::results::{Fate, Judged, Results};

/// How many killers a row of the table names before it only counts the rest.
const NAMED_KILLERS: usize = 3;

/// Options of `mutantes`.
#[derive(Clone, Debug, Args)]
pub struct ContractArgs {
    /// Only these entries, by id; their result is shown and not kept.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub only: Vec<String>,
    /// Do not show a mutant to more conversations once all that it names have noticed; no score can be taken from it.
    #[arg(long)]
    pub named: bool,
    /// How many copies of the workspace work at the same time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Runs the contract mutants of a workspace.
pub fn contract(
    workspace: &Path,
    args: &ContractArgs,
    replay: &dyn Replay,
    streams: &mut Streams<'_>,
) -> Exit {
    match run(workspace, args, replay, streams) {
        Ok(exit) => exit,
        Err(why) => streams.void(&why),
    }
}

fn run(
    workspace: &Path,
    args: &ContractArgs,
    replay: &dyn Replay,
    streams: &mut Streams<'_>,
) -> Result<Exit, String> {
    let whole = args.only.is_empty();
    let mutants = selected(read_folder(&workspace.join("mutantes"))?, &args.only)?;
    if whole {
        Results::discard(workspace)?;
    }
    let fingerprints = Fingerprints::take_from_disk(workspace)?;
    let started = Instant::now();
    let campaign = Campaign { workspace, replay, named_only: args.named, jobs: args.jobs };
    let Finished { conversations, judged } =
        campaign.run(&mutants, &mut |event| progress(&event, streams))?;
    if Fingerprints::take_from_disk(workspace)? != fingerprints {
        return Err("the sources changed during the run".to_owned());
    }
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let results = Results { fingerprints, named_only: args.named, conversations, mutants: judged, millis };
    if whole {
        results.write(workspace)?;
    }
    let text = if args.json {
        serde_json::to_string_pretty(&results).map_err(|error| error.to_string())? + "\n"
    } else {
        table(&results, &mutants)
    };
    streams.out.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    Ok(exit(&results))
}

fn selected(all: Vec<ContractMutant>, only: &[String]) -> Result<Vec<ContractMutant>, String> {
    if let Some(unknown) = only.iter().find(|id| all.iter().all(|mutant| mutant.id != **id)) {
        return Err(format!("no contract mutant {unknown:?}"));
    }
    Ok(all.into_iter().filter(|mutant| only.is_empty() || only.contains(&mutant.id)).collect())
}

fn exit(results: &Results) -> Exit {
    let nothing_shown = |judged: &Judged| matches!(judged.fate, Fate::Stale | Fate::Unviable | Fate::Void);
    if results.green() {
        Exit::Green
    } else if results.mutants.iter().any(nothing_shown) {
        Exit::Void
    } else {
        Exit::Red
    }
}

/// One line on a terminal that follows the run; elsewhere a line for each step.
fn progress(event: &Event<'_>, streams: &mut Streams<'_>) {
    let line = match event {
        Event::Baseline(conversations) => format!("baseline: {conversations} conversations are green"),
        Event::Judged { judged, done, total } => {
            format!("[{done}/{total}] {} {}", judged.id, judged.fate.word())
        }
    };
    let lasting =
        !streams.terminal || !matches!(event, Event::Judged { judged, .. } if judged.fate == Fate::Killed);
    let (start, end) = if streams.terminal { ("\r\x1b[K", "") } else { ("", "\n") };
    let end = if lasting { "\n" } else { end };
    // Progress that nobody can see changes nothing.
    let _ = write!(streams.err, "{start}{line}{end}").and_then(|()| streams.err.flush());
    if streams.terminal && matches!(event, Event::Judged { done, total, .. } if done == total) {
        let _ = write!(streams.err, "\r\x1b[K");
    }
}

/// What killed what, the words on what was not, and a summary as its last line.
fn table(results: &Results, mutants: &[ContractMutant]) -> String {
    let kind =
        |id: &str| mutants.iter().find(|mutant| mutant.id == id).map_or("", |mutant| mutant.kind.word());
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let ids = width(&mut results.mutants.iter().map(|judged| judged.id.len()));
    let kinds = width(&mut mutants.iter().map(|mutant| mutant.kind.word().len()));
    let mut text = String::new();
    for judged in &results.mutants {
        let Judged { id, fate, detail, millis, .. } = judged;
        let seconds = *millis as f64 / 1000.0;
        let fate_word = fate.word();
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{id:ids$}  {:kinds$}  {seconds:5.1}s  {fate_word}  {}",
            kind(id),
            killers(judged)
        );
        if *fate != Fate::Killed {
            for line in detail.lines() {
                let _ = writeln!(text, "    {line}");
            }
            if let Some(mutant) = mutants.iter().find(|mutant| mutant.id == *id) {
                let _ = writeln!(text, "    {}: {}", mutant.file, mutant.sentence);
                let _ = writeln!(text, "    rerun: cargo run -p harness -- mutantes --only {id}");
            }
        }
    }
    let killed = results.mutants.iter().filter(|judged| judged.fate == Fate::Killed).count();
    let _ = writeln!(
        text,
        "contract mutants over {} conversations in {:.1} s: {killed} killed, {} not",
        results.conversations.len(),
        results.millis as f64 / 1000.0,
        results.mutants.len() - killed
    );
    text
}

fn killers(judged: &Judged) -> String {
    let named: Vec<_> = judged
        .kills
        .iter()
        .take(NAMED_KILLERS)
        .map(|kill| format!("{} ({})", kill.conversation, kill.outcome))
        .collect();
    match judged.kills.len().checked_sub(NAMED_KILLERS) {
        Some(rest) if rest > 0 => format!("{} and {rest} more", named.join(", ")),
        _ => named.join(", "),
    }
}
