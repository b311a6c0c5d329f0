//! A server that was discovered: its tools as it publishes them, and calls.
//!
//! Knows both revisions of the protocol. Must not judge a tool: [`super::offer`] and [`super::policy`] do.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::discovery::DiscoveryFault;
use super::observation::{self, Failure, Observation};
use super::offer::Definition;
use super::wire::{Answer, Connection, Trace};
use crate::conversation::escape;
use crate::engine::json::{self, Kind, Node};

/// The revision that needs no greeting.
const MODERN: &str = "2026-07-28";

/// The revisions that greet, the newest first; they differ in nothing that this client uses.
const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// More pages than any list has.
const PAGES: usize = 100;

/// The code for a version that a server does not speak.
const UNSUPPORTED_VERSION: i64 = -32022;

/// Which revision a server is spoken to in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28: every request stands for itself.
    Modern,
    /// 2025-11-25 and before: a greeting first.
    Legacy,
}

/// Which revisions a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eras {
    /// 2026-07-28 and no other.
    Modern,
    /// A server that does not understand it is started once more and greeted.
    Either,
}

/// How a client presents itself, and how long it waits.
pub struct Settings {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How long each answer may take.
    pub limit: Duration,
    /// Which revisions it speaks.
    pub eras: Eras,
    /// Sees what travels.
    pub trace: Option<Trace>,
}

impl Default for Settings {
    /// The harness, thirty seconds, the newest revision, nobody watching.
    fn default() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            limit: Duration::from_secs(30),
            eras: Eras::Modern,
            trace: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("name", &self.name)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// A running server that speaks our protocol and says that it has tools. Dropping it ends the server.
pub struct Client {
    connection: Connection,
    era: Era,
    /// The `_meta` that every modern request carries.
    meta: String,
}

impl Client {
    /// Starts a server and asks it what it speaks.
    ///
    /// # Errors
    /// [`DiscoveryFault`].
    pub fn discover(command: &[OsString], settings: Settings) -> Result<Self, DiscoveryFault> {
        let Settings { name, version, limit, eras, trace } = settings;
        let info = format!(r#"{{"name":"{}","version":"{}"}}"#, escape(&name), escape(&version));
        let mut client = Self {
            connection: open(command, limit, trace)?,
            era: Era::Modern,
            meta: format!(
                r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{MODERN}","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{info}}}"#
            ),
        };
        match (client.discover_modern(), eras) {
            (Err(DiscoveryFault::Unanswered { .. }), Eras::Either) => {}
            (result, _) => return result.map(|()| client),
        }
        // Some servers of the older revisions break at what they do not know, so another process is greeted.
        let trace = client.connection.take_trace();
        client.connection = open(command, limit, trace)?;
        client.era = Era::Legacy;
        client.greet(&info)?;
        Ok(client)
    }

    /// Which revision the server is spoken to in.
    #[must_use]
    pub fn era(&self) -> Era {
        self.era
    }

    /// How long the next answers may take.
    pub fn set_limit(&mut self, limit: Duration) {
        self.connection.set_limit(limit);
    }

