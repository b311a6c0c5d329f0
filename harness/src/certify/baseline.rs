//! Failures that somebody has accepted, each with its reason: a TOML file.
//!
//! Owns its form. Listed and broken is accepted; listed and not broken is stale, and red: a baseline only shrinks.

use std::fmt;

use serde::Deserialize;

use super::Profile;

/// A whole baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Its entries, in the order of the file.
    #[serde(default)]
    accepted: Vec<Accepted>,
}

/// One accepted failure.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The name of the profile.
    pub profile: String,
    /// The id of the rule.
    pub rule: String,
    /// Why it is accepted.
    pub reason: String,
}

/// Why a text is no baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaselineFault {
    /// It is no TOML of this form.
    Form(String),
    /// A profile that there is none of.
    NoProfile(String),
    /// A rule that its profile does not have.
    NoRule(String, String),
    /// An entry without a reason.
    NoReason(String),
    /// A rule twice.
    Twice(String),
}

impl fmt::Display for BaselineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(why) => write!(f, "{}", why.trim_end()),
            Self::NoProfile(name) => write!(f, "there is no profile \"{name}\""),
            Self::NoRule(profile, rule) => write!(f, "the profile {profile} has no rule \"{rule}\""),
            Self::NoReason(rule) => write!(f, "the rule {rule} is accepted without a reason"),
            Self::Twice(rule) => write!(f, "the rule {rule} is accepted twice"),
        }
    }
}

impl std::error::Error for BaselineFault {}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// [`BaselineFault`], where an entry could never be looked at or says nothing.
    pub fn read(text: &str) -> Result<Self, BaselineFault> {
        let baseline: Self = toml::from_str(text).map_err(|error| BaselineFault::Form(error.to_string()))?;
        for (at, Accepted { profile, rule, reason }) in baseline.accepted.iter().enumerate() {
            let of = Profile::named(profile).ok_or_else(|| BaselineFault::NoProfile(profile.clone()))?;
            if of.rules().iter().all(|known| known.id != rule) {
                return Err(BaselineFault::NoRule(profile.clone(), rule.clone()));
            }
            if reason.trim().is_empty() {
                return Err(BaselineFault::NoReason(rule.clone()));
            }
            let same = |other: &Accepted| other.profile == *profile && other.rule == *rule;
            if baseline.accepted[..at].iter().any(same) {
                return Err(BaselineFault::Twice(rule.clone()));
            }
        }
        Ok(baseline)
    }

    /// The rules of a profile that are accepted, with their reasons.
    pub fn of(&self, profile: Profile) -> impl Iterator<Item = (&str, &str)> {
        self.accepted
            .iter()
            .filter(move |entry| entry.profile == profile.name())
            .map(|entry| (entry.rule.as_str(), entry.reason.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(profile: &str, rule: &str, reason: &str) -> String {
        format!("[[accepted]]\nprofile = \"{profile}\"\nrule = \"{rule}\"\nreason = \"{reason}\"\n")
    }

    #[test]
    fn a_baseline_names_rules_that_there_are_and_says_why() {
        let good = entry("mcp-2026-07-28", "RPC-6", "so it is") + &entry("mcp-2025-11-25", "RPC-4", "also");
        let baseline = Baseline::read(&good).expect("a baseline");
        assert_eq!(baseline.of(Profile::Modern).collect::<Vec<_>>(), [("RPC-6", "so it is")]);
        assert_eq!(baseline.of(Profile::Legacy).collect::<Vec<_>>(), [("RPC-4", "also")]);
        assert_eq!(Baseline::read(""), Ok(Baseline::default()));

        let check = |text: String, expect: &str| {
            let fault = Baseline::read(&text).expect_err(&text).to_string();
            assert!(fault.contains(expect), "{fault}");
        };
        check(entry("mcp", "RPC-6", "x"), "no profile \"mcp\"");
        check(entry("mcp-2025-11-25", "RPC-6", "x"), "mcp-2025-11-25 has no rule \"RPC-6\"");
        check(entry("mcp-2026-07-28", "RPC-6", " "), "RPC-6 is accepted without a reason");
        check(entry("mcp-2026-07-28", "RPC-6", "x").repeat(2), "RPC-6 is accepted twice");
        check("[[accepted]]\nrule = \"RPC-6\"\n".to_owned(), "missing field");
        check(entry("mcp-2026-07-28", "RPC-6", "x") + "more = 1\n", "unknown field");
        check("accepted".to_owned(), "expected");
    }
}
