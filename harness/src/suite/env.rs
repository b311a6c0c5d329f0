//! What the surroundings say: whether this is a CI run, and whether somebody forbids rewriting.

use std::env;

/// Whether `CI` is set to anything but nothing, `false` or `0`.
#[must_use]
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| is_set(&value.to_string_lossy()))
}

/// Why nothing may be rewritten here, if that is so: a CI run, or a caller that tests what stands.
#[must_use]
pub fn forbids_rewriting() -> Option<&'static str> {
    let update = env::var_os("INSTA_UPDATE").map(|value| value.to_string_lossy().into_owned());
    reason(is_ci(), update.as_deref())
}

fn is_set(value: &str) -> bool {
    !matches!(value, "" | "false" | "0")
}

fn reason(ci: bool, update: Option<&str>) -> Option<&'static str> {
    match update {
        _ if ci => Some("CI is set"),
        Some("no") => Some("INSTA_UPDATE=no is set"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ci_is_set_by_any_value_that_says_yes() {
        for value in ["true", "1", "yes", "github"] {
            assert!(is_set(value), "{value}");
        }
        for value in ["", "false", "0"] {
            assert!(!is_set(value), "{value}");
        }
    }

    #[test]
    fn rewriting_is_forbidden_under_ci_and_by_a_caller() {
        assert_eq!(reason(true, None), Some("CI is set"));
        assert_eq!(reason(false, Some("no")), Some("INSTA_UPDATE=no is set"));
        assert_eq!(reason(false, Some("always")), None);
        assert_eq!(reason(false, None), None);
    }
}
