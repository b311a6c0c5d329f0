//! The values of placeholders while a conversation runs.
//!
//! Owns where each value comes from; how a text with placeholders is written is [`crate::conversation::placeholder`]'s.

use std::collections::BTreeMap;
use std::path::Path;

use super::canonical::canonical;
use super::fingerprint::{self, Roots};
use super::report::Outcome;
use crate::conversation::Fingerprint;
use crate::conversation::placeholder::{self, Pattern, Placeholder, PlaceholderFault};

/// What a running conversation knows.
#[derive(Clone, Copy, Debug)]
pub struct Values<'v> {
    /// The project's copy and the embedded sources.
    pub roots: Roots<'v>,
    /// The scratch folder.
    pub scratch: &'v Path,
    /// The server's version, where somebody said it.
    pub version: Option<&'v str>,
    /// What each `let` so far has computed.
    pub names: &'v BTreeMap<String, String>,
}

/// A text that could not be resolved: whose fault that is, and why.
pub type Unresolved = (Outcome, String);

impl Values<'_> {
    /// Resolves a message; values are escaped as JSON text.
    ///
    /// # Errors
    /// A placeholder without a value.
    pub fn message(&self, text: &str) -> Result<String, Unresolved> {
        placeholder::resolve_message(text, &mut |placeholder| self.value(placeholder)).map_err(blame)
    }

    /// Resolves an expected message, but for what it does not pin.
    ///
    /// # Errors
    /// A placeholder without a value.
    pub fn pattern(&self, text: &str) -> Result<Pattern, Unresolved> {
        Pattern::of(text, &mut |placeholder| self.value(placeholder)).map_err(blame)
    }

    /// Resolves any other text; values stand as they are.
    ///
    /// # Errors
    /// A placeholder without a value.
    pub fn plain(&self, text: &str) -> Result<String, Unresolved> {
        placeholder::resolve_plain(text, &mut |placeholder| self.value(placeholder)).map_err(blame)
    }

    /// Computes what a `let` is taken over.
    ///
    /// # Errors
    /// A placeholder without a value, a pattern that matches nothing, a text that has no canonical form.
    pub fn fingerprint(&self, over: &Fingerprint) -> Result<String, Unresolved> {
        let bad = |why| (Outcome::BadFixture, why);
        match over {
            Fingerprint::Files(patterns) => fingerprint::of_files(self.roots, patterns).map_err(bad),
            Fingerprint::Canonical(json) => {
                let form = canonical(&self.message(json)?).map_err(bad)?;
                Ok(fingerprint::of_bytes(form.as_bytes()))
            }
        }
    }

    fn value(&self, placeholder: &Placeholder) -> Result<String, String> {
        match placeholder {
            Placeholder::Project => path(self.roots.project),
            Placeholder::Scratch => path(self.scratch),
            Placeholder::Version => {
                self.version.map(str::to_owned).ok_or_else(|| "nobody said the server's version".to_owned())
            }
            Placeholder::Sha256(file) => fingerprint::of_file(self.roots, file),
            Placeholder::Named(name) => {
                self.names.get(name).cloned().ok_or_else(|| "no step above gave this name a value".to_owned())
            }
            Placeholder::Text | Placeholder::Braces | Placeholder::Loose(_) => {
                Err("it stands for no value".to_owned())
            }
        }
    }
}

fn path(path: &Path) -> Result<String, String> {
    path.to_str().map(str::to_owned).ok_or_else(|| "the path is not UTF-8".to_owned())
}

/// A version that nobody gave is no fault of the conversation.
fn blame(fault: PlaceholderFault) -> Unresolved {
    let outcome = match fault {
        PlaceholderFault::NoValue(Placeholder::Version, _) => Outcome::HarnessError,
        _ => Outcome::BadFixture,
    };
    (outcome, fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&str, (Outcome, &str)>) {
        let names = BTreeMap::from([("h".to_owned(), "cafe".to_owned())]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("f"), "X").expect("a file");
        let roots = Roots { project: folder.path(), embedded: None };
        let version = expect.is_ok().then_some("1.2");
        let values = Values { roots, scratch: Path::new("/s \"q\""), version, names: &names };
        let project = folder.path().to_str().expect("UTF-8");
        match (values.message(text), expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect.replace('@', project)),
            (Err((outcome, why)), Err((expect, word))) => {
                assert_eq!(outcome, expect, "{text}");
                assert!(why.contains(word), "{why}");
            }
            (found, expect) => panic!("{text}: {found:?}, {expect:?}"),
        }
    }

    #[test]
    fn every_placeholder_has_its_value() {
        check(r#"["{{project}}","{{version}}","{{h}}"]"#, Ok(r#"["@","1.2","cafe"]"#));
        check(r#"["{{scratch}}","{{braces}}"]"#, Ok(r#"["/s \"q\"","{{"]"#));
        let x = "4b68ab3847feda7d6c62c1fbcbeebfa35eab7351ed5e78f4ddadea5df64b8015";
        check(r#"["{{sha256:f}}"]"#, Ok(&format!("[\"{x}\"]")));
    }

    #[test]
    fn a_value_that_lacks_is_somebodys_fault() {
        check(r#"["{{version}}"]"#, Err((Outcome::HarnessError, "nobody said the server's version")));
        check(r#"["{{other}}"]"#, Err((Outcome::BadFixture, "no step above gave this name a value")));
        check(r#"["{{sha256:g}}"]"#, Err((Outcome::BadFixture, "\"g\": ")));
        check(r#"["{{text}}"]"#, Err((Outcome::BadFixture, "structuredContent")));
        check(r#"["{{?}}"]"#, Err((Outcome::BadFixture, "unknown placeholder")));
    }

    #[test]
    fn plain_texts_are_not_escaped_and_fingerprints_are_canonical() {
        let names = BTreeMap::new();
        let roots = Roots { project: Path::new("/p"), embedded: None };
        let values = Values { roots, scratch: Path::new("/s\"q"), version: None, names: &names };
        assert_eq!(values.plain("in {{scratch}}"), Ok("in /s\"q".to_owned()));
        assert_eq!(values.plain("{{text}}").map_err(|(outcome, _)| outcome), Err(Outcome::BadFixture));
        let over = |json: &str| values.fingerprint(&Fingerprint::Canonical(json.to_owned()));
        assert_eq!(
            over(r#"{"b":1e2,"a":"{{project}}"}"#),
            Ok(fingerprint::of_bytes(br#"{"a":"/p","b":100.0}"#))
        );
        assert!(over("{").is_err() && over("[\"{{h}}\"]").is_err());
        let files = values.fingerprint(&Fingerprint::Files(vec!["x".to_owned()]));
        assert_eq!(files.map_err(|(outcome, _)| outcome), Err(Outcome::BadFixture));
    }
}
