//! An OpenAPI 3 document as a surface: a method and a path are an operation.
//!
//! An operation requires its path and query parameters that say so, and what the schema of its body requires where the
//! body itself is required. Only references inside the document are followed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::fault::{Code, Fault};
use super::operations::Operation;

/// The members of a path that are operations.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// More references and combined schemas, one inside the other, than any body has.
const DEPTH: usize = 32;

type Fields = BTreeSet<String>;

/// Reads a document.
///
/// # Errors
/// [`Code::BadOpenApi`], [`Code::BadOperation`], [`Code::BadReference`].
pub(super) fn read(text: &str) -> Result<Vec<Operation>, Fault> {
    let bad = |why: &str| Fault::new(Code::BadOpenApi, why);
    let document: Value = serde_json::from_str(text).map_err(|error| bad(&error.to_string()))?;
    match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.") => {}
        Some(version) => return Err(bad(&format!("OpenAPI 3 is read, this is `{version}`"))),
        None => return Err(bad("it has no `openapi` that says its version")),
    }
    let paths = document.get("paths").and_then(Value::as_object).ok_or_else(|| bad("it has no `paths`"))?;
    let mut operations = Vec::new();
    for (path, item) in paths {
        let item = resolve(&document, item, 0).map_err(|fault| fault.at(path))?;
        for (method, operation) in METHODS.iter().filter_map(|method| Some((method, item.get(*method)?))) {
            let name = format!("{} {path}", method.to_uppercase());
            let requires = required(&document, item, operation).map_err(|fault| fault.at(&name))?;
            operations.push(Operation { name, requires });
        }
    }
    operations.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(operations)
}

/// The fields that an operation requires.
fn required(document: &Value, item: &Value, operation: &Value) -> Result<Fields, Fault> {
    if !operation.is_object() {
        return Err(Fault::new(Code::BadOperation, "it is no object"));
    }
    // Of two parameters with one place and name, the operation's own counts.
    let mut parameters = BTreeMap::new();
    for list in [item.get("parameters"), operation.get("parameters")].into_iter().flatten() {
        for parameter in
            list.as_array().ok_or_else(|| Fault::new(Code::BadOperation, "`parameters` is no list"))?
        {
            let parameter = resolve(document, parameter, 0)?;
            let text = |key| parameter.get(key).and_then(Value::as_str);
            let (Some(name), Some(place)) = (text("name"), text("in")) else {
                return Err(Fault::new(Code::BadOperation, "a parameter has no `name` or no `in`"));
            };
            parameters.insert((place, name), is_true(parameter, "required"));
        }
    }
    let mut fields: Fields = parameters
        .into_iter()
        .filter(|((place, _), required)| *required && matches!(*place, "path" | "query"))
        .map(|((_, name), _)| name.to_owned())
        .collect();
    if let Some(body) = operation.get("requestBody") {
        let body = resolve(document, body, 0)?;
        if is_true(body, "required") {
            fields.extend(of_body(document, body)?);
        }
    }
    Ok(fields)
}

/// What a body requires in whichever form it is sent.
fn of_body(document: &Value, body: &Value) -> Result<Fields, Fault> {
    let forms = body
        .get("content")
        .and_then(Value::as_object)
        .ok_or_else(|| Fault::new(Code::BadOperation, "its body has no `content`"))?;
    let schemas = forms.values().map(|form| form.get("schema").unwrap_or(&Value::Null));
    in_each(schemas.map(|schema| of_schema(document, schema, 0)))
}

/// The fields that an object of this schema cannot do without.
fn of_schema(document: &Value, schema: &Value, depth: usize) -> Result<Fields, Fault> {
    let schema = resolve(document, schema, depth)?;
    let read_only = |field: &str| {
        schema.get("properties").and_then(|all| all.get(field)).is_some_and(|it| is_true(it, "readOnly"))
    };
    let list = |key| schema.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut fields: Fields = list("required")
        .iter()
        .filter_map(Value::as_str)
        .filter(|field| !read_only(field))
        .map(str::to_owned)
        .collect();
    let deeper = |part: &Value| of_schema(document, part, depth + 1);
    for part in list("allOf") {
        fields.extend(deeper(part)?);
    }
    for key in ["oneOf", "anyOf"] {
        fields.extend(in_each(list(key).iter().map(deeper))?);
    }
    Ok(fields)
}

