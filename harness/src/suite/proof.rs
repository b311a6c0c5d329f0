//! The test target: each conversation is one test of libtest's kind, with Cargo's own flags.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use super::discover::{Entry, discover};
use super::env::is_ci;
use super::judge::{Rerun, Runner, judge};
use super::needs::first_unmet;
use super::patience::Patience;
use super::{Built, build};
use crate::engine::{Outcome, Target};
use crate::gate::fingerprint::Fingerprints;
use crate::requirements;

/// Libtest's own exit code for failures, which every other reason to fail shares.
const FAILED: u8 = 101;

/// Where this workspace's parts lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Its root.
    pub root: PathBuf,
}

impl Workspace {
    /// The workspace that this library was built in.
    #[must_use]
    pub fn own() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self { root: package.parent().unwrap_or(package).to_owned() }
    }

    /// The folder of the conversations.
    #[must_use]
    pub fn conversations(&self) -> PathBuf {
        self.root.join("conversaciones")
    }

    /// The workspace's own server, over the project that a conversation names.
    #[must_use]
    pub fn target(&self, executable: &Path, version: &str) -> Target {
        let command: [OsString; 3] = [executable.into(), "--proyecto".into(), "{{project}}".into()];
        Target {
            command: command.into(),
            version: Some(version.to_owned()),
            projects: self.conversations().join("proyectos"),
            embedded_root: Some(self.root.join("server/nucleo/base")),
        }
    }
}

/// Runs every conversation through the crate's own binary: the whole `main` of a test target with `harness = false`.
///
/// `executable` is `env!("CARGO_BIN_EXE_…")`, `version` is `env!("CARGO_PKG_VERSION")` of that crate.
#[must_use]
pub fn prove(executable: &str, version: &str) -> ExitCode {
    let built = Built { executable: executable.into(), version: version.to_owned() };
    let workspace = Workspace::own();
    run(&workspace, Vec::new(), || {
        // The gate believes a log that says what it was taken on; without this line it objects.
        if let Ok(fingerprints) = Fingerprints::take_from_disk(&workspace.root) {
            let _ = writeln!(io::stdout(), "{}", fingerprints.stamp());
        }
        Ok(built)
    })
}

/// Asks Cargo to build the server and runs every conversation through it; the list of requirements is one more test.
#[must_use]
pub fn prove_built() -> ExitCode {
    let workspace = Workspace::own();
    let folder = workspace.conversations();
    let audit = Trial::test(requirements::FILE.trim_end_matches(".toml"), move || {
        requirements::audit(&folder).map(drop).map_err(Failed::from)
    });
    run(&workspace, vec![audit], || build(&workspace.root).map_err(|fault| fault.to_string()))
}

fn run(workspace: &Workspace, more: Vec<Trial>, server: impl FnOnce() -> Result<Built, String>) -> ExitCode {
    match conclude(&Arguments::from_args(), workspace, more, server) {
        Ok(conclusion) => conclusion.exit_code(),
        Err(why) => {
            // A closed stderr has nobody to tell; the exit code still says it.
            let _ = writeln!(io::stderr(), "conversations: {why}");
            ExitCode::from(FAILED)
        }
    }
}

/// Runs what the arguments select; the error says why nothing was shown.
fn conclude(
    arguments: &Arguments,
    workspace: &Workspace,
    more: Vec<Trial>,
    server: impl FnOnce() -> Result<Built, String>,
) -> Result<Conclusion, String> {
    let entries = discover(&workspace.conversations()).map_err(|fault| fault.to_string())?;
    // A list runs nothing, so it needs no server.
    let built = if arguments.list { Built::default() } else { server()? };
    let target = workspace.target(&built.executable, &built.version);
    let runner = Arc::new(Runner {
        target,
        command: Rerun::default(),
        patience: Arc::new(Patience::of_surroundings()),
    });
    let mut trials: Vec<_> = entries.into_iter().map(|entry| trial(entry, Arc::clone(&runner))).collect();
    trials.extend(more);
    let conclusion = libtest_mimic::run(arguments, trials);
    let selected = conclusion.num_passed + conclusion.num_failed + conclusion.num_ignored;
    if selected == 0 && !arguments.list {
        return Err("no conversation is selected; `--list` names them all".to_owned());
    }
    Ok(conclusion)
}

