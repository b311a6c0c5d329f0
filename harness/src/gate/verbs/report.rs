//! `gate report`: writes the report of the last round, whatever the checker thinks of it.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Exit, Streams};
use crate::gate::contract::read_folder;
use crate::gate::corpus;
use crate::gate::report;
use crate::gate::results::Results;
use crate::gate::round::Round;

/// Options of `gate report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// The folder that cargo-mutants wrote.
    #[arg(default_value = "mutants.out")]
    pub folder: PathBuf,
}

/// Writes the report of the last round of a workspace.
pub fn report(workspace: &Path, args: &ReportArgs, streams: &mut Streams<'_>) -> Exit {
    let written = || {
        let round = Round::read(&workspace.join(&args.folder))?;
        let entries = read_folder(&workspace.join("mutantes"))?;
        let contract = Results::read(workspace).ok();
        let recorded = corpus::recorded(workspace)?;
        report::report(workspace, &round, &entries, contract.as_ref(), &recorded)?.write(workspace)
    };
    match written().and_then(|words| writeln!(streams.out, "{words}").map_err(|error| error.to_string())) {
        Ok(()) => Exit::Green,
        Err(why) => streams.void(&why),
    }
}
