//! What a catalogue costs a model to read: characters, and tokens of `o200k_base`.
//!
//! The vocabulary is compiled in. No claim that a given host uses this tokenizer: it is a measure that others can take
//! again.

use tiktoken_rs::o200k_base_singleton;

use crate::client::Definition;
use crate::engine::json;

/// The size of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSize {
    /// Its name.
    pub name: String,
    /// Characters of its definition.
    pub characters: usize,
    /// Tokens of its description alone.
    pub description: usize,
    /// Tokens of name, description and input schema: what a host hands on that hands on no more.
    pub trio: usize,
    /// Tokens of its whole definition.
    pub definition: usize,
    /// Tokens of all whole definitions but its own.
    pub without: usize,
}

/// The size of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its tools, in its order.
    pub tools: Vec<ToolSize>,
    /// Characters of all definitions, as one list.
    pub characters: usize,
    /// Tokens of all descriptions, a line each.
    pub descriptions: usize,
    /// Tokens of all trios, as one list.
    pub trios: usize,
    /// Tokens of all definitions, as one list.
    pub definitions: usize,
}

/// How many tokens a text is. What stands for a control of the model counts as the text that it is.
#[must_use]
pub fn tokens(text: &str) -> usize {
    o200k_base_singleton().encode_ordinary(text).len()
}

/// Measures a catalogue.
#[must_use]
pub fn measure(tools: &[Definition]) -> Size {
    let list = |texts: &[String]| format!("[{}]", texts.join(","));
    let raws: Vec<_> = tools.iter().map(|tool| tool.raw.clone()).collect();
    let trios: Vec<_> = tools.iter().map(trio).collect();
    let descriptions: Vec<_> = tools.iter().map(description).collect();
    let sizes = tools.iter().enumerate().map(|(at, tool)| {
        let mut others = raws.clone();
        others.remove(at);
        ToolSize {
            name: tool.name.clone(),
            characters: tool.raw.chars().count(),
            description: tokens(descriptions[at]),
            trio: tokens(&trios[at]),
            definition: tokens(&tool.raw),
            without: tokens(&list(&others)),
        }
    });
    Size {
        tools: sizes.collect(),
        characters: list(&raws).chars().count(),
        descriptions: tokens(&descriptions.join("\n")),
        trios: tokens(&list(&trios)),
        definitions: tokens(&list(&raws)),
    }
}

fn description(tool: &Definition) -> &str {
    tool.value.get("description").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// Name, description and input schema in the bytes that the server wrote, those that there are.
fn trio(tool: &Definition) -> String {
    // What defines a tool was read as JSON before, so nothing is lost here.
    let document = json::read(&tool.raw).ok();
    let members = ["name", "description", "inputSchema"].into_iter().filter_map(|key| {
        let value = document.as_ref()?.root.get(key)?;
        Some(format!("\"{key}\":{}", value.raw(&tool.raw)))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_o200k_base() {
        for (text, expect) in [
            ("", 0),
            ("hello world", 2),
            ("tiktoken is great!", 6),
            ("antidisestablishmentarianism", 6),
            ("2 + 2 = 4", 7),
            ("お誕生日おめでとう", 8),
            ("<|endoftext|>", 7),
        ] {
            assert_eq!(tokens(text), expect, "{text}");
        }
    }

    #[test]
    fn a_catalogue_is_measured_whole_and_tool_by_tool() {
        let one = r#"{"description":"Sólo lee.","title":"Uno","name":"uno","inputSchema":{"type":"object"}}"#;
        let two = r#"{"name":"dos"}"#;
        let tools = [one, two].map(|text| Definition::read(text).expect("a tool"));
        let size = measure(&tools);
        let trio = r#"{"name":"uno","description":"Sólo lee.","inputSchema":{"type":"object"}}"#;
        let expect = ToolSize {
            name: "uno".to_owned(),
            characters: one.chars().count(),
            description: tokens("Sólo lee."),
            trio: tokens(trio),
            definition: tokens(one),
            without: tokens(r#"[{"name":"dos"}]"#),
        };
        assert_eq!(size.tools[0], expect);
        assert_eq!((size.tools[1].description, size.tools[1].trio), (0, tokens(two)));
        assert_eq!(size.tools[1].without, tokens(&format!("[{one}]")));
        assert_eq!(size.characters, format!("[{one},{two}]").chars().count());
        assert_eq!(size.descriptions, tokens("Sólo lee.\n"));
        assert_eq!(size.trios, tokens(&format!("[{trio},{two}]")));
        assert_eq!(size.definitions, tokens(&format!("[{one},{two}]")));
    }

    #[test]
    fn no_tools_are_an_empty_list() {
        let size = measure(&[]);
        let totals = (size.characters, size.descriptions, size.trios, size.definitions);
        assert_eq!((size.tools.len(), totals), (0, (2, 0, tokens("[]"), tokens("[]"))));
    }
}
