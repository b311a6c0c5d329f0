//! `requirements`: counts what is covered and publishes the sentence, or checks the published one.

use super::{Exit, Streams};
use crate::requirements;
use crate::suite::{Rerun, Workspace, forbids_rewriting};

/// Options of `requirements`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct RequirementsArgs {
    /// Compare the published sentence and write nothing.
    #[arg(long)]
    check: bool,
}

/// Counts, and writes or compares.
pub(super) fn run(workspace: &Workspace, args: &RequirementsArgs, streams: &mut Streams<'_>) -> Exit {
    let folder = workspace.conversations();
    let counted = if args.check {
        requirements::audit(&folder).map(|count| (count, false))
    } else if let Some(why) = forbids_rewriting() {
        streams.say_err(&format!("nothing is written here: {why}; `--check` compares"));
        return Exit::Refused;
    } else {
        requirements::publish(&folder)
    };
    match counted {
        Ok((count, changed)) => {
            streams.say(&count.to_string());
            if changed {
                streams.say_err("the README's sentence was out of date and is written anew");
            }
            Exit::Passed
        }
        Err(faults) => {
            let program = Rerun::default().program;
            streams.say_err(&format!("{}\nrun again: {program} requirements --check", faults.trim_end()));
            Exit::Failed
        }
    }
}
