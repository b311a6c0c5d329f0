//! Results of tools against the schemas that the same server publishes for them.
//!
//! Functions of messages. Must not start a server; [`super::probe`] learns the catalogue.

use std::collections::BTreeMap;

use jsonschema::Validator;

use super::json::{Kind, Node};
use super::purity::Message;
use super::report::{Finding, Outcome};
use super::visible::visible;

/// The tools of a server, by name: the schema that results must satisfy, where it publishes one.
#[derive(Debug, Default)]
pub struct Catalogue {
    tools: BTreeMap<String, Option<Validator>>,
}

impl Catalogue {
    /// Adds the tools of one page of `tools/list`.
    ///
    /// # Errors
    /// A reason for people: the result holds no list of tools, a tool no name, a schema is none.
    pub fn add(&mut self, page: &Message) -> Result<(), String> {
        let Some(Kind::List(tools)) = page.root.get("result").and_then(|r| r.get("tools")).map(|t| &t.kind)
        else {
            return Err("the answer to tools/list holds no list of tools".to_owned());
        };
        for tool in tools {
            let name = tool.get("name").and_then(Node::text).ok_or("a tool in tools/list has no name")?;
            let schema = match tool.get("outputSchema") {
                Some(schema) => Some(compile(schema.raw(&page.text)).map_err(|why| {
                    format!("the outputSchema of the tool \"{}\" is no schema: {why}", shown(name))
                })?),
                None => None,
            };
            self.tools.insert(name.to_owned(), schema);
        }
        Ok(())
    }

    /// Holds a successful result of a tool against its schema, and its text block against its structured content.
    ///
    /// An error, a result that says it is one and a result that asks for more input are none.
    ///
    /// # Errors
    /// The finding of the first rule that is broken.
    pub fn check(&self, tool: &str, message: &Message) -> Result<(), Finding> {
        let Some(result) = message.root.get("result").filter(|result| is_success(result)) else {
            return Ok(());
        };
        let Some(schema) = self.tools.get(tool) else {
            return Err(broken("$.result", format!("the tool \"{}\" is not in tools/list", shown(tool))));
        };
        let structured = result.get("structuredContent");
        if let Some(validator) = schema {
            let structured = structured
                .ok_or_else(|| broken(STRUCTURED, "the tool's outputSchema asks for it, it is missing"))?;
            validate(validator, structured.raw(&message.text))?;
        }
        match structured {
            Some(structured) => check_text(result, structured.raw(&message.text)),
            None => Ok(()),
        }
    }
}

const STRUCTURED: &str = "$.result.structuredContent";

fn shown(name: &str) -> String {
    visible(name.as_bytes(), 120)
}

fn broken(path: &str, what: impl Into<String>) -> Finding {
    Finding {
        path: Some(path.to_owned()),
        ..Finding::new(Outcome::SchemaBroken, format!("at {path}: {}", what.into()))
    }
}

fn compile(schema: &str) -> Result<Validator, String> {
    let schema: serde_json::Value = serde_json::from_str(schema).map_err(|error| error.to_string())?;
    jsonschema::validator_for(&schema).map_err(|error| error.to_string())
}

/// Whether a result says that the call succeeded and is complete.
pub fn is_success(result: &Node) -> bool {
    let failed = result.get("isError").is_some_and(|node| node.kind == Kind::Bool(true));
    let asks = result.get("resultType").and_then(Node::text) == Some("input_required");
    !failed && !asks
}

fn validate(validator: &Validator, structured: &str) -> Result<(), Finding> {
    let value: serde_json::Value = serde_json::from_str(structured)
        .map_err(|error| broken(STRUCTURED, format!("the validator cannot read it: {error}")))?;
    match validator.iter_errors(&value).next() {
        None => Ok(()),
        Some(error) => {
            let path = pointer_path(error.instance_path().as_str());
            Err(broken(&path, visible(error.to_string().as_bytes(), 400)))
        }
    }
}

/// A JSON pointer below the structured content as a JSON path.
fn pointer_path(pointer: &str) -> String {
    let mut path = STRUCTURED.to_owned();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        match step.parse::<usize>() {
            Ok(index) => path.push_str(&format!("[{index}]")),
            Err(_) => path.push_str(&format!(".{step}")),
        }
    }
    path
}

