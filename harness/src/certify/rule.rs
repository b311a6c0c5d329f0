//! A rule of a published contract, and what a run can say about it.
//!
//! Data only. What is looked at is the probes'; what came of it is [`super::certificate`]'s.

/// How much a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The source says MUST, MUST NOT, DEBE.
    Must,
    /// The source gives a shape or a fact without a keyword; a client that believes it breaks otherwise.
    Shape,
    /// The source says SHOULD, SHOULD NOT, DEBERÍA.
    Should,
    /// Only a client that breaks a duty of its own can look at it: told, and never held against the server.
    Report,
}

impl Level {
    /// The word of a report.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Shape => "SHAPE",
            Self::Should => "SHOULD",
            Self::Report => "REPORT",
        }
    }
}

/// Where a rule can be observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// On every transport.
    Any,
    /// Only with a process whose streams are at hand.
    Stdio,
    /// Only over HTTP.
    Http,
    /// Nowhere from a client's side, and why; what was not looked at.
    Unseen(&'static str),
}

/// One rule of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, the same from one version of the harness to the next.
    pub id: &'static str,
    /// How much it binds.
    pub level: Level,
    /// Where the contract says so.
    pub source: &'static str,
    /// What a server that keeps it does.
    pub says: &'static str,
    /// Where it can be observed.
    pub sight: Sight,
}

/// What came of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Something was seen that goes against it.
    Broken,
    /// It was to be looked at, and what was needed for it did not come about.
    Inconclusive,
    /// It was looked at, and nothing goes against it.
    Holds,
    /// It binds only servers, or transports, of another kind.
    NotApplicable,
    /// No client can look at it from outside.
    NotObserved,
}

impl Verdict {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 5] =
        [Self::Broken, Self::Inconclusive, Self::Holds, Self::NotApplicable, Self::NotObserved];

    /// The words of a report.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Inconclusive => "inconclusive",
            Self::Holds => "holds",
            Self::NotApplicable => "not applicable",
            Self::NotObserved => "not observed",
        }
    }
}
