//! The command line: options, verbs, exit codes.
//!
//! Owns stdout and stderr of the program. Must not know what a conversation says.

mod bless;
mod census;
mod certify;
mod examples;
mod gate;
mod progress;
mod record;
mod replay;
mod requirements;
mod server;
mod talk;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::gate::verbs;
use crate::suite::{Rerun, Workspace, quoted};

/// How the program ends; its number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for holds.
    Passed = 0,
    /// Something asked for does not hold: a conversation failed, a requirement is not met, a mutant lives.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Nothing was shown: no suite, no server, a fault of the harness.
    Void = 3,
    /// Something was to be written, and is refused.
    Refused = 4,
}

impl From<verbs::Exit> for Exit {
    fn from(exit: verbs::Exit) -> Self {
        match exit {
            verbs::Exit::Green => Self::Passed,
            verbs::Exit::Red => Self::Failed,
            verbs::Exit::Void => Self::Void,
        }
    }
}

/// Replays recorded JSON-RPC conversations, byte for byte, through a spawned MCP server.
///
/// Exit codes: 0 all holds; 1 something does not; 2 wrong command line; 3 nothing was shown; 4 refused to write.
#[derive(Debug, Parser)]
// A width of 0 wraps nothing: an example that is broken into two lines does not run.
#[command(name = "harness", version, verbatim_doc_comment, term_width = 0, color = clap::ColorChoice::Never)]
struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Does the server still say exactly this?
    #[command(after_help = examples::REPLAY)]
    Replay(replay::ReplayArgs),
    /// Fill in what the server says now.
    #[command(after_help = examples::BLESS)]
    Bless(bless::BlessArgs),
    /// Has every operation a tool, or a reason not to? What does the catalogue cost to read?
    Census(census::CensusArgs),
    /// Stand between a client and a server, and write the conversation down.
    #[command(after_help = examples::RECORD)]
    Record(record::RecordArgs),
    /// What travels? A conversation by hand.
    #[command(after_help = examples::TALK)]
    Talk(talk::TalkArgs),
    /// Which rules of a published contract does a server keep?
    #[command(after_help = examples::CERTIFY)]
    Certify(certify::CertifyArgs),
    /// Count what the conversations cover, and publish the count.
    #[command(after_help = examples::REQUIREMENTS)]
    Requirements(requirements::RequirementsArgs),
    /// Would the conversations notice a lie? Runs the contract mutants.
    #[command(after_help = examples::MUTANTES)]
    Mutantes(verbs::ContractArgs),
    /// The gate over a round of cargo-mutants.
    #[command(subcommand)]
    Gate(Gate),
}

#[derive(Debug, Subcommand)]
enum Gate {
    /// Can the last round be believed? Writes its score.
    #[command(after_help = examples::GATE_CHECK)]
    Check(verbs::CheckArgs),
    /// A report of the last round to look at.
    #[command(after_help = examples::GATE_REPORT)]
    Report(verbs::ReportArgs),
}

/// Where a verb writes.
struct Streams<'s> {
    /// What was asked for.
    out: &'s mut dyn Write,
    /// What stands in the way.
    err: &'s mut dyn Write,
    /// Whether somebody looks at the latter, so that long work says how far it is.
    terminal: bool,
}

/// Runs the program over its arguments, the first being its own name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut out = io::stdout();
    let mut err = io::stderr();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let options = match Options::try_parse_from(&arguments) {
        Ok(options) => options,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Passed };
            // Nobody reads a closed stream; the exit code still says it.
            let _ = error.print();
            return ExitCode::from(code as u8);
        }
    };
    let workspace = Workspace::own();
    let mut streams = Streams { out: &mut out, err: &mut err, terminal: io::stderr().is_terminal() };
    let told = options.verb.tells();
    let exit = match options.verb {
        Verb::Replay(args) => replay::run(&workspace, &args, &mut streams),
        Verb::Bless(args) => bless::run(&workspace, &args, &mut streams),
        Verb::Census(args) => census::run(&args, &mut streams),
        Verb::Record(args) => record::run(&workspace, &args, &mut streams),
        Verb::Talk(args) => talk::run(&workspace, &args, &mut streams),
        Verb::Certify(args) => certify::run(&args, &mut streams),
        Verb::Requirements(args) => requirements::run(&workspace, &args, &mut streams),
        Verb::Mutantes(args) => {
            through(&mut streams, |streams| verbs::contract(&workspace.root, &args, &gate::Corpus, streams))
        }
        Verb::Gate(Gate::Check(args)) => {
            through(&mut streams, |streams| verbs::check(&workspace.root, &args, streams))
        }
        Verb::Gate(Gate::Report(args)) => {
            through(&mut streams, |streams| verbs::report(&workspace.root, &args, streams))
        }
    };
    if !matches!(exit, Exit::Passed) && told != Some(exit) {
        streams.say_err(&format!("run again: {}", again(&arguments)));
    }
    ExitCode::from(exit as u8)
}

/// The command line as somebody types it.
fn again(arguments: &[OsString]) -> String {
    let words = arguments.iter().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once(Rerun::default().program).chain(words).collect::<Vec<_>>().join(" ")
}

impl Verb {
    /// The end at which a verb has named the command for each thing that failed, so that the whole one adds nothing.
    fn tells(&self) -> Option<Exit> {
        match self {
            Self::Replay(_) | Self::Record(_) | Self::Requirements(_) | Self::Mutantes(_) => {
                Some(Exit::Failed)
            }
            Self::Bless(_) => Some(Exit::Refused),
            Self::Talk(_) | Self::Certify(_) | Self::Census(_) | Self::Gate(_) => None,
        }
    }
}

fn through(streams: &mut Streams<'_>, verb: impl FnOnce(&mut verbs::Streams<'_>) -> verbs::Exit) -> Exit {
    let terminal = streams.terminal;
    verb(&mut verbs::Streams { out: streams.out, err: streams.err, terminal }).into()
}

impl Streams<'_> {
    /// Ends a verb that could not show anything.
    fn void(&mut self, why: &str) -> Exit {
        self.say_err(why);
        Exit::Void
    }

    /// A line on stdout.
    fn say(&mut self, line: &str) {
        // Nobody reads a closed stream; the exit code still says it.
        let _ = writeln!(self.out, "{line}");
    }

    /// A line on stderr.
    fn say_err(&mut self, line: &str) {
        let _ = writeln!(self.err, "harness: {line}");
    }
}
