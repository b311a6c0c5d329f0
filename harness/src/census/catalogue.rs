//! The tools: from a text that somebody saved, or from a server that answers now.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::Duration;

use serde_json::Value;

use super::fault::{Code, Fault};
use crate::client::{Client, Definition, Eras, Settings};
use crate::engine::json::{self, Kind, Node};

/// The tools of one server, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// The tools.
    pub tools: Vec<Definition>,
    /// How the same list differs when it is asked for again; nothing where it does not, or where nobody was asked.
    pub drift: Option<Drift>,
}

/// How two lists of tools of one server differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drift {
    /// The same tools come in another order.
    Order,
    /// A tool came, went, or is defined otherwise.
    Content,
}

/// Reads a list of tools, an object with one under `tools`, or a whole answer to `tools/list`.
///
/// # Errors
/// [`Code::BadTools`].
pub fn read(text: &str) -> Result<Catalogue, Fault> {
    let bad = |why: String| Fault::new(Code::BadTools, why);
    let document =
        json::read(text).map_err(|fault| bad(format!("no JSON at byte {}: {}", fault.at, fault.why)))?;
    let root = document.root.get("result").unwrap_or(&document.root);
    let list: &Node = root.get("tools").unwrap_or(root);
    let Kind::List(items) = &list.kind else { return Err(bad("it holds no list of tools".to_owned())) };
    let mut names = BTreeSet::new();
    let mut tools = Vec::new();
    for item in items {
        let tool = Definition::read(item.raw(text)).map_err(|why| bad(why.to_string()))?;
        if !names.insert(tool.name.clone()) {
            return Err(bad(format!("the tool `{}` stands twice", tool.name)));
        }
        tools.push(tool);
    }
    Ok(Catalogue { tools, drift: None })
}

/// Asks a server for its tools: twice, and once more another process of the same command.
///
/// # Errors
/// [`Code::NoServer`].
pub fn ask(command: &[OsString], limit: Duration) -> Result<Catalogue, Fault> {
    let mut lists = Vec::new();
    for times in [2, 1] {
        let settings = Settings { eras: Eras::Either, limit, ..Settings::default() };
        let failed = |fault: crate::client::DiscoveryFault| Fault::new(Code::NoServer, fault.to_string());
        let mut client = Client::discover(command, settings).map_err(failed)?;
        for _ in 0..times {
            lists.push(client.definitions().map_err(failed)?);
        }
        client.close();
    }
    let drift =
        lists.iter().skip(1).filter_map(|other| drift(&lists[0], other)).max_by_key(|drift| *drift as u8);
    Ok(Catalogue { tools: lists.swap_remove(0), drift })
}

fn drift(one: &[Definition], other: &[Definition]) -> Option<Drift> {
    let texts = |list: &[Definition]| list.iter().map(|tool| tool.raw.clone()).collect::<Vec<_>>();
    let (mut one, mut other) = (texts(one), texts(other));
    if one == other {
        return None;
    }
    one.sort();
    other.sort();
    Some(if one == other { Drift::Order } else { Drift::Content })
}

/// The schema of one of a tool's arguments, where it takes an argument of this name.
pub(super) fn argument<'t>(tool: &'t Definition, name: &str) -> Option<&'t Value> {
    tool.value.get("inputSchema")?.get("properties")?.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raws(catalogue: &Catalogue) -> Vec<&str> {
        catalogue.tools.iter().map(|tool| tool.raw.as_str()).collect()
    }

    #[test]
    fn tools_are_read_from_a_list_or_an_answer() {
        for text in [
            r#"[{"name": "b"},{"name":"a","n":1.0}]"#,
            r#"{"tools":[{"name":"b" },{"name":"a","n":1.0}]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b"},{"name":"a","n":1.0}]}}"#,
        ] {
            let read = read(text).unwrap_or_else(|fault| panic!("{fault}"));
            assert_eq!(raws(&read), [r#"{"name":"b"}"#, r#"{"name":"a","n":1.0}"#], "{text}");
            assert_eq!(read.drift, None);
        }
    }

    #[test]
    fn what_is_no_list_of_tools_says_why() {
        let check = |text: &str, expect: &str| {
            assert_eq!(
                read(text).map_err(|fault| fault.to_string()),
                Err(format!("bad_tools: {expect}")),
                "{text}"
            );
        };
        check("", "no JSON at byte 0: the text ends inside a value");
        check("{}", "it holds no list of tools");
        check(r#"{"tools":{}}"#, "it holds no list of tools");
        check("[1]", "a tool has no name");
        check(r#"[{"name":"a"},{"name":"a"}]"#, "the tool `a` stands twice");
    }

    #[test]
    fn an_argument_is_a_property() {
        let tool = Definition::read(r#"{"name":"a","inputSchema":{"properties":{"x":{"enum":[1]}}}}"#)
            .expect("a tool");
        assert_eq!(argument(&tool, "x"), Some(&serde_json::json!({"enum": [1]})));
        assert_eq!(argument(&tool, "y"), None);
        let bare = Definition::read(r#"{"name":"a"}"#).expect("a tool");
        assert_eq!(argument(&bare, "x"), None);
    }

    /// A server whose lists are these, the first twice in its first process; a list says `N` for its request's id.
    fn server(folder: &std::path::Path, lists: [&str; 3]) -> Vec<OsString> {
        let discovered =
            r#"{"id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;
        let list = |id: u8, tools: &str| {
            format!("printf '%s\\n' '{{\"id\":{id},\"result\":{{\"tools\":[{tools}]}}}}'")
        };
        let [first, second, third] = lists;
        let script = format!(
            "cd '{}'; read -r l; printf '%s\\n' '{discovered}'; read -r l; \
             if mkdir once 2>/dev/null; then {}; read -r l; {}; else {}; fi; cat >/dev/null",
            folder.display(),
            list(2, first),
            list(3, second),
            list(2, third),
        );
        ["/bin/sh", "-c", &script].map(OsString::from).to_vec()
    }

    #[test]
    fn a_server_is_asked_again_and_another_process_too() {
        let (a, b, c) = (r#"{"name":"a"}"#, r#"{"name":"b"}"#, r#"{"name":"c"}"#);
        let (ab, ba, ac) = (format!("{a},{b}"), format!("{b},{a}"), format!("{a},{c}"));
        let check = |lists: [&str; 3], expect: Option<Drift>| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let catalogue = ask(&server(folder.path(), lists), Duration::from_secs(20));
            let catalogue = catalogue.unwrap_or_else(|fault| panic!("{fault}"));
            assert_eq!((raws(&catalogue), catalogue.drift), (vec![a, b], expect), "{lists:?}");
        };
        check([&ab, &ab, &ab], None);
        check([&ab, &ba, &ab], Some(Drift::Order));
        check([&ab, &ab, &ba], Some(Drift::Order));
        check([&ab, &ac, &ba], Some(Drift::Content));
        check([&ab, &ba, &ac], Some(Drift::Content));
        check([&ab, a, &ab], Some(Drift::Content));
    }

    #[test]
    fn a_server_that_is_none_says_why() {
        let fault = ask(&["/nowhere/server".into()], Duration::from_secs(1)).expect_err("no server");
        assert!(fault.to_string().starts_with("no_server: the server does not start: "), "{fault}");
        let command = ["/bin/sh", "-c", "exit 3"].map(OsString::from);
        let fault = ask(&command, Duration::from_secs(20)).expect_err("no server");
        assert_eq!(fault.to_string(), "no_server: initialize: the server is gone: exit 3");
    }
}
