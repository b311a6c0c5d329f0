//! The small server behind a loopback socket: one thread, one exchange for each connection, nothing kept between them.
//!
//! It speaks as much HTTP as the cases need. A modern endpoint is strict about headers; the flaws are about those.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::Value;

use super::server::Server;

/// A request as it came.
struct Asked {
    method: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Serves with a flaw until this process ends; gives the URL.
pub fn serve(flaw: &'static str) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that breaks off is the client's affair.
            let _ = exchange(stream, flaw);
        }
    });
    Ok(url)
}

fn exchange(stream: TcpStream, flaw: &str) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let method = line.split(' ').next().unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut asked = Asked { method, headers, body: Vec::new() };
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    reader.by_ref().take(length).read_to_end(&mut asked.body)?;
    let (status, kind, body) = answer(&asked, flaw);
    let session = if flaw == "http: mints a session" { "Mcp-Session-Id: abc\r\n" } else { "" };
    let session = if flaw == "http: odd session" { "Mcp-Session-Id: a b\r\n" } else { session };
    let head = format!(
        "HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\n{session}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = reader.into_inner();
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body)
}

fn error(status: u16, code: i64) -> (u16, &'static str, Vec<u8>) {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{{\"code\":{code},\"message\":\"x\"}}}}");
    (status, "application/json", body.into_bytes())
}

fn answer(asked: &Asked, flaw: &str) -> (u16, &'static str, Vec<u8>) {
    if asked.header("origin").is_some() && flaw != "http: trusts any origin" {
        return (403, "text/plain", Vec::new());
    }
    if asked.method != "POST" {
        let status = if flaw == "http: answers a GET" { 200 } else { 405 };
        return (status, "text/plain", Vec::new());
    }
    let message: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    let version = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    if let Some(version) = version.filter(|_| message.get("id").is_some()) {
        if flaw != "http: reads no headers" && !agrees(asked, &message, version, flaw) {
            return error(400, -32020);
        }
    } else if asked.header("mcp-protocol-version").is_some_and(|version| !version.starts_with("202"))
        && flaw != "http: speaks anything"
    {
        return error(400, -32600);
    }
    let mut server = Server::new(flaw);
    server.message(&message, false);
    body(&server.take(), &message, flaw)
}

/// Whether the headers say what the body says.
fn agrees(asked: &Asked, message: &Value, version: &str, flaw: &str) -> bool {
    let name = message["params"]["name"].as_str().filter(|_| message["method"] == "tools/call");
    let decoded = |value: &str| {
        // The one name that the cases send in base64.
        if value == "=?base64?Y2VydGlmeV9ub19zdWNoX3Rvb2w=?=" && flaw != "http: decodes nothing" {
            "certify_no_such_tool".to_owned()
        } else {
            value.to_owned()
        }
    };
    asked.header("mcp-method") == message["method"].as_str()
        && asked.header("mcp-protocol-version") == Some(version)
        && asked.header("mcp-name").map(decoded).as_deref() == name
}

fn body(out: &[u8], message: &Value, flaw: &str) -> (u16, &'static str, Vec<u8>) {
    if message.get("id").is_none() {
        let body = if flaw == "http: answers notices" { b"{}".to_vec() } else { Vec::new() };
        return (if body.is_empty() { 202 } else { 200 }, "application/json", body);
    }
    let lines: Vec<_> = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let last: Value = lines.last().and_then(|line| serde_json::from_slice(line).ok()).unwrap_or_default();
    let status = match last["error"]["code"].as_i64() {
        _ if flaw == "http: always 200" => 200,
        Some(-32601) => 404,
        Some(-32602 | -32022) => 400,
        _ => 200,
    };
    let streams = lines.len() > 1 || flaw.starts_with("http: streams");
    if !streams {
        let kind = if flaw == "http: plain text" { "text/plain" } else { "application/json" };
        return (status, kind, out.to_vec());
    }
    let id: &[u8] = if flaw == "http: streams with ids" { b"id: 1\n" } else { b"" };
    let events: Vec<u8> =
        lines.iter().flat_map(|line| [id, b"data: ".as_slice(), line, b"\n\n".as_slice()].concat()).collect();
    (status, "text/event-stream", events)
}
