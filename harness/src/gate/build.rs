//! Builds the server of a mutated copy and learns from Cargo where it lies.
//!
//! Owns the one Cargo command of the contract mutants. Never picks up a binary that Cargo did not just name.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// Which binary of which package is put under the mutants.
#[derive(Clone, Debug)]
pub struct Target {
    /// The package that holds it.
    pub package: String,
    /// The binary.
    pub bin: String,
    /// The profile it is built with.
    pub profile: String,
}

impl Default for Target {
    /// `oracle-mcp` of `server`, built as cargo-mutants builds it.
    fn default() -> Self {
        Self { package: "server".to_owned(), bin: "oracle-mcp".to_owned(), profile: "mutants".to_owned() }
    }
}

/// What Cargo says about one artefact, as far as it matters here.
#[derive(Deserialize)]
struct CargoMessage {
    reason: String,
    target: Option<CargoTarget>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct CargoTarget {
    name: String,
}

/// Builds the target in the workspace at `root`, in its own target folder, and gives the executable.
///
/// # Errors
/// Cargo's words, where it does not compile or names no executable.
pub fn build(root: &Path, target: &Target) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--package", &target.package, "--bin", &target.bin, "--profile", &target.profile])
        .args(["--locked", "--message-format", "json-render-diagnostics"])
        .arg("--target-dir")
        .arg(root.join("target"))
        // A mutant may leave a name unused; that must not be what stops it.
        .env("CARGO_ENCODED_RUSTFLAGS", "--cap-lints=warn")
        .env_remove("RUSTFLAGS")
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("it does not compile:\n{}", last_lines(&words, 40)));
    }
    executable(&String::from_utf8_lossy(&output.stdout), &target.bin)
        .ok_or_else(|| format!("cargo named no executable {:?}:\n{}", target.bin, last_lines(&words, 40)))
}

/// The executable that Cargo's messages name for a binary.
fn executable(messages: &str, bin: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<CargoMessage>(line).ok())
        .filter(|message| message.reason == "compiler-artifact")
        .filter(|message| message.target.as_ref().is_some_and(|target| target.name == bin))
        .find_map(|message| message.executable)
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_the_one_that_cargo_names() {
        let messages = "\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"oracle-mcp\"},\"executable\":null}\n\
            not json\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"other\"},\"executable\":\"/t/other\"}\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"oracle-mcp\"},\"executable\":\"/t/oracle-mcp\"}\n\
            {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(executable(messages, "oracle-mcp"), Some("/t/oracle-mcp".into()));
        assert_eq!(executable(messages, "absent"), None);
    }

    #[test]
    fn long_output_is_cut_from_its_head() {
        assert_eq!(last_lines("a\nb\nc", 2), "b\nc");
        assert_eq!(last_lines("a", 2), "a");
    }
}
