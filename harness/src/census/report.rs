//! A census as people and programs read it: one sentence, a block for a document, one JSON object.
//!
//! Functions of values; the same census gives the same bytes.

use serde_json::{Value, json};

use super::judge::{Coverage, Finding};
use super::postures::{Posture, Postures};
use super::size::Size;
use crate::block::Marks;

/// The block of a document that publishes a census.
pub const BLOCK: Marks = Marks { begin: "<!-- census: begin -->", end: "<!-- census: end -->" };

/// The language of a sentence and of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// English.
    En,
    /// Spanish.
    Es,
}

/// What a census found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The coverage and what it was held against, where there was a surface.
    pub surface: Option<(Coverage, Postures)>,
    /// Everything that does not add up.
    pub findings: Vec<Finding>,
    /// What the catalogue costs.
    pub size: Size,
}

/// «N of M offerable operations (P %)».
///
/// The percentage is the nearest one, but 100 is said only where nothing lacks, and 0 only where everything does.
#[must_use]
pub fn sentence(coverage: &Coverage, language: Language) -> String {
    let (covered, offerable) = (coverage.with_tool(), coverage.offerable());
    let percentage = match (covered, offerable) {
        (_, 0) => "–".to_owned(),
        (0, _) => "0 %".to_owned(),
        _ if covered == offerable => "100 %".to_owned(),
        _ => format!("{} %", ((200 * covered + offerable) / (2 * offerable)).clamp(1, 99)),
    };
    match language {
        Language::En => format!("{covered} of {offerable} offerable operations ({percentage})"),
        Language::Es => format!("{covered} de {offerable} operaciones ofrecibles ({percentage})"),
    }
}

/// The words of a block in one language.
struct Words {
    counts: fn(usize, usize, usize, usize) -> String,
    tools: &'static str,
    exclusions: &'static str,
    codes: &'static str,
    sizes: &'static str,
    all: &'static str,
    nothing: &'static str,
}

const ENGLISH: Words = Words {
    counts: |total, with, without, gaps| {
        format!("{total} operations: {with} with a tool, {without} excluded, {gaps} gaps")
    },
    tools: "| tool | operations |",
    exclusions: "| operations | code | another way |",
    codes: "| code | operations | motive |",
    sizes: "| tool | characters | tokens: description | name, description, input schema | definition | all but it |",
    all: "all",
    nothing: "none of these",
};

const SPANISH: Words = Words {
    counts: |total, with, without, gaps| {
        format!("{total} operaciones: {with} con herramienta, {without} excluidas, {gaps} huecos")
    },
    tools: "| herramienta | operaciones |",
    exclusions: "| operaciones | código | otra vía |",
    codes: "| código | operaciones | motivo |",
    sizes: "| herramienta | caracteres | tokens: descripción | nombre, descripción, esquema de entrada | definición | todas menos ella |",
    all: "todas",
    nothing: "ninguna de éstas",
};

impl Language {
    fn words(self) -> &'static Words {
        match self {
            Self::En => &ENGLISH,
            Self::Es => &SPANISH,
        }
    }
}

impl Report {
    /// Whether everything adds up.
    #[must_use]
    pub fn is_green(&self) -> bool {
        self.findings.is_empty()
    }

    /// What stands between the marks of a document.
    #[must_use]
    pub fn block(&self, language: Language) -> String {
        let words = language.words();
        let mut parts = Vec::new();
        if let Some((coverage, postures)) = &self.surface {
            let (with, without, gaps) = (coverage.with_tool(), coverage.without(), coverage.gaps.len());
            let counts = (words.counts)(coverage.total(), with, without, gaps);
            let named = if gaps == 0 { String::new() } else { format!(" ({})", names(&coverage.gaps)) };
            parts.push(format!("{counts}{named}. **{}.**", sentence(coverage, language)));
            parts.push(self.tools(coverage, words));
            if without > 0 {
                parts.push(exclusions(coverage, postures, words));
                parts.push(codes(coverage, postures, words));
            }
        }
        parts.push(self.sizes(words));
        parts.join("\n\n")
    }

    fn tools(&self, coverage: &Coverage, words: &Words) -> String {
        let rows = self.size.tools.iter().map(|tool| {
            let operations = coverage.offered.get(&tool.name);
            let operations =
                operations.map_or_else(|| words.nothing.to_owned(), |operations| names(operations));
            format!("| `{}` | {operations} |", cell(&tool.name))
        });
        table(words.tools, 2, rows)
    }

