//! What the cases run on: a folder with one small project, and this executable as the server.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use harness::conversation::{self, Conversation};
use harness::engine::{Outcome, Report, Target};

/// How long a step may take where nothing is meant to run out of time.
const PATIENT_MS: u64 = 300_000;

/// How long one may take where it is: many times what a process needs to start.
const HURRIED_MS: u64 = 4_000;

/// One check and its name.
pub type Check = (&'static str, fn(&Bench) -> Result<(), String>);

/// Functions as checks that bear their names.
macro_rules! named {
    ($($check:ident),* $(,)?) => { [$((stringify!($check), $check as fn(&Bench) -> Result<(), String>)),*] };
}
pub(crate) use named;

/// A folder of projects with `chico` in it.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// Lays the project out.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let project = folder.path().join("chico");
        fs::create_dir_all(project.join("catalogos")).expect("folders");
        fs::write(project.join("oracle.json"), "{}\n").expect("a file");
        fs::write(project.join("catalogos/uno.oracle"), "uno\n").expect("a file");
        std::os::unix::fs::symlink("oracle.json", project.join("enlace")).expect("a link");
        Self { folder }
    }

    /// The project itself, which conversations run over a copy of.
    pub fn original(&self) -> PathBuf {
        self.folder.path().join("chico")
    }

    /// This executable as a server with a flaw.
    pub fn target(&self, flaw: &str) -> Target {
        let exe = std::env::current_exe().expect("the path of this executable");
        let words = [
            exe.into_os_string(),
            "--serve".into(),
            flaw.into(),
            "{{project}}".into(),
            self.original().into_os_string(),
        ];
        self.command(&words)
    }

    /// Any command as a server.
    pub fn command(&self, words: &[OsString]) -> Target {
        Target {
            command: words.to_vec(),
            version: Some("1.2.3".to_owned()),
            projects: self.folder.path().to_owned(),
            embedded_root: None,
        }
    }

    /// A shell script as a server.
    pub fn shell(&self, script: &str) -> Target {
        self.command(&["/bin/sh", "-c", script].map(OsString::from))
    }

    /// The folder that holds the projects.
    pub fn projects(&self) -> &Path {
        self.folder.path()
    }
}

/// Reads a conversation over `chico` from its steps.
pub fn steps(steps: &str) -> Conversation {
    let text = format!("# A case of this test.\nproject: chico\n---\n{steps}");
    let mut read = conversation::read(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    read.header.deadline_ms = Some(PATIENT_MS);
    read
}

/// The same with little patience, for what is meant to run out of time.
pub fn hurried(mut conversation: Conversation) -> Conversation {
    conversation.header.deadline_ms = Some(HURRIED_MS);
    conversation
}

/// A call of `eco` with the text `hola`.
pub fn ask(id: &str) -> String {
    format!("> {}\n", call(id, "eco", "hola"))
}

/// What `eco` answers to it.
pub fn told(id: &str) -> String {
    format!("< {}\n", echo(id, "hola"))
}

/// A call of a tool, in the modern era.
pub fn call(id: &str, tool: &str, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"texto":"{text}"}},"_meta":{{}}}}}}"#
    )
}

/// The answer of `eco`, as a conversation writes it.
pub fn echo(id: &str, text: &str) -> String {
    let length = text.len();
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{{{{text}}}}"}}],"structuredContent":{{"texto":"{text}","largo":{length}}},"isError":false}}}}"#
    )
}

/// Two calls, one after the other, and the end.
pub fn two_calls() -> Conversation {
    steps(&[&ask("1"), &told("1"), &ask("2"), &told("2"), "eof\nexit 0\n"].concat())
}

/// Holds a report to an outcome and to words of its text.
pub fn check(report: &Report, outcome: Outcome, words: &[&str]) -> Result<(), String> {
    let text = report.to_string();
    let missing: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
    if report.outcome == outcome && missing.is_empty() {
        return Ok(());
    }
    Err(format!("expected {outcome} with {missing:?}, got:\n{text}"))
}
