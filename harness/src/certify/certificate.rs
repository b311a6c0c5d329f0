//! What came of a whole run: a verdict about each rule, and what that is worth together.

use std::collections::BTreeMap;

use super::baseline::Baseline;
use super::notes::{Note, Notes};
use super::rule::{Level, Rule, Sight, Verdict};
use super::{Profile, Subject};

/// One rule and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The rule.
    pub rule: Rule,
    /// What came of it.
    pub verdict: Verdict,
    /// What was seen, or why nothing was.
    pub notes: Vec<Note>,
    /// Why a baseline accepts that it is broken.
    pub accepted: Option<String>,
}

impl Judged {
    /// Whether it makes the whole run red.
    #[must_use]
    pub fn is_red(&self, strict: bool) -> bool {
        let binds = match self.rule.level {
            Level::Must | Level::Shape => true,
            Level::Should => strict,
            Level::Report => false,
        };
        self.verdict == Verdict::Broken && binds && self.accepted.is_none()
    }

    /// Whether it is broken at a level that a server is told about and not held to.
    #[must_use]
    pub fn is_warning(&self, strict: bool) -> bool {
        self.verdict == Verdict::Broken && self.accepted.is_none() && !self.is_red(strict)
    }
}

/// How many rules came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Broken, and red.
    pub failed: usize,
    /// Broken at a level that is only told.
    pub warned: usize,
    /// Broken, and accepted by the baseline.
    pub accepted: usize,
    /// Nothing against them was seen.
    pub held: usize,
    /// What was needed to look did not come about.
    pub inconclusive: usize,
    /// They do not bind this server.
    pub not_applicable: usize,
    /// No client can look at them.
    pub not_observed: usize,
}

/// What came of a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The contract.
    pub profile: Profile,
    /// The server, as the run was told.
    pub server: String,
    /// Its own name and version.
    pub identity: Option<String>,
    /// Every rule of the contract, in its order.
    pub rules: Vec<Judged>,
    /// Whether SHOULD counts like MUST.
    pub strict: bool,
    /// Entries of the baseline that nothing broken answers to: the rule, and what it came to.
    pub stale: Vec<(String, Verdict)>,
}

impl Certificate {
    /// Puts what was noted beside every rule of a profile.
    pub(super) fn new(profile: Profile, subject: &Subject, notes: &Notes, identity: Option<String>) -> Self {
        let of_a_profile =
            |id: &str| Profile::ALL.into_iter().flat_map(Profile::rules).any(|rule| rule.id == id);
        debug_assert!(notes.rules().all(of_a_profile), "a probe writes about a rule that there is not");
        let over_http = !matches!(subject, Subject::Command(_));
        let rules = profile.rules().into_iter().map(|rule| judged(rule, notes, over_http)).collect();
        Self { profile, server: subject.shown(), identity, rules, strict: false, stale: Vec::new() }
    }

    /// Holds the run to a baseline: what it lists and is broken is accepted, what it lists and holds is stale.
    pub fn accept(&mut self, baseline: &Baseline) {
        let reasons: BTreeMap<_, _> = baseline.of(self.profile).collect();
        for judged in &mut self.rules {
            let Some(reason) = reasons.get(judged.rule.id) else { continue };
            if judged.verdict == Verdict::Broken {
                judged.accepted = Some((*reason).to_owned());
            } else {
                self.stale.push((judged.rule.id.to_owned(), judged.verdict));
            }
        }
    }

    /// How many rules came to what.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for judged in &self.rules {
            let count = match judged.verdict {
                Verdict::Broken if judged.accepted.is_some() => &mut counts.accepted,
                Verdict::Broken if judged.is_red(self.strict) => &mut counts.failed,
                Verdict::Broken => &mut counts.warned,
                Verdict::Holds => &mut counts.held,
                Verdict::Inconclusive => &mut counts.inconclusive,
                Verdict::NotApplicable => &mut counts.not_applicable,
                Verdict::NotObserved => &mut counts.not_observed,
            };
            *count += 1;
        }
        counts
    }

    /// Whether nothing is red.
    #[must_use]
    pub fn is_green(&self) -> bool {
        let counts = self.counts();
        counts.failed == 0 && self.stale.is_empty()
    }

    /// Whether anything was shown at all.
    #[must_use]
    pub fn shows_something(&self) -> bool {
        let Counts { failed, warned, accepted, held, .. } = self.counts();
        failed + warned + accepted + held > 0
    }
}

fn judged(rule: Rule, notes: &Notes, over_http: bool) -> Judged {
    let told = |verdict: Verdict, what: &str| {
        (verdict, vec![Note { verdict, what: what.to_owned(), lines: Vec::new() }])
    };
    let (verdict, notes) = match rule.sight {
        Sight::Unseen(why) => told(Verdict::NotObserved, why),
        Sight::Stdio if over_http => told(Verdict::NotApplicable, "a rule of servers that are processes"),
        Sight::Http if !over_http => {
            told(Verdict::NotApplicable, "a rule of servers that are reached by --url")
        }
        _ => notes.verdict(rule.id).unwrap_or_else(|| told(Verdict::Inconclusive, "no probe got so far")),
    };
    Judged { rule, verdict, notes, accepted: None }
}
