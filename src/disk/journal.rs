//! What commits note before they do it, so that a start after a kill or a power cut can put things right.
//!
//! A log of lines in a folder of editd's own, read only by the next start. Before a name of a staged or
//! displaced file exists it is noted; before files are switched, what they were and what they are to be; and
//! for a set of files, that all is done. What was begun and is not done is taken back
//! ([`recovery`](super::recovery)). A log goes away when nothing in it is under way and it has grown.

mod logs;
mod record;

pub(super) use record::{Line, Noted, NotedPart, RawPath, Record, Spot};

use super::error::{DiskError, DiskErrorKind, Result};
use super::place::{Entry, Root};
use super::recovery::{self, Recovery};
use super::{Disk, FileBytes, Flush, StageOrder, Staged};
use crate::workspace::NewMode;
use logs::{Logs, NUMBERS};
use parking_lot::Mutex;
use record::parse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a log that are read at a start; no log gets near it.
const MAX_LOG_BYTES: u64 = 256 << 20;

/// What a log is called in which there were lines that could not be trusted.
const DAMAGED: &str = "damaged";

/// How a text came to be one that nobody would find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Another program wrote it while a commit took the file's name.
    Displaced,
    /// It was the file's before a commit that was interrupted, and somebody has written over that since.
    Interrupted,
}

/// Where texts go that nobody would find otherwise.
pub trait Rescue: Send + Sync {
    /// Keeps a text that stood at `path`. When this fails, the text stays where it was found.
    fn keep(&self, path: &Path, bytes: &[u8], why: Lost) -> std::io::Result<()>;
}

/// The log of what commits are about to do.
pub struct Journal {
    folder: Root,
    rescue: Arc<dyn Rescue>,
    state: Mutex<State>,
    /// Held while transactions are taken back that could not be at once.
    settling: Mutex<()>,
}

#[derive(Default)]
struct State {
    logs: Logs,
    /// Transactions that could neither be finished nor taken back, by id.
    unfinished: BTreeMap<String, Record>,
}

/// A transaction under way. Dropped without an end it counts as ended: whoever drops it has cleaned up.
pub(super) struct Ticket<'j> {
    journal: &'j Journal,
    pub(super) id: String,
    /// The number of the log in which its first line is.
    log: usize,
    begun: Option<Record>,
}

impl Journal {
    /// Opens or begins the journal in an existing folder, and puts right what an earlier process left.
    /// No commit may be under way there.
    pub fn open(disk: &dyn Disk, folder: &Path, rescue: Arc<dyn Rescue>) -> Result<(Self, Recovery)> {
        let journal = Self {
            folder: disk.open_root(folder)?,
            rescue,
            state: Mutex::default(),
            settling: Mutex::default(),
        };
        let recovery = journal.recover(disk)?;
        Ok((journal, recovery))
    }

    fn recover(&self, disk: &dyn Disk) -> Result<Recovery> {
        let (mut lines, mut found, mut recovery) = (Vec::new(), Vec::new(), Recovery::default());
        for number in 0..NUMBERS {
            let Some(image) = disk.read_entry(&self.log(number), MAX_LOG_BYTES)? else { continue };
            let (read, damaged) = parse(&image.bytes);
            lines.extend(read);
            recovery.damaged += damaged;
            found.push((number, damaged > 0));
            self.state.lock().logs.found(number);
        }
        let unfinished = recovery::recover(disk, self, lines, &mut recovery);
        // Those that have to be tried again are noted anew before the logs go.
        self.state.lock().logs.begin_anew();
        for record in &unfinished {
            self.append(disk, &Line::Begin(record.clone()), Flush::Now)?;
        }
        for (number, damaged) in found {
            let log = self.log(number);
            if damaged {
                // For whoever wants to know what was in it.
                disk.rename_over(&log, &self.at(DAMAGED))?;
            } else {
                disk.remove(&log)?;
            }
            self.state.lock().logs.removed(number);
        }
        let by_id = unfinished.into_iter().map(|record| (record.id.clone(), record));
        self.state.lock().unfinished = by_id.collect();
        Ok(recovery)
    }

    /// Tries once more to take back the transactions that could not be taken back when they failed. Costs
    /// nothing where there are none.
    pub fn retry(&self, disk: &dyn Disk) {
        if self.state.lock().unfinished.is_empty() {
            return;
        }
        // Two at a time would take back what the other has put back.
        let _one_at_a_time = self.settling.lock();
        let due: Vec<_> = self.state.lock().unfinished.values().cloned().collect();
        for record in due {
            let settled = recovery::settle(disk, self, &record, &mut Recovery::default());
            let done = || self.append(disk, &Line::Done { id: record.id.clone() }, Flush::Now);
            match settled.and_then(|()| done()) {
                Ok(()) => drop(self.state.lock().unfinished.remove(&record.id)),
                Err(error) => tracing::warn!(%error, "an interrupted change can still not be taken back"),
            }
        }
    }

    /// Refuses a path of a transaction that is neither finished nor taken back.
    pub fn require_settled(&self, path: &Path) -> Result<()> {
        let state = self.state.lock();
        let mut concerned =
            state.unfinished.values().filter(|record| record.paths().any(|other| other == path));
        let Some(record) = concerned.next() else { return Ok(()) };
        let kind = DiskErrorKind::Recovering { transaction: record.id.clone() };
        Err(DiskError::new(kind, "change", path))
    }

