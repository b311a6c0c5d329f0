//! For each rule, a server that keeps it and one that breaks it and nothing else.
//!
//! Called with `--serve FLAW`, this executable is such a server. Otherwise it runs the cases as tests.

mod cases;
mod flaws;
mod gateway;
mod server;
mod web;
mod whole;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "--serve" => server::serve(rest),
        _ => tests(),
    }
}

fn tests() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Most of these wait for servers that do nothing.
    arguments.test_threads.get_or_insert(16);
    let mut trials: Vec<Trial> = cases::all()
        .into_iter()
        .map(|case| Trial::test(case.name(), move || case.run().map_err(Failed::from)))
        .collect();
    for (name, check) in whole::ALL {
        trials.push(Trial::test(name.replace('_', " "), move || check().map_err(Failed::from)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
