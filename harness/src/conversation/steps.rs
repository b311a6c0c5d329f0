//! Reads the steps behind the `---` line.

use super::fault::{Fault, FaultKind};
use super::header::comment_text;
use super::message::compact;
use super::words::{is_inner_path, unescape, words};
use super::{Action, Fingerprint, Signal, Step, validate};

/// The most bytes that one `>fill` may send: 256 MiB.
const FILL_LIMIT: usize = 256 << 20;

/// Reads the steps from the file's lines, `start` being the number of lines above them.
///
/// Gives them with the blank lines and comments behind the last one.
pub(super) fn read(lines: &[&str], start: usize) -> Result<(Vec<Step>, String), Fault> {
    let mut steps = Vec::new();
    let mut at = start;
    let mut above = at;
    let mut comment = Vec::new();
    while let Some(line) = lines.get(at) {
        let number = at + 1;
        if line.trim().is_empty() {
            comment.clear();
            at += 1;
        } else if let Some(text) = line.strip_prefix('#') {
            comment.push(comment_text(text).ok_or_else(|| Fault::new(number, FaultKind::BadComment))?);
            at += 1;
        } else {
            let block = Block::at(lines, at)?;
            let action = block.action()?;
            steps.push(Step {
                comment: std::mem::take(&mut comment),
                line: number,
                action,
                above: source(&lines[above..at]),
                source: source(&lines[at..at + block.length]),
            });
            at += block.length;
            above = at;
        }
    }
    if steps.is_empty() {
        return Err(Fault::new(lines.len().max(1), FaultKind::NoSteps));
    }
    validate::steps(&steps)?;
    Ok((steps, source(&lines[above..])))
}

fn source(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// The lines of one step.
struct Block<'f> {
    /// Line of the first one, from 1.
    line: usize,
    /// How many.
    length: usize,
    /// The step's first word.
    word: &'f str,
    /// What stands behind it on the first line.
    operand: &'f str,
    /// The lines below that belong to it.
    more: &'f [&'f str],
}

