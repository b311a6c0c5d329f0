//! What each step of a conversation does.
//!
//! Owns the order of checks on an answer: whose it is, then its schema, then its bytes, then the tree. Must not wait by
//! itself; [`super::session`] does.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use super::compare::{diff, first_difference};
use super::expect::{Content, Outlook, Wanted, described, is_early, place};
use super::json;
use super::ledger::Standing;
use super::loose::Fitted;
use super::probe;
use super::process::Ending;
use super::purity::{Id, Identity, Message, identify};
use super::report::{Answer, Finding, Outcome, Unpinned};
use super::session::{self, Arrival, Mode, SHOWN, Session, mine, unresolved};
use super::tree::{self, Look, Snapshot};
use super::visible::visible;
use crate::conversation::placeholder::PlaceholderFault;
use crate::conversation::{Action, Fingerprint};

impl Session<'_> {
    /// Plays every step and the end.
    ///
    /// # Errors
    /// The first finding, placed at its step.
    pub fn play(&mut self) -> Result<(), Finding> {
        while self.at < self.conversation.steps.len() {
            let last = self.step().map_err(|finding| self.placed(finding))?;
            self.at = last + 1;
        }
        self.at = self.at.saturating_sub(1);
        self.finish().map_err(|finding| self.placed(finding))
    }

    /// The finding at the current step, unless it knows a better place.
    fn placed(&self, finding: Finding) -> Finding {
        let line = finding.line.or_else(|| Some(self.conversation.steps.get(self.at)?.line));
        Finding { line, ..finding }
    }

    /// Plays the current step, or the group that starts with it, and gives the index of the last step played.
    fn step(&mut self) -> Result<usize, Finding> {
        let conversation = self.conversation;
        match &conversation.steps[self.at].action {
            Action::Send(text) => {
                let line = self.values().message(text).map_err(unresolved)?;
                self.send(format!("{line}\n").as_bytes())?;
            }
            Action::SendRaw(bytes) => self.send(bytes)?,
            Action::Fill { count, byte } => self.send(&vec![*byte; *count])?,
            Action::Expect(_) => self.expect(self.at..self.at + 1)?,
            Action::ExpectUnordered(_) => {
                let group = conversation.unordered_group(self.at);
                self.expect(group.clone())?;
                return Ok(group.end - 1);
            }
            Action::Let { name, over } => self.define(name, over)?,
            Action::Write { path, content } => self.change(path, |path| {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::write(path, content)
            })?,
            Action::Remove(path) => self.change(path, |path| fs::remove_file(path))?,
            Action::Touch(path) => self.change(path, tree::touch)?,
            Action::Await(text) => self.await_error(text)?,
            Action::Open(name) => self.open(name)?,
            Action::Eof => {
                self.ledger.closed();
                self.pumps.close_stdin();
            }
            Action::Hangup => {
                self.flush()?;
                self.pumps.hang_up();
            }
            Action::Kill(signal) => {
                self.flush()?;
                self.server.signal(signal.number()).map_err(|error| mine("the signal", &error))?;
            }
            Action::Exit(code) => self.end(Ending::Exit(*code))?,
            Action::Signal(signal) => self.end(Ending::Signal(signal.number()))?,
            // Texts are looked for once nothing more can come.
            Action::Stderr(_) => {}
        }
        Ok(self.at)
    }

    /// Sends bytes; what arrived before was not an answer to them.
    fn send(&mut self, bytes: &[u8]) -> Result<(), Finding> {
        self.catch_up()?;
        self.ledger.sent(bytes);
        self.pumps.send(bytes);
        self.catch_up()
    }

    fn define(&mut self, name: &str, over: &Fingerprint) -> Result<(), Finding> {
        let value = self.values().fingerprint(over).map_err(unresolved)?;
        self.names.insert(name.to_owned(), value);
        Ok(())
    }

    fn await_error(&mut self, text: &str) -> Result<(), Finding> {
        let text = self.values().plain(text).map_err(unresolved)?;
        let found = self.wait(|session| {
            let impure = session.inbox.front().is_some_and(|arrival| arrival.line.is_err());
            let gone = session.pumps.drained();
            let found = session.pumps.errors().await_line(&text);
            (found || impure || gone).then_some(found)
        })?;
        if found == Some(true) {
            self.awaited.push(text);
            return Ok(());
        }
        if let Some(Arrival { line: Err(impurity), .. }) = self.inbox.front() {
            return Err(Arrival::impure(impurity));
        }
        Err(self.nothing_came(&format!("line on stderr with \"{text}\""))?)
    }

    fn open(&mut self, name: &str) -> Result<(), Finding> {
        let path = within(&self.stage.scratch, name)?;
        self.flush()?;
        fs::write(path, "").map_err(|error| mine("the scratch folder", &error))
    }

    /// Changes the project in the middle: the server's doings before it are still its own.
    fn change(&mut self, path: &str, change: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Finding> {
        let whole = within(&self.stage.project, path)?;
        self.flush()?;
        self.check_tree(Look::Metadata)?;
        change(&whole)
            .map_err(|error| Finding::new(Outcome::BadFixture, format!("the file \"{path}\": {error}")))?;
        self.baseline =
            Snapshot::take(&self.stage.project, Look::Bytes).map_err(|error| mine("the copy", &error))?;
        tree::settle(&self.baseline, &self.stage.probe()).map_err(|error| mine("the copy", &error))
    }

    /// The tree must be as it was.
    pub fn check_tree(&self, look: Look) -> Result<(), Finding> {
        let take = |look| Snapshot::take(&self.stage.project, look).map_err(|error| mine("the copy", &error));
        if self.baseline.changes_to(&take(look)?).is_empty() {
            return Ok(());
        }
        let changes = self.baseline.changes_to(&take(Look::Bytes)?);
        Err(Finding::new(Outcome::TreeChanged, "the project is not as it was")
            .with_details(changes.iter().map(ToString::to_string)))
    }

    /// Takes one message for each step of a group, in any order.
    fn expect(&mut self, group: Range<usize>) -> Result<(), Finding> {
        let mut wanted = self.wanted(group.clone())?;
        let outlook = self.outlook(group)?;
        let mut got: Vec<Option<(Message, Option<Standing>)>> = vec![None; wanted.len()];
        while let Some(first_open) = got.iter().position(Option::is_none) {
            let early = self.came_early(&wanted, &got);
            let Some(arrival) = early.map_or_else(|| self.next_arrival(), |it| Ok(Some(it)))? else {
                let finding = self.nothing_came(&awaited(&wanted[first_open]))?;
                return Err(Finding { line: Some(wanted[first_open].line), ..finding });
            };
            let message = arrival.line.map_err(|impurity| Arrival::impure(&impurity))?;
            let open: Vec<_> = (0..wanted.len()).filter(|index| got[*index].is_none()).collect();
            let mut fitted: Vec<_> = open.iter().map(|index| wanted[*index].against(&message.text)).collect();
            let places: Vec<_> = fitted.iter().map(|(wanted, _)| wanted).collect();
            let asked = matches!(&message.identity, Identity::Answer(Some(id)) if self.ledger.asked(id));
            let found = match place(&message, arrival.standing, asked, &places, &outlook) {
                Err(_) if is_early(&message, arrival.standing, &outlook) => {
                    self.early.push_back((message, arrival.standing));
                    continue;
                }
                found => found?,
            };
            let at = open[found];
            let (content, taken) = fitted.swap_remove(found);
            wanted[at] = content;
            self.check_answer(&wanted[at], &message, arrival.standing)
                .map_err(|finding| Finding { line: Some(wanted[at].line), ..finding })?;
            self.take(taken);
            got[at] = Some((message, arrival.standing));
        }
        self.write_down(&wanted, got);
        Ok(())
    }

    /// A message that came before its step and belongs to one that waits now.
    fn came_early(
        &mut self,
        wanted: &[Wanted],
        got: &[Option<(Message, Option<Standing>)>],
    ) -> Option<Arrival> {
        let waits = |message: &Message| {
            let mut open = wanted.iter().zip(got).filter(|(_, got)| got.is_none());
            open.any(|(wanted, _)| {
                let (wanted, _) = wanted.against(&message.text);
                wanted.content.is_some_and(|content| content.identity == message.identity)
            })
        };
        let at = self.early.iter().position(|(message, _)| waits(message))?;
        let (message, standing) = self.early.remove(at)?;
        Some(Arrival { line: Ok(message), standing })
    }

    /// Keeps what an answer said where the conversation pins nothing.
    fn take(&mut self, fitted: Option<Fitted>) {
        let Some(fitted) = fitted else { return };
        self.names.extend(fitted.kept);
        self.unpinned += Unpinned { places: fitted.places, bytes: fitted.bytes };
    }

    /// Holds one message to all that an answer must be.
    fn check_answer(
        &mut self,
        wanted: &Wanted,
        message: &Message,
        standing: Option<Standing>,
    ) -> Result<(), Finding> {
        self.check_schema(message, standing)?;
        if let Some(content) = &wanted.content
            && let Some(difference) = first_difference(&content.text, &message.text)
        {
            let headline = format!("the answer differs at {}: {}", difference.path, difference.what);
            let finding = Finding {
                path: Some(difference.path),
                diff: Some(diff(&content.text, &message.text)),
                line: Some(wanted.line),
                only_content: true,
                ..Finding::new(Outcome::Mismatch, headline)
            };
            if self.mode == Mode::Replay {
                return Err(finding);
            }
            if self.differs.is_none() {
                self.differs = Some(finding);
            }
        }
        self.check_tree(Look::Metadata)
    }

    fn check_schema(&self, message: &Message, standing: Option<Standing>) -> Result<(), Finding> {
        let Some(Standing::Due(index) | Standing::Cancelled(index)) = standing else { return Ok(()) };
        let (Some(tool), Some(_)) = (self.ledger.tool(index), message.root.get("result")) else {
            return Ok(());
        };
        let header = &self.conversation.header;
        let learned = probe::catalogue(header, self.target, self.limit, |stage| {
            session::command(stage, self.conversation, self.target, &self.names)
        });
        match learned.get() {
            Some(Ok(catalogue)) => catalogue.check(tool, message),
            Some(Err(finding)) => Err(finding.clone()),
            None => Err(Finding::new(Outcome::HarnessError, "tools/list was not asked for")),
        }
    }

    /// Notes what each step of a group got; messages for steps that are not filled in go in the order of their requests.
    fn write_down(&mut self, wanted: &[Wanted], got: Vec<Option<(Message, Option<Standing>)>>) {
        let mut got: Vec<_> = got.into_iter().flatten().collect();
        let gaps: Vec<_> = (0..wanted.len()).filter(|index| wanted[*index].content.is_none()).collect();
        let mut fillings: Vec<_> = gaps.iter().map(|index| got[*index].clone()).collect();
        fillings.sort_by_key(|(_, standing)| match standing {
            Some(Standing::Due(request)) => (0, *request),
            _ => (1, 0),
        });
        for (index, filling) in gaps.into_iter().zip(fillings) {
            got[index] = filling;
        }
        for (wanted, (message, _)) in wanted.iter().zip(got) {
            let as_expected = wanted.content.as_ref().is_some_and(|content| content.text == message.text);
            self.answers.push(Answer { line: wanted.line, message: message.text, as_expected });
        }
    }

    fn wanted(&self, group: Range<usize>) -> Result<Vec<Wanted>, Finding> {
        let steps = &self.conversation.steps[group];
        let wanted = steps.iter().map(|step| {
            let content = match &step.action {
                Action::Expect(Some(text)) | Action::ExpectUnordered(Some(text)) => Some(self.content(text)?),
                _ => None,
            };
            Ok(Wanted { line: step.line, content })
        });
        wanted.collect::<Result<_, Finding>>()
    }

    /// An expected message, its placeholders resolved but for what it does not pin.
    fn content(&self, text: &str) -> Result<Content, Finding> {
        let pattern = self.values().pattern(text).map_err(unresolved)?;
        let bad = |why: PlaceholderFault| Finding::new(Outcome::BadFixture, why.to_string());
        let text = pattern.filled(&[]).map_err(bad)?;
        let identity = identity_of(&text)?;
        Ok(Content { text, identity, pattern: (!pattern.places.is_empty()).then_some(pattern) })
    }

    /// What the steps behind a group expect and send, as far as their placeholders let it be seen.
    fn outlook(&self, group: Range<usize>) -> Result<Outlook, Finding> {
        let mut outlook = Outlook::default();
        let steps = &self.conversation.steps;
        let may_be_early = matches!(steps[group.start].action, Action::ExpectUnordered(_));
        for step in &steps[group.end..] {
            if let (true, Action::ExpectUnordered(Some(text))) = (may_be_early, &step.action)
                && let Ok(content) = self.content(text)
            {
                outlook.unordered.push(Wanted { line: step.line, content: Some(content) });
            }
            match &step.action {
                Action::Expect(Some(text)) | Action::ExpectUnordered(Some(text)) => {
                    let identity =
                        identity_of(text).map_err(|finding| Finding { line: Some(step.line), ..finding })?;
                    outlook.expected.push((step.line, identity));
                }
                Action::Send(text) => outlook.asked.extend(id_of(text)),
                _ => {}
            }
        }
        Ok(outlook)
    }

    /// The finding that a message came which no step was left to expect.
    pub fn unexpected(&self, arrival: &Arrival) -> Finding {
        match &arrival.line {
            Err(impurity) => Arrival::impure(impurity),
            Ok(message) => match place(message, arrival.standing, false, &[], &Outlook::default()) {
                Err(finding) => finding
                    .with_details([format!("the message: {}", visible(message.text.as_bytes(), SHOWN))]),
                Ok(_) => Finding::new(Outcome::HarnessError, "a message found a place where there is none"),
            },
        }
    }
}

