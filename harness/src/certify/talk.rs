//! One conversation with a server under test: what went out, what came in, and which belongs to which.
//!
//! Owns the record of a conversation. Must not know a rule; the probes and [`super::envelope`] do.

use std::io;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::era::Era;
use super::line::{Line, Received};
use crate::engine::{Ending, visible};

/// How many bytes of a line a report shows.
const SHOWN: usize = 600;

/// Something that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The id of a request; a notification has none.
    pub id: Option<Value>,
    /// Its method; empty where the line is no message.
    pub method: String,
    /// Its parameters.
    pub params: Value,
    /// The line.
    pub text: String,
    /// Whether a client may send this at all.
    pub lawful: bool,
    /// How many answers came to it.
    pub answers: usize,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

impl Sent {
    /// Whether nothing in a request says its era, so that a server of both may answer it as one of the older.
    #[must_use]
    pub fn is_of_no_era(&self) -> bool {
        self.params["_meta"].get(super::era::VERSION_KEY).is_none()
    }
}

/// Something that came.
#[derive(Clone, Debug)]
pub struct Came {
    /// Its bytes, safe to show.
    pub shown: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The value that they are; null where they are no JSON.
    pub message: Value,
    /// Whose answer it is, as an index into [`Talk::sent`].
    pub answers: Option<usize>,
    /// How many messages had been sent by then.
    pub after: usize,
    /// The requests that were waiting then, as indices into [`Talk::sent`].
    pub waiting: Vec<usize>,
}

impl Came {
    /// It as a report shows it.
    #[must_use]
    pub fn line(&self) -> String {
        format!("< {}", self.shown)
    }
}

/// What a request came to.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The whole answer; none where nothing came.
    pub message: Option<Value>,
    /// What there is to say where nothing came.
    pub silence: String,
    /// The lines that show it.
    pub lines: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Reply {
    /// The result, where the answer is one.
    #[must_use]
    pub fn result(&self) -> Option<&Value> {
        self.message.as_ref()?.get("result")
    }

    /// The error, where the answer is one.
    #[must_use]
    pub fn error(&self) -> Option<&Value> {
        self.message.as_ref()?.get("error")
    }

    /// The code of an error.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.error()?.get("code")?.as_i64()
    }

    /// Whether the answer is a result that says that the tool failed.
    #[must_use]
    pub fn is_tool_error(&self) -> bool {
        self.result().and_then(|result| result.get("isError")) == Some(&Value::Bool(true))
    }

    /// What came, in a few words.
    #[must_use]
    pub fn told(&self) -> String {
        match (self.result(), self.error()) {
            (Some(_), _) if self.is_tool_error() => "a result with isError".to_owned(),
            (Some(_), _) => "a result".to_owned(),
            (None, Some(error)) => match error.get("code") {
                Some(code) => format!("the error {code}"),
                None => "an error without code".to_owned(),
            },
            (None, None) if self.message.is_some() => "neither a result nor an error".to_owned(),
            (None, None) => self.silence.clone(),
        }
    }
}

/// A conversation in one era.
pub struct Talk {
    line: Box<dyn Line>,
    /// The era that its requests are of.
    pub era: Era,
    /// What went out, in order.
    pub sent: Vec<Sent>,
    /// What came in, in order.
    pub came: Vec<Came>,
    limit: Duration,
    over: Option<String>,
    ids: u64,
    /// The first fault of the machine.
    pub fault: Option<io::Error>,
}

/// How a conversation ended after its last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The server ended by itself.
    Ended(Ending),
    /// It runs on.
    RunsOn,
}

impl Talk {
    /// Begins a conversation; nothing is sent yet.
    #[must_use]
    pub fn new(line: Box<dyn Line>, era: Era, limit: Duration) -> Self {
        Self { line, era, sent: Vec::new(), came: Vec::new(), limit, over: None, ids: 0, fault: None }
    }

    /// An id that no request of this conversation had, of another form each time.
    pub fn next_id(&mut self) -> Value {
        self.ids += 1;
        let n = self.ids;
        match n % 4 {
            1 => json!(format!("pedido-{n}")),
            2 => json!(n),
            3 => json!(n.to_string()),
            // Beyond 32 bits, and still an integer in every language.
            _ => json!(9_007_199_254_740_000_u64 + n),
        }
    }

