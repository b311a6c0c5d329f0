//! What a text gives away of the machine it was written on: values of variables, home folders, the host's name.
//!
//! Says names and never values. Functions of texts; only [`Naming::of_surroundings`] looks at the machine.

use std::env;

use crate::conversation::escape;

/// Shorter values stand in any text by chance.
const SHORTEST: usize = 6;

/// Variables that say nothing of a person or a machine.
const HARMLESS: [&str; 9] = [
    "TERM",
    "LANG",
    "LANGUAGE",
    "SHELL",
    "COLORTERM",
    "PAGER",
    "EDITOR",
    "CARGO_PKG_NAME",
    "CARGO_PKG_VERSION",
];

/// Where home folders lie.
const HOMES: [&str; 3] = ["/home/", "/Users/", "C:\\Users\\"];

/// What is looked for in texts.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// What it is called, and its value as JSON writes it.
    known: Vec<(String, String)>,
}

impl Naming {
    /// What this process and this machine are set to.
    pub fn of_surroundings() -> Self {
        let host = rustix::system::uname();
        let variables = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::of(variables, &host.nodename().to_string_lossy())
    }

    /// What variables and a host are called.
    fn of(variables: impl Iterator<Item = (String, String)>, host: &str) -> Self {
        let telling = |(name, value): &(String, String)| {
            let home = name == "HOME" && value.len() > 1;
            home || (value.len() >= SHORTEST
                && !HARMLESS.contains(&name.as_str())
                && !name.starts_with("LC_"))
        };
        let mut known: Vec<_> = variables
            .filter(telling)
            .map(|(name, value)| (format!("the variable {name}"), escape(&value)))
            .collect();
        known.sort();
        if host.len() >= SHORTEST && host != "localhost" {
            known.push(("this host's name".to_owned(), escape(host)));
        }
        Self { known }
    }

    /// What a text holds, each once, in the order of their names.
    pub fn found_in(&self, text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = self
            .known
            .iter()
            .filter(|(_, value)| text.contains(value))
            .map(|(name, _)| name.as_str())
            .collect();
        let home = HOMES.iter().any(|home| text.contains(&escape(home)));
        if home && !found.contains(&"the variable HOME") {
            found.push("a home folder");
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_gives_away_is_named_and_not_said() {
        let variables = [
            ("HOME", "/root"),
            ("API_KEY", "s3cr\"et-7"),
            ("SHORT", "abcde"),
            ("TERM", "xterm-256color"),
            ("LC_ALL", "C.UTF-8"),
            ("AGENT", "abcdef"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let naming = Naming::of(variables.into_iter(), "build-7");
        let check = |text: &str, expect: &[&str]| assert_eq!(naming.found_in(text), expect, "{text}");
        check(r#"{"a":"s3cr\"et-7","b":"/root/x"}"#, &["the variable API_KEY", "the variable HOME"]);
        check("on build-7 as abcdef", &["the variable AGENT", "this host's name"]);
        check("abcde xterm-256color C.UTF-8", &[]);
        check("/home/x and /root", &["the variable HOME"]);
        check("/home/x", &["a home folder"]);
        check(r#""C:\\Users\\x""#, &["a home folder"]);
    }

    #[test]
    fn a_host_without_a_name_of_its_own_is_not_looked_for() {
        for host in ["localhost", "pc", ""] {
            assert!(Naming::of([].into_iter(), host).found_in("localhost pc").is_empty(), "{host}");
        }
        let root = [("HOME".to_owned(), "/".to_owned())];
        assert!(Naming::of(root.into_iter(), "").found_in("a/b").is_empty());
    }

    #[test]
    fn this_machine_is_known() {
        let home = env::var("HOME").unwrap_or_default();
        let found = Naming::of_surroundings();
        assert_eq!(found.found_in(&home).contains(&"the variable HOME"), home.len() > 1);
    }
}
