//! The file that a recording goes to: there from the start, longer with every step, replaced whole at the end.
//!
//! Owns the file. Whatever ends the recording, what it held until then stays.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::whole::write_whole;

/// The file while the recording goes on.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The first write that failed; later ones are not tried.
    fault: Option<io::Error>,
}

impl Journal {
    /// Creates the file, which must not be there.
    ///
    /// # Errors
    /// Why it cannot be created, for people.
    pub fn create(path: &Path) -> Result<Self, String> {
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
            let shown = path.display();
            match error.kind() {
                ErrorKind::AlreadyExists => format!("{shown} exists; a recording never replaces a file"),
                _ => format!("{shown} cannot be created: {error}"),
            }
        })?;
        Ok(Self { path: path.to_owned(), file, fault: None })
    }

    /// Adds text. A fault is kept for the end: the conversation must not suffer from it.
    pub fn add(&mut self, text: &str) {
        if self.fault.is_none() {
            self.fault = self.file.write_all(text.as_bytes()).err();
        }
    }

    /// Replaces the whole file; where that is not to be done, the text goes to a folder for temporary files.
    ///
    /// # Errors
    /// Where the text is instead, and why.
    pub fn finish(&self, text: &str) -> Result<(), String> {
        let Err(error) = write_whole(&self.path, text.as_bytes()) else { return Ok(()) };
        let error = self.fault.as_ref().map_or_else(|| error.to_string(), ToString::to_string);
        let shown = self.path.display();
        let other = tempfile::Builder::new().prefix("recording-").suffix(".conv").tempfile();
        let kept = other.and_then(|mut other| {
            other.write_all(text.as_bytes())?;
            Ok(other.keep()?.1)
        });
        match kept {
            Ok(kept) => {
                Err(format!("{shown} cannot be written: {error}; the recording is in {}", kept.display()))
            }
            Err(second) => {
                Err(format!("{shown} cannot be written: {error}; nor can a temporary file: {second}"))
            }
        }
    }

    /// Removes the file, which holds nothing anybody said.
    pub fn discard(self) {
        // It was made by this process and is empty; one that stays is no harm.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_and_is_replaced_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.conv");
        let mut journal = Journal::create(&path).expect("created");
        let text = || fs::read_to_string(&path).expect("readable");
        journal.add("one\n");
        journal.add("two\n");
        assert_eq!(text(), "one\ntwo\n");
        assert_eq!(journal.finish("all\n"), Ok(()));
        assert_eq!(text(), "all\n");
        journal.discard();
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_is_there_or_cannot_be_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.conv");
        fs::write(&path, "mine").expect("a file");
        let refused = |path: &Path| Journal::create(path).err().expect("a refusal");
        assert!(refused(&path).ends_with("exists; a recording never replaces a file"));
        assert_eq!(fs::read(&path).expect("readable"), b"mine");
        let nowhere = refused(&folder.path().join("none/a.conv"));
        assert!(nowhere.contains("none/a.conv cannot be created: "), "{nowhere}");
    }

    #[test]
    fn what_cannot_be_written_is_kept_elsewhere() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let inner = folder.path().join("in");
        fs::create_dir(&inner).expect("a folder");
        let journal = Journal::create(&inner.join("a.conv")).expect("created");
        fs::remove_dir_all(&inner).expect("gone");
        let why = journal.finish("all\n").expect_err("no folder");
        let (_, kept) = why.split_once("; the recording is in ").expect("a place");
        assert_eq!(fs::read_to_string(kept).expect("readable"), "all\n");
        fs::remove_file(kept).expect("removed");
    }
}
