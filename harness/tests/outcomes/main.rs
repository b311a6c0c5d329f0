//! For each outcome of the harness, deliberately broken servers that cause it and nothing else.
//!
//! Called with `--serve FLAW PROJECT`, this executable is such a server; called with `--hold FILE`, a harness that waits
//! for a server which never ends. Otherwise it runs the cases as tests.

mod bench;
mod cases;
mod faults;
mod green;
mod orphans;
mod recording;
mod server;

use std::process::ExitCode;

use harness::engine::{Outcome, Report};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "--serve" => server::serve(rest),
        Some((first, rest)) if first == "--hold" => orphans::hold(rest),
        _ => tests(),
    }
}

fn tests() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Most of these wait for servers that do nothing.
    arguments.test_threads.get_or_insert(16);
    let mut trials: Vec<Trial> = cases::all()
        .into_iter()
        .map(|case| {
            let name = format!("{}: {}", case.outcome, case.flaw);
            Trial::test(name, move || case.run().map_err(Failed::from))
        })
        .collect();
    for (name, check) in [green::ALL, faults::ALL, recording::ALL].concat() {
        let name = name.replace('_', " ");
        trials.push(Trial::test(name, move || check(&bench::Bench::new()).map_err(Failed::from)));
    }
    trials.push(Trial::test("a harness that is killed leaves no server behind", || {
        orphans::check().map_err(Failed::from)
    }));
    trials.push(Trial::test("every outcome has a case", || every_outcome().map_err(Failed::from)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Bad fixtures, faults of the harness and what a machine lacks have tests of their own in `faults`.
fn every_outcome() -> Result<(), String> {
    let elsewhere = [Outcome::Passed, Outcome::BadFixture, Outcome::HarnessError, Outcome::NotApplicable];
    let caused: Vec<_> = cases::all().into_iter().map(|case| case.outcome).chain(elsewhere).collect();
    let report = Report::not_applicable("x", "python3 is not there");
    let missing: Vec<_> = Outcome::ALL.into_iter().filter(|outcome| !caused.contains(outcome)).collect();
    match (missing.as_slice(), report.outcome) {
        ([], Outcome::NotApplicable) => Ok(()),
        (missing, _) => Err(format!("no case causes {missing:?}")),
    }
}
