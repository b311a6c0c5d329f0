//! The files of the tracker as Git sees them: index, HEAD, what is ignored, what changed.

use super::Repository;
use crate::proyecto::Fault;
use crate::tareas::vista::Vista;
use crate::tareas::{CARPETA, TareasError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What Git says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::tareas) struct Tracking {
    pub en_indice: bool,
    pub en_head: bool,
    pub ignorado: bool,
    /// The two letters of the short status: index and working tree. Absent before Git was asked.
    changes: Option<[char; 2]>,
}

impl Tracking {
    /// How the index differs from HEAD; empty before Git was asked.
    pub fn indice(&self) -> String {
        self.changes.map_or(String::new(), |[index, _]| index.to_string())
    }

    /// How the working tree differs from the index; empty before Git was asked.
    pub fn trabajo(&self) -> String {
        self.changes.map_or(String::new(), |[_, worktree]| worktree.to_string())
    }
}

/// The letters of a file without changes, and of one that is only in the working tree.
const UNCHANGED: [char; 2] = [' ', ' '];
const UNTRACKED: [char; 2] = ['?', '?'];

/// What Git says of the tracker. Paths are relative to the root of the project.
#[derive(Debug)]
pub(in crate::tareas) struct Tracked {
    /// The commit HEAD names; none before the first.
    pub head: Option<String>,
    in_index: BTreeSet<String>,
    in_head: BTreeSet<String>,
    ignored: BTreeSet<String>,
    changed: BTreeMap<String, [char; 2]>,
}

impl Tracked {
    /// What Git says of a file.
    pub fn row(&self, ruta: &str) -> Tracking {
        let en_indice = self.in_index.contains(ruta);
        Tracking {
            en_indice,
            en_head: self.in_head.contains(ruta),
            ignorado: !en_indice && self.ignored.contains(ruta),
            changes: Some(self.changed.get(ruta).copied().unwrap_or(UNCHANGED)),
        }
    }

    /// The files of the index and of HEAD.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.in_index.union(&self.in_head).map(String::as_str)
    }
}

pub(super) fn read(repository: &Repository, vista: &Vista<'_>) -> Result<Tracked, TareasError> {
    // Literal, because the way to the project may hold signs that mean something in a pattern.
    let folder = format!(":(literal){}{CARPETA}", repository.prefix);
    let paths = |arguments: &[&str]| -> Result<BTreeSet<String>, TareasError> {
        let answer = repository.answer(vista, &[arguments, &["--", &folder]].concat())?;
        fields(&answer).filter_map(|path| own_path(repository, vista, path).transpose()).collect()
    };
    let in_index = paths(&["ls-files", "--cached", "-z"])?;
    let ignored = paths(&["ls-files", "--others", "--ignored", "--exclude-standard", "-z"])?;
    let head = head(repository, vista)?;
    let in_head = match &head {
        Some(head) => paths(&["ls-tree", "-r", "--name-only", "-z", head])?,
        None => BTreeSet::new(),
    };
    let changed = changed(repository, vista, &folder)?;
    Ok(Tracked { head, in_index, in_head, ignored, changed })
}

fn fields(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

/// A path of the repository as one of the tracker; `None` when it is none.
fn own_path(repository: &Repository, vista: &Vista<'_>, path: &[u8]) -> Result<Option<String>, TareasError> {
    let Ok(path) = std::str::from_utf8(path) else {
        return Err(vista.broken(Path::new(&*String::from_utf8_lossy(path)), &Fault::Name));
    };
    let own = path.strip_prefix(&repository.prefix);
    let own = own.filter(|own| own.strip_prefix(CARPETA).is_some_and(|rest| rest.starts_with('/')));
    Ok(own.map(str::to_owned))
}

fn head(repository: &Repository, vista: &Vista<'_>) -> Result<Option<String>, TareasError> {
    let output = super::ask(vista, &repository.worktree, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
    match output.code {
        Some(0) => Ok(Some(String::from_utf8_lossy(output.stdout.trim_ascii()).into_owned())),
        Some(1) => Ok(None),
        _ => Err(super::failed(vista, &output)),
    }
}

/// The letters of each file that changed. A file that left the index and is still there has two lines: the
/// one that tells of the index counts.
fn changed(
    repository: &Repository,
    vista: &Vista<'_>,
    folder: &str,
) -> Result<BTreeMap<String, [char; 2]>, TareasError> {
    // Without `dirty`, Git would run itself inside each submodule, under the submodule's own configuration.
    let status = [
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=dirty",
        "--no-renames",
        "--",
        folder,
    ];
    let answer = repository.answer(vista, &status)?;
    let mut changed = BTreeMap::new();
    for line in fields(&answer) {
        let ([index, worktree, b' '], path) = line.split_first_chunk().unwrap_or((&[0; 3], &[])) else {
            return Err(super::fault(vista, "Git contestó un estado que no se entiende".to_owned()));
        };
        let Some(path) = own_path(repository, vista, path)? else { continue };
        let letters = [char::from(*index), char::from(*worktree)];
        if letters != UNTRACKED || !changed.contains_key(&path) {
            changed.insert(path, letters);
        }
    }
    Ok(changed)
}