fn awaited(wanted: &Wanted) -> String {
    wanted
        .content
        .as_ref()
        .map_or_else(|| "message".to_owned(), |content| bare(&described(&content.identity)))
}

/// A description without its article, to stand behind "no" and "before".
fn bare(described: &str) -> String {
    let bare = described.strip_prefix("the ").or_else(|| described.strip_prefix("an "));
    bare.unwrap_or(described).to_owned()
}

fn identity_of(text: &str) -> Result<Identity, Finding> {
    let bad = |why: String| Finding::new(Outcome::BadFixture, format!("the expected message is none: {why}"));
    let document = json::read(text).map_err(|fault| bad(format!("{} at byte {}", fault.why, fault.at)))?;
    identify(&document.root, text).map_err(bad)
}

fn id_of(text: &str) -> Option<Id> {
    let document = json::read(text).ok()?;
    Id::of(document.root.get("id")?, text)
}

/// A path inside a folder, by a relative name that does not lead out.
fn within(folder: &Path, name: &str) -> Result<PathBuf, Finding> {
    let path = Path::new(name);
    let plain = path.components().all(|component| matches!(component, Component::Normal(_)));
    if plain && !name.is_empty() {
        return Ok(folder.join(path));
    }
    Err(Finding::new(Outcome::BadFixture, format!("\"{name}\" is no path inside the folder")))
}
