//! Rules about the results of `tools/call`.
//!
//! Functions of one answer and the tool it came from.

use serde_json::Value;

use super::era::Era;
use super::notes::Notes;
use super::talk::Reply;

/// Holds a result of a tool to the rules of such results; what has not their form is held to no more than that.
pub fn judge(tool: &Value, reply: &Reply, era: Era, notes: &mut Notes) {
    let Some(result) = reply.result().filter(|result| result["resultType"] != "input_required") else {
        return;
    };
    let blocks = result["content"].as_array();
    let holds = blocks.is_some_and(|blocks| blocks.iter().all(is_block));
    let what =
        if holds { "every result has its content, in blocks" } else { "\"content\" is no list of blocks" };
    notes.judge("TRES-2", holds, what, || reply.lines.clone());
    let flag = result.get("isError").is_none_or(Value::is_boolean);
    let what = if flag { "isError is a boolean or absent" } else { "isError is none" };
    notes.judge("TRES-3", flag, what, || reply.lines.clone());
    if !holds || !flag {
        return;
    }
    if reply.is_tool_error() {
        let told = blocks.is_some_and(|blocks| !blocks.is_empty());
        let what =
            if told { "a failure of a tool is told in its result" } else { "a failure without a word" };
        notes.judge("TRES-7", told, what, || reply.lines.clone());
        return;
    }
    structured(tool, result, reply, era, notes);
}

fn is_block(block: &Value) -> bool {
    let text = |member: &str| block[member].is_string();
    match block["type"].as_str() {
        Some("text") => text("text"),
        Some("image" | "audio") => text("data") && text("mimeType"),
        Some("resource_link") => text("uri") && text("name"),
        Some("resource") => block["resource"]["uri"].is_string(),
        _ => false,
    }
}

fn structured(tool: &Value, result: &Value, reply: &Reply, era: Era, notes: &mut Notes) {
    let value = result.get("structuredContent");
    if let (Some(value), Era::Legacy) = (value, era) {
        let holds = value.is_object();
        let what = if holds { "structuredContent is an object" } else { "structuredContent is none" };
        notes.judge("TRES-10", holds, what, || reply.lines.clone());
        if !holds {
            return;
        }
    }
    if let Some(schema) = tool.get("outputSchema") {
        conforms(schema, value, reply, notes);
    }
    if let Some(value) = value {
        let texts =
            result["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
        let read: Vec<_> = texts.map(|text| serde_json::from_str::<Value>(text).ok()).collect();
        let same = read.iter().flatten().any(|read| read == value);
        // Prose says it too; another value contradicts it.
        let prose =
            read.iter().any(|read| !read.as_ref().is_some_and(|read| read.is_object() || read.is_array()));
        let what = match (same, prose) {
            (true, _) => "structured content stands in a text block too",
            (false, true) => "a text block says it in prose",
            (false, false) => "no text block says the same",
        };
        notes.judge("TRES-11", same || prose, what, || reply.lines.clone());
    }
}

fn conforms(schema: &Value, value: Option<&Value>, reply: &Reply, notes: &mut Notes) {
    let Ok(validator) = jsonschema::validator_for(schema) else {
        notes.open("TRES-8", "the outputSchema is no schema");
        return;
    };
    let fault = match value {
        None => Some("no structuredContent".to_owned()),
        Some(value) => {
            validator.iter_errors(value).next().map(|e| format!("{e} at \"{}\"", e.instance_path()))
        }
    };
    match fault {
        None => notes.holds("TRES-8", "structured results conform to their outputSchema"),
        Some(why) => notes.broken("TRES-8", why, reply.lines.clone()),
    }
}
