//! Rules about the definitions of tools.
//!
//! Functions of a list of tools and of what the parameters list.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::notes::Notes;
use super::parameters::Parameters;
use super::words;

const CAPABILITY: &str = "com.asixto/capability";
const CAPABILITIES: &str = "com.asixto/capabilities";
const VERB: &str = "com.asixto/verb";

/// Names of parameters that choose among operations.
const CHOOSING: [&str; 8] =
    ["accion", "acción", "action", "operacion", "operación", "operation", "comando", "command"];

/// Texts that a format already bounds.
const BOUNDED: [&str; 5] = ["date", "time", "date-time", "uuid", "ipv4"];

/// Holds every definition to the rules of definitions.
pub fn judge(tools: &[Value], parameters: Option<&Parameters>, notes: &mut Notes) {
    let mut names = BTreeSet::new();
    for tool in tools {
        let mut about = About { tool, name: tool["name"].as_str().unwrap_or("?"), notes };
        about.names(names.insert(about.name.to_owned()));
        about.schema();
        about.classification(parameters.and_then(|parameters| parameters.capabilities.as_deref()));
        about.description();
        about.annotations();
    }
}

/// One tool, and where it is noted.
struct About<'a> {
    tool: &'a Value,
    name: &'a str,
    notes: &'a mut Notes,
}

impl About<'_> {
    /// The rule holds where there is no fault.
    fn rule(&mut self, rule: &'static str, good: &str, fault: Option<String>) {
        match fault {
            None => self.notes.holds(rule, good),
            Some(fault) => self.notes.broken(rule, format!("{}: {fault}", self.name), Vec::new()),
        }
    }

    fn names(&mut self, first: bool) {
        let name = self.name;
        let formed = name.len() <= 40
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        self.rule("AX-NOM-1", "names of the form", fault(!formed, "not 1 to 40 of a-z, 0-9 and _"));
        self.rule("AX-NOM-2", "each name once", fault(!first, "a second time"));
        let mut parts = name.split('_');
        let verb = parts.next().is_some_and(words::is_infinitive)
            && parts.next().is_some_and(|part| !part.is_empty());
        self.rule("AX-NOM-5", "a verb and what it is done to", fault(!verb, "no infinitive, _ and a noun"));
        let length = self.tool["description"].as_str().map_or(0, |text| text.chars().count());
        let what = format!("its description has {length} characters");
        self.rule("AX-NOM-3", "short enough", fault(length > 700, &what));
    }

    fn schema(&mut self) {
        let schema = self.tool["inputSchema"].clone();
        let parameters = parameters(&schema);
        let found = |is: &dyn Fn(&Parameter<'_>) -> bool| {
            let of: Vec<_> = parameters.iter().filter(|p| is(p)).map(|p| p.name.as_str()).collect();
            (!of.is_empty()).then(|| of.join(", "))
        };
        let rules = [
            ("AX-ESQ-1", found(&|p| !p.required && !accepts_null(&schema, p.schema))),
            ("AX-ESQ-2", found(&|p| p.required && p.schema.get("default").is_some())),
            (
                "AX-ESQ-4",
                found(&|p| {
                    p.texts().next().is_some() && p.description().is_some_and(words::is_a_list_of_values)
                }),
            ),
            ("AX-ESQ-5", found(&|p| p.is_endless())),
            (
                "AX-ESQ-6",
                found(&|p| p.required && (words::is_identifier(p.last) || p.schema["format"] == "uuid")),
            ),
            ("AX-ESQ-7", found(&|p| CHOOSING.contains(&p.last) && !p.is_one_value())),
            ("AX-NOM-4", found(&|p| p.description().is_some_and(|text| text.chars().count() > 200))),
        ];
        for (rule, fault) in rules {
            self.rule(
                rule,
                "no parameter goes against it",
                fault.map(|names| format!("the parameters {names}")),
            );
        }
        let open = open_objects(&schema, "arguments");
        let what = (!open.is_empty()).then(|| format!("open: {}", open.join(", ")));
        self.rule("AX-ESQ-3", "every object is closed", what);
        let union = ["oneOf", "anyOf", "allOf"].into_iter().find(|key| schema.get(key).is_some());
        let deep = depth(&schema) > 2;
        let what =
            union.map(|key| format!("{key} at the root")).or_else(|| fault(deep, "objects inside objects"));
        self.rule("AX-ESQ-8", "flat, without unions at the root", what);
    }

    fn classification(&mut self, known: Option<&[String]>) {
        let meta = &self.tool["_meta"];
        let single = meta[CAPABILITY].as_str();
        let list = meta.get(CAPABILITIES);
        let texts: Option<Vec<_>> =
            list.and_then(Value::as_array).and_then(|list| list.iter().map(Value::as_str).collect());
        let some = single.is_some_and(|key| !key.is_empty()) || list.is_some();
        self.rule("AX-META-1", "every tool has its capability", fault(!some, "neither of the two keys"));
        let good = list.is_none() || texts.as_ref().is_some_and(|list| !list.is_empty()) && single.is_none();
        let what = "com.asixto/capabilities is no list of texts, or stands beside the single key";
        self.rule("AX-META-3", "a list in the place of the single key", fault(!good, what));
        let verb =
            meta[VERB].as_str().and_then(|verb| verb.split_whitespace().next()).map(words::is_infinitive);
        self.rule("AX-META-2", "every tool has its verb", fault(verb != Some(true), "no infinitive"));
        let keys: Vec<_> = single.into_iter().chain(texts.into_iter().flatten()).collect();
        match known {
            None => self.notes.open("AX-META-4", "the keys that there are were not named: --parameters"),
            Some(known) => {
                let strange: Vec<_> =
                    keys.into_iter().filter(|key| known.iter().all(|known| known != key)).collect();
                let what =
                    (!strange.is_empty()).then(|| format!("the contract has no {}", strange.join(", ")));
                self.rule("AX-META-4", "only keys that there are", what);
            }
        }
    }

    fn description(&mut self) {
        let text = self.tool["description"].as_str().unwrap_or_default();
        let what = "its description does not say when not to use it";
        self.rule("AX-DES-1", "what it does and when not", fault(!words::says_when_not(text), what));
        let what = words::instruction(text).map(|word| format!("its description tells the model «{word}»"));
        self.rule("AX-DES-2", "no instructions to the model", what);
        let what = "its description holds a price or an hour";
        self.rule("AX-DES-3", "nothing that changes", fault(words::is_volatile(text), what));
    }

    fn annotations(&mut self) {
        let hint = |name: &str| self.tool["annotations"].get(name).and_then(Value::as_bool);
        let (read, destroy, again) = (hint("readOnlyHint"), hint("destructiveHint"), hint("idempotentHint"));
        let level = match (read, destroy) {
            (Some(true), Some(true)) => "contradictory",
            (Some(true), _) => "read",
            (Some(false), Some(false)) => "write",
            _ => "admin",
        };
        let all = read.is_some() && destroy.is_some() && again.is_some();
        let what = format!("not all three are declared; its level is {level}");
        self.rule("AX-ANO-1", "all three are declared", fault(!all, &what));
        let both = read == Some(true) && destroy == Some(true);
        self.rule("AX-ANO-2", "no tool does both", fault(both, "it says both"));
        let schema = &self.tool["inputSchema"];
        let confirms = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .any(|name| name.to_lowercase().starts_with("confirm"));
        match destroy {
            Some(true) => {
                let what = fault(!confirms, "it destroys and requires no confirmation");
                self.rule("AX-ANO-4", "what destroys asks first", what);
            }
            _ => self.notes.absent("AX-ANO-4", "no tool says that it destroys"),
        }
    }
}

