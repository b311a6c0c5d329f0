//! Which server a verb runs through: any command, or the workspace's own, built now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::conversation::words;
use crate::engine::Target;
use crate::suite::{Patience, Rerun, Runner, Workspace, build, quoted};

/// Options about the server and the suite.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ServerArgs {
    /// The server's command, `{{project}}` standing for the project's copy; without it, oracle-mcp is built.
    #[arg(long, value_name = "COMMAND")]
    server: Option<String>,
    /// What `{{version}}` stands for with --server.
    #[arg(long, value_name = "VERSION", requires = "server")]
    server_version: Option<String>,
    /// The folder of the conversations; projects lie under its proyectos/.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Files or folders of conversations; all of them without any.
    pub(super) paths: Vec<PathBuf>,
}

impl ServerArgs {
    /// The folder of the conversations.
    pub(super) fn folder(&self, workspace: &Workspace) -> PathBuf {
        self.root.clone().unwrap_or_else(|| workspace.conversations())
    }

    /// What is about to be done before anything can be said.
    pub(super) fn starting(&self) -> &'static str {
        if self.server.is_none() { "building the server" } else { "starting" }
    }

    /// The server and how to run it again.
    ///
    /// # Errors
    /// A command that is none, or a server that does not compile.
    pub(super) fn runner(&self, workspace: &Workspace) -> Result<Runner, String> {
        let mut target = match &self.server {
            None => {
                let built = build(&workspace.root).map_err(|fault| fault.to_string())?;
                workspace.target(&built.executable, &built.version)
            }
            Some(command) => Target {
                command: command_of(command)?,
                version: self.server_version.clone(),
                ..workspace.target("".as_ref(), "")
            },
        };
        target.projects = self.folder(workspace).join("proyectos");
        let command = Rerun { options: self.options(), ..Rerun::default() };
        Ok(Runner { target, command, patience: Arc::new(Patience::endless()) })
    }

    /// These options as somebody types them in a shell, each with a space in front.
    fn options(&self) -> String {
        options(self.server.as_deref(), self.server_version.as_deref(), self.root.as_deref())
    }
}

/// Options about the server as somebody types them in a shell, each with a space in front.
pub(super) fn options(server: Option<&str>, version: Option<&str>, root: Option<&Path>) -> String {
    let option = |name: &str, value: Option<&str>| {
        value.map(|value| format!(" --{name} {}", quoted(value))).unwrap_or_default()
    };
    let root = root.map(|root| root.display().to_string());
    option("server", server) + &option("server-version", version) + &option("root", root.as_deref())
}

fn command_of(command: &str) -> Result<Vec<std::ffi::OsString>, String> {
    match words(command) {
        Some(words) if !words.is_empty() => Ok(words.into_iter().map(Into::into).collect()),
        Some(_) => Err("--server is empty".to_owned()),
        None => Err("--server: a double quote does not close, or stands inside a word".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_words_and_quoted_words() {
        let check = |command: &str, expect: &[&str]| {
            assert_eq!(command_of(command), Ok(expect.iter().map(Into::into).collect()));
        };
        check("python3 -m x \"a b\" {{project}}", &["python3", "-m", "x", "a b", "{{project}}"]);
        assert!(command_of(" ").is_err());
        assert!(command_of("a \"b").is_err());
    }

    #[test]
    fn the_options_can_be_typed_again() {
        let args = ServerArgs {
            server: Some("it's".to_owned()),
            server_version: None,
            root: Some("a b".into()),
            paths: Vec::new(),
        };
        assert_eq!(args.options(), " --server 'it'\\''s' --root 'a b'");
    }
}
