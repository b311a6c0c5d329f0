//! A running conversation: its server, what went out, what came in, and waiting for what is still to come.
//!
//! Owns the state of one run. What a step does is [`super::steps`]' and how it ends is [`super::ending`]'s.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use super::Target;
use super::fingerprint::Roots;
use super::ledger::{Ledger, Standing};
use super::process::{Ending, Server};
use super::pumps::{Output, Pumps};
use super::purity::{self, Identity, Impurity, Message};
use super::report::{Answer, Finding, Outcome, Unpinned};
use super::resolve::{Unresolved, Values};
use super::stage::Stage;
use super::tree::{self, Look, Snapshot};
use super::visible::visible;
use crate::conversation::Conversation;

/// How long a step may take where its conversation does not say.
const DEADLINE: Duration = Duration::from_secs(10);

/// How many bytes of messages may wait while something else is waited for; a server that prints without end is stopped
/// here.
const INBOX_LIMIT: usize = 16 << 20;

/// How many bytes of a line a finding shows.
pub const SHOWN: usize = 2_000;

/// Whether answers are held against the conversation, or also written down where it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The first difference ends the conversation.
    Replay,
    /// Answers that are not filled in are taken, and other content where an answer is due does not end it.
    Record,
}

/// What arrived on stdout, with what its id stood for at that moment.
pub struct Arrival {
    /// A message, or what is none.
    pub line: Result<Message, Impurity>,
    /// Whose answer it was then.
    pub standing: Option<Standing>,
}

/// One conversation with one server.
pub struct Session<'c> {
    pub conversation: &'c Conversation,
    pub target: &'c Target,
    pub mode: Mode,
    pub limit: Duration,
    /// The index of the current step.
    pub at: usize,
    // Streams go before the server: its end closes what reads them.
    pub pumps: Pumps,
    pub server: Server,
    pub ledger: Ledger,
    pub inbox: VecDeque<Arrival>,
    inbox_bytes: usize,
    /// Messages that came before their step, which promises no order.
    pub early: VecDeque<(Message, Option<Standing>)>,
    pub names: BTreeMap<String, String>,
    pub answers: Vec<Answer>,
    /// What was said where the conversation pins nothing.
    pub unpinned: Unpinned,
    /// In [`Mode::Record`], the first answer with other content.
    pub differs: Option<Finding>,
    /// Texts that stderr was awaited to hold.
    pub awaited: Vec<String>,
    /// Whether a step has named how the server ends.
    pub ended_as_said: bool,
    /// The project's copy as it must stay.
    pub baseline: Snapshot,
    /// The project itself as it must stay.
    pub original: Snapshot,
    // The folders go last.
    pub stage: Stage,
}

impl<'c> Session<'c> {
    /// Sets the stage and starts the server.
    ///
    /// # Errors
    /// A bad fixture, or a server that cannot be started, which is the harness's fault.
    pub fn start(conversation: &'c Conversation, target: &'c Target, mode: Mode) -> Result<Self, Finding> {
        let header = &conversation.header;
        let stage = Stage::set(header, target)?;
        let original = match &stage.original {
            Some(original) => {
                Snapshot::take(original, Look::Metadata).map_err(|e| mine("the project", &e))?
            }
            None => Snapshot::default(),
        };
        let baseline = Snapshot::take(&stage.project, Look::Bytes).map_err(|e| mine("the copy", &e))?;
        let names = BTreeMap::new();
        let command = command(&stage, conversation, target, &names)?;
        let (server, streams) = Server::spawn(&command, &stage.scratch).map_err(|error| {
            let program =
                command.first().map(|word| visible(word.as_encoded_bytes(), 400)).unwrap_or_default();
            Finding::new(
                Outcome::HarnessError,
                format!("the server \"{program}\" cannot be started: {error}"),
            )
        })?;
        let pumps = Pumps::new(streams).map_err(|error| mine("the server's streams", &error))?;
        // The server starts while this waits, so it costs next to nothing.
        tree::settle(&baseline, &stage.probe()).map_err(|error| mine("the copy", &error))?;
        Ok(Self {
            conversation,
            target,
            mode,
            limit: header.deadline_ms.map_or(DEADLINE, Duration::from_millis),
            at: 0,
            pumps,
            server,
            ledger: Ledger::new(),
            inbox: VecDeque::new(),
            inbox_bytes: 0,
            early: VecDeque::new(),
            names,
            answers: Vec::new(),
            unpinned: Unpinned::default(),
            differs: None,
            awaited: Vec::new(),
            ended_as_said: false,
            baseline,
            original,
            stage,
        })
    }

