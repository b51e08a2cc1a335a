//! The history on disk: every change that editd made, and how to undo it.
//!
//! The history is a folder of **segments**. Each segment is a folder with a file of JSON lines,
//! `entries.jsonl`, and the images beside it: whole files, named by their hash. A segment belongs to one run
//! of the daemon and to one author. When the segments exceed their limit on size, the author who holds most loses
//! the oldest large images, then the oldest segments; people and agents have separate shares. Segments beyond the
//! age are removed.
//!
//! A change is recorded right before it happens and, briefly, again afterwards, so that an interrupted change
//! can be recognized. Appends are flushed only on request; without a flush they survive the end of the
//! process. Each line has a checksum; a damaged line is skipped.
//!
//! The segments are read only on demand. Each read continues where the last one stopped, so that appending
//! threads share a lock with readers for no longer than the append itself.
//!
//! ```
//! use std::path::Path;
//! use std::time::{Duration, SystemTime};
//!
//! use editd_disk::history::{History, HistoryLimits};
//! use editd_workspace::Role;
//! use editd_workspace::history::{Origin, PastEntry};
//!
//! let folder = std::env::temp_dir().join(format!("editd-history-{}", std::process::id()));
//! let limits = HistoryLimits { bytes: 1 << 20, age: Duration::from_secs(86_400), file_size: 1 << 20 };
//! let history = History::open(&folder, limits);
//! let entry = PastEntry {
//!     id: history.next_id(),
//!     at: SystemTime::now(),
//!     author: "ada".to_owned(),
//!     session: None,
//!     origin: Origin::default(),
//!     label: Some("Do not shadow sum".to_owned()),
//!     undoes: None,
//!     rescued: false,
//!     run: None,
//!     files: Vec::new(),
//!     paths: Vec::new(),
//! };
//! history.begin((&entry, Role::Agent), Vec::new(), &[])?;
//! // Here the change happens.
//! history.record_applied(&entry.id, false)?;
//! assert_eq!(history.find(&entry.id).expect("it was recorded").entry.author, "ada");
//! assert!(history.about(Path::new("/home/ada/shop/cart.py")).is_empty());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod age;
mod index;
mod record;
mod reviewers;
mod run_record;
mod segment;
mod settle;
mod shares;
#[cfg(test)]
mod tests;
mod waiting;
mod writer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use crate::{FileBytes, read_private_file};
use editd_text::ContentHash;
use editd_workspace::Role;
use editd_workspace::history::{Back, DISK, Origin, PastAction, PastDetail, PastEntry, PastFile};

pub use reviewers::ReviewersFile;
pub use waiting::WaitingProposals;

use index::Index;
use record::EntryRecord;
pub use record::{OriginRecord, PathRecord};
use segment::{Line, SegmentName};
use shares::Owner;
use writer::Writer;

/// Limits of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Maximum size of all segments, in bytes; 0 disables the history. One entry may have half of it.
    pub bytes: u64,
    /// Maximum age of an entry.
    pub age: Duration,
    /// Maximum size of a file that is read to find out whether an interrupted change happened, in bytes.
    pub file_size: u64,
}

/// The history of all changes. All calls may block; appends take microseconds.
#[derive(Debug)]
pub struct History {
    limits: HistoryLimits,
    last: AtomicU64,
    nonce: String,
    writer: Mutex<Writer>,
    index: Mutex<Index>,
}

/// An entry and its current undo state.
#[derive(Clone, Debug)]
pub struct RecordedEntry {
    /// The recorded change.
    pub entry: Arc<PastEntry>,
    /// The transaction that currently undoes it, if any.
    pub undone_by: Option<Arc<str>>,
}

