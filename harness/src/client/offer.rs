//! Which tools of a server a host may offer: those whose arguments it can check itself.
//!
//! Functions of what the server publishes. Reads a tool's name, description and input schema and nothing else of it:
//! titles, annotations and icons are the server's word about itself. What cannot be checked is withheld with a reason.

use std::collections::BTreeMap;
use std::fmt;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use crate::conversation::compact;
use crate::engine::visible;

/// The longest name of a tool (rule TOOL-7 of MCP).
const NAME_LIMIT: usize = 128;

/// How much a schema may hold once its references stand for what they name: far more than a tool takes, little to check.
const PARTS: u64 = 10_000;

/// How much of a fault in the arguments is told.
const TOLD: usize = 400;

/// One tool as a server publishes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its text, every member in its order, without white space between them.
    pub raw: String,
    /// The same as a value.
    pub value: Value,
}

/// A text that defines no tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoDefinition {
    /// It is no JSON.
    NotJson(String),
    /// It holds no name.
    Nameless,
}

impl fmt::Display for NoDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(why) => write!(f, "a tool is no JSON: {why}"),
            Self::Nameless => f.write_str("a tool has no name"),
        }
    }
}

impl std::error::Error for NoDefinition {}

impl Definition {
    /// Reads the text of one tool.
    ///
    /// # Errors
    /// [`NoDefinition`].
    pub fn read(text: &str) -> Result<Self, NoDefinition> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| NoDefinition::NotJson(error.to_string()))?;
        let name = value.get("name").and_then(Value::as_str).ok_or(NoDefinition::Nameless)?.to_owned();
        Ok(Self { name, raw: compact(text), value })
    }
}

/// A tool that a host may offer.
#[derive(Debug)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// What the server says that it does: text of a stranger, to be handed on and never to be acted on.
    pub description: String,
    /// The schema of its arguments, as published.
    pub input_schema: Value,
    validator: Validator,
}

/// Why a tool is not offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// Its name is not 1 to 128 letters, digits, `_`, `-` and `.`.
    Name,
    /// Its description is no text.
    Description,
    /// It has no schema that wants an object.
    NoObject,
    /// Its schema is written in a dialect that is not checked here.
    Dialect(String),
    /// Its schema refers to something else than its own definitions; what it names.
    Reference(String),
    /// Its schema refers to itself, so that a check might not end.
    Recursive(String),
    /// Its schema holds more than is checked here.
    TooLarge,
    /// Its schema is none; why.
    Invalid(String),
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => write!(f, "its name is not 1 to {NAME_LIMIT} letters, digits, `_`, `-` and `.`"),
            Self::Description => f.write_str("its description is no text"),
            Self::NoObject => f.write_str("its inputSchema does not say `\"type\":\"object\"`"),
            Self::Dialect(dialect) => {
                write!(f, "its schema is written in `{dialect}`, which is not checked here")
            }
            Self::Reference(to) => write!(f, "its schema refers to `{to}`, which is none of its definitions"),
            Self::Recursive(name) => write!(f, "its schema's definition `{name}` refers to itself"),
            Self::TooLarge => write!(f, "its schema holds more than {PARTS} parts"),
            Self::Invalid(why) => write!(f, "its schema is none: {why}"),
        }
    }
}

impl std::error::Error for Withheld {}

/// Takes a tool to offer, if what it wants can be checked.
///
/// # Errors
/// [`Withheld`], the first reason there is.
pub fn offer(definition: &Definition) -> Result<Offered, Withheld> {
    if !is_name(&definition.name) {
        return Err(Withheld::Name);
    }
    let description = match definition.value.get("description") {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => return Err(Withheld::Description),
    };
    let schema = definition.value.get("inputSchema").ok_or(Withheld::NoObject)?;
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(Withheld::NoObject);
    }
    let validator = checker(schema)?;
    Ok(Offered { name: definition.name.clone(), description, input_schema: schema.clone(), validator })
}

impl Offered {
    /// What is wrong with arguments, if anything is.
    #[must_use]
    pub fn fault(&self, arguments: &Value) -> Option<String> {
        let error = self.validator.iter_errors(arguments).next()?;
        let path = error.instance_path().as_str();
        let place = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
        Some(visible(format!("the arguments are wrong{place}: {error}").as_bytes(), TOLD))
    }
}

fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=NAME_LIMIT).contains(&name.len()) && name.bytes().all(allowed)
}