    /// Asks for a method with parameters of the era and waits for the answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Reply {
        let id = self.begin(method, params);
        self.wait(&id)
    }

    /// Sends a request of the era and does not wait; gives its id.
    pub fn begin(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id();
        let request = self.era.request(&id, method, params);
        self.send(&request, true);
        id
    }

    /// Sends a whole request as it stands and waits for the answer.
    pub fn ask_as_is(&mut self, method: &str, params: Option<Value>, lawful: bool) -> Reply {
        let id = self.next_id();
        let mut request = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if let Some(params) = params {
            request["params"] = params;
        }
        self.send(&request, lawful);
        self.wait(&id)
    }

    /// Sends a notification.
    pub fn tell(&mut self, method: &str, params: Option<Value>) {
        let mut notification = json!({"jsonrpc": "2.0", "method": method});
        if let Some(params) = params {
            notification["params"] = params;
        }
        self.send(&notification, true);
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: &Value) {
        if let Some(at) = self.request(id) {
            self.sent[at].cancelled = true;
        }
        self.tell("notifications/cancelled", Some(json!({"requestId": id, "reason": "certify"})));
    }

    /// Sends a message; `lawful` says whether a client may.
    pub fn send(&mut self, message: &Value, lawful: bool) {
        let text = message.to_string();
        self.sent.push(Sent {
            id: message.get("id").cloned(),
            method: message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned(),
            params: message.get("params").cloned().unwrap_or(Value::Null),
            text: text.clone(),
            lawful,
            answers: 0,
            cancelled: false,
        });
        self.line.send(text.as_bytes());
    }

    /// Sends bytes that no client may send.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.sent.push(Sent {
            id: None,
            method: String::new(),
            params: Value::Null,
            text: visible(bytes, SHOWN),
            lawful: false,
            answers: 0,
            cancelled: false,
        });
        self.line.send(bytes);
    }

    /// Waits for the answer to a request.
    pub fn wait(&mut self, id: &Value) -> Reply {
        let start = Instant::now();
        let deadline = start + self.limit;
        let asked = self.request(id);
        let sent: Vec<_> = asked.map(|at| format!("> {}", clip(&self.sent[at].text))).into_iter().collect();
        let mut seen = 0;
        loop {
            if let Some(came) = answer_to(asked, &self.came[seen..]) {
                let lines = sent.into_iter().chain([came.line()]).collect();
                let message = Some(came.message.clone());
                return Reply { message, silence: String::new(), lines, took: start.elapsed() };
            }
            seen = self.came.len();
            if let Err(silence) = self.receive(deadline) {
                return Reply { message: None, silence, lines: sent, took: start.elapsed() };
            }
        }
    }

    /// Takes in whatever comes for a while.
    pub fn watch(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        while self.receive(deadline).is_ok() {}
    }

    /// Takes in one line, or says why none came.
    fn receive(&mut self, deadline: Instant) -> Result<(), String> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        match self.line.receive(deadline) {
            Ok(Received::Line(bytes)) => {
                self.take(bytes);
                Ok(())
            }
            Ok(Received::Nothing) => Err(format!("nothing within {} ms", self.limit.as_millis())),
            Ok(Received::Quiet(why)) => Err(why),
            Ok(Received::Over(why)) => {
                self.over = Some(why.clone());
                Err(why)
            }
            Err(error) => {
                let why = format!("the line broke: {error}");
                self.over = Some(why.clone());
                self.fault.get_or_insert(error);
                Err(why)
            }
        }
    }

    fn take(&mut self, bytes: Vec<u8>) {
        let waiting = (0..self.sent.len())
            .filter(|at| {
                self.sent[*at].id.is_some() && self.sent[*at].answers == 0 && !self.sent[*at].cancelled
            })
            .collect();
        let message = serde_json::from_slice(&bytes).unwrap_or_default();
        let answers = self.answered(&message);
        if let Some(at) = answers {
            self.sent[at].answers += 1;
        }
        let shown = visible(&bytes, SHOWN);
        self.came.push(Came { shown, bytes, message, answers, after: self.sent.len(), waiting });
    }

    /// The request whose answer a message is.
    fn answered(&self, message: &Value) -> Option<usize> {
        if message.get("method").is_some() {
            return None;
        }
        self.request(message.get("id")?)
    }

    /// The request with an id, as an index into [`Talk::sent`].
    fn request(&self, id: &Value) -> Option<usize> {
        self.sent.iter().position(|sent| sent.id.as_ref() == Some(id))
    }

    /// The first answer to a request, if one has come.
    #[must_use]
    pub fn answer(&self, id: &Value) -> Option<&Came> {
        answer_to(self.request(id), &self.came)
    }

    /// What came from the `before`th line on, as a report shows it.
    #[must_use]
    pub fn lines_since(&self, before: usize) -> Vec<String> {
        self.came[before..].iter().map(Came::line).collect()
    }

    /// Ends the input and waits for the server to end.
    pub fn close(&mut self) -> Closing {
        self.line.close();
        self.watch(self.limit);
        match self.line.ending() {
            Ok(Some(ending)) => Closing::Ended(ending),
            Ok(None) => Closing::RunsOn,
            Err(error) => {
                self.fault.get_or_insert(error);
                Closing::RunsOn
            }
        }
    }
}

fn answer_to(request: Option<usize>, came: &[Came]) -> Option<&Came> {
    came.iter().find(|came| came.answers.is_some() && came.answers == request)
}

/// A line as a report shows it.
#[must_use]
pub fn clip(text: &str) -> String {
    visible(text.as_bytes(), SHOWN)
}
