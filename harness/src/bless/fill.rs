//! Puts what a server said into the answers of a conversation: the empty ones, or also those that stand.

use std::ops::Range;

use super::generalise::{Values, generalise};
use crate::conversation::{Action, Conversation, member, render};
use crate::engine::Answer;

/// Which answers may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only empty ones.
    Empty,
    /// Also those that stand and differ.
    Standing,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Lines of the answers that were empty.
    pub filled: Vec<usize>,
    /// Lines of the answers that stood and changed.
    pub changed: Vec<usize>,
    /// Lines of the answers that stand and differ, and may not be written.
    pub differing: Vec<usize>,
}

/// Writes answers: each stands at the line of the step that got it; inside a group, at any of its lines.
///
/// A step whose answer is not among them stays as it is.
pub fn fill(conversation: &mut Conversation, answers: &[Answer], values: &Values, scope: Scope) -> Filled {
    let mut filled = Filled::default();
    let mut index = 0;
    while index < conversation.steps.len() {
        let group = conversation.unordered_group(index);
        let slots = if group.is_empty() { index..index + 1 } else { group };
        let lines: Vec<_> = conversation.steps[slots.clone()].iter().map(|step| step.line).collect();
        let arrived: Vec<&str> = answers
            .iter()
            .filter(|answer| lines.contains(&answer.line))
            .map(|answer| answer.message.as_str())
            .collect();
        for (slot, message) in assign(conversation, slots.clone(), arrived, values) {
            write(conversation, slot, message, values, scope, &mut filled);
        }
        index = slots.end;
    }
    filled
}

/// Whether a message may take a place.
type Rule<'r> = &'r dyn Fn(usize, &str) -> bool;

/// Gives each message of a group its place: where it already stands, then where its id stands, then by the order of
/// the requests.
fn assign<'m>(
    conversation: &Conversation,
    slots: Range<usize>,
    mut messages: Vec<&'m str>,
    values: &Values,
) -> Vec<(usize, &'m str)> {
    let standing = |slot: usize| match &conversation.steps[slot].action {
        Action::Expect(message) | Action::ExpectUnordered(message) => message.as_deref(),
        _ => None,
    };
    messages.sort_by_key(|message| request_of(conversation, message));
    let mut free: Vec<usize> = slots.collect();
    let mut assigned = Vec::new();
    let same = |slot: usize, message: &str| standing(slot).is_some_and(|s| values.says(s, message));
    let answers =
        |slot: usize, message: &str| standing(slot).is_some_and(|s| id(s).is_some() && id(s) == id(message));
    let empty = |slot: usize, _: &str| standing(slot).is_none();
    let any = |_: usize, _: &str| true;
    for fits in [&same as Rule<'_>, &answers, &empty, &any] {
        messages.retain(|message| match free.iter().position(|slot| fits(*slot, message)) {
            Some(at) => {
                assigned.push((free.remove(at), *message));
                false
            }
            None => true,
        });
    }
    assigned.sort_unstable();
    assigned
}

/// The raw id of a message.
fn id(message: &str) -> Option<&str> {
    member(message, &["id"]).map(|range| &message[range])
}

/// Which request a message answers, by its place in the conversation; those that answer none come last.
fn request_of(conversation: &Conversation, message: &str) -> usize {
    let wanted = id(message);
    let asks =
        |action: &Action| matches!(action, Action::Send(sent) if wanted.is_some() && id(sent) == wanted);
    conversation.steps.iter().position(|step| asks(&step.action)).unwrap_or(usize::MAX)
}

