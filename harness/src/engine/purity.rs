//! What a line on stdout must be: one compact JSON-RPC 2.0 object and nothing else.
//!
//! A function of bytes. Must not know what was expected; [`super::compare`] does.

use super::json::{self, Kind, Node, OddityKind};
use super::visible::visible;
use crate::conversation::compact;

/// A request id with its type: `1` is not `"1"`, and `1.0` is neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// A number, by its digits.
    Number(String),
    /// A string, its escapes resolved.
    Text(String),
}

impl Id {
    /// The id that a value is, if it is one.
    pub fn of(node: &Node, text: &str) -> Option<Self> {
        match &node.kind {
            Kind::Number => Some(Self::Number(node.raw(text).to_owned())),
            Kind::Text(decoded) => Some(Self::Text(decoded.clone())),
            _ => None,
        }
    }

    /// Its characters without its type.
    pub fn characters(&self) -> &str {
        match self {
            Self::Number(characters) | Self::Text(characters) => characters,
        }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(digits) => f.write_str(digits),
            Self::Text(text) => write!(f, "\"{}\"", visible(text.as_bytes(), 80)),
        }
    }
}

/// Which message a message is, whatever it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A result or an error for that request; without id, an error about a message that could not be read.
    Answer(Option<Id>),
    /// A notification or a request of the server.
    Call {
        /// Its method.
        method: String,
        /// The id of a request.
        id: Option<Id>,
    },
}

/// One line that is a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The line, without its line feed.
    pub text: String,
    /// The line as a value.
    pub root: Node,
    /// Which message it is.
    pub identity: Identity,
}

/// One line that is no message, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impurity {
    /// What is wrong, and where.
    pub why: String,
    /// The bytes.
    pub line: Vec<u8>,
}

/// Reads one line of stdout, without its line feed, as the message it must be.
///
/// # Errors
/// The first rule that the line breaks: UTF-8 without a byte-order mark or a carriage return, one JSON object
/// without white space outside strings, no member twice, no half surrogate, and a JSON-RPC 2.0 answer, notification
/// or request (rules STDIO-2, STDIO-3, RPC-1, RPC-5, RPC-8, RPC-9 of MCP over stdio).
pub fn check(line: &[u8]) -> Result<Message, Impurity> {
    inspect(line).map_err(|why| Impurity { why, line: line.to_vec() })
}

/// The same with white space between the tokens let be, and one carriage return at the end: the message is then the
/// compact form of the line.
///
/// # Errors
/// As [`check`], the white space aside.
pub fn check_spaced(line: &[u8]) -> Result<Message, Impurity> {
    let bare = line.strip_suffix(b"\r").unwrap_or(line);
    let compacted = str::from_utf8(bare).ok().map(compact);
    inspect(compacted.as_deref().map_or(bare, str::as_bytes))
        .map_err(|why| Impurity { why, line: line.to_vec() })
}

fn inspect(line: &[u8]) -> Result<Message, String> {
    if line.is_empty() {
        return Err("an empty line".to_owned());
    }
    if line.starts_with(b"\xef\xbb\xbf") {
        return Err("a byte-order mark at the start of a line".to_owned());
    }
    if let Some(at) = line.iter().position(|byte| *byte == b'\r') {
        return Err(format!("a carriage return at byte {at}"));
    }
    let text = str::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to();
        let bytes: Vec<_> = line[at..].iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("not UTF-8: bytes {} at byte {at}", bytes.join(" "))
    })?;
    let document =
        json::read(text).map_err(|fault| format!("not JSON: {} at byte {}", fault.why, fault.at))?;
    if let Some(oddity) = document.oddities.first() {
        let what = match &oddity.what {
            OddityKind::Space => "white space outside a string".to_owned(),
            OddityKind::Repeated(key) => {
                format!("the member \"{}\" a second time", visible(key.as_bytes(), 80))
            }
            OddityKind::LoneSurrogate => "an escaped surrogate without its pair".to_owned(),
        };
        return Err(format!("{what} at byte {}", oddity.at));
    }
    let identity = identify(&document.root, text)?;
    Ok(Message { text: text.to_owned(), root: document.root, identity })
}

