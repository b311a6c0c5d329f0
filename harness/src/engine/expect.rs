//! Whose message is this? Matches what arrived with what is expected, by kind and by id with its type.
//!
//! A function of values. Must not compare content; [`super::compare`] does.

use super::json;
use super::ledger::Standing;
use super::loose::{Fitted, fit};
use super::purity::{Id, Identity, Message, identify};
use super::report::{Finding, Outcome};
use crate::conversation::placeholder::Pattern;

/// One message that a step waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The step's line.
    pub line: usize,
    /// What is expected; none where the step is not filled in yet.
    pub content: Option<Content>,
}

/// An expected message, its placeholders resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// Its bytes.
    pub text: String,
    /// Which message it is.
    pub identity: Identity,
    /// What it was resolved from, where it does not pin everything.
    pub pattern: Option<Pattern>,
}

impl Wanted {
    /// The same with the values that a message has where this one pins none, and what was taken.
    pub fn against(&self, message: &str) -> (Self, Option<Fitted>) {
        let content = self.content.as_ref();
        let fitted = content.and_then(|content| fit(content.pattern.as_ref()?, message).ok());
        let content = content.map(|content| match &fitted {
            Some(fitted) => {
                let identity =
                    json::read(&fitted.text).ok().and_then(|it| identify(&it.root, &fitted.text).ok());
                let identity = identity.unwrap_or_else(|| content.identity.clone());
                Content { text: fitted.text.clone(), identity, pattern: None }
            }
            None => content.clone(),
        });
        (Self { line: self.line, content }, fitted)
    }
}

/// What the steps behind the current one say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// Messages that later steps expect, with their lines.
    pub expected: Vec<(usize, Identity)>,
    /// Those of them that may come before their step.
    pub unordered: Vec<Wanted>,
    /// Ids of requests that later steps send.
    pub asked: Vec<Id>,
}

/// Picks the place among `open` that a message belongs to.
///
/// A place with the very bytes comes first, then one with the same identity, then one that only differs in how its id
/// is written, then one that is not filled in.
///
/// # Errors
/// A finding that says how the message came without being due.
pub fn place(
    message: &Message,
    standing: Option<Standing>,
    asked_by_now: bool,
    open: &[&Wanted],
    outlook: &Outlook,
) -> Result<usize, Finding> {
    let identity = &message.identity;
    let content =
        |wanted: &Wanted, fits: &dyn Fn(&Content) -> bool| wanted.content.as_ref().is_some_and(fits);
    let place = open
        .iter()
        .position(|wanted| content(wanted, &|content| content.text == message.text))
        .or_else(|| open.iter().position(|wanted| content(wanted, &|content| content.identity == *identity)))
        .or_else(|| {
            open.iter().position(|wanted| content(wanted, &|content| is_near(&content.identity, identity)))
        });
    let Some(place) = place else {
        let unfilled = open.iter().position(|wanted| wanted.content.is_none());
        return unfilled
            .filter(|_| is_recordable(standing))
            .ok_or_else(|| stranger(identity, standing, open, outlook));
    };
    match (standing, identity) {
        (Some(Standing::Again(_)), Identity::Answer(Some(id))) => Err(twice(id)),
        (Some(Standing::Unasked), Identity::Answer(Some(id))) if asked_by_now => Err(early(id)),
        _ => Ok(place),
    }
}

/// Whether a message may be kept for a later step that expects it in no particular order.
pub fn is_early(message: &Message, standing: Option<Standing>, outlook: &Outlook) -> bool {
    let due = matches!(standing, None | Some(Standing::Due(_) | Standing::Cancelled(_)));
    due && outlook.unordered.iter().any(|wanted| {
        let (wanted, _) = wanted.against(&message.text);
        wanted.content.is_some_and(|content| content.identity == message.identity)
    })
}

/// Whether two identities are of one message whose id is lost or written with another type.
fn is_near(expected: &Identity, actual: &Identity) -> bool {
    match (expected, actual) {
        (Identity::Answer(Some(expected)), Identity::Answer(Some(actual))) => {
            expected.characters() == actual.characters()
        }
        (Identity::Answer(_), Identity::Answer(_)) => true,
        _ => false,
    }
}

/// Whether a message may fill a step that is not filled in: one that nobody asked for, or had enough of, may not.
fn is_recordable(standing: Option<Standing>) -> bool {
    matches!(standing, None | Some(Standing::Due(_)))
}

fn extra(what: String) -> Finding {
    Finding::new(Outcome::ExtraMessage, what)
}

fn twice(id: &Id) -> Finding {
    extra(format!("the request {id} was answered twice"))
}

fn early(id: &Id) -> Finding {
    extra(format!("an answer to the request {id} came before it was sent"))
}

