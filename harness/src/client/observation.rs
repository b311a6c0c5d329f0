//! What comes back from a call, whatever happened: a text, and why it is a failure if it is one.
//!
//! Functions of values. Every failure has its kind, so that a host can tell a tool that is forbidden from one that is
//! broken.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// What a call came to, ready for whoever asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The text blocks of the result, a line feed between them; of a failure, its words.
    pub text: String,
    /// How many blocks of the result are no text, and are left out.
    pub others: usize,
    /// Why the call failed, if it did.
    pub failure: Option<Failure>,
}

impl Observation {
    /// Whether the call failed, however it did.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.failure.is_some()
    }
}

impl From<Failure> for Observation {
    fn from(failure: Failure) -> Self {
        Self { text: failure.to_string(), others: 0, failure: Some(failure) }
    }
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The tool ran and says that it failed; its text.
    Tool(String),
    /// The server answered with an error of the protocol.
    Protocol {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// Nothing came within the limit.
    Silence(Duration),
    /// The server ended, or closed its output; how, and what it said to people.
    Gone(String),
    /// A line of the server is no message.
    Unreadable(String),
    /// The answer is a message that the protocol does not know.
    Malformed(String),
    /// The server wants more input before it answers, and there is nobody here to give any.
    InputRequired,
    /// No offered tool has this name. Nothing was sent.
    NotOffered(String),
    /// The host's table does not allow this tool. Nothing was sent.
    Denied(String),
    /// Somebody was asked and said no. Nothing was sent.
    Declined(String),
    /// The arguments are not what the tool's schema wants. Nothing was sent.
    Arguments(String),
}

impl Failure {
    /// One word for the kind, the same for all failures of it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Tool(_) => "tool_error",
            Self::Protocol { .. } => "protocol_error",
            Self::Silence(_) => "silence",
            Self::Gone(_) => "gone",
            Self::Unreadable(_) => "unreadable",
            Self::Malformed(_) => "malformed",
            Self::InputRequired => "input_required",
            Self::NotOffered(_) => "not_offered",
            Self::Denied(_) => "denied",
            Self::Declined(_) => "declined",
            Self::Arguments(_) => "arguments",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(text) => f.write_str(text),
            Self::Protocol { code, message } => write!(f, "{message} ({code})"),
            Self::Silence(limit) => write!(f, "the server did not answer within {} ms", limit.as_millis()),
            Self::Gone(how) => write!(f, "the server is gone: {how}"),
            Self::Unreadable(why) => write!(f, "the server printed a line that is no message: {why}"),
            Self::Malformed(why) => write!(f, "the server's answer is none: {why}"),
            Self::InputRequired => f.write_str("the server asks for more input, and there is none to give"),
            Self::NotOffered(name) => write!(f, "not run: no tool `{name}` is offered"),
            Self::Denied(name) => {
                write!(f, "not run: this host does not allow `{name}`, and asking again changes nothing")
            }
            Self::Declined(name) => write!(f, "not run: somebody was asked about `{name}` and said no"),
            Self::Arguments(why) => write!(f, "not run: {why}"),
        }
    }
}

impl std::error::Error for Failure {}

