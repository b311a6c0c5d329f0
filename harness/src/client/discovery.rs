//! Why a server cannot be used at all: the only failures that stop a host.

use std::fmt;

use super::observation::Failure;

/// Why no tool of this server is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoveryFault {
    /// Its command cannot be started.
    NotStarted(String),
    /// A request that discovery needs has failed.
    Unanswered {
        /// The request's method.
        method: &'static str,
        /// How it failed.
        failure: Failure,
    },
    /// It speaks no revision of the protocol that this client speaks; those it names.
    NoCommonVersion(Vec<String>),
    /// It does not say that it has tools.
    NoTools,
    /// Its list of tools is none, and why.
    NoList(String),
    /// It lists a name more than once, so that nobody knows what a call would run.
    Repeated(String),
    /// It offers names that the host's own tools have.
    Taken(Vec<String>),
}

impl fmt::Display for DiscoveryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(f, "the server does not start: {why}"),
            Self::Unanswered { method, failure } => write!(f, "{method}: {failure}"),
            Self::NoCommonVersion(versions) if versions.is_empty() => {
                f.write_str("the server names no version of the protocol that it speaks")
            }
            Self::NoCommonVersion(versions) => {
                write!(f, "the server speaks only other versions of the protocol: {}", versions.join(", "))
            }
            Self::NoTools => f.write_str("the server does not say that it has tools"),
            Self::NoList(why) => write!(f, "the server's list of tools is none: {why}"),
            Self::Repeated(name) => write!(f, "the server lists the tool `{name}` more than once"),
            Self::Taken(names) => {
                write!(f, "the server offers tools that the host already has: {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for DiscoveryFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_says_what_is_wrong() {
        let text = |name: &str| name.to_owned();
        let all = [
            (DiscoveryFault::NotStarted(text("x")), "the server does not start: x"),
            (
                DiscoveryFault::Unanswered { method: "tools/list", failure: Failure::InputRequired },
                "tools/list: the server asks for more input, and there is none to give",
            ),
            (
                DiscoveryFault::NoCommonVersion(Vec::new()),
                "the server names no version of the protocol that it speaks",
            ),
            (
                DiscoveryFault::NoCommonVersion(vec![text("a"), text("b")]),
                "the server speaks only other versions of the protocol: a, b",
            ),
            (DiscoveryFault::NoTools, "the server does not say that it has tools"),
            (DiscoveryFault::NoList(text("x")), "the server's list of tools is none: x"),
            (DiscoveryFault::Repeated(text("x")), "the server lists the tool `x` more than once"),
            (
                DiscoveryFault::Taken(vec![text("x"), text("y")]),
                "the server offers tools that the host already has: x, y",
            ),
        ];
        for (fault, words) in all {
            assert_eq!(fault.to_string(), words);
        }
    }
}
