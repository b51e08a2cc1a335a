//! Reading a file of any size piece by piece.

use super::read::{open, state};
use super::{DiskError, Entry, Result, Sink, Streamed, require_file};
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};

/// Size of a piece, in bytes: large enough to make the cost of the calls negligible, small enough to stay in
/// the processor's cache.
const PIECE: usize = 256 << 10;

/// Passes the content of a name in an opened folder to `sink`, piece by piece.
pub(super) fn stream(entry: &Entry, sink: Sink<'_>) -> Result<Option<Streamed>> {
    let Some(file) = open(entry)? else { return Ok(None) };
    let stat = state(&file, &entry.path)?;
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
            Err(errno) => return Err(DiskError::from_errno(errno, "read", &entry.path)),
        }
    }
    let steady = stat.same_version(&state(&file, &entry.path)?);
    Ok(Some(Streamed { stat, steady }))
}
