//! Reading a whole file in a single state.

use super::{DiskError, DiskErrorKind, Entry, FileBytes, FileImage, Handle, Result, convert, require_file};
use crate::disk::{MAX_TRIES, Stat};
use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags, fstat, openat};
use rustix::io::{Errno, pread};
use std::os::fd::OwnedFd;
use std::path::Path;

const OPERATION: &str = "read";

/// Number of bytes compared at a time.
const COMPARED: usize = 64 << 10;

/// Reads a name in an opened folder. The state before and after must agree.
pub(super) fn read(entry: &Entry, limit: u64) -> Result<Option<FileImage>> {
    let Some(fd) = open(entry)? else { return Ok(None) };
    read_open(&Handle::os(fd), &entry.path, limit).map(Some)
}

/// Opens a file for reading. Never blocks: a FIFO without a writer opens at once and is then refused.
pub(super) fn open(entry: &Entry) -> Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match openat(entry.dir.descriptor(), &entry.name, flags, Mode::empty()) {
        Ok(fd) => Ok(Some(fd)),
        Err(Errno::NOENT) => Ok(None),
        // A symlink has taken the name since it was resolved.
        Err(errno @ Errno::LOOP) => {
            Err(DiskError::from_errno(errno, OPERATION, &entry.path).with_kind(DiskErrorKind::Changed))
        }
        Err(errno) => Err(DiskError::from_errno(errno, OPERATION, &entry.path)),
    }
}

/// Reads all of a file that is held open for reading.
pub(super) fn read_held(held: &Handle, path: &Path, limit: u64) -> Result<FileImage> {
    read_open(held, path, limit)
}

/// Returns the state of a file that is held open.
pub(super) fn stat_held(held: &Handle, path: &Path) -> Result<Stat> {
    fstat(held.descriptor())
        .map(|raw| convert(&raw))
        .map_err(|errno| DiskError::from_errno(errno, OPERATION, path))
}

/// Reads an opened file completely; reads again if the file changed in the meantime.
fn read_open(handle: &Handle, path: &Path, limit: u64) -> Result<FileImage> {
    let file = handle.descriptor();
    let mut bytes = Vec::new();
    for _ in 0..MAX_TRIES {
        let before = state(file, path)?;
        require_file(&before, path)?;
        require_small(before.size, limit, path)?;
        read_to(file, &mut bytes, before.size, path)?;
        if before.same_version(&state(file, path)?) && bytes.len() as u64 == before.size {
            return Ok(FileImage { bytes, stat: before, handle: handle.clone() });
        }
    }
    Err(DiskError::new(DiskErrorKind::Unstable, OPERATION, path))
}

/// Returns `true` if a name in an opened folder holds exactly these bytes. The state before and after must
/// agree.
pub(super) fn holds(entry: &Entry, bytes: &FileBytes) -> Result<bool> {
    let Some(fd) = open(entry)? else { return Ok(false) };
    holds_open(&fd, &entry.path, bytes)
}

/// Like [`holds`], for a file that is held open: programs that watch the folder do not see another open.
pub(super) fn holds_held(held: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool> {
    holds_open(held.descriptor(), path, bytes)
}

fn holds_open(file: &OwnedFd, path: &Path, bytes: &FileBytes) -> Result<bool> {
    let mut buffer = Vec::with_capacity(COMPARED.min(bytes.len() + 1));
    for _ in 0..MAX_TRIES {
        let before = state(file, path)?;
        require_file(&before, path)?;
        let same = before.size == bytes.len() as u64 && compare(file, &mut buffer, bytes, path)?;
        if before.same_version(&state(file, path)?) {
            return Ok(same);
        }
    }
    Err(DiskError::new(DiskErrorKind::Unstable, OPERATION, path))
}

/// Compares up to the file's end in small chunks. Compared bytes are not needed any more, and memory that
/// stays in the processor's cache is compared several times as fast.
fn compare(file: &OwnedFd, buffer: &mut Vec<u8>, bytes: &FileBytes, path: &Path) -> Result<bool> {
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
            Err(errno) => return Err(DiskError::from_errno(errno, OPERATION, path)),
        }
    }
}

pub(super) fn state(file: &OwnedFd, path: &Path) -> Result<Stat> {
    fstat(file).map(|raw| convert(&raw)).map_err(|errno| DiskError::from_errno(errno, OPERATION, path))
}

fn require_small(size: u64, limit: u64, path: &Path) -> Result<()> {
    if size <= limit {
        return Ok(());
    }
    Err(DiskError::new(DiskErrorKind::TooLarge { size, limit }, OPERATION, path))
}

/// Reads up to one byte more than the file should have: enough to detect growth, without more memory.
fn read_to(file: &OwnedFd, bytes: &mut Vec<u8>, size: u64, path: &Path) -> Result<()> {
    bytes.clear();
    bytes.reserve_exact(size as usize + 1);
    while bytes.len() as u64 <= size {
        let offset = bytes.len() as u64;
        match pread(file, spare_capacity(bytes), offset) {
            Ok(0) => break,
            // A short read that completes the expected content: the state afterwards confirms the end.
            Ok(_) if bytes.len() as u64 == size => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(DiskError::from_errno(errno, OPERATION, path)),
        }
    }
    Ok(())
}
