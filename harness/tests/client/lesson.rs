//! The session that the lesson prints, on both sides of the wire.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use harness::client::{Arrow, Client, Eras, Settings};
use harness::conversation::{Action, Conversation};
use harness::engine::{Outcome, Target, replay};
use serde_json::json;

use super::{Check, LONG, command};

/// Every one of them.
pub const ALL: &[Check] = &[
    ("the_session_is_the_one_that_the_lesson_prints", the_session_is_the_one_that_the_lesson_prints),
    ("the_example_says_what_its_conversations_say", the_example_says_what_its_conversations_say),
    ("the_conversation_is_what_travelled", the_conversation_is_what_travelled),
];

/// The lesson's print: `…` stands where it left something out.
const PRINTED: &str = include_str!("leccion.txt");

fn conversations() -> Vec<(String, Conversation)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/incidencias/conversaciones");
    let entries = harness::suite::discover(&folder).expect("conversations");
    entries.into_iter().map(|entry| (entry.name, entry.conversation.expect("a conversation"))).collect()
}

/// What travels where a client like the lesson's asks what it asks, a line each.
fn travelled() -> Vec<String> {
    let lines = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&lines);
    let settings = Settings {
        name: "agente-minimo".to_owned(),
        version: "1".to_owned(),
        limit: LONG,
        eras: Eras::Modern,
        trace: Some(Box::new(move |arrow: Arrow, line: &str| {
            seen.borrow_mut().push(format!("{} {line}", arrow.sign()));
        })),
    };
    let mut client = Client::discover(&command(&["incidencias"]), settings).expect("a server");
    client.definitions().expect("tools");
    for estado in ["abierta", "pendiente"] {
        if let Err(failure) = client.call("incidencias", &json!({"estado": estado})) {
            lines.borrow_mut().push(format!("error: {failure}"));
        }
    }
    client.close();
    lines.take()
}

fn the_session_is_the_one_that_the_lesson_prints() {
    let lines = travelled();
    let printed: Vec<_> = PRINTED.lines().collect();
    assert_eq!(lines.len(), printed.len(), "{lines:#?}");
    for (line, printed) in lines.iter().zip(printed) {
        match printed.split_once('…') {
            None => assert_eq!(line, printed),
            Some((before, after)) => {
                assert!(line.starts_with(before) && line.ends_with(after), "{line}\nis not\n{printed}");
            }
        }
    }
}

fn the_conversation_is_what_travelled() {
    let lines = travelled();
    let (_, lesson) =
        conversations().into_iter().find(|(name, _)| name == "leccion").expect("the lesson's conversation");
    let said: Vec<_> = lesson
        .steps
        .iter()
        .filter_map(|step| match &step.action {
            Action::Send(json) => Some(format!("→ {json}")),
            Action::Expect(Some(json)) => Some(format!("← {json}")),
            _ => None,
        })
        .collect();
    assert_eq!(lines[..said.len()], said);
    assert_eq!(lines.len(), said.len() + 1, "the last line is what the client made of it");
}

fn the_example_says_what_its_conversations_say() {
    let target = Target {
        command: command(&["incidencias"]),
        version: None,
        projects: std::env::temp_dir(),
        embedded_root: None,
    };
    let conversations = conversations();
    assert_eq!(conversations.len(), 2);
    for (name, conversation) in conversations {
        let report = replay(&conversation, &target, &name);
        assert_eq!(report.outcome, Outcome::Passed, "{report}");
    }
}
