//! What a server started and did not end: found in `/proc` by its group or by the mark in its environment.
//!
//! Looks only. Only Linux shows this; elsewhere a server's group is ended all the same, unseen.

use std::ffi::OsStr;

/// A process that belongs to a server and is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its process id.
    pub pid: i32,
    /// Its command line.
    pub command: String,
}

impl std::fmt::Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (process {})", self.command, self.pid)
    }
}

/// Every live process but `leader` itself that is in its group or was started with `marker` in its environment.
///
/// `leader` must not have been collected yet.
pub fn find(leader: i32, marker: &OsStr) -> Vec<Left> {
    linux::find(leader, marker)
}

/// Whether a process is there and more than a zombie.
#[cfg(all(test, target_os = "linux"))]
pub fn is_alive(pid: i32) -> bool {
    linux::stat(pid).is_some_and(|stat| stat.is_alive())
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Left, OsStr};
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    /// What the kernel says of a process in its `stat` file.
    #[derive(Debug, PartialEq)]
    pub struct Stat {
        pub state: char,
        pub group: i32,
        pub started: u64,
    }

    impl Stat {
        pub fn is_alive(&self) -> bool {
            !matches!(self.state, 'Z' | 'X')
        }
    }

    pub fn find(leader: i32, marker: &OsStr) -> Vec<Left> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        let since = stat(leader).map_or(0, |stat| stat.started);
        let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        let mut found: Vec<_> = pids
            .filter(|pid| *pid != leader && belongs(*pid, leader, since, marker.as_bytes()))
            .map(|pid| Left { pid, command: command_line(pid) })
            .collect();
        found.sort_by_key(|left| left.pid);
        found
    }

    /// Nothing that is older than the leader can be of its making.
    fn belongs(pid: i32, leader: i32, since: u64, marker: &[u8]) -> bool {
        stat(pid).filter(|stat| stat.is_alive() && stat.started >= since).is_some_and(|stat| {
            let marked = || {
                let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environ.split(|byte| *byte == 0).any(|variable| variable == marker)
            };
            stat.group == leader || marked()
        })
    }

    pub fn stat(pid: i32) -> Option<Stat> {
        read(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads a `stat` file; the command in it may hold anything, so fields are counted from behind it.
    pub fn read(stat: &[u8]) -> Option<Stat> {
        let behind = stat.iter().rposition(|byte| *byte == b')')? + 1;
        let fields: Vec<_> = str::from_utf8(&stat[behind..]).ok()?.split_ascii_whitespace().collect();
        Some(Stat {
            state: fields.first()?.chars().next()?,
            group: fields.get(2)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    fn command_line(pid: i32) -> String {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<_> = line.split(|byte| *byte == 0).filter(|word| !word.is_empty()).collect();
        super::super::visible::visible(&words.join(&b' '), 200)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn fields_are_counted_behind_the_command() {
            let check = |line: &str, expect: Option<(char, i32, u64)>| {
                let found = read(line.as_bytes()).map(|stat| (stat.state, stat.group, stat.started));
                assert_eq!(found, expect, "{line}");
            };
            let rest = "3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 901 20";
            check(&format!("12 (a) b) (c)) S 1 77 {rest}"), Some(('S', 77, 901)));
            check(&format!("12 (a) Z 1 -1 {rest}"), Some(('Z', -1, 901)));
            check("12 (a) S 1 77", None);
            check("12 (a) S 1", None);
            check("no command", None);
        }

        #[test]
        fn a_process_is_named_with_its_number() {
            assert_eq!(Left { pid: 7, command: "sleep 9".to_owned() }.to_string(), "sleep 9 (process 7)");
        }

        #[test]
        fn zombies_are_not_alive() {
            let alive = |state| Stat { state, group: 1, started: 1 }.is_alive();
            assert_eq!([alive('S'), alive('R'), alive('Z'), alive('X')], [true, true, false, false]);
        }

        #[test]
        fn this_process_is_found_by_its_own_marks() {
            let own = i32::try_from(std::process::id()).expect("a process id");
            let this = stat(own).expect("it is there");
            let nothing = b"NO_SUCH=MARK";
            assert!(belongs(own, this.group, this.started, nothing));
            assert!(!belongs(own, -5, this.started, nothing));
            assert!(!belongs(own, this.group, this.started + 1, nothing));
            let line = fs::read("/proc/self/environ").expect("it is there");
            let first = line.split(|byte| *byte == 0).next().expect("a variable");
            assert!(belongs(own, -5, 0, first) && !belongs(own, -5, 0, &first[..first.len() - 1]));
            assert!(!command_line(own).is_empty() && command_line(-1).is_empty());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    use super::{Left, OsStr};

    pub fn find(_leader: i32, _marker: &OsStr) -> Vec<Left> {
        Vec::new()
    }
}
