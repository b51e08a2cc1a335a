//! The real disk.

mod append;
mod attributes;
mod confirm;
mod examine;
mod flush;
mod folders;
mod lease;
mod mounts;
mod names;
mod overwrite;
mod read;
mod resolve;
mod root;
mod stage;
mod stream;
mod tree;

use super::error::{DiskError, DiskErrorKind, Result};
use super::place::{Entry, FileImage, Handle, Kind, Listed, Root, Target};
use super::stat::{MTime, Stat};
use super::{Disk, Examined, Expected, FileBytes, Flush, Lease, Sink, StageOrder, Staged, Streamed};
use append::Appender;
pub(super) use lease::OsLease;
use rustix::fs::{AtFlags, Statx, StatxTimestamp, makedev, statat};
use rustix::io::Errno;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The file system of this machine.
#[derive(Debug)]
pub struct OsDisk {
    umask: u32,
    appender: Appender,
}

impl Default for OsDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl OsDisk {
    /// Creates a disk. New files get their mode from the current umask, so a daemon that sets its own umask
    /// must create its disk first.
    pub fn new() -> Self {
        Self { umask: process_umask(), appender: Appender::default() }
    }
}

impl Disk for OsDisk {
    fn open_root(&self, path: &Path) -> Result<Root> {
        root::open(path)
    }

    fn resolve(&self, root: &Root, relative: &Path) -> Result<Target> {
        resolve::resolve(root, relative)
    }

