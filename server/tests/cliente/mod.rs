//! A client of the real program for tests that no conversation can write: it counts, it stops reading, it dies.
//!
//! Owns the pipes and the deadlines. Every wait is for an event; a deadline only ends a test that would never end.

#![allow(dead_code, reason = "each test target that declares this module uses a part of it")]

use nucleo::valor::{Map, Valor, parse};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// How long anything may take before the test gives up. Never reached where all is well.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_oracle-mcp");

/// A running server and this end of its pipes.
pub struct Server {
    child: Child,
    /// `None` once closed.
    pub stdin: Option<ChildStdin>,
    /// `None` once closed or handed to somebody.
    pub stdout: Option<ChildStdout>,
    stderr: ChildStderr,
}

impl Server {
    /// Starts it over a project.
    pub fn start(project: &Path, options: &[&str]) -> Server {
        let mut command = Command::new(PROGRAM);
        command.arg("--proyecto").arg(project).args(options);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stderr = child.stderr.take().expect("stderr is a pipe");
        Server { child, stdin, stdout, stderr }
    }

    /// Sends one line, line feed included.
    pub fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(line.as_bytes()).expect("the server reads");
    }

    /// Closes its input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// The lines it prints, read by a thread of their own as they come.
    pub fn answers(&mut self) -> Lines {
        Lines::of(self.stdout.take().expect("stdout is open"))
    }

    /// Most memory it ever had, in bytes.
    pub fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak is told");
        let kilobytes = line.trim().strip_suffix(" kB").expect("in kB").parse::<u64>().expect("a number");
        kilobytes * 1024
    }

    /// The processes it started and has not waited for, each with its state.
    pub fn children(&self) -> Vec<(u32, char)> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("it runs");
        let mut found = Vec::new();
        for thread in threads {
            // A thread may have ended since it was listed, and a child may end while it is looked at.
            let path = thread.expect("a thread").path().join("children");
            for pid in fs::read_to_string(path).unwrap_or_default().split_whitespace() {
                let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
                found.extend(state.map(|state| (pid.parse().expect("a number"), state)));
            }
        }
        found
    }

    /// Its id, for a signal.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it ended, and until nobody it started holds its stderr any more: the code, and what was said.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.stdin = None;
        let mut stderr = self.stderr;
        let said = within_deadline("the server and its children end", move || {
            let mut said = String::new();
            stderr.read_to_string(&mut said).expect("stderr is text");
            said
        });
        let status = within_deadline("the server ends", move || self.child.wait().expect("a child"));
        (status, said)
    }

    /// As [`Server::end`], where the server has to end well and silently.
    pub fn end_well(self) {
        let (status, said) = self.end();
        assert_eq!((status.code(), said.as_str()), (Some(0), ""));
    }

    /// What it says on stderr, line by line; the rest is for [`Server::end`].
    pub fn complaints(&mut self) -> Lines {
        // The end of both copies is the end of the pipe.
        use std::os::fd::AsFd;
        let copy = self.stderr.as_fd().try_clone_to_owned().expect("a descriptor is left");
        Lines::of(fs::File::from(copy))
    }
}

/// Lines that a thread reads as they come.
pub struct Lines(Receiver<String>);

impl Lines {
    /// The lines of `stream`.
    pub fn of(stream: impl Read + Send + 'static) -> Lines {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines() {
                let line = line.expect("lines are UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Lines(receiver)
    }

    /// The next line.
    pub fn next(&self) -> String {
        self.0.recv_timeout(DEADLINE).expect("one more line")
    }

    /// Every line up to the end of the stream.
    pub fn rest(&self) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            match self.0.recv_timeout(DEADLINE) {
                Ok(line) => found.push(line),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return found,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("the stream never ends"),
            }
        }
    }
}

/// Does `work` on a thread of its own and waits for it.
pub fn within_deadline<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || drop(sender.send(work())));
    receiver.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("never: {what}"))
}

/// One request `tools/call` of the modern era, as a line.
pub fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\
         \"arguments\":{arguments},\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
         \"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}\n"
    )
}

/// The arguments of an evaluation of a text over evidence.
pub fn evaluation(text: &str, evidence: &str) -> String {
    let text = Valor::from(text).to_compact();
    format!("{{\"medida\":{{\"texto\":{text},\"formato\":\"oracle\"}},\"evidencia\":{evidence}}}")
}

/// A measure that counts the rows of `cosa`.
pub const COUNT: &str = "medida borrador.cuenta:\n    de cosa a\n    resumen contar(1)\n    umbral <= 0 segun \
                         convencion porque \"prueba\"\n    alcance \"prueba. NO ve nada más\"\n";

/// A list of `count` rows, each as `row` writes it.
pub fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
    let mut list = String::from("[");
    for at in 0..count {
        let comma = if at == 0 { "" } else { "," };
        write!(list, "{comma}{}", row(at)).expect("a string takes everything");
    }
    list + "]"
}

/// One answer, taken apart.
pub struct Answer(Map);

impl Answer {
    /// Reads a line, which has to be one response.
    pub fn read(line: &str) -> Answer {
        match parse(line) {
            Ok(Valor::Map(message)) if message.contains_key("id") => Answer(message),
            other => panic!("no response: {other:?}"),
        }
    }

    /// Its id as written.
    pub fn id(&self) -> String {
        self.0.get("id").expect("an id").to_compact()
    }

    fn result(&self) -> &Map {
        self.0.get("result").and_then(Valor::as_map).expect("a result")
    }

    /// A member of the structured content.
    pub fn content(&self, name: &str) -> Option<&Valor> {
        self.result().get("structuredContent")?.as_map()?.get(name)
    }

    /// The code of a domain failure, and the whole text; `None` for a success.
    pub fn failure(&self) -> Option<(&str, &str)> {
        let failed = self.result().get("isError").and_then(Valor::as_bool).expect("isError");
        let block = self.result().get("content").and_then(Valor::as_list).expect("content")[0].as_map();
        let text = block.and_then(|block| block.get("text")).and_then(Valor::as_str).expect("text");
        assert_eq!(failed, self.0.get("result").is_some() && self.content("esquema").is_none(), "{text}");
        failed.then(|| (text.split_once(" — ").expect("a code").0, text))
    }
}

/// Reads `count` answers and checks that each of `ids` has exactly one.
pub fn each_once(lines: &Lines, ids: &BTreeSet<String>) -> Vec<Answer> {
    let answers: Vec<Answer> = ids.iter().map(|_| Answer::read(&lines.next())).collect();
    let answered: BTreeSet<String> = answers.iter().map(Answer::id).collect();
    assert_eq!(&answered, ids);
    answers
}
