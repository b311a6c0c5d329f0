//! The process that runs `escalares.py`: one question, one answer, until nobody needs it.
//!
//! Owns its life: its own process group, a deadline for each answer, and an end that waits for nothing once the
//! call is cancelled or over. Must not know what is asked.

use crate::algebra::Cancellation;
use crate::valor::{self, Valor};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The interpreter, looked for in `PATH`.
pub(super) const PYTHON: &str = "python3";

/// What it runs: see the head of that file.
const PROGRAM: &str = include_str!("worker.py");

/// How long one answer may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// How often somebody who waits looks whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(10);

/// Most bytes that one answer may have.
const ANSWER_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Why there is no answer. Printed in Spanish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WorkerFault {
    /// The file itself failed, in these words. The process goes on.
    Told(String),
    /// There is no such interpreter, or the system starts none.
    Start(String),
    /// No answer came in that time.
    Deadline(Duration),
    /// The process ended, or can no longer be talked to.
    Ended,
    /// The answer is longer than [`ANSWER_LIMIT_BYTES`].
    TooMuch,
    /// The answer is none that the program gives.
    Garbled,
    /// The caller asked to stop.
    Cancelled,
}

impl fmt::Display for WorkerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkerFault::Told(why) => f.write_str(why),
            WorkerFault::Start(why) => write!(f, "no se pudo iniciar «{PYTHON}», que hace falta: {why}"),
            WorkerFault::Deadline(waited) => write!(f, "no respondió en {waited:?}"),
            WorkerFault::Ended => f.write_str("el proceso que lo ejecuta terminó sin responder"),
            WorkerFault::TooMuch => write!(f, "la respuesta pasa los {ANSWER_LIMIT_BYTES} bytes"),
            WorkerFault::Garbled => f.write_str("respondió algo que no se entiende"),
            WorkerFault::Cancelled => f.write_str("se canceló la consulta"),
        }
    }
}

/// How long an answer is waited for.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    pub(super) cancellation: Cancellation,
    pub(super) deadline: Duration,
}

impl Patience {
    /// Until the deadline or a cancellation.
    pub(super) fn of(cancellation: &Cancellation) -> Patience {
        Patience { cancellation: cancellation.clone(), deadline: DEADLINE }
    }
}

/// A worker, alive until its first fault. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Worker {
    running: Option<Running>,
    patience: Patience,
}

/// The process and the thread that talks to it, so that whoever asks never waits on a pipe.
#[derive(Debug)]
struct Running {
    questions: Sender<Vec<u8>>,
    answers: Receiver<Result<Vec<u8>, WorkerFault>>,
    /// Behind the channels: its end is what ends the thread.
    _group: Group,
}

/// A process that leads a group, ended with it.
#[derive(Debug)]
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // They fail only when nothing of it is left, which is what is wanted. The process may have left its group.
        let _ended = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _alone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

impl Worker {
    /// Starts `interpreter` in `carpeta`, with nothing of the user's in its way: no variables of Python's, no
    /// packages of the user's own, no folder to import from by accident, no bytecode left.
    pub(super) fn start(
        interpreter: &str,
        carpeta: &Path,
        patience: Patience,
    ) -> Result<Worker, WorkerFault> {
        let refused = |error: io::Error| WorkerFault::Start(error.to_string());
        let mut command = Command::new(interpreter);
        command.args(["-I", "-B", "-X", "utf8", "-c", PROGRAM]).current_dir(carpeta).process_group(0);
        // What the file prints is for people.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut group = Group(command.spawn().map_err(refused)?);
        let (Some(stdin), Some(stdout)) = (group.0.stdin.take(), group.0.stdout.take()) else {
            return Err(WorkerFault::Start("no hay tuberías".to_owned()));
        };
        let (questions, asked) = channel();
        let (answered, answers) = channel();
        thread::Builder::new().spawn(move || talk(stdin, stdout, &asked, &answered)).map_err(refused)?;
        Ok(Worker { running: Some(Running { questions, answers, _group: group }), patience })
    }

    /// The member `wanted` of the answer to `question`. After any fault but [`WorkerFault::Told`] the process is
    /// ended, and every later question is answered with [`WorkerFault::Ended`].
    pub(super) fn ask(&mut self, question: Vec<u8>, wanted: &str) -> Result<Valor, WorkerFault> {
        let running = self.running.as_ref().ok_or(WorkerFault::Ended)?;
        let outcome = running.ask(question, &self.patience).and_then(|line| read(&line, wanted));
        if !matches!(outcome, Ok(_) | Err(WorkerFault::Told(_))) {
            self.running = None;
        }
        outcome
    }
}

impl Running {
    fn ask(&self, question: Vec<u8>, patience: &Patience) -> Result<Vec<u8>, WorkerFault> {
        let start = Instant::now();
        self.questions.send(question).map_err(|_| WorkerFault::Ended)?;
        loop {
            if patience.cancellation.requested() {
                return Err(WorkerFault::Cancelled);
            }
            if start.elapsed() >= patience.deadline {
                return Err(WorkerFault::Deadline(patience.deadline));
            }
            match self.answers.recv_timeout(LOOK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(WorkerFault::Ended),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Asks and listens in turn, until nobody asks any more or the process is gone.
fn talk(
    mut stdin: ChildStdin,
    stdout: ChildStdout,
    asked: &Receiver<Vec<u8>>,
    answered: &Sender<Result<Vec<u8>, WorkerFault>>,
) {
    let mut stdout = BufReader::new(stdout);
    for question in asked {
        let answer =
            stdin.write_all(&question).map_err(|_| WorkerFault::Ended).and_then(|()| hear(&mut stdout));
        if answered.send(answer).is_err() {
            return;
        }
    }
}

/// One line, without its end.
fn hear(stdout: &mut impl BufRead) -> Result<Vec<u8>, WorkerFault> {
    let mut line = Vec::new();
    let heard = stdout.take(ANSWER_LIMIT_BYTES).read_until(b'\n', &mut line);
    match line.pop() {
        _ if heard.is_err() => Err(WorkerFault::Ended),
        Some(b'\n') => Ok(line),
        _ if heard.is_ok_and(|bytes| bytes as u64 == ANSWER_LIMIT_BYTES) => Err(WorkerFault::TooMuch),
        _ => Err(WorkerFault::Ended),
    }
}

/// What stands in an answer: what was wanted, or the failure that the file told.
fn read(line: &[u8], wanted: &str) -> Result<Valor, WorkerFault> {
    let answer = std::str::from_utf8(line).ok().and_then(|line| valor::parse(line).ok());
    let Some(Valor::Map(mut members)) = answer else { return Err(WorkerFault::Garbled) };
    match (members.remove(wanted), members.remove("error")) {
        (Some(value), _) => Ok(value),
        (None, Some(Valor::Text(why))) => Err(WorkerFault::Told(why.to_string())),
        _ => Err(WorkerFault::Garbled),
    }
}
