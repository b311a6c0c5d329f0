//! One server process and everything it started: spawned in a group of its own, ended with all of it.
//!
//! Owns the life of the process. Must not read or write its streams; [`super::pumps`] does.

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use super::offspring::{self, Left};
use super::watchdog;

/// The variable that tells the server where `open` creates its files.
pub const SCRATCH_VARIABLE: &str = "CONVERSATION_SCRATCH";

/// All that a server inherits: where programs and their libraries lie, never what the harness or its caller is set to.
const INHERITED: [&str; 12] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "TZ",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "NODE_PATH",
    "JAVA_HOME",
];

/// Held while a process is being started: until it runs its own program, it holds a copy of every open pipe.
static STARTING: Mutex<()> = Mutex::new(());

/// Does something at a moment when no server is being started, so that a pipe closed then is closed for good.
pub fn between_starts<T>(run: impl FnOnce() -> T) -> T {
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    run()
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal, which is no exit code.
    Signal(i32),
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(number) => {
                match crate::conversation::Signal::ALL.iter().find(|s| s.number() == *number) {
                    Some(signal) => write!(f, "signal {}", signal.word()),
                    None => write!(f, "signal {number}"),
                }
            }
        }
    }
}

/// The three streams of a server, seen from outside.
pub struct Streams {
    /// Where the harness writes.
    pub stdin: ChildStdin,
    /// What the server prints.
    pub stdout: ChildStdout,
    /// What the server says to people.
    pub stderr: ChildStderr,
    /// Closed as soon as the server has ended.
    pub ended: PipeReader,
}

/// A running server. Dropping it ends its whole group.
pub struct Server {
    child: Child,
    pid: Pid,
    marker: OsString,
    waiter: Option<JoinHandle<()>>,
    /// Whether it has ended and nothing of its was left: from then on nothing can come of it.
    alone: Cell<bool>,
}