    /// What placeholders stand for now.
    pub fn values(&self) -> Values<'_> {
        values(&self.stage, self.target, &self.names)
    }

    /// How the server ended, if it has.
    pub fn ending(&self) -> Result<Option<Ending>, Finding> {
        self.server.ending().map_err(|error| mine("the server's end", &error))
    }

    /// Moves what is ready without waiting.
    pub fn catch_up(&mut self) -> Result<(), Finding> {
        self.pumps.turn(Instant::now()).map_err(|error| mine("the server's streams", &error))?;
        self.take_in();
        Ok(())
    }

    /// Waits until `done` says so or the step's time is up, which gives `None`.
    pub fn wait<T>(&mut self, mut done: impl FnMut(&mut Self) -> Option<T>) -> Result<Option<T>, Finding> {
        let deadline = Instant::now() + self.limit;
        let mut time_left = true;
        loop {
            if let Some(value) = done(self) {
                return Ok(Some(value));
            }
            if self.inbox_bytes > INBOX_LIMIT {
                let headline = "the server prints message after message that no step has come to";
                return Err(Finding::new(Outcome::ExtraMessage, headline));
            }
            if !time_left {
                return Ok(None);
            }
            time_left = self.pumps.turn(deadline).map_err(|error| mine("the server's streams", &error))?;
            self.take_in();
        }
    }

    /// Waits until everything that was sent is written, or never will be; a full pipe at the deadline is let be.
    pub fn flush(&mut self) -> Result<(), Finding> {
        self.wait(|session| session.pumps.flushed().then_some(())).map(|_| ())
    }

    /// Waits for the next message; none where the server has ended or the step's time is up.
    pub fn next_arrival(&mut self) -> Result<Option<Arrival>, Finding> {
        let next = self.wait(|session| match session.inbox.pop_front() {
            Some(arrival) => {
                session.inbox_bytes -= arrival.bytes();
                Some(Some(arrival))
            }
            None => session.pumps.drained().then_some(None),
        })?;
        Ok(next.flatten())
    }

    /// Reads what came out of stdout and says of each answer whose it is now.
    fn take_in(&mut self) {
        for output in self.pumps.take_outputs() {
            let line = match output {
                Output::Line(line) if self.conversation.header.spacing_free => purity::check_spaced(&line),
                Output::Line(line) => purity::check(&line),
                Output::HalfLine(line) => Err(Impurity {
                    why: "the output ends inside a line, without its line feed".to_owned(),
                    line,
                }),
                Output::EndlessLine(line) => Err(Impurity { why: "a line without end".to_owned(), line }),
            };
            let standing = match &line {
                Ok(Message { identity: Identity::Answer(Some(id)), .. }) => Some(self.ledger.arrived(id)),
                _ => None,
            };
            let arrival = Arrival { line, standing };
            self.inbox_bytes += arrival.bytes();
            self.inbox.push_back(arrival);
        }
    }

    /// The finding that nothing came although `what` was waited for.
    pub fn nothing_came(&self, what: &str) -> Result<Finding, Finding> {
        let mut details = Vec::new();
        let partial = self.pumps.partial();
        if !partial.is_empty() && !self.pumps.stdout_ended() {
            details.push(format!("unfinished line: {}", visible(partial, SHOWN)));
        }
        let pending: Vec<_> = self.ledger.pending().into_iter().map(ToString::to_string).collect();
        if !pending.is_empty() {
            details.push(format!("requests without an answer: {}", pending.join(", ")));
        }
        let finding = if let Some(ending) = self.ending()? {
            details.extend(self.server.left().into_iter().map(|left| format!("still running: {left}")));
            Finding::new(Outcome::ServerDied, format!("the server ended ({ending}) before {what}"))
        } else {
            let closed = ": stdout is closed, and the server lives on";
            let closed = if self.pumps.stdout_ended() { closed } else { "" };
            let headline = format!("no {what} within {} ms{closed}", self.limit.as_millis());
            Finding::new(Outcome::Timeout, headline)
        };
        Ok(finding.with_details(details))
    }
}

impl Arrival {
    fn bytes(&self) -> usize {
        match &self.line {
            Ok(message) => message.text.len(),
            Err(impurity) => impurity.line.len(),
        }
    }

    /// The finding that a line is no message.
    pub fn impure(impurity: &Impurity) -> Finding {
        let line =
            if impurity.line.is_empty() { "(nothing)".to_owned() } else { visible(&impurity.line, SHOWN) };
        Finding::new(Outcome::ImpureOutput, format!("stdout carries what is no message: {}", impurity.why))
            .with_details([format!("the line: {line}")])
    }
}

/// The command line that starts the server on a stage.
pub fn command(
    stage: &Stage,
    conversation: &Conversation,
    target: &Target,
    names: &BTreeMap<String, String>,
) -> Result<Vec<std::ffi::OsString>, Finding> {
    stage.command(&conversation.header, target, |text| {
        values(stage, target, names).plain(text).map_err(unresolved)
    })
}

fn values<'v>(stage: &'v Stage, target: &'v Target, names: &'v BTreeMap<String, String>) -> Values<'v> {
    Values {
        roots: Roots { project: &stage.project, embedded: target.embedded_root.as_deref() },
        scratch: &stage.scratch,
        version: target.version.as_deref(),
        names,
    }
}

/// A text without value as a finding.
pub fn unresolved((outcome, why): Unresolved) -> Finding {
    Finding::new(outcome, why)
}

/// A fault of the machine or of the harness.
pub fn mine(what: &str, error: &io::Error) -> Finding {
    Finding::new(Outcome::HarnessError, format!("{what}: {error}"))
}
