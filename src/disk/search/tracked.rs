//! The files that git tracks, from its index. Git itself is not started: the settings of the project could make it run
//! programs.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memchr::memchr;

/// Maximum size of an index, in bytes: several million files.
const MAX_INDEX: u64 = 1 << 30;
/// Maximum size of an index that is read for each snapshot, in bytes.
const MAX_READ_OFTEN: u64 = 256 << 20;
/// Maximum size of a file with a path, in bytes.
const MAX_POINTER: u64 = 8192;
/// Length of an entry up to its hash.
const BEFORE_HASH: usize = 40;
/// Flag of an entry with two more bytes of flags.
const EXTENDED: u16 = 0x4000;
/// Extension of an index of which another file holds a part.
const SPLIT: &[u8] = b"link";

/// The tracked files of a work tree, as paths from its top. A submodule, and a folder of a sparse index, is one path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tracked {
    /// All paths one after the other, in order.
    names: Vec<u8>,
    /// End of each path.
    ends: Vec<u32>,
}

impl Tracked {
    /// Reads the index of the work tree with this top folder. Returns `None` if it is not one of git. Fails if the index
    /// is larger than 1 GiB or has an unknown form.
    pub fn read(top: &Path) -> io::Result<Option<Self>> {
        Self::read_up_to(MAX_INDEX, top)
    }

    fn read_up_to(limit: u64, top: &Path) -> io::Result<Option<Self>> {
        let Some((metadata, _)) = metadata(top) else { return Ok(None) };
        let unknown = || io::Error::new(io::ErrorKind::Unsupported, "the index of git has an unknown form");
        let mut index = Vec::new();
        match open(&metadata.join("index")) {
            // Nothing was added yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Self::default())),
            file => file?.ok_or_else(unknown)?.take(limit).read_to_end(&mut index)?,
        };
        // A hash of the other length leads to no valid index.
        let parsed = [20, 32].into_iter().find_map(|hash| parse(&index, hash));
        parsed.map(Some).ok_or_else(unknown)
    }

    /// Returns `true` if a path, or a folder that contains it, is tracked.
    pub fn holds(&self, path: &Path) -> bool {
        let is_tracked = |path: &Path| {
            let path = path.as_os_str().as_bytes();
            self.from(path) == Some(path)
        };
        path.ancestors().any(is_tracked)
    }

    /// Returns `true` if a tracked path lies in this folder, or is this path.
    pub fn is_in(&self, folder: &Path) -> bool {
        let below = [folder.as_os_str().as_bytes(), b"/"].concat();
        self.from(&below).is_some_and(|first| first.starts_with(&below)) || self.holds(folder)
    }

    /// Returns the first path that is not before this one.
    fn from(&self, path: &[u8]) -> Option<&[u8]> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.name(middle) < path { low = middle + 1 } else { high = middle }
        }
        (low < self.ends.len()).then(|| self.name(low))
    }

    fn name(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.names[start..self.ends[at] as usize]
    }

    /// Collects paths, which are in order except for the rare ones of folders.
    fn of(names: Vec<u8>, ends: Vec<u32>) -> Self {
        let found = Self { names, ends };
        let count = found.ends.len();
        if (1..count).all(|at| found.name(at - 1) <= found.name(at)) {
            return found;
        }
        let mut sorted: Vec<_> = (0..count).map(|at| found.name(at)).collect();
        sorted.sort_unstable();
        let mut result = Self::default();
        for name in sorted {
            result.names.extend_from_slice(name);
            result.ends.push(result.names.len() as u32);
        }
        result
    }
}

/// The tracked files of a work tree, which are read when they are first needed.
#[derive(Debug)]
pub struct TrackedFiles {
    top: PathBuf,
    read: OnceLock<Tracked>,
}

impl TrackedFiles {
    /// Returns the tracked files of the work tree with this top folder.
    pub fn new(top: PathBuf) -> Self {
        Self { top, read: OnceLock::new() }
    }

    /// Returns `true` if a file is tracked, or if a tracked one lies in a folder. Of a folder that is not a work tree of
    /// git, or whose index is larger than 256 MiB or has an unknown form, nothing is.
    pub fn has(&self, path: &Path) -> bool {
        let read = || {
            Tracked::read_up_to(MAX_READ_OFTEN, &self.top).unwrap_or_else(|error| {
                tracing::debug!(%error, top = %self.top.display(), "the index of git cannot be read");
                None
            })
        };
        let tracked = self.read.get_or_init(|| read().unwrap_or_default());
        path.strip_prefix(&self.top).is_ok_and(|below| tracked.is_in(below))
    }
}

/// Opens a regular file, without waiting for the other end of a pipe. Returns `None` for anything else.
fn open(path: &Path) -> io::Result<Option<File>> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(nonblocking).open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Returns the folder with the metadata of a work tree, and that of its repository, which has other work trees if the
/// two differ. Returns `None` if the folder is no work tree of git.
pub fn metadata(top: &Path) -> Option<(PathBuf, PathBuf)> {
    let mark = top.join(".git");
    let own = if fs::metadata(&mark).ok()?.is_dir() {
        mark
    } else {
        top.join(named(read_short(&mark)?.strip_prefix(b"gitdir:")?))
    };
    let common =
        read_short(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(named(&common)));
    Some((own, common))
}

fn named(text: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(text.trim_ascii()))
}

/// Reads a file that contains a path.
fn read_short(path: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    open(path).ok()??.take(MAX_POINTER).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Parses an index (`gitformat-index(5)`). Returns `None` if it is damaged, or has a form that is not known.
fn parse(index: &[u8], hash: usize) -> Option<Tracked> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if index.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let (mut names, mut ends, mut name, mut at) = (Vec::new(), Vec::new(), Vec::new(), 12);
    for _ in 0..count {
        let flags_at = at + BEFORE_HASH + hash;
        let flags = u16::from_be_bytes(index.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let mut name_at = flags_at + 2 + if flags & EXTENDED == 0 { 0 } else { 2 };
        if version == 4 {
            let (removed, length) = variable(index.get(name_at..)?)?;
            name.truncate(name.len().checked_sub(removed)?);
            name_at += length;
        } else {
            name.clear();
        }
        let length = memchr(0, index.get(name_at..)?)?;
        name.extend_from_slice(&index[name_at..name_at + length]);
        names.extend_from_slice(name.strip_suffix(b"/").unwrap_or(&name));
        ends.push(u32::try_from(names.len()).ok()?);
        let end = name_at + length;
        at = if version == 4 { end + 1 } else { at + (end - at) / 8 * 8 + 8 };
    }
    // Extensions follow, and a hash of everything.
    while at + hash < index.len() {
        if index.get(at..at + 4)? == SPLIT {
            return None;
        }
        at = at.checked_add(8)?.checked_add(number(at + 4)? as usize)?;
    }
    (at + hash == index.len()).then(|| Tracked::of(names, ends))
}

/// Parses a number of variable length. Returns its own length, too.
fn variable(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value = value.checked_add(1)?;
    }
    None
}

#[cfg(test)]
mod tests;
