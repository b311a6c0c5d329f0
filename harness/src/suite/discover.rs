//! Finds the conversations of a folder, in order, and refuses what would silently not run.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::judge::shown;
use crate::conversation::{self, Conversation, Fault};

/// A file over this many bytes says `large: yes`.
pub const SIZE_LIMIT: usize = 20 * 1024;

/// The folder of the projects, beside the conversations.
const PROJECTS: &str = "proyectos";

/// What else lies at the top of the folder.
const BESIDE: [&str; 2] = ["README.md", "requisitos.toml"];

/// One conversation file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path from the folder, without the extension: the name of its test.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// What it says, or why it cannot run; the latter is a failure, never a skip.
    pub conversation: Result<Conversation, EntryFault>,
}

/// Why a conversation file cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryFault {
    /// It cannot be read.
    Unreadable(String),
    /// It is no conversation.
    Format(Fault),
    /// It is larger than a conversation should be and does not say so; its size.
    TooLarge(usize),
}

impl fmt::Display for EntryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Format(fault) => fault.fmt(f),
            Self::TooLarge(size) => {
                write!(
                    f,
                    "{size} bytes, over {SIZE_LIMIT}\n  hint: make it smaller, or say `large: yes` in the header"
                )
            }
        }
    }
}

impl std::error::Error for EntryFault {}

/// Why a folder is no suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuiteFault {
    /// A folder that cannot be listed.
    Unreadable(PathBuf, String),
    /// No conversation in it.
    Empty(PathBuf),
    /// A name that is not ASCII lower-case kebab.
    BadName(PathBuf),
    /// A file that is no conversation, and would silently not run.
    Stranger(PathBuf),
    /// Two conversations of one name.
    Duplicate(String),
    /// A path that leads to no conversation.
    NotFound(PathBuf),
}

impl fmt::Display for SuiteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, why) => write!(f, "{}: cannot be read: {why}", path.display()),
            Self::Empty(path) => write!(f, "{}: no conversation in it", path.display()),
            Self::BadName(path) => write!(
                f,
                "{}: names are ASCII lower-case kebab: letters, digits, single hyphens between",
                path.display()
            ),
            Self::Stranger(path) => write!(
                f,
                "{}: not a conversation, so it would not run\n  hint: conversations end in `.conv`; projects lie under `{PROJECTS}/`",
                path.display()
            ),
            Self::Duplicate(name) => write!(f, "`{name}` is named twice"),
            Self::NotFound(path) => write!(f, "{}: no conversation there", path.display()),
        }
    }
}

impl std::error::Error for SuiteFault {}

/// Every conversation under a folder, by name.
///
/// # Errors
/// [`SuiteFault`]: the folder is empty, or holds something that would silently not run. A file that is no valid
/// conversation is no such fault: its entry says what is wrong with it.
pub fn discover(root: &Path) -> Result<Vec<Entry>, SuiteFault> {
    let mut found = Vec::new();
    walk(root, root, &mut found)?;
    if found.is_empty() {
        return Err(SuiteFault::Empty(root.to_owned()));
    }
    finish(root, found)
}

/// The conversations that the paths name, files or folders; all of `root` where there are none.
///
/// # Errors
/// As [`discover`], and [`SuiteFault::NotFound`] where a path leads nowhere.
pub fn select(root: &Path, paths: &[PathBuf]) -> Result<Vec<Entry>, SuiteFault> {
    if paths.is_empty() {
        return discover(root);
    }
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        if path.is_dir() {
            walk(root, path, &mut found)?;
        } else if path.is_file() {
            if path.extension() != Some(OsStr::new("conv")) {
                return Err(SuiteFault::Stranger(path.clone()));
            }
            found.push(path.clone());
        }
        if found.len() == before {
            return Err(SuiteFault::NotFound(path.clone()));
        }
    }
    finish(root, found)
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), SuiteFault> {
    let unreadable = |error: io::Error| SuiteFault::Unreadable(folder.to_owned(), error.to_string());
    let mut paths = fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths {
        let beside = |name: &OsStr| folder == root && BESIDE.iter().any(|beside| name == *beside);
        let is_projects = folder == root && path.file_name() == Some(OsStr::new(PROJECTS));
        if is_projects || path.file_name().is_some_and(beside) {
            continue;
        }
        if path.is_dir() {
            if !is_kebab(path.file_name()) {
                return Err(SuiteFault::BadName(path));
            }
            walk(root, &path, found)?;
        } else if path.extension() == Some(OsStr::new("conv")) {
            if !is_kebab(path.file_stem()) {
                return Err(SuiteFault::BadName(path));
            }
            found.push(path);
        } else {
            return Err(SuiteFault::Stranger(path));
        }
    }
    Ok(())
}

/// Whether the name of a file or a folder of conversations is one.
#[must_use]
pub fn is_kebab(name: Option<&OsStr>) -> bool {
    name.and_then(OsStr::to_str).is_some_and(|name| {
        name.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
    })
}

