//! Whether a round can be believed, and what it says.
//!
//! Owns every reason to object. A gate is green when there is none; a round that ran nothing, ran something else or
//! killed by accident must not get there. Reads values only: what they are taken from is [`super::verbs`]' business.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::CARGO_MUTANTS_VERSION;
use super::fingerprint::Fingerprints;
use super::log::Ended;
use super::results::{Fate, Judged, Results};
use super::round::{Round, Tested};
use crate::engine::Outcome;
use crate::suite::ENOUGH_FAILED;

/// The gate's configuration, relative to the workspace.
const CONFIGURATION: &str = ".cargo/mutants.toml";

/// What the configuration adds to every command of a round.
const CONFIGURED: [&str; 2] = ["--profile=mutants", "--locked"];

/// Everything a verdict over the gate rests on.
pub struct Evidence<'a> {
    /// What the verdict is for.
    pub purpose: Purpose,
    /// What cargo-mutants left.
    pub round: &'a Round,
    /// What cargo-mutants lists for the tree as it is now.
    pub listing: &'a Value,
    /// The conversations that the folder holds, by the names of their tests.
    pub conversations: &'a [String],
    /// The conversations that notice no mutant and pin no statement of their own.
    pub idle: &'a [String],
    /// The unviable mutants that somebody reviewed, without line and column, in order.
    pub reviewed: &'a [String],
    /// The last run of the contract mutants, or why there is none.
    pub contract: Result<&'a Results, &'a str>,
    /// The ids of the contract mutants that the folder holds.
    pub entries: &'a [String],
    /// What lies on disk now.
    pub fingerprints: &'a Fingerprints,
    /// Files that count and that version control does not know.
    pub untracked: &'a [String],
}

/// What a verdict over a round is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A score and a matrix are written from it: every mutant has to have been shown to every conversation.
    Publish,
    /// The published score is held against it: one conversation that noticed is enough.
    Compare,
    /// It was asked for a part of the mutants only (changed lines, a shard): what the rest of them and the contract
    /// mutants say is not held against it.
    Part,
}

/// One reason why the gate is not green.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// The round was made by another version than every figure here.
    OtherVersion(String),
    /// The round did not come to its end.
    BrokenOff,
    /// The round ran without its configuration.
    NotConfigured,
    /// The round has no baseline.
    NoBaseline,
    /// The unmutated tree was not green.
    BaselineNotGreen(String),
    /// The baseline was taken on other sources than lie here.
    BaselineOfOtherSources,
    /// A conversation of the folder did not pass in the baseline: it was not there, ignored, or failed.
    NotInBaseline(String),
    /// The folder holds no conversation.
    NoConversation,
    /// Nothing was mutated.
    NoMutant,
    /// What the round mutated is not what there is to mutate now.
    StaleList,
    /// A mutant was listed and has no verdict.
    NoVerdict(String),
    /// A verdict that no listed mutant asks for.
    UnaskedVerdict(String),
    /// No conversation noticed a mutant.
    Missed(String),
    /// A mutant stopped the round's clock: no conversation noticed it in time.
    TimedOut(String),
    /// A summary that is no verdict.
    UnknownSummary(String, String),
    /// A mutant counts as caught and no conversation failed.
    KillWithoutConversation(String),
    /// A mutant counts as caught only because conversations could not be run.
    VoidKill(String),
    /// A mutant that does not compile and that nobody reviewed.
    UnviableNotReviewed(String),
    /// A reviewed mutant that compiles now, or is gone.
    ReviewedButViable(String),
    /// There is no usable run of the contract mutants.
    NoContractRun(String),
    /// The run of the contract mutants was taken on other sources.
    StaleContractRun,
    /// The run of the contract mutants left some out, or knew others.
    OtherContractMutants,
    /// Mutants were not shown to every conversation, so there is no matrix to write.
    CutShort,
    /// A contract mutant that was not killed as its entry says.
    ContractMutant(String, Fate, String),
    /// A conversation that notices no mutant and pins no statement of its own.
    Idle(String),
    /// A file that counts and that version control does not know.
    Untracked(String),
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherVersion(version) => {
                write!(f, "the round was made by cargo-mutants {version}, not {CARGO_MUTANTS_VERSION}")
            }
            Self::BrokenOff => write!(f, "the round broke off before its end"),
            Self::NotConfigured => {
                write!(
                    f,
                    "the round ran without {CONFIGURATION}: its commands lack {}",
                    CONFIGURED.join(" or ")
                )
            }
            Self::NoBaseline => write!(f, "the round has no baseline"),
            Self::BaselineNotGreen(summary) => write!(f, "the baseline ended in {summary}, not Success"),
            Self::BaselineOfOtherSources => {
                write!(f, "the baseline was not taken on the sources and conversations that lie here")
            }
            Self::NotInBaseline(name) => write!(f, "the baseline did not pass the conversation {name}"),
            Self::NoConversation => write!(f, "there is no conversation"),
            Self::NoMutant => write!(f, "the round mutated nothing"),
            Self::StaleList => {
                write!(f, "the round mutated another tree, or part of it: its list is not today's")
            }
            Self::NoVerdict(name) => write!(f, "no verdict: {name}"),
            Self::UnaskedVerdict(name) => write!(f, "a verdict that no listed mutant asks for: {name}"),
            Self::Missed(name) => write!(f, "missed: {name}"),
            Self::TimedOut(name) => write!(f, "timed out: {name}"),
            Self::UnknownSummary(name, summary) => write!(f, "{summary} is no verdict: {name}"),
            Self::KillWithoutConversation(name) => write!(f, "caught, but no conversation failed: {name}"),
            Self::VoidKill(name) => write!(f, "caught only because conversations could not be run: {name}"),
            Self::UnviableNotReviewed(name) => write!(f, "unviable and not reviewed: {name}"),
            Self::ReviewedButViable(name) => write!(f, "reviewed as unviable, and is not: {name}"),
            Self::NoContractRun(why) => write!(f, "no run of the contract mutants: {why}"),
            Self::StaleContractRun => {
                write!(f, "the contract mutants were run on other sources than lie here")
            }
            Self::OtherContractMutants => {
                write!(f, "the contract mutants that were run are not those of the folder")
            }
            Self::CutShort => {
                write!(
                    f,
                    "mutants were not shown to every conversation: without HARNESS_ENOUGH and --named they are"
                )
            }
            Self::ContractMutant(id, fate, detail) => {
                write!(f, "contract mutant {id}: {}: {detail}", fate.word())
            }
            Self::Idle(name) => write!(f, "it notices no mutant and pins no statement of its own: {name}"),
            Self::Untracked(path) => write!(f, "{path} counts and is not under version control"),
        }
    }
}