    /// The tools as the server publishes them, every page, in its order.
    ///
    /// # Errors
    /// [`DiscoveryFault`]: no list, a name twice, no last page.
    pub fn definitions(&mut self) -> Result<Vec<Definition>, DiscoveryFault> {
        let mut definitions: Vec<Definition> = Vec::new();
        let mut names = BTreeSet::new();
        let mut cursor = None;
        for _ in 0..PAGES {
            let members = cursor
                .map_or_else(String::new, |cursor: String| format!(r#""cursor":"{}""#, escape(&cursor)));
            let answer = self.ask("tools/list", &members)?;
            for definition in page(&answer.line)? {
                if !names.insert(definition.name.clone()) {
                    return Err(DiscoveryFault::Repeated(definition.name));
                }
                definitions.push(definition);
            }
            match answer.result.get("nextCursor") {
                None | Some(Value::Null) => return Ok(definitions),
                Some(Value::String(next)) => cursor = Some(next.clone()),
                Some(_) => return Err(DiscoveryFault::NoList("its `nextCursor` is no text".to_owned())),
            }
        }
        Err(DiscoveryFault::NoList(format!("it has more than {PAGES} pages")))
    }

    /// Calls a tool; nothing is checked before.
    ///
    /// # Errors
    /// [`Failure`], however the call failed.
    pub fn call(&mut self, name: &str, arguments: &Value) -> Result<Observation, Failure> {
        let members = format!(r#""name":"{}","arguments":{arguments}"#, escape(name));
        observation::read(&self.request("tools/call", &members)?.result)
    }

    /// Ends the server by the end of its input, and by force where it does not go.
    pub fn close(self) {
        self.connection.close();
    }

    /// A request with these members in its parameters, and what the revision wants there.
    fn request(&mut self, method: &str, members: &str) -> Result<Answer, Failure> {
        let meta = if self.era == Era::Modern { self.meta.as_str() } else { "" };
        let comma = if meta.is_empty() || members.is_empty() { "" } else { "," };
        self.connection.request(method, &format!("{{{meta}{comma}{members}}}"))
    }

    fn ask(&mut self, method: &'static str, members: &str) -> Result<Answer, DiscoveryFault> {
        self.request(method, members).map_err(|failure| DiscoveryFault::Unanswered { method, failure })
    }

    fn discover_modern(&mut self) -> Result<(), DiscoveryFault> {
        let result = match self.ask("server/discover", "") {
            Ok(answer) => answer.result,
            Err(DiscoveryFault::Unanswered {
                failure: Failure::Protocol { code: UNSUPPORTED_VERSION, .. },
                ..
            }) => {
                return Err(DiscoveryFault::NoCommonVersion(Vec::new()));
            }
            Err(fault) => return Err(fault),
        };
        let versions =
            result.get("supportedVersions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let versions: Vec<_> = versions.iter().filter_map(Value::as_str).collect();
        if !versions.contains(&MODERN) {
            return Err(DiscoveryFault::NoCommonVersion(versions.into_iter().map(str::to_owned).collect()));
        }
        has_tools(&result)
    }

    fn greet(&mut self, info: &str) -> Result<(), DiscoveryFault> {
        let members = format!(r#""protocolVersion":"{}","capabilities":{{}},"clientInfo":{info}"#, LEGACY[0]);
        let result = self.ask("initialize", &members)?.result;
        let version = result.get("protocolVersion").and_then(Value::as_str);
        if !version.is_some_and(|version| LEGACY.contains(&version)) {
            return Err(DiscoveryFault::NoCommonVersion(version.into_iter().map(str::to_owned).collect()));
        }
        has_tools(&result)?;
        self.connection.notify("notifications/initialized", "{}");
        Ok(())
    }
}

fn open(command: &[OsString], limit: Duration, trace: Option<Trace>) -> Result<Connection, DiscoveryFault> {
    Connection::open(command, limit, trace).map_err(|error| DiscoveryFault::NotStarted(error.to_string()))
}

fn has_tools(result: &Value) -> Result<(), DiscoveryFault> {
    let tools = result.get("capabilities").and_then(|capabilities| capabilities.get("tools"));
    if tools.is_some_and(Value::is_object) { Ok(()) } else { Err(DiscoveryFault::NoTools) }
}

/// The definitions of one page, with the very text of each.
fn page(line: &str) -> Result<Vec<Definition>, DiscoveryFault> {
    let document = json::read(line).map_err(|fault| DiscoveryFault::NoList(fault.why.to_owned()))?;
    match document.root.get("result").and_then(|result| result.get("tools")).map(|tools: &Node| &tools.kind) {
        Some(Kind::List(tools)) => tools
            .iter()
            .map(|tool| {
                Definition::read(tool.raw(line)).map_err(|why| DiscoveryFault::NoList(why.to_string()))
            })
            .collect(),
        _ => Err(DiscoveryFault::NoList("its answer holds no list `tools`".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server of shell: for a line that holds the first text, it prints the second.
    fn server(answers: &[(&str, &str)]) -> Vec<OsString> {
        let cases: String = answers
            .iter()
            .map(|(asked, answer)| format!("*'{asked}'*) printf '%s\\n' '{answer}' ;;\n"))
            .collect();
        let script = format!("while IFS= read -r line; do case $line in\n{cases}esac; done");
        ["/bin/sh", "-c", &script].map(OsString::from).to_vec()
    }

    const MODERN_ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;
    const DISCOVER: &str = r#""method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"harness","#;

    fn discover(answers: &[(&str, &str)], eras: Eras) -> Result<Client, DiscoveryFault> {
        let limit = Duration::from_secs(20);
        Client::discover(&server(answers), Settings { eras, limit, ..Settings::default() })
    }

    fn fault(answers: &[(&str, &str)], eras: Eras) -> DiscoveryFault {
        match discover(answers, eras) {
            Ok(_) => panic!("{answers:?}"),
            Err(fault) => fault,
        }
    }

    #[test]
    fn a_server_of_today_is_discovered() {
        for eras in [Eras::Modern, Eras::Either] {
            let client = discover(&[(DISCOVER, MODERN_ANSWER)], eras);
            assert_eq!(client.map(|client| client.era()).map_err(|fault| fault.to_string()), Ok(Era::Modern));
        }
    }

    #[test]
    fn a_server_that_speaks_something_else_says_what() {
        let check = |answer: &str, expect: DiscoveryFault| {
            assert_eq!(fault(&[("discover", answer)], Eras::Either), expect, "{answer}");
        };
        let versions = |versions: &[&str]| {
            DiscoveryFault::NoCommonVersion(versions.iter().map(|version| (*version).to_owned()).collect())
        };
        check(&MODERN_ANSWER.replace("2026-07-28", "2027-01-01"), versions(&["2027-01-01"]));
        check(&MODERN_ANSWER.replace("supportedVersions", "versions"), versions(&[]));
        check(&MODERN_ANSWER.replace("{\"tools\":{}}", "{}"), DiscoveryFault::NoTools);
        check(&MODERN_ANSWER.replace("{\"tools\":{}}", "{\"tools\":true}"), DiscoveryFault::NoTools);
        check(r#"{"id":1,"error":{"code":-32022,"message":"no"}}"#, versions(&[]));
    }

    const REFUSED: (&str, &str) = ("discover", r#"{"id":1,"error":{"code":-32601,"message":"no"}}"#);
    const GREETING: &str =
        r#""method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"#;
    const GREETED: &str = r#"{"id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}"#;

    #[test]
    fn an_older_server_is_greeted_if_the_host_wants_that() {
        let failure = Failure::Protocol { code: -32601, message: "no".to_owned() };
        let refused = DiscoveryFault::Unanswered { method: "server/discover", failure };
        assert_eq!(fault(&[REFUSED, (GREETING, GREETED)], Eras::Modern), refused);
        let list = r#"{"id":2,"result":{"tools":[]}}"#;
        let asked = r#""method":"tools/list","params":{}}"#;
        let mut client = discover(&[REFUSED, (GREETING, GREETED), (asked, list)], Eras::Either)
            .unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!((client.era(), client.definitions()), (Era::Legacy, Ok(Vec::new())));
        let other = GREETED.replace("2025-06-18", "1999-01-01");
        assert_eq!(
            fault(&[REFUSED, (GREETING, &other)], Eras::Either),
            DiscoveryFault::NoCommonVersion(vec!["1999-01-01".to_owned()])
        );
        let bare = GREETED.replace("{\"tools\":{}}", "{}");
        assert_eq!(fault(&[REFUSED, (GREETING, &bare)], Eras::Either), DiscoveryFault::NoTools);
    }

    #[test]
    fn an_older_server_that_dies_of_the_new_question_is_started_again() {
        let script = format!(
            "while IFS= read -r line; do case $line in *discover*) exit 1;; *initialize*) printf '%s\\n' '{GREETED}';; esac; done"
        );
        let command = ["/bin/sh", "-c", &script].map(OsString::from);
        let settings =
            || Settings { eras: Eras::Either, limit: Duration::from_secs(20), ..Settings::default() };
        let client = Client::discover(&command, settings()).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(client.era(), Era::Legacy);
        let nowhere = Client::discover(&["/nowhere/server".into()], settings());
        assert!(matches!(nowhere, Err(DiscoveryFault::NotStarted(_))));
    }

    fn listed(answers: &[(&str, &str)]) -> Result<Vec<String>, DiscoveryFault> {
        let mut all = vec![(DISCOVER, MODERN_ANSWER)];
        all.extend_from_slice(answers);
        let mut client = discover(&all, Eras::Modern)?;
        client.definitions().map(|tools| tools.into_iter().map(|tool| tool.raw).collect())
    }

    #[test]
    fn a_list_has_pages_and_keeps_its_order_and_its_text() {
        let first = r#"{"id":2,"result":{"tools":[{ "name": "b", "n": 1.0 }],"nextCursor":"\"x"}}"#;
        let second = r#"{"id":3,"result":{"tools":[{"name":"a"}],"nextCursor":null}}"#;
        let listed = listed(&[(r#"}},"cursor":"\"x"}}"#, second), ("tools/list", first)]);
        assert_eq!(listed, Ok(vec![r#"{"name":"b","n":1.0}"#.to_owned(), r#"{"name":"a"}"#.to_owned()]));
    }

    #[test]
    fn a_list_that_is_none_says_why() {
        let check = |result: &str, expect: DiscoveryFault| {
            let answer = format!(r#"{{"id":2,"result":{result}}}"#);
            assert_eq!(listed(&[("tools/list", &answer)]), Err(expect), "{result}");
        };
        let no_list = |why: &str| DiscoveryFault::NoList(why.to_owned());
        check("{}", no_list("its answer holds no list `tools`"));
        check(r#"{"tools":{}}"#, no_list("its answer holds no list `tools`"));
        check(r#"{"tools":[{}]}"#, no_list("a tool has no name"));
        check(r#"{"tools":[],"nextCursor":1}"#, no_list("its `nextCursor` is no text"));
        check(r#"{"tools":[{"name":"a"},{"name":"a"}]}"#, DiscoveryFault::Repeated("a".to_owned()));
    }

    #[test]
    fn a_list_without_end_ends() {
        let answer = MODERN_ANSWER
            .replace("\"id\":1", "\"id\":%s")
            .replace("\"capabilities\"", "\"tools\":[],\"nextCursor\":\"\",\"capabilities\"");
        let script = format!("n=0; while IFS= read -r line; do n=$((n+1)); printf '{answer}\\n' $n; done");
        let command = ["/bin/sh", "-c", &script].map(OsString::from);
        let settings = Settings { limit: Duration::from_secs(20), ..Settings::default() };
        let mut client = Client::discover(&command, settings).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(
            client.definitions(),
            Err(DiscoveryFault::NoList("it has more than 100 pages".to_owned()))
        );
    }

    #[test]
    fn a_client_waits_as_long_as_it_was_told_last() {
        let mut client =
            discover(&[(DISCOVER, MODERN_ANSWER)], Eras::Modern).unwrap_or_else(|fault| panic!("{fault}"));
        let limit = Duration::from_millis(1);
        client.set_limit(limit);
        assert_eq!(client.call("x", &Value::Null), Err(Failure::Silence(limit)));
    }

    #[test]
    fn settings_are_shown_without_their_trace() {
        assert_eq!(format!("{:?}", Settings::default()), "Settings { name: \"harness\", limit: 30s, .. }");
    }
}
