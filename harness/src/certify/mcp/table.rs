//! The rules of both revisions of the protocol, out of the table beside this file.

use super::super::era::Era;
use super::super::rule::Rule;
use super::super::table;

/// One row per rule, with its level and its place in each revision.
const TABLE: &str = include_str!("rules.md");

/// The rules of an era, in the order of a report.
#[must_use]
pub fn rules(era: Era) -> Vec<Rule> {
    let column = match era {
        Era::Modern => 0,
        Era::Legacy => 1,
    };
    table::read(TABLE, column)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_of_an_era_has_one_row() {
        assert_eq!(table::fault(TABLE, 2), None);
        for era in [Era::Modern, Era::Legacy] {
            let rules = rules(era);
            let ids: BTreeSet<_> = rules.iter().map(|rule| rule.id).collect();
            assert!(rules.len() > 60);
            assert_eq!(ids.len(), rules.len(), "{era:?}");
            assert!(rules.iter().all(|rule| rule.says.ends_with('.')));
        }
        assert!(rules(Era::Modern).iter().all(|rule| rule.id != "VER-12"));
        assert!(rules(Era::Legacy).iter().all(|rule| rule.id != "DISC-1"));
    }
}
