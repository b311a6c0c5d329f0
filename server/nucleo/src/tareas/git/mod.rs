//! What Git says of the tracker: the files it follows and the subjects of its history.
//!
//! Owns the questions and the reading of their answers. Git is asked by its command, which reads every form
//! of repository there is; how it is kept from writing and from running anything is in `process`.

mod process;
mod tracked;

pub(super) use process::{GitFault, Output, run};
pub(super) use tracked::{Tracked, Tracking};

use super::TareasError;
use super::vista::Vista;
use std::path::{Path, PathBuf};

/// The repository that a project lies in.
#[derive(Debug)]
pub(super) struct Repository {
    /// The root of its working tree.
    worktree: PathBuf,
    /// The project's path under that root, with a slash at its end; empty when they are one.
    prefix: String,
}

/// One commit: its hash and the first paragraph of its message, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub sha: String,
    pub asunto: String,
}

/// The repository of the project; `None` when it lies in none.
///
/// Errors: [`TareasError::Git`] when Git cannot tell, or names a working tree that the project is not under.
pub(super) fn locate(vista: &Vista<'_>) -> Result<Option<Repository>, TareasError> {
    let output = ask(vista, vista.raiz(), &["rev-parse", "--show-toplevel"])?;
    if output.code != Some(0) {
        let none = output.says("not a git repository");
        return if none { Ok(None) } else { Err(failed(vista, &output)) };
    }
    let shown = String::from_utf8_lossy(&output.stdout);
    let worktree = Path::new(shown.strip_suffix('\n').unwrap_or(&shown));
    let outside = || fault(vista, "el árbol de trabajo que Git informa no contiene al proyecto".to_owned());
    let worktree = worktree.canonicalize().map_err(|_| outside())?;
    let inside = vista.raiz().strip_prefix(&worktree).map_err(|_| outside())?;
    let mut prefix = inside.display().to_string();
    if !prefix.is_empty() {
        prefix.push('/');
    }
    Ok(Some(Repository { worktree, prefix }))
}

impl Repository {
    /// Every commit that HEAD reaches, the newest first; none before the first commit.
    pub(super) fn commits(&self, vista: &Vista<'_>) -> Result<Vec<Subject>, TareasError> {
        let log = ["log", "-z", "--no-color", "--no-show-signature", "--encoding=UTF-8", "--format=%H %s"];
        let output = ask(vista, vista.raiz(), &log)?;
        if output.code != Some(0) {
            let none = output.says("does not have any commits yet");
            return if none { Ok(Vec::new()) } else { Err(failed(vista, &output)) };
        }
        let commits = output.stdout.split(|byte| *byte == 0).filter(|commit| !commit.is_empty());
        Ok(commits.map(|commit| subject(&String::from_utf8_lossy(commit))).collect())
    }

    /// Whether the clone holds only the latest part of the history.
    pub(super) fn is_shallow(&self, vista: &Vista<'_>) -> Result<bool, TareasError> {
        let output = ask(vista, vista.raiz(), &["rev-parse", "--is-shallow-repository"])?;
        Ok(output.code == Some(0) && output.stdout.trim_ascii() == b"true")
    }

    /// What the index, HEAD and the working tree say of each file of the tracker.
    pub(super) fn tracked(&self, vista: &Vista<'_>) -> Result<Tracked, TareasError> {
        tracked::read(self, vista)
    }

    /// Runs Git at the root of the working tree; its answer must be a success.
    fn answer(&self, vista: &Vista<'_>, arguments: &[&str]) -> Result<Vec<u8>, TareasError> {
        let output = ask(vista, &self.worktree, arguments)?;
        if output.code == Some(0) { Ok(output.stdout) } else { Err(failed(vista, &output)) }
    }
}

fn subject(commit: &str) -> Subject {
    let (sha, asunto) = commit.split_once(' ').unwrap_or((commit, ""));
    Subject { sha: sha.to_owned(), asunto: asunto.to_owned() }
}

fn ask(vista: &Vista<'_>, folder: &Path, arguments: &[&str]) -> Result<Output, TareasError> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    vista.git(folder, &arguments).map_err(|why| match why {
        GitFault::Cancelled => TareasError::Cancelado,
        why => fault(vista, why.to_string()),
    })
}

fn failed(vista: &Vista<'_>, output: &Output) -> TareasError {
    fault(vista, format!("Git no pudo leer el repositorio: {}", output.complaint()))
}

fn fault(vista: &Vista<'_>, motivo: String) -> TareasError {
    TareasError::Git { ruta: vista.carpeta().display().to_string(), motivo }
}
