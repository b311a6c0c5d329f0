//! The normative statements that the conversations cover: each covered, excluded or pending, and never two of these.
//!
//! Owns `requisitos.toml`, its check against the `covers:` of the conversations, and the sentence that publishes the
//! count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::block::Marks;
use crate::suite;
use crate::whole::write_whole;

/// The file that lists the statements, in the folder of the conversations.
pub const FILE: &str = "requisitos.toml";

/// The page that publishes the count, in the same folder.
const README: &str = "README.md";

/// The block of that page that holds the sentence.
const BLOCK: Marks = Marks { begin: "<!-- requirements: begin -->", end: "<!-- requirements: end -->" };

/// Why no conversation is to show a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Code {
    /// A rule about the code, which no client can see.
    Internal,
    /// A duty of the client or of the host.
    Host,
    /// A figure of the document, no rule for a server.
    Measurement,
    /// What the harness does with every conversation.
    Harness,
    /// What the mutants hold.
    Gate,
    /// The contract contradicts itself; the decision is written down.
    Contradiction,
}

/// One normative statement.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its stable id, as `covers:` spells it.
    pub id: String,
    /// The heading of the contract that it stands under.
    pub section: String,
    /// What must hold.
    pub text: String,
    /// Why nothing covers it yet.
    pub pending: Option<String>,
    /// Why nothing ever will.
    pub excluded: Option<Code>,
    /// The reason for the exclusion.
    pub reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    requirement: Vec<Requirement>,
}

/// Reads the list of statements.
///
/// # Errors
/// What TOML says, with its line, or an unknown key or code.
pub fn read(text: &str) -> Result<Vec<Requirement>, String> {
    toml::from_str::<File>(text).map(|file| file.requirement).map_err(|error| error.to_string())
}

/// What one conversation says that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The conversation's name.
    pub conversation: String,
    /// Ids of statements.
    pub covers: Vec<String>,
}

/// How many statements are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Those some conversation claims.
    pub covered: usize,
    /// Those that a conversation can show: all but the excluded ones.
    pub total: usize,
    /// Those that nothing covers yet.
    pub pending: usize,
    /// Those that nothing is to cover.
    pub excluded: usize,
}

/// The published sentence.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { covered, total, pending, excluded } = self;
        write!(f, "{covered} of {total} covered; {pending} pending, {excluded} excluded.")
    }
}

/// What is wrong between the list and the conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An id that stands twice in the list.
    RepeatedId(String),
    /// An empty text, section or reason; the id and the key.
    Empty(String, &'static str),
    /// `pending` and `excluded` in one statement.
    PendingAndExcluded(String),
    /// `excluded` without `reason`, or `reason` without `excluded`.
    ReasonAlone(String),
    /// Neither covered nor pending nor excluded.
    Neither(String),
    /// Claimed by a conversation, and no statement; the id and the conversation.
    Unknown(String, String),
    /// Excluded, and in fact covered by a conversation.
    ExcludedAndCovered(String, String),
    /// Pending, and in fact covered by a conversation.
    PendingAndCovered(String, String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepeatedId(id) => write!(f, "`{id}` stands twice"),
            Self::Empty(id, key) => write!(f, "`{id}`: `{key}` is empty"),
            Self::PendingAndExcluded(id) => write!(f, "`{id}` is pending and excluded"),
            Self::ReasonAlone(id) => write!(f, "`{id}`: `excluded` and `reason` go together"),
            Self::Neither(id) => {
                write!(
                    f,
                    "`{id}` is neither covered nor pending nor excluded; say which, or let a conversation cover it"
                )
            }
            Self::Unknown(id, by) => write!(f, "`{by}` covers `{id}`, which {FILE} does not list"),
            Self::ExcludedAndCovered(id, by) => {
                write!(f, "`{id}` is excluded, and `{by}` covers it; one of them is wrong")
            }
            Self::PendingAndCovered(id, by) => {
                write!(f, "`{id}` is pending, and `{by}` covers it; remove `pending`")
            }
        }
    }
}

