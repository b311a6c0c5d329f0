//! SHA-256 over files and texts, worked out apart from the server that is under test.
//!
//! Reads files of the project and of the embedded base. Must not know what a fingerprint is called; the conversation
//! does.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use sha2::{Digest, Sha256};

/// The mark of a source that ships inside the server: its path is that name, its bytes are those embedded.
const EMBEDDED: &str = "embebido:";

/// `*` stays in its folder, `**` goes through folders.
const MATCH: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Where the files of a fingerprint lie.
#[derive(Clone, Copy, Debug)]
pub struct Roots<'r> {
    /// The project, by its canonical path.
    pub project: &'r Path,
    /// What `embebido:` names are relative to.
    pub embedded: Option<&'r Path>,
}

/// SHA-256 of bytes, in lower-case hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(Sha256::digest(bytes))
}

fn hexadecimal(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of one file, of the project or embedded.
///
/// # Errors
/// A reason for people: there is no such file, or no place for embedded ones.
pub fn of_file(roots: Roots<'_>, name: &str) -> Result<String, String> {
    let path = match name.strip_prefix(EMBEDDED) {
        Some(inside) => embedded(roots)?.join(inside),
        None => roots.project.join(name),
    };
    fs::read(&path).map(|bytes| of_bytes(&bytes)).map_err(|error| format!("\"{name}\": {error}"))
}

/// SHA-256 over all files that the patterns match: path, NUL, bytes, NUL of each, in order of the paths' bytes.
///
/// A project's file counts with its absolute path, an embedded one with its `embebido:` name. A file that two patterns
/// match counts once.
///
/// # Errors
/// A reason for people: a pattern that is none or that matches nothing, a file that cannot be read.
pub fn of_files(roots: Roots<'_>, patterns: &[String]) -> Result<String, String> {
    let mut files = BTreeMap::new();
    for pattern in patterns {
        let matches = matching(roots, pattern)?;
        if matches.is_empty() {
            return Err(format!("no file matches \"{pattern}\""));
        }
        files.extend(matches);
    }
    let mut hash = Sha256::new();
    for (name, path) in files {
        let bytes = fs::read(&path).map_err(|error| format!("\"{}\": {error}", path.display()))?;
        hash.update(&name);
        hash.update([0]);
        hash.update(bytes);
        hash.update([0]);
    }
    Ok(hexadecimal(hash.finalize()))
}

fn embedded<'r>(roots: Roots<'r>) -> Result<&'r Path, String> {
    roots.embedded.ok_or_else(|| "nobody said where the embedded sources lie".to_owned())
}

/// The files that a pattern matches: the name that each counts with, and where its bytes lie.
fn matching(roots: Roots<'_>, pattern: &str) -> Result<Vec<(Vec<u8>, PathBuf)>, String> {
    let (root, inside) = match pattern.strip_prefix(EMBEDDED) {
        Some(inside) => (embedded(roots)?, inside),
        None => (roots.project, pattern),
    };
    let compiled = Pattern::new(inside).map_err(|error| format!("\"{pattern}\": {error}"))?;
    let mut found = Vec::new();
    for path in files_under(root).map_err(|error| format!("\"{}\": {error}", root.display()))? {
        let Ok(relative) = path.strip_prefix(root) else { continue };
        if !compiled.matches_path_with(relative, MATCH) {
            continue;
        }
        let name = match pattern.strip_prefix(EMBEDDED) {
            Some(_) => [EMBEDDED.as_bytes(), relative.as_os_str().as_bytes()].concat(),
            None => path.as_os_str().as_bytes().to_vec(),
        };
        found.push((name, path));
    }
    Ok(found)
}

/// Every file under a folder; a link to a file is one, a link to a folder is not followed.
fn files_under(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> tempfile::TempDir {
        let base = tempfile::tempdir().expect("a temporary folder");
        for (path, bytes) in
            [("p/oracle.json", "{}"), ("p/c/b.oracle", "B"), ("p/c/d/a.oracle", "A"), ("e/c/m/x.oracle", "X")]
        {
            let path = base.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, bytes).expect("a file");
        }
        std::os::unix::fs::symlink("../oracle.json", base.path().join("p/c/link.json")).expect("a link");
        std::os::unix::fs::symlink("..", base.path().join("p/c/up")).expect("a link");
        base
    }

    fn with_roots<T>(with_embedded: bool, run: impl FnOnce(Roots<'_>, &str) -> T) -> T {
        let base = folders();
        let (project, embedded) = (base.path().join("p"), base.path().join("e"));
        let roots = Roots { project: &project, embedded: with_embedded.then_some(&*embedded) };
        run(roots, project.to_str().expect("a temporary folder's name is UTF-8"))
    }

    fn check(patterns: &[&str], expect: &[(&str, &str)]) {
        with_roots(true, |roots, project| {
            let patterns: Vec<_> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            let text: String = expect
                .iter()
                .map(|(name, bytes)| format!("{}\0{bytes}\0", name.replace('@', project)))
                .collect();
            assert_eq!(of_files(roots, &patterns), Ok(of_bytes(text.as_bytes())), "{patterns:?}");
        });
    }

    #[test]
    fn files_are_taken_in_order_of_their_paths() {
        check(&["oracle.json"], &[("@/oracle.json", "{}")]);
        check(
            &["oracle.json", "c/**"],
            &[
                ("@/c/b.oracle", "B"),
                ("@/c/d/a.oracle", "A"),
                ("@/c/link.json", "{}"),
                ("@/oracle.json", "{}"),
            ],
        );
        check(&["c/*.oracle", "c/b.oracle"], &[("@/c/b.oracle", "B")]);
        check(&["**/*.oracle"], &[("@/c/b.oracle", "B"), ("@/c/d/a.oracle", "A")]);
        check(
            &["embebido:c/*/*.oracle", "oracle.json"],
            &[("@/oracle.json", "{}"), ("embebido:c/m/x.oracle", "X")],
        );
    }

    #[test]
    fn what_matches_nothing_is_a_fault() {
        let check = |embedded: bool, pattern: &str, expect: &str| {
            let found = with_roots(embedded, |roots, _| of_files(roots, &[pattern.to_owned()]));
            let fault = found.expect_err(pattern);
            assert!(fault.contains(expect), "{pattern}: {fault}");
        };
        check(true, "*.oracle", "no file matches \"*.oracle\"");
        check(true, "embebido:*", "no file matches");
        check(true, "a**", "\"a**\": ");
        check(false, "embebido:c/**", "nobody said where the embedded sources lie");
    }

    #[test]
    fn one_file_has_its_own() {
        with_roots(true, |roots, _| {
            let b = "df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c";
            assert_eq!(of_file(roots, "c/b.oracle").as_deref(), Ok(b));
            let x = of_file(roots, "embebido:c/m/x.oracle");
            assert_eq!(x, Ok(of_bytes(b"X")));
            let fault = of_file(roots, "nothing").expect_err("no such file");
            assert!(fault.starts_with("\"nothing\": "), "{fault}");
        });
        with_roots(false, |roots, _| assert!(of_file(roots, "embebido:c/m/x.oracle").is_err()));
    }
}
