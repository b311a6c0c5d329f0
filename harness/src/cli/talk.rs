//! `talk`: a conversation by hand, with an arrow at every line that travels.

use std::ffi::OsString;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};

use super::{Exit, Streams};
use crate::conversation::Header;
use crate::engine::lines::Lines;
use crate::engine::process::Server;
use crate::engine::stage::Stage;
use crate::engine::{Ending, Target, visible};
use crate::record::attend::{Patience, attend};
use crate::record::relay::{self, Client, Event};
use crate::record::transcript::Transcript;
use crate::record::typed::Typed;
use crate::suite::Workspace;

/// How many bytes of a line are shown.
const SHOWN: usize = 1 << 20;

/// Options of `talk`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct TalkArgs {
    /// The project under proyectos/ that the server runs over a copy of.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// The folder of the conversations; projects lie under its proyectos/.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Short requests say nothing of a revision, as before 2026-07-28.
    #[arg(long)]
    legacy: bool,
    /// The server's command, `{{project}}` standing for the project's copy.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Talks to the server that the options name until stdin ends.
pub(super) fn run(workspace: &Workspace, args: &TalkArgs, streams: &mut Streams<'_>) -> Exit {
    let root = args.root.clone().unwrap_or_else(|| workspace.conversations());
    let target = Target {
        command: args.command.clone(),
        version: None,
        projects: root.join("proyectos"),
        ..workspace.target("".as_ref(), "")
    };
    let header = Header { project: args.project.clone(), ..Header::default() };
    let staged = Stage::set(&header, &target)
        .and_then(|stage| Ok((stage.command(&header, &target, |text| Ok(text.to_owned()))?, stage)));
    let (command, stage) = match staged {
        Ok(staged) => staged,
        Err(finding) => return streams.void(&finding.headline),
    };
    let (server, pipes) = match Server::spawn(&command, &stage.scratch) {
        Ok(started) => started,
        Err(error) => return streams.void(&format!("the server cannot be started: {error}")),
    };
    let (sender, receiver) = mpsc::channel();
    let (answered, pace) = mpsc::channel();
    // A person keeps the pace; lines from a pipe wait for the answer to the one before.
    let pace = (!io::stdin().is_terminal()).then_some(pace);
    let typed = Typed::new(BufReader::new(io::stdin()), !args.legacy, pace, |why| {
        let _ = writeln!(io::stderr(), "harness: {why}");
    });
    let client = Client {
        input: Box::new(typed),
        output: Box::new(io::sink()),
        watched: None,
        errors: Box::new(io::sink()),
    };
    relay::start(pipes, client, &sender);
    let mut shown = Shown::new(answered);
    let mut told = Vec::new();
    let ending = attend(
        &server,
        &receiver,
        Patience::default(),
        &mut |text| told.push(text.to_owned()),
        &mut |event, at, _| {
            shown.transcript.take(event, at);
            shown.lines(event).iter().for_each(|line| streams.say(line));
            shown.pace()
        },
    );
    told.iter().for_each(|line| streams.say_err(line));
    match ending {
        Some(ending) => streams.say(&format!("= {ending}")),
        None => streams.say_err("the server's end cannot be seen"),
    }
    if ending == Some(Ending::Exit(0)) { Exit::Passed } else { Exit::Failed }
}

/// What travels, as lines with arrows.
struct Shown {
    transcript: Transcript,
    answered: Sender<()>,
    client: Lines,
    server: Lines,
    people: Lines,
}

impl Shown {
    fn new(answered: Sender<()>) -> Self {
        let endless = || Lines::new(usize::MAX);
        Self {
            transcript: Transcript::default(),
            answered,
            client: endless(),
            server: endless(),
            people: endless(),
        }
    }

    fn lines(&mut self, event: &Event) -> Vec<String> {
        let (arrow, lines, bytes) = match event {
            Event::Sent(bytes) => ("→", &mut self.client, bytes.as_slice()),
            Event::Said(bytes) => ("←", &mut self.server, bytes.as_slice()),
            Event::Complained(bytes) => ("!", &mut self.people, bytes.as_slice()),
            Event::Closed => return rest("→", &self.client),
            Event::Silent => return rest("←", &self.server),
            Event::Quiet => return rest("!", &self.people),
            Event::Signal(number) => return vec![format!("→ signal {number}")],
            Event::HungUp | Event::Ended => return Vec::new(),
        };
        let mut whole = Vec::new();
        // No line is too long for a limit of all there is.
        let _ = lines.feed(bytes, &mut whole);
        whole.iter().map(|line| format!("{arrow} {}", visible(line, SHOWN))).collect()
    }

    /// Lets the next line go once nothing waits for an answer; says whether something does.
    fn pace(&self) -> bool {
        let waits = self.transcript.waits();
        if !waits {
            // The reader of lines may be at their end.
            let _ = self.answered.send(());
        }
        waits
    }
}

/// What is left of a line without its line feed.
fn rest(arrow: &str, lines: &Lines) -> Vec<String> {
    let rest = lines.partial();
    if rest.is_empty() {
        Vec::new()
    } else {
        vec![format!("{arrow} {} (no line feed)", visible(rest, SHOWN))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_travels_has_its_arrow() {
        let (answered, _) = mpsc::channel();
        let mut shown = Shown::new(answered);
        let mut check = |event: Event, expect: &[&str]| assert_eq!(shown.lines(&event), expect);
        check(Event::Sent(b"{\"a\":1}\n{".to_vec()), &["→ {\"a\":1}"]);
        check(Event::Said(b"one\ntwo\nthr".to_vec()), &["← one", "← two"]);
        check(Event::Said(b"ee\n".to_vec()), &["← three"]);
        check(Event::Complained(b"\x1b!\n".to_vec()), &["! \\u{1b}!"]);
        check(Event::Closed, &["→ { (no line feed)"]);
        check(Event::Silent, &[]);
        check(Event::Signal(15), &["→ signal 15"]);
    }
}
