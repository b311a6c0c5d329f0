//! Opening one file and walking one folder: the only code of the core that asks the file system for bytes.
//!
//! Owns what "a physical file" means: regular, not reached through a symlink of its own, opened without
//! blocking, bounded in size. Must not know what a file holds, nor which ones a project has.

use crate::algebra::Cancellation;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest source that is kept in memory, in bytes. Well above any catalogue or case that people write, and
/// low enough that one stray file does not take the process down.
pub const FILE_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Most bytes of sources that one call keeps in memory.
pub const SOURCES_LIMIT_BYTES: u64 = 512 * 1024 * 1024;

/// Most entries that one folder of a project may hold, at any depth.
pub const ENTRIES_LIMIT: usize = 1_000_000;

/// Why a path is no usable file. Printed in Spanish, as the end of a sentence that names the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing has that name.
    Missing,
    /// The path is a symlink.
    Symlink,
    /// A folder stands where a file was expected.
    Folder,
    /// A pipe, device or socket.
    Special,
    /// More bytes than [`FILE_LIMIT_BYTES`].
    TooLarge,
    /// With what was read before, more bytes than [`SOURCES_LIMIT_BYTES`].
    NoRoom,
    /// The caller asked to stop.
    Cancelled,
    /// A name that is no UTF-8.
    Name,
    /// Bytes that are no UTF-8.
    Encoding,
    /// The operating system refused.
    Refused(String),
}

impl Fault {
    /// Whether the project's structure is at fault, whatever the file would have held: what the contract
    /// files under `PROYECTO_INVALIDO` as structure, confinement or symlink.
    pub fn is_structural(&self) -> bool {
        matches!(self, Fault::Symlink | Fault::Special | Fault::Name)
    }

    fn from_io(error: &io::Error) -> Fault {
        // What opening a symlink answers when told not to follow it.
        #[cfg(unix)]
        if error.raw_os_error() == Some(libc::ELOOP) {
            return Fault::Symlink;
        }
        match error.kind() {
            io::ErrorKind::NotFound => Fault::Missing,
            io::ErrorKind::PermissionDenied => Fault::Refused("permiso denegado".to_owned()),
            _ => Fault::Refused(error.to_string()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing => f.write_str("no existe"),
            Fault::Symlink => f.write_str("es un enlace simbólico y tiene que ser un archivo físico"),
            Fault::Folder => f.write_str("es una carpeta y tiene que ser un archivo físico"),
            Fault::Special => f.write_str("no es un archivo regular"),
            Fault::TooLarge => write!(f, "pasa el máximo de {FILE_LIMIT_BYTES} bytes por archivo"),
            Fault::NoRoom => {
                write!(f, "pasa, con lo ya leído, el máximo de {SOURCES_LIMIT_BYTES} bytes de fuentes")
            }
            Fault::Cancelled => f.write_str("quedó sin leer: se canceló la consulta"),
            Fault::Name => f.write_str("tiene un nombre que no es UTF-8"),
            Fault::Encoding => f.write_str("no es UTF-8 válido"),
            Fault::Refused(reason) => write!(f, "no se puede leer: {reason}"),
        }
    }
}

/// Opens a physical file for reading.
///
/// The kind is looked at before opening, because opening a device may act on it, and again after, because
/// the name may have been given to something else meanwhile. Neither a pipe nor a symlink put there in
/// between can block or lead elsewhere.
pub fn open(path: &Path) -> Result<File, Fault> {
    expect_regular(&fs::symlink_metadata(path).map_err(|e| Fault::from_io(&e))?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY);
    }
    let file = options.open(path).map_err(|e| Fault::from_io(&e))?;
    expect_regular(&file.metadata().map_err(|e| Fault::from_io(&e))?)?;
    Ok(file)
}

