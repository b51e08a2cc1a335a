//! A journal of commits, written ahead, from which a start after a kill or a power cut recovers.
//!
//! The journal is a line-based log in a private folder of editd; only the next start reads it. It records the
//! names of staged and displaced files before they exist, the old and intended state of files before they are
//! switched, and the completion of a set of files. A transaction that was begun and is not done is rolled
//! back ([`recovery`](super::recovery)). A log is removed once it has grown and no transaction in it is in
//! progress.

mod logs;
mod record;

pub(super) use logs::NUMBERS;
pub(super) use record::{Line, RawPath, Record, RecordedAside, RecordedChange, RecordedFile, Spot, parse};

use super::place::fresh_id;
use crate::{Disk, DiskError, DiskErrorKind, Entry, FileBytes, Flush, Result, Root, StageOrder};
use editd_workspace::NewMode;
use logs::Logs;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reason why a text would otherwise be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// Another program wrote it while a commit took the file's name.
    Displaced,
    /// Content of the file before a commit that was interrupted; another program has overwritten it since.
    Interrupted,
}

/// Stores texts that would otherwise be lost.
pub trait Rescue: Send + Sync {
    /// Stores a text that belonged to `path`. If this fails, the text stays where it was found.
    fn keep(&self, path: &Path, bytes: &[u8], why: LossReason) -> std::io::Result<()>;
}

/// The log of what commits are about to do.
pub struct Journal {
    pub(super) folder: Root,
    pub(super) rescue: Arc<dyn Rescue>,
    pub(super) state: Mutex<State>,
    /// Held while transactions are rolled back that could not be rolled back at first.
    pub(super) settling: Mutex<()>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) logs: Logs,
    /// Transactions that could not be finished or rolled back, by id.
    pub(super) unfinished: BTreeMap<String, Record>,
}

/// A transaction in progress. Dropping it without an explicit end counts as an end: its owner has cleaned up.
pub(super) struct Ticket<'j> {
    journal: &'j Journal,
    pub(super) id: String,
    /// Number of the log that contains its first line.
    log: usize,
    begun: Option<Record>,
}

impl Journal {
    /// Refuses a path of a transaction that is neither finished nor rolled back.
    pub fn require_settled(&self, path: &Path) -> Result<()> {
        let state = self.state.lock();
        let concerns = |record: &&Record| record.paths().any(|other| other == path);
        let Some(record) = state.unfinished.values().find(concerns) else { return Ok(()) };
        let kind = DiskErrorKind::Recovering { transaction: record.id.clone() };
        Err(DiskError::new(kind, "change", path))
    }

