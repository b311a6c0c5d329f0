//! What a person types, as messages: whole ones as they are, and `METHOD {params}` for short.
//!
//! Gives the bytes that go to the server. Waits between requests where nobody else keeps the pace.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Map, Value, json};

/// How long the next line waits for the answer to the one before.
const PACE: Duration = Duration::from_secs(10);

/// Lines that somebody types, read as the messages that they stand for.
pub struct Typed<R> {
    lines: R,
    /// Whether requests say themselves which revision they belong to.
    modern: bool,
    /// Told as soon as nothing waits for an answer; none where the lines come at a person's own pace.
    pace: Option<Receiver<()>>,
    /// Hears why a line is no message.
    complain: Box<dyn FnMut(&str) + Send>,
    next_id: u64,
    ready: Vec<u8>,
    asked: bool,
}

impl<R: BufRead> Typed<R> {
    /// Reads messages from lines.
    pub fn new(
        lines: R,
        modern: bool,
        pace: Option<Receiver<()>>,
        complain: impl FnMut(&str) + Send + 'static,
    ) -> Self {
        Self {
            lines,
            modern,
            pace,
            complain: Box::new(complain),
            next_id: 1,
            ready: Vec::new(),
            asked: false,
        }
    }

    /// The next message with its line feed; none at the end.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(pace) = self.pace.as_ref().filter(|_| self.asked) {
                // Without an answer in time the next line goes all the same.
                let _ = pace.recv_timeout(PACE);
            }
            self.asked = false;
            let mut line = Vec::new();
            if self.lines.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            match self.message(&line) {
                Ok(message) if message.is_empty() => {}
                Ok(message) => return Ok(Some(message)),
                Err(why) => (self.complain)(&why),
            }
        }
    }

    fn message(&mut self, line: &[u8]) -> Result<Vec<u8>, String> {
        let text = str::from_utf8(line).map_or("{", str::trim);
        if text.is_empty() || text.starts_with('#') {
            return Ok(Vec::new());
        }
        // Whole messages go as they are, and so does what is no text.
        if text.starts_with(['{', '[']) {
            let value = serde_json::from_slice::<Value>(line).unwrap_or_default();
            self.asked = value.get("id").is_some() && value.get("method").is_some();
            return Ok(line.to_vec());
        }
        let (method, params) = text.split_once(char::is_whitespace).unwrap_or((text, "{}"));
        let params: Map<String, Value> = serde_json::from_str(params)
            .map_err(|error| format!("what stands behind {method} is no object: {error}"))?;
        Ok(self.short(method, params).into_bytes())
    }

    fn short(&mut self, method: &str, mut params: Map<String, Value>) -> String {
        let notification = method.starts_with("notifications/");
        // Whoever shakes hands speaks a revision that does.
        self.modern &= method != "initialize";
        if self.modern && !notification && !params.contains_key("_meta") {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "harness", "version": env!("CARGO_PKG_VERSION")},
            });
            params.insert("_meta".to_owned(), meta);
        }
        let (method, params) = (Value::from(method), Value::from(params));
        if notification {
            return format!("{{\"jsonrpc\":\"2.0\",\"method\":{method},\"params\":{params}}}\n");
        }
        let id = self.next_id;
        self.next_id += 1;
        self.asked = true;
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{method},\"params\":{params}}}\n")
    }
}

impl<R: BufRead> Read for Typed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ready.is_empty() {
            match self.next()? {
                Some(message) => self.ready = message,
                None => return Ok(0),
            }
        }
        let count = self.ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.ready[..count]);
        self.ready.drain(..count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::sync::{Arc, Mutex};

    use super::*;

    fn typed(lines: &str, modern: bool) -> (String, Vec<String>) {
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let complain = move |why: &str| heard.lock().expect("no panic").push(why.to_owned());
        let mut text = String::new();
        Typed::new(lines.as_bytes(), modern, None, complain).read_to_string(&mut text).expect("readable");
        let said = said.lock().expect("no panic").clone();
        (text, said)
    }

    #[test]
    fn whole_messages_go_as_they_are_and_short_ones_are_filled_in() {
        let check =
            |line: &str, expect: &str| assert_eq!(typed(line, false), (expect.to_owned(), vec![]), "{line}");
        check("{ \"id\": 7 }\n", "{ \"id\": 7 }\n");
        check("[1", "[1");
        check("\n  \n# a remark\n", "");
        check("ping\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n");
        check(
            "a {\"x\":1}\nb",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"x\":1}}\n\
             {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\",\"params\":{}}\n",
        );
        check("notifications/x", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}\n");
    }

    #[test]
    fn a_short_request_says_which_revision_it_belongs_to() {
        let (text, _) = typed("tools/list\nping {\"_meta\":{}}\nnotifications/x\n", true);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].contains("\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""), "{text}");
        assert!(
            lines[1].ends_with("\"params\":{\"_meta\":{}}}") && lines[2].ends_with("\"params\":{}}"),
            "{text}"
        );
    }

    #[test]
    fn whoever_shakes_hands_says_no_revision_any_more() {
        assert!(!typed("initialize\nping\n", true).0.contains("_meta"));
    }

    #[test]
    fn what_is_no_message_is_said_and_left_out() {
        let (text, said) = typed("ping [1]\nping {\nping\n", false);
        assert_eq!((text.lines().count(), said.len()), (1, 2));
        assert!(said[0].starts_with("what stands behind ping is no object: "), "{said:?}");
    }

    #[test]
    fn what_is_no_text_goes_as_it_is_and_a_small_buffer_does() {
        let mut bytes = Vec::new();
        let mut reader = Typed::new(&b"\xff\n{}\n"[..], true, None, |_| {});
        let mut one = [0];
        while reader.read(&mut one).expect("readable") == 1 {
            bytes.extend(one);
        }
        assert_eq!(bytes, b"\xff\n{}\n");
    }

    #[test]
    fn a_request_is_waited_for_and_nothing_else() {
        let asks = |line: &[u8]| {
            let mut typed = Typed::new(&b""[..], true, None, |_| {});
            typed.message(line).expect("a message");
            typed.asked
        };
        assert!(asks(b"ping") && asks(b"{\"id\":1,\"method\":\"x\"}"));
        for line in [&b"notifications/x"[..], b"{\"id\":1}", b"{\"method\":\"x\"}", b"{", b"", b"# x"] {
            assert!(!asks(line), "{}", String::from_utf8_lossy(line));
        }
        let (answered, pace) = mpsc::channel();
        answered.send(()).expect("somebody listens");
        let mut reader = Typed::new(&b"a\nb\n"[..], false, Some(pace), |_| {});
        assert!(reader.next().expect("readable").is_some() && reader.next().expect("readable").is_some());
        assert!(
            reader.pace.as_ref().is_some_and(|pace| pace.try_recv().is_err()),
            "the answer was waited for"
        );
    }
}
