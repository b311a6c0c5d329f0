//! A copy of the workspace to mutate, and one mutant in it at a time.
//!
//! Owns writing into the copy and restoring it byte for byte. Must not touch the original.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::contract::ContractMutant;

/// A copy of a workspace in a temporary folder, gone when it is dropped.
#[derive(Debug)]
pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// Copies everything but build output, version control and earlier rounds.
    ///
    /// # Errors
    /// What cannot be read or written, with its path.
    pub fn copy_of(original: &Path) -> Result<Self, String> {
        let folder = tempfile::Builder::new()
            .prefix("contract-mutants-")
            .tempdir()
            .map_err(|error| format!("temporary folder: {error}"))?;
        copy_folder(original, folder.path(), true)?;
        Ok(Self { folder })
    }

    /// Where the copy lies.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Puts a mutant into the copy, until the answer is dropped.
    ///
    /// # Errors
    /// A file that cannot be read or written; a text that does not stand in it exactly once.
    pub fn apply(&self, mutant: &ContractMutant) -> Result<Applied, String> {
        let path = self.root().join(&mutant.file);
        let original = fs::read(&path).map_err(|error| format!("stale: {}: {error}", mutant.file))?;
        let source = str::from_utf8(&original).map_err(|error| format!("stale: {}: {error}", mutant.file))?;
        let mutated = mutant
            .apply(source)
            .map_err(|times| format!("stale: its text stands {times} times in {}, not once", mutant.file))?;
        let applied = Applied { path, original };
        fs::write(&applied.path, mutated).map_err(|error| format!("{}: {error}", mutant.file))?;
        Ok(applied)
    }
}

/// A mutant that stands in a copy. Dropping it restores the file on every path out.
#[derive(Debug)]
pub struct Applied {
    path: PathBuf,
    original: Vec<u8>,
}

impl Applied {
    /// Restores the file and reads it back.
    ///
    /// # Errors
    /// A file that cannot be written, or that is not what it was.
    pub fn restore(self) -> Result<(), String> {
        let fail = |error: io::Error| format!("{}: {error}", self.path.display());
        fs::write(&self.path, &self.original).map_err(fail)?;
        if fs::read(&self.path).map_err(fail)? == self.original {
            Ok(())
        } else {
            Err(format!("{}: not restored", self.path.display()))
        }
    }
}

impl Drop for Applied {
    fn drop(&mut self) {
        // A failure here is seen: the closing baseline runs over the same copy.
        let _ = fs::write(&self.path, &self.original);
    }
}

fn left_out(name: &str) -> bool {
    name == "target" || name == ".git" || name.starts_with("mutants.out")
}

fn copy_folder(from: &Path, to: &Path, top: bool) -> Result<(), String> {
    let fail = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    for item in fs::read_dir(from).map_err(|error| fail(from, error))? {
        let item = item.map_err(|error| fail(from, error))?;
        let (source, name) = (item.path(), item.file_name());
        if top && left_out(&name.to_string_lossy()) {
            continue;
        }
        let target = to.join(&name);
        let kind = item.file_type().map_err(|error| fail(&source, error))?;
        if kind.is_dir() {
            fs::create_dir(&target).map_err(|error| fail(&target, error))?;
            copy_folder(&source, &target, false)?;
        } else if kind.is_symlink() {
            let link = fs::read_link(&source).map_err(|error| fail(&source, error))?;
            std::os::unix::fs::symlink(link, &target).map_err(|error| fail(&target, error))?;
        } else if kind.is_file() {
            fs::copy(&source, &target).map_err(|error| fail(&source, error))?;
        } else {
            return Err(format!("{}: neither file, folder nor link", source.display()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::contract::read_entries;

    fn mutant(find: &str) -> ContractMutant {
        let text = format!(
            "[[mutant]]\nid='m'\nkind='plausible'\nfile='src/a.rs'\nfind='{find}'\nreplace='x'\nsentence='s'\nkillers=['k']"
        );
        read_entries(&text).unwrap().remove(0)
    }

    fn original() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["src", "target", ".git", "mutants.out.old", "src/target"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("a.rs"), "one two one\r\n").unwrap();
        }
        std::os::unix::fs::symlink("a.rs", folder.path().join("src/link")).unwrap();
        folder
    }

    #[test]
    fn a_copy_holds_sources_and_links_but_no_build_output() {
        let original = original();
        let copy = Workspace::copy_of(original.path()).unwrap();
        assert_eq!(fs::read(copy.root().join("src/a.rs")).unwrap(), b"one two one\r\n");
        assert_eq!(fs::read_link(copy.root().join("src/link")).unwrap(), Path::new("a.rs"));
        assert!(copy.root().join("src/target").exists());
        for name in ["target", ".git", "mutants.out.old"] {
            assert!(!copy.root().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_mutant_is_in_the_copy_alone_and_comes_out_byte_for_byte() {
        let original = original();
        let copy = Workspace::copy_of(original.path()).unwrap();
        let file = copy.root().join("src/a.rs");
        let applied = copy.apply(&mutant("two")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"one x one\r\n");
        applied.restore().unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"one two one\r\n");
        drop(copy.apply(&mutant("two")).unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"one two one\r\n");
        assert_eq!(fs::read(original.path().join("src/a.rs")).unwrap(), b"one two one\r\n");
    }

    #[test]
    fn a_stale_text_changes_nothing() {
        let original = original();
        let copy = Workspace::copy_of(original.path()).unwrap();
        for (find, expect) in [("three", "0 times"), ("one", "2 times")] {
            assert!(copy.apply(&mutant(find)).unwrap_err().contains(expect));
            assert_eq!(fs::read(copy.root().join("src/a.rs")).unwrap(), b"one two one\r\n");
        }
    }
}
