//! The place a conversation runs in: a copy of its project, a scratch folder, and the command that starts its server.
//!
//! Owns temporary folders. Everything in them goes when the stage is dropped.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Target;
use super::report::{Finding, Outcome};
use super::tree;
use crate::conversation::Header;

/// Folders of one run.
#[derive(Debug)]
pub struct Stage {
    base: TempDir,
    /// The project's folder among the fixtures, where the conversation names one.
    pub original: Option<PathBuf>,
    /// The canonical path of its copy; an empty folder where it names none.
    pub project: PathBuf,
    /// The canonical path of the scratch folder.
    pub scratch: PathBuf,
}

impl Stage {
    /// Copies the project that a header names into a new temporary folder.
    ///
    /// # Errors
    /// No such project, or one that cannot be copied, is a bad fixture; no room for it is the harness's fault.
    pub fn set(header: &Header, target: &Target) -> Result<Self, Finding> {
        let mine =
            |what: &str, error: io::Error| Finding::new(Outcome::HarnessError, format!("{what}: {error}"));
        let base = tempfile::Builder::new()
            .prefix("conversation-")
            .tempdir()
            .map_err(|error| mine("no temporary folder", error))?;
        let place =
            base.path().canonicalize().map_err(|error| mine("the temporary folder is gone", error))?;
        let scratch = place.join("scratch");
        fs::create_dir(&scratch).map_err(|error| mine("no scratch folder", error))?;
        let parent = place.join("project");
        fs::create_dir(&parent).map_err(|error| mine("no folder for the project", error))?;
        let (original, project) = match &header.project {
            Some(name) => {
                let original = target.projects.join(name);
                let last = original.file_name().ok_or_else(|| missing(&original))?;
                let project = parent.join(last);
                if !original.is_dir() {
                    return Err(missing(&original));
                }
                tree::copy(&original, &project).map_err(|error| {
                    let what = format!("the project {} cannot be copied: {error}", original.display());
                    Finding::new(Outcome::BadFixture, what)
                })?;
                (Some(original), project)
            }
            None => {
                let project = parent.join("none");
                fs::create_dir(&project).map_err(|error| mine("no folder for the project", error))?;
                (None, project)
            }
        };
        Ok(Self { base, original, project, scratch })
    }

    /// A file beside the project that nobody watches.
    pub fn probe(&self) -> PathBuf {
        self.base.path().join("probe")
    }

    /// The target's command for this stage: `{{project}}` in its arguments is the copy, then come the header's.
    ///
    /// `resolve` gives the header's own arguments their values.
    ///
    /// # Errors
    /// Whatever `resolve` finds wrong; a command without a program is the harness's fault.
    pub fn command(
        &self,
        header: &Header,
        target: &Target,
        resolve: impl Fn(&str) -> Result<String, Finding>,
    ) -> Result<Vec<OsString>, Finding> {
        let Some((program, own)) = target.command.split_first() else {
            return Err(Finding::new(Outcome::HarnessError, "the server's command is empty"));
        };
        let mut command = vec![program.clone()];
        let more = match &header.arguments {
            Some(instead) => instead,
            None => {
                command.extend(own.iter().map(|argument| with_project(argument, &self.project)));
                &header.args
            }
        };
        for argument in more {
            command.push(resolve(argument)?.into());
        }
        Ok(command)
    }
}

fn missing(project: &Path) -> Finding {
    Finding::new(Outcome::BadFixture, format!("there is no project {}", project.display()))
}

fn with_project(argument: &OsString, project: &Path) -> OsString {
    match (argument.to_str(), project.to_str()) {
        (Some(text), Some(project)) => text.replace("{{project}}", project).into(),
        _ => argument.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(projects: &Path, command: &[&str]) -> Target {
        Target {
            command: command.iter().map(OsString::from).collect(),
            version: None,
            projects: projects.to_owned(),
            embedded_root: None,
        }
    }

    fn projects() -> TempDir {
        let projects = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(projects.path().join("in/tienda")).expect("a project");
        fs::write(projects.path().join("in/tienda/a"), "A").expect("a file");
        fs::write(projects.path().join("file"), "").expect("a file");
        projects
    }

    fn header(project: &str) -> Header {
        Header { project: (!project.is_empty()).then(|| project.to_owned()), ..Header::default() }
    }

    #[test]
    fn a_stage_holds_a_copy_under_its_own_name() {
        let projects = projects();
        let stage = Stage::set(&header("in/tienda"), &target(projects.path(), &["x"])).expect("a stage");
        assert!(stage.project.ends_with("tienda") && stage.project.join("a").is_file());
        assert_eq!(stage.project, stage.project.canonicalize().expect("it is there"));
        assert!(stage.scratch.is_dir() && !stage.scratch.starts_with(&stage.project));
        assert_eq!(stage.original, Some(projects.path().join("in/tienda")));
        let (project, probe) = (stage.project.clone(), stage.probe());
        assert!(!probe.starts_with(&project));
        drop(stage);
        assert!(!project.exists());
    }

    #[test]
    fn without_a_project_the_folder_is_empty() {
        let projects = projects();
        let stage = Stage::set(&header(""), &target(projects.path(), &["x"])).expect("a stage");
        assert_eq!((fs::read_dir(&stage.project).expect("a folder").count(), stage.original), (0, None));
    }

    #[test]
    fn a_project_that_is_not_there_is_a_bad_fixture() {
        let projects = projects();
        for name in ["nada", "file", ".."] {
            let fault = Stage::set(&header(name), &target(&projects.path().join("in"), &["x"]));
            let fault = fault.expect_err(name);
            assert_eq!(fault.outcome, Outcome::BadFixture, "{}", fault.headline);
        }
    }

    fn command(own: &[&str], args: &[&str], instead: Option<&[&str]>) -> Result<String, Finding> {
        let projects = projects();
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let header = Header { args: owned(args), arguments: instead.map(owned), ..header("in/tienda") };
        let target = target(projects.path(), own);
        let stage = Stage::set(&header, &target).expect("a stage");
        let words = stage.command(&header, &target, |text| match text {
            "?" => Err(Finding::new(Outcome::BadFixture, "no value")),
            text => Ok(format!("<{text}>")),
        })?;
        let line = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        Ok(line.replace(stage.project.to_str().expect("UTF-8"), "@"))
    }

    #[test]
    fn a_command_is_the_targets_then_the_headers() {
        let found = |own: &[&str], args: &[&str], instead| command(own, args, instead).map_err(|f| f.outcome);
        let own = ["s", "--proyecto", "{{project}}", "a={{project}}/b"];
        assert_eq!(found(&own, &["--x", "y"], None).as_deref(), Ok("s --proyecto @ a=@/b <--x> <y>"));
        assert_eq!(found(&own, &["--x"], Some(&["z"])).as_deref(), Ok("s <z>"));
        assert_eq!(found(&own, &[], Some(&[])).as_deref(), Ok("s"));
        assert_eq!(found(&own, &["?"], None), Err(Outcome::BadFixture));
        assert_eq!(found(&[], &[], None), Err(Outcome::HarnessError));
    }
}
