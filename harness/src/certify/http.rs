//! Streamable HTTP as a client speaks it: one POST for each message, the standard headers beside it.
//!
//! Owns the exchange. Must not judge a status; the probes do. Plain HTTP goes to this machine only.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use ureq::Agent;
use ureq::http::{Request, Uri};

use super::era::{Era, VERSION_KEY};
use super::line::{Line, Received};
use crate::engine::Ending;

/// How many bytes of a body are read.
const BODY_LIMIT: u64 = 16 << 20;

/// The header of a session, in the older revision.
pub const SESSION: &str = "mcp-session-id";

/// An endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    agent: Agent,
    url: String,
}

/// What an exchange came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The type of the body, without parameters, in lower case.
    pub kind: String,
    /// The session that the server names.
    pub session: Option<String>,
    /// The messages in the body.
    pub messages: Vec<Vec<u8>>,
    /// Whether an event of a stream has an id.
    pub event_ids: bool,
}

impl Answer {
    /// The first message, as a value.
    #[must_use]
    pub fn message(&self) -> Value {
        self.messages.iter().find_map(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
    }

    /// The code of an error in it.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.message()["error"]["code"].as_i64()
    }

    /// The exchange in a few words.
    #[must_use]
    pub fn told(&self) -> String {
        match self.code() {
            Some(code) => format!("status {} with the error {code}", self.status),
            None if self.messages.is_empty() => format!("status {} and nothing", self.status),
            None => format!("status {} with {}", self.status, self.kind),
        }
    }
}

impl Endpoint {
    /// An endpoint at a URL.
    ///
    /// # Errors
    /// A URL that is none, or plain HTTP to another machine.
    pub fn new(url: &str, limit: Duration) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|error| format!("{url}: {error}"))?;
        let host = uri.host().unwrap_or_default();
        let here = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if here => {}
            Some("http") => return Err(format!("{url}: plain http goes to this machine only")),
            _ => return Err(format!("{url}: neither https nor http")),
        }
        let mut config =
            Agent::config_builder().timeout_global(Some(limit)).http_status_as_error(false).max_redirects(0);
        if here {
            config = config.proxy(None);
        }
        Ok(Self { agent: config.build().into(), url: url.to_owned() })
    }

    /// Whether it is reached over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.url.starts_with("https:")
    }

    /// Sends a body, or nothing, with these headers.
    ///
    /// # Errors
    /// The endpoint is not reached, or breaks off.
    pub fn exchange(
        &self,
        method: &str,
        headers: &[(String, String)],
        body: Option<&[u8]>,
    ) -> io::Result<Answer> {
        let mut request = Request::builder().method(method).uri(&self.url);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = match body {
            Some(body) => self.agent.run(request.body(body).map_err(io::Error::other)?),
            None => self.agent.run(request.body(()).map_err(io::Error::other)?),
        };
        let mut response = response.map_err(io::Error::other)?;
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned)
        };
        let kind = header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
        let session = header(SESSION);
        let status = response.status().as_u16();
        let mut answer = Answer { status, kind, session, ..Answer::default() };
        // A stream that a GET opens has no end to wait for.
        if method == "POST" {
            let wanted = body.and_then(|body| serde_json::from_slice::<Value>(body).ok()).unwrap_or_default();
            let reader = response.body_mut().with_config().limit(BODY_LIMIT).reader();
            read(&mut answer, reader, &wanted["id"])?;
        }
        Ok(answer)
    }
}

/// Reads a body: a message, or a stream of them until the answer to `id`.
fn read(answer: &mut Answer, mut body: impl Read, id: &Value) -> io::Result<()> {
    if answer.kind != "text/event-stream" {
        let mut bytes = Vec::new();
        body.read_to_end(&mut bytes)?;
        if !bytes.trim_ascii().is_empty() {
            answer.messages.push(bytes);
        }
        return Ok(());
    }
    let mut data: Vec<String> = Vec::new();
    for line in BufReader::new(body).lines() {
        let line = line?;
        match line.split_once(':').map_or((line.as_str(), ""), |(name, value)| (name, value)) {
            ("", "") => {
                let event = std::mem::take(&mut data).join("\n");
                if event.is_empty() {
                    continue;
                }
                let is_answer = serde_json::from_str::<Value>(&event)
                    .is_ok_and(|message| message.get("method").is_none() && message["id"] == *id);
                answer.messages.push(event.into_bytes());
                if is_answer {
                    break;
                }
            }
            ("data", value) => data.push(value.strip_prefix(' ').unwrap_or(value).to_owned()),
            ("id", _) => answer.event_ids = true,
            _ => {}
        }
    }
    Ok(())
}

/// The headers that a client sends beside a message.
#[must_use]
pub fn headers(message: &Value, era: Era, session: Option<&str>) -> Vec<(String, String)> {
    let params = &message["params"];
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
    ];
    let version = match era {
        Era::Modern => params["_meta"][VERSION_KEY].as_str().unwrap_or(Era::Modern.revision()),
        Era::Legacy => Era::Legacy.revision(),
    };
    let method = message["method"].as_str().unwrap_or_default();
    if method != "initialize" {
        headers.push(("MCP-Protocol-Version".to_owned(), version.to_owned()));
    }
    if era == Era::Modern {
        headers.push(("Mcp-Method".to_owned(), method.to_owned()));
        let name = match method {
            "tools/call" | "prompts/get" => params["name"].as_str(),
            "resources/read" => params["uri"].as_str(),
            _ => None,
        };
        headers.extend(name.map(|name| ("Mcp-Name".to_owned(), header_value(name))));
    }
    headers.extend(session.map(|session| ("Mcp-Session-Id".to_owned(), session.to_owned())));
    headers
}

