//! A small MCP server of both eras that keeps every rule, but for the one flaw that it is told to have.
//!
//! Flaws of content are rows of [`super::flaws::PATCHES`]; flaws of behaviour are words that the code below asks for.
//! Its tools: `eco` and `nada` say that they only read, `lenta` takes its time, `borra` must never be called.

use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{flaws, gateway};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";
const PREFIX: &str = "io.modelcontextprotocol/";

/// Serves until the end of input.
pub fn serve(arguments: &[String]) -> ExitCode {
    let mut server = Server::new(arguments.first().map(String::as_str).unwrap_or_default());
    server.start();
    let mut input = BufReader::new(io::stdin().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let more = input.buffer().contains(&b'\n');
        server.line(&line, more);
        line.clear();
    }
    server.end()
}

/// The server's state; a good one keeps only what runs.
pub struct Server {
    flaw: String,
    /// What is to be printed.
    out: Vec<u8>,
    /// Calls of `lenta` that run: their ids, and how many more requests it takes until they are answered.
    running: Vec<(Value, bool, u8)>,
    /// Open subscriptions.
    listening: Vec<Value>,
    /// Whether a whole modern request came.
    whole: bool,
    /// Whether an unknown method was asked for.
    strange: bool,
    /// Whether anything was asked.
    begun: bool,
    /// Ids that were answered.
    answered: Vec<Value>,
    /// The tools of the gateway's contract.
    gateway: gateway::Desk,
}