fn expect_regular(metadata: &fs::Metadata) -> Result<(), Fault> {
    let kind = metadata.file_type();
    if kind.is_file() {
        Ok(())
    } else if kind.is_symlink() {
        Err(Fault::Symlink)
    } else if kind.is_dir() {
        Err(Fault::Folder)
    } else {
        Err(Fault::Special)
    }
}

/// Reads a physical file whole, up to [`FILE_LIMIT_BYTES`].
pub fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    read_within(FILE_LIMIT_BYTES, path)
}

/// As [`read`], up to the `room` that is left for it too.
pub fn read_within(room: u64, path: &Path) -> Result<Vec<u8>, Fault> {
    let limit = FILE_LIMIT_BYTES.min(room);
    let mut bytes = Vec::new();
    let mut file = open(path)?.take(limit + 1);
    file.read_to_end(&mut bytes).map_err(|e| Fault::from_io(&e))?;
    if bytes.len() as u64 > limit {
        return Err(if limit < FILE_LIMIT_BYTES { Fault::NoRoom } else { Fault::TooLarge });
    }
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// Hands the bytes of a physical file to `sink` in pieces, whatever its size, without keeping them. Between two of
/// them it stops when it was asked to.
pub fn stream(path: &Path, cancellation: &Cancellation, sink: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
    let mut file = open(path)?;
    let mut piece = vec![0; 64 * 1024];
    loop {
        if cancellation.requested() {
            return Err(Fault::Cancelled);
        }
        match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => sink(&piece[..count]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Fault::from_io(&e)),
        }
    }
}

/// What kind of thing a walk found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder; what it holds follows.
    Folder,
    /// A symlink to a folder. It is not followed.
    SymlinkToFolder,
    /// A symlink to anything else, or to nothing.
    Symlink,
    /// A pipe, device or socket.
    Special,
}

/// One thing under a walked folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Absolute path.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
}

impl Entry {
    /// The fault of this entry when a file is expected of it; `None` when it is one.
    pub fn fault(&self) -> Option<Fault> {
        match self.kind {
            Kind::File => None,
            Kind::Folder => Some(Fault::Folder),
            Kind::Symlink | Kind::SymlinkToFolder => Some(Fault::Symlink),
            Kind::Special => Some(Fault::Special),
        }
    }
}

/// Why a folder could not be walked whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalkFault {
    /// That path is at fault.
    At(PathBuf, Fault),
    /// There are more entries than [`ENTRIES_LIMIT`].
    TooMany,
    /// The caller asked to stop.
    Cancelled,
}

/// How far down a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Only what lies right in the folder.
    Top,
    /// Everything under it.
    Whole,
}

/// Everything in a folder, as far down as `depth`, ordered by the parts of its path. Symlinks are named, never
/// followed. A folder that cannot be listed is an error, not an empty one.
pub fn walk(folder: &Path, depth: Depth, cancellation: &Cancellation) -> Result<Vec<Entry>, WalkFault> {
    walk_up_to(ENTRIES_LIMIT, folder, depth, cancellation)
}

