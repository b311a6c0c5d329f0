//! `census`: reads what the options name, counts, prints, and writes or compares the block of a document.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Exit, Streams};
use crate::block::NoBlock;
use crate::census::catalogue::{self, Catalogue};
use crate::census::judge::{contrast, judge};
use crate::census::operations::{self, Operation};
use crate::census::report::{BLOCK, Language, Report, sentence};
use crate::census::{Code, Fault, postures, size};
use crate::engine::visible;
use crate::suite::forbids_rewriting;
use crate::whole::write_whole;

const EXAMPLE: &str = "\
Without --operations it only measures the catalogue.

Examples:
  $ cargo run -p harness -- census -- python3 harness/examples/greeter/greeter.py

  cargo run -p harness -- census --operations harness/census/oracle/operations.txt \\
      --postures harness/census/oracle/postures.toml --check docs/any-server.md \\
      -- target/debug/oracle-mcp --proyecto conversaciones/proyectos/tienda";

/// Options of `census`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct CensusArgs {
    /// A source of operations: a list with one a line, or an OpenAPI 3 document in JSON. May be given several times.
    #[arg(long, value_name = "FILE", requires = "postures")]
    operations: Vec<PathBuf>,
    /// What was decided about each operation: TOML.
    #[arg(long, value_name = "FILE", requires = "operations")]
    postures: Option<PathBuf>,
    /// Another source of the same operations; what only one of the two has is red. May be given several times.
    #[arg(long, value_name = "FILE", requires = "operations")]
    contrast: Vec<PathBuf>,
    /// The tools, saved: a list, or an answer to tools/list. Instead of a server.
    #[arg(long, value_name = "FILE", conflicts_with = "server", required_unless_present = "server")]
    tools: Option<PathBuf>,
    /// Print only the sentence, in this language.
    #[arg(long, value_name = "LANGUAGE", requires = "operations", conflicts_with_all = ["json", "write", "check"])]
    sentence: Option<Language>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the block of this document.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    write: Option<PathBuf>,
    /// Compare the block of this document and write nothing.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// The language of the block.
    #[arg(long, value_name = "LANGUAGE", default_value = "en")]
    language: Language,
    /// How long each answer of the server may take.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 30_000)]
    limit_ms: u64,
    /// The server's command, behind `--`.
    #[arg(last = true, value_name = "SERVER")]
    server: Vec<OsString>,
}

/// Counts what the options name.
pub(super) fn run(args: &CensusArgs, streams: &mut Streams<'_>) -> Exit {
    let report = match take(args) {
        Ok(report) => report,
        Err(fault) => return streams.void(&shown(&fault.to_string())),
    };
    for finding in &report.findings {
        streams.say_err(&shown(&format!("{}: {finding}", finding.code())));
    }
    match (&args.sentence, &report.surface) {
        (Some(language), Some((coverage, _))) => streams.say(&sentence(coverage, *language)),
        _ if args.json => streams.say(&report.json().to_string()),
        _ => streams.say(&shown(&report.block(args.language))),
    }
    let green = if report.is_green() { Exit::Passed } else { Exit::Failed };
    match (&args.write, &args.check) {
        (Some(document), _) => write(document, &report.block(args.language), green, streams),
        (None, Some(document)) => compare(document, &report.block(args.language), green, streams),
        (None, None) => green,
    }
}

/// A text of somebody else's that reaches a terminal.
fn shown(text: &str) -> String {
    visible(text.as_bytes(), usize::MAX)
}

/// Reads everything and counts.
fn take(args: &CensusArgs) -> Result<Report, Fault> {
    let surface = match &args.postures {
        None => None,
        Some(path) => Some((sources(&args.operations)?, within(path, postures::read)?)),
    };
    let there = if args.contrast.is_empty() { None } else { Some(sources(&args.contrast)?) };
    let catalogue = tools(args)?;
    let size = size::measure(&catalogue.tools);
    let Some((operations, postures)) = surface else {
        let nothing = BTreeMap::new();
        let (_, findings) = judge(&nothing, &postures::Postures::default(), &catalogue);
        return Ok(Report { surface: None, findings, size });
    };
    let (coverage, mut findings) = judge(&operations, &postures, &catalogue);
    findings.extend(there.map(|there| contrast(&operations, &there)).into_iter().flatten());
    Ok(Report { surface: Some((coverage, postures)), findings, size })
}

fn tools(args: &CensusArgs) -> Result<Catalogue, Fault> {
    match &args.tools {
        Some(path) => within(path, catalogue::read),
        None => catalogue::ask(&args.server, Duration::from_millis(args.limit_ms)),
    }
}

fn sources(paths: &[PathBuf]) -> Result<BTreeMap<String, Operation>, Fault> {
    operations::together(paths.iter().map(|path| within(path, operations::read)).collect::<Result<_, _>>()?)
}

/// Reads a file with a reader of texts; a fault names the file.
fn within<T>(path: &Path, read: impl FnOnce(&str) -> Result<T, Fault>) -> Result<T, Fault> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| unreadable(&name, &error))?;
    read(&text).map_err(|fault| fault.within(&name))
}

fn unreadable(name: &str, error: &std::io::Error) -> Fault {
    Fault { code: Code::Unreadable, place: name.to_owned(), why: error.to_string() }
}

fn no_block(why: NoBlock) -> Fault {
    Fault { code: Code::NoBlock, place: String::new(), why: why.to_string() }
}

fn write(path: &Path, block: &str, green: Exit, streams: &mut Streams<'_>) -> Exit {
    if let Some(why) = forbids_rewriting() {
        streams.say_err(&format!("nothing is written here: {why}; `--check` compares"));
        return Exit::Refused;
    }
    let name = path.display().to_string();
    let replaced = within(path, |document| {
        let replaced = BLOCK.replace(document, block).map_err(no_block)?;
        Ok((replaced != document).then_some(replaced))
    });
    match replaced {
        Err(fault) => streams.void(&fault.to_string()),
        Ok(None) => green,
        Ok(Some(document)) => match write_whole(path, document.as_bytes()) {
            Ok(()) => {
                streams.say_err(&format!("{name}: the block is written anew"));
                green
            }
            Err(error) => streams.void(&unreadable(&name, &error).to_string()),
        },
    }
}

fn compare(path: &Path, block: &str, green: Exit, streams: &mut Streams<'_>) -> Exit {
    let name = path.display().to_string();
    let published = within(path, |document| BLOCK.published(document).map(str::to_owned).map_err(no_block));
    match published {
        Err(fault) => streams.void(&fault.to_string()),
        Ok(published) if published == block => green,
        Ok(_) => {
            streams.say_err(&format!(
                "{name}: the block is not this census; `--write` in place of `--check` mends it"
            ));
            Exit::Failed
        }
    }
}
