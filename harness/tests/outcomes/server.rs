//! A small MCP server in both eras, right in everything but the one flaw that it is told to have.
//!
//! It knows two tools: `eco` answers at once, `espera` answers once a later line is `notifications/suelta` and never
//! once it was cancelled.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

const TOOLS: &str = concat!(
    r#"{"name":"eco","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["texto","largo"],"#,
    r#""additionalProperties":false,"properties":{"texto":{"type":"string"},"largo":{"type":"integer"}}}}"#
);
const WAITING_TOOL: &str = r#"{"name":"espera","inputSchema":{"type":"object"}}"#;

/// Serves until the end of input; `arguments` are the flaw, the project and what else a flaw needs.
pub fn serve(arguments: &[String]) -> ExitCode {
    let [flaw, project, more @ ..] = arguments else { return ExitCode::from(64) };
    let mut server =
        Server { flaw: flaw.clone(), project: project.into(), more: more.to_vec(), held: Vec::new() };
    server.start();
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        server.line(&line);
    }
    server.end()
}

struct Server {
    flaw: String,
    project: PathBuf,
    more: Vec<String>,
    /// Ids of `espera` that wait.
    held: Vec<String>,
}

fn print(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    // A client that hung up is the client's affair.
    let _ = stdout.write_all(bytes);
    let _ = stdout.flush();
}

fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1_000));
    }
}