/// The check that a schema asks for.
fn checker(schema: &Value) -> Result<Validator, Withheld> {
    let draft = draft(schema)?;
    let mut parts = Parts { schema, known: BTreeMap::new(), open: Vec::new() };
    if parts.of(schema)? > PARTS {
        return Err(Withheld::TooLarge);
    }
    // An engine without backtracking: no pattern of a stranger's takes for ever.
    jsonschema::options()
        .with_draft(draft)
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .map_err(|error| Withheld::Invalid(visible(error.to_string().as_bytes(), TOLD)))
}

fn draft(schema: &Value) -> Result<Draft, Withheld> {
    let Some(dialect) = schema.get("$schema") else { return Ok(Draft::Draft202012) };
    match dialect.as_str().map(|dialect| dialect.trim_end_matches('#')) {
        Some("https://json-schema.org/draft/2020-12/schema") => Ok(Draft::Draft202012),
        Some("https://json-schema.org/draft/2019-09/schema") => Ok(Draft::Draft201909),
        Some("http://json-schema.org/draft-07/schema") => Ok(Draft::Draft7),
        _ => Err(Withheld::Dialect(visible(dialect.to_string().as_bytes(), TOLD))),
    }
}

/// Counts what a schema holds, each reference as often as what it names is looked at.
struct Parts<'s> {
    schema: &'s Value,
    known: BTreeMap<&'s str, u64>,
    /// The references that are being followed.
    open: Vec<&'s str>,
}

impl<'s> Parts<'s> {
    fn of(&mut self, value: &'s Value) -> Result<u64, Withheld> {
        let mut count: u64 = 1;
        match value {
            Value::Array(items) => {
                for item in items {
                    count = count.saturating_add(self.of(item)?);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    let more = match key.as_str() {
                        "$ref" => self.named(member)?,
                        // They give parts of a schema names that this count does not follow.
                        "$id" | "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$recursiveRef"
                            if member.is_string() =>
                        {
                            return Err(Withheld::Reference(key.clone()));
                        }
                        _ => self.of(member)?,
                    };
                    count = count.saturating_add(more);
                }
            }
            _ => {}
        }
        Ok(count)
    }

