//! The server: one message per line in, one answer per line out, and no line that stops it.
//!
//! Speaks MCP 2026-07-28 only, keeps nothing from one request to the next, and writes ASCII. What its tool cannot do is a
//! result that says so; what is no request to it is an error of the protocol.

use std::io::{self, BufRead, Read, Write};

use serde::Deserialize;
use serde_json::{Map, Value, json};

const VERSION: &str = "2026-07-28";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// What every result carries.
const META: &str = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"incidencias","version":"1"}}"#;

const TOOL: &str = concat!(
    r#"{"name":"incidencias","description":"Lista las incidencias del repositorio que tienen un estado, una por línea: "#,
    r#"número, estado, fichero y título.","inputSchema":{"type":"object","required":["estado"],"#,
    r#""additionalProperties":false,"properties":{"estado":{"type":"string","description":"abierta o cerrada"}}}}"#
);

/// The longest line that is read.
const LINE_LIMIT: u64 = 1 << 20;

/// How much of a client's text an answer repeats.
const REPEATED: usize = 200;

#[derive(Deserialize)]
struct Incidencia {
    id: u64,
    estado: String,
    fichero: String,
    titulo: String,
}

/// Serves until the end of input.
///
/// # Errors
/// Input cannot be read, or output is closed.
pub fn serve(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let incidencias: Vec<Incidencia> = serde_json::from_str(include_str!("incidencias.json"))?;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let whole = line.ends_with(b"\n") || (line.len() as u64) < LINE_LIMIT;
        let answer = if whole {
            answer(&incidencias, &line)
        } else {
            skip_line(&mut input)?;
            Some(error("", -32600, "la línea es demasiado larga", ""))
        };
        if let Some(answer) = answer {
            output.write_all(ascii(&answer).as_bytes())?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let waiting = input.fill_buf()?;
        if waiting.is_empty() {
            return Ok(());
        }
        let end = waiting.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(waiting.len(), |end| end + 1);
        input.consume(count);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The answer to a line; a notification, an answer and a blank line have none.
fn answer(incidencias: &[Incidencia], line: &[u8]) -> Option<String> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return Some(error("", -32700, "la línea no es JSON", ""));
    };
    let id = match message.get("id") {
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => id.to_string(),
        None if message.is_object() => return None,
        _ => return Some(error("", -32600, "no es un pedido", "")),
    };
    let empty = Map::new();
    let params = match message.get("params") {
        None => &empty,
        Some(Value::Object(params)) => params,
        Some(_) => return Some(error(&id, -32600, "params no es un objeto", "")),
    };
    match message.get("method") {
        Some(Value::String(method)) => Some(respond(incidencias, &id, method, params)),
        None if message.get("result").is_some() || message.get("error").is_some() => None,
        _ => Some(error(&id, -32600, "no es un pedido", "")),
    }
}

/// Versions first, then the method: a client of another revision learns that, whatever it asks for.
fn respond(incidencias: &[Incidencia], id: &str, method: &str, params: &Map<String, Value>) -> String {
    let meta = params.get("_meta");
    let member = |key| meta.and_then(|meta| meta.get(key));
    let (Some(Value::String(version)), Some(Value::Object(_))) =
        (member(VERSION_KEY), member(CAPABILITIES_KEY))
    else {
        return error(id, -32602, "faltan campos obligatorios en _meta", "");
    };
    if version != VERSION {
        let data = format!(r#","data":{{"supported":["{VERSION}"],"requested":{}}}"#, json!(version));
        return error(id, -32022, "Unsupported protocol version", &data);
    }
    match (method, params.get("name")) {
        ("server/discover", _) => {
            let members = format!(r#""supportedVersions":["{VERSION}"],"capabilities":{{"tools":{{}}}}"#);
            complete(id, &format!(r#"{members},"ttlMs":0,"cacheScope":"private""#))
        }
        ("tools/list", _) => complete(id, &format!(r#""tools":[{TOOL}],"ttlMs":0,"cacheScope":"private""#)),
        ("tools/call", Some(Value::String(name))) if name == "incidencias" => {
            let (text, failed) = match list(incidencias, params.get("arguments")) {
                Ok(text) => (text, false),
                Err(text) => (text, true),
            };
            let content = format!(r#""content":[{{"type":"text","text":{}}}]"#, json!(text));
            complete(id, &format!(r#"{content},"isError":{failed}"#))
        }
        ("tools/call", Some(Value::String(name))) => {
            error(id, -32602, &format!("Unknown tool: {}", repeated(name)), "")
        }
        ("tools/call", _) => error(id, -32602, "falta el nombre de la herramienta", ""),
        _ => error(id, -32601, &format!("Method not found: {}", repeated(method)), ""),
    }
}

/// The tool: the records of a state, or why there is no list.
fn list(incidencias: &[Incidencia], arguments: Option<&Value>) -> Result<String, String> {
    let wanted = match arguments {
        Some(Value::Object(arguments)) => match (arguments.get("estado"), arguments.len()) {
            (Some(Value::String(estado)), 1) => estado,
            _ => return Err("el único argumento es estado, un texto: abierta o cerrada".to_owned()),
        },
        _ => return Err("falta el estado: abierta o cerrada".to_owned()),
    };
    if wanted != "abierta" && wanted != "cerrada" {
        return Err(format!("el estado es abierta o cerrada, no '{}'", repeated(wanted)));
    }
    let chosen = incidencias.iter().filter(|incidencia| incidencia.estado == *wanted);
    let lines: Vec<_> = chosen
        .map(|Incidencia { id, estado, fichero, titulo }| format!("#{id} [{estado}] {fichero}: {titulo}"))
        .collect();
    Ok(lines.join("\n"))
}

fn repeated(text: &str) -> String {
    text.chars().take(REPEATED).collect()
}

fn complete(id: &str, members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete",{members},{META}}}}}"#)
}

/// An error; without an id where none could be read, and with more members of the error behind the message.
fn error(id: &str, code: i32, message: &str, more: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
    let message = json!(message);
    format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":{message}{more}}}}}"#)
}

/// The same JSON in ASCII: outside strings it is ASCII anyway, so every other character can be written as an escape.
fn ascii(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| ascii.push_str(&format!("\\u{unit:04x}")));
        }
    }
    ascii
}
