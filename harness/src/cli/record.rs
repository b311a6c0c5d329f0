//! `record`: stands between a client and a server and writes the conversation down.
//!
//! stdin and stdout are the client's; everything for people goes to stderr.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{Exit, Streams, server};
use crate::conversation::{SUMMARY_LIMIT, join_words};
use crate::engine::{Target, Unpinned};
use crate::record::relay::{Client, Event};
use crate::record::{Fault, Plan, Recorded, Variation, Verdict, record};
use crate::suite::{Rerun, Workspace, is_kebab};

/// Options of `record`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct RecordArgs {
    /// The file to write, ending in `.conv`; it must not be there.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What the conversation shows, in one line.
    #[arg(long, value_name = "TEXT", default_value = "A recorded conversation; say here what it shows.")]
    shows: String,
    /// The project under proyectos/ that the server runs over a copy of.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// The folder of the conversations; projects lie under its proyectos/.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// What `{{version}}` stands for; without it, what the server says of itself.
    #[arg(long, value_name = "VERSION")]
    server_version: Option<String>,
    /// Put a typed placeholder where a second run says another timestamp, UUID or number.
    #[arg(long)]
    volatile: bool,
    /// Keep white space between the tokens of the client's messages: such a line is written as bytes.
    #[arg(long)]
    exact: bool,
    /// The server's command, `{{project}}` standing for the project's copy.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Records what the options name.
pub(super) fn run(workspace: &Workspace, args: &RecordArgs, streams: &mut Streams<'_>) -> Exit {
    if let Some(why) = objection(&args.out, &args.shows) {
        streams.say_err(&why);
        return Exit::Usage;
    }
    let root = args.root.clone().unwrap_or_else(|| workspace.conversations());
    let plan = Plan {
        out: args.out.clone(),
        shows: args.shows.clone(),
        project: args.project.clone(),
        target: Target {
            command: args.command.clone(),
            version: args.server_version.clone(),
            projects: root.join("proyectos"),
            ..workspace.target("".as_ref(), "")
        },
        exact: args.exact,
        loosen: args.volatile,
    };
    let (sender, receiver) = mpsc::channel();
    if let Err(error) = pass_signals_on(&sender) {
        return streams.void(&format!("signals cannot be passed on: {error}"));
    }
    let client = Client {
        input: Box::new(io::stdin()),
        output: Box::new(io::stdout()),
        watched: Some(rustix::stdio::stdout()),
        errors: Box::new(io::stderr()),
    };
    let recorded = record(&plan, client, (sender, receiver), end_output, &mut |text| streams.say_err(text));
    match recorded {
        Ok(recorded) => {
            let again = again(args, &recorded);
            told(args, &recorded).iter().chain([&again]).for_each(|line| streams.say_err(line));
            if recorded.is_finished() { Exit::Passed } else { Exit::Failed }
        }
        Err(Fault::File(why)) => {
            streams.say_err(&why);
            Exit::Refused
        }
        Err(Fault::Server(why)) => streams.void(&why),
    }
}

/// What is wrong with the options before anything is started.
fn objection(out: &Path, shows: &str) -> Option<String> {
    let is_conversation =
        out.extension().is_some_and(|extension| extension == "conv") && is_kebab(out.file_stem());
    if !is_conversation {
        let shown = out.display();
        return Some(format!(
            "{shown}: a conversation is named in ASCII lower-case kebab and ends in `.conv`"
        ));
    }
    let length = shows.chars().count();
    let is_line = !shows.trim().is_empty() && length <= SUMMARY_LIMIT && !shows.contains(char::is_control);
    (!is_line).then(|| format!("--shows takes one line of at most {SUMMARY_LIMIT} characters"))
}

/// Signals that would end this process are the server's: its client means them for it.
fn pass_signals_on(events: &Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let events = events.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            // Nobody listens once the server has ended; what is left to do then is short.
            let _ = events.send(Event::Signal(signal));
        }
    });
    Ok(())
}

/// The client sees the end of the server's output when the server has ended, not when the replay is through.
fn end_output() {
    if let Ok(nowhere) = OpenOptions::new().write(true).open("/dev/null") {
        // Where it cannot be done, the client waits a little longer.
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
}

/// What came of it, a line each.
fn told(args: &RecordArgs, recorded: &Recorded) -> Vec<String> {
    let shown = crate::suite::shown(&args.out);
    let shown = shown.display();
    let mut lines: Vec<_> = recorded
        .objections
        .iter()
        .map(|objection| format!("no conversation holds this: {objection}"))
        .collect();
    match &recorded.verdict {
        Verdict::Same(unpinned) if recorded.objections.is_empty() => {
            lines.push(format!(
                "{shown} is recorded, and a fresh server says the same{}",
                not_pinned(*unpinned)
            ));
            return lines;
        }
        Verdict::Same(_) => {}
        Verdict::Varies(varies) => {
            lines.extend(varies.iter().map(|variation| format!("{shown}:{}", volatile(variation))));
            let how = "put the placeholders where the values stand, or record with --volatile";
            lines.push(format!("a second run does not say the same; {how}"));
        }
        Verdict::Differs(report) => {
            lines.push(format!("a second run does not go the same way:\n{}", report.trim_end()))
        }
    }
    lines.push(format!("{shown} is recorded, and not finished"));
    lines
}

fn volatile(variation: &Variation) -> String {
    let Variation { line, path, was, is, .. } = variation;
    let hint = variation.placeholders().map_or_else(
        || "no placeholder stands for both".to_owned(),
        |placeholders| format!("write {placeholders}"),
    );
    format!("{line}: {path} was {was}, is {is}: {hint}")
}

fn not_pinned(unpinned: Unpinned) -> String {
    match unpinned {
        Unpinned { places: 0, .. } => String::new(),
        some => format!("; not pinned: {some}"),
    }
}

/// The command that replays the file.
fn again(args: &RecordArgs, recorded: &Recorded) -> String {
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let version = recorded.version.as_deref().filter(|_| recorded.text.contains("{{version}}"));
    let options = server::options(Some(&join_words(&words)), version, args.root.as_deref());
    format!("replay it: {}", Rerun { options, ..Rerun::default() }.of("replay", &args.out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_has_a_name_that_runs_and_a_line_that_says_it() {
        let check = |out: &str, shows: &str, expect: Option<&str>| {
            let found = objection(Path::new(out), shows);
            assert_eq!(found.is_some(), expect.is_some(), "{out} {shows}: {found:?}");
            assert!(found.unwrap_or_default().contains(expect.unwrap_or_default()));
        };
        check("a/b-c.conv", "It.", None);
        for out in ["a", "a.txt", "A.conv", "a_b.conv", ".conv"] {
            check(out, "It.", Some("lower-case kebab"));
        }
        for shows in ["", " ", "a\nb", &"x".repeat(SUMMARY_LIMIT + 1)] {
            check("a.conv", shows, Some("--shows takes one line"));
        }
        check("a.conv", &"é".repeat(SUMMARY_LIMIT), None);
    }

    #[test]
    fn what_is_not_pinned_is_counted() {
        assert_eq!(not_pinned(Unpinned::default()), "");
        assert_eq!(not_pinned(Unpinned { places: 2, bytes: 9 }), "; not pinned: 2 places, 9 bytes");
    }
}
