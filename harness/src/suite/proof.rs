//! The test target: each conversation is one test of libtest's kind, with Cargo's own flags.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use super::discover::{Entry, discover};
use super::env::is_ci;
use super::judge::{Rerun, Runner, judge, quoted, shown};
use super::needs::first_unmet;
use super::patience::Patience;
use super::{Built, build};
use crate::conversation::join_words;
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
    prove_own(&workspace, Vec::new(), || {
        // The gate believes a log that says what it was taken on; without this line it objects.
        if let Ok(fingerprints) = Fingerprints::take_from_disk(&workspace.root) {
            let _ = writeln!(io::stdout(), "{}", fingerprints.stamp());
        }
        Ok(built)
    })
}

/// Runs a folder of conversations over any server: the whole `main` of a test target with `harness = false`, in a crate
/// that has nothing of this workspace but this library.
///
/// `folder` is relative to that crate, where Cargo runs its tests; projects lie under its `proyectos/`. `command` is the
/// server, most often `&[env!("CARGO_BIN_EXE_…")]`; `{{project}}` in its arguments is the project's copy. `version` is what
/// `{{version}}` stands for.
#[must_use]
pub fn prove_folder(folder: impl AsRef<Path>, command: &[&str], version: &str) -> ExitCode {
    let folder = folder.as_ref();
    let target = Target {
        command: command.iter().map(OsString::from).collect(),
        version: Some(version.to_owned()),
        projects: folder.join("proyectos"),
        embedded_root: None,
    };
    let words: Vec<_> = command.iter().map(|word| (*word).to_owned()).collect();
    let options = [("server", join_words(&words)), ("server-version", version.to_owned())];
    let options = options.into_iter().chain([("root", shown(folder).display().to_string())]);
    let options = options.map(|(name, value)| format!(" --{name} {}", quoted(&value))).collect();
    let command = Rerun { options, ..Rerun::default() };
    report(run(&Arguments::from_args(), folder, command, Vec::new(), || Ok(target)))
}

/// Asks Cargo to build the server and runs every conversation through it; the list of requirements is one more test.
#[must_use]
pub fn prove_built() -> ExitCode {
    let workspace = Workspace::own();
    let folder = workspace.conversations();
    let audit = Trial::test(requirements::FILE.trim_end_matches(".toml"), move || {
        requirements::audit(&folder).map(drop).map_err(Failed::from)
    });
    prove_own(&workspace, vec![audit], || build(&workspace.root).map_err(|fault| fault.to_string()))
}

fn prove_own(
    workspace: &Workspace,
    more: Vec<Trial>,
    server: impl FnOnce() -> Result<Built, String>,
) -> ExitCode {
    let target = || server().map(|built| workspace.target(&built.executable, &built.version));
    report(run(&Arguments::from_args(), &workspace.conversations(), Rerun::default(), more, target))
}

fn report(concluded: Result<Conclusion, String>) -> ExitCode {
    match concluded {
        Ok(conclusion) => conclusion.exit_code(),
        Err(why) => {
            // A closed stderr has nobody to tell; the exit code still says it.
            let _ = writeln!(io::stderr(), "conversations: {why}");
            ExitCode::from(FAILED)
        }
    }
}

/// Runs what the arguments select; the error says why nothing was shown.
fn run(
    arguments: &Arguments,
    folder: &Path,
    command: Rerun,
    more: Vec<Trial>,
    server: impl FnOnce() -> Result<Target, String>,
) -> Result<Conclusion, String> {
    let entries = discover(folder).map_err(|fault| fault.to_string())?;
    // A list runs nothing, so it needs no server.
    let nothing =
        Target { command: Vec::new(), version: None, projects: folder.to_owned(), embedded_root: None };
    let target = if arguments.list { nothing } else { server()? };
    let runner = Arc::new(Runner { target, command, patience: Arc::new(Patience::of_surroundings()) });
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
        let target = workspace.target(&executable, "1");
        run(&arguments, &workspace.conversations(), Rerun::default(), more, || Ok(target))
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
            let fails = || Err("it does not compile".to_owned());
            run(&arguments, &workspace.conversations(), Rerun::default(), vec![], fails)
        };
        assert!(conclude_with(&["--list"]).is_ok());
        assert!(conclude_with(&[]).is_err_and(|why| why == "it does not compile"));
    }
}
