//! One recording from its first byte to a conversation that replays.
//!
//! Owns the order of things: the file before the server, what was said before its judgement.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use super::attend::{Patience, attend};
use super::journal::Journal;
use super::naming::Naming;
use super::relay::{self, Client, Event};
use super::transcript::{Entry, Transcript};
use super::verify::{Verdict, settle, verify};
use super::written::{self, Setting};
use crate::bless::{Values, hashes};
use crate::conversation::{self, Conversation, Header, print, read, render, render_header};
use crate::engine::process::Server;
use crate::engine::stage::Stage;
use crate::engine::{Ending, Target};

/// What is recorded, and where it goes.
pub struct Plan {
    /// The file; it must not be there.
    pub out: PathBuf,
    /// What the conversation shows, in one line.
    pub shows: String,
    /// The project that the server runs over a copy of.
    pub project: Option<String>,
    /// The server's command; `{{project}}` in it is the copy. A version is taken from the server where none is given.
    pub target: Target,
    /// Whether white space between the tokens of the client's messages is kept.
    pub exact: bool,
    /// Whether values that differ between two runs get typed placeholders.
    pub loosen: bool,
}

/// What came of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The conversation as it stands in its file.
    pub text: String,
    /// The version that stands behind `{{version}}` in it.
    pub version: Option<String>,
    /// What no conversation can hold.
    pub objections: Vec<String>,
    /// What a fresh server made of it.
    pub verdict: Verdict,
}

impl Recorded {
    /// Whether the conversation is finished: everything that happened is in it, and a fresh server says the same.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.objections.is_empty() && matches!(self.verdict, Verdict::Same(_))
    }
}

