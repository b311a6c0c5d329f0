//! Prints a conversation: what was read comes back byte for byte, and a new step has one written form.

use super::message::pretty;
use super::words::{escape_bytes, join};
use super::{Action, Conversation, Fingerprint, Header, Need};

/// The text of the file. For a conversation that was read, the file itself.
#[must_use]
pub fn print(conversation: &Conversation) -> String {
    let mut text = conversation.header.source.clone();
    text.push_str("---\n");
    for step in &conversation.steps {
        text.push_str(&step.above);
        text.push_str(&step.source);
    }
    text.push_str(&conversation.trailing);
    text
}

/// The written form of a header: what [`Header::source`] is for one that no file held.
#[must_use]
pub fn render_header(header: &Header) -> String {
    let mut text = String::new();
    for comment in &header.comment {
        text.push_str(if comment.is_empty() { "#" } else { "# " });
        text.push_str(comment);
        text.push('\n');
    }
    let mut key = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(format!("{name}: {value}").trim_end());
            text.push('\n');
        }
    };
    let some = |value: String| (!value.is_empty()).then_some(value);
    key("covers", some(header.covers.join(", ")));
    key("project", header.project.clone());
    key("args", some(join(&header.args)));
    key("arguments", header.arguments.as_deref().map(join));
    key("needs", some(header.needs.iter().copied().map(Need::word).collect::<Vec<_>>().join(", ")));
    key("deadline_ms", header.deadline_ms.map(|ms| ms.to_string()));
    key("large", header.large.then(|| "yes".to_owned()));
    key("spacing", header.spacing_free.then(|| "free".to_owned()));
    text
}

/// The written form of one step, line feeds included: what [`super::Step::source`] is for one that no file held.
#[must_use]
pub fn render(action: &Action) -> String {
    let line = match action {
        Action::Send(message) => format!("> {}", pretty(message, 2)),
        Action::SendRaw(bytes) => format!(">raw {}", escape_bytes(bytes)),
        Action::Fill { count, byte } => {
            let byte = if *byte == b' ' { "\\x20".to_owned() } else { escape_bytes(&[*byte]) };
            format!(">fill {count} {byte}")
        }
        Action::Expect(None) => "<".to_owned(),
        Action::Expect(Some(message)) => format!("< {}", pretty(message, 2)),
        Action::ExpectUnordered(None) => "<~".to_owned(),
        Action::ExpectUnordered(Some(message)) => format!("<~ {}", pretty(message, 3)),
        Action::Let { name, over: Fingerprint::Files(patterns) } => {
            format!("let {name} = files {}", join(patterns))
        }
        Action::Let { name, over: Fingerprint::Canonical(json) } => {
            format!("let {name} = canonical {}", pretty(json, 19 + name.len()))
        }
        Action::Write { path, content } => {
            let mut text = format!("write {path}");
            for line in content.lines() {
                text.push_str(if line.is_empty() { "\n|" } else { "\n| " });
                text.push_str(line);
            }
            text
        }
        Action::Remove(path) => format!("remove {path}"),
        Action::Touch(path) => format!("touch {path}"),
        Action::Await(text) => format!("await {text}"),
        Action::Open(name) => format!("open {name}"),
        Action::Eof => "eof".to_owned(),
        Action::Hangup => "hangup".to_owned(),
        Action::Kill(signal) => format!("kill {}", signal.word()),
        Action::Exit(code) => format!("exit {code}"),
        Action::Signal(signal) => format!("signal {}", signal.word()),
        Action::Stderr(text) => format!("stderr {text}"),
    };
    line + "\n"
}
