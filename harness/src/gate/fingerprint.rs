//! Fingerprints of what a score was taken on: the server's sources, the conversations, the contract mutants.
//!
//! Owns which files count and in what form. A fingerprint says the same on every machine: only tracked files count
//! where there is version control, line endings of text do not, and the score is not part of what it is pinned to.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a score is pinned to, each as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprints {
    /// Of `server/src`: what is mutated.
    pub server: String,
    /// Of `conversaciones`: what has to notice.
    pub conversations: String,
    /// Of the entries of `mutantes`: what is put into the server by hand.
    pub mutants: String,
}

/// A folder of a workspace that counts, and which of its files.
struct Part {
    folder: &'static str,
    counts: fn(&str) -> bool,
}

const SERVER: Part = Part { folder: "server/src", counts: |_| true };
const CONVERSATIONS: Part = Part { folder: "conversaciones", counts: |_| true };
// The score and the matrix lie there too: a score is no part of what it is pinned to.
const MUTANTS: Part = Part { folder: "mutantes", counts: |path| path.ends_with(".toml") };

impl Fingerprints {
    /// Takes them from the tracked files of a workspace, or from all its files where there is no version control.
    ///
    /// # Errors
    /// A file that cannot be read, a folder without one.
    pub fn take(workspace: &Path) -> Result<Self, String> {
        Self::over(workspace, |folder| {
            tracked(workspace, folder).map_or_else(|| walked(workspace, folder), Ok)
        })
    }

    /// Takes them from every file that lies there, tracked or not: what a program that runs now really sees.
    ///
    /// # Errors
    /// As [`Fingerprints::take`].
    pub fn take_from_disk(workspace: &Path) -> Result<Self, String> {
        Self::over(workspace, |folder| walked(workspace, folder))
    }

    /// The line that the server's test target prints, so that a log of the gate says what it was taken on.
    #[must_use]
    pub fn stamp(&self) -> String {
        format!("taken on server/src {} and conversaciones {}", self.server, self.conversations)
    }

    fn over(workspace: &Path, list: impl Fn(&str) -> Result<Vec<String>, String>) -> Result<Self, String> {
        let part = |part: Part| {
            let files: Vec<_> = list(part.folder)?.into_iter().filter(|path| (part.counts)(path)).collect();
            digest(workspace, part.folder, files)
        };
        Ok(Self { server: part(SERVER)?, conversations: part(CONVERSATIONS)?, mutants: part(MUTANTS)? })
    }
}

/// Files that count for a fingerprint and that version control does not know: a score over them is nobody else's.
#[must_use]
pub fn untracked(workspace: &Path) -> Vec<String> {
    [SERVER, CONVERSATIONS, MUTANTS]
        .iter()
        .flat_map(|part| {
            let files =
                git_files(workspace, &["--others", "--exclude-standard"], part.folder).unwrap_or_default();
            files.into_iter().filter(|path| (part.counts)(path))
        })
        .collect()
}

/// The tracked files of a folder, or `None` where version control does not answer or knows none of them.
fn tracked(workspace: &Path, folder: &str) -> Option<Vec<String>> {
    git_files(workspace, &["--cached"], folder).filter(|files| !files.is_empty())
}

fn git_files(workspace: &Path, which: &[&str], folder: &str) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .args(which)
        .args(["--", folder])
        .current_dir(workspace)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let paths = String::from_utf8(output.stdout).ok()?;
    Some(paths.split_terminator('\0').map(str::to_owned).collect())
}

