//! The SHA-256 of every file that an answer may speak of: the project's, and the sources embedded in the server.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// What stands before the name of an embedded source.
const EMBEDDED: &str = "embebido:";

/// The files of a project and of the embedded sources, by the names that `{{sha256:…}}` takes.
///
/// # Errors
/// A folder or a file that cannot be read.
pub fn hashes(project: Option<&Path>, embedded: Option<&Path>) -> io::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for (root, prefix) in [(project, ""), (embedded, EMBEDDED)] {
        if let Some(root) = root {
            walk(root, root, prefix, &mut found)?;
        }
    }
    Ok(found)
}

fn walk(root: &Path, folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) -> io::Result<()> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        // A link is no file of its own; what it leads to is found where it lies.
        let kind = fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() {
            walk(root, &path, prefix, found)?;
        } else if kind.is_file() {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            // A name that is no text, or closes the placeholder, cannot be written down.
            if let Some(name) = relative.to_str().filter(|name| !name.contains(['{', '}', '"', '\\'])) {
                found.insert(format!("{prefix}{name}"), hex(&Sha256::digest(fs::read(&path)?)));
            }
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_their_root() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("p/a")).expect("a folder");
        fs::create_dir_all(folder.path().join("e/b")).expect("a folder");
        fs::write(folder.path().join("p/a/x"), "").expect("a file");
        fs::write(folder.path().join("e/b/y"), "abc").expect("a file");
        let found = hashes(Some(&folder.path().join("p")), Some(&folder.path().join("e"))).expect("readable");
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        let expect = BTreeMap::from([("a/x".to_owned(), empty), ("embebido:b/y".to_owned(), abc)]);
        assert_eq!(found, expect);
        assert!(hashes(Some(&folder.path().join("none")), None).is_err());
    }
}
