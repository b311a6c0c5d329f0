//! Why there is no census: an input that cannot be used.

use std::fmt;

/// The kind of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A file cannot be read, or is no UTF-8.
    Unreadable,
    /// A line of a list, or an entry of an OpenAPI document, is no operation.
    BadOperation,
    /// An operation comes twice.
    RepeatedOperation,
    /// The sources name no operation at all.
    NoOperations,
    /// An OpenAPI document is no JSON, or of no revision that is read.
    BadOpenApi,
    /// A reference inside an OpenAPI document leads nowhere, out of it, or to itself.
    BadReference,
    /// The postures are no such TOML, or one of them is none.
    BadPostures,
    /// The tools are no list of tools.
    BadTools,
    /// The server cannot be asked for its tools.
    NoServer,
    /// The document has no block to write or to compare.
    NoBlock,
}

impl Code {
    /// Its one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::BadOperation => "bad_operation",
            Self::RepeatedOperation => "repeated_operation",
            Self::NoOperations => "no_operations",
            Self::BadOpenApi => "bad_openapi",
            Self::BadReference => "bad_reference",
            Self::BadPostures => "bad_postures",
            Self::BadTools => "bad_tools",
            Self::NoServer => "no_server",
            Self::NoBlock => "no_block",
        }
    }
}

/// Why there is no census, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub code: Code,
    /// The file, and the place in it where there is one.
    pub place: String,
    /// What is wrong there.
    pub why: String,
}

impl Fault {
    /// A fault at a place that [`Fault::within`] completes.
    pub(super) fn new(code: Code, why: impl Into<String>) -> Self {
        Self { code, place: String::new(), why: why.into() }
    }

    /// Says where inside the file it is.
    pub(super) fn at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// Names the file that it is in.
    #[must_use]
    pub fn within(self, file: &str) -> Self {
        let place = if self.place.is_empty() { file.to_owned() } else { format!("{file}: {}", self.place) };
        Self { place, ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, place, why } = self;
        let colon = if place.is_empty() { "" } else { ": " };
        write!(f, "{}: {place}{colon}{why}", code.word())
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_its_kind_its_place_and_its_reason() {
        let fault = Fault::new(Code::BadOperation, "it is empty");
        assert_eq!(fault.to_string(), "bad_operation: it is empty");
        assert_eq!(fault.clone().within("a.txt").to_string(), "bad_operation: a.txt: it is empty");
        let placed = fault.at("line 3").within("a.txt");
        assert_eq!(placed.to_string(), "bad_operation: a.txt: line 3: it is empty");
    }

    #[test]
    fn each_kind_has_a_word_of_its_own() {
        use Code::*;
        let all = [
            Unreadable,
            BadOperation,
            RepeatedOperation,
            NoOperations,
            BadOpenApi,
            BadReference,
            BadPostures,
            BadTools,
            NoServer,
            NoBlock,
        ];
        let words: std::collections::BTreeSet<_> = all.iter().map(|code| code.word()).collect();
        assert_eq!(words.len(), all.len());
        assert!(words.iter().all(|word| word.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase())));
        assert!(words.contains("no_server") && words.contains("bad_openapi"));
    }
}