/// Holds the list against what the conversations claim.
///
/// Gives the count and every fault: first those of the list in its order, then those of the claims.
#[must_use]
pub fn check(requirements: &[Requirement], claims: &[Claim]) -> (Count, Vec<Fault>) {
    let mut covered_by: BTreeMap<&str, &str> = BTreeMap::new();
    for claim in claims {
        for id in &claim.covers {
            covered_by.entry(id).or_insert(&claim.conversation);
        }
    }
    let mut count = Count::default();
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    for requirement in requirements {
        if !ids.insert(requirement.id.as_str()) {
            faults.push(Fault::RepeatedId(requirement.id.clone()));
        }
        form(requirement, &mut faults);
        let by = covered_by.get(requirement.id.as_str()).map(|by| (*by).to_owned());
        let id = || requirement.id.clone();
        match (requirement.excluded, &requirement.pending, by) {
            (Some(_), _, Some(by)) => faults.push(Fault::ExcludedAndCovered(id(), by)),
            (Some(_), _, None) => count.excluded += 1,
            (None, Some(_), Some(by)) => faults.push(Fault::PendingAndCovered(id(), by)),
            (None, Some(_), None) => count.pending += 1,
            (None, None, Some(_)) => count.covered += 1,
            (None, None, None) => faults.push(Fault::Neither(id())),
        }
    }
    count.total = requirements.len() - count.excluded;
    let unknown = covered_by.iter().filter(|(id, _)| !ids.contains(*id));
    faults.extend(unknown.map(|(id, by)| Fault::Unknown((*id).to_owned(), (*by).to_owned())));
    (count, faults)
}

/// What a statement must say of itself, whoever covers it.
fn form(requirement: &Requirement, faults: &mut Vec<Fault>) {
    let texts = [
        ("id", Some(&requirement.id)),
        ("section", Some(&requirement.section)),
        ("text", Some(&requirement.text)),
        ("pending", requirement.pending.as_ref()),
        ("reason", requirement.reason.as_ref()),
    ];
    for (key, text) in texts {
        if text.is_some_and(|text| text.trim().is_empty()) {
            faults.push(Fault::Empty(requirement.id.clone(), key));
        }
    }
    if requirement.pending.is_some() && requirement.excluded.is_some() {
        faults.push(Fault::PendingAndExcluded(requirement.id.clone()));
    }
    if requirement.excluded.is_some() != requirement.reason.is_some() {
        faults.push(Fault::ReasonAlone(requirement.id.clone()));
    }
}

/// The whole check of a folder of conversations: the list, the claims, and the sentence that its README publishes.
///
/// Gives the count.
///
/// # Errors
/// Every fault, a line each, and the command that mends a stale sentence.
pub fn audit(folder: &Path) -> Result<Count, String> {
    let count = count(folder)?;
    let page = folder.join(README);
    let document = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    let found = BLOCK.published(&document).map_err(|fault| format!("{}: {fault}", page.display()))?;
    let sentence = count.to_string();
    if found != sentence {
        return Err(format!(
            "{} says `{found}`, and it is `{sentence}`\nwrite it: cargo run -p harness -- requirements",
            page.display()
        ));
    }
    Ok(count)
}

