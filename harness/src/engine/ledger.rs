//! What was asked: every request that went out, and whether it is still to be answered.
//!
//! Owns the question "whose answer is this?" at the moment a message arrives. Must not judge; [`super::expect`] does.

use super::json;
use super::lines::Lines;
use super::purity::Id;

/// Every request that was sent, in order.
#[derive(Debug)]
pub struct Ledger {
    requests: Vec<Request>,
    lines: Lines,
}

/// One request.
#[derive(Debug)]
struct Request {
    id: Id,
    tool: Option<String>,
    /// `initialize`, which no cancellation reaches.
    handshake: bool,
    state: State,
}

#[derive(Debug, PartialEq)]
enum State {
    Pending,
    Cancelled,
    Answered,
}

/// What an answer's id stood for when the answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A request that waited for it; its place in the ledger.
    Due(usize),
    /// A request that had been cancelled.
    Cancelled(usize),
    /// A request that already had its answer.
    Again(usize),
    /// No request had gone out with this id.
    Unasked,
}

impl Ledger {
    /// A ledger without requests.
    pub fn new() -> Self {
        Self { requests: Vec::new(), lines: Lines::new(usize::MAX) }
    }

    /// Takes note of bytes that went to the server; what is no line yet waits for the rest.
    pub fn sent(&mut self, bytes: &[u8]) {
        let mut lines = Vec::new();
        // No line is too long for a limit of all there is.
        let _ = self.lines.feed(bytes, &mut lines);
        for line in lines {
            self.note(&line);
        }
    }

    /// Takes note that nothing more comes: an unfinished line stands as it is.
    pub fn closed(&mut self) {
        let rest = self.lines.partial().to_vec();
        self.note(&rest);
    }

    fn note(&mut self, line: &[u8]) {
        let Ok(text) = str::from_utf8(line) else { return };
        let text = text.trim_start_matches('\u{feff}');
        let Ok(document) = json::read(text) else { return };
        let root = document.root;
        let method = root.get("method").and_then(json::Node::text);
        let param = |name: &str| root.get("params").and_then(|params| params.get(name));
        // With an id it is a request for a method that does not exist.
        if method == Some("notifications/cancelled") && root.get("id").is_none() {
            if let Some(id) = param("requestId").and_then(|node| Id::of(node, text)) {
                self.cancel(&id);
            }
            return;
        }
        // Without a method it may be a request gone wrong, which has an answer too; a client's own answer has none.
        let answers = method.is_none() && (root.get("result").is_some() || root.get("error").is_some());
        if let Some(id) = root.get("id").and_then(|node| Id::of(node, text)).filter(|_| !answers) {
            let named = param("name").and_then(json::Node::text).map(str::to_owned);
            let tool = named.filter(|_| method == Some("tools/call"));
            let handshake = method == Some("initialize");
            self.requests.push(Request { id, tool, handshake, state: State::Pending });
        }
    }

    fn cancel(&mut self, id: &Id) {
        let pending = |request: &&mut Request| {
            request.id == *id && request.state == State::Pending && !request.handshake
        };
        if let Some(request) = self.requests.iter_mut().find(pending) {
            request.state = State::Cancelled;
        }
    }

    /// How many requests went out by now; they are numbered from 0.
    pub fn count(&self) -> usize {
        self.requests.len()
    }

    /// Takes note that an answer with this id arrived, and says what the id stood for.
    ///
    /// Of several requests with one id the earliest unanswered one counts.
    pub fn arrived(&mut self, id: &Id) -> Standing {
        let at = |state: State| self.requests.iter().position(|r| r.id == *id && r.state == state);
        let due = at(State::Pending);
        let standing = due
            .map(Standing::Due)
            .or_else(|| at(State::Cancelled).map(Standing::Cancelled))
            .or_else(|| at(State::Answered).map(Standing::Again))
            .unwrap_or(Standing::Unasked);
        if let Standing::Due(index) | Standing::Cancelled(index) = standing {
            self.requests[index].state = State::Answered;
        }
        standing
    }

    /// Whether a request with this id went out by now.
    pub fn asked(&self, id: &Id) -> bool {
        self.requests.iter().any(|request| request.id == *id)
    }

    /// The tool that a request calls.
    pub fn tool(&self, index: usize) -> Option<&str> {
        self.requests.get(index).and_then(|request| request.tool.as_deref())
    }

