//! The flaws: what each changes, and the rules that it must break in each revision and no other.

use serde_json::{Value, json};

/// A flaw of content: in answers to this method, this member becomes this, or is taken away.
struct Patch {
    flaw: &'static str,
    method: &'static str,
    /// Whether only modern answers have it.
    modern: Option<bool>,
    at: &'static str,
    to: Option<&'static str>,
}

const fn p(flaw: &'static str, method: &'static str, at: &'static str, to: Option<&'static str>) -> Patch {
    Patch { flaw, method, modern: None, at, to }
}

const fn only(modern: bool, patch: Patch) -> Patch {
    Patch { modern: Some(modern), ..patch }
}

const PATCHES: &[Patch] = &[
    p("old rpc", "prompts/list", "/jsonrpc", Some("\"1.0\"")),
    p("id of nobody", "prompts/list", "/id", Some("\"nobody\"")),
    p("list for a result", "tools/call", "/result", Some("[]")),
    p("null for a result", "ping", "/result", Some("null")),
    p("no result type", "tools/list", "/result/resultType", None),
    only(true, p("unknown result type", "tools/list", "/result/resultType", Some("\"done\""))),
    p("error without text", "prompts/list", "/error/message", None),
    p("error with a text for a code", "prompts/list", "/error/code", Some("\"-32601\"")),
    p("error without id", "prompts/list", "/id", None),
    p("message of two lines", "prompts/list", "/error/message", Some("\"a\\nb\"")),
    p("version without data", "tools/list", "/error/data", None),
    p("no server info", "tools/list", "/result/_meta/io.modelcontextprotocol~1serverInfo", None),
    p("bad key", "tools/list", "/result/_meta", Some("{\"-a\":1}")),
    only(
        false,
        p("reserved key", "tools/list", "/result/_meta", Some("{\"io.modelcontextprotocol/own\":1}")),
    ),
    p("reserved key", "tools/list", "/result/_meta/io.modelcontextprotocol~1own", Some("1")),
    p("initialize without a name", "initialize", "/result/serverInfo", None),
    p("initialize in another version", "initialize", "/result/protocolVersion", Some("\"2024-11-05\"")),
    p("no initialize", "initialize", "", Some("{\"error\":{\"code\":-32601,\"message\":\"x\"}}")),
    p("extension without prefix", "server/discover", "/result/capabilities/extensions", Some("{\"a\":{}}")),
    p("discover without ttl", "server/discover", "/result/ttlMs", None),
    p("name beside", "server/discover", "/result/serverInfo", Some("{\"name\":\"a\",\"version\":\"1\"}")),
    p("other versions", "server/discover", "/result/supportedVersions", Some("[\"2099-01-01\"]")),
    p("no list of versions", "server/discover", "/result/supportedVersions", Some("\"2026-07-28\"")),
    p("undeclared tools", "server/discover", "/result/capabilities", Some("{}")),
    p("undeclared tools", "initialize", "/result/capabilities", Some("{}")),
    p("ping with more", "ping", "/result/pong", Some("true")),
    p("no content", "tools/call", "/result/content", None),
    p("content is text", "tools/call", "/result/content", Some("\"x\"")),
    p("odd block", "tools/call", "/result/content/0/type", Some("\"odd\"")),
    p("flag is text", "tools/call", "/result/isError", Some("\"no\"")),
    p("another length", "tools/call", "/result/structuredContent/largo", Some("\"x\"")),
    p("text says another", "tools/call", "/result/content/0/text", Some("\"{}\"")),
    only(false, p("structured list", "tools/call", "/result/structuredContent", Some("[]"))),
    p("discover asks", "server/discover", "/result/resultType", Some("\"input_required\"")),
    p("asixto: no discover", "server/discover", "/result/supportedVersions", None),
    p("discover asks", "server/discover", "/result/requestState", Some("\"x\"")),
    p("number for a cursor", "tools/list", "/result/nextCursor", Some("7")),
    p("list without scope", "tools/list", "/result/cacheScope", None),
    p("negative ttl", "tools/list", "/result/ttlMs", Some("-1")),
    p("shared scope", "tools/list", "/result/cacheScope", Some("\"shared\"")),
    p(
        "call asks",
        "tools/call",
        "/result",
        Some(
            "{\"resultType\":\"input_required\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}",
        ),
    ),
];

