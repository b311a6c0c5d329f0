//! Asks Cargo to build the server and takes the executable that Cargo names.
//!
//! Never picks up a binary that happens to lie about: what runs is what the sources say now.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// A server that Cargo built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Its executable.
    pub executable: PathBuf,
    /// The version of its package.
    pub version: String,
}

/// Why there is no server to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildFault {
    /// Cargo does not start.
    NoCargo(String),
    /// The server does not compile; Cargo's words.
    DoesNotCompile(String),
    /// Cargo built it and named no executable of this name.
    NotNamed(&'static str),
}

impl fmt::Display for BuildFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCargo(why) => write!(f, "cargo does not start: {why}"),
            Self::DoesNotCompile(words) => write!(f, "the server does not compile:\n{words}"),
            Self::NotNamed(bin) => write!(f, "cargo named no executable `{bin}`"),
        }
    }
}

impl std::error::Error for BuildFault {}

/// The package and the binary that this workspace proves.
const PACKAGE: &str = "server";
const BIN: &str = "oracle-mcp";

#[derive(Deserialize)]
struct Message {
    reason: String,
    package_id: Option<String>,
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds the workspace's server in the profile of the running program.
///
/// # Errors
/// [`BuildFault`].
pub fn build(workspace: &Path) -> Result<Built, BuildFault> {
    let profile = env::current_exe().map_or_else(|_| fallback_profile(), |exe| profile(&exe));
    built_by(cargo_build(workspace).args(["--profile", &profile]))
}

/// Builds the server of a copy of the workspace that is being mutated: in a target folder inside the copy, as
/// cargo-mutants builds it. A mutant may leave a name unused; that must not be what stops it.
///
/// # Errors
/// [`BuildFault`].
pub fn build_mutated(copy: &Path) -> Result<Built, BuildFault> {
    let command = &mut cargo_build(copy);
    command.args(["--profile", "mutants", "--locked", "--target-dir"]).arg(copy.join("target"));
    built_by(command.env("CARGO_ENCODED_RUSTFLAGS", "--cap-lints=warn").env_remove("RUSTFLAGS"))
}

fn cargo_build(workspace: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--package", PACKAGE, "--bin", BIN]);
    command.args(["--message-format", "json-render-diagnostics"]).current_dir(workspace).stdin(Stdio::null());
    command
}

fn built_by(command: &mut Command) -> Result<Built, BuildFault> {
    let output = command.output().map_err(|error| BuildFault::NoCargo(error.to_string()))?;
    if !output.status.success() {
        return Err(BuildFault::DoesNotCompile(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    named(&String::from_utf8_lossy(&output.stdout)).ok_or(BuildFault::NotNamed(BIN))
}

/// The server among Cargo's messages.
fn named(messages: &str) -> Option<Built> {
    messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok()).find_map(|message| {
        let is_bin = message.reason == "compiler-artifact" && message.target?.name == BIN;
        let executable = message.executable.filter(|_| is_bin)?;
        Some(Built { executable, version: version(&message.package_id?)?.to_owned() })
    })
}

/// The version behind a package id's `#`, and behind `@` where the id repeats the name.
fn version(package_id: &str) -> Option<&str> {
    let fragment = package_id.rsplit_once('#')?.1;
    Some(fragment.rsplit_once('@').map_or(fragment, |(_, version)| version))
}

/// The profile whose folder an executable lies in, as Cargo's option names it.
fn profile(executable: &Path) -> String {
    let folder = executable.ancestors().skip(1).find(|folder| folder.join(".cargo-lock").exists());
    match folder.and_then(Path::file_name).and_then(|name| name.to_str()) {
        Some("debug") => "dev".to_owned(),
        Some(name) => name.to_owned(),
        None => fallback_profile(),
    }
}

/// For a program that no longer lies where Cargo put it.
fn fallback_profile() -> String {
    if cfg!(debug_assertions) { "dev" } else { "release" }.to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_executable_is_the_one_that_cargo_names() {
        let line = |bin: &str, executable: &str, id: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"{id}","target":{{"name":"{bin}"}},"executable":{executable}}}"#
            )
        };
        let check = |messages: &[String], expect: Option<(&str, &str)>| {
            let found = named(&messages.join("\n"));
            let expect = expect.map(|(executable, version)| Built {
                executable: executable.into(),
                version: version.to_owned(),
            });
            assert_eq!(found, expect);
        };
        let id = "path+file:///x/server#0.1.0";
        check(&[line("oracle-mcp", "null", id), line("oracle-mcp", "\"/t/o\"", id)], Some(("/t/o", "0.1.0")));
        check(&[line("oracle-mcp", "\"/t/o\"", "path+file:///x#server@2.0.0-a")], Some(("/t/o", "2.0.0-a")));
        check(&[line("other", "\"/t/o\"", id), "not json".to_owned()], None);
    }

    #[test]
    fn the_profile_is_the_one_of_the_running_program() {
        let target = tempfile::tempdir().expect("a temporary folder");
        let check = |folder: &str, expect: &str| {
            let folder = target.path().join(folder);
            fs::create_dir_all(folder.join("deps")).expect("a folder");
            fs::write(folder.join(".cargo-lock"), "").expect("a file");
            assert_eq!(profile(&folder.join("deps/x-1")), expect);
            assert_eq!(profile(&folder.join("x")), expect);
        };
        check("debug", "dev");
        check("release", "release");
        check("triple/mutants", "mutants");
        assert_eq!(profile(&target.path().join("x")), fallback_profile());
    }
}
