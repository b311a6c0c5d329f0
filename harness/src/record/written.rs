//! What happened, as a conversation writes it: steps, placeholders, and comments where something stands out.
//!
//! Functions of values. Must not replay; [`super::verify`] does.

use std::time::Duration;

use super::naming::Naming;
use super::order::races;
use super::transcript::{Entry, Transcript};
use crate::bless::{Values, generalise};
use crate::conversation::placeholder::{Piece, Placeholder, pieces};
use crate::conversation::{
    Action, Conversation, Fault, Header, Signal, Step, compact, member, print, read, render, render_header,
};
use crate::engine::Ending;
use crate::suite::SIZE_LIMIT;

/// Up to this wait the engine's own deadline has room to spare.
const PATIENT: Duration = Duration::from_secs(3);

/// How many texts on stderr a conversation holds on to.
const TEXTS: usize = 16;

/// What is known besides what happened.
pub struct Setting<'s> {
    /// What the conversation shows, in one line.
    pub shows: &'s str,
    /// The project it ran over.
    pub project: Option<&'s str>,
    /// What becomes a placeholder.
    pub values: &'s Values,
    /// What gives the machine away.
    pub naming: &'s Naming,
    /// Whether the client's white space between tokens counts.
    pub exact: bool,
}

/// The conversation that a transcript is, and what no step can say.
///
/// # Errors
/// A fault of what was written, which would be one of this program.
pub fn conversation(
    transcript: &Transcript,
    setting: &Setting<'_>,
) -> Result<(Conversation, Vec<String>), Fault> {
    let mut writer = Writer { setting, steps: Vec::new(), above: Vec::new(), objections: Vec::new() };
    let entries = &transcript.entries;
    let races = races(entries);
    let awaited = awaited(entries);
    for (at, entry) in entries.iter().enumerate() {
        writer.entry(entry, races[at], awaited[at]);
    }
    writer.texts(entries, &awaited);
    let mut header = Header {
        comment: vec![setting.shows.to_owned()],
        project: setting.project.map(str::to_owned),
        deadline_ms: deadline_ms(transcript.longest_wait),
        spacing_free: transcript.spaced,
        ..Header::default()
    };
    let Writer { steps, objections, .. } = writer;
    header.source = render_header(&header);
    let mut conversation = Conversation { header, steps, trailing: String::new() };
    if print(&conversation).len() > SIZE_LIMIT {
        conversation.header.large = true;
        conversation.header.source = render_header(&conversation.header);
    }
    // What is kept is the file, so it is the file that has to be a conversation; it also knows the lines.
    read(&print(&conversation)).map(|conversation| (conversation, objections))
}

/// A deadline with room to spare for a server that took this long.
fn deadline_ms(longest_wait: Duration) -> Option<u64> {
    (longest_wait > PATIENT).then(|| (longest_wait.as_secs() + 1).saturating_mul(3_000).min(600_000))
}

/// The version that a server gives itself, in either era.
pub fn version(entries: &[Entry]) -> Option<String> {
    let places: [&[&str]; 2] = [
        &["result", "serverInfo", "version"],
        &["result", "_meta", "io.modelcontextprotocol/serverInfo", "version"],
    ];
    entries.iter().find_map(|entry| {
        let Entry::Said { message, .. } = entry else { return None };
        let range = places.iter().find_map(|path| member(message, path))?;
        serde_json::from_str(&message[range]).ok()
    })
}

/// The step that an entry is while it happens; nothing for one that only the end can place.
pub fn step_of(entry: &Entry, race: bool, exact: bool, values: &Values) -> Option<Action> {
    match entry {
        Entry::Sent { bytes, .. } => Some(sent(bytes, exact, values)),
        Entry::Said { message, .. } => {
            let message = Some(generalise(message, values));
            Some(if race { Action::ExpectUnordered(message) } else { Action::Expect(message) })
        }
        Entry::Closed => Some(Action::Eof),
        Entry::HungUp => Some(Action::Hangup),
        Entry::Signal(signal) => Some(Action::Kill(*signal)),
        Entry::Ended(Ending::Exit(code)) => Some(Action::Exit(*code)),
        Entry::Ended(Ending::Signal(number)) => {
            Signal::ALL.into_iter().find(|signal| signal.number() == *number).map(Action::Signal)
        }
        Entry::Noise { .. } | Entry::Complained(_) => None,
    }
}

