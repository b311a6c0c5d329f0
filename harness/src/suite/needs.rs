//! What a machine must have for a conversation to say anything, and whether this one has it.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::conversation::Need;

/// The first of these needs that this machine does not meet. Each is looked at once.
#[must_use]
pub fn first_unmet(needs: &[Need]) -> Option<Need> {
    needs.iter().copied().find(|need| !is_met(*need))
}

fn is_met(need: Need) -> bool {
    static PYTHON3: OnceLock<bool> = OnceLock::new();
    static LANDLOCK: OnceLock<bool> = OnceLock::new();
    static GIT: OnceLock<bool> = OnceLock::new();
    match need {
        Need::Python3 => *PYTHON3.get_or_init(|| starts("python3")),
        Need::Landlock => *LANDLOCK.get_or_init(has_landlock),
        Need::Git => *GIT.get_or_init(|| starts("git")),
    }
}

fn starts(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Asks the kernel for a rule set and never applies it.
#[cfg(target_os = "linux")]
fn has_landlock() -> bool {
    use landlock::{AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};

    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::WriteFile)
        .and_then(Ruleset::create)
        .is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_landlock() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_start_is_not_there() {
        assert!(!starts("no-such-program-at-all"));
    }

    #[test]
    fn the_first_unmet_need_is_named() {
        assert_eq!(first_unmet(&[]), None);
        let unmet: Vec<_> = Need::ALL.into_iter().filter(|need| !is_met(*need)).collect();
        assert_eq!(first_unmet(&Need::ALL), unmet.first().copied());
    }
}