/// A value as a header carries it: as it is where it is plain, in base64 where it is not.
#[must_use]
pub fn header_value(value: &str) -> String {
    let plain =
        value.chars().all(|c| matches!(c, ' '..='~')) && value.trim() == value && !value.starts_with("=?");
    if plain { value.to_owned() } else { encoded(value) }
}

/// A value in base64, as a header carries it.
#[must_use]
pub fn encoded(value: &str) -> String {
    format!("=?base64?{}?=", STANDARD.encode(value))
}

/// Messages over an endpoint, one exchange each.
pub struct Posts {
    endpoint: Endpoint,
    era: Era,
    session: Option<String>,
    queue: VecDeque<Received>,
}

impl Posts {
    /// A conversation with an endpoint.
    #[must_use]
    pub fn new(endpoint: Endpoint, era: Era) -> Self {
        Self { endpoint, era, session: None, queue: VecDeque::new() }
    }
}

impl Line for Posts {
    fn send(&mut self, text: &[u8]) {
        let message: Value = serde_json::from_slice(text).unwrap_or_default();
        // What asks for the handshake is of the older revision, whoever asks.
        let era = if message["method"] == "initialize" { Era::Legacy } else { self.era };
        let headers = headers(&message, era, self.session.as_deref());
        // That nothing more came of what was sent before is no news any more.
        self.queue.retain(|received| matches!(received, Received::Line(_)));
        match self.endpoint.exchange("POST", &headers, Some(text)) {
            Ok(answer) => {
                let told = answer.told();
                self.session = answer.session.or(self.session.take());
                self.queue.extend(answer.messages.into_iter().map(Received::Line));
                self.queue.push_back(Received::Quiet(told));
            }
            Err(error) => self.queue.push_back(Received::Quiet(error.to_string())),
        }
    }

    fn receive(&mut self, _deadline: Instant) -> io::Result<Received> {
        Ok(self.queue.pop_front().unwrap_or_else(|| Received::Quiet("nothing more".to_owned())))
    }

    fn close(&mut self) {}

    fn ending(&self) -> io::Result<Option<Ending>> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_http_goes_to_this_machine_only() {
        let check = |url: &str, good: bool| {
            assert_eq!(Endpoint::new(url, Duration::from_secs(1)).is_ok(), good, "{url}");
        };
        check("https://example.com/mcp", true);
        check("http://localhost:8000/mcp", true);
        check("http://127.0.0.1:1/", true);
        check("http://[::1]:1/", true);
        check("http://example.com/mcp", false);
        check("http://localhost.example.com/", false);
        check("ftp://localhost/", false);
        check("nowhere", false);
    }

    #[test]
    fn a_body_is_a_message_or_a_stream_of_them() {
        let check = |kind: &str, body: &str, expect: &[&str], ids: bool| {
            let mut answer = Answer { kind: kind.to_owned(), ..Answer::default() };
            read(&mut answer, body.as_bytes(), &json!(1)).expect("a body");
            let texts: Vec<_> = answer.messages.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect();
            assert_eq!(
                (texts, answer.event_ids),
                (expect.iter().map(|text| (*text).into()).collect(), ids),
                "{body}"
            );
        };
        check("application/json", "{\"id\":1}", &["{\"id\":1}"], false);
        check("application/json", " \n", &[], false);
        let stream = ": hello\nevent: message\ndata: {\"method\":\"a\"}\n\nid: 7\ndata:{\"id\":1,\ndata: \"result\":{}}\n\ndata: late\n\n";
        check("text/event-stream", stream, &["{\"method\":\"a\"}", "{\"id\":1,\n\"result\":{}}"], true);
        check("text/event-stream", "data: half", &[], false);
    }

    #[test]
    fn headers_say_what_the_body_says() {
        let call =
            json!({"id": 1, "method": "tools/call", "params": {"name": "año", "_meta": {VERSION_KEY: "x"}}});
        let named = |era, session| {
            headers(&call, era, session)
                .into_iter()
                .skip(2)
                .map(|(name, value)| format!("{name}: {value}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            named(Era::Modern, None),
            ["MCP-Protocol-Version: x", "Mcp-Method: tools/call", "Mcp-Name: =?base64?YcOxbw==?="]
        );
        assert_eq!(named(Era::Legacy, Some("s")), ["MCP-Protocol-Version: 2025-11-25", "Mcp-Session-Id: s"]);
        let first = json!({"id": 1, "method": "initialize", "params": {}});
        assert_eq!(headers(&first, Era::Legacy, None).len(), 2);
        assert_eq!(header_value("a b"), "a b");
        assert_eq!(header_value(" a"), encoded(" a"));
        assert_eq!(header_value("=?x"), encoded("=?x"));
    }
}