    /// Records the temporary names of a transaction.
    pub(super) fn enter(&self, disk: &dyn Disk, names: Vec<Spot>, flush: Flush) -> Result<Ticket<'_>> {
        let log = self.state.lock().logs.enter();
        let ticket = Ticket { journal: self, id: fresh_id(), log, begun: None };
        self.append(disk, &Line::Names { id: ticket.id.clone(), at: names }, flush)?;
        Ok(ticket)
    }

    /// Appends a line. Does not hold the lock: one transaction must not wait for the flush of another.
    pub(super) fn append(&self, disk: &dyn Disk, line: &Line, flush: Flush) -> Result<()> {
        let text = line.to_bytes();
        let Some((number, named)) = self.state.lock().logs.appending(text.len()) else {
            return Err(DiskError::new(DiskErrorKind::Io, "write to", self.folder.path()));
        };
        let at = self.log(number);
        let flush_name = || match flush {
            Flush::Now if !named => disk.sync_dir(&at.dir, self.folder.path()),
            _ => Ok(()),
        };
        let appended = disk.append(&at, &text, flush).and_then(|()| flush_name());
        // Hide the kind of an error in the journal's own file: it says nothing about the user's file.
        let appended = appended.map_err(|error| match error.kind {
            DiskErrorKind::NoSpace { .. } => error,
            _ => error.with_kind(DiskErrorKind::Io),
        });
        self.state.lock().logs.appended(number, appended.is_ok(), flush == Flush::Now);
        appended
    }

    /// The entry of a log.
    pub(super) fn log(&self, number: usize) -> Entry {
        self.folder.entry(format!("journal-{number}"))
    }

    /// Entries for the old and new bytes of a file that is written in place.
    pub(super) fn images(&self, id: &str, part: usize) -> (Entry, Entry) {
        (self.folder.entry(format!("{id}-{part}.old")), self.folder.entry(format!("{id}-{part}.new")))
    }

    /// Removes the stored bytes of files that were written in place.
    pub(super) fn remove_images(&self, disk: &dyn Disk, id: &str, parts: usize) {
        for part in 0..parts {
            let (old, new) = self.images(id, part);
            remove_if_present(disk, &old);
            remove_if_present(disk, &new);
        }
    }

    /// Rescues a text that would otherwise be lost.
    pub(super) fn rescue(&self, path: &Path, bytes: &[u8], why: LossReason) -> Result<()> {
        self.rescue.keep(path, bytes, why).map_err(|error| DiskError {
            errno: error.raw_os_error(),
            source: Some(error),
            ..DiskError::new(DiskErrorKind::Io, "store a copy of", path)
        })
    }

    /// Removes logs that are no longer needed. The current log is removed only if it is long, or if `all` is
    /// set.
    pub fn tidy(&self, disk: &dyn Disk, all: bool) {
        let mut state = self.state.lock();
        if !state.unfinished.is_empty() {
            return;
        }
        for number in state.logs.unneeded(all).collect::<Vec<_>>() {
            if remove_if_present(disk, &self.log(number)) {
                state.logs.removed(number);
            }
        }
    }

    /// Paths of transactions that wait to be finished or rolled back.
    pub fn unfinished(&self) -> BTreeSet<PathBuf> {
        let state = self.state.lock();
        state.unfinished.values().flat_map(|record| record.paths().map(Path::to_owned)).collect()
    }
}

impl Ticket<'_> {
    /// Stores the old and the new bytes of a file that is about to be written in place, flushed.
    pub(super) fn keep_images(&self, disk: &dyn Disk, part: usize, images: [&FileBytes; 2]) -> Result<()> {
        let (old_at, new_at) = self.journal.images(&self.id, part);
        for (at, content) in [&old_at, &new_at].into_iter().zip(images) {
            let order = StageOrder { content, like: None, mode: NewMode::Bits(0o600), flush: Flush::Now };
            if disk.stage(at, order)?.is_none() {
                return Err(DiskError::new(DiskErrorKind::PermissionDenied, "store a copy in", &at.path));
            }
        }
        disk.sync_dir(&old_at.dir, self.journal.folder.path())
    }

    /// Records the coming switch.
    pub(super) fn begin(&mut self, disk: &dyn Disk, record: Record, flush: Flush) -> Result<()> {
        // Stored first, because an append that fails may have written the record all the same.
        self.begun = Some(record.clone());
        self.journal.append(disk, &Line::Begin(record), flush)
    }

    /// Records that the whole transaction has been applied, or rolled back. From this moment on, an applied
    /// set is not rolled back.
    pub(super) fn done(&self, disk: &dyn Disk, flush: Flush) -> Result<()> {
        self.journal.append(disk, &Line::Done { id: self.id.clone() }, flush)
    }

    /// Leaves the transaction to be rolled back later: by the next change of its files, or by the next start.
    pub(super) fn leave_unfinished(mut self) {
        if let Some(mut record) = self.begun.take() {
            // The transaction is not finished, so its single step must not count as applied.
            record.alone = false;
            self.journal.state.lock().unfinished.insert(record.id.clone(), record);
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.journal.state.lock().logs.leave(self.log);
    }
}

/// Removes a name; returns `true` if the name is free now.
fn remove_if_present(disk: &dyn Disk, at: &Entry) -> bool {
    disk.remove(at).map_or_else(|error| error.kind == DiskErrorKind::NotFound, |()| true)
}