/// A line of the client: a message where it is one, white space between its tokens let be, else its bytes. Where every byte
/// counts, only a line without white space is a message.
fn sent(bytes: &[u8], exact: bool, values: &Values) -> Action {
    // The server's version means nothing in the client's mouth, nor does a file's fingerprint.
    let values = Values { version: None, files: Default::default(), ..values.clone() };
    let message = || {
        let text = str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
        let message = compact(text);
        let written =
            (message == text || !exact && !text.ends_with('\r')).then(|| generalise(&message, &values))?;
        let repeats = pieces(&written).ok()?.contains(&Piece::Placeholder(Placeholder::Text));
        (!repeats).then_some(written)
    };
    message().map_or_else(|| Action::SendRaw(bytes.to_vec()), Action::Send)
}

struct Writer<'s> {
    setting: &'s Setting<'s>,
    steps: Vec<Step>,
    /// Comments for the next step.
    above: Vec<String>,
    objections: Vec<String>,
}

impl Writer<'_> {
    fn entry(&mut self, entry: &Entry, race: bool, awaited: bool) {
        let objection = match entry {
            Entry::Noise { line, why } => Some(format!("stdout carried what is no message: {why}: {line}")),
            Entry::Said { cancelled: true, .. } => {
                Some("an answer to a request that had been cancelled".to_owned())
            }
            Entry::Ended(ending @ Ending::Signal(_))
                if step_of(entry, false, false, self.setting.values).is_none() =>
            {
                Some(format!("no step says how the server ended: {ending}"))
            }
            _ => None,
        };
        if let Some(objection) = objection {
            self.above.push(objection.clone());
            self.objections.push(objection);
        }
        match entry {
            Entry::Complained(line) if awaited => {
                self.step(pinned(line, self.setting.values).map(Action::Await));
            }
            Entry::Ended(_) => {
                // An end that no step says is none of these either, and the comment above it tells.
                self.step(
                    step_of(entry, race, self.setting.exact, self.setting.values)
                        .or(Some(Action::Signal(Signal::Kill))),
                );
            }
            _ => self.step(step_of(entry, race, self.setting.exact, self.setting.values)),
        }
    }

    /// What stderr has to hold: each text once, and none where nothing came.
    fn texts(&mut self, entries: &[Entry], awaited: &[bool]) {
        let mut texts: Vec<String> = Vec::new();
        for (entry, awaited) in entries.iter().zip(awaited) {
            let Entry::Complained(line) = entry else { continue };
            let text = pinned(line, self.setting.values);
            texts.extend(text.filter(|text| !awaited && !texts.contains(text) && texts.len() < TEXTS));
        }
        texts.into_iter().for_each(|text| self.step(Some(Action::Stderr(text))));
    }

    fn step(&mut self, action: Option<Action>) {
        let Some(action) = action else { return };
        let source = render(&action);
        let named = self.setting.naming.found_in(&source);
        let mut above: Vec<_> = std::mem::take(&mut self.above);
        above.extend(named.into_iter().map(|name| format!("It holds the value of {name}.")));
        let above = above.into_iter().map(|text| format!("# {text}\n")).collect();
        self.steps.push(Step { comment: Vec::new(), line: 0, action, above, source });
    }
}

/// Which lines on stderr the client may have waited for: the last one before it went on while a request was under way.
fn awaited(entries: &[Entry]) -> Vec<bool> {
    let mut waiting = 0_usize;
    let mut found = vec![false; entries.len()];
    let mut last = None;
    for (at, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Complained(_) => last = Some(at),
            Entry::Sent { .. } | Entry::Closed | Entry::Signal(_) => {
                if let Some(line) = last.take().filter(|_| waiting > 0) {
                    found[line] = true;
                }
            }
            _ => last = None,
        }
        match entry {
            Entry::Sent { requests, .. } => waiting += requests.len(),
            Entry::Said { answers: Some(_), .. } => waiting = waiting.saturating_sub(1),
            _ => {}
        }
    }
    found
}

