//! A folder as it stands: every entry with all that a write would change, times in nanoseconds included.
//!
//! Owns the copy that a conversation runs over and the question whether anything in it moved. A file that came and went
//! shows in the times of its folder. Must not know who changed what; the replay does.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};
use sha2::{Digest, Sha256};

use super::visible::visible;

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// At what the system keeps about each entry: it cannot stay the same where bytes changed.
    Metadata,
    /// At the bytes of each file too.
    Bytes,
}

/// Everything in a folder, the folder itself included, by path relative to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    entries: BTreeMap<Vec<u8>, Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    kind: &'static str,
    mode: u32,
    inode: u64,
    links: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    target: Option<PathBuf>,
    digest: Option<[u8; 32]>,
}

/// One entry that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path relative to the folder; `.` is the folder itself.
    pub path: String,
    /// What changed.
    pub what: String,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

impl Snapshot {
    /// Looks at everything under `root` without following links.
    ///
    /// # Errors
    /// An entry that cannot be looked at; one that is gone by the time it is looked at is left out.
    pub fn take(root: &Path, look: Look) -> io::Result<Self> {
        let mut entries = BTreeMap::new();
        let mut waiting = vec![(b".".to_vec(), root.to_owned())];
        while let Some((name, path)) = waiting.pop() {
            let Some(metadata) = unless_gone(fs::symlink_metadata(&path))? else { continue };
            if metadata.is_dir()
                && let Some(inside) = unless_gone(fs::read_dir(&path))?
            {
                for entry in inside {
                    let entry = entry?;
                    waiting.push((join(&name, &entry.file_name()), entry.path()));
                }
            }
            if let Some(entry) = unless_gone(Entry::of(&path, &metadata, look))? {
                entries.insert(name, entry);
            }
        }
        Ok(Self { entries })
    }

    /// What is not as it was, by path. Empty only where all is the same, as closely as both looked.
    pub fn changes_to(&self, later: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let paths: std::collections::BTreeSet<_> = self.entries.keys().chain(later.entries.keys()).collect();
        for path in paths {
            let what = match (self.entries.get(path), later.entries.get(path)) {
                (Some(before), Some(after)) => before.differences(after),
                (Some(before), None) => vec![format!("the {} was removed", before.kind)],
                (None, Some(after)) => vec![format!("a {} was created", after.kind)],
                (None, None) => Vec::new(),
            };
            if !what.is_empty() {
                changes.push(Change { path: visible(path, 400), what: what.join(", ") });
            }
        }
        changes
    }

    /// Whether every entry was changed before that time, in seconds and nanoseconds.
    fn is_before(&self, time: (i64, i64)) -> bool {
        self.entries.values().all(|entry| entry.changed < time)
    }
}

impl Entry {
    fn of(path: &Path, metadata: &Metadata, look: Look) -> io::Result<Self> {
        let kind = kind(metadata);
        let digest = match (kind, look) {
            ("file", Look::Bytes) => Some(Sha256::digest(fs::read(path)?).into()),
            _ => None,
        };
        let target = if kind == "link" { Some(fs::read_link(path)?) } else { None };
        Ok(Self {
            kind,
            mode: metadata.mode() & 0o7777,
            inode: metadata.ino(),
            // What a folder holds shows in its times; its size and links are the file system's own affair.
            links: if metadata.is_dir() { 0 } else { metadata.nlink() },
            size: if metadata.is_dir() { 0 } else { metadata.size() },
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            target,
            digest,
        })
    }

    fn differences(&self, after: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut told = |differs: bool, what: String| {
            if differs {
                found.push(what);
            }
        };
        told(self.kind != after.kind, format!("the {} became a {}", self.kind, after.kind));
        let bytes = self.digest.is_some() && after.digest.is_some() && self.digest != after.digest;
        told(bytes, "other bytes".to_owned());
        told(self.size != after.size, format!("size {} became {}", self.size, after.size));
        told(self.mode != after.mode, format!("mode {:o} became {:o}", self.mode, after.mode));
        told(self.target != after.target, "another target".to_owned());
        told(self.inode != after.inode, "replaced by another of that name".to_owned());
        told(self.links != after.links, format!("{} links became {}", self.links, after.links));
        told(self.modified != after.modified, "modification time".to_owned());
        told(self.changed != after.changed, "change time".to_owned());
        found
    }
}

fn kind(metadata: &Metadata) -> &'static str {
    let file_type = metadata.file_type();
    match () {
        () if file_type.is_file() => "file",
        () if file_type.is_dir() => "folder",
        () if file_type.is_symlink() => "link",
        () if file_type.is_fifo() => "pipe",
        () if file_type.is_socket() => "socket",
        () => "device",
    }
}

fn unless_gone<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn join(folder: &[u8], name: &OsStr) -> Vec<u8> {
    if folder == b"." { name.as_bytes().to_vec() } else { [folder, b"/", name.as_bytes()].concat() }
}