/// What all of these have in common; of none, nothing.
fn in_each(all: impl Iterator<Item = Result<Fields, Fault>>) -> Result<Fields, Fault> {
    let mut common: Option<Fields> = None;
    for fields in all {
        let fields = fields?;
        common = Some(match common {
            None => fields,
            Some(common) => common.intersection(&fields).cloned().collect(),
        });
    }
    Ok(common.unwrap_or_default())
}

/// What a value stands for, following its references.
fn resolve<'d>(document: &'d Value, value: &'d Value, depth: usize) -> Result<&'d Value, Fault> {
    let bad = |why: String| Fault::new(Code::BadReference, why);
    let mut value = value;
    for _ in depth..DEPTH {
        let Some(reference) = value.get("$ref") else { return Ok(value) };
        let name = reference.as_str().ok_or_else(|| bad("a `$ref` is no text".to_owned()))?;
        let pointer =
            name.strip_prefix('#').ok_or_else(|| bad(format!("`{name}` is outside of the document")))?;
        value = document.pointer(pointer).ok_or_else(|| bad(format!("`{name}` is not there")))?;
    }
    Err(bad("a reference leads to itself, or too deep".to_owned()))
}

fn is_true(value: &Value, key: &str) -> bool {
    value.get(key) == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(paths: &Value) -> String {
        json!({
            "openapi": "3.1.0",
            "paths": paths,
            "components": {
                "parameters": {"id": {"name": "id", "in": "path", "required": true}},
                "requestBodies": {"b": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/a"}}}}},
                "schemas": {
                    "a": {"required": ["x", "n"], "properties": {"n": {"readOnly": true}}, "allOf": [{"$ref": "#/components/schemas/b"}]},
                    "b": {"required": ["y"]},
                    "loop": {"allOf": [{"$ref": "#/components/schemas/loop"}]},
                    "ring": {"$ref": "#/components/schemas/ring"},
                },
                "pathItems": {"p": {"get": {}}},
            },
        })
        .to_string()
    }

    fn check(paths: Value, expect: &[(&str, &[&str])]) {
        let read = read(&document(&paths)).unwrap_or_else(|fault| panic!("{fault}"));
        let found: Vec<_> = read
            .iter()
            .map(|it| (it.name.as_str(), it.requires.iter().map(String::as_str).collect::<Vec<_>>()))
            .collect();
        let expect: Vec<_> = expect.iter().map(|(name, requires)| (*name, requires.to_vec())).collect();
        assert_eq!(found, expect, "{paths}");
    }

    #[test]
    fn a_method_and_a_path_are_an_operation() {
        check(
            json!({"/b": {"post": {}, "get": {}, "summary": "s", "x-own": {}}, "/a": {"patch": {}, "trace": {}}}),
            &[("GET /b", &[]), ("PATCH /a", &[]), ("POST /b", &[]), ("TRACE /a", &[])],
        );
        check(json!({"/a": {"$ref": "#/components/pathItems/p"}}), &[("GET /a", &[])]);
        check(json!({}), &[]);
    }

    #[test]
    fn parameters_are_required_by_place_and_by_their_word() {
        let parameters = json!([
            {"$ref": "#/components/parameters/id"},
            {"name": "q", "in": "query", "required": true},
            {"name": "o", "in": "query"},
            {"name": "p", "in": "query", "required": false},
            {"name": "h", "in": "header", "required": true},
            {"name": "c", "in": "cookie", "required": true},
        ]);
        check(json!({"/a": {"get": {"parameters": parameters}}}), &[("GET /a", &["id", "q"])]);
        // The operation's own counts, and a header of the same name is another parameter.
        let own = json!([{"name": "q", "in": "query", "required": false}, {"name": "id", "in": "header"}]);
        check(json!({"/a": {"parameters": parameters, "get": {"parameters": own}}}), &[("GET /a", &["id"])]);
    }

    fn body(schema: Value) -> Value {
        json!({"/a": {"post": {"requestBody": {"required": true, "content": {"application/json": {"schema": schema}}}}}})
    }

    #[test]
    fn a_body_requires_what_its_schema_does() {
        check(
            json!({"/a": {"post": {"requestBody": {"$ref": "#/components/requestBodies/b"}}}}),
            &[("POST /a", &["x", "y"])],
        );
        check(body(json!({"required": ["x"]})), &[("POST /a", &["x"])]);
        check(
            body(json!({"oneOf": [{"required": ["x", "y"]}, {"required": ["y", "z"]}]})),
            &[("POST /a", &["y"])],
        );
        check(body(json!({"anyOf": [{"required": ["x"]}, {}], "required": ["w"]})), &[("POST /a", &["w"])]);
        check(
            body(json!({"allOf": [{"required": ["x"]}, {"required": ["y"]}]})),
            &[("POST /a", &["x", "y"])],
        );
        let optional = json!({"content": {"application/json": {"schema": {"required": ["x"]}}}});
        check(json!({"/a": {"post": {"requestBody": optional}}}), &[("POST /a", &[])]);
        let two = json!({"required": true, "content": {
            "application/json": {"schema": {"required": ["x", "y"]}}, "multipart/form-data": {"schema": {"required": ["y"]}},
        }});
        check(json!({"/a": {"post": {"requestBody": two}}}), &[("POST /a", &["y"])]);
        let bare = json!({"required": true, "content": {"application/octet-stream": {}}});
        check(json!({"/a": {"post": {"requestBody": bare}}}), &[("POST /a", &[])]);
    }

    #[test]
    fn what_is_no_such_document_says_why() {
        let check = |text: &str, expect: &str| {
            assert_eq!(read(text).map_err(|fault| fault.to_string()), Err(expect.to_owned()), "{text}");
        };
        check("{", "bad_openapi: EOF while parsing an object at line 1 column 1");
        check("{}", "bad_openapi: it has no `openapi` that says its version");
        check(r#"{"swagger":"2.0"}"#, "bad_openapi: it has no `openapi` that says its version");
        check(r#"{"openapi":"2.0","paths":{}}"#, "bad_openapi: OpenAPI 3 is read, this is `2.0`");
        check(r#"{"openapi":"3.0.0"}"#, "bad_openapi: it has no `paths`");
        check(r#"{"openapi":"3.0.0","paths":[]}"#, "bad_openapi: it has no `paths`");
    }

    #[test]
    fn what_is_no_operation_is_named() {
        let check = |paths: Value, expect: &str| {
            assert_eq!(read(&document(&paths)).map_err(|fault| fault.to_string()), Err(expect.to_owned()));
        };
        check(json!({"/a": {"get": 1}}), "bad_operation: GET /a: it is no object");
        check(json!({"/a": {"get": {"parameters": {}}}}), "bad_operation: GET /a: `parameters` is no list");
        check(
            json!({"/a": {"get": {"parameters": [{"name": "x"}]}}}),
            "bad_operation: GET /a: a parameter has no `name` or no `in`",
        );
        check(
            json!({"/a": {"post": {"requestBody": {"required": true}}}}),
            "bad_operation: POST /a: its body has no `content`",
        );
        let reference = |to: &str| json!({"$ref": to});
        check(
            json!({"/a": reference("other.json#/a")}),
            "bad_reference: /a: `other.json#/a` is outside of the document",
        );
        check(json!({"/a": {"$ref": 1}}), "bad_reference: /a: a `$ref` is no text");
        check(body(reference("#/none")), "bad_reference: POST /a: `#/none` is not there");
        for name in ["loop", "ring"] {
            check(
                body(reference(&format!("#/components/schemas/{name}"))),
                "bad_reference: POST /a: a reference leads to itself, or too deep",
            );
        }
    }
}
