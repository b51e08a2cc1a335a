//! The history on disk: every change that editd made, and how to go back.
//!
//! A folder of **segments**, each a folder of its own with one file of JSON lines, `entries.jsonl`, and beside
//! it the images: whole files, named by their hash. A segment belongs to one run of the daemon. When all take
//! more than they may, or are older than they may be, the oldest goes with everything in it.
//!
//! A change is written down right before it happens, and again in short when it has happened, so that one that
//! was interrupted can be told from one that was not. Nothing is flushed unless asked for: what was appended
//! survives the end of the process. Each line has a checksum; one that is damaged is skipped.
//!
//! Nothing is read before somebody asks. Readers go through the files from where they stopped the last time, so
//! that those who append do not even share a lock with them for longer than the append itself.
//!
//! ```
//! use std::path::Path;
//! use std::time::{Duration, SystemTime};
//!
//! use editd::history::{History, HistoryLimits};
//! use editd::workspace::history::PastEntry;
//!
//! let folder = std::env::temp_dir().join(format!("editd-history-{}", std::process::id()));
//! let limits = HistoryLimits { bytes: 1 << 20, age: Duration::from_secs(86_400), file_size: 1 << 20 };
//! let history = History::open(&folder, limits);
//! let entry = PastEntry {
//!     id: history.next_id(),
//!     at: SystemTime::now(),
//!     author: "ada".to_owned(),
//!     session: None,
//!     label: Some("Do not shadow sum".to_owned()),
//!     undoes: None,
//!     rescued: false,
//!     files: Vec::new(),
//! };
//! history.begin(&entry, Vec::new(), &[])?;
//! // Here the change happens.
//! history.landed(&entry.id, false)?;
//! assert_eq!(history.find(&entry.id).expect("it was kept").entry.author, "ada");
//! assert!(history.about(Path::new("/home/ada/shop/cart.py")).is_empty());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod index;
mod line;
mod load;
mod record;
mod segment;
mod settle;
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

use crate::disk::FileBytes;
use crate::text::ContentHash;
use crate::workspace::history::{Back, DISK, PastAction, PastDetail, PastEntry, PastFile};

pub use waiting::Waiting;

use index::Index;
use line::Line;
use record::EntryRecord;
use segment::SegmentName;
use writer::Writer;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Bytes of all segments; 0 keeps nothing.
    pub bytes: u64,
    /// Age of an entry.
    pub age: Duration,
    /// Largest file that is read to find out whether an interrupted change happened, in bytes.
    pub file_size: u64,
}

/// The history of all changes. All of its calls may block; appends take microseconds.
#[derive(Debug)]
pub struct History {
    limits: HistoryLimits,
    last: AtomicU64,
    nonce: String,
    writer: Mutex<Writer>,
    index: Mutex<Index>,
}

/// An entry with what has become of it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// What it did.
    pub entry: Arc<PastEntry>,
    /// The transaction by which it is undone at present.
    pub undone_by: Option<Arc<str>>,
}