/// The longest stretch of a line that says the same the next time: no digits, no folders, no control characters.
fn pinned(line: &str, values: &Values) -> Option<String> {
    let folders = [values.project.as_deref(), values.scratch.as_deref()];
    let bare = folders.into_iter().flatten().fold(line.to_owned(), |line, folder| line.replace(folder, "\0"));
    let stretches = bare.split(|c: char| c.is_ascii_digit() || c.is_control() || matches!(c, '{' | '}'));
    let longest = stretches.map(str::trim).rev().max_by_key(|stretch| stretch.len())?;
    (!longest.is_empty()).then(|| longest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::relay::Event;

    const ONE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";
    const TWO: &str = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}\n";
    const SAID_ONE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    const SAID_TWO: &str = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n";

    fn values() -> Values {
        Values { project: Some("/tmp/p".to_owned()), version: Some("1.5".to_owned()), ..Values::default() }
    }

    fn written(events: &[Event]) -> (String, Vec<String>) {
        let mut transcript = Transcript::default();
        events.iter().for_each(|event| transcript.take(event, Duration::ZERO));
        transcript.end(Ending::Exit(0));
        let values = values();
        let setting = Setting {
            shows: "It.",
            project: None,
            values: &values,
            naming: &Naming::default(),
            exact: false,
        };
        let (conversation, objections) =
            conversation(&transcript, &setting).unwrap_or_else(|fault| panic!("{fault}"));
        (print(&conversation), objections)
    }

    fn check(events: &[Event], expect: &str) {
        let end = if expect.contains("exit 0\n") { "" } else { "exit 0\n" };
        assert_eq!(written(events).0, format!("# It.\n---\n{expect}{end}"));
    }

    fn sent(text: &str) -> Event {
        Event::Sent(text.as_bytes().to_vec())
    }

    fn said(text: &str) -> Event {
        Event::Said(text.as_bytes().to_vec())
    }

    fn exactly(text: &str) -> Action {
        super::sent(text.as_bytes(), true, &values())
    }

    fn complained(text: &str) -> Event {
        Event::Complained(text.as_bytes().to_vec())
    }

    #[test]
    fn messages_are_steps_and_what_is_none_is_bytes() {
        check(&[sent(ONE), said(SAID_ONE), Event::Closed], &format!("> {ONE}< {SAID_ONE}eof\n"));
        check(
            &[sent("{\"a\": 1}\n{\"b\":1}\r\nhola\n\n"), Event::Sent(b"\xff".to_vec()), Event::Closed],
            "> {\"a\":1}\n>raw {\"b\":1}\\r\\n\n>raw hola\\n\n>raw \\n\n>raw \\xFF\neof\n",
        );
        assert_eq!(exactly("{\"a\": 1}\n"), Action::SendRaw(b"{\"a\": 1}\n".to_vec()));
        assert_eq!(exactly("{\"a\":1}\n"), Action::Send("{\"a\":1}".to_owned()));
        check(&[sent("[\"{{x\"]\n")], "> [\"{{braces}}x\"]\n");
        let repeats = "{\"result\":{\"content\":[\"{}\"],\"structuredContent\":{}}}";
        check(&[sent(&format!("{repeats}\n"))], &format!(">raw {repeats}\\n\n"));
    }

    #[test]
    fn what_the_harness_knows_is_a_placeholder() {
        let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"v\":\"1.5\",\"p\":\"/tmp/p/a\"}}\n";
        check(
            &[sent("{\"v\":\"1.5\",\"p\":\"/tmp/p\"}\n"), said(answer)],
            &format!(
                "> {{\"v\":\"1.5\",\"p\":\"{{{{project}}}}\"}}\n< {}",
                answer.replace("\"1.5\"", "\"{{version}}\"").replace("/tmp/p", "{{project}}")
            ),
        );
    }

    #[test]
    fn answers_that_race_are_in_no_order() {
        check(
            &[sent(ONE), sent(TWO), said(SAID_TWO), said(SAID_ONE)],
            &format!("> {ONE}> {TWO}<~ {SAID_TWO}<~ {SAID_ONE}"),
        );
    }

    #[test]
    fn endings_are_as_they_happened() {
        check(&[sent(ONE), Event::HungUp, Event::Closed], &format!("> {ONE}hangup\neof\n"));
        check(&[Event::Signal(15)], "kill TERM\n");
        let said = |ending| step_of(&Entry::Ended(ending), false, false, &values());
        assert_eq!(said(Ending::Exit(3)), Some(Action::Exit(3)));
        assert_eq!(said(Ending::Signal(9)), Some(Action::Signal(Signal::Kill)));
        assert_eq!(said(Ending::Signal(10)), None);
    }

    #[test]
    fn stderr_is_waited_for_where_the_client_may_have() {
        let cancel = "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";
        check(
            &[
                complained("7 start\n"),
                sent(ONE),
                complained("a\nworking on 1\n"),
                sent(cancel),
                Event::Closed,
            ],
            &format!("> {ONE}await working on\n> {cancel}eof\nexit 0\nstderr start\nstderr a\n"),
        );
        check(
            &[sent(ONE), complained("x\n"), said(SAID_ONE), Event::Closed],
            &format!("> {ONE}< {SAID_ONE}eof\nexit 0\nstderr x\n"),
        );
    }

    #[test]
    fn stderr_is_not_waited_for_where_something_else_was() {
        let pace = |text: &str| written(&[sent(ONE), said(SAID_ONE), complained(text), sent(TWO)]).0;
        assert!(pace("done\n").ends_with("exit 0\nstderr done\n"), "{}", pace("done\n"));
        let (text, _) = written(&[sent(ONE), sent(TWO), complained("x\n"), said(SAID_ONE), Event::Closed]);
        assert!(text.ends_with("eof\nexit 0\nstderr x\n"), "{text}");
    }

    #[test]
    fn stderr_holds_each_text_once_and_not_without_end() {
        check(&[complained("a 1\na 2\n")], "exit 0\nstderr a\n");
        let lines: String = ('a'..='z').map(|letter| format!("{letter}\n")).collect();
        let (text, _) = written(&[complained(&lines)]);
        assert_eq!(text.matches("\nstderr ").count(), TEXTS);
    }

    #[test]
    fn stderr_is_held_by_what_stays_the_same() {
        let check = |line: &str, expect: Option<&str>| assert_eq!(pinned(line, &values()).as_deref(), expect);
        check("2026-11-30 12:00:01,5 INFO ready on port 80", Some("INFO ready on port"));
        check("in /tmp/p/a.txt", Some("/a.txt"));
        check("reading the file /tmp/p/a", Some("reading the file"));
        check("\u{1b}[31mred\u{1b}[0m", Some("mred"));
        check("ab cd{{ef", Some("ab cd"));
        check("ab 1 cd", Some("ab"));
        check(" 12 ", None);
    }

    #[test]
    fn what_no_conversation_holds_is_objected_to() {
        let cancel = "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";
        let (text, objections) = written(&[sent(ONE), sent(cancel), said("hi\n"), said(SAID_ONE)]);
        let noise =
            "stdout carried what is no message: not JSON: no JSON value starts with this at byte 0: hi";
        let late = "an answer to a request that had been cancelled";
        assert_eq!(objections, [noise, late]);
        assert!(text.contains(&format!("# {noise}\n# {late}\n< ")), "{text}");
        assert!(written(&[sent(ONE)]).1.is_empty());
    }

    #[test]
    fn a_slow_server_gets_a_longer_deadline() {
        let check = |ms, expect| assert_eq!(deadline_ms(Duration::from_millis(ms)), expect);
        check(3_000, None);
        check(3_001, Some(12_000));
        check(10_500, Some(33_000));
        check(9_999_999, Some(600_000));
    }

    #[test]
    fn a_server_says_its_version_in_either_era() {
        let said =
            |message: &str| Entry::Said { message: message.to_owned(), answers: None, cancelled: false };
        let check = |message: &str, expect: Option<&str>| {
            assert_eq!(version(&[Entry::Closed, said("{}"), said(message)]).as_deref(), expect);
        };
        check(r#"{"result":{"serverInfo":{"name":"x","version":"1\u002e5"}}}"#, Some("1.5"));
        check(r#"{"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"version":"2"}}}}"#, Some("2"));
        check(r#"{"result":{"version":"2"}}"#, None);
        check(r#"{"result":{"serverInfo":{"version":2}}}"#, None);
    }

    #[test]
    fn a_large_recording_says_so_and_names_what_it_gives_away() {
        let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(SIZE_LIMIT));
        assert!(written(&[sent(&long)]).0.starts_with("# It.\nlarge: yes\n---\n"));
        assert!(written(&[said("{\"jsonrpc\": \"2.0\",\"method\":\"n\"}\n")]).0.contains("spacing: free\n"));
    }
}