fn error(code: i64, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

fn result(members: Value) -> Value {
    json!({"result": members})
}

impl Server {
    /// A server with a flaw; `none` is none.
    pub fn new(flaw: &str) -> Self {
        Self {
            flaw: flaw.to_owned(),
            out: Vec::new(),
            running: Vec::new(),
            listening: Vec::new(),
            whole: false,
            strange: false,
            begun: false,
            answered: Vec::new(),
            gateway: gateway::Desk::default(),
        }
    }

    /// What is to be sent, which is not printed then.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn is(&self, flaw: &str) -> bool {
        self.flaw == flaw
    }

    fn start(&mut self) {
        if self.is("banner") {
            self.out.extend_from_slice(b"listo\n");
        }
        self.flush();
    }

    fn end(&mut self) -> ExitCode {
        for id in std::mem::take(&mut self.listening) {
            if !self.is("leaves listeners") {
                let meta = json!({PREFIX.to_owned() + "subscriptionId": id});
                self.answer(&id, "subscriptions/listen", true, result(json!({"_meta": meta})));
            }
        }
        self.flush();
        match self.flaw.as_str() {
            "stays" => loop {
                std::thread::sleep(std::time::Duration::from_secs(1_000));
            },
            "falls at the end" => std::process::abort(),
            _ => ExitCode::SUCCESS,
        }
    }

    fn flush(&mut self) {
        // A client that hung up is the client's affair.
        let _ = io::stdout().lock().write_all(&std::mem::take(&mut self.out));
        let _ = io::stdout().lock().flush();
    }

    fn line(&mut self, line: &[u8], more: bool) {
        match serde_json::from_slice::<Value>(line) {
            Ok(message) => self.message(&message, more),
            Err(_) => self.stray(error(-32700, "no JSON")),
        }
        self.flush();
    }

    fn stray(&mut self, error: Value) {
        if !self.is("deaf to garbage") {
            self.print(&error);
        }
    }

    /// One message.
    pub fn message(&mut self, message: &Value, more: bool) {
        let good_id = message.get("id").is_none_or(|id| id.is_string() || id.is_i64() || id.is_u64());
        let Some(method) = message["method"].as_str().filter(|_| good_id) else {
            return self.stray(error(-32600, "no request"));
        };
        if message.get("params").is_some_and(|params| !params.is_object()) {
            return self.stray(error(-32600, "params"));
        }
        let Some(id) = message.get("id") else { return self.notified(method, &message["params"]) };
        if more && self.is("forgets what waits") {
            return;
        }
        self.asked(id, method, &message["params"]);
        self.tick();
    }

    /// What runs comes closer to its end with every request.
    fn tick(&mut self) {
        let mut done = Vec::new();
        for (id, modern, left) in &mut self.running {
            match left {
                0 => done.push((id.clone(), *modern)),
                _ => *left -= 1,
            }
        }
        self.running.retain(|(id, ..)| done.iter().all(|(of, _)| of != id));
        for (id, modern) in done {
            self.answer(&id, "tools/call", modern, result(json!({"content": []})));
        }
    }

    fn notified(&mut self, method: &str, params: &Value) {
        let id = &params["requestId"];
        match method {
            "notifications/cancelled" => {
                let runs = self.running.iter().any(|(of, ..)| of == id);
                let listens = self.listening.contains(id);
                if self.is("falls over the unknown") && !runs && !listens && !self.answered.contains(id)
                    || self.is("falls over the answered") && self.answered.contains(id)
                {
                    std::process::exit(3);
                }
                if runs && self.is("answers the cancelled") {
                    self.answer(id, "tools/call", true, result(json!({"content": []})));
                }
                if listens && self.is("tells those who left") {
                    self.changed(Some(id));
                }
                self.running.retain(|(of, ..)| of != id);
                self.listening.retain(|of| of != id);
            }
            "notifications/initialized" => {}
            _ if self.is("answers notifications") => self.print(&error(-32601, "unknown")),
            _ => {}
        }
    }

    fn changed(&mut self, id: Option<&Value>) {
        let params =
            id.map_or_else(|| json!({}), |id| json!({"_meta": {PREFIX.to_owned() + "subscriptionId": id}}));
        self.print(&json!({"method": "notifications/tools/list_changed", "params": params}));
    }

    fn asked(&mut self, id: &Value, method: &str, params: &Value) {
        let first = !std::mem::replace(&mut self.begun, true);
        let meta = &params["_meta"];
        let key = |name: &str| meta.get(PREFIX.to_owned() + name);
        let modern_key = ["protocolVersion", "clientCapabilities", "clientInfo", "logLevel"]
            .into_iter()
            .any(|name| key(name).is_some());
        let modern = modern_key || matches!(method, "server/discover" | "subscriptions/listen");
        if first && method == "tools/list" && self.is("wants discover first") {
            return self.answer(id, method, modern, error(-32600, "discover first"));
        }
        if let Some(refused) = modern.then(|| self.envelope(method, meta)).flatten() {
            return self.answer(id, method, modern, refused);
        }
        self.whole |= modern;
        if modern && self.is("leaks capabilities") || !modern && self.is("leaks the version") && self.whole {
            self.whole = true;
        }
        let modern = modern || self.whole && self.is("leaks the version");
        self.before(id, method, params, modern);
        let answer = match method {
            "initialize" if !modern => self.initialize(params),
            "ping" if !modern => Some(result(json!({}))),
            "server/discover" => Some(self.discover()),
            "tools/list" if self.flaw.starts_with("asixto") => Some(self.gateway.list(&self.flaw)),
            "tools/call" if self.flaw.starts_with("asixto") => Some(self.gateway.call(&self.flaw, params)),
            "tools/list" => Some(self.list(params)),
            "tools/call" => self.call(id, params, modern),
            "subscriptions/listen" => self.listen(id),
            _ => self.unknown(method),
        };
        if let Some(answer) = answer {
            self.answer(id, method, modern, answer);
        }
    }

    /// What is wrong with the metadata of a modern request.
    fn envelope(&self, method: &str, meta: &Value) -> Option<Value> {
        let key = |name: &str| meta.get(PREFIX.to_owned() + name);
        let version = key("protocolVersion");
        if self.is("reads no version") || self.is("leaks the version") && self.whole {
            return None;
        }
        let Some(version) = version.and_then(Value::as_str) else {
            return Some(error(-32602, "protocolVersion"));
        };
        let forgiven = self.is("needs no capabilities") || self.is("leaks capabilities") && self.whole;
        if !key("clientCapabilities").is_some_and(Value::is_object) && !forgiven {
            return Some(error(-32602, "clientCapabilities"));
        }
        if version != MODERN && !(self.is("discovers in any version") && method == "server/discover") {
            let data = json!({"supported": [MODERN], "requested": version});
            return Some(json!({"error": {"code": -32022, "message": "version", "data": data}}));
        }
        if key("clientInfo").is_none() && self.is("wants a name") {
            return Some(error(-32602, "clientInfo"));
        }
        let loud = key("logLevel").is_some_and(|level| level != "info");
        (loud && !self.is("takes any level")).then(|| error(-32602, "logLevel"))
    }

    /// What flaws print before an answer.
    fn before(&mut self, id: &Value, method: &str, params: &Value, modern: bool) {
        match (self.flaw.as_str(), method) {
            ("asks the client", "tools/list") | ("asks too early", "initialize") => {
                self.print(&json!({"id": "s1", "method": "roots/list"}));
            }
            ("chats", "tools/list") => self.print(&json!({"method": "aviso"})),
            ("logs", "tools/call") => {
                self.print(
                    &json!({"method": "notifications/message", "params": {"level": "info", "data": "x"}}),
                );
            }
            ("cancels the client", "tools/list") => {
                self.print(&json!({"method": "notifications/cancelled", "params": {"requestId": id}}));
            }
            ("tells no subscription", "tools/list") if modern => self.changed(None),
            ("tells stray progress", "tools/call") => self.progress(&json!("nobody's"), &[1]),
            ("tells shrinking progress", "tools/call") => {
                self.progress(&params["_meta"]["progressToken"], &[2, 1])
            }
            ("tells progress", "tools/call") => self.progress(&params["_meta"]["progressToken"], &[1, 2]),
            ("writes headers", "tools/list") => self.out.extend_from_slice(b"Content-Length: 5\r\n"),
            ("writes latin", "tools/list") => self.out.extend_from_slice(b"caf\xe9\n"),
            _ => {}
        }
    }

    fn progress(&mut self, token: &Value, steps: &[u64]) {
        if token.is_null() {
            return;
        }
        for step in steps {
            let params = json!({"progressToken": token, "progress": step});
            self.print(&json!({"method": "notifications/progress", "params": params}));
        }
    }

    fn initialize(&self, params: &Value) -> Option<Value> {
        if self.is("modern only") || self.is("modern only and mute") {
            let versions = if self.is("modern only") { MODERN } else { "no" };
            return Some(error(-32601, versions));
        }
        let version =
            if self.is("agrees to anything") { params["protocolVersion"].clone() } else { json!(LEGACY) };
        if self.is("refuses by an error") && params["protocolVersion"] != LEGACY {
            return Some(error(-32602, "version"));
        }
        let server = json!({"name": "prueba", "version": "1"});
        let capabilities = json!({"tools": {"listChanged": true}});
        Some(result(json!({"protocolVersion": version, "capabilities": capabilities, "serverInfo": server})))
    }

    fn discover(&self) -> Value {
        if self.is("legacy only") {
            return error(-32601, "unknown");
        }
        result(json!({
            "supportedVersions": [MODERN],
            "capabilities": {"tools": {"listChanged": true}},
            "ttlMs": 0,
            "cacheScope": "private",
        }))
    }

    fn list(&self, params: &Value) -> Value {
        let good = match params["cursor"].as_str() {
            None => params.get("cursor").is_none(),
            Some("2") => self.flaw.contains("pages"),
            Some(_) => self.is("takes any cursor"),
        };
        if !good {
            return error(-32602, "cursor");
        }
        let mut tools = flaws::tools(&self.flaw);
        if self.is("reorders") && self.strange {
            tools.reverse();
        }
        if self.is("grows") && self.strange {
            tools.push(json!({"name": "nueva", "inputSchema": {"type": "object"}}));
        }
        let mut page = json!({"tools": tools, "ttlMs": 5, "cacheScope": "public"});
        if self.flaw.contains("pages") {
            let half = tools.len() / 2;
            let second = params.get("cursor").is_some();
            page["tools"] = json!(if second { &tools[half..] } else { &tools[..half] });
            if !second || self.is("endless pages") {
                page["nextCursor"] = json!("2");
            }
            if second && self.is("mixed pages") {
                page["cacheScope"] = json!("private");
            }
        }
        result(page)
    }

    fn call(&mut self, id: &Value, params: &Value, modern: bool) -> Option<Value> {
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let closed =
            ["certify", "inputResponses", "task"].into_iter().find(|name| params.get(name).is_some());
        match (closed, self.flaw.as_str()) {
            (Some("certify"), "closes the envelope")
            | (Some("inputResponses"), "takes no answers")
            | (Some("task"), "refuses tasks") => return Some(error(-32602, "unknown member")),
            (Some("task"), "makes tasks") => return Some(result(json!({"task": {"taskId": "1"}}))),
            _ => {}
        }
        if !arguments.is_object() {
            return Some(error(-32602, "arguments"));
        }
        match params["name"].as_str() {
            Some("eco") => Some(self.echo(&arguments)),
            Some("nada") => Some(result(json!({"content": [{"type": "text", "text": ""}]}))),
            Some("lenta") => {
                if self.is("is never slow") {
                    return Some(result(json!({"content": []})));
                }
                self.running.push((id.clone(), modern, 2));
                None
            }
            Some("falla") => Some(flaws::failure(&self.flaw)),
            // Whoever calls this has not read its definition.
            Some("borra") => std::process::exit(99),
            Some(_) if self.is("knows no tool as a failure") => {
                Some(result(json!({"content": [{"type": "text", "text": "?"}], "isError": true})))
            }
            Some(_) => Some(error(-32602, "unknown tool")),
            None if self.is("nameless is internal") => Some(error(-32603, "name")),
            None => Some(error(-32602, "name")),
        }
    }

    fn echo(&self, arguments: &Value) -> Value {
        let text = arguments["texto"].as_str();
        let good = text.is_some() && arguments.as_object().is_some_and(|members| members.len() == 1);
        match self.flaw.as_str() {
            _ if good => {}
            "takes any argument" => {}
            "refuses by -32603" => return error(-32603, "texto"),
            "refuses by -32602" => return error(-32602, "texto"),
            "silent failure" => return result(json!({"content": [], "isError": true})),
            _ => return result(json!({"content": [{"type": "text", "text": "texto"}], "isError": true})),
        }
        let text = text.unwrap_or_default();
        let structured = json!({"texto": text, "largo": text.chars().count()});
        let block = json!({"type": "text", "text": structured.to_string()});
        result(json!({"content": [block], "structuredContent": structured, "isError": false}))
    }

    fn listen(&mut self, id: &Value) -> Option<Value> {
        if self.is("takes no listeners") {
            return Some(error(-32601, "unknown"));
        }
        self.listening.push(id.clone());
        let mut params = json!({
            "_meta": {PREFIX.to_owned() + "subscriptionId": id},
            "notifications": {"toolsListChanged": true},
        });
        match self.flaw.as_str() {
            "acknowledges without id" => {
                params["_meta"][PREFIX.to_owned() + "subscriptionId"] = json!("other")
            }
            "acknowledges more" => params["notifications"]["promptsListChanged"] = json!(true),
            "acknowledges nothing" => return None,
            _ => {}
        }
        self.print(&json!({"method": "notifications/subscriptions/acknowledged", "params": params}));
        None
    }

    fn unknown(&mut self, method: &str) -> Option<Value> {
        self.strange = true;
        match (self.flaw.as_str(), method) {
            ("offers prompts all the same", "prompts/list") => {
                Some(result(json!({"prompts": [], "ttlMs": 0, "cacheScope": "private"})))
            }
            ("keeps tasks", "tasks/get") => Some(result(json!({"status": "working"}))),
            ("says nothing", "prompts/list") => None,
            ("unknown is invalid", "certify/no-such-method") => Some(error(-32600, "unknown")),
            _ => Some(error(-32601, "unknown")),
        }
    }

    /// Finishes an answer, with the flaws of content, and prints it.
    fn answer(&mut self, id: &Value, method: &str, modern: bool, mut answer: Value) {
        if modern && answer.get("result").is_some() {
            let members = answer["result"].as_object_mut().expect("a result");
            members.entry("resultType").or_insert_with(|| json!("complete"));
            let meta = members.entry("_meta").or_insert_with(|| json!({}));
            meta[PREFIX.to_owned() + "serverInfo"] = json!({"name": "prueba", "version": "1"});
        }
        if !modern && let Some(members) = answer.get_mut("result").and_then(Value::as_object_mut) {
            members.remove("ttlMs");
            members.remove("cacheScope");
        }
        answer["id"] = id.clone();
        self.answered.push(id.clone());
        flaws::patch(&self.flaw, method, modern, &mut answer);
        if self.is("prints prettily") && method == "prompts/list" {
            answer["jsonrpc"] = json!("2.0");
            let text = serde_json::to_string_pretty(&answer).expect("text");
            self.out.extend_from_slice(format!("{text}\n").as_bytes());
            return;
        }
        self.print(&answer);
        if self.is("answers twice") && method == "prompts/list" {
            self.print(&answer);
        }
    }

    fn print(&mut self, message: &Value) {
        let mut message = message.clone();
        if message.get("jsonrpc").is_none() {
            message["jsonrpc"] = json!("2.0");
        }
        self.out.extend_from_slice(message.to_string().as_bytes());
        self.out.push(b'\n');
    }
}
