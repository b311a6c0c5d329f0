//! Rules of the transport that is reached by URL: headers, statuses, and what a body is.

use std::io;

use serde_json::{Value, json};

use super::super::bench::Bench;
use super::super::era::{self, CAPABILITIES_KEY, Era, VERSION_KEY};
use super::super::http::{self, Answer, Endpoint};

/// The origin of a page that a server has no reason to trust.
const FOREIGN: &str = "https://certify.invalid";

/// Exchanges over the endpoint, header by header.
pub fn probe(bench: &mut Bench<'_>, endpoint: &Endpoint) -> io::Result<()> {
    let mut desk = Desk { bench, endpoint, session: None };
    match desk.bench.era {
        Era::Modern => {
            desk.kinds()?;
            desk.headers()?;
            desk.statuses()?;
            desk.other_methods("HTTP-10")?;
            desk.origin("HTTP-2")
        }
        Era::Legacy => {
            desk.session()?;
            desk.other_methods("HTTPL-1")?;
            desk.version()?;
            desk.origin("HTTPL-6")
        }
    }
}

type Headers = Vec<(String, String)>;

struct Desk<'d, 'o> {
    bench: &'d mut Bench<'o>,
    endpoint: &'d Endpoint,
    session: Option<String>,
}

impl Desk<'_, '_> {
    fn request(&self, id: &str, method: &str, params: Value) -> Value {
        self.bench.era.request(&json!(id), method, params)
    }

    fn post(&self, message: &Value, change: impl FnOnce(&mut Headers)) -> io::Result<Answer> {
        let mut headers = http::headers(message, self.bench.era, self.session.as_deref());
        change(&mut headers);
        self.endpoint.exchange("POST", &headers, Some(message.to_string().as_bytes()))
    }

    fn judge(&mut self, rule: &'static str, holds: bool, what: &str, answer: &Answer) {
        let lines = answer
            .messages
            .iter()
            .map(|bytes| format!("< {}", super::super::talk::clip(&String::from_utf8_lossy(bytes))));
        let told = format!("{what}: {}", answer.told());
        self.bench.notes.judge(rule, holds, told, || lines.collect());
    }