/// Copies a folder: bytes, modes and links as they are, every modification time a fixed one long past.
///
/// So a later write shows even where it falls into the same tick of the clock as the copying.
///
/// # Errors
/// An entry that is no file, folder or link, or that cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    match kind(&metadata) {
        "file" => {
            fs::copy(from, to)?;
        }
        "link" => std::os::unix::fs::symlink(fs::read_link(from)?, to)?,
        "folder" => {
            fs::create_dir(to)?;
            for entry in fs::read_dir(from)? {
                let entry = entry?;
                copy(&entry.path(), &to.join(entry.file_name()))?;
            }
            fs::set_permissions(to, metadata.permissions())?;
        }
        other => return Err(io::Error::other(format!("a {other} at {} cannot be copied", from.display()))),
    }
    /// 2001-09-09, a round number of seconds.
    const LONG_PAST: Timespec = Timespec { tv_sec: 1_000_000_000, tv_nsec: 0 };
    set_times(to, LONG_PAST)
}

/// Sets a modification time to now, of a link itself where it is one.
///
/// # Errors
/// There is no such entry, or its times cannot be set.
pub fn touch(path: &Path) -> io::Result<()> {
    set_times(path, Timespec { tv_sec: 0, tv_nsec: UTIME_NOW })
}

fn set_times(path: &Path, modified: Timespec) -> io::Result<()> {
    let accessed = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    let times = Timestamps { last_access: accessed, last_modification: modified };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Waits until the clock of the file system stands behind every time of a snapshot, so that whatever changes from now
/// on has another time. `probe` is a file elsewhere on the same file system.
///
/// # Errors
/// The probe cannot be written, or that clock stands still for two seconds.
pub fn settle(snapshot: &Snapshot, probe: &Path) -> io::Result<()> {
    settle_within(2_000, snapshot, probe)
}

fn settle_within(attempts: usize, snapshot: &Snapshot, probe: &Path) -> io::Result<()> {
    for _ in 0..attempts {
        fs::write(probe, b"tick")?;
        let metadata = fs::metadata(probe)?;
        if snapshot.is_before((metadata.ctime(), metadata.ctime_nsec())) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    Err(io::Error::other("the clock of the file system stands still"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder with a file, a folder, a file inside of it and a link, and a place for the probe.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let base = tempfile::tempdir().expect("a temporary folder");
        let root = base.path().join("root");
        fs::create_dir_all(root.join("in")).expect("folders");
        fs::write(root.join("a"), "one").expect("a file");
        fs::write(root.join("in/b"), "two").expect("a file");
        symlink("a", root.join("link")).expect("a link");
        (base, root)
    }

    fn check(change: impl FnOnce(&Path) -> io::Result<()>, expect: &[(&str, &str)]) {
        let (base, original) = folder();
        let root = base.path().join("copy");
        copy(&original, &root).expect("a copy");
        let before = Snapshot::take(&root, Look::Bytes).expect("a snapshot");
        settle(&before, &base.path().join("probe")).expect("a tick");
        change(&root).expect("the change");
        for look in [Look::Metadata, Look::Bytes] {
            let after = Snapshot::take(&root, look).expect("a snapshot");
            let changes = before.changes_to(&after);
            let expect: Vec<_> = expect
                .iter()
                .map(|(path, what)| {
                    (
                        *path,
                        what.strip_prefix("other bytes, ").filter(|_| look == Look::Metadata).unwrap_or(what),
                    )
                })
                .collect();
            let found: Vec<_> = changes.iter().map(|c| (c.path.as_str(), c.what.as_str())).collect();
            assert_eq!(found, expect, "{look:?}");
        }
    }

    const TIMES: &str = "modification time, change time";

    #[test]
    fn a_folder_that_is_left_alone_is_the_same() {
        check(|root| fs::read(root.join("a")).map(|_| ()), &[]);
    }

    #[test]
    fn writes_show() {
        check(|root| fs::write(root.join("a"), "ONE"), &[("a", &format!("other bytes, {TIMES}"))]);
        check(
            |root| fs::write(root.join("in/b"), "longer"),
            &[("in/b", &format!("other bytes, size 3 became 6, {TIMES}"))],
        );
        check(|root| touch(&root.join("in/b")), &[("in/b", TIMES)]);
        check(|root| touch(&root.join("in")), &[("in", TIMES)]);
        check(|root| touch(&root.join("link")), &[("link", TIMES)]);
    }

    #[test]
    fn a_time_that_is_set_back_shows() {
        let back = |root: &Path| {
            fs::write(root.join("a"), "ONE")?;
            set_times(&root.join("a"), Timespec { tv_sec: 1_000_000_000, tv_nsec: 0 })
        };
        check(back, &[("a", "other bytes, change time")]);
    }

    #[test]
    fn modes_links_and_kinds_show() {
        let mode =
            |mode| move |root: &Path| fs::set_permissions(root.join("a"), fs::Permissions::from_mode(mode));
        check(
            |root| {
                mode(0o600)(root)?;
                mode(0o644)(root)
            },
            &[("a", "change time")],
        );
        check(
            |root| fs::hard_link(root.join("a"), root.join("in/c")),
            &[("a", "1 links became 2, change time"), ("in", TIMES), ("in/c", "a file was created")],
        );
    }

    #[test]
    fn what_comes_and_goes_shows_in_its_folder() {
        check(
            |root| {
                fs::write(root.join("in/c"), "")?;
                fs::remove_file(root.join("in/c"))
            },
            &[("in", TIMES)],
        );
        check(
            |root| {
                fs::create_dir(root.join("c"))?;
                fs::remove_dir(root.join("c"))
            },
            &[(".", TIMES)],
        );
        check(|root| fs::remove_file(root.join("link")), &[(".", TIMES), ("link", "the link was removed")]);
    }

    #[test]
    fn what_takes_another_place_shows() {
        let (_base, root) = folder();
        let before = Snapshot::take(&root, Look::Bytes).expect("a snapshot");
        let mut after = before.clone();
        let entry = after.entries.get_mut(&b"link"[..]).expect("the link");
        entry.target = Some(PathBuf::from("b"));
        entry.inode += 1;
        entry.kind = "pipe";
        entry.mode = 0o1;
        let what = before.changes_to(&after).into_iter().map(|change| change.to_string()).collect::<Vec<_>>();
        let expect = "link: the link became a pipe, mode 777 became 1, another target, replaced by another of that name";
        assert_eq!(what, [expect]);
    }

    #[test]
    fn a_copy_is_the_same_but_for_its_times() {
        let (base, root) = folder();
        fs::set_permissions(root.join("in"), fs::Permissions::from_mode(0o500)).expect("a mode");
        fs::set_permissions(root.join("a"), fs::Permissions::from_mode(0o751)).expect("a mode");
        symlink("/nowhere", root.join("dangling")).expect("a link");
        let to = base.path().join("copy");
        copy(&root, &to).expect("a copy");
        let plain = |root: &Path| {
            let mut snapshot = Snapshot::take(root, Look::Bytes).expect("a snapshot");
            for entry in snapshot.entries.values_mut() {
                (entry.inode, entry.modified, entry.changed) = (0, (0, 0), (0, 0));
            }
            snapshot
        };
        assert_eq!(plain(&root), plain(&to));
        let times = Snapshot::take(&to, Look::Metadata).expect("a snapshot");
        assert!(times.entries.values().all(|entry| entry.modified == (1_000_000_000, 0)), "{times:?}");
    }

    #[test]
    fn what_is_no_file_is_named_and_not_copied() {
        let (base, root) = folder();
        let socket = std::os::unix::net::UnixListener::bind(root.join("socket")).expect("a socket");
        let fault = copy(&root, &base.path().join("copy")).expect_err("a socket is no file");
        assert!(fault.to_string().contains("a socket at"), "{fault}");
        let pipe = root.join("pipe");
        rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("a pipe");
        let kind_of = |path: &Path| kind(&fs::symlink_metadata(path).expect("it is there"));
        assert_eq!([kind_of(&pipe), kind_of(Path::new("/dev/null"))], ["pipe", "device"]);
        drop(socket);
    }

    #[test]
    fn the_clock_has_settled_once_it_is_behind_every_time() {
        let (base, root) = folder();
        let probe = base.path().join("probe");
        let mut snapshot = Snapshot::take(&root, Look::Metadata).expect("a snapshot");
        settle(&snapshot, &probe).expect("the clock goes on");
        assert!(settle(&snapshot, &base.path().join("no/such/place")).is_err());
        for (at, entry) in snapshot.entries.values_mut().enumerate() {
            entry.changed = (7, i64::try_from(at).expect("few entries"));
        }
        let last = i64::try_from(snapshot.entries.len()).expect("few entries") - 1;
        let before = [(7, last), (7, last + 1), (8, 0), (6, last + 1)].map(|time| snapshot.is_before(time));
        assert_eq!(before, [false, true, true, false]);
        snapshot.entries.values_mut().next().expect("an entry").changed = (i64::MAX, 0);
        assert!(settle_within(2, &snapshot, &probe).is_err());
    }

    #[test]
    fn only_what_is_gone_is_let_be() {
        let fault = |kind| unless_gone::<()>(Err(io::Error::from(kind))).map_err(|error| error.kind());
        assert_eq!(fault(io::ErrorKind::NotFound), Ok(None));
        assert_eq!(fault(io::ErrorKind::PermissionDenied), Err(io::ErrorKind::PermissionDenied));
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_entries() {
        let (base, _root) = folder();
        let nothing = Snapshot::take(&base.path().join("nothing"), Look::Bytes).expect("a snapshot");
        assert_eq!(nothing, Snapshot::default());
    }
}