    /// Notes the names that a transaction is going to use for a while.
    pub(super) fn enter(
        &self,
        disk: &dyn Disk,
        id: String,
        names: Vec<Spot>,
        flush: Flush,
    ) -> Result<Ticket<'_>> {
        let log = self.state.lock().logs.enter();
        let ticket = Ticket { journal: self, id, log, begun: None };
        self.append(disk, &Line::Names { id: ticket.id.clone(), at: names }, flush)?;
        Ok(ticket)
    }

    /// Adds a line. Not behind the lock: a flush of one transaction is nothing for others to wait for.
    fn append(&self, disk: &dyn Disk, line: &Line, flush: Flush) -> Result<()> {
        let text = line.to_bytes();
        let Some((number, named)) = self.state.lock().logs.appending(text.len()) else {
            return Err(DiskError::new(DiskErrorKind::Io, "write to", self.folder.path()));
        };
        let at = self.log(number);
        let flush_name = || match flush {
            Flush::Now if !named => disk.sync_dir(&at.dir, self.folder.path()),
            _ => Ok(()),
        };
        let appended = disk.append(&at, &text, flush).and_then(|()| flush_name()).map_err(of_journal);
        self.state.lock().logs.appended(number, appended.is_ok(), flush == Flush::Now);
        appended
    }

    /// A name in the journal's folder.
    fn at(&self, name: impl Into<OsString>) -> Entry {
        let name = name.into();
        Entry { dir: self.folder.0.handle.clone(), path: self.folder.path().join(&name), name }
    }

    fn log(&self, number: usize) -> Entry {
        self.at(format!("journal-{number}"))
    }

    /// Where the bytes of a file that is written in place are kept: before, and after.
    pub(super) fn images(&self, id: &str, part: usize) -> (Entry, Entry) {
        (self.at(format!("{id}-{part}.old")), self.at(format!("{id}-{part}.new")))
    }

    /// Removes what was kept of files that were written in place.
    pub(super) fn remove_images(&self, disk: &dyn Disk, id: &str, parts: usize) {
        for part in 0..parts {
            let (old, new) = self.images(id, part);
            removed(disk, &old);
            removed(disk, &new);
        }
    }

    /// Keeps a text that nobody would find otherwise.
    pub(super) fn rescue(&self, path: &Path, bytes: &[u8], why: Lost) -> Result<()> {
        self.rescue.keep(path, bytes, why).map_err(|error| {
            let mut failed = DiskError::new(DiskErrorKind::Io, "keep a copy of", path);
            failed.errno = error.raw_os_error();
            failed.source = Some(error);
            failed
        })
    }

    /// Removes logs in which nothing is of use any more; of the one that is written only if it is long, or if
    /// `all` are to go.
    pub fn tidy(&self, disk: &dyn Disk, all: bool) {
        let mut state = self.state.lock();
        if !state.unfinished.is_empty() {
            return;
        }
        for number in state.logs.useless(all).collect::<Vec<_>>() {
            if removed(disk, &self.log(number)) {
                state.logs.removed(number);
            }
        }
    }

    /// Paths that wait for a transaction to be finished or taken back.
    pub fn unfinished(&self) -> BTreeSet<PathBuf> {
        let state = self.state.lock();
        state.unfinished.values().flat_map(|record| record.paths().map(Path::to_owned)).collect()
    }
}

impl Ticket<'_> {
    /// Keeps the bytes of a file that is about to be written in place, flushed.
    pub(super) fn keep_images(
        &self,
        disk: &dyn Disk,
        part: usize,
        old: &FileBytes,
        new: &FileBytes,
    ) -> Result<()> {
        let (old_at, new_at) = self.journal.images(&self.id, part);
        for (at, content) in [(&old_at, old), (&new_at, new)] {
            let order = StageOrder { content, like: None, mode: NewMode::Bits(0o600), flush: Flush::Now };
            if matches!(disk.stage(at, order)?, Staged::Unfaithful) {
                return Err(DiskError::new(DiskErrorKind::PermissionDenied, "keep a copy in", &at.path));
            }
        }
        disk.sync_dir(&old_at.dir, self.journal.folder.path())
    }

    /// Notes what is about to be switched.
    pub(super) fn begin(&mut self, disk: &dyn Disk, record: Record, flush: Flush) -> Result<()> {
        // Known from here on: a failed append may have noted it all the same.
        self.begun = Some(record.clone());
        self.journal.append(disk, &Line::Begin(record), flush)
    }

    /// Notes that all of it has happened, or nothing. For a set that has happened this is the moment from
    /// which on it is not taken back.
    pub(super) fn done(&self, disk: &dyn Disk, flush: Flush) -> Result<()> {
        self.journal.append(disk, &Line::Done { id: self.id.clone() }, flush)
    }

    /// It could not be taken back: whoever comes to its files next, or the next start, tries again.
    pub(super) fn leave_unfinished(mut self) {
        if let Some(mut record) = self.begun.take() {
            // It was not finished, so there is nothing that could count as landed.
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

/// Whatever is wrong with the journal's own file says nothing of the user's.
fn of_journal(error: DiskError) -> DiskError {
    match error.kind {
        DiskErrorKind::NoSpace { .. } => error,
        _ => error.with_kind(DiskErrorKind::Io),
    }
}

/// Whether the name is free now.
fn removed(disk: &dyn Disk, at: &Entry) -> bool {
    disk.remove(at).map_or_else(|error| error.kind == DiskErrorKind::NotFound, |()| true)
}