/// What to say of a message that belongs to none of the open places.
fn stranger(identity: &Identity, standing: Option<Standing>, open: &[&Wanted], outlook: &Outlook) -> Finding {
    let later = outlook.expected.iter().find(|(_, expected)| expected == identity).map(|(line, _)| *line);
    let finding = match (identity, standing) {
        (Identity::Answer(Some(id)), Some(Standing::Again(_))) => twice(id),
        (Identity::Answer(Some(id)), Some(Standing::Cancelled(_))) => {
            extra(format!("an answer to the request {id}, which had been cancelled"))
        }
        (Identity::Answer(Some(id)), Some(Standing::Unasked)) if outlook.asked.contains(id) => early(id),
        (Identity::Answer(Some(id)), Some(Standing::Unasked)) => {
            extra(format!("an answer with the id {id}, which no request has"))
        }
        (_, _) => match (later, identity) {
            (Some(line), _) => Finding::new(
                Outcome::Mismatch,
                format!("{} came out of order: line {line} expects it", described(identity)),
            ),
            (None, _) => extra(format!("{}, which no step expects", described(identity))),
        },
    };
    let waiting = open.iter().filter_map(|wanted| {
        let content = wanted.content.as_ref()?;
        Some(format!("line {} waits for {}", wanted.line, described(&content.identity)))
    });
    finding.with_details(waiting)
}