    fn sizes(&self, words: &Words) -> String {
        let Size { tools, characters, descriptions, trios, definitions } = &self.size;
        let rows = tools.iter().map(|tool| {
            let name = cell(&tool.name);
            format!(
                "| `{name}` | {} | {} | {} | {} | {} |",
                tool.characters, tool.description, tool.trio, tool.definition, tool.without
            )
        });
        let all = format!("| {} | {characters} | {descriptions} | {trios} | {definitions} | |", words.all);
        table(words.sizes, 6, rows.chain([all]))
    }

    /// All of it, as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let Size { tools, characters, descriptions, trios, definitions } = &self.size;
        let tools: Vec<_> = tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name, "characters": tool.characters, "description": tool.description,
                    "trio": tool.trio, "definition": tool.definition, "without": tool.without,
                })
            })
            .collect();
        let findings: Vec<_> =
            self.findings.iter().map(|it| json!({"code": it.code(), "text": it.to_string()})).collect();
        let surface = self.surface.as_ref().map(|(coverage, _)| {
            json!({
                "sentence": sentence(coverage, Language::En), "total": coverage.total(),
                "offered": coverage.offered, "excluded": coverage.excluded, "gaps": coverage.gaps,
            })
        });
        json!({
            "surface": surface,
            "findings": findings,
            "size": {
                "tools": tools, "characters": characters, "descriptions": descriptions, "trios": trios,
                "definitions": definitions,
            },
        })
    }
}

/// Every exclusion, in the order of the file; operations that are not there any more are left out.
fn exclusions(coverage: &Coverage, postures: &Postures, words: &Words) -> String {
    let rows = postures.entries.iter().filter_map(|entry| {
        let Posture::Excluded(exclusion) = &entry.posture else { return None };
        let there = coverage.excluded.get(&exclusion.code)?;
        let operations: Vec<_> =
            entry.operations.iter().filter(|name| there.contains(name)).cloned().collect();
        let row =
            format!("| {} | {} | {} |", names(&operations), cell(&exclusion.code), cell(&exclusion.way));
        (!operations.is_empty()).then_some(row)
    });
    table(words.exclusions, 3, rows)
}

fn codes(coverage: &Coverage, postures: &Postures, words: &Words) -> String {
    let rows = coverage.excluded.iter().map(|(code, operations)| {
        let motive = postures.codes.get(code).map(String::as_str).unwrap_or_default();
        format!("| {} | {} | {} |", cell(code), operations.len(), cell(motive))
    });
    table(words.codes, 3, rows)
}

