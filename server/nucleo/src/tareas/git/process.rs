//! Running `git` so that it reads and does nothing else.
//!
//! Owns what is taken away from it: locks and refreshes of the index, hooks, the file system monitor, filters
//! of the repository's own configuration, signature programs, downloads, prompts, variables that point it
//! elsewhere. Must not know what it is asked.

use crate::algebra::Cancellation;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long one question may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// How often a running question looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(10);

/// Most bytes that one answer may have.
const OUTPUT_LIMIT_BYTES: u64 = 256 * 1024 * 1024;

/// Settings that hold whatever the repository says.
const SETTINGS: [(&str, &str); 5] = [
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.hooksPath", "/dev/null"),
    ("protocol.allow", "never"),
    ("log.showSignature", "false"),
];

/// What `git` answered.
#[derive(Debug, Default)]
pub(in crate::tareas) struct Output {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Output {
    /// Whether its complaint holds these words.
    pub fn says(&self, words: &str) -> bool {
        String::from_utf8_lossy(&self.stderr).contains(words)
    }

    /// Its complaint, for people.
    pub fn complaint(&self) -> String {
        let complaint = String::from_utf8_lossy(&self.stderr).trim().to_owned();
        match (complaint.is_empty(), self.code) {
            (false, _) => complaint,
            (true, Some(code)) => format!("terminó con código {code}"),
            (true, None) => "lo terminó una señal".to_owned(),
        }
    }
}

/// Why there is no answer. Printed in Spanish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tareas) enum GitFault {
    /// There is no such program.
    Missing,
    /// It did not end within [`DEADLINE`].
    Deadline,
    /// It answered more than [`OUTPUT_LIMIT_BYTES`].
    TooMuch,
    /// The operating system refused.
    Refused(String),
    /// The caller asked to stop.
    Cancelled,
}

impl fmt::Display for GitFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitFault::Missing => {
                f.write_str("Git no está instalado y hace falta para comprobar el seguimiento")
            }
            GitFault::Deadline => write!(f, "Git tardó más de {} segundos", DEADLINE.as_secs()),
            GitFault::TooMuch => write!(f, "la respuesta de Git pasa los {OUTPUT_LIMIT_BYTES} bytes"),
            GitFault::Refused(reason) => write!(f, "no se pudo consultar Git: {reason}"),
            GitFault::Cancelled => f.write_str("se canceló la consulta"),
        }
    }
}

/// Asks `git` in `folder`.
pub(in crate::tareas) fn run(
    folder: &Path,
    arguments: &[String],
    cancellation: &Cancellation,
) -> Result<Output, GitFault> {
    let mut command = bare_command(folder);
    // Of the questions asked, only this one looks at contents, which a filter of the repository's own
    // configuration would be run over.
    if arguments.first().is_some_and(|verb| verb == "status") {
        turn_filters_off(&mut command, folder, cancellation)?;
    }
    command.args(arguments);
    wait(command, cancellation)
}

