//! Which messages of a server may come in another order the next time.
//!
//! Requests that were under way at the same time make a race: what the server said while it ran is in no order that it
//! promised. Functions of values.

use std::ops::RangeInclusive;

use super::transcript::Entry;

/// For each entry, whether it is a message that was part of a race.
///
/// Only requests that were answered count: one that was cancelled, or never answered, waits without saying anything.
pub fn races(entries: &[Entry]) -> Vec<bool> {
    let mut loose = vec![false; entries.len()];
    for race in spans(entries) {
        for at in race {
            loose[at] = matches!(entries[at], Entry::Said { .. });
        }
    }
    loose
}

/// From the first request of each race to its last answer.
fn spans(entries: &[Entry]) -> Vec<RangeInclusive<usize>> {
    let mut answered: Vec<RangeInclusive<usize>> = Vec::new();
    for (end, entry) in entries.iter().enumerate() {
        let Entry::Said { answers: Some(request), .. } = entry else { continue };
        let asks =
            |entry: &Entry| matches!(entry, Entry::Sent { requests, .. } if requests.contains(request));
        answered.extend(entries[..end].iter().position(asks).map(|start| start..=end));
    }
    answered.sort_by_key(|span| *span.start());
    let mut races: Vec<(RangeInclusive<usize>, usize)> = Vec::new();
    for span in answered {
        match races.last_mut() {
            Some((race, requests)) if race.contains(span.start()) => {
                *race = *race.start()..=*race.end().max(span.end());
                *requests += 1;
            }
            _ => races.push((span, 1)),
        }
    }
    races.into_iter().filter(|(_, requests)| *requests > 1).map(|(race, _)| race).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `3` sends the request 3, `3.` answers it, `n` is a notification, `-` anything else.
    fn check(script: &str, expect: &str) {
        let words: Vec<_> = script.split(' ').collect();
        let said = |answers| Entry::Said { message: String::new(), answers, cancelled: false };
        let entries: Vec<_> = words
            .iter()
            .map(|word| match (*word, word.strip_suffix('.')) {
                ("n", _) => said(None),
                ("-", _) => Entry::Closed,
                (_, Some(request)) => said(Some(request.parse().expect("a number"))),
                (request, None) => {
                    let request = request.parse().expect("a number");
                    Entry::Sent { bytes: Vec::new(), requests: request..request + 1 }
                }
            })
            .collect();
        let loose = races(&entries);
        let found: Vec<_> =
            words.iter().zip(loose).filter(|(_, loose)| *loose).map(|(word, _)| *word).collect();
        assert_eq!(found.join(" "), expect, "{script}");
    }

    #[test]
    fn one_request_after_the_other_is_no_race() {
        check("0 0. 1 n 1. n", "");
        check("0 n n 0.", "");
    }

    #[test]
    fn requests_under_way_at_once_race_with_all_that_is_said_meanwhile() {
        check("0 1 0. 1. 2 2.", "0. 1.");
        check("0 1 n 1. n 0. n", "n 1. n 0.");
        check("0 1 0. 2 2. - 1.", "0. 2. 1.");
        check("0 1 2 1. 0. 2.", "1. 0. 2.");
    }

    #[test]
    fn what_is_never_answered_does_not_race() {
        check("0 1 1. 2 2.", "");
        check("0 1 1. -", "");
    }

    #[test]
    fn two_races_are_two() {
        check("0 1 1. 0. n 2 3 2. 3.", "1. 0. 2. 3.");
    }

    #[test]
    fn two_requests_of_one_line_race() {
        let entries = [
            Entry::Sent { bytes: Vec::new(), requests: 0..2 },
            Entry::Said { message: String::new(), answers: Some(1), cancelled: false },
            Entry::Said { message: String::new(), answers: Some(0), cancelled: false },
        ];
        assert_eq!(races(&entries), [false, true, true]);
    }
}