    fn stat(&self, target: &Target) -> Result<Option<Stat>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        Ok(self.stat_entry(&entry)?.map(|stat| target.root.mark_racy(stat)))
    }

    fn read(&self, target: &Target, limit: u64) -> Result<Option<FileImage>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        let Some(mut image) = self.read_entry(&entry, limit)? else { return Ok(None) };
        image.stat = target.root.mark_racy(image.stat);
        Ok(Some(image))
    }

    fn stream(&self, target: &Target, sink: Sink<'_>) -> Result<Option<Streamed>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        stream::stream(&entry, sink)
    }

    fn peek(&self, root: &Root, below: &Path) -> Result<Option<Stat>> {
        match statat(root.0.handle.descriptor(), below, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(raw) => Ok(Some(convert(&raw))),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(DiskError::from_errno(errno, "check", &root.path().join(below))),
        }
    }

    fn folder(&self, root: &Root, relative: &Path) -> Result<PathBuf> {
        resolve::folder(root, relative)
    }

    fn list(&self, root: &Root, folder: &Path) -> Result<Vec<Listed>> {
        tree::list(root, folder)
    }

    fn open_file(&self, root: &Root, below: &Path) -> Result<Box<dyn Read + Send>> {
        tree::open(root, below).map(|file| Box::new(file) as Box<dyn Read + Send>)
    }

    fn behind_mounts(&self, root: &Root, target: Option<&Target>) -> Result<Option<PathBuf>> {
        mounts::behind(root, target)
    }

    fn confirm(&self, target: &Target) -> Result<()> {
        confirm::confirm(target)
    }

    fn stat_entry(&self, entry: &Entry) -> Result<Option<Stat>> {
        stat_entry(entry)
    }

    fn read_entry(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
        read::read(entry, limit)
    }

    fn holds(&self, entry: &Entry, bytes: &FileBytes) -> Result<bool> {
        read::holds(entry, bytes)
    }

    fn holds_held(&self, held: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool> {
        read::holds_held(held, path, bytes)
    }

    fn examine(&self, entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>> {
        examine::examine(entry, expected)
    }

    fn stage(&self, entry: &Entry, order: StageOrder<'_>) -> Result<Staged> {
        stage::stage(entry, order, self.umask)
    }

    fn rename_over(&self, from: &Entry, to: &Entry) -> Result<()> {
        names::rename_over(from, to)
    }

    fn rename_new(&self, from: &Entry, to: &Entry) -> Result<()> {
        names::rename_new(from, to)
    }

    fn exchange(&self, a: &Entry, b: &Entry) -> Result<bool> {
        names::exchange(a, b)
    }

    fn link(&self, from: &Entry, to: &Entry) -> Result<bool> {
        names::link(from, to)
    }

    fn overwrite(&self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
        overwrite::overwrite(entry, original, content)
    }

    fn append(&self, entry: &Entry, bytes: &[u8], flush: Flush) -> Result<()> {
        self.appender.append(entry, bytes, flush)
    }

    fn read_held(&self, held: &Handle, path: &Path, limit: u64) -> Result<FileImage> {
        read::read_held(held, path, limit)
    }

    fn stat_held(&self, held: &Handle, path: &Path) -> Result<Stat> {
        read::stat_held(held, path)
    }

    fn lease(&self, held: &Handle) -> Option<Lease> {
        lease::take(held.descriptor()).map(Lease)
    }

    fn remove(&self, entry: &Entry) -> Result<()> {
        names::remove(entry)
    }

    fn make_dir(&self, entry: &Entry) -> Result<()> {
        folders::make(entry, self.umask)
    }

    fn open_dir(&self, entry: &Entry) -> Result<Handle> {
        folders::open(entry)
    }

    fn remove_dir(&self, entry: &Entry) -> Result<()> {
        folders::remove(entry)
    }

    fn sync_dir(&self, dir: &Handle, path: &Path) -> Result<()> {
        folders::sync(dir, path)
    }
}

/// Returns the umask of this process. There is no system call that reads it without also setting it.
fn process_umask() -> u32 {
    /// Default umask of nearly every system.
    const USUAL: u32 = 0o022;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let digits = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    digits.and_then(|digits| u32::from_str_radix(digits.trim(), 8).ok()).unwrap_or(USUAL)
}

/// Returns the state of a name, without following a symlink there.
fn stat_entry(entry: &Entry) -> Result<Option<Stat>> {
    match statat(entry.dir.descriptor(), &entry.name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(raw) => Ok(Some(convert(&raw))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(DiskError::from_errno(errno, "check", &entry.path)),
    }
}

/// Converts the result of `stat`.
#[expect(clippy::unnecessary_cast, reason = "the system's field types differ between processors")]
fn convert(raw: &rustix::fs::Stat) -> Stat {
    let mut stat = Stat {
        dev: raw.st_dev as u64,
        ino: raw.st_ino as u64,
        size: raw.st_size.cast_unsigned(),
        mtime: MTime { seconds: raw.st_mtime as i64, nanos: raw.st_mtime_nsec as u32 },
        ctime: MTime { seconds: raw.st_ctime as i64, nanos: raw.st_ctime_nsec as u32 },
        mode: raw.st_mode as u32,
        nlink: raw.st_nlink as u64,
        uid: raw.st_uid as u32,
        gid: raw.st_gid as u32,
        racy: false,
    };
    stat.racy = stat.is_racy(MTime::now());
    stat
}

/// Converts the result of `statx`.
fn convert_statx(raw: &Statx) -> Stat {
    let stamp = |time: &StatxTimestamp| MTime { seconds: time.tv_sec, nanos: time.tv_nsec };
    let mut stat = Stat {
        dev: makedev(raw.stx_dev_major, raw.stx_dev_minor),
        ino: raw.stx_ino,
        size: raw.stx_size,
        mtime: stamp(&raw.stx_mtime),
        ctime: stamp(&raw.stx_ctime),
        mode: raw.stx_mode.into(),
        nlink: raw.stx_nlink.into(),
        uid: raw.stx_uid,
        gid: raw.stx_gid,
        racy: false,
    };
    stat.racy = stat.is_racy(MTime::now());
    stat
}

/// Refuses anything but a regular file.
fn require_file(stat: &Stat, path: &Path) -> Result<()> {
    use rustix::fs::FileType;
    let what = match FileType::from_raw_mode(stat.mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => "a folder",
        FileType::Symlink => "a symlink",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something unknown",
    };
    Err(DiskError::new(DiskErrorKind::NotAFile { what }, "use", path))
}