    /// What a reference stands for.
    fn named(&mut self, reference: &'s Value) -> Result<u64, Withheld> {
        // A property may be called `$ref`; its schema is no text.
        let Some(name) = reference.as_str() else { return self.of(reference) };
        let strange = || Withheld::Reference(visible(name.as_bytes(), TOLD));
        let pointer = name.strip_prefix('#').ok_or_else(strange)?;
        if !pointer.starts_with("/$defs/") && !pointer.starts_with("/definitions/") {
            return Err(if pointer.is_empty() { Withheld::Recursive(name.to_owned()) } else { strange() });
        }
        if self.open.contains(&name) {
            return Err(Withheld::Recursive(visible(name.as_bytes(), TOLD)));
        }
        if let Some(count) = self.known.get(name) {
            return Ok(*count);
        }
        let target = self.schema.pointer(pointer).ok_or_else(strange)?;
        self.open.push(name);
        let count = self.of(target)?;
        self.open.pop();
        self.known.insert(name, count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(schema: &Value) -> Definition {
        let text = json!({"name": "x", "description": "d", "inputSchema": schema}).to_string();
        Definition::read(&text).expect("a tool")
    }

    fn withheld(schema: &Value) -> Option<Withheld> {
        offer(&tool(schema)).err()
    }

    #[test]
    fn a_definition_keeps_its_text() {
        let read = Definition::read("{ \"name\" : \"x\", \"b\": [1.0, 2 ] }").expect("a tool");
        assert_eq!((read.name.as_str(), read.raw.as_str()), ("x", r#"{"name":"x","b":[1.0,2]}"#));
        let words = |text: &str| Definition::read(text).map(|_| ()).map_err(|fault| fault.to_string());
        assert_eq!(words("{}"), Err("a tool has no name".to_owned()));
        assert_eq!(words("[]"), Err("a tool has no name".to_owned()));
        assert_eq!(words(r#"{"name":1}"#), Err("a tool has no name".to_owned()));
        assert!(words("{").is_err_and(|why| why.starts_with("a tool is no JSON: EOF")));
    }

    #[test]
    fn names_are_plain_words() {
        let check = |name: &str, expect: bool| assert_eq!(is_name(name), expect, "{name}");
        for good in ["a", "oracle_evaluar", "a-b.c_D9", &"x".repeat(128)] {
            check(good, true);
        }
        for bad in ["", "a b", "leer\n", "léer", "a/b", "\u{1b}[2J", &"x".repeat(129)] {
            check(bad, false);
        }
    }

    #[test]
    fn a_tool_has_a_name_a_text_and_a_schema_of_an_object() {
        let check = |definition: &str, expect: Withheld| {
            assert_eq!(
                offer(&Definition::read(definition).expect("a tool")).err(),
                Some(expect),
                "{definition}"
            );
        };
        check(r#"{"name":"a b","inputSchema":{"type":"object"}}"#, Withheld::Name);
        check(r#"{"name":"a","description":["x"],"inputSchema":{"type":"object"}}"#, Withheld::Description);
        check(r#"{"name":"a"}"#, Withheld::NoObject);
        check(r#"{"name":"a","inputSchema":null}"#, Withheld::NoObject);
        check(r#"{"name":"a","inputSchema":{}}"#, Withheld::NoObject);
        check(r#"{"name":"a","inputSchema":{"type":["object"]}}"#, Withheld::NoObject);
        check(r#"{"name":"a","inputSchema":{"type":"string"}}"#, Withheld::NoObject);
        let offered =
            offer(&Definition::read(r#"{"name":"a","inputSchema":{"type":"object"}}"#).expect("a tool"));
        assert_eq!(offered.map(|offered| offered.description).ok(), Some(String::new()));
    }

    #[test]
    fn arguments_are_held_against_the_schema() {
        let offered = offer(&tool(&json!({
            "type": "object", "required": ["estado"], "additionalProperties": false,
            "properties": {
                "estado": {"type": "string", "pattern": "^[a-z]+$"},
                "medida": {"oneOf": [{"$ref": "#/$defs/id"}, {"type": "null"}]},
            },
            "$defs": {"id": {"type": "object", "required": ["id"]}},
        })));
        let offered = offered.unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((offered.name.as_str(), offered.description.as_str()), ("x", "d"));
        let check = |arguments: Value, words: Option<&str>| {
            let fault = offered.fault(&arguments);
            assert_eq!(fault.is_some(), words.is_some(), "{arguments}: {fault:?}");
            let (fault, words) = (fault.unwrap_or_default(), words.unwrap_or_default());
            assert!(fault.contains(words), "{fault}");
        };
        check(json!({"estado": "abierta"}), None);
        check(json!({"estado": "abierta", "medida": {"id": "x"}}), None);
        check(json!({}), Some("the arguments are wrong: \"estado\" is a required property"));
        check(json!({"estado": 1}), Some("the arguments are wrong at `/estado`: 1 is not of type"));
        check(json!({"estado": "x", "otro": 1}), Some("Additional properties"));
        check(json!({"estado": "x", "medida": {}}), Some("at `/medida`"));
        check(json!({"estado": "\u{85}"}), Some("\\u{85}"));
        check(json!([]), Some("is not of type"));
    }

    #[test]
    fn what_cannot_be_checked_is_withheld() {
        let check = |schema: Value, expect: Withheld| {
            let mut schema = schema;
            schema["type"] = "object".into();
            assert_eq!(withheld(&schema), Some(expect), "{schema}");
        };
        let reference = |to: &str| Withheld::Reference(to.to_owned());
        let recursive = |name: &str| Withheld::Recursive(name.to_owned());
        check(json!({"$schema": "urn:own"}), Withheld::Dialect("\"urn:own\"".to_owned()));
        check(json!({"$schema": 7}), Withheld::Dialect("7".to_owned()));
        check(json!({"allOf": [{"$ref": "https://example.org/x"}]}), reference("https://example.org/x"));
        check(json!({"allOf": [{"$ref": "file:///etc/passwd"}]}), reference("file:///etc/passwd"));
        check(json!({"allOf": [{"$ref": "#/properties/a"}]}), reference("#/properties/a"));
        check(json!({"allOf": [{"$ref": "#/$defs/none"}]}), reference("#/$defs/none"));
        check(json!({"allOf": [{"$ref": "#here"}]}), reference("#here"));
        check(json!({"$id": "https://example.org/x"}), reference("$id"));
        check(json!({"$defs": {"a": {"$anchor": "here"}}}), reference("$anchor"));
        check(json!({"$dynamicRef": "#a"}), reference("$dynamicRef"));
        check(json!({"$dynamicAnchor": "a"}), reference("$dynamicAnchor"));
        check(json!({"$recursiveRef": "#"}), reference("$recursiveRef"));
        check(json!({"properties": {"a": {"$ref": "#"}}}), recursive("#"));
        check(json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}), recursive("#/$defs/a"));
        let round = json!({"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"not": {"$ref": "#/$defs/a"}}});
        check(json!({"$defs": round}), recursive("#/$defs/b"));
    }

    #[test]
    fn a_schema_that_is_none_is_withheld() {
        let invalid = |schema: Value| match withheld(&schema) {
            Some(Withheld::Invalid(why)) => why,
            other => panic!("{schema}: {other:?}"),
        };
        invalid(json!({"type": "object", "properties": []}));
        invalid(json!({"type": "object", "properties": {"a": {"type": "no such"}}}));
        // What only an engine that goes back could check.
        invalid(json!({"type": "object", "properties": {"a": {"pattern": "(a)\\1"}}}));
        invalid(json!({"type": "object", "properties": {"a": {"pattern": "("}}}));
    }

    #[test]
    fn a_schema_that_grows_by_its_references_is_withheld() {
        let mut defs = serde_json::Map::new();
        for n in 0..40 {
            let next = format!("#/$defs/d{}", n + 1);
            defs.insert(format!("d{n}"), json!({"allOf": [{"$ref": next}, {"$ref": next}]}));
        }
        defs.insert("d40".to_owned(), json!({}));
        assert_eq!(withheld(&json!({"type": "object", "$defs": defs})), Some(Withheld::TooLarge));
        let flat = |count: usize| json!({"type": "object", "required": vec!["a"; count]});
        // The object, its type and the list are parts too.
        assert_eq!(Parts { schema: &flat(0), known: BTreeMap::new(), open: Vec::new() }.of(&flat(3)), Ok(6));
        assert_eq!(withheld(&flat(9_998)), Some(Withheld::TooLarge));
        assert!(matches!(withheld(&flat(9_997)), Some(Withheld::Invalid(_))));
    }

    #[test]
    fn dialects_that_servers_write_are_checked() {
        for dialect in [
            "https://json-schema.org/draft/2020-12/schema",
            "https://json-schema.org/draft/2019-09/schema",
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-07/schema",
        ] {
            assert_eq!(withheld(&json!({"type": "object", "$schema": dialect})), None, "{dialect}");
        }
        // Each in its own way: a reference hides what stands beside it in draft 7 and not later.
        let beside = |dialect: &str| {
            let schema = json!({
                "type": "object", "$schema": dialect, "definitions": {"any": {}},
                "properties": {"a": {"$ref": "#/definitions/any", "type": "string"}},
            });
            let offered = offer(&tool(&schema)).unwrap_or_else(|why| panic!("{why}"));
            offered.fault(&json!({"a": 1})).is_some()
        };
        assert!(!beside("http://json-schema.org/draft-07/schema#"));
        assert!(beside("https://json-schema.org/draft/2019-09/schema"));
        assert!(beside("https://json-schema.org/draft/2020-12/schema"));
    }

    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        let schema = json!({"type": "object", "properties": {
            "$ref": {"type": "string"}, "$id": {"type": "string"}, "$anchor": {"type": "string"},
        }});
        assert_eq!(withheld(&schema), None);
    }

    #[test]
    fn annotations_are_not_read() {
        let plain = json!({"name": "x", "description": "d", "inputSchema": {"type": "object"}});
        for lie in [json!({"readOnlyHint": true}), json!("trust me"), json!({"title": 7}), Value::Null] {
            let mut lying = plain.clone();
            lying["annotations"] = lie;
            lying["title"] = 7.into();
            let seen = |value: &Value| {
                let definition = Definition::read(&value.to_string()).expect("a tool");
                let offered = offer(&definition).unwrap_or_else(|why| panic!("{why}"));
                (offered.name, offered.description, offered.input_schema)
            };
            assert_eq!(seen(&lying), seen(&plain));
        }
    }

    #[test]
    fn each_reason_has_its_words() {
        let text = || "x".to_owned();
        let all = [
            (Withheld::Name, "name is not 1 to 128"),
            (Withheld::Description, "description is no text"),
            (Withheld::NoObject, "does not say `\"type\":\"object\"`"),
            (Withheld::Dialect(text()), "written in `x`"),
            (Withheld::Reference(text()), "refers to `x`"),
            (Withheld::Recursive(text()), "`x` refers to itself"),
            (Withheld::TooLarge, "more than 10000 parts"),
            (Withheld::Invalid(text()), "is none: x"),
        ];
        for (reason, words) in all {
            assert!(reason.to_string().contains(words), "{reason}");
        }
    }
}
