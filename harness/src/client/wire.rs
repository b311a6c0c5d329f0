//! One running server and the lines between it and us: a request out, the answer with its id back.
//!
//! Owns ids, the wait and the trace. Knows neither tools nor revisions of the protocol. Answers that nobody waits for any
//! more are passed over, and so is whatever the server says unasked.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::observation::Failure;
use crate::conversation::escape;
use crate::engine::process::Server;
use crate::engine::pumps::{Output, Pumps};
use crate::engine::visible;

/// How long a server that closed its output, or whose input ended, may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// How much of a bad line, or of stderr, is quoted.
const QUOTED: usize = 200;

/// Which way a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// To the server: `→`.
    Out,
    /// From the server: `←`.
    In,
}

impl Arrow {
    /// The arrow itself.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Out => '→',
            Self::In => '←',
        }
    }
}

/// Sees every line that travels, without its line feed and before anybody judges it.
///
/// The server's lines come as it wrote them: show them with [`crate::engine::visible`] where they reach a terminal.
pub type Trace = Box<dyn FnMut(Arrow, &str)>;

/// A result and the line it came in.
pub(super) struct Answer {
    /// The whole line.
    pub line: String,
    /// Its `result`, an object.
    pub result: Value,
}

/// A server that runs, and its streams.
pub(super) struct Connection {
    pumps: Pumps,
    server: Server,
    /// The server's mark, by which what it leaves behind is found.
    _scratch: TempDir,
    outputs: VecDeque<Output>,
    limit: Duration,
    farewell: Duration,
    last: u64,
    trace: Option<Trace>,
}

