//! Writes an answer down: what the harness can work out by itself becomes a placeholder, the rest stays as it is.

use std::collections::BTreeMap;

use crate::conversation::placeholder::{Pattern, Placeholder};
use crate::conversation::{escape, member, strings};
use crate::engine::loose::fit;

/// What the harness knows of a replay without asking the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The project's copy.
    pub project: Option<String>,
    /// The scratch folder.
    pub scratch: Option<String>,
    /// The server's version.
    pub version: Option<String>,
    /// What each `let` computed.
    pub names: BTreeMap<String, String>,
    /// SHA-256 of the project's files and of embedded sources, by their names.
    pub files: BTreeMap<String, String>,
}

impl Values {
    /// The value of a placeholder.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn lookup(&self, placeholder: &Placeholder) -> Result<String, String> {
        let value = match placeholder {
            Placeholder::Project => self.project.as_ref(),
            Placeholder::Scratch => self.scratch.as_ref(),
            Placeholder::Version => self.version.as_ref(),
            Placeholder::Sha256(file) => self.files.get(file),
            Placeholder::Named(name) => self.names.get(name),
            Placeholder::Text | Placeholder::Braces | Placeholder::Loose(_) => None,
        };
        value.cloned().ok_or_else(|| "unknown".to_owned())
    }

    /// Whether an expected message says exactly this one, values that it does not pin aside.
    #[must_use]
    pub fn says(&self, expected: &str, message: &str) -> bool {
        let pattern = Pattern::of(expected, &mut |placeholder| self.lookup(placeholder));
        pattern.is_ok_and(|pattern| fit(&pattern, message).is_ok_and(|fitted| fitted.text == message))
    }

    /// Escaped values that may stand inside a text, the longer ones first, and their placeholders.
    fn inside(&self) -> Vec<(String, Placeholder)> {
        let mut found = Vec::new();
        let mut add = |value: Option<&String>, placeholder| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                found.push((escape(value), placeholder));
            }
        };
        add(self.project.as_ref(), Placeholder::Project);
        add(self.scratch.as_ref(), Placeholder::Scratch);
        for (name, value) in &self.names {
            add(Some(value), Placeholder::Named(name.clone()));
        }
        for (file, value) in &self.files {
            add(Some(value), Placeholder::Sha256(file.clone()));
        }
        // Stable, so of equal values the first in the order above counts.
        found.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        found
    }
}

/// The message as a conversation expects it: resolving it gives the message back.
#[must_use]
pub fn generalise(message: &str, values: &Values) -> String {
    let inside = values.inside();
    let whole = values.version.as_deref().map(escape);
    let protocol = member(message, &["jsonrpc"]);
    let text_blocks = member(message, &["result", "content"]);
    let structured = member(message, &["result", "structuredContent"]).map(|range| escape(&message[range]));
    let mut written = String::with_capacity(message.len());
    let mut at = 0;
    for range in strings(message) {
        written.push_str(&message[at..range.start]);
        at = range.end;
        let text = &message[range.clone()];
        let in_content = text_blocks.as_ref().is_some_and(|content| content.contains(&range.start));
        if in_content && structured.as_deref() == Some(text) {
            written.push_str("{{text}}");
        } else if whole.as_deref() == Some(text)
            && !protocol.as_ref().is_some_and(|it| it.contains(&range.start))
        {
            written.push_str("{{version}}");
        } else {
            replace(text, &inside, &mut written);
        }
    }
    written.push_str(&message[at..]);
    written
}

fn replace(text: &str, inside: &[(String, Placeholder)], written: &mut String) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((value, placeholder)) = inside.iter().find(|(value, _)| rest.starts_with(value.as_str()))
        {
            written.push_str(&placeholder.to_string());
            rest = &rest[value.len()..];
        } else if let Some(behind) = rest.strip_prefix("{{") {
            written.push_str(&Placeholder::Braces.to_string());
            rest = behind;
        } else {
            written.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> Values {
        Values {
            project: Some("/tmp/x".to_owned()),
            scratch: Some("/tmp/x/s".to_owned()),
            version: Some("0.1".to_owned()),
            names: BTreeMap::from([("h".to_owned(), "feed".to_owned())]),
            files: BTreeMap::from([("a".to_owned(), "feed".to_owned()), ("b".to_owned(), "beef".to_owned())]),
        }
    }

    fn check(message: &str, expect: &str) {
        assert_eq!(generalise(message, &values()), expect);
        assert!(values().says(expect, message));
    }

    #[test]
    fn what_the_harness_knows_becomes_a_placeholder() {
        check(
            r#"{"p":"/tmp/x","q":"in /tmp/x/y, /tmp/x/s/z","v":"0.1","w":"0.1.2"}"#,
            r#"{"p":"{{project}}","q":"in {{project}}/y, {{scratch}}/z","v":"{{version}}","w":"0.1.2"}"#,
        );
        check(r#"["feed","beef",12]"#, r#"["{{h}}","{{sha256:b}}",12]"#);
        check(r#"{"jsonrpc":"0.1","v":"0.1"}"#, r#"{"jsonrpc":"0.1","v":"{{version}}"}"#);
    }

    #[test]
    fn a_text_block_that_repeats_the_structured_content_says_so() {
        check(
            r#"{"result":{"content":[{"text":"{\"a\":\"/tmp/x\"}"}],"structuredContent":{"a":"/tmp/x"}}}"#,
            r#"{"result":{"content":[{"text":"{{text}}"}],"structuredContent":{"a":"{{project}}"}}}"#,
        );
        check(
            r#"{"result":{"content":[{"text":"{\"a\": 1}"}],"structuredContent":{"a":1}}}"#,
            r#"{"result":{"content":[{"text":"{\"a\": 1}"}],"structuredContent":{"a":1}}}"#,
        );
        check(r#"{"text":"{}","structuredContent":{}}"#, r#"{"text":"{}","structuredContent":{}}"#);
    }

    #[test]
    fn braces_of_the_answer_stay_braces() {
        check(
            r#"{"a":"{{project}} {{{/tmp/x}}}"}"#,
            r#"{"a":"{{braces}}project}} {{braces}}{{{project}}}}}"}"#,
        );
    }

    #[test]
    fn an_unknown_value_leaves_the_text_alone() {
        assert_eq!(generalise(r#"{"p":"/tmp/x","v":""}"#, &Values::default()), r#"{"p":"/tmp/x","v":""}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_written_resolves_to_what_was_said(
            text in "([{}]{1,5}|feed|beef|/tmp/x|/tmp/x/s|0\\.1|text|project|h|[a-z\"\\\\é]){0,12}",
            structured in "([{}]{1,3}|feed|\"){0,4}",
        ) {
            let structured = format!("{{\"s\":\"{}\"}}", escape(&structured));
            let message = format!(
                "{{\"t\":\"{}\",\"result\":{{\"content\":[\"{}\"],\"structuredContent\":{structured}}}}}",
                escape(&text), escape(&structured),
            );
            let written = generalise(&message, &values());
            prop_assert!(written.contains("[\"{{text}}\"]"));
            prop_assert!(values().says(&written, &message));
        }
    }
}
