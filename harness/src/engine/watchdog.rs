//! Ends the servers of a harness that was itself killed: a mutation tool kills by process group, and a server has one
//! of its own.
//!
//! One small shell waits on a pipe that only this process holds open. However this process ends, the pipe closes, and
//! the shell kills every group that was not released. It stands in a group of its own, so what kills the harness does
//! not kill it. There is no unsafe code in this, and unlike a parent-death signal it reaches a whole group.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex};

use rustix::process::Pid;

/// Keeps the groups in one variable; reads `+ GROUP` and `- GROUP` until the pipe closes.
const SCRIPT: &str = r#"
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups$group " ;;
        -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"#;

static WATCHDOG: LazyLock<Mutex<Option<(Child, ChildStdin)>>> = LazyLock::new(|| Mutex::new(start().ok()));

fn start() -> io::Result<(Child, ChildStdin)> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", SCRIPT])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let stdin = child.stdin.take().ok_or_else(|| io::Error::other("stdin is piped above"))?;
    Ok((child, stdin))
}

/// Starts the watchdog, so that a server is on its list as soon as it runs.
pub fn wake() {
    LazyLock::force(&WATCHDOG);
}

/// Has a process group ended should this process die.
///
/// Where there is no shell, only the closed pipes tell a server that its client is gone.
pub fn guard(group: Pid) {
    tell('+', group);
}

/// Takes a group that is gone off the list, before its number is given anew.
pub fn release(group: Pid) {
    tell('-', group);
}

fn tell(sign: char, group: Pid) {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, stdin)) = watchdog.as_mut() {
        // One write, so that no half line is ever read.
        let _ = stdin.write_all(format!("{sign} {}\n", group.as_raw_nonzero()).as_bytes());
    }
}
