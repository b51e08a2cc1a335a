//! Sets of changes of which a part is in an editor, should they be interrupted.
//!
//! What is on the disk, the disk's journal takes back. A document that had the edit already is given its text
//! again when its editor is back; until then the set is not settled, and its files wait.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::edit::{Plan, Splice};
use crate::text::Text;

/// How long a file waits for an editor that is gone. One whose connection was lost is back within seconds; one
/// that was closed took its text along.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// How long it is known that a document would have to be put back.
const MEMORY: Duration = Duration::from_secs(7 * 24 * 3600);

/// A set of changes, of which some documents may hold their part and others not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Set {
    transaction: String,
    /// When, in seconds since 1970.
    at: u64,
    documents: Vec<Reached>,
    /// Files that are written on the disk, with what they hold then; none where they go.
    files: Vec<(PathBuf, Option<String>)>,
}

/// A document that may hold its part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reached {
    path: PathBuf,
    after: String,
    back: Vec<(usize, usize, String)>,
    /// Whether its file waits: not where it is unlikely that it holds its part.
    waits: bool,
}

/// The sets that wait for their editors.
#[derive(Debug)]
pub(crate) struct Interrupted {
    folder: PathBuf,
    sets: Mutex<BTreeMap<String, Set>>,
}

impl Set {
    pub(crate) fn new(transaction: &str, files: Vec<(PathBuf, Option<String>)>) -> Self {
        Self { transaction: transaction.to_owned(), at: now(), documents: Vec::new(), files }
    }

    /// The same with a document that holds `after`, or may.
    pub(crate) fn with(mut self, path: &Path, after: &Text, back: &Plan, waits: bool) -> Self {
        let splice = |splice: &Splice| (splice.range.start, splice.range.end, splice.text.clone());
        let back = back.splices().iter().map(splice).collect();
        let (path, after) = (path.to_owned(), after.to_string());
        self.documents.push(Reached { path, after, back, waits });
        self
    }

    /// Files on the disk with what they hold if all of it has happened.
    pub(crate) fn files(&self) -> &[(PathBuf, Option<String>)] {
        &self.files
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// What it is called.
    pub(crate) fn transaction(&self) -> &str {
        &self.transaction
    }

    fn age(&self) -> Duration {
        Duration::from_secs(now().saturating_sub(self.at))
    }
}

impl Reached {
    /// What the document was to hold, and the way back from there.
    pub(crate) fn way_back(&self) -> Option<(Text, Plan)> {
        let splice =
            |(start, end, text): &(usize, usize, String)| Splice { range: *start..*end, text: text.clone() };
        let back = Plan::new(self.after.len(), self.back.iter().map(splice).collect()).ok()?;
        back.fits(&self.after).then(|| (Text::from(self.after.as_str()), back))
    }
}

impl Interrupted {
    /// Reads what an earlier process left. What cannot be read is skipped.
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let mut sets = BTreeMap::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let set = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Set>(&bytes).ok());
            match set {
                Some(set) if set.age() < MEMORY => drop(sets.insert(set.transaction.clone(), set)),
                Some(_) => drop(fs::remove_file(&path)),
                None => {
                    tracing::warn!(path = %path.display(), "a note of an interrupted change cannot be read");
                }
            }
        }
        Ok(Self { folder, sets: Mutex::new(sets) })
    }

    /// Notes, flushed, what is about to happen.
    pub(crate) fn begin(&self, set: &Set) -> io::Result<()> {
        let part = self.folder.join("part");
        let _ = fs::remove_file(&part);
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        file.write_all(&serde_json::to_vec(set)?)?;
        file.sync_all()?;
        fs::rename(&part, self.path(&set.transaction))?;
        fs::File::open(&self.folder)?.sync_all()
    }

    /// All of it has happened, or nothing.
    pub(crate) fn end(&self, transaction: &str) {
        self.sets.lock().remove(transaction);
        if let Err(error) = fs::remove_file(self.path(transaction))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "a note of a change that has ended stays");
        }
    }

    /// Some documents could not be given their text again.
    pub(crate) fn keep(&self, set: Set) {
        if let Err(error) = self.begin(&set) {
            tracing::warn!(%error, "an interrupted change is known only as long as the daemon runs");
        }
        self.sets.lock().insert(set.transaction.clone(), set);
    }

    /// All sets.
    pub(crate) fn all(&self) -> Vec<Set> {
        self.sets.lock().values().cloned().collect()
    }

    /// What a file's documents wait for, with the name of the transaction.
    pub(crate) fn of(&self, path: &Path) -> Vec<(String, Reached)> {
        let sets = self.sets.lock();
        let of_set = |set: &Set| {
            let transaction = set.transaction.clone();
            let reached = set.documents.iter().find(|reached| reached.path == path)?.clone();
            Some((transaction, reached))
        };
        sets.values().filter_map(of_set).collect()
    }

    /// The transaction that a file has to wait for.
    pub(crate) fn blocks(&self, path: &Path) -> Option<String> {
        let sets = self.sets.lock();
        let waits = |reached: &Reached| reached.waits && reached.path == path;
        let is_about = |set: &&Set| set.age() < PATIENCE && set.documents.iter().any(waits);
        sets.values().find(is_about).map(|set| set.transaction.clone())
    }

    /// A file's documents are as they should be.
    pub(crate) fn settle(&self, transaction: &str, path: &Path) {
        let mut sets = self.sets.lock();
        let Some(set) = sets.get_mut(transaction) else { return };
        set.documents.retain(|reached| reached.path != path);
        let rest = set.clone();
        drop(sets);
        if rest.documents.is_empty() {
            self.end(transaction);
        } else {
            self.keep(rest);
        }
    }

    /// Files that wait.
    pub(crate) fn count(&self) -> usize {
        let sets = self.sets.lock();
        let young = sets.values().filter(|set| set.age() < PATIENCE);
        young.flat_map(|set| &set.documents).filter(|reached| reached.waits).count()
    }

    fn path(&self, transaction: &str) -> PathBuf {
        self.folder.join(format!("{transaction}.json"))
    }
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs()
}
