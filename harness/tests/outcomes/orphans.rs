//! A harness that is killed takes its servers with it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use harness::engine::{Outcome, replay};

use super::bench::{Bench, steps};

/// Replays a conversation through a server that never ends; `arguments` is the file it writes its id to.
pub fn hold(arguments: &[String]) -> ExitCode {
    let [file] = arguments else { return ExitCode::from(64) };
    let bench = Bench::new();
    let mut target = bench.target("stubborn");
    target.command.pop();
    target.command.push(file.into());
    let report = replay(&steps(">raw a\\n\neof\nexit 0\n"), &target, "held");
    if report.outcome == Outcome::Passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Kills such a harness by its process group, as a mutation tool does, and looks for the server.
pub fn check() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("pid");
    let exe = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut harness = Command::new(exe)
        .arg("--hold")
        .arg(&file)
        .process_group(0)
        .env("TMPDIR", folder.path())
        .spawn()
        .map_err(|error| error.to_string())?;
    let server = until(|| fs::read_to_string(&file).ok().filter(|pid| !pid.is_empty()));
    let group = rustix::process::Pid::from_child(&harness);
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).map_err(|e| e.to_string())?;
    harness.wait().map_err(|error| error.to_string())?;
    let server = server.ok_or("the server did not start")?;
    match until(|| gone(&server).then_some(())) {
        Some(()) => Ok(()),
        None => Err(format!("the server {server} outlives its harness")),
    }
}

/// Looks again and again until there is something, for as long as anything may take.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match look() {
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            found => return found,
        }
    }
}

/// Whether a process is gone, or only waits to be collected by whoever inherited it.
fn gone(pid: &str) -> bool {
    let Ok(pid) = pid.parse::<i32>() else { return false };
    if !Path::new("/proc/self").exists() {
        return rustix::process::Pid::from_raw(pid)
            .is_none_or(|pid| rustix::process::test_kill_process(pid).is_err());
    }
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|fields| fields.starts_with('Z')),
        Err(_) => true,
    }
}