/// Every reason to object to a round, in the order of this page. None: the gate is green.
#[must_use]
pub fn objections(evidence: &Evidence<'_>) -> Vec<Objection> {
    let mut found = Vec::new();
    baseline(evidence, &mut found);
    listing(evidence, &mut found);
    for (name, outcome) in &evidence.round.outcomes {
        found.extend(verdict(name, outcome, evidence.conversations));
    }
    unviable(evidence, &mut found);
    if evidence.purpose != Purpose::Part {
        contract(evidence, &mut found);
    }
    if evidence.purpose == Purpose::Publish {
        found.extend(cut_short(evidence).then_some(Objection::CutShort));
        found.extend(evidence.idle.iter().cloned().map(Objection::Idle));
    }
    found.extend(evidence.untracked.iter().cloned().map(Objection::Untracked));
    found
}

/// The round as a whole: made by the known tool, ended, over a green baseline that ran every conversation.
fn baseline(evidence: &Evidence<'_>, found: &mut Vec<Objection>) {
    let round = evidence.round;
    if round.version != CARGO_MUTANTS_VERSION {
        found.push(Objection::OtherVersion(round.version.clone()));
    }
    if !round.ended {
        found.push(Objection::BrokenOff);
    }
    if evidence.conversations.is_empty() {
        found.push(Objection::NoConversation);
    }
    let configured =
        |command: &Vec<String>| CONFIGURED.iter().all(|asked| command.iter().any(|word| word == asked));
    if !round.commands.iter().all(configured) {
        found.push(Objection::NotConfigured);
    }
    let Some(baseline) = &round.baseline else {
        found.push(Objection::NoBaseline);
        return;
    };
    if baseline.summary != "Success" {
        found.push(Objection::BaselineNotGreen(baseline.summary.clone()));
    }
    if !baseline.log.lines().any(|line| line == evidence.fingerprints.stamp()) {
        found.push(Objection::BaselineOfOtherSources);
    }
    for name in evidence.conversations {
        if baseline.tests.get(name) != Some(&Ended::Passed) {
            found.push(Objection::NotInBaseline(name.clone()));
        }
    }
}