/// `git` in `folder` with nothing to do yet.
fn bare_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    // A repository that the environment selects must not stand in for the project's.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
    command.envs([
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        // Traces that the user's configuration asks for would be written to files.
        ("GIT_TRACE2", "0"),
        ("GIT_TRACE2_EVENT", "0"),
        ("GIT_TRACE2_PERF", "0"),
    ]);
    command.args(["--no-optional-locks", "--no-pager"]);
    for (key, value) in SETTINGS {
        command.arg("-c").arg(format!("{key}={value}"));
    }
    command.arg("-C").arg(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The settings that run a program over a file's content on its way into the repository, and what turns
/// each off. A file whose size and time Git does not know by heart then counts as changed where the filter
/// would have changed it back.
const FILTER_OFF: [(&str, &str); 3] = [("clean", ""), ("process", ""), ("required", "false")];

/// Turns off every filter that is configured. By environment, because a driver's name may hold an equals sign.
fn turn_filters_off(
    command: &mut Command,
    folder: &Path,
    cancellation: &Cancellation,
) -> Result<(), GitFault> {
    let mut question = bare_command(folder);
    question.args(["config", "--null", "--name-only", "--get-regexp", "^filter\\."]);
    let names = wait(question, cancellation)?.stdout;
    let drivers: BTreeSet<&[u8]> = names
        .split(|byte| *byte == 0)
        .filter_map(|name| name.get(..name.iter().rposition(|byte| *byte == b'.')?))
        .collect();
    let key = |driver: &[u8], part: &str| OsString::from_vec([driver, b".", part.as_bytes()].concat());
    let off = drivers.iter().flat_map(|driver| FILTER_OFF.map(|(part, value)| (key(driver, part), value)));
    let mut count = 0;
    for (index, (key, value)) in off.enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
        count = index + 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
    Ok(())
}

/// A running process that does not outlive whoever waits for it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only when it has ended and was waited for, which is what is wanted.
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// Which of its two streams.
#[derive(Clone, Copy)]
enum Stream {
    Out,
    Err,
}

/// Waits until the process has said everything and ended.
fn wait(mut command: Command, cancellation: &Cancellation) -> Result<Output, GitFault> {
    let deadline = Instant::now() + DEADLINE;
    let mut running = Running(command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => GitFault::Missing,
        _ => refused(&error),
    })?);
    let (sender, receiver) = channel();
    let streams: [(Stream, Option<Box<dyn Read + Send>>); 2] = [
        (Stream::Out, running.0.stdout.take().map(|pipe| Box::new(pipe) as _)),
        (Stream::Err, running.0.stderr.take().map(|pipe| Box::new(pipe) as _)),
    ];
    for (stream, pipe) in streams {
        let (sender, pipe) = (sender.clone(), pipe.ok_or(GitFault::Refused("no hay tubería".to_owned()))?);
        let read = move || {
            // Whoever no longer listens has stopped waiting.
            let _heard = sender.send((stream, read_all(pipe)));
        };
        thread::Builder::new().spawn(read).map_err(|error| refused(&error))?;
    }
    drop(sender);
    let mut output = heard(&receiver, deadline, cancellation)?;
    output.code = ended(&mut running.0, deadline, cancellation)?.code();
    Ok(output)
}

fn refused(error: &io::Error) -> GitFault {
    GitFault::Refused(error.to_string())
}

fn read_all(pipe: impl Read) -> Result<Vec<u8>, GitFault> {
    let mut bytes = Vec::new();
    pipe.take(OUTPUT_LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| refused(&error))?;
    if bytes.len() as u64 > OUTPUT_LIMIT_BYTES { Err(GitFault::TooMuch) } else { Ok(bytes) }
}

type Piece = (Stream, Result<Vec<u8>, GitFault>);

fn heard(
    receiver: &Receiver<Piece>,
    deadline: Instant,
    cancellation: &Cancellation,
) -> Result<Output, GitFault> {
    let mut output = Output::default();
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok((Stream::Out, bytes)) => output.stdout = bytes?,
            Ok((Stream::Err, bytes)) => output.stderr = bytes?,
            Err(RecvTimeoutError::Disconnected) => return Ok(output),
            Err(RecvTimeoutError::Timeout) => still_wanted(deadline, cancellation)?,
        }
    }
}

fn ended(child: &mut Child, deadline: Instant, cancellation: &Cancellation) -> Result<ExitStatus, GitFault> {
    loop {
        if let Some(status) = child.try_wait().map_err(|error| refused(&error))? {
            return Ok(status);
        }
        still_wanted(deadline, cancellation)?;
        thread::sleep(Duration::from_millis(1));
    }
}

fn still_wanted(deadline: Instant, cancellation: &Cancellation) -> Result<(), GitFault> {
    if cancellation.requested() {
        Err(GitFault::Cancelled)
    } else if Instant::now() >= deadline {
        Err(GitFault::Deadline)
    } else {
        Ok(())
    }
}
