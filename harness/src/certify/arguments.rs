//! Arguments for a tool out of its own schema: small ones that should fit, and ones that cannot.
//!
//! Functions of a schema. Whether a tool may be called at all is the probes' to say.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const DEPTH: usize = 6;

/// Arguments that satisfy a schema, where simple ones do.
#[must_use]
pub fn fitting(schema: &Value) -> Option<Value> {
    let arguments = value(schema, schema, DEPTH)?;
    let validator = jsonschema::validator_for(schema).ok()?;
    validator.is_valid(&arguments).then_some(arguments)
}

/// Arguments that a schema refuses, where it refuses simple ones.
#[must_use]
pub fn refused(schema: &Value) -> Option<Value> {
    let validator = jsonschema::validator_for(schema).ok()?;
    let stranger = || json!({"certify_no_such_argument": true});
    let mistyped = || {
        let properties = schema.get("properties")?.as_object()?;
        let base = fitting(schema).unwrap_or_else(|| json!({}));
        [json!(7), json!("x"), json!(["x"])]
            .into_iter()
            .flat_map(|wrong| properties.keys().map(move |name| (name, wrong.clone())))
            .map(|(name, wrong)| with(&base, name, wrong))
            .find(|arguments| !validator.is_valid(arguments))
    };
    mistyped().into_iter().chain([json!({}), stranger()]).find(|arguments| is_refused(&validator, arguments))
}

fn is_refused(validator: &Validator, arguments: &Value) -> bool {
    !validator.is_valid(arguments)
}

fn with(base: &Value, name: &str, value: Value) -> Value {
    let mut arguments = base.clone();
    arguments[name] = value;
    arguments
}

fn value(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    if depth == 0 {
        return None;
    }
    for key in ["const", "default"] {
        if let Some(value) = schema.get(key) {
            return Some(value.clone());
        }
    }
    for key in ["enum", "examples"] {
        if let Some(first) = schema.get(key).and_then(Value::as_array).and_then(|list| list.first()) {
            return Some(first.clone());
        }
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return value(root, root.pointer(reference.strip_prefix('#')?)?, depth - 1);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(key).and_then(Value::as_array) {
            return branches.iter().find_map(|branch| value(root, branch, depth - 1));
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        other => other.and_then(Value::as_str),
    };
    match kind {
        Some("string") => {
            let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
            Some(json!("a".repeat(usize::try_from(least.max(1)).ok()?.min(1_000))))
        }
        Some("integer" | "number") => Some(schema.get("minimum").cloned().unwrap_or_else(|| json!(1))),
        Some("boolean") => Some(json!(false)),
        Some("null") => Some(Value::Null),
        Some("array") => {
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            let item =
                schema.get("items").map_or_else(|| Some(json!("a")), |items| value(root, items, depth - 1));
            (0..least.min(16)).map(|_| item.clone()).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        Some("object") => object(root, schema, depth),
        _ => Some(json!("a")),
    }
}

fn object(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut members = Map::new();
    for name in required.iter().filter_map(Value::as_str) {
        let property = &schema["properties"][name];
        members.insert(name.to_owned(), value(root, property, depth - 1)?);
    }
    Some(Value::Object(members))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fit_a_schema_or_there_are_none() {
        let check = |schema: Value, expect: Option<Value>| assert_eq!(fitting(&schema), expect, "{schema}");
        let of =
            |property: Value| json!({"type": "object", "required": ["a"], "properties": {"a": property}});
        let one = |value: Value| Some(json!({"a": value}));
        check(json!({"type": "object"}), Some(json!({})));
        check(json!({"type": "object", "properties": {"a": {"type": "string"}}}), Some(json!({})));
        check(of(json!({"type": "string"})), one(json!("a")));
        check(of(json!({"type": "string", "minLength": 3})), one(json!("aaa")));
        check(of(json!({"type": "integer", "minimum": 5})), one(json!(5)));
        check(of(json!({"type": "number"})), one(json!(1)));
        check(of(json!({"type": "boolean"})), one(json!(false)));
        check(of(json!({"type": ["null", "string"]})), one(Value::Null));
        check(of(json!({"type": "array", "items": {"type": "integer"}, "minItems": 2})), one(json!([1, 1])));
        check(of(json!({"type": "array"})), one(json!([])));
        check(of(json!({"enum": ["x", "y"]})), one(json!("x")));
        check(of(json!({"const": 9})), one(json!(9)));
        check(of(json!({"type": "string", "examples": ["z"]})), one(json!("z")));
        check(of(json!({"anyOf": [{"type": "integer"}]})), one(json!(1)));
        check(
            of(json!({"type": "object", "required": ["b"], "properties": {"b": {}}})),
            one(json!({"b": "a"})),
        );
        check(of(json!({"type": "string", "pattern": "^[0-9]+$"})), None);
        let referred = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/n"}},
            "$defs": {"n": {"type": "integer"}}});
        check(referred, one(json!(1)));
        let endless = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}});
        check(endless, None);
    }

    #[test]
    fn arguments_are_refused_by_a_schema_or_there_are_none() {
        let check = |schema: Value, expect: Option<Value>| assert_eq!(refused(&schema), expect, "{schema}");
        check(json!({"type": "object"}), None);
        check(
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            Some(json!({"a": 7})),
        );
        check(json!({"type": "object", "properties": {"a": {"type": "integer"}}}), Some(json!({"a": "x"})));
        check(
            json!({"type": "object", "additionalProperties": false}),
            Some(json!({"certify_no_such_argument": true})),
        );
        check(json!({"type": "object", "required": ["a"], "properties": {"a": {}}}), Some(json!({})));
    }
}