/// A text block of the content must be the very bytes of the structured content.
fn check_text(result: &Node, structured: &str) -> Result<(), Finding> {
    let content = result.get("content").map(Node::items).unwrap_or_default();
    let texts: Vec<_> = content
        .iter()
        .filter(|block| block.get("type").and_then(Node::text) == Some("text"))
        .filter_map(|block| block.get("text").and_then(Node::text))
        .collect();
    if texts.contains(&structured) {
        return Ok(());
    }
    let Some(text) = texts.first() else {
        return Err(broken("$.result.content", "no text block stands beside the structured content"));
    };
    let what = match super::compare::first_difference(structured, text) {
        Some(difference) => format!("{}: {}", difference.path, difference.what),
        None => String::new(),
    };
    Err(broken(
        "$.result.content",
        format!("the text block is not the compact form of structuredContent: {what}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::purity::check as pure;
    use super::*;

    fn message(result: &str) -> Message {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        pure(line.as_bytes()).unwrap_or_else(|fault| panic!("{line}: {}", fault.why))
    }

    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::default();
        let tools = r#"{"tools":[
            {"name":"a","outputSchema":{"type":"object","required":["n"],"additionalProperties":false,
                "properties":{"n":{"type":"integer"},"l":{"type":"array","items":{"enum":["x"]}},"x/y":{"const":1}}}},
            {"name":"b"}]}"#;
        catalogue.add(&message(&crate::conversation::compact(tools))).expect("a catalogue");
        catalogue
    }

    fn check(tool: &str, result: &str, expect: &str) {
        match catalogue().check(tool, &message(result)) {
            Ok(()) => assert_eq!("", expect, "{result}"),
            Err(finding) => {
                assert_eq!(finding.outcome, Outcome::SchemaBroken);
                assert!(
                    finding.headline.contains(expect) && !expect.is_empty(),
                    "{result}: {}",
                    finding.headline
                );
                let path = finding.path.expect("a path");
                assert!(finding.headline.starts_with(&format!("at {path}: ")), "{}", finding.headline);
            }
        }
    }

    fn both(structured: &str) -> String {
        let text = crate::conversation::escape(structured);
        format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"structuredContent":{structured}}}"#)
    }

    #[test]
    fn a_result_satisfies_its_schema() {
        check("a", &both(r#"{"n":1,"l":["x"]}"#), "");
        check("a", &both(r#"{"n":1.5}"#), "at $.result.structuredContent.n: 1.5 is not of type");
        check("a", &both(r#"{"n":1,"l":["x","y"]}"#), "at $.result.structuredContent.l[1]: ");
        check("a", &both(r#"{"n":1,"x/y":2}"#), "at $.result.structuredContent.x/y: ");
        check("a", &both(r#"{"n":1,"m":0}"#), "at $.result.structuredContent: Additional properties");
        check("a", &both("{}"), "\"n\" is a required property");
        check("a", &both(r#"{"n":1e400}"#), "the validator cannot read it");
        check("a", r#"{"content":[]}"#, "at $.result.structuredContent: the tool's outputSchema asks for it");
        check("b", r#"{"content":[]}"#, "");
        check("c", r#"{"content":[]}"#, "the tool \"c\" is not in tools/list");
    }

    #[test]
    fn only_successes_are_held() {
        check("a", r#"{"content":[],"isError":true}"#, "");
        check("a", r#"{"content":[],"resultType":"input_required"}"#, "");
        check("a", r#"{"content":[],"isError":false,"resultType":"complete"}"#, "asks for it");
        check("a", r#"{"content":[],"isError":"true"}"#, "asks for it");
        let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#;
        let error = pure(error.as_bytes()).expect("an error");
        assert_eq!(catalogue().check("a", &error), Ok(()));
    }

    #[test]
    fn the_text_block_is_the_structured_content() {
        let other = |text: &str| {
            format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"structuredContent":{{"n":1}}}}"#)
        };
        check("b", &other(r#"{\"n\":1}"#), "");
        check(
            "b",
            &other(r#"{\"n\": 1}"#),
            "is not the compact form of structuredContent: $: the same members",
        );
        check("b", &other(r#"{\"n\":2}"#), "structuredContent: $.n: expected 1, got 2");
        check("b", r#"{"content":[],"structuredContent":{}}"#, "no text block");
        check("b", r#"{"structuredContent":{}}"#, "no text block");
        check("b", r#"{"content":[{"type":"image","text":"{}"}],"structuredContent":{}}"#, "no text block");
        let second =
            r#"{"content":[{"type":"text","text":"x"},{"type":"text","text":"{}"}],"structuredContent":{}}"#;
        check("b", second, "");
    }

    #[test]
    fn a_catalogue_that_is_none_says_why() {
        let refused = |result: &str, expect: &str| {
            let fault = Catalogue::default().add(&message(result)).expect_err(result);
            assert!(fault.contains(expect), "{fault}");
        };
        refused("{}", "holds no list of tools");
        refused(r#"{"tools":{}}"#, "holds no list of tools");
        refused(r#"{"tools":[{}]}"#, "has no name");
        refused(r#"{"tools":[{"name":"a","outputSchema":{"type":7}}]}"#, "of the tool \"a\" is no schema");
        refused(
            r#"{"tools":[{"name":"a","outputSchema":{"minimum":1e400}}]}"#,
            "of the tool \"a\" is no schema",
        );
    }
}
