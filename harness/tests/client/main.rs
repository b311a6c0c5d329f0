//! The client over real servers: the lesson's, which says what it says byte for byte, and one that lies.
//!
//! Called with `--serve NAME …`, this executable is one of those servers. Otherwise it runs the cases as tests.

mod clauses;
mod lesson;
mod liar;
#[path = "../../examples/incidencias/server.rs"]
mod server;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use harness::client::{Client, DiscoveryFault, Settings};
use libtest_mimic::{Arguments, Trial};

/// Far more than any server of these tests needs.
const LONG: Duration = Duration::from_secs(60);

/// One check and its name.
type Check = (&'static str, fn());

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--serve", "incidencias"] => match server::serve(io::stdin().lock(), io::stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        ["--serve", "liar", lie, folder] => liar::serve(lie, folder.as_ref()),
        _ => {
            let trial = |(name, check): &Check| {
                let (name, check) = (name.replace('_', " "), *check);
                Trial::test(name, move || {
                    check();
                    Ok(())
                })
            };
            let trials = lesson::ALL.iter().chain(clauses::ALL).map(trial).collect();
            libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
        }
    }
}

/// This executable as one of its servers.
fn command(words: &[&str]) -> Vec<OsString> {
    let exe = std::env::current_exe().expect("the path of this executable");
    let words = words.iter().map(OsString::from);
    [exe.into_os_string(), "--serve".into()].into_iter().chain(words).collect()
}

/// A client of one of them.
fn discover(words: &[&str]) -> Result<Client, DiscoveryFault> {
    Client::discover(&command(words), Settings { limit: LONG, ..Settings::default() })
}
