//! What came of one conversation, and how it is told.
//!
//! Values and their printing. Must not decide an outcome; the replay does.

use std::fmt;

use super::process::Ending;

/// How a conversation ended. A fault of the harness or of the file never reads as one of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// Everything was as the conversation says.
    Passed,
    /// An answer, the exit code, stderr or what is left running is not what the conversation says.
    Mismatch,
    /// The server printed a message that no step expects.
    ExtraMessage,
    /// Something did not come in time.
    Timeout,
    /// The server ended before it had answered, or by a signal.
    ServerDied,
    /// The project was not left as it was.
    TreeChanged,
    /// stdout carried something that is no one-line JSON-RPC message.
    ImpureOutput,
    /// A result breaks the schema that the server itself publishes for it.
    SchemaBroken,
    /// The conversation or its project is at fault.
    BadFixture,
    /// The harness is at fault, or the machine; nothing is said about the server.
    HarnessError,
    /// This machine lacks what the conversation needs.
    NotApplicable,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 11] = [
        Self::Passed,
        Self::Mismatch,
        Self::ExtraMessage,
        Self::Timeout,
        Self::ServerDied,
        Self::TreeChanged,
        Self::ImpureOutput,
        Self::SchemaBroken,
        Self::BadFixture,
        Self::HarnessError,
        Self::NotApplicable,
    ];

    /// Its name for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Mismatch => "mismatch",
            Self::ExtraMessage => "extra message",
            Self::Timeout => "timeout",
            Self::ServerDied => "server died",
            Self::TreeChanged => "tree changed",
            Self::ImpureOutput => "impure output",
            Self::SchemaBroken => "schema broken",
            Self::BadFixture => "bad fixture",
            Self::HarnessError => "harness error",
            Self::NotApplicable => "not applicable",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The first thing that was not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub outcome: Outcome,
    /// In one sentence.
    pub headline: String,
    /// The line of the step it was found at.
    pub line: Option<usize>,
    /// The JSON path of the first difference.
    pub path: Option<String>,
    /// Both sides spread over lines: `-` was expected, `+` came.
    pub diff: Option<String>,
    /// What else is known: changes of the tree, an unfinished line, processes left.
    pub details: Vec<String>,
    /// Whether it is an answer that the step expected, with other content.
    pub only_content: bool,
}

impl Finding {
    /// A finding without a place yet.
    #[must_use]
    pub fn new(outcome: Outcome, headline: impl Into<String>) -> Self {
        Self {
            outcome,
            headline: headline.into(),
            line: None,
            path: None,
            diff: None,
            details: Vec::new(),
            only_content: false,
        }
    }

    /// The same with more that is known.
    #[must_use]
    pub fn with_details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }
}

/// The message that an expecting step got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The step's line.
    pub line: usize,
    /// The message, byte for byte, without its line feed.
    pub message: String,
    /// Whether the step expects exactly these bytes, its placeholders resolved.
    pub as_expected: bool,
}

/// What a server said where a conversation pins nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unpinned {
    /// At how many places.
    pub places: usize,
    /// In how many bytes.
    pub bytes: usize,
}

impl std::ops::AddAssign for Unpinned {
    fn add_assign(&mut self, other: Self) {
        self.places += other.places;
        self.bytes += other.bytes;
    }
}

impl fmt::Display for Unpinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let Self { places, bytes } = *self;
        write!(f, "{places} place{}, {bytes} byte{}", plural(places), plural(bytes))
    }
}

/// What came of one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The conversation's name.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, unless it passed.
    pub finding: Option<Finding>,
    /// The comment above the step of the finding.
    pub comment: Vec<String>,
    /// What each expecting step got, as far as the conversation went, in order of the steps.
    pub answers: Vec<Answer>,
    /// The end of what the server said on stderr, safe to show.
    pub stderr: String,
    /// How the server ended, where it did by the time of the outcome.
    pub ending: Option<Ending>,
    /// The canonical path of the project's copy while it ran, for `{{project}}`.
    pub project: Option<String>,
    /// The canonical path of the scratch folder while it ran, for `{{scratch}}`.
    pub scratch: Option<String>,
    /// What each `let` computed last and each name kept, for `{{NAME}}`.
    pub names: Vec<(String, String)>,
    /// What the conversation does not pin.
    pub unpinned: Unpinned,
}

impl Report {
    /// A report of a conversation that never ran.
    #[must_use]
    pub fn unrun(name: &str, finding: Finding) -> Self {
        Self {
            name: name.to_owned(),
            outcome: finding.outcome,
            finding: Some(finding),
            comment: Vec::new(),
            answers: Vec::new(),
            stderr: String::new(),
            ending: None,
            project: None,
            scratch: None,
            names: Vec::new(),
            unpinned: Unpinned::default(),
        }
    }

