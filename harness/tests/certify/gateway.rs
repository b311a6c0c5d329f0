//! Two tools that keep the gateway's contract, but for one flaw.

use serde_json::{Value, json};

/// The desk that cases are opened at; a good one opens a case once for a key.
#[derive(Default)]
pub struct Desk {
    opened: u64,
    keys: Vec<(Value, u64)>,
    listed: u64,
}

fn list(flaw: &str, again: bool) -> Value {
    if flaw == "asixto: no list" {
        return json!({"error": {"code": -32601, "message": "unknown"}});
    }
    let meta = json!({"com.asixto/capability": "soporte", "com.asixto/verb": "consultar un caso"});
    let look_up = json!({
        "name": "consultar_caso",
        "description": "Busca los casos de un cliente. No la uses para abrir uno.",
        "inputSchema": {"type": "object", "additionalProperties": flaw == "asixto: open schema",
            "required": ["documento"], "properties": {"documento": {"type": "string", "maxLength": 20}}},
        "outputSchema": {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}},
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true},
        "_meta": meta,
    });
    let open = json!({
        "name": "abrir_caso",
        "description": "Abre un caso. No la uses para consultar uno.",
        "inputSchema": {"type": "object", "additionalProperties": false, "required": ["tipo"],
            "properties": {"tipo": {"enum": ["falla", "cobro"]}}},
        "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true},
        "_meta": meta,
    });
    let odd = flaw == "asixto: reorders" && again;
    let tools = if odd { [open, look_up] } else { [look_up, open] };
    json!({"result": {"tools": tools, "ttlMs": 0, "cacheScope": "public"}})
}

impl Desk {
    /// The answer to `tools/list`.
    pub fn list(&mut self, flaw: &str) -> Value {
        self.listed += 1;
        list(flaw, self.listed > 1)
    }

    /// The answer to `tools/call`.
    pub fn call(&mut self, flaw: &str, params: &Value) -> Value {
        let key = &params["_meta"]["com.asixto/idempotencyKey"];
        match flaw {
            "asixto: calls are errors" => return json!({"error": {"code": -32603, "message": "no"}}),
            "asixto: takes no keys" if !key.is_null() => {
                return json!({"error": {"code": -32602, "message": "keys"}});
            }
            _ => {}
        }
        match params["name"].as_str() {
            Some("abrir_caso") => self.open(flaw, key),
            _ => look_up(flaw, params["arguments"]["documento"].as_str().unwrap_or_default()),
        }
    }

    fn open(&mut self, flaw: &str, key: &Value) -> Value {
        let known = self.keys.iter().find(|(of, _)| of == key && flaw != "asixto: writes twice");
        let number = known.map_or(self.opened + 1, |(_, number)| *number);
        if known.is_none() {
            self.opened = number;
            self.keys.push((key.clone(), number));
        }
        told(flaw, &json!({"radicado": number}))
    }
}

fn look_up(flaw: &str, document: &str) -> Value {
    match document {
        "x" => failure(flaw),
        "0" if flaw == "asixto: nothing is a failure" => failure(flaw),
        "0" => told(flaw, &json!({"total": 0})),
        _ if flaw == "asixto: does not conform" => told(flaw, &json!({"total": "uno"})),
        _ => told(flaw, &json!({"total": 1})),
    }
}

fn failure(flaw: &str) -> Value {
    let mut error = json!({"error_type": "NOT_FOUND", "user_message": "No encontré nada."});
    match flaw {
        "asixto: failure of another type" => error["error_type"] = json!("OTHER"),
        "asixto: failure without a word" => error["user_message"] = Value::Null,
        _ => {}
    }
    let structured = json!({"error": error});
    let block = json!({"type": "text", "text": structured.to_string()});
    json!({"result": {"content": [block], "structuredContent": structured, "isError": true}})
}

fn told(flaw: &str, structured: &Value) -> Value {
    let text = match flaw {
        "asixto: talks too long" => "é".repeat(3_001),
        "asixto: trace" => "Traceback (most recent call last)".to_owned(),
        _ => "é".repeat(3_000),
    };
    let mut blocks = vec![json!({"type": "text", "text": text})];
    match flaw {
        "asixto: no text" => blocks.clear(),
        "asixto: picture" => blocks.push(json!({"type": "image", "data": "", "mimeType": "image/png"})),
        _ => {}
    }
    let kind = if flaw == "asixto: asks for more" { "input_required" } else { "complete" };
    json!({"result": {"resultType": kind, "content": blocks, "structuredContent": structured}})
}