/// Which message a JSON value is.
///
/// # Errors
/// The first rule of JSON-RPC 2.0, as MCP narrows it, that the value breaks.
pub fn identify(root: &Node, text: &str) -> Result<Identity, String> {
    if !root.is_map() {
        return Err("a message is a JSON object".to_owned());
    }
    if root.get("jsonrpc").and_then(Node::text) != Some("2.0") {
        return Err("\"jsonrpc\" is not \"2.0\"".to_owned());
    }
    let id = match root.get("id") {
        None => None,
        Some(node) => Some(Id::of(node, text).ok_or("\"id\" is neither a string nor a number")?),
    };
    match (root.get("method"), root.get("result"), root.get("error")) {
        (Some(method), None, None) => call(root, method, id),
        (None, Some(result), None) if !result.is_map() => Err("\"result\" is not an object".to_owned()),
        (None, Some(_), None) if id.is_none() => Err("a result without an \"id\"".to_owned()),
        (None, Some(_), None) => Ok(Identity::Answer(id)),
        (None, None, Some(error)) => {
            check_error(error, text)?;
            Ok(Identity::Answer(id))
        }
        _ => Err("a message has exactly one of \"method\", \"result\" and \"error\"".to_owned()),
    }
}

fn call(root: &Node, method: &Node, id: Option<Id>) -> Result<Identity, String> {
    let method = method.text().ok_or("\"method\" is not a string")?.to_owned();
    match root.get("params") {
        Some(params) if !params.is_map() => Err("\"params\" is not an object".to_owned()),
        _ => Ok(Identity::Call { method, id }),
    }
}

