//! States of files, as the kernel reports them.

use crate::disk::error::ErrnoContext;
use crate::disk::{DiskError, DiskErrorKind, Entry, MTime, Result, Stat};
use rustix::fs::{AtFlags, FileType, Statx, StatxTimestamp, fstat, makedev, statat};
use rustix::io::Errno;
use std::os::fd::AsFd;
use std::path::Path;

/// Returns the state of a name, or of a path below the folder, without following a symlink there.
pub(super) fn stat_entry(entry: &Entry) -> Result<Option<Stat>> {
    match statat(&entry.dir, &entry.name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(raw) => Ok(Some(convert(&raw))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(DiskError::from_errno(errno, "check", &entry.path)),
    }
}

/// Returns the state of an open file.
pub(super) fn state(file: impl AsFd, operation: &'static str, path: &Path) -> Result<Stat> {
    fstat(file).map(|raw| convert(&raw)).context(operation, path)
}

/// Converts the result of `stat`.
#[expect(clippy::unnecessary_cast, reason = "the system's field types differ between processors")]
pub(super) fn convert(raw: &rustix::fs::Stat) -> Stat {
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
pub(super) fn convert_statx(raw: &Statx) -> Stat {
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
pub(super) fn require_file(stat: &Stat, path: &Path) -> Result<()> {
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