    /// A conversation that needs what this machine lacks.
    #[must_use]
    pub fn not_applicable(name: &str, why: &str) -> Self {
        Self::unrun(name, Finding::new(Outcome::NotApplicable, why))
    }

    /// A file that is no conversation.
    #[must_use]
    pub fn bad_fixture(name: &str, line: Option<usize>, why: &str) -> Self {
        let finding = Finding { line, ..Finding::new(Outcome::BadFixture, why) };
        Self::unrun(name, finding)
    }

    /// Whether everything was as the conversation says.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.outcome == Outcome::Passed
    }

    /// Whether nothing was wrong but the content of answers that came where they were expected.
    ///
    /// Only meaningful of a recorded conversation: a replayed one stops at the first difference.
    #[must_use]
    pub fn only_content_differs(&self) -> bool {
        self.finding.as_ref().is_some_and(|finding| finding.only_content)
    }
}

/// How many details a report prints.
const DETAILS: usize = 40;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(finding) = &self.finding else { return write!(f, "{}: {}", self.name, self.outcome) };
        match finding.line {
            Some(line) => writeln!(f, "{}:{line}: {}", self.name, self.outcome)?,
            None => writeln!(f, "{}: {}", self.name, self.outcome)?,
        }
        for line in &self.comment {
            writeln!(f, "  # {line}")?;
        }
        writeln!(f, "  {}", finding.headline)?;
        for detail in finding.details.iter().take(DETAILS) {
            writeln!(f, "  - {detail}")?;
        }
        if finding.details.len() > DETAILS {
            writeln!(f, "  - … and {} more", finding.details.len() - DETAILS)?;
        }
        if let Some(diff) = &finding.diff {
            writeln!(f, "  - expected  + came")?;
            write!(f, "{diff}")?;
        }
        if let Some(ending) = self.ending {
            writeln!(f, "  the server's end: {ending}")?;
        }
        if !self.stderr.is_empty() {
            writeln!(f, "  stderr:")?;
            for line in self.stderr.lines() {
                writeln!(f, "  | {line}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_names_of_their_own() {
        let words: std::collections::BTreeSet<_> =
            Outcome::ALL.iter().map(|outcome| outcome.word()).collect();
        assert_eq!(words.len(), Outcome::ALL.len());
        assert_eq!(Outcome::TreeChanged.to_string(), "tree changed");
    }

    #[test]
    fn a_report_tells_all_it_knows() {
        let finding = Finding {
            line: Some(7),
            diff: Some("- 1\n+ 2\n".to_owned()),
            only_content: true,
            ..Finding::new(Outcome::Mismatch, "it differs").with_details(["more".to_owned()])
        };
        let mut report = Report::unrun("a/b", finding);
        report.comment = vec!["why".to_owned()];
        report.ending = Some(Ending::Signal(11));
        report.stderr = "one\ntwo\n".to_owned();
        let expect = "a/b:7: mismatch\n  # why\n  it differs\n  - more\n  - expected  + came\n- 1\n+ 2\n  \
                      the server's end: signal SEGV\n  stderr:\n  | one\n  | two\n";
        assert_eq!(report.to_string(), expect);
        assert!(report.only_content_differs() && !report.passed());
    }

    #[test]
    fn a_report_of_what_never_ran_is_short() {
        let report = Report::not_applicable("a", "python3 is not there");
        assert_eq!(report.to_string(), "a: not applicable\n  python3 is not there\n");
        assert!(!report.only_content_differs());
        let report = Report::bad_fixture("a", Some(3), "no");
        assert_eq!(
            (report.outcome, report.to_string()),
            (Outcome::BadFixture, "a:3: bad fixture\n  no\n".to_owned())
        );
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let told = |count: usize| {
            let finding = Finding::new(Outcome::TreeChanged, "x");
            Report::unrun("a", finding.with_details((0..count).map(|at| at.to_string()))).to_string()
        };
        assert!(told(DETAILS).ends_with("\n  - 39\n"));
        assert!(told(DETAILS + 2).ends_with("\n  - 39\n  - … and 2 more\n"));
    }

    #[test]
    fn what_is_not_pinned_adds_up() {
        let mut sum = Unpinned { places: 1, bytes: 1 };
        assert_eq!(sum.to_string(), "1 place, 1 byte");
        sum += Unpinned { places: 1, bytes: 35 };
        assert_eq!(sum.to_string(), "2 places, 36 bytes");
        assert_eq!(Unpinned::default().to_string(), "0 places, 0 bytes");
    }

    #[test]
    fn what_passed_needs_no_words() {
        let mut report = Report::bad_fixture("a", None, "no");
        (report.outcome, report.finding) = (Outcome::Passed, None);
        assert!(report.passed() && !report.only_content_differs());
        assert_eq!(report.to_string(), "a: passed");
    }
}
