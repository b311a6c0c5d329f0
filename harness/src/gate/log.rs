//! Reads what the conversations printed into a log of cargo-mutants.
//!
//! Owns the form of libtest's output, as far as the gate needs it: which tests ran, which failed, and with what
//! words. Says nothing about what that is worth.

use std::collections::BTreeMap;

/// How one test of a log ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `ok`
    Passed,
    /// `FAILED`, and what it printed.
    Failed(String),
    /// `ignored`
    Ignored,
}

/// Every test that a log names, by name.
#[must_use]
pub fn tests(log: &str) -> BTreeMap<String, Ended> {
    let mut tests = BTreeMap::new();
    for line in log.lines() {
        let Some((name, word)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) else {
            continue;
        };
        let ended = match word.split(',').next().unwrap_or(word).trim() {
            "ok" => Ended::Passed,
            "FAILED" => Ended::Failed(String::new()),
            "ignored" => Ended::Ignored,
            _ => continue,
        };
        tests.insert(name.trim_end().to_owned(), ended);
    }
    for (name, words) in messages(log) {
        if let Some(Ended::Failed(message)) = tests.get_mut(&name) {
            *message = words;
        }
    }
    tests
}

/// The `---- NAME ----` blocks of a log: what each failed test printed.
fn messages(log: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in log.lines() {
        let title = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" ----"));
        if let Some(name) = title {
            blocks.push((name.strip_suffix(" stdout").unwrap_or(name).to_owned(), String::new()));
            open = true;
        } else if line == "failures:" || line.starts_with("test result:") {
            open = false;
        } else if let (true, Some((_, words))) = (open, blocks.last_mut()) {
            words.push_str(line);
            words.push('\n');
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "
*** baseline
     Running `target/conversaciones`
running 4 tests
test a/uno.conv  ... ok
test a/dos.conv  ... FAILED
test b/tres.conv ... FAILED
test b/four.conv ... ignored, needs python3
test result of something else ... perhaps

failures:

---- a/dos.conv ----
mismatch: one
two

---- b/tres.conv stdout ----
timeout

failures:
    a/dos.conv
    b/tres.conv

test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
error: test failed
";

    #[test]
    fn tests_come_with_their_end_and_their_words() {
        let expect = [
            ("a/dos.conv", Ended::Failed("mismatch: one\ntwo\n\n".to_owned())),
            ("a/uno.conv", Ended::Passed),
            ("b/four.conv", Ended::Ignored),
            ("b/tres.conv", Ended::Failed("timeout\n\n".to_owned())),
        ];
        let found: Vec<_> = tests(LOG).into_iter().collect();
        let expect: Vec<_> = expect.into_iter().map(|(name, ended)| (name.to_owned(), ended)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn a_log_without_tests_has_none() {
        assert!(tests("").is_empty());
        assert!(tests("running 0 tests\n\ntest result: ok. 0 passed; 0 failed").is_empty());
        assert!(tests("error: could not compile `server`").is_empty());
    }
}