fn finish(root: &Path, paths: Vec<PathBuf>) -> Result<Vec<Entry>, SuiteFault> {
    let mut entries = Vec::with_capacity(paths.len());
    for path in paths {
        entries.push(Entry { name: name(root, &path), conversation: load(&path), path });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    match entries.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(pair) => Err(SuiteFault::Duplicate(pair[0].name.clone())),
        None => Ok(entries),
    }
}

/// The path below the folder without its extension; where it lies elsewhere, as a person types it.
fn name(root: &Path, path: &Path) -> String {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, whole) = (canonical(root), canonical(path));
    let name = whole.strip_prefix(&root).map_or_else(|_| shown(path), Path::to_owned);
    name.with_extension("").to_string_lossy().into_owned()
}

fn load(path: &Path) -> Result<Conversation, EntryFault> {
    let bytes = fs::read(path).map_err(|error| EntryFault::Unreadable(error.to_string()))?;
    let conversation = conversation::read_bytes(&bytes).map_err(EntryFault::Format)?;
    if bytes.len() > SIZE_LIMIT && !conversation.header.large {
        return Err(EntryFault::TooLarge(bytes.len()));
    }
    Ok(conversation)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# It.\n---\nexit 0\n";

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    fn names(files: &[(&str, &str)]) -> Result<Vec<String>, SuiteFault> {
        let folder = folder(files);
        discover(folder.path()).map(|entries| entries.into_iter().map(|entry| entry.name).collect())
    }

    #[test]
    fn conversations_are_found_in_order_of_their_names() {
        let files = [
            ("b/z.conv", GOOD),
            ("b-a/x.conv", GOOD),
            ("a.conv", GOOD),
            ("README.md", ""),
            ("requisitos.toml", ""),
            ("proyectos/p/Any Thing", ""),
        ];
        assert_eq!(names(&files), Ok(vec!["a".to_owned(), "b-a/x".to_owned(), "b/z".to_owned()]));
    }

    #[test]
    fn nothing_would_silently_not_run() {
        let ends = |files: &[(&str, &str)], end: &str| match names(files) {
            Err(SuiteFault::BadName(path) | SuiteFault::Stranger(path)) => {
                assert!(path.ends_with(end), "{path:?}")
            }
            other => panic!("{other:?}"),
        };
        ends(&[("a.conv", GOOD), ("b/x.con", GOOD)], "b/x.con");
        ends(&[("a.conv", GOOD), ("b/README.md", "")], "b/README.md");
        for name in ["A.conv", "a_b.conv", "a--b.conv", "-a.conv", "é.conv", "a b.conv", "a.b.conv", ".conv"]
        {
            ends(&[(name, GOOD)], name);
        }
        ends(&[("B/a.conv", GOOD)], "B");
        assert!(matches!(names(&[]), Err(SuiteFault::Empty(_))));
        assert!(matches!(names(&[("proyectos/a.conv", GOOD)]), Err(SuiteFault::Empty(_))));
        assert!(matches!(discover(Path::new("/no/such/folder")), Err(SuiteFault::Unreadable(..))));
    }

    #[test]
    fn a_file_that_cannot_run_is_an_entry_with_its_fault() {
        let large = format!("{GOOD}# {}\n", "x".repeat(SIZE_LIMIT));
        let named = large.replace("# It.\n", "# It.\nlarge: yes\n");
        let folder = folder(&[("a.conv", "x"), ("b.conv", &large), ("c.conv", &named)]);
        let entries = discover(folder.path()).expect("a suite");
        assert!(matches!(entries[0].conversation, Err(EntryFault::Format(_))));
        assert_eq!(entries[1].conversation, Err(EntryFault::TooLarge(large.len())));
        assert!(entries[2].conversation.is_ok());
    }

    #[test]
    fn paths_select_files_and_folders() {
        let folder = folder(&[("a.conv", GOOD), ("b/c.conv", GOOD), ("b/d.conv", GOOD), ("proyectos/x", "")]);
        let chosen = |paths: &[&str]| {
            let paths: Vec<_> = paths.iter().map(|path| folder.path().join(path)).collect();
            select(folder.path(), &paths)
                .map(|entries| entries.into_iter().map(|entry| entry.name).collect::<Vec<_>>())
        };
        assert_eq!(chosen(&["b"]), Ok(vec!["b/c".to_owned(), "b/d".to_owned()]));
        assert_eq!(chosen(&["b/d.conv", "a.conv"]), Ok(vec!["a".to_owned(), "b/d".to_owned()]));
        assert_eq!(chosen(&[]).map(|names| names.len()), Ok(3));
        assert_eq!(chosen(&["b", "b/c.conv"]), Err(SuiteFault::Duplicate("b/c".to_owned())));
        assert!(matches!(chosen(&["e"]), Err(SuiteFault::NotFound(_))));
        assert!(matches!(chosen(&["proyectos/x"]), Err(SuiteFault::Stranger(_))));
    }
}