/// Applies the flaw of content to an answer.
pub fn patch(flaw: &str, method: &str, modern: bool, answer: &mut Value) {
    for patch in PATCHES.iter().filter(|patch| patch.flaw == flaw && patch.method == method) {
        if patch.modern.is_some_and(|only| only != modern) {
            continue;
        }
        let to = patch.to.map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
        if patch.at.is_empty() {
            let id = answer["id"].clone();
            *answer = to.expect("a whole answer");
            answer["id"] = id;
            continue;
        }
        let (parent, member) = patch.at.rsplit_once('/').expect("a pointer");
        let member = member.replace("~1", "/");
        // A patch of a result leaves errors alone, and the other way round.
        let Some(parent) = answer.pointer_mut(parent) else { continue };
        match (parent, to) {
            (Value::Object(members), Some(to)) => {
                let of_answer = matches!(member.as_str(), "result" | "error");
                if !of_answer || members.contains_key(&member) {
                    members.insert(member, to);
                }
            }
            (Value::Object(members), None) => {
                members.remove(&member);
            }
            (Value::Array(_), _) | (_, _) => {}
        }
    }
}

/// The tools, with the flaws of definitions: those stand on the tool that is never called.
pub fn tools(flaw: &str) -> Vec<Value> {
    let echo = json!({
        "name": "eco",
        "inputSchema": {"type": "object", "additionalProperties": false, "required": ["texto"],
            "properties": {"texto": {"type": "string"}}},
        "outputSchema": {"type": "object", "required": ["texto", "largo"],
            "properties": {"texto": {"type": "string"}, "largo": {"type": "integer"}}},
        "annotations": {"readOnlyHint": true},
    });
    let nothing =
        json!({"name": "nada", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let slow = json!({"name": "lenta", "inputSchema": {"type": "object"}});
    let mut erase = json!({"name": "borra", "inputSchema": {"type": "object"},
        "annotations": {"destructiveHint": true}});
    let schema = |schema: Value| (String::from("inputSchema"), schema);
    let change = match flaw {
        "title is a number" => Some(("title".to_owned(), json!(7))),
        "schema without type" => Some(schema(json!({}))),
        "output is text" => Some(("outputSchema".to_owned(), json!("x"))),
        "name with space" => Some(("name".to_owned(), json!("a b"))),
        "name twice" => Some(("name".to_owned(), json!("eco"))),
        "hint is text" => Some(("annotations".to_owned(), json!({"readOnlyHint": "no"}))),
        "dialect is a number" => Some(schema(json!({"type": "object", "$schema": 7}))),
        "no schema" => Some(schema(json!({"type": "object", "properties": 7}))),
        _ => None,
    };
    if let Some((member, value)) = change {
        erase[member] = value;
    }
    let mut tools = vec![nothing, echo, slow, erase];
    if failure_code(flaw).is_some() {
        tools.push(json!({"name": "falla", "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true}}));
    }
    tools
}

fn failure_code(flaw: &str) -> Option<i64> {
    Some(match flaw {
        "code of the protocol" => -32050,
        "code of the old ground" => -32001,
        "code that is gone" => -32002,
        "code of the reserve" => -32500,
        "capability without data" => -32021,
        _ => return None,
    })
}

/// The error that `falla` is.
pub fn failure(flaw: &str) -> Value {
    json!({"error": {"code": failure_code(flaw).unwrap_or(1), "message": "falla"}})
}