/// What the result of a `tools/call` says.
///
/// # Errors
/// [`Failure::Tool`] where it says that it failed, [`Failure::InputRequired`], [`Failure::Malformed`] where it is no
/// such result (rules TRES-2 and TRES-3 of MCP, RPC-7 for `resultType`).
pub(super) fn read(result: &Value) -> Result<Observation, Failure> {
    let malformed = |why: &str| Failure::Malformed(why.to_owned());
    match result.get("resultType").map(Value::as_str) {
        // Servers of the older revision do not say it.
        None | Some(Some("complete")) => {}
        Some(Some("input_required")) => return Err(Failure::InputRequired),
        Some(_) => return Err(malformed("its `resultType` is none that this client knows")),
    }
    let blocks = result.get("content").and_then(Value::as_array).ok_or_else(|| malformed("no `content`"))?;
    let mut texts = Vec::new();
    for block in blocks {
        match block.get("type").and_then(Value::as_str) {
            None => return Err(malformed("a block without `type`")),
            Some("text") => texts.push(
                block
                    .get("text")
                    .and_then(Value::as_str)
                    .ok_or_else(|| malformed("a text block without `text`"))?,
            ),
            Some(_) => {}
        }
    }
    let text = texts.join("\n");
    match result.get("isError") {
        None | Some(Value::Bool(false)) => {
            Ok(Observation { text, others: blocks.len() - texts.len(), failure: None })
        }
        Some(Value::Bool(true)) => Err(Failure::Tool(text)),
        Some(_) => Err(malformed("its `isError` is no boolean")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(result: &str) -> Result<Observation, Failure> {
        read(&serde_json::from_str(result).expect("JSON"))
    }

    #[test]
    fn texts_are_joined_and_other_blocks_counted() {
        let check = |content: &str, text: &str, others: usize| {
            let expect = Observation { text: text.to_owned(), others, failure: None };
            assert!(!expect.is_error());
            assert_eq!(of(&format!(r#"{{"content":{content}}}"#)), Ok(expect.clone()));
            let said = format!(r#"{{"resultType":"complete","isError":false,"content":{content}}}"#);
            assert_eq!(of(&said), Ok(expect));
        };
        check(r#"[{"type":"text","text":"a"}]"#, "a", 0);
        check(r#"[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#, "a\nb", 1);
        check(r#"[{"type":"x","text":"a"},{"type":"audio"}]"#, "", 2);
        check("[]", "", 0);
    }

    #[test]
    fn a_failure_of_the_tool_is_its_text() {
        let failure = of(r#"{"isError":true,"content":[{"type":"text","text":"no"}]}"#);
        assert_eq!(failure, Err(Failure::Tool("no".to_owned())));
    }

    #[test]
    fn what_is_no_result_says_why() {
        let check = |result: &str, why: &str| {
            assert_eq!(of(result), Err(Failure::Malformed(why.to_owned())), "{result}");
        };
        check("{}", "no `content`");
        check(r#"{"content":"a"}"#, "no `content`");
        check(r#"{"content":[{"text":"a"}]}"#, "a block without `type`");
        check(r#"{"content":[1]}"#, "a block without `type`");
        check(r#"{"content":[{"type":"text"}]}"#, "a text block without `text`");
        check(r#"{"content":[{"type":"text","text":1}]}"#, "a text block without `text`");
        check(r#"{"content":[],"isError":"true"}"#, "its `isError` is no boolean");
        let unknown = "its `resultType` is none that this client knows";
        check(r#"{"content":[],"resultType":"done"}"#, unknown);
        check(r#"{"content":[],"resultType":null}"#, unknown);
        assert_eq!(of(r#"{"content":[],"resultType":"input_required"}"#), Err(Failure::InputRequired));
    }

    #[test]
    fn each_kind_has_a_code_and_words_of_its_own() {
        let name = || "x".to_owned();
        let all = [
            (Failure::Tool(name()), "tool_error", "x"),
            (Failure::Protocol { code: -32602, message: name() }, "protocol_error", "x (-32602)"),
            (Failure::Silence(Duration::from_millis(7)), "silence", "did not answer within 7 ms"),
            (Failure::Gone(name()), "gone", "the server is gone: x"),
            (Failure::Unreadable(name()), "unreadable", "a line that is no message: x"),
            (Failure::Malformed(name()), "malformed", "answer is none: x"),
            (Failure::InputRequired, "input_required", "asks for more input"),
            (Failure::NotOffered(name()), "not_offered", "no tool `x` is offered"),
            (Failure::Denied(name()), "denied", "does not allow `x`"),
            (Failure::Declined(name()), "declined", "about `x` and said no"),
            (Failure::Arguments(name()), "arguments", "not run: x"),
        ];
        for (failure, code, words) in all {
            assert_eq!(failure.code(), code);
            let observation = Observation::from(failure.clone());
            assert!(observation.text.contains(words), "{}", observation.text);
            assert_eq!((observation.is_error(), observation.failure), (true, Some(failure)));
        }
    }
}
