//! A client in front of a recorder in front of a server, and what is left when all are done.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A folder for one recording, and the server to be recorded.
pub struct Bench {
    folder: TempDir,
    server: Vec<String>,
}

/// What the harness said, and with which code.
pub struct Told {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// What it said to people.
    pub err: String,
    /// What it said on stdout beyond what the client has read.
    pub out: String,
}

impl Bench {
    /// This executable as a server with a flaw.
    pub fn flawed(flaw: &str) -> Self {
        let exe = std::env::current_exe().expect("the path of this executable");
        Self::command(&[exe.to_str().expect("UTF-8"), "--serve", flaw, "."])
    }

    /// A shell script as a server.
    pub fn shell(script: &str) -> Self {
        Self::command(&["/bin/sh", "-c", script])
    }

    /// Any command as a server.
    pub fn command(words: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder, server: words.iter().map(|word| (*word).to_owned()).collect() }
    }

    /// The file that is recorded to.
    pub fn out(&self) -> PathBuf {
        self.folder.path().join("session.conv")
    }

    /// What stands in it.
    pub fn text(&self) -> String {
        fs::read_to_string(self.out()).expect("the recording is there")
    }

    /// The steps that stand in it.
    pub fn steps(&self) -> String {
        let text = self.text();
        text.split_once("---\n").unwrap_or_else(|| panic!("no steps: {text}")).1.to_owned()
    }

    /// The recorder, started with more options.
    pub fn record(&self, options: &[&str]) -> Client {
        let out = self.out();
        let words = ["record", "--out", out.to_str().expect("UTF-8")];
        self.start(&[&words, options, &["--"]].concat())
    }

    /// Any verb of the harness in front of the server.
    pub fn start(&self, words: &[&str]) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(words)
            .args(&self.server)
            .env_remove("CI")
            .env("RECORDED_SECRET", "s3cret-of-this-test")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the harness starts");
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Client {
            child,
            stdin,
            stdout: stdout.map(BufReader::new),
            stderr: stderr.map(BufReader::new),
            err: String::new(),
            rest: None,
        }
    }

    /// Replays the recording through this bench's server and gives the code and what was said.
    pub fn replay(&self, options: &[&str]) -> (i32, String) {
        let words: Vec<_> = self.server.iter().map(|word| quoted(word)).collect();
        let output = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(["replay", "--server", &words.join(" ")])
            .args(options)
            .arg(self.out())
            .output()
            .expect("the harness starts");
        (output.status.code().expect("a code"), String::from_utf8(output.stdout).expect("text"))
    }

    /// The same recording in front of another server.
    pub fn over(self, other: &Self) -> Self {
        Self { folder: self.folder, server: other.server.clone() }
    }
}

fn quoted(word: &str) -> String {
    serde_json::Value::from(word).to_string()
}

/// A client, which has the recorder for its server.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    stderr: Option<BufReader<ChildStderr>>,
    err: String,
    rest: Option<JoinHandle<String>>,
}

impl Client {
    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let stdin = self.stdin.as_mut().expect("it is open");
        stdin.write_all(bytes.as_ref()).expect("somebody reads");
        stdin.flush().expect("somebody reads");
        self
    }

    /// Sends a line.
    pub fn line(&mut self, line: &str) -> &mut Self {
        self.send(format!("{line}\n"))
    }

    /// Reads the next line.
    pub fn read(&mut self) -> String {
        let mut line = String::new();
        self.stdout.as_mut().expect("it is open").read_line(&mut line).expect("readable");
        line
    }

    /// Reads the next line and holds it to what the server says.
    pub fn told(&mut self, line: &str) -> &mut Self {
        assert_eq!(self.read(), format!("{line}\n"));
        self
    }

    /// Waits for a line on stderr that holds a text.
    pub fn complaint(&mut self, text: &str) -> &mut Self {
        let before = self.err.len();
        let stderr = self.stderr.as_mut().expect("it is open");
        while !self.err[before..].contains(text) {
            assert!(stderr.read_line(&mut self.err).expect("readable") > 0, "no {text} in {}", self.err);
        }
        self
    }

    /// Closes the end that it writes to.
    pub fn close(&mut self) -> &mut Self {
        self.stdin = None;
        self
    }

    /// Closes the end that it reads from.
    pub fn hang_up(&mut self) -> &mut Self {
        self.stdout = None;
        self
    }

    /// Sends the recorder a signal.
    pub fn signal(&mut self, name: &str) -> &mut Self {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &pid]).status().expect("kill starts");
        assert!(status.success());
        self
    }

    /// Waits for the recorder to end.
    pub fn end(&mut self) -> Told {
        self.stdin = None;
        let stdout = self.stdout.take();
        self.rest = Some(thread::spawn(move || {
            let mut out = String::new();
            if let Some(mut stdout) = stdout {
                stdout.read_to_string(&mut out).expect("text");
            }
            out
        }));
        let mut err = std::mem::take(&mut self.err);
        self.stderr.as_mut().expect("it is open").read_to_string(&mut err).expect("text");
        let out = self.rest.take().map(|rest| rest.join().expect("no panic")).unwrap_or_default();
        Told { code: self.child.wait().expect("it ends").code(), err, out }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves nothing running; one that passed has waited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Told {
    /// Holds the code and some words to what is expected.
    pub fn check(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "no `{word}` in\n{}", self.err);
        }
    }
}

/// A call of a tool of the small server.
pub fn call(id: u8, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"texto":"hola"}}}}}}"#
    )
}

/// What `eco` says to it.
pub fn echo(id: u8) -> String {
    let text = r#"{\"texto\":\"hola\",\"largo\":4}"#;
    written(id).replace("{{text}}", text)
}

/// The same as a conversation writes it.
pub fn written(id: u8) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{{{{text}}}}"}}],"structuredContent":{{"texto":"hola","largo":4}},"isError":false}}}}"#
    )
}

/// The cancellation of a request.
pub fn cancel(id: u8) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// Waits for something that is about to be so.
pub fn until(mut so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !so() {
        assert!(Instant::now() < deadline, "it never comes");
        thread::yield_now();
    }
}

/// Steps without the white space that only spreads them.
pub fn on_lines(steps: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in steps.lines() {
        match lines.last_mut() {
            Some(last) if line.starts_with("    ") => last.push_str(line.trim_start()),
            _ => lines.push(line.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
