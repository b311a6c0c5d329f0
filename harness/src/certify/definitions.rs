//! Rules about the definitions of tools, as `tools/list` gives them.
//!
//! Functions of a list of tools. Must not ask for one.

use std::collections::BTreeSet;

use serde_json::Value;

use super::era::Era;
use super::notes::Notes;

/// The dialect of a schema that names none.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Holds every definition to the rules of definitions.
pub fn judge(tools: &[Value], era: Era, notes: &mut Notes) {
    if tools.is_empty() {
        for rule in ["TOOL-4", "TOOL-5", "TOOL-6", "TOOL-7", "TOOL-8", "SCH-1", "SCH-2"] {
            notes.absent(rule, "the server has no tools");
        }
    }
    let mut names = BTreeSet::new();
    for tool in tools {
        let name = tool["name"].as_str().unwrap_or("?");
        shape(tool, name, notes);
        if tool["name"].is_string() {
            let good = is_name(name) && names.insert(name);
            let what = if good {
                "names of the recommended form, each once".to_owned()
            } else {
                format!("\"{name}\"")
            };
            notes.judge("TOOL-7", good, what, || shown(tool));
        }
        annotations(tool, name, notes);
        input_schema(tool, name, notes);
        output_schema(tool, name, era, notes);
    }
    if !tools.iter().any(|tool| tool.get("outputSchema").is_some()) {
        notes.absent("TOOL-6", "no tool has an outputSchema");
    }
}

fn shown(tool: &Value) -> Vec<String> {
    vec![super::talk::clip(&tool.to_string())]
}

fn shape(tool: &Value, name: &str, notes: &mut Notes) {
    let text = |member: &str| tool.get(member).is_none_or(Value::is_string);
    let holds = tool["name"].is_string()
        && tool.get("inputSchema").is_some()
        && text("title")
        && text("description")
        && tool.get("icons").is_none_or(Value::is_array)
        && tool.get("_meta").is_none_or(Value::is_object);
    let what = if holds {
        "every tool has its name and its inputSchema, and members of the right kinds".to_owned()
    } else {
        format!("the tool \"{name}\" lacks name or inputSchema, or a member is of another kind")
    };
    notes.judge("TOOL-4", holds, what, || shown(tool));
}

fn is_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn annotations(tool: &Value, name: &str, notes: &mut Notes) {
    let Some(annotations) = tool.get("annotations") else {
        notes.holds("TOOL-8", "annotations, where there are any, are of the right kinds");
        return;
    };
    let flags = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    let holds = annotations.is_object()
        && flags.iter().all(|flag| annotations.get(flag).is_none_or(Value::is_boolean))
        && annotations.get("title").is_none_or(Value::is_string);
    let what = if holds {
        "annotations, where there are any, are of the right kinds".to_owned()
    } else {
        format!("an annotation of the tool \"{name}\" is of another kind")
    };
    notes.judge("TOOL-8", holds, what, || shown(tool));
}

fn input_schema(tool: &Value, name: &str, notes: &mut Notes) {
    let Some(schema) = tool.get("inputSchema") else { return };
    let holds = schema["type"] == "object";
    let what = if holds {
        "every inputSchema is of type object".to_owned()
    } else {
        format!("the inputSchema of \"{name}\" is not of \"type\":\"object\"")
    };
    notes.judge("TOOL-5", holds, what, || shown(tool));
    if schema.is_object() {
        valid(schema, &format!("the inputSchema of \"{name}\""), notes);
    }
}

fn output_schema(tool: &Value, name: &str, era: Era, notes: &mut Notes) {
    let Some(schema) = tool.get("outputSchema") else { return };
    let holds = match era {
        Era::Legacy => schema["type"] == "object",
        Era::Modern => schema.is_object() || schema.is_boolean(),
    };
    let what = if holds {
        "every outputSchema has the root that the revision allows".to_owned()
    } else {
        format!("the root of the outputSchema of \"{name}\" is not one that the revision allows")
    };
    notes.judge("TOOL-6", holds, what, || shown(tool));
    if schema.is_object() {
        valid(schema, &format!("the outputSchema of \"{name}\""), notes);
    }
}