impl Server {
    /// Starts `command` in a process group of its own and in a neutral environment.
    ///
    /// `scratch` reaches the server as `CONVERSATION_SCRATCH`, and is the mark by which its offspring is found again.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn spawn(command: &[OsString], scratch: &Path) -> io::Result<(Self, Streams)> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("the server's command is empty"))?;
        let mut marker = OsString::from(SCRATCH_VARIABLE);
        marker.push("=");
        marker.push(scratch);
        let (ended, running) = io::pipe()?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .env(SCRATCH_VARIABLE, scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = between_starts(|| {
            watchdog::wake();
            command.spawn()
        })?;
        let pid = Pid::from_child(&child);
        watchdog::guard(pid);
        let streams = match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Streams { stdin, stdout, stderr, ended },
            _ => unreachable!("all three streams are piped above"),
        };
        // The process stays a zombie until `drop` collects it, so its id and its group's id cannot be given anew.
        let waiter = std::thread::spawn(move || {
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            drop(running);
        });
        Ok((Self { child, pid, marker, waiter: Some(waiter), alone: Cell::new(false) }, streams))
    }

    /// How the server ended, if it has.
    ///
    /// # Errors
    /// The system does not say.
    pub fn ending(&self) -> io::Result<Option<Ending>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.pid), options)?;
        Ok(status.and_then(|status| {
            let code = status.exit_status().map(Ending::Exit);
            code.or_else(|| status.terminating_signal().map(Ending::Signal))
        }))
    }

    /// Sends the server a signal; one that has ended takes none.
    ///
    /// # Errors
    /// The system refuses.
    pub fn signal(&self, number: i32) -> io::Result<()> {
        let signal = Signal::from_named_raw(number).ok_or_else(|| io::Error::other("no such signal"))?;
        kill_process(self.pid, signal).map_err(io::Error::from)
    }

    /// Everything the server started that still runs: in its group, or carrying its mark in another.
    pub fn left(&self) -> Vec<Left> {
        let left = offspring::find(self.pid.as_raw_nonzero().get(), &self.marker);
        if left.is_empty() && matches!(self.ending(), Ok(Some(_))) {
            self.alone.set(true);
        }
        left
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.alone.get() {
            let _ = kill_process_group(self.pid, Signal::KILL);
            for left in self.left() {
                if let Some(pid) = Pid::from_raw(left.pid) {
                    let _ = kill_process(pid, Signal::KILL);
                }
            }
        }
        if let Some(waiter) = self.waiter.take() {
            let _ = waiter.join();
        }
        let _ = self.child.wait();
        watchdog::release(self.pid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (Server, Streams, tempfile::TempDir) {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let command = ["/bin/sh", "-c", script].map(OsString::from);
        let (server, streams) = Server::spawn(&command, scratch.path()).expect("sh starts");
        (server, streams, scratch)
    }

    fn wait(streams: &mut Streams) {
        let mut nothing = Vec::new();
        io::Read::read_to_end(&mut streams.ended, &mut nothing).expect("the pipe closes");
    }

    fn ending(script: &str) -> (Option<Ending>, String) {
        let (server, mut streams, _scratch) = shell(script);
        wait(&mut streams);
        let ending = server.ending().expect("an ending");
        (ending, ending.map(|ending| ending.to_string()).unwrap_or_default())
    }

    #[test]
    fn a_signal_is_no_exit_code() {
        assert_eq!(ending("exit 3"), (Some(Ending::Exit(3)), "exit 3".to_owned()));
        assert_eq!(ending("exit 139"), (Some(Ending::Exit(139)), "exit 139".to_owned()));
        assert_eq!(ending("kill -SEGV $$"), (Some(Ending::Signal(11)), "signal SEGV".to_owned()));
        assert_eq!(ending("kill -9 $$"), (Some(Ending::Signal(9)), "signal KILL".to_owned()));
        assert_eq!(ending("kill -USR1 $$").1, "signal 10");
    }

    #[test]
    fn a_running_server_has_no_ending_and_takes_signals() {
        let (server, mut streams, _scratch) = shell("read line");
        assert_eq!(server.ending().expect("a state"), None);
        server.signal(15).expect("it is sent");
        wait(&mut streams);
        assert_eq!(server.ending().expect("an ending"), Some(Ending::Signal(15)));
        server.signal(15).expect("one that has ended takes none");
        assert!(server.signal(0).is_err());
    }

    #[test]
    fn the_environment_is_neutral() {
        let (_server, mut streams, scratch) = shell("env");
        let mut printed = String::new();
        io::Read::read_to_string(&mut streams.stdout, &mut printed).expect("it is UTF-8");
        let own = ["_", "PWD", "SHLVL", "OLDPWD", SCRATCH_VARIABLE];
        for line in printed.lines() {
            let name = line.split('=').next().unwrap_or_default();
            assert!(INHERITED.contains(&name) || own.contains(&name), "{line}");
        }
        assert!(printed.contains(&format!("{SCRATCH_VARIABLE}={}\n", scratch.path().display())), "{printed}");
        assert!(printed.contains("PATH="));
    }

    #[test]
    fn a_command_that_is_not_there_does_not_start() {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        for command in [&[][..], &[OsString::from("/nowhere/server")][..]] {
            assert!(Server::spawn(command, scratch.path()).is_err(), "{command:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_server_leaves_behind_is_found_and_ended() {
        // One stays in the group, the other leaves it for a session of its own.
        let (server, mut streams, _scratch) = shell("sleep 1000 & setsid sleep 1001 & echo started");
        let mut first = [0; 8];
        io::Read::read_exact(&mut streams.stdout, &mut first).expect("it starts");
        wait(&mut streams);
        let found = server.left();
        assert_eq!(found.len(), 2, "{found:?}");
        drop(server);
        // A killed process takes a moment to go.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while found.iter().any(|left| offspring::is_alive(left.pid)) {
            assert!(std::time::Instant::now() < deadline, "{found:?}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_server_that_ended_alone_is_left_alone() {
        let (server, mut streams, _scratch) = shell("read line");
        assert_eq!((server.left(), server.alone.get()), (Vec::new(), false));
        drop(streams.stdin);
        let mut nothing = Vec::new();
        io::Read::read_to_end(&mut streams.ended, &mut nothing).expect("the pipe closes");
        assert_eq!((server.left(), server.alone.get()), (Vec::new(), true));
    }
}