fn table(head: &str, columns: usize, rows: impl Iterator<Item = String>) -> String {
    let line = format!("|{}", "---|".repeat(columns));
    [head.to_owned(), line].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

fn names(operations: &[String]) -> String {
    operations.iter().map(|name| format!("`{}`", cell(name))).collect::<Vec<_>>().join(", ")
}

/// A text that stays inside one cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{catalogue, judge, operations, postures, size};
    use super::*;

    /// So many operations with a tool, with a reason and without either.
    fn coverage(with: usize, without: usize, gaps: usize) -> Coverage {
        let names = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
        let some = |key: &str, count: usize| BTreeMap::from([(key.to_owned(), names(count))]);
        Coverage { offered: some("t", with), excluded: some("X", without), gaps: names(gaps) }
    }

    #[test]
    fn the_sentence_says_how_much_of_what() {
        let check = |with: usize, gaps: usize, expect: &str| {
            assert_eq!(sentence(&coverage(with, 172, gaps), Language::En), expect);
        };
        // Two counts that a decision of another project publishes: 216 of 315, and 270 of 270.
        check(216, 99, "216 of 315 offerable operations (69 %)");
        check(270, 0, "270 of 270 offerable operations (100 %)");
        check(1, 1, "1 of 2 offerable operations (50 %)");
        check(999, 1, "999 of 1000 offerable operations (99 %)");
        check(1, 999, "1 of 1000 offerable operations (1 %)");
        check(0, 3, "0 of 3 offerable operations (0 %)");
        check(0, 0, "0 of 0 offerable operations (–)");
        check(1, 7, "1 of 8 offerable operations (13 %)");
        check(3, 5, "3 of 8 offerable operations (38 %)");
        let spanish = sentence(&coverage(216, 172, 99), Language::Es);
        assert_eq!(spanish, "216 de 315 operaciones ofrecibles (69 %)");
    }

    const TOOLS: &str =
        r#"[{"name":"t","description":"It does.","inputSchema":{"type":"object"}},{"name":"u"}]"#;

    fn report(list: &str) -> Report {
        let catalogue = catalogue::read(TOOLS).expect("tools");
        let postures = postures::read(
            "[codes]\nX = 'it\nwrites | now'\n\
             [[posture]]\noperations = ['b', 'gone', 'c']\ncode = 'X'\nway = 'by hand'\nreference = 'r'\n\
             [[posture]]\noperations = ['vanished']\ncode = 'X'\nway = 'w'\nreference = 'r'\n\
             [[posture]]\noperations = ['a']\ntool = 't'\n"
                .replace("'it\nwrites | now'", "'''it\nwrites | now'''")
                .as_str(),
        );
        let postures = postures.unwrap_or_else(|fault| panic!("{fault}"));
        let operations =
            operations::together(vec![operations::read(list).expect("a list")]).expect("operations");
        let (coverage, findings) = judge::judge(&operations, &postures, &catalogue);
        Report { surface: Some((coverage, postures)), findings, size: size::measure(&catalogue.tools) }
    }

    #[test]
    fn a_block_holds_the_counts_the_reasons_and_the_sizes() {
        let report = report("a\nb\nc\nd");
        let [t, u] = &report.size.tools[..] else { panic!("two tools") };
        let Size { characters, descriptions, trios, definitions, .. } = report.size;
        let expect = format!(
            "4 operations: 1 with a tool, 2 excluded, 1 gaps (`d`). **1 of 2 offerable operations (50 %).**\n\n\
             | tool | operations |\n|---|---|\n| `t` | `a` |\n| `u` | none of these |\n\n\
             | operations | code | another way |\n|---|---|---|\n| `b`, `c` | X | by hand |\n\n\
             | code | operations | motive |\n|---|---|---|\n| X | 2 | it writes \\| now |\n\n\
             | tool | characters | tokens: description | name, description, input schema | definition | all but it |\n\
             |---|---|---|---|---|---|\n\
             | `t` | {} | {} | {} | {} | {} |\n| `u` | {} | {} | {} | {} | {} |\n\
             | all | {characters} | {descriptions} | {trios} | {definitions} | |",
            t.characters,
            t.description,
            t.trio,
            t.definition,
            t.without,
            u.characters,
            u.description,
            u.trio,
            u.definition,
            u.without,
        );
        assert_eq!(report.block(Language::En), expect);
        let spanish = report.block(Language::Es);
        assert!(
            spanish.starts_with("4 operaciones: 1 con herramienta, 2 excluidas, 1 huecos (`d`). **1 de 2 ")
        );
        for words in ["| `u` | ninguna de éstas |", "| operaciones | código | otra vía |", "\n| todas | "]
        {
            assert!(spanish.contains(words), "{spanish}");
        }
    }

    #[test]
    fn a_block_leaves_out_what_is_not_there() {
        let offered = report("a").block(Language::En);
        assert!(
            offered.starts_with("1 operations: 1 with a tool, 0 excluded, 0 gaps. **1 of 1 "),
            "{offered}"
        );
        assert!(!offered.contains("motive") && !offered.contains("another way"), "{offered}");
        let bare = Report { surface: None, ..report("a") };
        assert!(bare.block(Language::En).starts_with("| tool | characters | "));
    }

    #[test]
    fn a_report_is_green_without_findings() {
        assert!(!report("a\nb\nc\nd").is_green());
        let mut green = report("a");
        green.findings.clear();
        assert!(green.is_green());
    }

    #[test]
    fn the_json_holds_all_of_it() {
        let report = report("a\nb\nc\nd");
        let json = report.json();
        let expect = json!({
            "sentence": "1 of 2 offerable operations (50 %)", "total": 4, "offered": {"t": ["a"]},
            "excluded": {"X": ["b", "c"]}, "gaps": ["d"],
        });
        assert_eq!(json["surface"], expect);
        let gap = json!({"code": "gap", "text": "`d` has neither a tool nor a reason"});
        assert_eq!((json["findings"].as_array().map(Vec::len), &json["findings"][0]), (Some(3), &gap));
        let tool = &report.size.tools[0];
        let expect = json!({
            "name": "t", "characters": tool.characters, "description": tool.description, "trio": tool.trio,
            "definition": tool.definition, "without": tool.without,
        });
        assert_eq!(json["size"]["tools"][0], expect);
        assert_eq!(json["size"]["definitions"], report.size.definitions);
        assert_eq!(json["size"]["characters"], report.size.characters);
        let bare = Report { surface: None, ..report };
        assert_eq!(bare.json()["surface"], Value::Null);
    }
}