/// Reason why a change has no entry.
#[derive(Debug, thiserror::Error)]
pub enum NotRecorded {
    /// The entry alone exceeds half of the limit of the whole history.
    #[error("its entry would take {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Size of the entry, in bytes.
        size: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The history is disabled by its configuration.
    #[error("the history is disabled by the configuration")]
    Off,
    /// A file system error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl History {
    /// Opens the history in its own folder, which is created if missing. Only lists the folder. An error is
    /// logged here and returned by every append, so that a damaged history does not prevent work.
    pub fn open(folder: &Path, limits: HistoryLimits) -> Self {
        let writer = Writer::open(folder, limits);
        let nonce = writer.nonce.clone();
        let index = Mutex::new(Index::default());
        Self { limits, last: AtomicU64::new(0), nonce, writer: Mutex::new(writer), index }
    }

    /// Returns the id of a new transaction. It contains the name of this run's segments, so no id that has an
    /// entry in this folder is ever reused.
    pub fn next_id(&self) -> Arc<str> {
        format!("t{}-{}", self.nonce, self.last.fetch_add(1, Ordering::Relaxed) + 1).into()
    }

    /// Returns the name of a session by its number in this run. No other run uses the same name.
    pub fn session_name(&self, number: u64) -> Arc<str> {
        format!("s{}-{number}", self.nonce).into()
    }

    /// Records a change that is about to happen, made by a client with this role. `details` belong to the entry's files,
    /// `images` are the bytes of files that are stored whole. Returns `false` if the history is disabled.
    pub fn begin(
        &self,
        (entry, role): (&PastEntry, Role),
        details: Vec<PastDetail>,
        images: &[(ContentHash, FileBytes)],
    ) -> Result<bool, NotRecorded> {
        if self.limits.bytes == 0 {
            return Ok(false);
        }
        let mut record = EntryRecord::new(entry, details);
        let aside = record.move_large_aside()?;
        let line = Line::Entry(record).print()?;
        let images = [images, &aside].concat();
        let size = line.len() as u64 + images.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        let limit = self.limits.bytes / 2;
        if size > limit {
            return Err(NotRecorded::TooLarge { size, limit });
        }
        let owner = Owner::of(&entry.author, role);
        Ok(self.writer.lock().append((&entry.id, owner), &line, &images).map(|()| true)?)
    }

    /// Records that a change has happened. With `flush`, this record and what its author changed before it is on
    /// stable storage when the call returns.
    pub fn record_applied(&self, id: &Arc<str>, flush: bool) -> io::Result<()> {
        self.writer.lock().settle(&Line::Landed { id: id.to_string(), files: None }, None, flush)
    }

    /// Records that a change has not happened.
    pub fn record_failed(&self, id: &Arc<str>) -> io::Result<()> {
        self.writer.lock().settle(&Line::Failed { id: id.to_string() }, None, false)
    }

    /// Stores a text that another program wrote to a path and that was displaced there, so that it can be
    /// restored: as an entry by [`DISK`] with `why` as its label. Returns its id.
    pub fn rescue(&self, path: &Path, bytes: &FileBytes, why: &str) -> Result<Arc<str>, NotRecorded> {
        let (id, hash) = (self.next_id(), ContentHash::of_chunks(bytes.pieces()));
        let file = PastFile {
            path: path.to_owned(),
            action: PastAction::Edit,
            hash_before: Some(hash),
            hash_after: None,
            added: 0,
            removed: 0,
            tags: Vec::new(),
            detail: 0,
        };
        let entry = PastEntry {
            id: id.clone(),
            at: SystemTime::now(),
            author: DISK.to_owned(),
            session: None,
            origin: Origin::default(),
            label: Some(why.to_owned()),
            undoes: None,
            rescued: true,
            run: None,
            files: vec![file],
            paths: Vec::new(),
        };
        let detail = PastDetail { hunks: Vec::new(), diff: None, back: Back::Image { mode: None } };
        if !self.begin((&entry, Role::Editor), vec![detail], &[(hash, bytes.clone())])? {
            return Err(NotRecorded::Off);
        }
        // This is the only copy of the text.
        self.record_applied(&id, true)?;
        Ok(id)
    }

