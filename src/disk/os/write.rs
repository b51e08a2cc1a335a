//! Writing and flushing: new files under a temporary name, existing files in place, and the logs of editd.

use super::state::{require_file, stat_entry, state};
use super::{attributes, permissions};
use crate::error::{ErrnoContext, errno_of};
use crate::sys::system;
use crate::{DiskError, DiskErrorKind, Entry, Examined, Flush, Result, StageOrder, StagedFile, Stat};
use editd_workspace::NewMode;
use parking_lot::Mutex;
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fstat, fstatvfs, openat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

const WRITE: &str = "write";
const APPEND: &str = "write to";

/// Buffer size for small pieces, in bytes.
const GATHERED: usize = 64 << 10;

/// Creates a new file, fills it and sets its attributes; leaves nothing behind if that fails.
pub(super) fn stage(entry: &Entry, order: StageOrder<'_>, umask: u32) -> Result<Option<StagedFile>> {
    let failed = |errno| with_space(errno, entry, order.content.len());
    let mut file = match create(entry, &order) {
        Ok(file) => file,
        // A folder that accepts no new file may still hold a file that can be written.
        Err(Errno::ACCESS | Errno::PERM) if order.like.is_some() => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    let result = fill(&mut file, &order, umask);
    if !matches!(result, Ok(Some(_))) {
        unlinkat(&entry.dir, &entry.name, AtFlags::empty()).context("remove", &entry.path)?;
    }
    let stat = result.map_err(failed)?;
    Ok(stat.map(|stat| StagedFile { stat, handle: OwnedFd::from(file).into() }))
}

fn create(entry: &Entry, order: &StageOrder<'_>) -> rustix::io::Result<File> {
    // Readable too, so that a later check can see what other programs wrote into it.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The replacement of a private file must never be readable by others, not even briefly.
    let mode = if order.like.is_some() { 0o600 } else { bits_of(order.mode) & 0o777 };
    openat(&entry.dir, &entry.name, flags, permissions(mode)).map(File::from)
}

/// Returns the permission bits of a new file, to which the umask applies unless they are given.
fn bits_of(mode: NewMode) -> u32 {
    match mode {
        NewMode::Plain => 0o666,
        NewMode::Executable => 0o777,
        NewMode::Bits(bits) => bits & 0o7777,
    }
}

/// Writes the content, copies the attributes and flushes. Returns `None` if the file cannot match the
/// original.
fn fill(file: &mut File, order: &StageOrder<'_>, umask: u32) -> rustix::io::Result<Option<Stat>> {
    // Small pieces are buffered, large ones are written directly.
    let mut writer = BufWriter::with_capacity(GATHERED.min(order.content.len()), &mut *file);
    let written = order.content.pieces().try_for_each(|piece| writer.write_all(piece));
    written.and_then(|()| writer.flush()).map_err(|error| errno_of(&error))?;
    drop(writer);
    let stat = match order.like {
        Some(original) => attributes::reproduce(file, original)?,
        None => Some(set_mode(file, order.mode, umask)?),
    };
    if stat.is_some() {
        flush(file, order.flush)?;
    }
    Ok(stat)
}

/// Sets the mode of a new file. On Linux, an ACL inherited from the folder replaces the umask.
fn set_mode(file: &File, mode: NewMode, umask: u32) -> rustix::io::Result<Stat> {
    let stat = Stat::of(&fstat(file)?);
    let is_given = matches!(mode, NewMode::Bits(_));
    let wanted = if is_given { bits_of(mode) } else { bits_of(mode) & !umask };
    if stat.mode & 0o7777 == wanted || (!is_given && system().ignores_umask(file.as_fd())) {
        return Ok(stat);
    }
    fchmod(file, permissions(wanted))?;
    fstat(file).map(|raw| Stat::of(&raw))
}

/// Returns the error of a write of `required` bytes. For a full disk it includes the space needed and the
/// space now available.
fn with_space(errno: Errno, entry: &Entry, required: usize) -> DiskError {
    let error = DiskError::from_errno(errno, WRITE, &entry.path);
    if !matches!(error.kind, DiskErrorKind::NoSpace { .. }) {
        return error;
    }
    let space = fstatvfs(&entry.dir).ok();
    let available = space.map(|space| space.f_bavail.saturating_mul(space.f_frsize));
    error.with_kind(DiskErrorKind::NoSpace { required: Some(required as u64), available })
}

/// Flushes the file's bytes as `flush` requires.
fn flush(file: &File, flush: Flush) -> rustix::io::Result<()> {
    match flush {
        Flush::Later => Ok(()),
        Flush::Now => system().flush(file.as_fd()),
        Flush::Ordered => system().flush_ordered(file.as_fd()),
    }
}

/// Overwrites the inode that was examined, if it must stay the same. A failure may leave a part of the
/// content.
pub(super) fn overwrite(entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(&entry.dir, &entry.name, flags, Mode::empty()).context(WRITE, &entry.path)?;
    let before = state(&file, WRITE, &entry.path)?;
    if !before.same_file(&original.stat) {
        return Err(DiskError::new(DiskErrorKind::Changed, WRITE, &entry.path));
    }
    write_in_place(&file.into(), before.size, original.stat.mode, content)
        .map_err(|errno| with_space(errno, entry, content.len()))
}

fn write_in_place(file: &File, old_size: u64, mode: u32, content: &[u8]) -> rustix::io::Result<()> {
    let size = content.len() as u64;
    if size > old_size {
        // Detects a full disk before a byte is changed. Not every file system supports this; otherwise the
        // write itself fails.
        let reserved = system().reserve(file, old_size, size);
        if let Err(errno @ (Errno::NOSPC | Errno::DQUOT)) = reserved {
            return Err(errno);
        }
    }
    file.write_all_at(content, 0).and_then(|()| file.set_len(size)).map_err(|error| errno_of(&error))?;
    // A write clears set-user-id bits, and the file must keep them.
    if Stat::of(&fstat(file)?).mode != mode {
        fchmod(file, permissions(mode & 0o7777))?;
    }
    system().flush(file.as_fd())
}

/// Appends to files. The most recent file stays open, because the next append usually goes to the same one:
/// every change is recorded twice.
#[derive(Debug, Default)]
pub(super) struct Appender {
    last: Mutex<Option<OpenedLog>>,
}

#[derive(Debug)]
struct OpenedLog {
    path: PathBuf,
    stat: Stat,
    file: Arc<File>,
}

impl Appender {
    pub(super) fn append(&self, entry: &Entry, bytes: &[u8], how: Flush) -> Result<()> {
        let file = match self.still_open(entry) {
            Some(file) => file,
            None => self.open(entry)?,
        };
        let written = (&*file).write_all(bytes).map_err(|error| errno_of(&error));
        written.and_then(|()| flush(&file, how)).context(APPEND, &entry.path)
    }

    /// Returns the open file if the name still leads to it.
    fn still_open(&self, entry: &Entry) -> Option<Arc<File>> {
        let last = self.last.lock();
        let last = last.as_ref().filter(|last| last.path == entry.path)?;
        let named = stat_entry(entry).ok()??;
        named.same_file(&last.stat).then(|| last.file.clone())
    }

    fn open(&self, entry: &Entry) -> Result<Arc<File>> {
        let mut flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
        // A pipe in place of the file must not block.
        flags |= OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mode = permissions(0o600);
        let file = openat(&entry.dir, &entry.name, flags, mode).context(APPEND, &entry.path)?;
        let stat = state(&file, APPEND, &entry.path)?;
        require_file(&stat, &entry.path)?;
        if stat.uid != geteuid().as_raw() {
            return Err(DiskError::new(DiskErrorKind::PermissionDenied, APPEND, &entry.path));
        }
        let file = Arc::new(File::from(file));
        *self.last.lock() = Some(OpenedLog { path: entry.path.clone(), stat, file: file.clone() });
        Ok(file)
    }
}
