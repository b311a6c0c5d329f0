//! Reads a table of rules: rows of Markdown, so that people and the harness read the same.
//!
//! A row is `| id | level and place, once per revision | where observed | what it says |`.

use super::rule::{Level, Rule, Sight};

/// The rules that have a place in the revision of that column; rows that are none are left out, which a test keeps from happening.
#[must_use]
pub fn read(table: &'static str, column: usize) -> Vec<Rule> {
    rows(table).filter_map(|cells| rule(&cells, column)).collect()
}

/// The first row that cannot be read, for tests of a table with that many revisions.
#[cfg(test)]
pub fn fault(table: &'static str, revisions: usize) -> Option<String> {
    rows(table).find_map(|cells| {
        let good = cells.len() == revisions + 3
            && (0..revisions).all(|column| cells[1 + column].is_empty() || rule(&cells, column).is_some())
            && (0..revisions).any(|column| !cells[1 + column].is_empty());
        (!good).then(|| cells.join(" | "))
    })
}

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let is_row = |line: &&str| line.starts_with("| ") && line.ends_with(" |");
    // The first row names the columns.
    table
        .lines()
        .filter(is_row)
        .skip(1)
        .map(|line| line[2..line.len() - 2].split(" | ").map(str::trim).collect())
}

fn rule(cells: &[&'static str], column: usize) -> Option<Rule> {
    let [id, .., observed, says] = cells else { return None };
    let (level, source) = cells.get(1 + column)?.split_once(' ')?;
    let level = match level {
        "MUST" => Level::Must,
        "SHAPE" => Level::Shape,
        "SHOULD" => Level::Should,
        "REPORT" => Level::Report,
        _ => return None,
    };
    let sight = match *observed {
        "any" => Sight::Any,
        "stdio" => Sight::Stdio,
        "http" => Sight::Http,
        "client" => Sight::Unseen("a duty of the client; this harness keeps it"),
        "freedom" => Sight::Unseen("a freedom of the server; nothing can break it"),
        "inside" => Sight::Unseen("what the server does inside; only its answers were looked at"),
        other => Sight::Unseen(other.strip_prefix("unseen: ")?),
    };
    Some(Rule { id, level, source, says, sight })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "words\n| rule | a | b | observed | says |\n|---|---|---|---|---|\n\
        | R-1 | MUST x:1 |  | any | It does. |\n| R-2 | SHOULD y:2 | REPORT z:3 | client | It is. |\n";

    #[test]
    fn a_row_is_a_rule_of_the_revisions_that_it_has_a_place_in() {
        let ids = |column| read(TABLE, column).iter().map(|rule| rule.id).collect::<Vec<_>>();
        assert_eq!((ids(0), ids(1), ids(2)), (vec!["R-1", "R-2"], vec!["R-2"], vec![]));
        let second = read(TABLE, 1)[0];
        assert_eq!((second.level, second.source, second.says), (Level::Report, "z:3", "It is."));
        assert_eq!(second.sight, Sight::Unseen("a duty of the client; this harness keeps it"));
        assert_eq!(fault(TABLE, 2), None);
    }

    #[test]
    fn a_row_that_is_none_is_found() {
        let check = |row: &'static str| assert!(fault(row, 1).is_some(), "{row}");
        check("| a |\n| R-1 | MUST x | any |");
        check("| a |\n| R-1 | WILL x | any | y |");
        check("| a |\n| R-1 | MUST | any | y |");
        check("| a |\n| R-1 | MUST x | nowhere | y |");
        check("| a |\n| R-1 |  | any | y |");
        assert_eq!(fault("| a |\n| R-1 | MUST x | unseen: why | y |", 1), None);
    }
}