/// Why a change has no entry.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    /// It alone would take more than all of the history may.
    #[error("it would take {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It is configured to keep nothing.
    #[error("the history is configured to keep nothing")]
    Off,
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl History {
    /// The history in a folder of its own, which is made if it is not there. Only lists the folder: an error
    /// is logged here and told by whatever is appended, so that a damaged history keeps nobody from working.
    pub fn open(folder: &Path, limits: HistoryLimits) -> Self {
        let writer = Writer::open(folder, limits);
        let nonce = writer.nonce().to_owned();
        let index = Mutex::new(Index::default());
        Self { limits, last: AtomicU64::new(0), nonce, writer: Mutex::new(writer), index }
    }

    /// A new transaction's id. No id that this folder has an entry of is ever given again: it holds the name
    /// of this run's segments.
    pub fn next_id(&self) -> Arc<str> {
        format!("t{}-{}", self.nonce, self.last.fetch_add(1, Ordering::Relaxed) + 1).into()
    }

    /// A name for the session of that number in this run. No other run gives it again.
    pub fn session_name(&self, number: u64) -> Arc<str> {
        format!("s{}-{number}", self.nonce).into()
    }

    /// Writes down what is about to happen. `details` go with the entry's files, `images` are the bytes of
    /// those that are kept whole. `false`: the history is configured to keep nothing.
    pub fn begin(
        &self,
        entry: &PastEntry,
        details: Vec<PastDetail>,
        images: &[(ContentHash, FileBytes)],
    ) -> Result<bool, NotKept> {
        if self.limits.bytes == 0 {
            return Ok(false);
        }
        let line = Line::Entry(EntryRecord::new(entry, details)).print()?;
        let size = line.len() as u64 + images.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        if size > self.limits.bytes {
            return Err(NotKept::TooLarge { size, limit: self.limits.bytes });
        }
        Ok(self.writer.lock().append(&line, images).map(|()| true)?)
    }

    /// What was begun has happened. With `flush` it, and everything before it, is on stable storage
    /// afterwards.
    pub fn landed(&self, id: &Arc<str>, flush: bool) -> io::Result<()> {
        self.writer.lock().settle(&Line::Landed { id: id.to_string(), files: None }, flush)
    }

    /// What was begun has not happened.
    pub fn failed(&self, id: &Arc<str>) -> io::Result<()> {
        self.writer.lock().settle(&Line::Failed { id: id.to_string() }, false)
    }

    /// Keeps a text that another program wrote at a path and that was displaced there, so that it can be got
    /// back: as an entry by [`DISK`] with `why` as its label. Gives its id.
    pub fn rescue(&self, path: &Path, bytes: &FileBytes, why: &str) -> Result<Arc<str>, NotKept> {
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
            label: Some(why.to_owned()),
            undoes: None,
            rescued: true,
            files: vec![file],
        };
        let detail = PastDetail { hunks: Vec::new(), diff: None, back: Back::Image { mode: None } };
        if !self.begin(&entry, vec![detail], &[(hash, bytes.clone())])? {
            return Err(NotKept::Off);
        }
        // Nothing else has the text any more.
        self.landed(&id, true)?;
        Ok(id)
    }

    /// Makes room, and settles what an earlier run began and did not see to its end. To be called once after
    /// the start, when nothing is recovered any more, on a thread that nobody waits for.
    pub fn tend(&self) {
        let state = self.writer.lock().state();
        let measure = |name: &SegmentName| match name.measure(&state.folder) {
            Ok(extent) => Some((name.clone(), extent)),
            Err(error) => {
                tracing::warn!(%error, "a part of the history cannot be looked at");
                None
            }
        };
        let extents = state.segments.iter().filter_map(measure).collect();
        self.writer.lock().measured(extents);
        if let Some(newest) = state.segments.iter().rev().find(|name| name.nonce != self.nonce) {
            settle::settle_segment(self, newest);
        }
    }

    /// The entry of that id.
    pub fn find(&self, id: &str) -> Option<Kept> {
        let index = self.synced();
        index.find(id)
    }

    /// The newest entries that `accept` takes, newest first, at most `limit`; those before the entry `before`,
    /// if one is named. None if that one is not known.
    pub fn newest(
        &self,
        before: Option<&str>,
        limit: usize,
        accept: impl FnMut(&Kept) -> bool,
    ) -> Option<Vec<Kept>> {
        let index = self.synced();
        index.newest(before, limit, accept)
    }

    /// All entries about a path, oldest first.
    pub fn about(&self, path: &Path) -> Vec<Arc<PastEntry>> {
        let index = self.synced();
        index.about(path)
    }

    /// How to go back from what an entry did to each of its files, if it can still be read.
    pub fn details(&self, id: &str) -> Option<Vec<PastDetail>> {
        let place = self.index.lock().place_of(id)?;
        let line = place.read(self.writer.lock().folder()).ok()?;
        match Line::<EntryRecord>::parse(&line)? {
            Line::Entry(record) => record.details(),
            Line::Landed { .. } | Line::Failed { .. } => None,
        }
    }

    /// The bytes that were kept whole with an entry, if they are still there and what they are called.
    pub fn image(&self, id: &str, hash: ContentHash) -> Option<Vec<u8>> {
        let place = self.index.lock().place_of(id)?;
        let bytes = std::fs::read(place.image(self.writer.lock().folder(), hash)).ok()?;
        (ContentHash::of(&bytes) == hash).then_some(bytes)
    }

    /// The index, with everything in it that was appended so far.
    fn synced(&self) -> parking_lot::MutexGuard<'_, Index> {
        let mut index = self.index.lock();
        let (state, oldest) = (self.writer.lock().state(), SystemTime::now().checked_sub(self.limits.age));
        let interrupted = index.sync(&state, oldest);
        settle::settle(self, &mut index, &interrupted);
        index
    }
}

/// Where the history is below the state folder.
pub fn folder_in(state_dir: &Path) -> PathBuf {
    state_dir.join("history")
}