/// The list: what there is to mutate, all of it, each with one verdict.
fn listing(evidence: &Evidence<'_>, found: &mut Vec<Objection>) {
    let round = evidence.round;
    if round.listed.is_empty() {
        found.push(Objection::NoMutant);
    }
    if !is_today(&round.listing, evidence.listing, evidence.purpose) {
        found.push(Objection::StaleList);
    }
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    for listed in &round.listed {
        *balance.entry(&listed.name).or_default() += 1;
    }
    for (name, _) in &round.outcomes {
        *balance.entry(name).or_default() -= 1;
    }
    for (name, left) in balance {
        if left > 0 {
            found.push(Objection::NoVerdict(name.to_owned()));
        } else if left < 0 {
            found.push(Objection::UnaskedVerdict(name.to_owned()));
        }
    }
}

/// Whether a list is what there is to mutate now, or part of it.
fn is_today(listing: &Value, now: &Value, purpose: Purpose) -> bool {
    match (listing.as_array(), now.as_array()) {
        (Some(listing), Some(now)) if purpose == Purpose::Part => {
            listing.iter().all(|mutant| now.contains(mutant))
        }
        _ => listing == now,
    }
}

/// One verdict: caught by a conversation that really ran, or reviewed elsewhere as unviable.
fn verdict(name: &str, outcome: &Tested, conversations: &[String]) -> Option<Objection> {
    match outcome.summary.as_str() {
        "CaughtMutant" => caught(name, outcome, conversations),
        "MissedMutant" => Some(Objection::Missed(name.to_owned())),
        "Timeout" => Some(Objection::TimedOut(name.to_owned())),
        "Unviable" => None,
        other => Some(Objection::UnknownSummary(name.to_owned(), other.to_owned())),
    }
}

fn caught(name: &str, outcome: &Tested, conversations: &[String]) -> Option<Objection> {
    let failed: Vec<_> = conversations
        .iter()
        .filter_map(|conversation| match outcome.tests.get(conversation) {
            Some(Ended::Failed(words)) => Some(words),
            _ => None,
        })
        .collect();
    if failed.is_empty() {
        Some(Objection::KillWithoutConversation(name.to_owned()))
    } else if failed.iter().all(|words| !shows_the_server(words)) {
        Some(Objection::VoidKill(name.to_owned()))
    } else {
        None
    }
}

/// Whether a failed conversation's words say something about the server: not that it could not be started, nor that
/// the file or the harness is at fault.
#[must_use]
pub fn shows_the_server(words: &str) -> bool {
    Outcome::ALL.iter().any(|outcome| outcome.word() == outcome_word(words) && !VOID.contains(outcome))
}

/// The outcomes that say nothing about a server.
const VOID: [Outcome; 3] = [Outcome::BadFixture, Outcome::HarnessError, Outcome::NotApplicable];

/// The outcome that a failed conversation's words begin with.
#[must_use]
pub fn outcome_word(words: &str) -> &str {
    words.trim_start().lines().next().unwrap_or_default().split(':').next().unwrap_or_default().trim()
}

/// The unviable mutants: exactly those that somebody reviewed.
fn unviable(evidence: &Evidence<'_>, found: &mut Vec<Objection>) {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    let unviable = evidence.round.unviable();
    for name in &unviable {
        *balance.entry(name).or_default() += 1;
    }
    for name in evidence.reviewed {
        *balance.entry(name).or_default() -= 1;
    }
    for (name, left) in balance {
        if left > 0 {
            found.push(Objection::UnviableNotReviewed(name.to_owned()));
        } else if left < 0 && evidence.purpose != Purpose::Part {
            found.push(Objection::ReviewedButViable(name.to_owned()));
        }
    }
}

/// The contract mutants: all of them, on these sources, each killed as its entry says.
fn contract(evidence: &Evidence<'_>, found: &mut Vec<Objection>) {
    let results = match evidence.contract {
        Ok(results) => results,
        Err(why) => {
            found.push(Objection::NoContractRun(why.to_owned()));
            return;
        }
    };
    if &results.fingerprints != evidence.fingerprints {
        found.push(Objection::StaleContractRun);
    }
    let run: BTreeSet<_> = results.mutants.iter().map(|judged| &judged.id).collect();
    if run.is_empty() || run != evidence.entries.iter().collect() {
        found.push(Objection::OtherContractMutants);
    }
    for Judged { id, fate, detail, .. } in &results.mutants {
        if *fate != Fate::Killed {
            found.push(Objection::ContractMutant(id.clone(), *fate, detail.clone()));
        }
    }
}

/// Whether some mutant was spared conversations because enough had noticed it.
fn cut_short(evidence: &Evidence<'_>) -> bool {
    let spared = |ended: &Ended| matches!(ended, Ended::Failed(words) if words.contains(ENOUGH_FAILED));
    evidence.contract.is_ok_and(|results| results.named_only)
        || evidence.round.outcomes.iter().any(|(_, tested)| tested.tests.values().any(spared))
}
