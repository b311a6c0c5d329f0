//! `bless`: fills in what the server says now, one file after the other.

use super::progress::Progress;
use super::{Exit, Streams, server};
use crate::bless::{self, Blessed, Scope};
use crate::suite::{Workspace, forbids_rewriting, select};

/// Options of `bless`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct BlessArgs {
    #[command(flatten)]
    server: server::ServerArgs,
    /// Also change answers that stand.
    #[arg(long)]
    rebless: bool,
}

/// Blesses what the options name.
///
/// One refusal does not keep the other files from being filled in; it ends the program as refused.
pub(super) fn run(workspace: &Workspace, args: &BlessArgs, streams: &mut Streams<'_>) -> Exit {
    if let Some(why) = forbids_rewriting() {
        streams.say_err(&format!("nothing is written here: {why}"));
        return Exit::Refused;
    }
    let entries = match select(&args.server.folder(workspace), &args.server.paths) {
        Ok(entries) => entries,
        Err(fault) => return streams.void(&fault.to_string()),
    };
    let mut progress = Progress::new(streams.terminal);
    progress.show(streams.err, args.server.starting());
    let runner = args.server.runner(workspace);
    progress.clear(streams.err);
    let runner = match runner {
        Ok(runner) => runner,
        Err(why) => return streams.void(&why),
    };
    let scope = if args.rebless { Scope::Standing } else { Scope::Empty };
    let (mut written, mut unchanged, mut refused) = (0, 0, 0);
    for (at, entry) in entries.iter().enumerate() {
        progress.show(streams.err, &format!("{} of {}: {}", at + 1, entries.len(), entry.name));
        let blessed = bless::bless(&entry.path, &runner.target, scope);
        progress.clear(streams.err);
        match blessed {
            Ok(Blessed::Unchanged) => unchanged += 1,
            Ok(Blessed::Written { filled, changed, difference }) => {
                written += 1;
                streams.say(&format!("{}: {filled} filled, {changed} changed", entry.name));
                if !difference.is_empty() {
                    streams.say(difference.trim_end());
                }
            }
            Err(refusal) => {
                refused += 1;
                let again = runner.command.of("bless", &entry.path);
                streams.say_err(&format!(
                    "{}: {}\nrun again: {again}",
                    entry.name,
                    refusal.to_string().trim_end()
                ));
            }
        }
    }
    streams.say(&format!("{written} written, {unchanged} unchanged, {refused} refused"));
    if refused == 0 { Exit::Passed } else { Exit::Refused }
}