/// Holds a schema to the dialect that it is written in.
fn valid(schema: &Value, what: &str, notes: &mut Notes) {
    let dialect = schema.get("$schema").map_or(Some(DIALECT), Value::as_str);
    let Some(dialect) = dialect else {
        notes.broken(
            "SCH-1",
            format!("{what} names its dialect with something else than a text"),
            Vec::new(),
        );
        return;
    };
    if !is_known(dialect) {
        notes.open("SCH-1", format!("{what} is written in {dialect}, which this harness does not know"));
        return;
    }
    notes.holds("SCH-1", "every schema is of a known dialect, 2020-12 where none is named");
    match jsonschema::meta::validate(schema) {
        Ok(()) => notes.holds("SCH-2", "every schema is valid in its dialect"),
        Err(error) => notes.broken(
            "SCH-2",
            format!("{what} is no schema: {error} at \"{}\"", error.instance_path()),
            vec![super::talk::clip(&schema.to_string())],
        ),
    }
}

fn is_known(dialect: &str) -> bool {
    let bare = dialect.trim_end_matches('#').replace("https://", "http://");
    ["draft/2020-12", "draft/2019-09", "draft-07", "draft-06", "draft-04"]
        .iter()
        .any(|draft| bare == format!("http://json-schema.org/{draft}/schema"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::rule::Verdict;
    use super::*;

    fn broken(tools: Value, era: Era) -> Vec<&'static str> {
        let mut notes = Notes::default();
        judge(tools.as_array().expect("a list"), era, &mut notes);
        let rules: Vec<_> = notes.rules().collect();
        rules
            .into_iter()
            .filter(|rule| notes.verdict(rule).is_some_and(|(verdict, _)| verdict == Verdict::Broken))
            .collect()
    }

    fn tool(with: Value) -> Value {
        let mut tool = json!({"name": "a", "inputSchema": {"type": "object"}});
        for (key, value) in with.as_object().expect("an object") {
            tool[key] = value.clone();
        }
        json!([tool])
    }

    #[test]
    fn a_definition_breaks_what_it_breaks() {
        let none: [&str; 0] = [];
        let check = |with: Value, expect: &[&str]| assert_eq!(broken(tool(with), Era::Modern), expect);
        check(json!({}), &none);
        check(json!({"title": "A", "description": "b", "icons": [], "_meta": {}, "annotations": {}}), &none);
        check(json!({"title": 1}), &["TOOL-4"]);
        check(json!({"description": null}), &["TOOL-4"]);
        check(json!({"icons": {}}), &["TOOL-4"]);
        check(json!({"_meta": []}), &["TOOL-4"]);
        check(json!({"name": "a b"}), &["TOOL-7"]);
        check(json!({"name": ""}), &["TOOL-7"]);
        check(json!({"name": "a".repeat(129)}), &["TOOL-7"]);
        check(json!({"name": "a".repeat(128)}), &none);
        check(json!({"annotations": []}), &["TOOL-8"]);
        check(json!({"annotations": {"readOnlyHint": "yes"}}), &["TOOL-8"]);
        check(json!({"annotations": {"title": 1}}), &["TOOL-8"]);
        check(json!({"inputSchema": {}}), &["TOOL-5"]);
        check(json!({"inputSchema": null}), &["TOOL-5"]);
        check(json!({"inputSchema": {"type": "object", "properties": 7}}), &["SCH-2"]);
        check(json!({"inputSchema": {"type": "object", "$schema": 7}}), &["SCH-1"]);
        check(
            json!({"inputSchema": {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}}),
            &none,
        );
        check(json!({"outputSchema": {"type": "string"}}), &none);
        check(json!({"outputSchema": true}), &none);
        check(json!({"outputSchema": "x"}), &["TOOL-6"]);
        check(json!({"outputSchema": {"minimum": "x"}}), &["SCH-2"]);
        assert_eq!(broken(tool(json!({"outputSchema": {"type": "string"}})), Era::Legacy), ["TOOL-6"]);
        assert_eq!(broken(json!([{"inputSchema": {"type": "object"}}]), Era::Modern), ["TOOL-4"]);
        assert_eq!(broken(json!([{"name": "a"}]), Era::Modern), ["TOOL-4"]);
        let twice = json!({"name": "a", "inputSchema": {"type": "object"}});
        assert_eq!(broken(json!([twice, twice]), Era::Modern), ["TOOL-7"]);
        assert_eq!(broken(json!([]), Era::Modern), none);
    }

    #[test]
    fn an_unknown_dialect_is_left_open() {
        let mut notes = Notes::default();
        let tools = tool(json!({"inputSchema": {"type": "object", "$schema": "http://example.com/own"}}));
        judge(tools.as_array().expect("a list"), Era::Modern, &mut notes);
        assert_eq!(notes.verdict("SCH-1").map(|(verdict, _)| verdict), Some(Verdict::Inconclusive));
        assert_eq!(notes.verdict("SCH-2"), None);
    }
}
