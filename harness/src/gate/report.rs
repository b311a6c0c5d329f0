//! A report to look at, in the format of Stryker's mutation-testing-elements (schema version 2).
//!
//! Owns the projection of a round into that format and the page around it. The page component is published apart and
//! is not part of this project: whoever has it gets a page that opens without a network, everybody gets the JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::check::{outcome_word, shows_the_server};
use super::contract::ContractMutant;
use super::corpus::Recorded;
use super::log::Ended;
use super::results::{Fate, Judged, Results};
use super::round::{Listed, Position, Round, Tested};

/// The folder that a report is written to, relative to the workspace.
pub const REPORT: &str = "mutants.out.report";

/// Where the page component is looked for, relative to the workspace; `ci/gate-report` puts it there.
pub const COMPONENT: &str = "target/mutation-test-elements.js";

/// A whole report.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    schema_version: &'static str,
    thresholds: serde_json::Value,
    framework: serde_json::Value,
    files: BTreeMap<String, File>,
    test_files: BTreeMap<String, TestFile>,
}

#[derive(Debug, Serialize)]
struct File {
    language: &'static str,
    source: String,
    mutants: Vec<Mutant>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Mutant {
    id: String,
    mutator_name: String,
    description: String,
    replacement: String,
    location: serde_json::Value,
    status: &'static str,
    status_reason: String,
    killed_by: Vec<String>,
    duration: u64,
}

#[derive(Debug, Serialize)]
struct TestFile {
    source: String,
    tests: Vec<serde_json::Value>,
}

/// Projects a round and a run of the contract mutants into a report.
///
/// # Errors
/// A mutated file that cannot be read.
pub fn report(
    workspace: &Path,
    round: &Round,
    entries: &[ContractMutant],
    results: Option<&Results>,
    corpus: &[Recorded],
) -> Result<Report, String> {
    let mut report = Report {
        schema_version: "2",
        thresholds: json!({"high": 100, "low": 100}),
        framework: json!({"name": "cargo-mutants and contract mutants", "version": round.version}),
        files: BTreeMap::new(),
        test_files: corpus.iter().map(test_file).collect(),
    };
    let outcomes: BTreeMap<&str, &Tested> =
        round.outcomes.iter().map(|(name, outcome)| (name.as_str(), outcome)).collect();
    for (index, listed) in round.listed.iter().enumerate() {
        let mutant = generated(index, listed, outcomes.get(listed.name.as_str()).copied(), corpus);
        report.file(workspace, &listed.file)?.mutants.push(mutant);
    }
    for judged in results.iter().flat_map(|results| &results.mutants) {
        if let Some(entry) = entries.iter().find(|entry| entry.id == judged.id) {
            let file = report.file(workspace, &entry.file)?;
            let mutant = contract(entry, judged, &file.source);
            file.mutants.push(mutant);
        }
    }
    Ok(report)
}

impl Report {
    fn file(&mut self, workspace: &Path, path: &str) -> Result<&mut File, String> {
        if !self.files.contains_key(path) {
            let source =
                fs::read_to_string(workspace.join(path)).map_err(|error| format!("{path}: {error}"))?;
            self.files.insert(path.to_owned(), File { language: "rust", source, mutants: Vec::new() });
        }
        self.files.get_mut(path).ok_or_else(|| format!("{path}: not in the report"))
    }

    /// Writes `report.json` into [`REPORT`], and `index.html` around [`COMPONENT`] where that is there. Says which.
    ///
    /// # Errors
    /// A folder or file that cannot be read or written.
    pub fn write(&self, workspace: &Path) -> Result<String, String> {
        let fail = |error: std::io::Error| format!("{REPORT}: {error}");
        let folder = workspace.join(REPORT);
        let data = serde_json::to_string(self).map_err(|error| format!("{REPORT}: {error}"))?;
        fs::create_dir_all(&folder).map_err(fail)?;
        fs::write(folder.join("report.json"), &data).map_err(fail)?;
        let component = workspace.join(COMPONENT);
        if !component.is_file() {
            return Ok(format!("report: {REPORT}/report.json; ci/gate-report makes it a page"));
        }
        let script = fs::read_to_string(component).map_err(|error| format!("{COMPONENT}: {error}"))?;
        fs::write(folder.join("index.html"), page(&script, &data)).map_err(fail)?;
        Ok(format!("report: {REPORT}/index.html"))
    }
}

/// The page: component and data inline, so that it opens from disk and without a network.
fn page(script: &str, data: &str) -> String {
    // Inside a script element only its own end tag could end it, in either letter case.
    let guarded = |text: &str| text.replace("</script", "<\\/script").replace("<!--", "<\\!--");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>oracle-mcp: mutants</title>\n\
         <script>{}</script>\n</head>\n<body>\n\
         <mutation-test-report-app title-postfix=\"oracle-mcp\"></mutation-test-report-app>\n\
         <script>document.querySelector('mutation-test-report-app').report = {};</script>\n</body>\n</html>\n",
        guarded(script),
        data.replace('<', "\\u003c")
    )
}