/// Every file and link under a folder, relative to the workspace.
fn walked(workspace: &Path, folder: &str) -> Result<Vec<String>, String> {
    let fail = |error: std::io::Error| format!("{folder}: {error}");
    let mut files = Vec::new();
    for item in fs::read_dir(workspace.join(folder)).map_err(fail)? {
        let item = item.map_err(fail)?;
        let name = item.file_name();
        let name = name.to_str().ok_or_else(|| format!("{folder}: a name that is not UTF-8"))?;
        let path = format!("{folder}/{name}");
        if item.file_type().map_err(fail)?.is_dir() {
            files.extend(walked(workspace, &path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// SHA-256 over path, NUL, length, NUL, content of each file, in order of path.
fn digest(workspace: &Path, folder: &str, mut files: Vec<String>) -> Result<String, String> {
    if files.is_empty() {
        return Err(format!("{folder}: no file to take a fingerprint of"));
    }
    files.sort();
    files.dedup();
    let mut hasher = Sha256::new();
    for file in files {
        let content = content(workspace, &file).map_err(|error| format!("{file}: {error}"))?;
        hasher.update(file.as_bytes());
        hasher.update([0]);
        hasher.update(content.len().to_string());
        hasher.update([0]);
        hasher.update(content);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What of a file counts: a link's target; text of ours without carriage returns; the bytes of anything else.
fn content(workspace: &Path, file: &str) -> std::io::Result<Vec<u8>> {
    let path = workspace.join(file);
    if fs::symlink_metadata(&path)?.is_symlink() {
        return Ok(fs::read_link(path)?.into_os_string().into_encoded_bytes());
    }
    let bytes = fs::read(path)?;
    if file.starts_with("conversaciones/") {
        return Ok(bytes);
    }
    let kept = |index: &usize| bytes[*index] != b'\r' || bytes.get(index + 1) != Some(&b'\n');
    Ok((0..bytes.len()).filter(kept).map(|index| bytes[index]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn write(root: &TempDir, path: &str, content: &str) {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn workspace() -> TempDir {
        let root = tempfile::tempdir().unwrap();
        write(&root, "server/src/main.rs", "fn main() {}\n");
        write(&root, "server/src/deep/a.rs", "a\n");
        write(&root, "conversaciones/a.conv", "a\n");
        write(&root, "mutantes/a.toml", "a\n");
        root
    }

    fn git(root: &TempDir, args: &[&str]) {
        let status = Command::new("git").args(args).current_dir(root.path()).output().unwrap().status;
        assert!(status.success(), "git {args:?}");
    }

    fn take(root: &TempDir) -> Fingerprints {
        Fingerprints::take(root.path()).unwrap()
    }

    #[test]
    fn each_part_answers_for_its_own_files() {
        let root = workspace();
        let before = take(&root);
        write(&root, "server/src/deep/a.rs", "b\n");
        let after = take(&root);
        assert_ne!(before.server, after.server);
        assert_eq!((before.conversations, before.mutants), (after.conversations, after.mutants));
    }

    #[test]
    fn the_score_is_no_part_of_what_it_is_pinned_to() {
        let root = workspace();
        let before = take(&root);
        write(&root, "mutantes/marcador.md", "score\n");
        write(&root, "mutantes/matriz.md", "matrix\n");
        assert_eq!(before, take(&root));
        write(&root, "mutantes/b.toml", "entry\n");
        assert_ne!(before, take(&root));
    }

    #[test]
    fn line_endings_of_sources_do_not_count_but_those_of_conversations_do() {
        let root = workspace();
        let before = take(&root);
        write(&root, "server/src/main.rs", "fn main() {}\r\n");
        assert_eq!(before, take(&root));
        write(&root, "conversaciones/a.conv", "a\r\n");
        assert_ne!(before, take(&root));
    }

    #[test]
    fn only_tracked_files_count_and_the_others_are_named() {
        let root = workspace();
        let before = take(&root);
        git(&root, &["init", "-q"]);
        assert_eq!(before, take(&root), "a repository that knows nothing yet");
        git(&root, &["add", "."]);
        assert_eq!(before, take(&root));
        write(&root, "conversaciones/draft.conv", "draft\n");
        assert_eq!(before, take(&root));
        assert_ne!(before, Fingerprints::take_from_disk(root.path()).unwrap());
        assert_eq!(untracked(root.path()), ["conversaciones/draft.conv"]);
    }

    #[test]
    fn moving_bytes_between_files_shows() {
        let root = workspace();
        write(&root, "conversaciones/b.conv", "xy");
        let before = take(&root);
        write(&root, "conversaciones/a.conv", "a\nx");
        write(&root, "conversaciones/b.conv", "y");
        assert_ne!(before, take(&root));
    }

    #[test]
    fn an_empty_or_absent_folder_has_no_fingerprint() {
        let root = workspace();
        fs::remove_file(root.path().join("conversaciones/a.conv")).unwrap();
        assert!(Fingerprints::take(root.path()).unwrap_err().contains("no file"));
        fs::remove_dir(root.path().join("conversaciones")).unwrap();
        assert!(Fingerprints::take(root.path()).is_err());
    }
}