fn check_error(error: &Node, text: &str) -> Result<(), String> {
    let integer =
        |node: &Node| matches!(node.kind, Kind::Number) && !node.raw(text).contains(['.', 'e', 'E']);
    if !error.get("code").is_some_and(integer) {
        return Err("\"error.code\" is not an integer".to_owned());
    }
    if error.get("message").and_then(Node::text).is_none() {
        return Err("\"error.message\" is not a string".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pure(line: &str, expect: Identity) {
        let message = check(line.as_bytes()).unwrap_or_else(|fault| panic!("{line}: {}", fault.why));
        assert_eq!((message.text.as_str(), message.identity), (line, expect));
    }

    fn impure(line: impl AsRef<[u8]>, expect: &str) {
        let line = line.as_ref();
        let fault = check(line).expect_err(&visible(line, 200));
        assert_eq!((fault.why.as_str(), fault.line.as_slice()), (expect, line));
    }

    #[test]
    fn white_space_may_be_let_be() {
        let bare = r#"{"jsonrpc":"2.0","id":1,"result":{"a b":[1,2]}}"#;
        for line in [bare, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"a b\": [1, 2]} }\r"] {
            assert_eq!(check_spaced(line.as_bytes()).map(|message| message.text).as_deref(), Ok(bare));
        }
        for line in ["", "\r", "hello", "\u{feff}{}", "{\"jsonrpc\": \"2.0\"}"] {
            assert!(
                check_spaced(line.as_bytes()).is_err_and(|fault| fault.line == line.as_bytes()),
                "{line}"
            );
        }
        assert!(check_spaced(b"\xff").is_err());
    }

    fn number(digits: &str) -> Option<Id> {
        Some(Id::Number(digits.to_owned()))
    }

    #[test]
    fn answers_and_calls_are_told_apart() {
        pure(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Identity::Answer(number("1")));
        pure(r#"{"id":"1","jsonrpc":"2.0","result":{}}"#, Identity::Answer(Some(Id::Text("1".to_owned()))));
        pure(
            r#"{"jsonrpc":"2.0","id":-1.5,"error":{"code":-1,"message":"a b"}}"#,
            Identity::Answer(number("-1.5")),
        );
        pure(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}"#, Identity::Answer(None));
        let call = |id| Identity::Call { method: "m".to_owned(), id };
        pure(r#"{"jsonrpc":"2.0","method":"m"}"#, call(None));
        pure(r#"{"jsonrpc":"2.0","method":"m","params":{}}"#, call(None));
        pure(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, call(number("7")));
    }

    #[test]
    fn bytes_that_are_no_line_of_json() {
        impure("", "an empty line");
        impure("\u{feff}{}", "a byte-order mark at the start of a line");
        impure("{}\r", "a carriage return at byte 2");
        impure(b"{\"a\":\"\xff\xfe\"}", "not UTF-8: bytes ff fe 22 7d at byte 6");
        impure(b"\xed\xa0\x80", "not UTF-8: bytes ed a0 80 at byte 0");
        impure("ready", "not JSON: no JSON value starts with this at byte 0");
        impure("{\"a\":1", "not JSON: the text ends inside a value at byte 6");
        impure("{\"a\": 1}", "white space outside a string at byte 5");
        impure(" {}", "white space outside a string at byte 0");
        impure(
            "{\"a\u{1b}\":1,\"a\u{1b}\":2}",
            "not JSON: a control character stands unescaped in a string at byte 3",
        );
        impure(r#"{"a":1,"a":2}"#, "the member \"a\" a second time at byte 7");
        impure(r#"{"a":"\ud800"}"#, "an escaped surrogate without its pair at byte 6");
    }

    #[test]
    fn json_that_is_no_message() {
        let exactly_one = "a message has exactly one of \"method\", \"result\" and \"error\"";
        for (line, expect) in [
            ("[]", "a message is a JSON object"),
            ("null", "a message is a JSON object"),
            ("{}", "\"jsonrpc\" is not \"2.0\""),
            (r#"{"jsonrpc":2.0,"id":1,"result":{}}"#, "\"jsonrpc\" is not \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "\"id\" is neither a string nor a number"),
            (r#"{"jsonrpc":"2.0","id":[1],"result":{}}"#, "\"id\" is neither a string nor a number"),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "\"result\" is not an object"),
            (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, "\"result\" is not an object"),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "a result without an \"id\""),
            (r#"{"jsonrpc":"2.0","id":1}"#, exactly_one),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, exactly_one),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#, exactly_one),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","error":{}}"#, exactly_one),
            (r#"{"jsonrpc":"2.0","method":1}"#, "\"method\" is not a string"),
            (r#"{"jsonrpc":"2.0","method":"m","params":[]}"#, "\"params\" is not an object"),
            (r#"{"jsonrpc":"2.0","error":{"message":""}}"#, "\"error.code\" is not an integer"),
            (r#"{"jsonrpc":"2.0","error":{"code":"1","message":""}}"#, "\"error.code\" is not an integer"),
            (r#"{"jsonrpc":"2.0","error":{"code":1.0,"message":""}}"#, "\"error.code\" is not an integer"),
            (r#"{"jsonrpc":"2.0","error":{"code":1e1,"message":""}}"#, "\"error.code\" is not an integer"),
            (r#"{"jsonrpc":"2.0","error":{"code":1}}"#, "\"error.message\" is not a string"),
            (r#"{"jsonrpc":"2.0","error":7}"#, "\"error.code\" is not an integer"),
        ] {
            impure(line, expect);
        }
    }

    #[test]
    fn an_id_shows_its_type() {
        let shown = |id: Id| (id.to_string(), id.characters().to_owned());
        assert_eq!(shown(Id::Number("3".to_owned())), ("3".to_owned(), "3".to_owned()));
        assert_eq!(shown(Id::Text("3".to_owned())), ("\"3\"".to_owned(), "3".to_owned()));
    }
}
