//! Reading a file: whole and in a single state, compared with expected bytes, or piece by piece.

use super::state::{require_file, state};
use crate::error::ErrnoContext;
use crate::interface::MAX_TRIES;
use crate::{DiskError, DiskErrorKind, Entry, FileBytes, FileImage, Handle, Result, Sink, Streamed};
use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, pread};
use std::os::fd::OwnedFd;
use std::path::Path;

const OPERATION: &str = "read";

/// Number of bytes compared at a time.
const COMPARED: usize = 64 << 10;

/// Size of a streamed piece, in bytes: large enough to make the cost of the calls negligible, small enough to
/// stay in the processor's cache.
const PIECE: usize = 256 << 10;

/// Opens a file for reading. Never blocks: a FIFO without a writer opens at once and is then refused.
pub(super) fn open(entry: &Entry) -> Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match openat(&entry.dir, &entry.name, flags, Mode::empty()) {
        Ok(fd) => Ok(Some(fd)),
        Err(Errno::NOENT) => Ok(None),
        // A symlink has taken the name since it was resolved.
        Err(errno @ Errno::LOOP) => {
            Err(DiskError::from_errno(errno, OPERATION, &entry.path).with_kind(DiskErrorKind::Changed))
        }
        Err(errno) => Err(DiskError::from_errno(errno, OPERATION, &entry.path)),
    }
}

/// Reads an opened file completely. The state before and after must agree; reads again if the file changed in
/// the meantime.
pub(super) fn read(file: &Handle, path: &Path, limit: u64) -> Result<FileImage> {
    let mut bytes = Vec::new();
    for _ in 0..MAX_TRIES {
        let before = state(file, OPERATION, path)?;
        require_file(&before, path)?;
        if before.size > limit {
            let kind = DiskErrorKind::TooLarge { size: before.size, limit };
            return Err(DiskError::new(kind, OPERATION, path));
        }
        read_to(file, &mut bytes, before.size).context(OPERATION, path)?;
        if before.same_version(&state(file, OPERATION, path)?) && bytes.len() as u64 == before.size {
            return Ok(FileImage { bytes, stat: before, handle: file.clone() });
        }
    }
    Err(DiskError::new(DiskErrorKind::Unstable, OPERATION, path))
}

/// Reads up to one byte more than the file should have: enough to detect growth, without more memory.
fn read_to(file: &Handle, bytes: &mut Vec<u8>, size: u64) -> rustix::io::Result<()> {
    bytes.clear();
    bytes.reserve_exact(size as usize + 1);
    while bytes.len() as u64 <= size {
        let offset = bytes.len() as u64;
        match pread(file, spare_capacity(bytes), offset) {
            Ok(0) => break,
            // A short read that completes the expected content: the state afterwards confirms the end.
            Ok(_) if bytes.len() as u64 == size => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Returns `true` if an opened file holds exactly these bytes. The state before and after must agree.
pub(super) fn holds(file: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool> {
    let mut buffer = Vec::with_capacity(COMPARED.min(bytes.len() + 1));
    for _ in 0..MAX_TRIES {
        let before = state(file, OPERATION, path)?;
        require_file(&before, path)?;
        let same = before.size == bytes.len() as u64
            && compare(file, &mut buffer, bytes).context(OPERATION, path)?;
        if before.same_version(&state(file, OPERATION, path)?) {
            return Ok(same);
        }
    }
    Err(DiskError::new(DiskErrorKind::Unstable, OPERATION, path))
}

/// Compares up to the file's end in small chunks. Compared bytes are not needed any more, and memory that
/// stays in the processor's cache is compared several times as fast.
fn compare(file: &Handle, buffer: &mut Vec<u8>, bytes: &FileBytes) -> rustix::io::Result<bool> {
    let mut compared = 0;
    loop {
        buffer.clear();
        match pread(file, spare_capacity(buffer), compared as u64) {
            Ok(0) => return Ok(compared == bytes.len()),
            Ok(_) if !bytes.has_at(compared, buffer) => return Ok(false),
            // A short read that completes the expected content: the state afterwards confirms the end.
            Ok(read) if compared + read == bytes.len() => return Ok(true),
            Ok(read) => compared += read,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Passes the content of a name in an opened folder to `sink`, piece by piece.
pub(super) fn stream(entry: &Entry, sink: Sink<'_>) -> Result<Option<Streamed>> {
    let Some(file) = open(entry)? else { return Ok(None) };
    let stat = state(&file, OPERATION, &entry.path)?;
    require_file(&stat, &entry.path)?;
    let (mut piece, mut at) = (Vec::with_capacity(PIECE), 0);
    while at < stat.size {
        piece.clear();
        match pread(&file, spare_capacity(&mut piece), at) {
            Ok(0) => break,
            Ok(_) => {
                let rest = usize::try_from(stat.size - at).unwrap_or(usize::MAX);
                piece.truncate(rest);
                at += piece.len() as u64;
                if sink(&piece).is_break() {
                    break;
                }
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(DiskError::from_errno(errno, OPERATION, &entry.path)),
        }
    }
    let steady = stat.same_version(&state(&file, OPERATION, &entry.path)?);
    Ok(Some(Streamed { stat, steady }))
}