impl<'f> Block<'f> {
    fn at(lines: &'f [&'f str], at: usize) -> Result<Self, Fault> {
        let first = lines[at];
        let (word, operand) = first.split_once(' ').unwrap_or((first, ""));
        let belongs: fn(&str) -> bool = match word {
            ">" | "<" | "<~" | "let" => |line| line.starts_with([' ', '\t']) && !line.trim().is_empty(),
            "write" => |line| line.starts_with('|'),
            _ => |_| false,
        };
        if word.is_empty() || word.starts_with('\t') {
            return Err(Fault::new(at + 1, FaultKind::NothingToContinue));
        }
        let below = lines[at + 1..].iter().take_while(|line| belongs(line)).count();
        let more = &lines[at + 1..=at + below];
        Ok(Self { line: at + 1, length: below + 1, word, operand, more })
    }

    fn action(&self) -> Result<Action, Fault> {
        match self.word {
            ">" => match self.message()? {
                Some(message) => Ok(Action::Send(message)),
                None => Err(self.takes(">", "a JSON message")),
            },
            "<" => Ok(Action::Expect(self.expected()?)),
            "<~" => Ok(Action::ExpectUnordered(self.expected()?)),
            ">raw" => match unescape(self.operand) {
                Some(bytes) if !bytes.is_empty() => Ok(Action::SendRaw(bytes)),
                _ => Err(self.takes(">raw", "bytes, with the escapes \\n \\r \\t \\\\ \\xNN")),
            },
            ">fill" => self.fill(),
            "let" => self.fingerprint(),
            "write" => self.write(),
            "remove" => Ok(Action::Remove(self.path("remove")?)),
            "touch" => Ok(Action::Touch(self.path("touch")?)),
            "await" => Ok(Action::Await(self.text("await")?)),
            "open" => match self.operand {
                name if is_inner_path(name) && !name.contains('/') => Ok(Action::Open(name.to_owned())),
                _ => Err(self.takes("open", "the name of a file")),
            },
            "eof" => self.alone("eof", Action::Eof),
            "hangup" => self.alone("hangup", Action::Hangup),
            "kill" => Ok(Action::Kill(self.signal("kill")?)),
            "signal" => Ok(Action::Signal(self.signal("signal")?)),
            "exit" => match self.operand.parse() {
                Ok(code @ 0..=255) if self.operand == i32::to_string(&code) => Ok(Action::Exit(code)),
                _ => Err(self.takes("exit", "a code from 0 to 255")),
            },
            "stderr" => Ok(Action::Stderr(self.text("stderr")?)),
            _ => Err(self.fault(FaultKind::UnknownStep(self.word.chars().take(20).collect()))),
        }
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault::new(self.line, kind)
    }

    fn takes(&self, step: &'static str, takes: &'static str) -> Fault {
        self.fault(FaultKind::BadOperand { step, takes })
    }

    /// The JSON of the operand and the lines below, compact; `None` where there is nothing.
    fn message(&self) -> Result<Option<String>, Fault> {
        self.json(self.operand)
    }

    fn json(&self, first: &str) -> Result<Option<String>, Fault> {
        let mut text = first.to_owned();
        for line in self.more {
            text.push('\n');
            text.push_str(line);
        }
        if text.trim().is_empty() {
            return Ok(None);
        }
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&text) {
            let line = self.line + error.line().saturating_sub(1);
            let kind = match text.lines().nth(error.line().saturating_sub(1)) {
                Some(at)
                    if at.get(error.column().saturating_sub(2)..).is_some_and(|t| t.starts_with("{{")) =>
                {
                    FaultKind::PlaceholderOutsideString
                }
                _ => FaultKind::NotJson(without_position(&error)),
            };
            return Err(Fault::new(line, kind));
        }
        Ok(Some(compact(&text)))
    }

    fn expected(&self) -> Result<Option<String>, Fault> {
        let message = self.message()?;
        match &message {
            Some(json) if !json.starts_with('{') => Err(self.fault(FaultKind::NotAnObject)),
            _ => Ok(message),
        }
    }

    fn fill(&self) -> Result<Action, Fault> {
        let fault = || self.takes(">fill", "a count up to 268435456 and one byte, as `x` or `\\xNN`");
        let (count, byte) = self.operand.split_once(' ').ok_or_else(fault)?;
        let count = count.parse().ok().filter(|count| (1..=FILL_LIMIT).contains(count)).ok_or_else(fault)?;
        match unescape(byte).as_deref() {
            Some([byte]) => Ok(Action::Fill { count, byte: *byte }),
            _ => Err(fault()),
        }
    }

    fn fingerprint(&self) -> Result<Action, Fault> {
        let fault = || self.takes("let", "`NAME = files PATTERN…` or `NAME = canonical JSON`");
        let (name, over) = self.operand.split_once(" = ").ok_or_else(fault)?;
        let (kind, operand) = over.split_once(' ').unwrap_or((over, ""));
        let over = match kind {
            "files" => {
                let whole =
                    std::iter::once(operand).chain(self.more.iter().copied()).collect::<Vec<_>>().join(" ");
                let patterns = words(&whole).filter(|patterns| !patterns.is_empty()).ok_or_else(fault)?;
                Fingerprint::Files(patterns)
            }
            "canonical" => Fingerprint::Canonical(self.json(operand)?.ok_or_else(fault)?),
            _ => return Err(fault()),
        };
        Ok(Action::Let { name: name.to_owned(), over })
    }

    fn write(&self) -> Result<Action, Fault> {
        let path = self.path("write")?;
        let mut content = String::new();
        for (index, line) in self.more.iter().enumerate() {
            let text = match line[1..].strip_prefix(' ') {
                Some(text) => text,
                None if line.len() == 1 => "",
                None => {
                    let takes = "a path, and lines behind `| `";
                    let kind = FaultKind::BadOperand { step: "write", takes };
                    return Err(Fault::new(self.line + 1 + index, kind));
                }
            };
            content.push_str(text);
            content.push('\n');
        }
        Ok(Action::Write { path, content })
    }

    fn path(&self, step: &'static str) -> Result<String, Fault> {
        if is_inner_path(self.operand) && self.operand.trim() == self.operand {
            Ok(self.operand.to_owned())
        } else {
            Err(self.takes(step, "a path inside the project"))
        }
    }

    fn text(&self, step: &'static str) -> Result<String, Fault> {
        if self.operand.trim().is_empty() {
            return Err(self.takes(step, "a text"));
        }
        Ok(self.operand.to_owned())
    }

    fn alone(&self, step: &'static str, action: Action) -> Result<Action, Fault> {
        if self.word.len() == step.len() && self.operand.is_empty() {
            Ok(action)
        } else {
            Err(self.takes(step, "nothing"))
        }
    }

    fn signal(&self, step: &'static str) -> Result<Signal, Fault> {
        Signal::ALL
            .into_iter()
            .find(|signal| signal.word() == self.operand)
            .ok_or_else(|| self.takes(step, "HUP, INT, QUIT, ABRT, KILL, SEGV, PIPE or TERM"))
    }
}

/// What serde_json says, without the position that the fault already has.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((what, _)) => format!("{what}, at column {}", error.column()),
        None => text,
    }
}