fn write(
    conversation: &mut Conversation,
    slot: usize,
    message: &str,
    values: &Values,
    scope: Scope,
    filled: &mut Filled,
) {
    let step = &mut conversation.steps[slot];
    let (Action::Expect(expected) | Action::ExpectUnordered(expected)) = &mut step.action else { return };
    let lines = match expected {
        None => &mut filled.filled,
        Some(standing) if values.says(standing, message) => return,
        Some(_) if scope == Scope::Standing => &mut filled.changed,
        Some(_) => {
            filled.differing.push(step.line);
            return;
        }
    };
    lines.push(step.line);
    *expected = Some(generalise(message, values));
    step.source = render(&step.action);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{print, read};

    fn check(steps: &str, said: &[(usize, &str)], scope: Scope, expect: &str) -> Filled {
        let head = "# It shows.\n---\n";
        let end = "exit 0\n";
        let mut conversation = read(&format!("{head}{steps}{end}")).unwrap_or_else(|fault| panic!("{fault}"));
        let answer = |(step, message): &(usize, &str)| Answer {
            line: conversation.steps[*step].line,
            message: (*message).to_owned(),
            as_expected: false,
        };
        let said: Vec<_> = said.iter().map(answer).collect();
        let values = Values { project: Some("/p".to_owned()), ..Values::default() };
        let filled = fill(&mut conversation, &said, &values, scope);
        assert_eq!(print(&conversation), format!("{head}{expect}{end}"));
        filled
    }

    #[test]
    fn empty_answers_are_filled_and_everything_else_is_kept() {
        let filled = check(
            "# why\n> { \"id\":1 }\n\n<\n# then\n< {\"id\" : 2}\n",
            &[(1, r#"{"id":1,"p":"/p"}"#), (2, r#"{"id":2}"#)],
            Scope::Empty,
            "# why\n> { \"id\":1 }\n\n< {\"id\":1,\"p\":\"{{project}}\"}\n# then\n< {\"id\" : 2}\n",
        );
        assert_eq!(filled, Filled { filled: vec![6], ..Filled::default() });
    }

    #[test]
    fn an_answer_that_stands_is_changed_only_when_asked() {
        let steps = "< {\"id\":1,\n    \"a\":1}\n<\n";
        let said = [(0, r#"{"id":1,"a":2}"#), (1, r#"{"id":2}"#)];
        let filled = check(steps, &said, Scope::Empty, "< {\"id\":1,\n    \"a\":1}\n< {\"id\":2}\n");
        assert_eq!(filled, Filled { filled: vec![5], changed: vec![], differing: vec![3] });
        let filled = check(steps, &said, Scope::Standing, "< {\"id\":1,\"a\":2}\n< {\"id\":2}\n");
        assert_eq!(filled, Filled { filled: vec![5], changed: vec![3], differing: vec![] });
    }

    #[test]
    fn a_group_is_filled_in_the_order_of_its_requests() {
        check(
            "> {\"id\":1}\n> {\"id\":\"1\"}\n<~\n<~\n<~\n",
            &[(2, r#"{"method":"x"}"#), (3, r#"{"id":"1"}"#), (4, r#"{"id":1}"#)],
            Scope::Empty,
            "> {\"id\":1}\n> {\"id\":\"1\"}\n<~ {\"id\":1}\n<~ {\"id\":\"1\"}\n<~ {\"method\":\"x\"}\n",
        );
    }

    #[test]
    fn a_member_of_a_group_keeps_its_place() {
        let filled = check(
            "> {\"id\":1}\n> {\"id\":2}\n> {\"id\":3}\n<~ {\"id\":3}\n<~ {\"id\":2,\"a\":1}\n<~\n",
            &[(3, r#"{"id":1}"#), (4, r#"{"id":2,"a":2}"#), (5, r#"{"id":3}"#)],
            Scope::Standing,
            "> {\"id\":1}\n> {\"id\":2}\n> {\"id\":3}\n<~ {\"id\":3}\n<~ {\"id\":2,\"a\":2}\n<~ {\"id\":1}\n",
        );
        assert_eq!(filled, Filled { filled: vec![8], changed: vec![7], differing: vec![] });
    }

    #[test]
    fn what_an_answer_does_not_pin_is_no_difference() {
        let filled = check(
            "< {\"id\":1,\"a\":\"{{integer}}\"}\n<\n",
            &[(0, r#"{"id":1,"a":7}"#), (1, r#"{"id":2}"#)],
            Scope::Standing,
            "< {\"id\":1,\"a\":\"{{integer}}\"}\n< {\"id\":2}\n",
        );
        assert_eq!(filled.changed, Vec::<usize>::new());
    }

    #[test]
    fn an_answer_that_never_came_stays_as_it_is() {
        assert_eq!(check("<\n", &[], Scope::Standing, "<\n"), Filled::default());
    }
}
