//! What happened between a client and a server, line by line: messages, closings, signals, the end.
//!
//! Reads bytes as they passed and says whose answer each message is. Must not decide how a conversation writes it down;
//! [`super::written`] does.

use std::ops::Range;
use std::time::Duration;

use super::relay::Event;
use crate::conversation::Signal;
use crate::engine::ledger::{Ledger, Standing};
use crate::engine::lines::Lines;
use crate::engine::purity::{self, Identity, Message};
use crate::engine::{Ending, visible};

/// How many bytes of a line that is no message are shown.
const SHOWN: usize = 400;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The client sent a line with its line feed, or at the end of its output what was left of one.
    Sent {
        /// Its bytes.
        bytes: Vec<u8>,
        /// The requests that it made, by their numbers.
        requests: Range<usize>,
    },
    /// The server said a message.
    Said {
        /// The message, without white space between its tokens.
        message: String,
        /// The request that it answers.
        answers: Option<usize>,
        /// Whether that request had been cancelled.
        cancelled: bool,
    },
    /// The server wrote a line that is no message.
    Noise {
        /// The line, safe to show.
        line: String,
        /// What is wrong with it.
        why: String,
    },
    /// The server wrote a line on stderr.
    Complained(String),
    /// The client closed the server's input.
    Closed,
    /// The client closed the server's output.
    HungUp,
    /// The client sent the server a signal.
    Signal(Signal),
    /// The server ended.
    Ended(Ending),
}

/// Everything that happened so far.
pub struct Transcript {
    client: Lines,
    server: Lines,
    people: Lines,
    ledger: Ledger,
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// Whether the server sets white space between the tokens of its messages.
    pub spaced: bool,
    /// The longest that the client waited for a message of the server.
    pub longest_wait: Duration,
    last: Duration,
    over: bool,
}

impl Default for Transcript {
    /// Nothing happened yet.
    fn default() -> Self {
        let endless = || Lines::new(usize::MAX);
        Self {
            client: endless(),
            server: endless(),
            people: endless(),
            ledger: Ledger::new(),
            entries: Vec::new(),
            spaced: false,
            longest_wait: Duration::ZERO,
            last: Duration::ZERO,
            over: false,
        }
    }
}

impl Transcript {
    /// Takes note of an event, `at` this time since the start.
    ///
    /// What a client does once the server has ended reaches nobody and is left out.
    pub fn take(&mut self, event: &Event, at: Duration) {
        match event {
            Event::Sent(bytes) if !self.over => {
                self.last = at;
                let lines = fed(&mut self.client, bytes);
                lines.into_iter().for_each(|line| self.sent(&[&line, &b"\n"[..]].concat()));
            }
            Event::Closed if !self.over => {
                let rest = self.client.partial().to_vec();
                if !rest.is_empty() {
                    self.sent(&rest);
                }
                self.ledger.closed();
                self.entries.push(Entry::Closed);
            }
            Event::Said(bytes) => {
                let lines = fed(&mut self.server, bytes);
                lines.into_iter().for_each(|line| self.said(&line, at));
            }
            Event::Silent => {
                let rest = self.server.partial().to_vec();
                if !rest.is_empty() {
                    let why = "the output ends inside a line, without its line feed".to_owned();
                    self.entries.push(Entry::Noise { line: visible(&rest, SHOWN), why });
                }
            }
            Event::HungUp => self.entries.push(Entry::HungUp),
            Event::Complained(bytes) => {
                let lines = fed(&mut self.people, bytes);
                let lines = lines.iter().map(|line| String::from_utf8_lossy(line).into_owned());
                self.entries.extend(lines.map(Entry::Complained));
            }
            Event::Quiet => {
                let rest = String::from_utf8_lossy(self.people.partial()).into_owned();
                self.entries.extend((!rest.is_empty()).then_some(Entry::Complained(rest)));
            }
            Event::Signal(number) if !self.over => {
                let signal = Signal::ALL.into_iter().find(|signal| signal.number() == *number);
                self.entries.extend(signal.map(Entry::Signal));
            }
            Event::Ended => self.over = true,
            Event::Sent(_) | Event::Closed | Event::Signal(_) => {}
        }
    }

    /// Takes note of how the server ended: nothing happens behind it.
    pub fn end(&mut self, ending: Ending) {
        self.entries.push(Entry::Ended(ending));
    }

    /// Whether some request still waits for its answer.
    pub fn waits(&self) -> bool {
        !self.ledger.pending().is_empty()
    }

    fn sent(&mut self, bytes: &[u8]) {
        let first = self.ledger.count();
        self.ledger.sent(bytes);
        self.entries.push(Entry::Sent { bytes: bytes.to_vec(), requests: first..self.ledger.count() });
    }

