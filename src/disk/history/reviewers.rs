//! Reviewers, stored so that the next daemon knows from its first request on whose review changes wait for.
//!
//! One file holds all of them. It is replaced as a whole and flushed before the request that changed them is answered.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{read_private_file, replace_private_file};
use editd_workspace::reviewers::{ExpectedReviewer, Reviewer, StoredReviewers};

use super::record::{PathRecord, timestamp};

/// Format version of the file.
const VERSION: u32 = 1;

/// Name of the reviewer that is expected everywhere if the file cannot be read.
const UNKNOWN: &str = "an editor whose record is damaged";

/// The file of the reviewers.
#[derive(Debug)]
pub struct ReviewersFile {
    path: PathBuf,
    /// The newest revision in the file. The lock is held while writing.
    written: Mutex<u64>,
}

#[derive(Serialize, Deserialize)]
struct FileRecord {
    version: u32,
    revision: u64,
    connected: Vec<ReviewerRecord>,
    expected: Vec<ExpectedRecord>,
    left: Vec<(PathRecord, Timestamp)>,
}

#[derive(Serialize, Deserialize)]
struct ReviewerRecord {
    name: String,
    places: Vec<PathRecord>,
}

#[derive(Serialize, Deserialize)]
struct ExpectedRecord {
    reviewer: ReviewerRecord,
    since: Timestamp,
    until: Option<Timestamp>,
}

impl ReviewersFile {
    /// Reads the file, if there is one. If it is damaged, a reviewer is expected everywhere, because the folders that
    /// had one are not known.
    pub fn open(path: PathBuf) -> (Self, StoredReviewers) {
        let stored = match read(&path) {
            Ok(stored) => stored,
            Err(error) if error.kind() == ErrorKind::NotFound => StoredReviewers::default(),
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "the record of the reviewers cannot be read");
                let reviewer = Reviewer { name: UNKNOWN.to_owned(), places: vec![PathBuf::from("/")] };
                let expected = ExpectedReviewer { reviewer, since: SystemTime::now(), until: None };
                StoredReviewers { expected: vec![expected], ..StoredReviewers::default() }
            }
        };
        let written = Mutex::new(stored.revision);
        (Self { path, written }, stored)
    }

    /// Replaces the file, unless another thread was faster and wrote a later revision. A write error is logged: the
    /// next daemon then knows an earlier state.
    pub fn write_down(&self, stored: &StoredReviewers) {
        let mut written = self.written.lock();
        if *written >= stored.revision {
            return;
        }
        match self.write(stored) {
            Ok(()) => *written = stored.revision,
            Err(error) => tracing::warn!(%error, "the reviewers could not be recorded"),
        }
    }

    fn write(&self, stored: &StoredReviewers) -> io::Result<()> {
        let record = FileRecord {
            version: VERSION,
            revision: stored.revision,
            connected: stored.connected.iter().map(record_of).collect(),
            expected: stored.expected.iter().map(expected_record).collect(),
            left: stored.left.iter().map(|(place, at)| (PathRecord::new(place), timestamp(*at))).collect(),
        };
        let bytes = serde_json::to_vec(&record)?;
        replace_private_file((&self.path.with_extension("part"), &self.path), [&*bytes], true).map(drop)
    }
}

fn read(path: &Path) -> io::Result<StoredReviewers> {
    let record: FileRecord = serde_json::from_slice(&read_private_file(path)?)?;
    if record.version != VERSION {
        return Err(io::Error::new(ErrorKind::InvalidData, "the record has another version"));
    }
    let expected = |record: ExpectedRecord| ExpectedReviewer {
        reviewer: reviewer_of(record.reviewer),
        since: record.since.into(),
        until: record.until.map(SystemTime::from),
    };
    Ok(StoredReviewers {
        revision: record.revision,
        connected: record.connected.into_iter().map(reviewer_of).collect(),
        expected: record.expected.into_iter().map(expected).collect(),
        left: record.left.into_iter().map(|(place, at)| (place.read(), at.into())).collect(),
    })
}

fn record_of(reviewer: &Reviewer) -> ReviewerRecord {
    let places = reviewer.places.iter().map(|place| PathRecord::new(place)).collect();
    ReviewerRecord { name: reviewer.name.clone(), places }
}

fn expected_record(expected: &ExpectedReviewer) -> ExpectedRecord {
    ExpectedRecord {
        reviewer: record_of(&expected.reviewer),
        since: timestamp(expected.since),
        until: expected.until.map(timestamp),
    }
}

fn reviewer_of(record: ReviewerRecord) -> Reviewer {
    Reviewer { name: record.name, places: record.places.into_iter().map(PathRecord::read).collect() }
}