/// Why there is no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file is there, or cannot be written.
    File(String),
    /// The server cannot be started, or the harness is at fault.
    Server(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(why) | Self::Server(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Fault {}

/// Records until client and server are done, and replays what was recorded once.
///
/// `events` carries what passes; whoever has its other end may tell of signals. `tell` hears what a person has to know
/// while it goes on, and `done` is called when the client has all it will get.
///
/// # Errors
/// [`Fault`]; a file that was begun holds what was said until then.
pub fn record(
    plan: &Plan,
    client: Client,
    (events, told): (Sender<Event>, Receiver<Event>),
    done: impl FnOnce(),
    tell: &mut dyn FnMut(&str),
) -> Result<Recorded, Fault> {
    let journal = Journal::create(&plan.out).map_err(Fault::File)?;
    let header = Header { project: plan.project.clone(), ..Header::default() };
    let (stage, command) = match stage(&header, &plan.target) {
        Ok(staged) => staged,
        Err(why) => {
            journal.discard();
            return Err(Fault::Server(why));
        }
    };
    let (server, streams) = match Server::spawn(&command, &stage.scratch) {
        Ok(started) => started,
        Err(error) => {
            journal.discard();
            let program = plan.target.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
            return Err(Fault::Server(format!("the server \"{program}\" cannot be started: {error}")));
        }
    };
    let values = Values {
        project: stage.project.to_str().map(str::to_owned),
        scratch: stage.scratch.to_str().map(str::to_owned),
        ..Values::default()
    };
    relay::start(streams, client, &events);
    let mut session = Session { plan, journal, values, naming: Naming::of_surroundings(), named: Vec::new() };
    let transcript = session.listen(&server, &told, tell);
    done();
    // Nothing of it is needed any more, and what it left behind goes before another one is started.
    drop(server);
    session.conclude(&transcript)
}

/// The folders that the server runs in, and its command line there.
fn stage(header: &Header, target: &Target) -> Result<(Stage, Vec<OsString>), String> {
    let stage = Stage::set(header, target).map_err(|finding| finding.headline)?;
    let command =
        stage.command(header, target, |text| Ok(text.to_owned())).map_err(|finding| finding.headline)?;
    Ok((stage, command))
}

struct Session<'p> {
    plan: &'p Plan,
    journal: Journal,
    values: Values,
    naming: Naming,
    /// What was said already of what the recording gives away.
    named: Vec<String>,
}

impl Session<'_> {
    /// Takes note of everything until the server has ended and said all.
    fn listen(&mut self, server: &Server, told: &Receiver<Event>, tell: &mut dyn FnMut(&str)) -> Transcript {
        let mut transcript = Transcript::default();
        let mut written = 0;
        self.journal.add(&self.head("A recording that is still going on, or that was cut off."));
        let ending = attend(server, told, Patience::default(), tell, &mut |event, at, tell| {
            transcript.take(event, at);
            for entry in &transcript.entries[written..] {
                self.write(entry, tell);
            }
            written = transcript.entries.len();
            transcript.waits()
        });
        // An end that cannot be seen is taken for a good one, and the replay will tell.
        transcript.end(ending.unwrap_or(Ending::Exit(0)));
        transcript
    }

    /// Adds what happened to the file, and names first what it gives away.
    fn write(&mut self, entry: &Entry, tell: &mut dyn FnMut(&str)) {
        let text = match entry {
            Entry::Complained(line) => {
                format!("# stderr: {}\n", crate::engine::visible(line.as_bytes(), 400))
            }
            Entry::Noise { line, why } => format!("# no message ({why}): {line}\n"),
            _ => written::step_of(entry, false, self.plan.exact, &self.values)
                .map(|action| render(&action))
                .unwrap_or_default(),
        };
        for name in self.naming.found_in(&text) {
            if !self.named.iter().any(|known| known == name) {
                tell(&format!("the recording holds the value of {name}"));
                self.named.push(name.to_owned());
            }
        }
        self.journal.add(&text);
    }

    fn head(&self, comment: &str) -> String {
        let header = Header {
            comment: vec![comment.to_owned()],
            project: self.plan.project.clone(),
            ..Header::default()
        };
        render_header(&header) + "---\n"
    }

    /// Writes the conversation, replays it, and writes what came of that.
    fn conclude(self, transcript: &Transcript) -> Result<Recorded, Fault> {
        let plan = self.plan;
        let version = plan.target.version.clone().or_else(|| written::version(&transcript.entries));
        let target = Target { version: version.clone(), ..plan.target.clone() };
        let project = plan.project.as_ref().map(|project| target.projects.join(project));
        let files = hashes(project.as_deref(), target.embedded_root.as_deref()).unwrap_or_default();
        let values = Values { version: version.clone(), files, ..self.values.clone() };
        let setting = Setting {
            shows: &plan.shows,
            project: plan.project.as_deref(),
            values: &values,
            naming: &self.naming,
            exact: plan.exact,
        };
        let mine = |fault: conversation::Fault| {
            Fault::Server(format!("what was recorded is no conversation: {fault}"))
        };
        let (conversation, objections) = written::conversation(transcript, &setting).map_err(mine)?;
        let conversation = noted(conversation, "it was not replayed yet.").map_err(mine)?;
        // Whoever ends this process now finds all that was said.
        self.journal.finish(&print(&conversation)).map_err(Fault::File)?;
        let name = crate::suite::shown(&plan.out).display().to_string();
        let (conversation, verdict) = if plan.loosen {
            settle(conversation, &target, &name).map_err(mine)?
        } else {
            let verdict = verify(&conversation, &target, &name);
            (conversation, verdict)
        };
        let conversation = match unfinished(&objections, &verdict) {
            Some(why) => noted(conversation, &why),
            None => without_note(conversation),
        };
        let text = print(&conversation.map_err(mine)?);
        self.journal.finish(&text).map_err(Fault::File)?;
        Ok(Recorded { text, version, objections, verdict })
    }
}

/// Why a recording is not finished, if it is not.
fn unfinished(objections: &[String], verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Same(_) if objections.is_empty() => None,
        Verdict::Same(_) => Some("the server said what no conversation holds.".to_owned()),
        Verdict::Varies(varies) => {
            Some(format!("places that a second run does not say the same: {}.", varies.len()))
        }
        Verdict::Differs(_) => Some("a second run does not go the same way.".to_owned()),
    }
}

/// The conversation with a comment that it is not finished and why, always of the same height: the lines below are told.
fn noted(mut conversation: Conversation, why: &str) -> Result<Conversation, conversation::Fault> {
    conversation.header.comment.truncate(1);
    conversation.header.comment.extend([String::new(), format!("Not finished: {why}")]);
    again(conversation)
}

fn without_note(mut conversation: Conversation) -> Result<Conversation, conversation::Fault> {
    conversation.header.comment.truncate(1);
    again(conversation)
}

/// Prints and reads a conversation whose header changed, so that it knows its lines.
fn again(mut conversation: Conversation) -> Result<Conversation, conversation::Fault> {
    conversation.header.source = render_header(&conversation.header);
    read(&print(&conversation))
}