/// A message in a few words.
pub fn described(identity: &Identity) -> String {
    let shown = |method: &str| super::visible::visible(method.as_bytes(), 80);
    match identity {
        Identity::Answer(Some(id)) => format!("the answer to the request {id}"),
        Identity::Answer(None) => "an error without an id".to_owned(),
        Identity::Call { method, id: None } => format!("the notification \"{}\"", shown(method)),
        Identity::Call { method, id: Some(id) } => {
            format!("the request {id} \"{}\" of the server", shown(method))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::purity::check as pure;
    use super::*;

    fn message(text: &str) -> Message {
        pure(text.as_bytes()).unwrap_or_else(|fault| panic!("{text}: {}", fault.why))
    }

    fn answer(id: &str, mark: u8) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"m":{mark}}}}}"#)
    }

    const LOST: &str = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}"#;
    const NOTE: &str = r#"{"jsonrpc":"2.0","method":"n"}"#;
    const DUE: Option<Standing> = Some(Standing::Due(0));
    const UNASKED: Option<Standing> = Some(Standing::Unasked);

    fn wanted(text: &str) -> Wanted {
        let content = (!text.is_empty()).then(|| Content {
            text: text.to_owned(),
            identity: message(text).identity,
            pattern: None,
        });
        Wanted { line: 5, content }
    }

    /// Places `actual` among `open` (an empty text is a step not filled in) and gives its place or headline.
    fn placed(
        actual: &str,
        standing: Option<Standing>,
        asked: bool,
        open: &[String],
        outlook: &Outlook,
    ) -> Result<usize, (Outcome, String)> {
        let open: Vec<_> = open.iter().map(|text| wanted(text)).collect();
        let open: Vec<_> = open.iter().collect();
        place(&message(actual), standing, asked, &open, outlook).map_err(|f| (f.outcome, f.headline))
    }

    fn check(
        actual: &str,
        standing: Option<Standing>,
        open: &[String],
        expect: Result<usize, (Outcome, &str)>,
    ) {
        let expect = expect.map_err(|(outcome, headline)| (outcome, headline.to_owned()));
        assert_eq!(placed(actual, standing, true, open, &Outlook::default()), expect, "{actual}");
    }

    #[test]
    fn bytes_then_identity_then_likeness_then_a_gap() {
        let open = [answer("1", 0), answer("2", 0), answer("2", 1), String::new()];
        check(&answer("2", 1), DUE, &open, Ok(2));
        check(&answer("2", 9), DUE, &open, Ok(1));
        check(
            &answer("\"1\"", 0),
            UNASKED,
            &[answer("1", 0)],
            Err((Outcome::ExtraMessage, "an answer to the request \"1\" came before it was sent")),
        );
        assert_eq!(placed(&answer("\"1\"", 0), UNASKED, false, &open, &Outlook::default()), Ok(0));
        check(LOST, None, &open, Ok(0));
        check(&answer("1", 0), DUE, &[LOST.to_owned()], Ok(0));
        check(NOTE, None, &open, Ok(3));
        check(&answer("3", 0), DUE, &open, Ok(3));
    }

    #[test]
    fn gaps_take_only_what_is_due() {
        let gap = [String::new()];
        for standing in [Standing::Again(0), Standing::Cancelled(0), Standing::Unasked] {
            assert!(placed(&answer("1", 0), Some(standing), true, &gap, &Outlook::default()).is_err());
        }
        check(LOST, None, &gap, Ok(0));
    }

    #[test]
    fn what_is_not_due_is_named() {
        let extra = |text| Err((Outcome::ExtraMessage, text));
        let again = Some(Standing::Again(0));
        let open = [answer("1", 0)];
        check(&answer("1", 0), again, &open, extra("the request 1 was answered twice"));
        check(&answer("2", 0), again, &open, extra("the request 2 was answered twice"));
        check(&answer("1", 0), UNASKED, &open, extra("an answer to the request 1 came before it was sent"));
        check(&answer("9", 0), UNASKED, &open, extra("an answer with the id 9, which no request has"));
        let cancelled = Some(Standing::Cancelled(0));
        check(
            &answer("3", 0),
            cancelled,
            &open,
            extra("an answer to the request 3, which had been cancelled"),
        );
        check(&answer("1", 0), cancelled, &open, Ok(0));
        check(&answer("4", 0), DUE, &open, extra("the answer to the request 4, which no step expects"));
        check(NOTE, None, &open, extra("the notification \"n\", which no step expects"));
        check(LOST, None, &[NOTE.to_owned()], extra("an error without an id, which no step expects"));
        let request = r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#;
        check(request, None, &[], extra("the request \"x\" \"ping\" of the server, which no step expects"));
    }

    #[test]
    fn an_unasked_answer_that_the_author_wants_is_theirs() {
        let found = placed(&answer("1", 0), UNASKED, false, &[answer("1", 0)], &Outlook::default());
        assert_eq!(found, Ok(0));
    }

    #[test]
    fn what_comes_later_is_out_of_order_or_early() {
        let outlook = Outlook {
            expected: vec![(9, message(&answer("2", 0)).identity), (11, message(NOTE).identity)],
            asked: vec![Id::Number("7".to_owned())],
            unordered: Vec::new(),
        };
        let open = [answer("1", 0)];
        let found = |actual: &str, standing| placed(actual, standing, false, &open, &outlook);
        let mismatch = |text: &str| Err((Outcome::Mismatch, text.to_owned()));
        let out = "the answer to the request 2 came out of order: line 9 expects it";
        assert_eq!(found(&answer("2", 0), DUE), mismatch(out));
        assert_eq!(
            found(NOTE, None),
            mismatch("the notification \"n\" came out of order: line 11 expects it")
        );
        let early = "an answer to the request 7 came before it was sent".to_owned();
        assert_eq!(found(&answer("7", 0), UNASKED), Err((Outcome::ExtraMessage, early)));
    }

    #[test]
    fn an_answer_that_is_due_may_be_early_for_a_step_without_order() {
        let outlook = Outlook { unordered: vec![wanted(&answer("2", 0)), wanted("")], ..Outlook::default() };
        let early = |actual: &str, standing| is_early(&message(actual), standing, &outlook);
        assert!(early(&answer("2", 5), DUE) && early(&answer("2", 0), Some(Standing::Cancelled(0))));
        assert!(!early(&answer("2", 0), UNASKED) && !early(&answer("2", 0), Some(Standing::Again(0))));
        assert!(!early(&answer("3", 0), DUE) && !early(NOTE, None));
        let noted = Outlook { unordered: vec![wanted(NOTE)], ..Outlook::default() };
        assert!(is_early(&message(NOTE), None, &noted));
    }

    #[test]
    fn an_id_that_is_not_pinned_is_the_one_that_came() {
        let text = r#"{"jsonrpc":"2.0","id":"{{it:token}}","method":"ping"}"#;
        let pattern = Pattern::of(text, &mut |_| Err(String::new())).expect("a pattern");
        let content =
            Content { text: text.to_owned(), identity: message(text).identity, pattern: Some(pattern) };
        let open = Wanted { line: 5, content: Some(content) };
        let actual = r#"{"jsonrpc":"2.0","id":"a1","method":"ping"}"#;
        let (against, fitted) = open.against(actual);
        let content = against.content.expect("a content");
        assert_eq!((content.text.as_str(), content.identity), (actual, message(actual).identity));
        assert_eq!(fitted.expect("it fits").kept, [("it".to_owned(), "a1".to_owned())]);
        let (same, none) = wanted(&answer("1", 0)).against(actual);
        assert_eq!((same, none), (wanted(&answer("1", 0)), None));
    }

    #[test]
    fn a_finding_says_what_was_waited_for() {
        let (one, gap) = (wanted(&answer("1", 0)), wanted(""));
        let finding = place(&message(NOTE), UNASKED, false, &[&one, &gap], &Outlook::default());
        let details = finding.expect_err("a stranger").details;
        assert_eq!(details, ["line 5 waits for the answer to the request 1"]);
    }
}
