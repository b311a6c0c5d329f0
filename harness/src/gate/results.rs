//! What a run of the contract mutants came to, as the file that the checker reads.
//!
//! Owns the form of `mutants.out.contract/results.json`. Written whole at the end of a run, never as it goes.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprints;
use super::replay::Kill;

/// Where a run of the contract mutants leaves its results, relative to the workspace.
pub const RESULTS: &str = "mutants.out.contract/results.json";

/// What became of one mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// Every conversation that it names noticed it.
    Killed,
    /// No conversation noticed it.
    Survived,
    /// Conversations noticed it, but not all that it names.
    OtherKillers,
    /// Its text does not stand in the file exactly once.
    Stale,
    /// It does not compile.
    Unviable,
    /// It stopped the harness, or the server could not be started: nothing was shown.
    Void,
}

impl Fate {
    /// The word for a table.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Survived => "SURVIVED",
            Self::OtherKillers => "OTHER KILLERS",
            Self::Stale => "STALE",
            Self::Unviable => "DOES NOT COMPILE",
            Self::Void => "VOID",
        }
    }
}

/// One mutant and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The entry's id.
    pub id: String,
    /// What became of it.
    pub fate: Fate,
    /// Every conversation that noticed it.
    pub kills: Vec<Kill>,
    /// What else there is to say: the compiler's words, the killers that did not notice.
    pub detail: String,
    /// How long it took, build and replay.
    pub millis: u64,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// What it was taken on.
    pub fingerprints: Fingerprints,
    /// Whether a mutant that every conversation it names noticed was not shown to the others.
    pub named_only: bool,
    /// The conversations of the green baseline.
    pub conversations: Vec<String>,
    /// Every mutant, in order of the folder.
    pub mutants: Vec<Judged>,
    /// How long the whole run took.
    pub millis: u64,
}

impl Results {
    /// Whether every mutant was killed as its entry says.
    #[must_use]
    pub fn green(&self) -> bool {
        !self.mutants.is_empty() && self.mutants.iter().all(|judged| judged.fate == Fate::Killed)
    }

    /// Reads the results of the last run in a workspace.
    ///
    /// # Errors
    /// A file that is not there or not of the form.
    pub fn read(workspace: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(workspace.join(RESULTS)).map_err(|error| format!("{RESULTS}: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("{RESULTS}: {error}"))
    }

    /// Writes them where [`Results::read`] looks.
    ///
    /// # Errors
    /// A folder or file that cannot be written.
    pub fn write(&self, workspace: &Path) -> Result<(), String> {
        let path = workspace.join(RESULTS);
        let fail = |error: std::io::Error| format!("{RESULTS}: {error}");
        fs::create_dir_all(path.parent().unwrap_or(workspace)).map_err(fail)?;
        let mut text = serde_json::to_string_pretty(self).map_err(|error| format!("{RESULTS}: {error}"))?;
        text.push('\n');
        fs::write(&path, text).map_err(fail)
    }

    /// Takes away what an earlier run left, so that a run that breaks off leaves nothing that could be believed.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn discard(workspace: &Path) -> Result<(), String> {
        match fs::remove_file(workspace.join(RESULTS)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(format!("{RESULTS}: {error}")),
            _ => Ok(()),
        }
    }
}