    /// The ids that still wait for an answer, in the order they were sent.
    pub fn pending(&self) -> Vec<&Id> {
        self.requests.iter().filter(|r| r.state == State::Pending).map(|request| &request.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digits: &str) -> Id {
        Id::Number(digits.to_owned())
    }

    fn ledger(lines: &[&str]) -> Ledger {
        let mut ledger = Ledger::new();
        for line in lines {
            ledger.sent(format!("{line}\n").as_bytes());
        }
        ledger
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"eco"}}"#;

    #[test]
    fn an_answer_is_due_once() {
        let mut ledger = ledger(&[CALL]);
        assert_eq!((ledger.tool(0), ledger.tool(1)), (Some("eco"), None));
        assert_eq!((ledger.pending(), ledger.count()), (vec![&id("1")], 1));
        assert_eq!(ledger.arrived(&Id::Text("1".to_owned())), Standing::Unasked);
        assert_eq!(ledger.arrived(&id("1")), Standing::Due(0));
        assert_eq!(ledger.pending(), Vec::<&Id>::new());
        assert_eq!(ledger.arrived(&id("1")), Standing::Again(0));
        assert_eq!(ledger.arrived(&id("2")), Standing::Unasked);
        assert!(ledger.asked(&id("1")) && !ledger.asked(&id("2")));
    }

    #[test]
    fn an_id_may_be_used_again() {
        let mut ledger = ledger(&[CALL]);
        assert_eq!(ledger.arrived(&id("1")), Standing::Due(0));
        ledger.sent(b"{\"id\":1,\"method\":\"ping\",\"params\":{\"name\":\"x\"}}\n");
        assert_eq!(ledger.arrived(&id("1")), Standing::Due(1));
        assert_eq!(ledger.tool(1), None);
    }

    #[test]
    fn a_cancelled_request_is_told_apart() {
        let cancel = |id: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
        };
        let mut ledger = ledger(&[CALL, &cancel("\"1\""), &cancel("2")]);
        assert_eq!(ledger.pending(), [&id("1")]);
        ledger.sent(format!("{}\n", cancel("1")).as_bytes());
        assert_eq!(ledger.pending(), Vec::<&Id>::new());
        assert_eq!(ledger.arrived(&id("1")), Standing::Cancelled(0));
        assert_eq!(ledger.arrived(&id("1")), Standing::Again(0));
        assert!(!ledger.asked(&id("2")));
    }

    #[test]
    fn what_is_no_cancellation_cancels_nothing() {
        let handshake = r#"{"id":1,"method":"initialize"}"#;
        let mut ledger =
            ledger(&[handshake, r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#]);
        assert_eq!(ledger.arrived(&id("1")), Standing::Due(0));
        ledger.sent(b"{\"id\":2,\"method\":\"a\"}\n");
        ledger.sent(b"{\"id\":3,\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n");
        assert_eq!(ledger.pending(), [&id("2"), &id("3")]);
    }

    #[test]
    fn a_cancellation_after_the_answer_changes_nothing() {
        let mut ledger = ledger(&[CALL]);
        ledger.arrived(&id("1"));
        ledger.sent(b"{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
        assert_eq!(ledger.arrived(&id("1")), Standing::Again(0));
    }

    #[test]
    fn an_answer_of_the_client_is_no_request() {
        let answers =
            [r#"{"id":1,"result":{}}"#, r#"{"id":1,"error":{}}"#, r#"{"id":2,"method":"m","result":{}}"#];
        assert_eq!(ledger(&answers).pending(), [&id("2")]);
        assert_eq!(ledger(&[r#"{"id":1}"#]).pending(), [&id("1")]);
    }

    #[test]
    fn lines_are_read_as_a_server_would() {
        let mut ledger = Ledger::new();
        ledger.sent(b"{\"id\":1,\"met");
        assert_eq!(ledger.pending().len(), 0);
        ledger.sent(b"hod\":\"a\"}\r\n\n\xff\xfe\nno json\n[{\"id\":9}]\n{\"method\":\"n\"}\n");
        ledger.sent("\u{feff}{\"id\":\"b\"}\n".as_bytes());
        ledger.sent(br#"{"id":3,"method":"c"}"#);
        assert_eq!(ledger.pending(), [&id("1"), &Id::Text("b".to_owned())]);
        ledger.closed();
        assert_eq!(ledger.pending(), [&id("1"), &Id::Text("b".to_owned()), &id("3")]);
    }
}