fn test_file(recorded: &Recorded) -> (String, TestFile) {
    let tests = vec![json!({"id": recorded.name, "name": recorded.name})];
    (recorded.path.clone(), TestFile { source: recorded.source.clone(), tests })
}

/// A mutant of cargo-mutants.
fn generated(index: usize, listed: &Listed, outcome: Option<&Tested>, corpus: &[Recorded]) -> Mutant {
    let mut killed_by = Vec::new();
    let mut reason = String::new();
    for recorded in corpus {
        if let Some(Ended::Failed(words)) = outcome.and_then(|outcome| outcome.tests.get(&recorded.name))
            && shows_the_server(words)
        {
            killed_by.push(recorded.name.clone());
            reason = if reason.is_empty() {
                format!("{}: {}", recorded.name, outcome_word(words))
            } else {
                reason
            };
        }
    }
    Mutant {
        id: (index + 1).to_string(),
        mutator_name: listed.genre.clone(),
        description: listed.name.clone(),
        replacement: listed.replacement.clone(),
        location: location(listed.span.start, listed.span.end),
        status: match outcome.map(|outcome| outcome.summary.as_str()) {
            Some("CaughtMutant") => "Killed",
            Some("MissedMutant") => "Survived",
            Some("Timeout") => "Timeout",
            Some("Unviable") => "CompileError",
            Some(_) => "RuntimeError",
            None => "Pending",
        },
        status_reason: reason,
        killed_by,
        duration: outcome.map_or(0, |outcome| (outcome.seconds * 1000.0) as u64),
    }
}

/// A contract mutant.
fn contract(entry: &ContractMutant, judged: &Judged, source: &str) -> Mutant {
    let start = entry.locate(source).unwrap_or(0);
    let end = (start + entry.find.len()).min(source.len());
    let first = judged.kills.first().map(|kill| format!("{}: {}", kill.conversation, kill.outcome));
    Mutant {
        id: judged.id.clone(),
        mutator_name: format!("contract: {}", entry.kind),
        description: entry.sentence.clone(),
        replacement: entry.replace.clone(),
        location: location(position(source, start), position(source, end)),
        status: match judged.fate {
            Fate::Killed => "Killed",
            Fate::Survived | Fate::OtherKillers => "Survived",
            Fate::Unviable => "CompileError",
            Fate::Stale | Fate::Void => "RuntimeError",
        },
        status_reason: [first.unwrap_or_default(), judged.detail.clone()].concat(),
        killed_by: judged.kills.iter().map(|kill| kill.conversation.clone()).collect(),
        duration: judged.millis,
    }
}

fn location(start: Position, end: Position) -> serde_json::Value {
    let place = |position: Position| json!({"line": position.line, "column": position.column});
    json!({"start": place(start), "end": place(end)})
}

/// Line and column of a byte offset, both from 1, the column in characters.
fn position(source: &str, offset: usize) -> Position {
    let before = source.get(..offset).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_columns_of_characters() {
        for (offset, line, column) in [(0, 1, 1), (2, 1, 2), (3, 2, 1), (6, 2, 4), (99, 2, 4)] {
            assert_eq!(position("é\nabc", offset), Position { line, column }, "{offset}");
        }
    }

    #[test]
    fn nothing_in_a_page_ends_its_scripts() {
        let page = page("a('</script>')", "{\"a\":\"</script><!--\"}");
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--"));
    }
}
