//! What probes write down about rules while they run.
//!
//! Owns the way from many observations to one verdict. Must not know a rule's text.

use std::collections::BTreeMap;

use super::rule::Verdict;

/// How many observations of one kind are kept for a rule.
const KEPT: usize = 4;

/// One observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it says about the rule.
    pub verdict: Verdict,
    /// What was seen.
    pub what: String,
    /// The lines that show it, as they travelled.
    pub lines: Vec<String>,
}

/// Observations by rule.
#[derive(Debug, Default)]
pub struct Notes {
    notes: BTreeMap<&'static str, Vec<Note>>,
    left_out: BTreeMap<(&'static str, Verdict), usize>,
}

impl Notes {
    /// Nothing seen goes against the rule.
    pub fn holds(&mut self, rule: &'static str, what: impl Into<String>) {
        self.add(rule, Verdict::Holds, what.into(), Vec::new());
    }

    /// Something seen goes against the rule; `lines` show it.
    pub fn broken(&mut self, rule: &'static str, what: impl Into<String>, lines: Vec<String>) {
        self.add(rule, Verdict::Broken, what.into(), lines);
    }

    /// The rule does not bind this server.
    pub fn absent(&mut self, rule: &'static str, why: impl Into<String>) {
        self.add(rule, Verdict::NotApplicable, why.into(), Vec::new());
    }

    /// What is needed to look at the rule did not come about.
    pub fn open(&mut self, rule: &'static str, why: impl Into<String>) {
        self.add(rule, Verdict::Inconclusive, why.into(), Vec::new());
    }

    /// Holds or is broken, after what was seen.
    pub fn judge(
        &mut self,
        rule: &'static str,
        holds: bool,
        what: impl Into<String>,
        lines: impl FnOnce() -> Vec<String>,
    ) {
        if holds {
            self.holds(rule, what);
        } else {
            self.broken(rule, what, lines());
        }
    }

    fn add(&mut self, rule: &'static str, verdict: Verdict, what: String, lines: Vec<String>) {
        let notes = self.notes.entry(rule).or_default();
        if notes.iter().any(|note| note.verdict == verdict && note.what == what) {
            return;
        }
        if notes.iter().filter(|note| note.verdict == verdict).count() < KEPT {
            notes.push(Note { verdict, what, lines });
        } else {
            *self.left_out.entry((rule, verdict)).or_default() += 1;
        }
    }

    /// The verdict about a rule and the observations that bear it; none where nothing was written down.
    ///
    /// One observation against a rule outweighs any for it, and one for it outweighs what stayed open.
    #[must_use]
    pub fn verdict(&self, rule: &str) -> Option<(Verdict, Vec<Note>)> {
        let notes = self.notes.get(rule)?;
        let order = [Verdict::Broken, Verdict::Holds, Verdict::Inconclusive, Verdict::NotApplicable];
        let verdict = order.into_iter().find(|verdict| notes.iter().any(|note| note.verdict == *verdict))?;
        let mut bearing: Vec<Note> = notes.iter().filter(|note| note.verdict == verdict).cloned().collect();
        let left_out = self.left_out.iter().find(|((id, of), _)| *id == rule && *of == verdict);
        if let Some((_, count)) = left_out {
            let what = format!("and {count} more like these");
            bearing.push(Note { verdict, what, lines: Vec::new() });
        }
        Some((verdict, bearing))
    }

    /// The rules that something was written down about.
    pub fn rules(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.notes.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(write: impl FnOnce(&mut Notes)) -> Option<(Verdict, Vec<String>)> {
        let mut notes = Notes::default();
        write(&mut notes);
        notes
            .verdict("A")
            .map(|(verdict, notes)| (verdict, notes.into_iter().map(|note| note.what).collect()))
    }

    #[test]
    fn what_goes_against_a_rule_outweighs_the_rest() {
        let check = |write: fn(&mut Notes), expect: Verdict, words: &[&str]| {
            let words = words.iter().map(ToString::to_string).collect();
            assert_eq!(verdict(write), Some((expect, words)));
        };
        check(|n| n.holds("A", "x"), Verdict::Holds, &["x"]);
        check(
            |n| {
                n.holds("A", "x");
                n.broken("A", "y", vec![]);
                n.open("A", "z");
            },
            Verdict::Broken,
            &["y"],
        );
        check(
            |n| {
                n.absent("A", "w");
                n.open("A", "z");
                n.holds("A", "x");
            },
            Verdict::Holds,
            &["x"],
        );
        check(
            |n| {
                n.absent("A", "w");
                n.open("A", "z");
            },
            Verdict::Inconclusive,
            &["z"],
        );
        check(|n| n.absent("A", "w"), Verdict::NotApplicable, &["w"]);
        check(|n| n.judge("A", true, "x", Vec::new), Verdict::Holds, &["x"]);
        check(|n| n.judge("A", false, "x", Vec::new), Verdict::Broken, &["x"]);
        assert_eq!(verdict(|n| n.holds("B", "x")), None);
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let many = |count: usize| {
            verdict(|n| (0..count).for_each(|at| n.broken("A", at.to_string(), Vec::new())))
                .expect("a verdict")
                .1
        };
        assert_eq!(many(4), ["0", "1", "2", "3"]);
        assert_eq!(many(6), ["0", "1", "2", "3", "and 2 more like these"]);
        let same = verdict(|n| (0..9).for_each(|_| n.holds("A", "x")));
        assert_eq!(same, Some((Verdict::Holds, vec!["x".to_owned()])));
    }
}