fn walk_up_to(
    limit: usize,
    folder: &Path,
    depth: Depth,
    cancellation: &Cancellation,
) -> Result<Vec<Entry>, WalkFault> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(current) = pending.pop() {
        if cancellation.requested() {
            return Err(WalkFault::Cancelled);
        }
        let at = |e: io::Error| WalkFault::At(current.clone(), Fault::from_io(&e));
        for entry in fs::read_dir(&current).map_err(at)? {
            let entry = entry.map_err(at)?;
            let path = entry.path();
            if entry.file_name().to_str().is_none() {
                return Err(WalkFault::At(path, Fault::Name));
            }
            let kind = kind_of(&entry).map_err(|e| WalkFault::At(path.clone(), Fault::from_io(&e)))?;
            if kind == Kind::Folder && depth == Depth::Whole {
                pending.push(path.clone());
            }
            found.push(Entry { path, kind });
            if found.len() > limit {
                return Err(WalkFault::TooMany);
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn kind_of(entry: &fs::DirEntry) -> io::Result<Kind> {
    let kind = entry.file_type()?;
    Ok(if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Folder
    } else if !kind.is_symlink() {
        Kind::Special
    } else if entry.path().is_dir() {
        Kind::SymlinkToFolder
    } else {
        Kind::Symlink
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proyecto::disk::Disk;

    #[test]
    fn a_walk_names_everything_in_the_order_of_its_parts() {
        let disk = Disk::with(&[("catalogos/b/z", ""), ("catalogos/b-a/z", ""), ("catalogos/.a", "")]);
        disk.link("catalogos/e", "/");
        disk.link("catalogos/c", "nada");
        disk.pipe("catalogos/p");
        let root = disk.path("catalogos");
        let found = walk(&root, Depth::Whole, &Cancellation::new()).unwrap();
        let shown: Vec<(&str, Kind)> =
            found.iter().map(|e| (e.path.strip_prefix(&root).unwrap().to_str().unwrap(), e.kind)).collect();
        assert_eq!(
            shown,
            [
                (".a", Kind::File),
                ("b", Kind::Folder),
                ("b/z", Kind::File),
                ("b-a", Kind::Folder),
                ("b-a/z", Kind::File),
                ("c", Kind::Symlink),
                ("e", Kind::SymlinkToFolder),
                ("p", Kind::Special),
            ]
        );
        let top = walk(&root, Depth::Top, &Cancellation::new()).unwrap();
        assert_eq!(top, found.into_iter().filter(|e| e.path.parent() == Some(&root)).collect::<Vec<_>>());
    }

    #[test]
    fn a_walk_ends_at_its_limit_and_when_cancelled() {
        let disk = Disk::with(&[("catalogos/a/b", ""), ("catalogos/c", "")]);
        let root = disk.path("catalogos");
        let cancellation = Cancellation::new();
        assert_eq!(walk_up_to(3, &root, Depth::Whole, &cancellation).unwrap().len(), 3);
        assert_eq!(walk_up_to(2, &root, Depth::Whole, &cancellation), Err(WalkFault::TooMany));
        assert_eq!(
            walk(&disk.path("nada"), Depth::Whole, &cancellation),
            Err(WalkFault::At(disk.path("nada"), Fault::Missing))
        );
        cancellation.cancel();
        assert_eq!(walk(&root, Depth::Top, &cancellation), Err(WalkFault::Cancelled));
    }

    #[test]
    fn reading_and_streaming_give_the_same_bytes_and_the_same_faults() {
        let disk = Disk::new();
        disk.write("a", vec![7; 200_000]);
        disk.link("e", "a");
        disk.pipe("p");
        let streamed = |name: &str| {
            let mut bytes = Vec::new();
            let kept = &mut |piece: &[u8]| bytes.extend_from_slice(piece);
            stream(&disk.path(name), &Cancellation::new(), kept).map(|()| bytes)
        };
        let read = |name: &str| read(&disk.path(name));
        assert_eq!(read("a").unwrap(), streamed("a").unwrap());
        for (name, fault) in [
            ("e", Fault::Symlink),
            ("p", Fault::Special),
            ("catalogos", Fault::Folder),
            ("nada", Fault::Missing),
        ] {
            assert_eq!(read(name), Err(fault.clone()), "{name}");
            assert_eq!(streamed(name), Err(fault), "{name}");
        }
    }

    #[test]
    fn a_file_is_read_as_far_as_there_is_room_and_as_somebody_wants_it() {
        let disk = Disk::with(&[("a", "12345")]);
        let path = disk.path("a");
        assert_eq!(read_within(5, &path).unwrap(), b"12345");
        assert_eq!(read_within(4, &path), Err(Fault::NoRoom));
        let cancellation = Cancellation::new();
        cancellation.cancel();
        assert_eq!(stream(&path, &cancellation, &mut |_| panic!("read")), Err(Fault::Cancelled));
    }
}