    /// What a request and a notification are answered with.
    fn kinds(&mut self) -> io::Result<()> {
        let asked = self.request("http-1", "server/discover", json!({}));
        let answer = self.post(&asked, |_| {})?;
        self.judge("HTTP-1", answer.message()["result"].is_object(), "server/discover in a POST", &answer);
        let known = matches!(answer.kind.as_str(), "application/json" | "text/event-stream");
        self.judge("HTTP-7", known, "the body of an answer", &answer);
        if answer.kind == "text/event-stream" {
            self.judge("HTTP-8", !answer.event_ids, "an event stream", &answer);
        } else {
            self.bench.notes.absent("HTTP-8", "answers are no event streams");
        }
        self.judge("HTTP-10", answer.session.is_none(), "no session is minted", &answer);
        let notice =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}});
        let answer = self.post(&notice, |_| {})?;
        // A server may refuse a notification too, by a status that says so.
        let holds = answer.status == 202 && answer.messages.is_empty() || answer.status >= 400;
        self.judge("HTTP-7", holds, "a notification", &answer);
        Ok(())
    }

    /// Headers that are not what the body says.
    fn headers(&mut self) -> io::Result<()> {
        let asked = self.request("http-2", "server/discover", json!({}));
        let set = |name: &'static str, value: Option<&'static str>| {
            move |headers: &mut Headers| {
                headers.retain(|(known, _)| known != name);
                headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
            }
        };
        // A version that nobody serves may be answered as that.
        for (what, name, value, codes) in [
            ("another Mcp-Method", "Mcp-Method", Some("tools/list"), &[-32020][..]),
            ("no Mcp-Method", "Mcp-Method", None, &[-32020]),
            ("another MCP-Protocol-Version", "MCP-Protocol-Version", Some("2099-01-01"), &[-32020, -32022]),
        ] {
            let answer = self.post(&asked, set(name, value))?;
            let holds = answer.status == 400 && answer.code().is_some_and(|code| codes.contains(&code));
            self.judge("HTTP-4", holds, what, &answer);
        }
        let call =
            self.request("http-3", "tools/call", json!({"name": "certify_no_such_tool", "arguments": {}}));
        let answer = self.post(&call, set("Mcp-Name", Some("another")))?;
        let holds = answer.status == 400 && answer.code() == Some(-32020);
        self.judge("HTTP-4", holds, "another Mcp-Name", &answer);
        let answer = self.post(&call, |headers| {
            headers.retain(|(name, _)| name != "Mcp-Name");
            headers.push(("Mcp-Name".to_owned(), http::encoded("certify_no_such_tool")));
        })?;
        self.judge("HTTP-5", answer.code() != Some(-32020), "Mcp-Name in base64", &answer);
        Ok(())
    }

    fn statuses(&mut self) -> io::Result<()> {
        let of = |meta: Value| json!({"jsonrpc": "2.0", "id": "http-4", "method": "server/discover", "params": {"_meta": meta}});
        let unserved = of(json!({VERSION_KEY: "2099-01-01", CAPABILITIES_KEY: {}}));
        let half = of(json!({VERSION_KEY: Era::Modern.revision()}));
        let unknown = self.request("http-5", "certify/no-such-method", json!({}));
        for (what, message, status, code) in [
            ("an unknown version", unserved, 400, -32022),
            ("no clientCapabilities", half, 400, -32602),
            ("an unknown method", unknown, 404, -32601),
        ] {
            let answer = self.post(&message, |_| {})?;
            let holds = answer.status == status && answer.code() == Some(code);
            self.judge("HTTP-6", holds, what, &answer);
        }
        Ok(())
    }

    /// GET and DELETE.
    fn other_methods(&mut self, rule: &'static str) -> io::Result<()> {
        let era = self.bench.era;
        let session = self.session.clone();
        let headers = move |accept: &str| {
            let mut headers = vec![("Accept".to_owned(), accept.to_owned())];
            headers.extend(session.clone().map(|session| ("Mcp-Session-Id".to_owned(), session)));
            headers.push(("MCP-Protocol-Version".to_owned(), era.revision().to_owned()));
            headers
        };
        let get = self.endpoint.exchange("GET", &headers("text/event-stream"), None)?;
        let streams = era == Era::Legacy && get.status == 200 && get.kind == "text/event-stream";
        self.judge(rule, get.status == 405 || streams, "GET", &get);
        if era == Era::Modern {
            let delete = self.endpoint.exchange("DELETE", &headers("application/json"), None)?;
            self.judge(rule, delete.status == 405, "DELETE", &delete);
        }
        Ok(())
    }

    fn origin(&mut self, rule: &'static str) -> io::Result<()> {
        let asked = match self.bench.era {
            Era::Modern => self.request("http-6", "server/discover", json!({})),
            Era::Legacy => self.request("http-6", "ping", json!({})),
        };
        let answer = self.post(&asked, |headers| headers.push(("Origin".to_owned(), FOREIGN.to_owned())))?;
        self.judge(rule, answer.status == 403, "a foreign Origin", &answer);
        Ok(())
    }

    /// The handshake of the older revision, and the session it may begin.
    fn session(&mut self) -> io::Result<()> {
        let first = self.request("http-1", "initialize", era::initialize(Era::Legacy.revision()));
        let answer = self.post(&first, |_| {})?;
        let known = matches!(answer.kind.as_str(), "application/json" | "text/event-stream");
        self.judge(
            "HTTPL-2",
            known && answer.message()["result"].is_object(),
            "initialize in a POST",
            &answer,
        );
        match &answer.session {
            None => self.bench.notes.absent("HTTPL-3", "the server begins no session"),
            Some(session) => {
                let visible = !session.is_empty() && session.bytes().all(|byte| matches!(byte, 0x21..=0x7e));
                self.judge("HTTPL-3", visible, "the id of a session", &answer);
            }
        }
        self.session = answer.session;
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = self.post(&notice, |_| {})?;
        let holds = answer.status == 202 && answer.messages.is_empty();
        self.judge("HTTPL-2", holds, "a notification", &answer);
        Ok(())
    }

    fn version(&mut self) -> io::Result<()> {
        let asked = self.request("http-7", "ping", json!({}));
        let answer = self.post(&asked, |headers| {
            headers.retain(|(name, _)| name != "MCP-Protocol-Version");
            headers.push(("MCP-Protocol-Version".to_owned(), "certify".to_owned()));
        })?;
        self.judge("HTTPL-4", answer.status == 400, "MCP-Protocol-Version: certify", &answer);
        Ok(())
    }
}
