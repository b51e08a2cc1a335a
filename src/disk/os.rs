//! The real disk.

mod read;
mod resolve;
mod root;

use super::error::{DiskError, DiskErrorKind, Result};
use super::place::{Entry, FileImage, Handle, Root, Target};
use super::stat::{MTime, Stat};
use super::{Disk, Examined, StageOrder, Staged};
use rustix::fs::{AtFlags, statat};
use rustix::io::Errno;
use std::path::Path;

/// The file system of this machine.
#[derive(Debug, Default)]
pub struct OsDisk(());

impl OsDisk {
    /// A disk. Reads the umask, so make it before a daemon sets its own.
    pub fn new() -> Self {
        Self(())
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
        Ok(self.look(&entry)?.map(|stat| with_root(stat, &target.root)))
    }

    fn read(&self, target: &Target, limit: u64) -> Result<Option<FileImage>> {
        let Some(entry) = target.entry() else { return Ok(None) };
        let Some(mut image) = self.read_entry(&entry, limit)? else { return Ok(None) };
        image.stat = with_root(image.stat, &target.root);
        Ok(Some(image))
    }

    fn look(&self, entry: &Entry) -> Result<Option<Stat>> {
        look(entry)
    }

    fn read_entry(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
        read::read(entry, limit)
    }

    fn examine(&self, entry: &Entry) -> Result<Option<Examined>> {
        Err(unsupported(entry))
    }

    fn stage(&self, entry: &Entry, _order: StageOrder<'_>) -> Result<Staged> {
        Err(unsupported(entry))
    }

    fn rename_over(&self, from: &Entry, _to: &Entry) -> Result<()> {
        Err(unsupported(from))
    }

    fn rename_new(&self, from: &Entry, _to: &Entry) -> Result<()> {
        Err(unsupported(from))
    }

    fn exchange(&self, a: &Entry, _b: &Entry) -> Result<bool> {
        Err(unsupported(a))
    }

    fn overwrite(&self, entry: &Entry, _: &Examined, _: &[u8], _: bool) -> Result<()> {
        Err(unsupported(entry))
    }

    fn remove(&self, entry: &Entry) -> Result<()> {
        Err(unsupported(entry))
    }

    fn make_dir(&self, entry: &Entry) -> Result<()> {
        Err(unsupported(entry))
    }

    fn open_dir(&self, entry: &Entry) -> Result<Handle> {
        Err(unsupported(entry))
    }

    fn remove_dir(&self, entry: &Entry) -> Result<()> {
        Err(unsupported(entry))
    }

    fn sync_dir(&self, _dir: &Handle, path: &Path) -> Result<()> {
        Err(DiskError::new(DiskErrorKind::Io, "flush", path))
    }

    fn orders_rename(&self, target: &Target) -> bool {
        target.root.0.orders_rename
    }
}

fn unsupported(entry: &Entry) -> DiskError {
    DiskError::new(DiskErrorKind::Io, "change", &entry.path)
}

/// The state of a name, its last symlink not followed.
fn look(entry: &Entry) -> Result<Option<Stat>> {
    match statat(entry.dir.as_os()?, &entry.name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(raw) => Ok(Some(convert(&raw))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(DiskError::from_errno(errno, "look at", &entry.path)),
    }
}

/// A file whose file system is not the root's own, or not one whose stamps are known, is always racy.
fn with_root(mut stat: Stat, root: &Root) -> Stat {
    stat.racy |= !root.0.steady_stamps || stat.dev != root.device();
    stat
}

/// The system's answer in editd's terms.
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

/// Refuses what is not a regular file.
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