    fn said(&mut self, line: &[u8], at: Duration) {
        let read = purity::check(line).or_else(|strict| match purity::check_spaced(line) {
            Ok(message) => {
                self.spaced = true;
                Ok(message)
            }
            Err(_) => Err(strict),
        });
        let entry = match read {
            Ok(message) => {
                self.longest_wait = self.longest_wait.max(at.saturating_sub(self.last));
                self.last = at;
                self.message(message)
            }
            Err(impurity) => Entry::Noise { line: visible(&impurity.line, SHOWN), why: impurity.why },
        };
        self.entries.push(entry);
    }

    fn message(&mut self, message: Message) -> Entry {
        let standing = match &message.identity {
            Identity::Answer(Some(id)) => Some(self.ledger.arrived(id)),
            _ => None,
        };
        let (answers, cancelled) = match standing {
            Some(Standing::Due(request)) => (Some(request), false),
            Some(Standing::Cancelled(request)) => (Some(request), true),
            _ => (None, false),
        };
        Entry::Said { message: message.text, answers, cancelled }
    }
}

fn fed(lines: &mut Lines, bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    // No line is too long for a limit of all there is.
    let _ = lines.feed(bytes, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#;
    const CANCEL: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    const TOLD: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

    fn transcript(events: &[Event]) -> Transcript {
        let mut transcript = Transcript::default();
        for (at, event) in events.iter().enumerate() {
            transcript.take(event, Duration::from_millis(at as u64));
        }
        transcript
    }

    fn sent(text: &str) -> Event {
        Event::Sent(text.as_bytes().to_vec())
    }

    fn said(text: &str) -> Event {
        Event::Said(text.as_bytes().to_vec())
    }

    fn line(text: &str, requests: Range<usize>) -> Entry {
        Entry::Sent { bytes: text.as_bytes().to_vec(), requests }
    }

    fn answer(answers: Option<usize>, cancelled: bool) -> Entry {
        Entry::Said { message: TOLD.to_owned(), answers, cancelled }
    }

    #[test]
    fn lines_are_taken_whole_wherever_chunks_end() {
        let events = [
            sent(&ONE[..9]),
            sent(&format!("{}\n\n{{", &ONE[9..])),
            said(&format!("{TOLD}\n")),
            Event::Closed,
        ];
        let expect = [
            line(&format!("{ONE}\n"), 0..1),
            line("\n", 1..1),
            answer(Some(0), false),
            line("{", 1..1),
            Entry::Closed,
        ];
        let found = transcript(&events);
        assert_eq!(found.entries, expect);
        assert!(!found.waits() && !found.spaced);
    }

    #[test]
    fn whose_answer_it_is_is_known_when_it_comes() {
        let both = format!("{ONE}\n{CANCEL}\n");
        let found = transcript(&[sent(&both), said(&format!("{TOLD}\n{TOLD}\n"))]);
        assert_eq!(found.entries[2..], [answer(Some(0), true), answer(None, false)]);
        assert!(transcript(&[sent(&format!("{ONE}\n"))]).waits());
    }

    #[test]
    fn white_space_of_the_server_is_noticed_and_noise_is_kept() {
        let found = transcript(&[said("{\"jsonrpc\": \"2.0\",\"id\":1,\"result\":{}}\r\n")]);
        assert_eq!((found.entries, found.spaced), (vec![answer(None, false)], true));
        let found = transcript(&[said("ready\n"), said("{"), Event::Silent]);
        let noise = |line: &str, why: &str| Entry::Noise { line: line.to_owned(), why: why.to_owned() };
        let expect = [
            noise("ready", "not JSON: no JSON value starts with this at byte 0"),
            noise("{", "the output ends inside a line, without its line feed"),
        ];
        assert_eq!(found.entries, expect);
    }

    #[test]
    fn what_reaches_nobody_is_left_out() {
        let dead = [
            Event::Ended,
            sent(ONE),
            sent("\n"),
            Event::Closed,
            Event::Signal(15),
            Event::Silent,
            Event::Quiet,
        ];
        assert_eq!(transcript(&dead).entries, []);
        let alive = [Event::Signal(15), Event::Signal(10), Event::HungUp, Event::Closed];
        assert_eq!(transcript(&alive).entries, [Entry::Signal(Signal::Term), Entry::HungUp, Entry::Closed]);
    }

    #[test]
    fn complaints_are_lines_too() {
        let found = transcript(&[
            Event::Complained(b"a\nb".to_vec()),
            Event::Complained(b"c".to_vec()),
            Event::Quiet,
        ]);
        let lines = ["a", "bc"].map(|line| Entry::Complained(line.to_owned()));
        assert_eq!(found.entries, lines);
    }

    #[test]
    fn the_longest_wait_is_the_servers() {
        let mut transcript = Transcript::default();
        let mut at = |event: Event, ms: u64| transcript.take(&event, Duration::from_millis(ms));
        at(sent(&format!("{ONE}\n")), 5_000);
        at(said(&format!("{TOLD}\n")), 5_700);
        at(said(&format!("{TOLD}\n")), 6_000);
        at(sent(&format!("{ONE}\n")), 9_000);
        assert_eq!(transcript.longest_wait, Duration::from_millis(700));
    }
}