/// The count of a folder of conversations, whatever its README says.
///
/// # Errors
/// Every fault of the list and of the claims, a line each.
pub fn count(folder: &Path) -> Result<Count, String> {
    let file = folder.join(FILE);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let requirements = read(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut claims = Vec::new();
    for entry in suite::discover(folder).map_err(|fault| fault.to_string())? {
        let path = entry.path.display();
        let conversation = entry.conversation.map_err(|fault| format!("{path}: {fault}"))?;
        claims.push(Claim { conversation: entry.name, covers: conversation.header.covers });
    }
    let (count, faults) = check(&requirements, &claims);
    if faults.is_empty() {
        return Ok(count);
    }
    Err(faults.iter().map(|fault| format!("{}: {fault}", file.display())).collect::<Vec<_>>().join("\n"))
}

/// Writes the sentence into the README of a folder of conversations; gives it, and whether the page changed.
///
/// # Errors
/// As [`count`], and a page that cannot be read or written.
pub fn publish(folder: &Path) -> Result<(Count, bool), String> {
    let count = count(folder)?;
    let page = folder.join(README);
    let fail = |why: &dyn fmt::Display| format!("{}: {why}", page.display());
    let document = fs::read_to_string(&page).map_err(|error| fail(&error))?;
    let replaced = BLOCK.replace(&document, &count.to_string()).map_err(|fault| fail(&fault))?;
    if replaced == document {
        return Ok((count, false));
    }
    write_whole(&page, replaced.as_bytes()).map_err(|error| fail(&error))?;
    Ok((count, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(id: &str, rest: &str) -> String {
        format!("[[requirement]]\nid = \"{id}\"\nsection = \"S\"\ntext = \"T\"\n{rest}\n")
    }

    fn faults(file: &str, claims: &[(&str, &str)]) -> Vec<Fault> {
        check(&read(file).expect("the list is TOML"), &claims_of(claims)).1
    }

    fn claims_of(claims: &[(&str, &str)]) -> Vec<Claim> {
        let claim = |(name, ids): &(&str, &str)| Claim {
            conversation: (*name).to_owned(),
            covers: ids.split(' ').map(str::to_owned).collect(),
        };
        claims.iter().map(claim).collect()
    }

    #[test]
    fn statements_are_counted() {
        let file = statement("a", "")
            + &statement("b", "pending = \"later\"")
            + &statement("c", "excluded = \"host\"\nreason = \"r\"")
            + &statement("d", "");
        let (count, faults) = check(&read(&file).expect("TOML"), &claims_of(&[("x", "a d"), ("y", "a")]));
        assert_eq!(faults, []);
        assert_eq!(count, Count { covered: 2, total: 3, pending: 1, excluded: 1 });
        assert_eq!(count.to_string(), "2 of 3 covered; 1 pending, 1 excluded.");
    }

    #[test]
    fn each_statement_is_one_of_three() {
        let id = || "a".to_owned();
        let by = || "x".to_owned();
        assert_eq!(faults(&statement("a", ""), &[]), [Fault::Neither(id())]);
        let pending = statement("a", "pending = \"p\"");
        assert_eq!(faults(&pending, &[("x", "a")]), [Fault::PendingAndCovered(id(), by())]);
        let excluded = statement("a", "excluded = \"gate\"\nreason = \"r\"");
        assert_eq!(faults(&excluded, &[("x", "a")]), [Fault::ExcludedAndCovered(id(), by())]);
        let both = statement("a", "excluded = \"gate\"\nreason = \"r\"\npending = \"p\"");
        assert_eq!(faults(&both, &[]), [Fault::PendingAndExcluded(id())]);
    }

    #[test]
    fn a_claim_names_a_statement() {
        let unknown = Fault::Unknown("b".to_owned(), "x".to_owned());
        assert_eq!(faults(&statement("a", ""), &[("x", "a b")]), [unknown]);
    }

    #[test]
    fn a_statement_says_all_it_must() {
        let id = || "a".to_owned();
        assert_eq!(faults(&statement("a", "pending = \" \""), &[]), [Fault::Empty(id(), "pending")]);
        assert_eq!(faults(&statement("a", "excluded = \"host\""), &[]), [Fault::ReasonAlone(id())]);
        assert_eq!(faults(&statement("a", "reason = \"r\""), &[("x", "a")]), [Fault::ReasonAlone(id())]);
        let twice = statement("a", "").repeat(2);
        assert_eq!(faults(&twice, &[("x", "a")]), [Fault::RepeatedId(id())]);
    }

    #[test]
    fn codes_and_keys_are_closed() {
        assert!(read(&statement("a", "excluded = \"other\"\nreason = \"r\"")).is_err());
        assert!(read(&statement("a", "note = \"r\"")).is_err());
        assert!(read("[[requirement]]\nid = \"a\"\n").is_err());
        assert!(read("").is_err());
    }
}