    /// Frees space, and settles what an earlier run began and did not complete. Call it once after the start,
    /// when recovery is complete, on a thread that no request waits for.
    pub fn settle_previous_run(&self) {
        let state = self.writer.lock().state();
        let measure = |name: &SegmentName| {
            let extent = name.measure(&state.folder);
            let extent = extent
                .inspect_err(|error| tracing::warn!(%error, "a segment of the history cannot be measured"));
            Some((name.clone(), extent.ok()?))
        };
        let extents = state.segments.iter().filter_map(measure).collect();
        self.writer.lock().measured(extents);
        if let Some(newest) = state.segments.iter().rev().find(|name| name.nonce != self.nonce) {
            self.settle_run(&newest.nonce);
        }
    }

    /// Returns the time before which entries are too old, or `None` if the clock of the system cannot be believed:
    /// it has jumped far ahead less than a day ago.
    pub fn oldest(&self) -> Option<SystemTime> {
        self.writer.lock().oldest()
    }

    /// Returns the entry with this id.
    pub fn find(&self, id: &str) -> Option<RecordedEntry> {
        self.synced().find(id)
    }

    /// Returns the newest entries that `accept` selects, newest first, at most `limit`. If `before` names an
    /// entry, only older ones are returned; `None` if that entry is unknown.
    pub fn newest(
        &self,
        before: Option<&str>,
        limit: usize,
        accept: impl FnMut(&RecordedEntry) -> bool,
    ) -> Option<Vec<RecordedEntry>> {
        self.synced().newest(before, limit, accept)
    }

    /// Returns all entries about a path, oldest first.
    pub fn about(&self, path: &Path) -> Vec<Arc<PastEntry>> {
        self.synced().about(path)
    }

    /// Returns the undo details for each file of an entry, if they can still be read.
    pub fn details(&self, id: &str) -> Option<Vec<PastDetail>> {
        let location = self.index.lock().location_of(id)?;
        let line = location.read(&self.writer.lock().folder).ok()?;
        match Line::<EntryRecord>::parse(&line)? {
            Line::Entry(record) => record.details(|hash| self.image(id, hash)),
            Line::Landed { .. } | Line::Failed { .. } => None,
        }
    }

    /// Returns the files of an entry, by their index into its details, whose old content was removed to make room.
    pub fn without_content(&self, entry: &PastEntry) -> Vec<usize> {
        let Some(location) = self.index.lock().location_of(&entry.id) else { return Vec::new() };
        let folder = self.writer.lock().folder.clone();
        if !location.segment.is_stripped(&folder) {
            return Vec::new();
        }
        let details = self.details(&entry.id).unwrap_or_default();
        let is_gone = |file: &&PastFile| match details.get(file.detail).map(|detail| &detail.back) {
            Some(Back::Gone) => true,
            Some(Back::Image { .. }) => {
                let image = file.hash_before.map(|hash| location.segment.image(&folder, hash));
                image.is_some_and(|image| !image.exists())
            }
            Some(Back::Nothing | Back::Edits { .. }) | None => false,
        };
        entry.files.iter().filter(is_gone).map(|file| file.detail).collect()
    }

    /// Returns an image of an entry, if it still exists and matches its hash.
    pub fn image(&self, id: &str, hash: ContentHash) -> Option<Vec<u8>> {
        let location = self.index.lock().location_of(id)?;
        let bytes = read_private_file(&location.segment.image(&self.writer.lock().folder, hash)).ok()?;
        (ContentHash::of(&bytes) == hash).then_some(bytes)
    }

    /// Returns the index, updated with everything appended so far.
    fn synced(&self) -> parking_lot::MutexGuard<'_, Index> {
        let mut index = self.index.lock();
        let (state, oldest) = {
            let mut writer = self.writer.lock();
            (writer.state(), writer.oldest())
        };
        let interrupted = index.sync(&state, oldest);
        self.settle(&mut index, &interrupted);
        index
    }
}

/// Path of the history under the state folder.
pub fn folder_in(state_dir: &Path) -> PathBuf {
    state_dir.join("history")
}