impl Connection {
    /// Starts a server.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn open(command: &[OsString], limit: Duration, trace: Option<Trace>) -> io::Result<Self> {
        let scratch = tempfile::tempdir()?;
        let (server, streams) = Server::spawn(command, scratch.path())?;
        let pumps = Pumps::new(streams)?;
        Ok(Self {
            pumps,
            server,
            _scratch: scratch,
            outputs: VecDeque::new(),
            limit,
            farewell: FAREWELL,
            last: 0,
            trace,
        })
    }

    /// How long the next answers may take.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Gives the trace back, for another connection to go on with.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.trace.take()
    }

    /// A request and its answer; `params` is the text of an object.
    ///
    /// # Errors
    /// [`Failure`]: an error of the protocol, silence, the end, a line or an answer that is none.
    pub fn request(&mut self, method: &str, params: &str) -> Result<Answer, Failure> {
        self.last += 1;
        let (id, method) = (self.last, escape(method));
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
        self.answer(id)
    }

    /// A message that nobody answers.
    pub fn notify(&mut self, method: &str, params: &str) {
        let method = escape(method);
        self.send(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#));
    }

    /// Closes the server's input and waits a little for it to end; what still runs then is ended.
    pub fn close(mut self) {
        self.pumps.close_stdin();
        self.wait_for_the_end();
        self.server.left();
    }

    fn wait_for_the_end(&mut self) {
        let deadline = Instant::now() + self.farewell;
        loop {
            if self.pumps.server_ended() {
                return;
            }
            match self.pumps.turn(deadline) {
                // What it still says has nobody waiting for it.
                Ok(true) => drop(self.pumps.take_outputs()),
                Ok(false) | Err(_) => return,
            }
        }
    }

    fn send(&mut self, line: &str) {
        self.see(Arrow::Out, line);
        self.pumps.send(line.as_bytes());
        self.pumps.send(b"\n");
    }

    fn see(&mut self, arrow: Arrow, line: &str) {
        if let Some(trace) = &mut self.trace {
            trace(arrow, line);
        }
    }

    fn answer(&mut self, id: u64) -> Result<Answer, Failure> {
        let deadline = Instant::now() + self.limit;
        let mut time_left = true;
        loop {
            while let Some(output) = self.outputs.pop_front() {
                if let Some(answer) = self.look_at(output, id)? {
                    return Ok(answer);
                }
            }
            if self.pumps.stdout_ended() || self.pumps.drained() {
                return Err(Failure::Gone(self.ending()));
            }
            if !time_left {
                self.give_up(id);
                return Err(Failure::Silence(self.limit));
            }
            time_left = self.pumps.turn(deadline).map_err(|error| Failure::Gone(error.to_string()))?;
            self.outputs.extend(self.pumps.take_outputs());
        }
    }

    /// Tells the server that nobody waits any more (MCP asks that of a client whose time is up).
    fn give_up(&mut self, id: u64) {
        self.notify("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#));
    }

    /// The answer, if this is the one.
    fn look_at(&mut self, output: Output, id: u64) -> Result<Option<Answer>, Failure> {
        let bytes = match output {
            Output::Line(bytes) => bytes,
            Output::HalfLine(bytes) => return Err(unreadable("it ends inside", &bytes)),
            Output::EndlessLine(bytes) => return Err(unreadable("it does not end", &bytes)),
        };
        let Ok(line) = String::from_utf8(bytes) else {
            return Err(Failure::Unreadable("it is not UTF-8".to_owned()));
        };
        self.see(Arrow::In, &line);
        let message: Value =
            serde_json::from_str(&line).map_err(|error| unreadable(&error.to_string(), line.as_bytes()))?;
        let Some(members) = message.as_object() else {
            return Err(unreadable("it is no object", line.as_bytes()));
        };
        match (members.get("method"), members.get("id")) {
            (Some(method), Some(theirs)) => {
                self.refuse(method, theirs);
                Ok(None)
            }
            (None, Some(theirs)) if *theirs == id => {
                verdict(&message).map(|result| Some(Answer { result, line }))
            }
            _ => Ok(None),
        }
    }

    /// Answers a request of the server: this client is alive, and has nothing to offer.
    fn refuse(&mut self, method: &Value, id: &Value) {
        // A server that asks faster than it reads would fill our memory.
        if !self.pumps.flushed() {
            return;
        }
        let answer = match method.as_str() {
            Some("ping") => r#""result":{}"#,
            _ => r#""error":{"code":-32601,"message":"this client offers nothing"}"#,
        };
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#));
    }

    /// How the server ended, and the last that it said to people.
    fn ending(&mut self) -> String {
        self.wait_for_the_end();
        let how = match self.server.ending() {
            Ok(Some(ending)) => ending.to_string(),
            _ => "it closed its output".to_owned(),
        };
        let said = self.pumps.errors().shown();
        let last = said.trim_end().lines().next_back().unwrap_or_default();
        if last.is_empty() { how } else { format!("{how}; on stderr: {}", visible(last.as_bytes(), QUOTED)) }
    }
}

fn unreadable(why: &str, line: &[u8]) -> Failure {
    Failure::Unreadable(format!("{why}: {}", visible(line, QUOTED)))
}

/// The result of an answer, or the failure that it tells.
fn verdict(message: &Value) -> Result<Value, Failure> {
    let malformed = |why: &str| Failure::Malformed(why.to_owned());
    match (message.get("result"), message.get("error")) {
        (Some(result), None) if result.is_object() => Ok(result.clone()),
        (None, Some(error)) => {
            let code = error.get("code").and_then(Value::as_i64);
            let message = error.get("message").and_then(Value::as_str);
            let (Some(code), Some(message)) = (code, message) else {
                return Err(malformed("an error without a code and a message"));
            };
            Err(Failure::Protocol { code, message: message.to_owned() })
        }
        (Some(_), None) => Err(malformed("its result is no object")),
        (Some(_), Some(_)) => Err(malformed("a result and an error")),
        (None, None) => Err(malformed("neither a result nor an error")),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    /// Far more than any server of these tests needs.
    const LONG: Duration = Duration::from_secs(20);

    type Seen = Rc<RefCell<Vec<String>>>;

    fn shell(script: &str, limit: Duration) -> (Connection, Seen) {
        let seen = Seen::default();
        let trace = {
            let seen = Rc::clone(&seen);
            Box::new(move |arrow: Arrow, line: &str| {
                seen.borrow_mut().push(format!("{} {line}", arrow.sign()))
            })
        };
        let command = ["/bin/sh", "-c", script].map(OsString::from);
        (Connection::open(&command, limit, Some(trace)).expect("sh starts"), seen)
    }

    /// What the first request comes to where the server prints these lines once it has read it.
    fn first(lines: &str) -> Result<Value, Failure> {
        let script = format!("read -r line; printf '{lines}'; read -r line");
        shell(&script, LONG).0.request("m", "{}").map(|answer| answer.result)
    }

    const RIGHT: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}\n"#;

    #[test]
    fn a_request_is_answered_by_its_id() {
        let empty = Ok(serde_json::json!({}));
        assert_eq!(first(RIGHT), empty);
        assert_eq!(
            first(&format!(r#"{{"id":"1","result":1}}\n{{"id":2,"result":1}}\n{{"method":"x"}}\n{RIGHT}"#)),
            empty
        );
        assert_eq!(first(&format!(r#"{{"id":null,"error":1}}\n{RIGHT}"#)), empty);
    }

    #[test]
    fn what_travels_is_seen() {
        let (mut connection, seen) = shell(&format!("read -r line; printf '{RIGHT}'; cat >/dev/null"), LONG);
        let answer = connection.request("a/b", r#"{"c":1}"#).expect("an answer");
        assert_eq!(answer.line, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        connection.notify("n", "{}");
        connection.close();
        assert_eq!(
            *seen.borrow(),
            [
                r#"→ {"jsonrpc":"2.0","id":1,"method":"a/b","params":{"c":1}}"#,
                r#"← {"jsonrpc":"2.0","id":1,"result":{}}"#,
                r#"→ {"jsonrpc":"2.0","method":"n","params":{}}"#,
            ]
        );
    }

    #[test]
    fn what_is_no_message_says_why() {
        let check = |lines: &str, words: &str| match first(lines) {
            Err(Failure::Unreadable(why)) => assert!(why.contains(words), "{why}"),
            other => panic!("{lines}: {other:?}"),
        };
        check("listo\\n", "expected value at line 1 column 1: listo");
        check("\\n", "EOF while parsing");
        check("[1]\\n", "it is no object: [1]");
        check("\\377\\n", "it is not UTF-8");
        check("\\033[2J\\n", "\\u{1b}[2J");
    }

    #[test]
    fn an_answer_is_a_result_or_an_error() {
        let check = |members: &str, expect: Failure| {
            assert_eq!(first(&format!(r#"{{"id":1{members}}}\n"#)), Err(expect));
        };
        let malformed = |why: &str| Failure::Malformed(why.to_owned());
        check(
            r#","error":{"code":-5,"message":"no"}"#,
            Failure::Protocol { code: -5, message: "no".to_owned() },
        );
        check("", malformed("neither a result nor an error"));
        check(r#","result":[]"#, malformed("its result is no object"));
        check(r#","result":{},"error":{}"#, malformed("a result and an error"));
        check(r#","error":{"code":1}"#, malformed("an error without a code and a message"));
        check(r#","error":{"code":"1","message":"x"}"#, malformed("an error without a code and a message"));
    }

    #[test]
    fn a_server_that_goes_says_how() {
        let gone = |script: &str| match shell(script, LONG).0.request("m", "{}") {
            Err(Failure::Gone(how)) => how,
            other => panic!("{script}: {:?}", other.map(|answer| answer.line)),
        };
        assert_eq!(gone("exit 3"), "exit 3");
        assert_eq!(gone("kill -9 $$"), "signal KILL");
        assert_eq!(gone("echo one >&2; echo two >&2; read -r line; exit 4"), "exit 4; on stderr: two");
        // The end is waited for, and somebody else may hold the output open.
        assert_eq!(gone("exec >&-; for n in 1 2 3 4; do /bin/true; done; exit 7"), "exit 7");
        assert_eq!(gone("sleep 1000 & exit 3"), "exit 3");
        let (mut connection, _) = shell("exec >&-; cat >/dev/null", LONG);
        connection.farewell = Duration::ZERO;
        let open = connection.request("m", "{}").map(|answer| answer.line);
        assert_eq!(open, Err(Failure::Gone("it closed its output".to_owned())));
        match shell("printf '{'", LONG).0.request("m", "{}") {
            Err(Failure::Unreadable(why)) => assert_eq!(why, "it ends inside: {"),
            other => panic!("{:?}", other.map(|answer| answer.line)),
        }
    }

    #[test]
    fn silence_ends_and_a_late_answer_is_passed_over() {
        let second = r#"{"jsonrpc":"2.0","id":2,"result":{"second":true}}\n"#;
        let script = format!("read -r a; read -r b; read -r c; printf '{RIGHT}{second}'; cat >/dev/null");
        let (mut connection, seen) = shell(&script, Duration::from_millis(30));
        let silence = connection.request("m", "{}").map(|answer| answer.line);
        assert_eq!(silence, Err(Failure::Silence(Duration::from_millis(30))));
        let cancelled = r#"→ {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        assert_eq!(seen.borrow().last().map(String::as_str), Some(cancelled));
        connection.set_limit(LONG);
        let answer = connection.request("m", "{}").expect("an answer");
        assert_eq!(answer.result, serde_json::json!({"second": true}));
        assert!(connection.take_trace().is_some());
        assert!(connection.take_trace().is_none());
    }

    #[test]
    fn the_limit_is_the_one_that_was_set_last() {
        let (mut connection, _) = shell("cat >/dev/null", Duration::from_millis(2));
        for limit in [2, 1].map(Duration::from_millis) {
            connection.set_limit(limit);
            let silence = connection.request("m", "{}").map(|answer| answer.line);
            assert_eq!(silence, Err(Failure::Silence(limit)));
        }
    }

    #[test]
    fn a_server_that_is_closed_has_time_to_end() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let ended = folder.path().join("ended");
        let script =
            format!("cat >/dev/null; for n in 1 2 3 4; do /bin/true; done; : >'{}'", ended.display());
        shell(&script, LONG).0.close();
        assert!(ended.exists());
    }

    #[test]
    fn a_server_that_never_stops_talking_is_silent_all_the_same() {
        let (mut connection, _) =
            shell("while :; do echo '{\"method\":\"x\"}'; done", Duration::from_millis(300));
        let silence = connection.request("m", "{}").map(|answer| answer.line);
        assert_eq!(silence, Err(Failure::Silence(Duration::from_millis(300))));
    }

    #[test]
    fn a_request_of_the_server_is_answered() {
        let ping = r#"{"id":"a","method":"ping"}"#;
        let roots = r#"{"id":7,"method":"roots/list"}"#;
        let script = format!(
            "read -r a; echo '{ping}'; read -r b; echo '{roots}'; read -r c; printf '{RIGHT}'; cat >/dev/null"
        );
        let (mut connection, seen) = shell(&script, LONG);
        connection.request("m", "{}").expect("an answer");
        let sent: Vec<_> =
            seen.borrow().iter().filter(|line| line.starts_with('→')).skip(1).cloned().collect();
        assert_eq!(
            sent,
            [
                r#"→ {"jsonrpc":"2.0","id":"a","result":{}}"#,
                r#"→ {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"this client offers nothing"}}"#,
            ]
        );
    }

    #[test]
    fn a_command_that_is_not_there_does_not_open() {
        assert!(Connection::open(&["/nowhere/server".into()], LONG, None).is_err());
        assert!(Connection::open(&[], LONG, None).is_err());
    }
}
