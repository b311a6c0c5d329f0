//! Giving up write access, for the process and for every child it will have.
//!
//! Owns which rights go. Reading and running programs stay: isolation is about what is left behind, not about what is
//! seen. Must not decide what a lack of it means.

/// Gives up writing, creating, renaming and removing anything on any file system. It holds for the calling thread
/// and for what it starts from then on, so it comes before any other thread.
///
/// # Errors
/// What the kernel lacks; then less was given up, or nothing.
pub fn give_up_writing() -> Result<(), String> {
    let lack = |why: String| format!("no se pudo renunciar a escribir: {why}");
    #[cfg(target_os = "linux")]
    {
        restricted().map_err(lack)
    }
    #[cfg(not(target_os = "linux"))]
    {
        Err(lack("este sistema no tiene Landlock".to_owned()))
    }
}

#[cfg(target_os = "linux")]
fn restricted() -> Result<(), String> {
    use landlock::{
        ABI, AccessFs, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
        path_beneath_rules,
    };

    let given_up = || -> Result<RulesetStatus, RulesetError> {
        // What `git` opens for writing as it starts. Whatever is written there is gone.
        let null = path_beneath_rules(["/dev/null"], AccessFs::WriteFile);
        // The first version that also knows about cutting a file short.
        let rules =
            Ruleset::default().handle_access(AccessFs::from_write(ABI::V3))?.create()?.add_rules(null)?;
        Ok(rules.restrict_self()?.ruleset)
    };
    match given_up() {
        Ok(RulesetStatus::FullyEnforced) => Ok(()),
        Ok(RulesetStatus::PartiallyEnforced) => Err("este kernel tiene un Landlock incompleto".to_owned()),
        Ok(RulesetStatus::NotEnforced) => Err("este kernel no tiene Landlock".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