/// What a flaw leaves behind, deaf and silent.
fn leave(command: &[&str]) {
    let _ = Command::new(command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

impl Server {
    fn is(&self, flaw: &str) -> bool {
        self.flaw == flaw
    }

    fn start(&self) {
        match self.flaw.as_str() {
            "banner" => print(b"servidor listo\n"),
            "stderr-flood" => {
                for _ in 0..1 << 10 {
                    complain(&"e".repeat(1 << 10));
                }
            }
            "big-start" => print(notice(&"a".repeat(1 << 20)).as_bytes()),
            "deaf" => sleep_for_ever(),
            "dead-at-start" => std::process::exit(7),
            "grandchild" => leave(&["sleep", "1000"]),
            "grandchild-session" => leave(&["setsid", "sleep", "1000"]),
            _ => {}
        }
    }

    fn end(&self) -> ExitCode {
        match self.flaw.as_str() {
            "ignores-eof" => sleep_for_ever(),
            "exit-code" => return ExitCode::from(3),
            "abort-at-end" => std::process::abort(),
            "late-message" => print(notice("fin").as_bytes()),
            "late-noise" => print(b"chau\n"),
            "half-line" => print(b"{\"jsonrpc\":\"2.0\""),
            "stderr" => complain("adiós\n"),
            "write-at-end" => {
                let _ = fs::write(self.project.join("nuevo"), "");
            }
            _ => {}
        }
        ExitCode::SUCCESS
    }

    fn line(&mut self, line: &[u8]) {
        if self.is("stubborn") {
            // The client is on its guard by the time it sends.
            let _ = fs::write(&self.more[0], std::process::id().to_string());
            sleep_for_ever();
        }
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            if !line.is_empty() {
                print(b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"parse\"}}\n");
            }
            return;
        };
        let id = message["id"].to_string();
        match message["method"].as_str() {
            Some("initialize") => print(result(&id, r#"{"protocolVersion":"2025-11-25"}"#).as_bytes()),
            Some("tools/list") => self.list(&id, &message["params"]),
            Some("tools/call") => self.call(&id, &message["params"]),
            Some("notifications/cancelled") => {
                let cancelled = message["params"]["requestId"].to_string();
                if self.is("late") {
                    print(self.echo(&cancelled, "tarde").as_bytes());
                }
                self.held.retain(|held| *held != cancelled);
            }
            Some("notifications/suelta") => {
                for id in std::mem::take(&mut self.held) {
                    print(self.echo(&id, "suelto").as_bytes());
                }
            }
            _ => {}
        }
    }

    fn list(&self, id: &str, params: &Value) {
        let refused = "{\"code\":-32601,\"message\":\"no\"}";
        let error = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{refused}}}\n");
        let modern = !params["_meta"].is_null();
        match (self.flaw.as_str(), params["cursor"].as_str()) {
            ("no-list", _) => print(error.as_bytes()),
            ("legacy-only", _) if modern => print(error.as_bytes()),
            ("unlisted", _) => print(result(id, &format!("{{\"tools\":[{WAITING_TOOL}]}}")).as_bytes()),
            ("pages", None) => {
                print(result(id, &format!("{{\"tools\":[{WAITING_TOOL}],\"nextCursor\":\"2\"}}")).as_bytes());
            }
            ("pages", _) => print(result(id, &format!("{{\"tools\":[{TOOLS}]}}")).as_bytes()),
            ("no-last-page", _) => {
                print(result(id, &format!("{{\"tools\":[{TOOLS}],\"nextCursor\":\"2\"}}")).as_bytes());
            }
            _ => print(result(id, &format!("{{\"tools\":[{TOOLS},{WAITING_TOOL}]}}")).as_bytes()),
        }
    }

    fn call(&mut self, id: &str, params: &Value) {
        if params["name"] == "espera" {
            self.held.push(id.to_owned());
            complain("esperando\n");
            return;
        }
        let text = params["arguments"]["texto"].as_str().unwrap_or_default();
        let answer = self.echo(id, text);
        match self.flaw.as_str() {
            "noise" => print(format!("atendiendo {id}\n{answer}").as_bytes()),
            "notice" => print(format!("{}{answer}", notice("uno")).as_bytes()),
            "drop" => {}
            "dup" => print(format!("{answer}{answer}").as_bytes()),
            "stranger" => print(format!("{}{answer}", self.echo("99", text)).as_bytes()),
            "early" if id == "1" => print(format!("{answer}{}", self.echo("2", text)).as_bytes()),
            "early" => {}
            "swapped" if id == "1" => self.held.push(answer),
            "swapped" => {
                let first = self.held.pop().unwrap_or_default();
                print(format!("{answer}{first}").as_bytes());
            }
            "dies" => std::process::exit(1),
            "aborts" => std::process::abort(),
            "hangs-inside" => {
                let half = answer.len() / 2;
                print(&answer.as_bytes()[..half]);
                sleep_for_ever();
            }
            "drips" => {
                for byte in answer.bytes() {
                    print(&[byte]);
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
            "endless" => loop {
                print(&[b'x'; 1 << 16]);
            },
            "yes" => loop {
                print(&b"y\n".repeat(1 << 12));
            },
            "babbles" => loop {
                print(notice("bla").repeat(1 << 8).as_bytes());
            },
            "babbles-at-length" => {
                let notice = notice(&"bla".repeat(1 << 18));
                loop {
                    print(notice.as_bytes());
                }
            }
            _ => {
                self.touch_the_project();
                print(&self.on_the_wire(&answer));
            }
        }
    }

    fn touch_the_project(&self) {
        let new = self.project.join("catalogos/nuevo");
        let _ = match self.flaw.as_str() {
            "write" => fs::write(new, "x"),
            "come-and-go" => fs::write(&new, "x").and_then(|()| fs::remove_file(new)),
            "touch" => fs::File::open(self.project.join("oracle.json"))
                .and_then(|file| file.set_modified(SystemTime::now())),
            "same-bytes" => fs::write(self.project.join("oracle.json"), "{}\n"),
            "original" => fs::write(PathBuf::from(&self.more[0]).join("nuevo"), "x"),
            _ => Ok(()),
        };
    }

    /// The answer of `eco`, with the flaws of its content.
    fn echo(&self, id: &str, text: &str) -> String {
        let length = if self.is("schema") { "\"cuatro\"" } else { &text.chars().count().to_string() };
        let structured = format!(r#"{{"texto":"{text}","largo":{length}}}"#);
        let mut block = structured.replace('"', "\\\"");
        if self.is("text") {
            block = block.replace(',', ", ");
        }
        let kind = if self.is("rtype") { "" } else { r#""resultType":"complete","# };
        let content = format!(r#""content":[{{"type":"text","text":"{block}"}}]"#);
        let members = if self.is("keys") {
            format!(r#"{kind}"structuredContent":{structured},{content}"#)
        } else {
            format!(r#"{kind}{content},"structuredContent":{structured}"#)
        };
        let id = if self.is("wrongid") { format!("\"{id}\"") } else { id.to_owned() };
        result(&id, &format!("{{{members},\"isError\":false}}"))
    }

    /// The bytes of an answer, with the flaws of the wire.
    fn on_the_wire(&self, answer: &str) -> Vec<u8> {
        let bare = answer.trim_end();
        match self.flaw.as_str() {
            "pretty" => format!("{}\n", bare.replace(',', ",\n  ")).into_bytes(),
            "spaced" => format!("{}\n", bare.replace("\"id\":", "\"id\": ")).into_bytes(),
            "crlf" => format!("{bare}\r\n").into_bytes(),
            "bom" => format!("\u{feff}{bare}\n").into_bytes(),
            "blank" => format!("{bare}\n\n").into_bytes(),
            "no-line-feed" => bare.as_bytes().to_vec(),
            "utf8" => {
                let mut bytes = answer.as_bytes().to_vec();
                if let Some(at) = answer.find("hola") {
                    bytes[at] = 0xff;
                }
                bytes
            }
            _ => answer.as_bytes().to_vec(),
        }
    }
}

fn result(id: &str, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n")
}

fn notice(text: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"aviso\",\"params\":{{\"texto\":\"{text}\"}}}}\n")
}