fn fault(is: bool, what: &str) -> Option<String> {
    is.then(|| what.to_owned())
}

/// One parameter, at whatever depth.
struct Parameter<'s> {
    /// Its path.
    name: String,
    /// Its own name.
    last: &'s str,
    schema: &'s Value,
    required: bool,
}

impl Parameter<'_> {
    fn description(&self) -> Option<&str> {
        self.schema["description"].as_str()
    }

    /// The forms in which it takes a text that nothing enumerates.
    fn texts(&self) -> impl Iterator<Item = &Value> {
        let branches = ["anyOf", "oneOf"].iter().filter_map(|key| self.schema[key].as_array()).flatten();
        [self.schema].into_iter().chain(branches).filter(|schema| {
            let text = match &schema["type"] {
                Value::Array(kinds) => kinds.iter().any(|kind| kind == "string"),
                kind => kind == "string",
            };
            text && schema.get("enum").is_none() && schema.get("const").is_none()
        })
    }

    /// Whether it takes a text without end.
    fn is_endless(&self) -> bool {
        let bounded =
            |schema: &Value| schema["format"].as_str().is_some_and(|format| BOUNDED.contains(&format));
        self.texts().any(|schema| schema.get("maxLength").is_none() && !bounded(schema))
    }

    fn is_one_value(&self) -> bool {
        self.schema.get("const").is_some()
            || self.schema["enum"].as_array().is_some_and(|values| values.len() < 2)
    }
}

/// Every parameter of a schema: members of objects, and of the objects in lists.
fn parameters(schema: &Value) -> Vec<Parameter<'_>> {
    let mut found = Vec::new();
    collect(schema, "", &mut found, 0);
    found
}

fn collect<'s>(schema: &'s Value, path: &str, found: &mut Vec<Parameter<'s>>, deep: usize) {
    if deep > 8 {
        return;
    }
    let required: Vec<_> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let is_required = required.contains(&name.as_str());
        found.push(Parameter { name: full.clone(), last: name, schema: inner, required: is_required });
        collect(inner, &full, found, deep + 1);
        collect(&inner["items"], &full, found, deep + 1);
    }
}

/// Whether a parameter accepts null, references into the whole schema included.
fn accepts_null(root: &Value, schema: &Value) -> bool {
    let mut whole = schema.as_object().cloned().unwrap_or_else(Map::new);
    for key in ["$defs", "definitions"] {
        if let Some(definitions) = root.get(key) {
            whole.insert(key.to_owned(), definitions.clone());
        }
    }
    jsonschema::validator_for(&Value::Object(whole)).is_ok_and(|validator| validator.is_valid(&json!(null)))
}

fn is_object(schema: &Value) -> bool {
    schema["type"] == "object"
        || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
        || schema.get("properties").is_some()
}

/// The objects that take members which they do not name.
fn open_objects(schema: &Value, path: &str) -> Vec<String> {
    let mut open = Vec::new();
    if is_object(schema) && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        open.push(path.to_owned());
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        open.extend(open_objects(inner, name));
        open.extend(open_objects(&inner["items"], name));
    }
    open
}

/// How many objects lie inside one another.
fn depth(schema: &Value) -> usize {
    let inner = schema["properties"].as_object().into_iter().flatten();
    let deepest = inner.map(|(_, inner)| depth(inner).max(depth(&inner["items"]))).max().unwrap_or(0);
    usize::from(is_object(schema)) + deepest
}

#[cfg(test)]
mod tests;
