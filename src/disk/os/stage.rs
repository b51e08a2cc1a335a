//! Writing a new file under a temporary name.

use super::attributes::{self, Likeness};
use super::flush::flush;
use super::{DiskError, DiskErrorKind, Entry, Handle, Result, convert};
use crate::disk::{FileBytes, StageOrder, Staged, Stat};
use crate::workspace::NewMode;
use rustix::fs::{Mode, OFlags, fchmod, fstat, openat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::OwnedFd;

const OPERATION: &str = "write";

/// Buffer size for small pieces, in bytes.
const GATHERED: usize = 64 << 10;

/// Creates the file, fills it and sets its attributes; leaves nothing behind if that fails.
pub(super) fn stage(entry: &Entry, order: StageOrder<'_>, umask: u32) -> Result<Staged> {
    let mut file = match create(entry, &order) {
        Ok(fd) => File::from(fd),
        // A folder that accepts no new file may still hold a file that can be written.
        Err(Errno::ACCESS | Errno::PERM) if order.like.is_some() => return Ok(Staged::Unfaithful),
        Err(errno) => return Err(failure(errno, entry, &order)),
    };
    let result = fill(&mut file, &order, umask);
    if !matches!(result, Ok(Some(_))) {
        super::names::remove(entry)?;
    }
    match result {
        Ok(Some(stat)) => Ok(Staged::Ready { stat, handle: Handle::os(file.into()) }),
        Ok(None) => Ok(Staged::Unfaithful),
        Err(errno) => Err(failure(errno, entry, &order)),
    }
}

fn create(entry: &Entry, order: &StageOrder<'_>) -> std::result::Result<OwnedFd, Errno> {
    // Readable too, so that a later check can see what other programs wrote into it.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The replacement of a private file must never be readable by others, not even briefly.
    let mode = match order.mode {
        _ if order.like.is_some() => 0o600,
        NewMode::Plain => 0o666,
        NewMode::Executable => 0o777,
        NewMode::Bits(bits) => bits & 0o777,
    };
    let dir = entry.dir.descriptor();
    openat(dir, &entry.name, flags, Mode::from_raw_mode(mode))
}

/// Writes the content, copies the attributes and flushes. Returns `None` if the file cannot match the
/// original.
fn fill(file: &mut File, order: &StageOrder<'_>, umask: u32) -> std::result::Result<Option<Stat>, Errno> {
    write(file, order.content).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let stat = match order.like {
        Some(original) => match attributes::reproduce(file, original)? {
            Likeness::Reproduced(stat) => stat,
            Likeness::Impossible => return Ok(None),
        },
        None => set_mode(file, order.mode, umask)?,
    };
    flush(file, order.flush)?;
    Ok(Some(stat))
}

/// Writes the content. Small pieces are buffered, large ones are written directly.
fn write(file: &mut File, content: &FileBytes) -> std::io::Result<()> {
    let mut writer = BufWriter::with_capacity(GATHERED.min(content.len()), file);
    content.pieces().try_for_each(|piece| writer.write_all(piece))?;
    writer.flush()
}

/// Sets the mode of a new file. An ACL inherited from the folder replaces the umask.
fn set_mode(file: &File, mode: NewMode, umask: u32) -> std::result::Result<Stat, Errno> {
    let stat = convert(&fstat(file)?);
    let wanted = match mode {
        NewMode::Plain => 0o666 & !umask,
        NewMode::Executable => 0o777 & !umask,
        NewMode::Bits(bits) => bits & 0o7777,
    };
    let is_given = matches!(mode, NewMode::Bits(_));
    if stat.mode & 0o7777 == wanted || (!is_given && attributes::has_acl(file)) {
        return Ok(stat);
    }
    fchmod(file, Mode::from_raw_mode(wanted))?;
    fstat(file).map(|raw| convert(&raw))
}

/// Creates the error; for a full disk it includes the space needed and the space now available, after the
/// partial file was removed.
fn failure(errno: Errno, entry: &Entry, order: &StageOrder<'_>) -> DiskError {
    with_space(DiskError::from_errno(errno, OPERATION, &entry.path), entry, order.content.len() as u64)
}

/// Fills in the numbers of [`DiskErrorKind::NoSpace`].
pub(super) fn with_space(error: DiskError, entry: &Entry, required: u64) -> DiskError {
    if !matches!(error.kind, DiskErrorKind::NoSpace { .. }) {
        return error;
    }
    let space = rustix::fs::fstatvfs(entry.dir.descriptor()).ok();
    let available = space.map(|space| space.f_bavail.saturating_mul(space.f_frsize));
    error.with_kind(DiskErrorKind::NoSpace { required: Some(required), available })
}
