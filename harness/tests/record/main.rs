//! `record` and `talk` between real clients and real servers.
//!
//! Called with `--serve FLAW PROJECT`, this executable is the small server of the outcomes' cases.

mod between;
mod broken;
mod faithful;
mod official;
#[path = "../outcomes/server.rs"]
mod server;
mod talk;
mod volatile;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A check and its name.
type Check = (&'static str, fn());

/// Functions as checks that bear their names.
macro_rules! named {
    ($($check:ident),* $(,)?) => { &[$((stringify!($check), $check as fn())),*] };
}
pub(crate) use named;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("--serve", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return server::serve(rest);
    }
    let all: [&[Check]; 5] = [faithful::ALL, broken::ALL, volatile::ALL, talk::ALL, official::ALL];
    let trials = all.concat().into_iter().map(|(name, check)| {
        Trial::test(name.replace('_', " "), move || {
            check();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
