//! The test target: each conversation is one test of libtest's kind, with Cargo's own flags.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use super::discover::{Entry, discover};
use super::env::is_ci;
use super::judge::{Rerun, Runner, judge};
use super::needs::first_unmet;
use super::{Built, build};
use crate::engine::{Outcome, Target};
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
    run(&Workspace::own(), Vec::new(), || Ok(built))
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
    let arguments = Arguments::from_args();
    let entries = match discover(&workspace.conversations()) {
        Ok(entries) => entries,
        Err(fault) => return fail(&fault.to_string()),
    };
    // A list runs nothing, so it needs no server.
    let target = if arguments.list {
        workspace.target(Path::new(""), "")
    } else {
        match server() {
            Ok(built) => workspace.target(&built.executable, &built.version),
            Err(why) => return fail(&why),
        }
    };
    let runner = Arc::new(Runner { target, command: Rerun::default() });
    let mut trials: Vec<_> = entries.into_iter().map(|entry| trial(entry, Arc::clone(&runner))).collect();
    trials.extend(more);
    let conclusion = libtest_mimic::run(&arguments, trials);
    let selected = conclusion.num_passed + conclusion.num_failed + conclusion.num_ignored;
    if selected == 0 && !arguments.list {
        return fail("no conversation is selected; `--list` names them all");
    }
    conclusion.exit_code()
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

fn fail(why: &str) -> ExitCode {
    // A closed stderr has nobody to tell; the exit code still says it.
    let _ = writeln!(io::stderr(), "conversations: {why}");
    ExitCode::from(FAILED)
}