fn trial(entry: Entry, runner: Arc<Runner>) -> Trial {
    let needs = entry.conversation.as_ref().map_or(&[][..], |conversation| &conversation.header.needs);
    let not_applicable = !is_ci() && first_unmet(needs).is_some();
    Trial::test(entry.name.clone(), move || {
        let judged = judge(&entry, &runner);
        match judged.outcome {
            Outcome::Passed => Ok(()),
            _ => Err(Failed::from(judged.words)),
        }
    })
    .with_ignored_flag(not_applicable)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PASSES: &str = "# It.\n---\neof\nexit 0\n";

    fn conclude_in(
        arguments: &[&str],
        files: &[(&str, &str)],
        more: Vec<Trial>,
    ) -> Result<Conclusion, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = Workspace { root: folder.path().to_owned() };
        fs::create_dir(workspace.conversations()).expect("a folder");
        for (name, text) in files {
            fs::write(workspace.conversations().join(name), text).expect("a conversation");
        }
        // It says nothing and ends well, whatever its arguments.
        let executable = PathBuf::from("true");
        let mut arguments = Arguments::from_iter(std::iter::once(&"test").chain(arguments));
        arguments.logfile = Some(folder.path().join("log").display().to_string());
        conclude(&arguments, &workspace, more, || Ok(Built { executable, version: "1".to_owned() }))
    }

    fn counts(conclusion: Result<Conclusion, String>) -> Result<(u64, u64, u64), String> {
        conclusion.map(|it| (it.num_passed, it.num_failed, it.num_filtered_out))
    }

    #[test]
    fn each_conversation_is_a_test() {
        let fails = PASSES.replace("exit 0", "exit 1");
        let files = [("a.conv", PASSES), ("ab.conv", fails.as_str()), ("b.conv", "no conversation\n")];
        assert_eq!(counts(conclude_in(&[], &files, vec![])), Ok((1, 2, 0)));
        assert_eq!(counts(conclude_in(&["a"], &files, vec![])), Ok((1, 1, 1)));
        assert_eq!(counts(conclude_in(&["--exact", "a"], &files, vec![])), Ok((1, 0, 2)));
        assert_eq!(counts(conclude_in(&["--skip", "b"], &files, vec![])), Ok((1, 0, 2)));
        let more = vec![Trial::test("more", || Ok(()))];
        assert_eq!(counts(conclude_in(&["more"], &files, more)), Ok((1, 0, 3)));
    }

    #[test]
    fn what_selects_nothing_is_an_error_of_its_own() {
        let none = conclude_in(&["--exact", "ab"], &[("a.conv", PASSES)], vec![]);
        assert!(none.is_err_and(|why| why.starts_with("no conversation is selected")));
        assert!(conclude_in(&[], &[], vec![]).is_err_and(|why| why.ends_with("no conversation in it")));
    }

    #[test]
    fn a_list_needs_no_server_and_a_run_does() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = Workspace { root: folder.path().to_owned() };
        fs::create_dir(workspace.conversations()).expect("a folder");
        fs::write(workspace.conversations().join("a.conv"), PASSES).expect("a conversation");
        let conclude_with = |arguments: &[&str]| {
            let mut arguments = Arguments::from_iter(std::iter::once(&"test").chain(arguments));
            arguments.logfile = Some(folder.path().join("log").display().to_string());
            conclude(&arguments, &workspace, vec![], || Err("it does not compile".to_owned()))
        };
        assert!(conclude_with(&["--list"]).is_ok());
        assert!(conclude_with(&[]).is_err_and(|why| why == "it does not compile"));
    }
}
