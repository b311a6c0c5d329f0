//! The kill matrix: which conversation notices which mutant, who is the only one, and who does nothing.
//!
//! Owns the counting and the page `mutantes/matriz.md`. Judges nothing but idleness.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::check::shows_the_server;
use super::corpus::Recorded;
use super::fingerprint::Fingerprints;
use super::log::Ended;
use super::results::Results;
use super::round::Round;
use super::scoreboard;

/// Where the page lies, relative to the workspace.
pub const MATRIX: &str = "mutantes/matriz.md";

/// How many killers a row of the page names before it only counts them.
const NAMED_KILLERS: usize = 3;

/// A mutant that was noticed, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noticed {
    /// The mutant: its name, or its id behind `contract: `.
    pub mutant: String,
    /// The conversations that noticed it, in order.
    pub killers: Vec<String>,
}

/// Every mutant that some conversation noticed: cargo-mutants' in the order of its list, then the contract's.
#[must_use]
pub fn noticed(round: &Round, contract: Option<&Results>, corpus: &[Recorded]) -> Vec<Noticed> {
    let known: BTreeSet<&str> = corpus.iter().map(|recorded| recorded.name.as_str()).collect();
    let mut all: Vec<_> = round
        .outcomes
        .iter()
        .map(|(name, outcome)| {
            let failed = |ended: &Ended| matches!(ended, Ended::Failed(words) if shows_the_server(words));
            let killers =
                outcome.tests.iter().filter(|(test, ended)| known.contains(test.as_str()) && failed(ended));
            Noticed { mutant: name.clone(), killers: killers.map(|(test, _)| test.clone()).collect() }
        })
        .collect();
    for judged in contract.iter().flat_map(|results| &results.mutants) {
        let mut killers: Vec<_> = judged.kills.iter().map(|kill| kill.conversation.clone()).collect();
        killers.sort();
        all.push(Noticed { mutant: format!("contract: {}", judged.id), killers });
    }
    all.retain(|noticed| !noticed.killers.is_empty());
    all
}

/// How many mutants each conversation notices, and which it notices alone.
struct Work<'a> {
    kills: usize,
    alone: Vec<&'a str>,
}

fn work<'a>(noticed: &'a [Noticed], corpus: &'a [Recorded]) -> BTreeMap<&'a str, Work<'a>> {
    let mut work: BTreeMap<&str, Work<'_>> = corpus
        .iter()
        .map(|recorded| (recorded.name.as_str(), Work { kills: 0, alone: Vec::new() }))
        .collect();
    for Noticed { mutant, killers } in noticed {
        for killer in killers {
            if let Some(work) = work.get_mut(killer.as_str()) {
                work.kills += 1;
                if killers.len() == 1 {
                    work.alone.push(mutant);
                }
            }
        }
    }
    work
}

/// The conversations that notice no mutant and pin no statement that no other conversation pins.
#[must_use]
pub fn idle(noticed: &[Noticed], corpus: &[Recorded]) -> Vec<String> {
    let mut pinned: BTreeMap<&str, usize> = BTreeMap::new();
    for id in corpus.iter().flat_map(|recorded| &recorded.covers) {
        *pinned.entry(id).or_default() += 1;
    }
    let work = work(noticed, corpus);
    let kills_none = |recorded: &&Recorded| work[recorded.name.as_str()].kills == 0;
    let pins_none = |recorded: &&Recorded| recorded.covers.iter().all(|id| pinned[id.as_str()] > 1);
    corpus.iter().filter(kills_none).filter(pins_none).map(|recorded| recorded.name.clone()).collect()
}

/// The page.
#[must_use]
pub fn render(noticed: &[Noticed], corpus: &[Recorded], fingerprints: &Fingerprints) -> String {
    let work = work(noticed, corpus);
    let mut page = String::from("# Kill matrix\n\n");
    page.push_str(
        "Which conversation notices which mutant. Written by `cargo run -p harness -- gate check`.\n\n",
    );
    page.push_str(&scoreboard::taken_on(fingerprints));
    page.push_str(
        "\n## Mutants that one conversation alone notices\n\n| conversation | mutant |\n|---|---|\n",
    );
    for (conversation, work) in &work {
        for mutant in &work.alone {
            row(&mut page, &[conversation, &code(mutant)]);
        }
    }
    page.push_str("\n## Conversations that notice nothing and pin nothing of their own\n\n");
    match idle(noticed, corpus).as_slice() {
        [] => page.push_str("None.\n"),
        idle => idle.iter().for_each(|name| page.push_str(&format!("- {name}\n"))),
    }
    page.push_str("\n## Conversations\n\n| conversation | notices | alone |\n|---|---:|---:|\n");
    for (conversation, work) in &work {
        row(&mut page, &[conversation, &work.kills.to_string(), &work.alone.len().to_string()]);
    }
    page.push_str("\n## Mutants\n\n| mutant | noticed by |\n|---|---|\n");
    for Noticed { mutant, killers } in noticed {
        let by = match killers.len() {
            count if count == corpus.len() => "all".to_owned(),
            count if count > NAMED_KILLERS => format!("{count} of {}", corpus.len()),
            _ => killers.join(", "),
        };
        row(&mut page, &[&code(mutant), &by]);
    }
    page
}

fn row(page: &mut String, cells: &[&str]) {
    // Writing into a string cannot fail.
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

/// A name as code in a table's cell.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|").replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(name: &str, covers: &[&str]) -> Recorded {
        Recorded {
            name: name.to_owned(),
            path: format!("conversaciones/{name}"),
            covers: covers.iter().map(|id| (*id).to_owned()).collect(),
            source: String::new(),
        }
    }

    fn noticed(mutant: &str, killers: &[&str]) -> Noticed {
        let killers = killers.iter().map(|name| (*name).to_owned()).collect();
        Noticed { mutant: mutant.to_owned(), killers }
    }

    #[test]
    fn idle_is_who_notices_nothing_and_pins_nothing_alone() {
        let corpus =
            [recorded("a", &["x"]), recorded("b", &["x"]), recorded("c", &["x", "y"]), recorded("d", &[])];
        assert_eq!(idle(&[noticed("m", &["a"])], &corpus), ["b", "d"]);
        assert_eq!(idle(&[noticed("m", &["a", "b", "d"])], &corpus), [""; 0]);
    }

    #[test]
    fn the_page_names_only_killers_and_counts_many() {
        let corpus: Vec<_> = ["a", "b", "c", "d", "e"].iter().map(|name| recorded(name, &[])).collect();
        let all = [
            noticed("one || other", &["b"]),
            noticed("two", &["a", "b"]),
            noticed("four", &["a", "b", "c", "d"]),
            noticed("every", &["a", "b", "c", "d", "e"]),
        ];
        let prints = Fingerprints { server: "1".into(), conversations: "2".into(), mutants: "3".into() };
        let page = render(&all, &corpus, &prints);
        for line in [
            "| b | `one \\|\\| other` |",
            "| `two` | a, b |",
            "| `four` | 4 of 5 |",
            "| `every` | all |",
            "| b | 4 | 1 |",
            "None.",
        ] {
            assert!(page.lines().any(|found| found == line), "{line}\n{page}");
        }
        assert!(scoreboard::is_current(&page, &prints));
    }
}
