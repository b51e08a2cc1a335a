//! Records of change sets that edit documents, in case they are interrupted.
//!
//! The journal of the disk rolls back the files on disk. A document that already had its edit gets its old
//! text back when its editor reconnects. Until then the set is not settled, and changes of its files are
//! refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::engine::change::commit::PendingWrite;
use crate::engine::editors::back::{EditedDocument, Side, UndoOutcome, side};
use crate::engine::files::open_documents::{OpenDocument, SyncState};
use editd_disk::{Target, make_private_folder, present, read_private_file, replace_private_file};
use editd_edit::{Plan, Splice};
use editd_text::Text;
use editd_workspace::{Refusal, RefusalKind, SessionId};

/// Time for which changes of a file are refused because its editor is gone. An editor that lost its
/// connection is back within seconds. An editor that was closed took its text with it.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Time after which a record is deleted.
const RETENTION: Duration = Duration::from_secs(7 * 24 * 3600);

/// Age that no record has unless the clock is wrong.
const IMPLAUSIBLE: Duration = Duration::from_secs(365 * 24 * 3600);

/// A change set of which some documents may have their edit, and others not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Set {
    pub(super) transaction: String,
    /// Time of the change, in seconds since 1970.
    at: u64,
    pub(super) documents: Vec<Reached>,
    /// Files that are written on disk, with the hash of their new content; `None` for deleted files.
    files: Vec<(PathBuf, Option<String>)>,
}

/// A document that may have its edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reached {
    path: PathBuf,
    /// Session of its editor; `None` if it was connected to an earlier daemon.
    #[serde(skip)]
    session: Option<SessionId>,
    after: String,
    back: Vec<(usize, usize, String)>,
    /// `true` if changes of the file are refused until the document is settled; `false` if the document is
    /// unlikely to have its edit.
    waits: bool,
}

/// The interrupted sets, which wait for their editors.
#[derive(Debug)]
pub(crate) struct Interrupted {
    folder: PathBuf,
    sets: Mutex<BTreeMap<String, Set>>,
}

impl Set {
    pub(crate) fn new(transaction: &str, files: Vec<(PathBuf, Option<String>)>) -> Self {
        Self { transaction: transaction.to_owned(), at: now(), documents: Vec::new(), files }
    }

    /// Adds a document that has, or may have, its edit.
    pub(crate) fn with(mut self, document: &EditedDocument, waits: bool) -> Self {
        let EditedDocument { buffer, after, inverse, .. } = document;
        let splice = |splice: &Splice| (splice.range.start, splice.range.end, splice.text.clone());
        let back = inverse.splices().iter().map(splice).collect();
        let (path, session, after) = (buffer.path.clone(), Some(buffer.id.session), after.to_string());
        self.documents.push(Reached { path, session, after, back, waits });
        self
    }

    fn age(&self) -> Duration {
        Duration::from_secs(now().saturating_sub(self.at))
    }
}

impl Reached {
    /// Returns the edited text of the document, and the inverse plan. Returns `None` if the record is
    /// inconsistent.
    pub(crate) fn undo_plan(&self) -> Option<(Text, Plan)> {
        let splice =
            |(start, end, text): &(usize, usize, String)| Splice { range: *start..*end, text: text.clone() };
        let back = Plan::new(self.after.len(), self.back.iter().map(splice).collect()).ok()?;
        back.fits(&self.after).then(|| (Text::from(self.after.as_str()), back))
    }
}

impl Interrupted {
    /// Reads the records of earlier processes. Unreadable records are skipped.
    pub(crate) fn open(folder: PathBuf) -> io::Result<Self> {
        make_private_folder(&folder)?;
        let mut sets = BTreeMap::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let set =
                read_private_file(&path).ok().and_then(|bytes| serde_json::from_slice::<Set>(&bytes).ok());
            match set {
                // A clock that is set far into the future must not delete the records.
                Some(set) if !(RETENTION..IMPLAUSIBLE).contains(&set.age()) => {
                    sets.insert(set.transaction.clone(), set);
                }
                Some(_) => drop(fs::remove_file(&path)),
                None => {
                    tracing::warn!(path = %path.display(), "the record of an interrupted change cannot be read");
                }
            }
        }
        Ok(Self { folder, sets: Mutex::new(sets) })
    }

    /// Writes and flushes the record of a set.
    pub(crate) fn begin(&self, set: &Set) -> io::Result<()> {
        let part = self.folder.join("part");
        let record = serde_json::to_vec(set)?;
        replace_private_file((&part, &self.path(&set.transaction)), [&*record], true).map(drop)
    }

    /// Deletes the record of a set that was committed or rolled back completely.
    pub(crate) fn end(&self, transaction: &str) {
        self.sets.lock().remove(transaction);
        if let Err(error) = fs::remove_file(self.path(transaction))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "the record of a completed change cannot be deleted");
        }
    }

    /// Stores a set of which some edits could not be undone yet.
    pub(crate) fn keep(&self, set: Set) {
        if let Err(error) = self.begin(&set) {
            tracing::warn!(%error, "the record of an interrupted change cannot be stored and is lost when the daemon ends");
        }
        self.sets.lock().insert(set.transaction.clone(), set);
    }

    /// Returns all sets.
    pub(crate) fn all(&self) -> Vec<Set> {
        self.sets.lock().values().cloned().collect()
    }

    /// Returns `true` if a document of a file is not settled.
    pub(crate) fn is_about(&self, path: &Path) -> bool {
        self.sets.lock().values().any(|set| set.documents.iter().any(|reached| reached.path == path))
    }

    /// Returns the documents of a file that are not settled, each with its transaction id.
    pub(crate) fn of(&self, path: &Path) -> Vec<(String, Reached)> {
        let sets = self.sets.lock();
        let of_set = |set: &Set| {
            let transaction = set.transaction.clone();
            let reached = set.documents.iter().find(|reached| reached.path == path)?.clone();
            Some((transaction, reached))
        };
        sets.values().filter_map(of_set).collect()
    }

    /// Returns the transaction because of which changes of a file are refused.
    pub(crate) fn blocks(&self, path: &Path) -> Option<String> {
        let sets = self.sets.lock();
        let waits = |reached: &Reached| reached.waits && reached.path == path;
        let is_about = |set: &&Set| set.age() < PATIENCE && set.documents.iter().any(waits);
        sets.values().find(is_about).map(|set| set.transaction.clone())
    }

    /// Removes a settled file from a set.
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

    /// Returns the number of files whose changes are refused.
    pub(crate) fn count(&self) -> usize {
        let sets = self.sets.lock();
        let recent = sets.values().filter(|set| set.age() < PATIENCE);
        recent.flat_map(|set| &set.documents).filter(|reached| reached.waits).count()
    }

    fn path(&self, transaction: &str) -> PathBuf {
        self.folder.join(format!("{transaction}.json"))
    }
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs()
}

impl Engine {
    /// Deletes the records of sets that an earlier process committed: all their files on disk have the new
    /// content.
    pub(crate) fn forget_committed(&self) {
        for set in self.interrupted.all() {
            let has_new_content = |(path, hash): &(PathBuf, Option<String>)| {
                let now = present(path, self.config.limits.file_size);
                now.is_ok_and(|now| now.map(|now| now.to_string()) == *hash)
            };
            if !set.files.is_empty() && set.files.iter().all(has_new_content) {
                self.interrupted.end(&set.transaction);
            }
        }
    }

    /// Undoes the edits of interrupted sets in the documents of a file. The caller holds the lock of the
    /// file.
    pub(crate) fn settle_interrupted(&self, target: &Target) {
        let waiting = self.interrupted.of(&target.path);
        if waiting.is_empty() {
            return;
        }
        let Ok(observed) = self.observe(target.clone()) else { return };
        for (transaction, reached) in waiting {
            let is_settled = match (reached.undo_plan(), &observed.open) {
                (None, _) => true,
                (Some(plan), Some(open)) => {
                    open.all.iter().all(|open| self.settle_open(&reached, &plan, open))
                }
                (Some(plan), None) => self.settle_closed(&reached, &plan),
            };
            if is_settled {
                self.interrupted.settle(&transaction, &target.path);
            }
        }
    }

    /// Undoes an interrupted edit in an open document. Returns `false` if it still has to be undone.
    fn settle_open(&self, reached: &Reached, (after, inverse): &(Text, Plan), open: &OpenDocument) -> bool {
        let buffer = &open.buffer;
        let is_same_session = reached.session == Some(buffer.id.session);
        // A user has saved the document of another session, or the file was changed since.
        if open.sync_state == SyncState::Same && !is_same_session {
            return true;
        }
        match side(after, inverse, &buffer.text, self.deadline()) {
            Side::After => {
                let outcome = self.undo_edit_in(buffer.clone(), after.clone(), inverse.clone());
                matches!(outcome, UndoOutcome::Undone | UndoOutcome::TypedOver)
            }
            // A user has saved the edit, and has to save the old text.
            Side::Before => !is_same_session || !self.is_on_disk(&buffer.path, after, inverse),
            Side::Unclear => {
                let path = buffer.path.display();
                tracing::warn!(%path, "an interrupted edit was typed over and is not undone");
                true
            }
        }
    }

    /// Undoes an interrupted edit in a file that no editor has open. Returns `false` if its editor may come back
    /// with the edit.
    fn settle_closed(&self, reached: &Reached, (after, inverse): &(Text, Plan)) -> bool {
        let is_closed = reached.session.is_some_and(|session| self.editor(session).is_some());
        if is_closed {
            let outcome = self.undo_on_disk(&reached.path, after, inverse);
            return matches!(outcome, None | Some(UndoOutcome::Undone));
        }
        // A user has saved the edit after the connection was lost, or another program has written it.
        self.is_on_disk(&reached.path, after, inverse)
    }

    /// Refuses a change of a file that is part of an interrupted set.
    pub(crate) fn require_not_interrupted(&self, target: &Target) -> Result<(), Refusal> {
        self.settle_interrupted(target);
        let Some(transaction) = self.interrupted.blocks(&target.path) else { return Ok(()) };
        Err(Refusal::at(&target.path, RefusalKind::Recovering { transaction }))
    }

    /// Forgets interrupted edits of files that were changed since.
    pub(crate) fn forget_interrupted(&self, writes: &[PendingWrite]) {
        for path in writes.iter().map(|write| &write.computed.observed.target.path) {
            for (transaction, _) in self.interrupted.of(path) {
                self.interrupted.settle(&transaction, path);
            }
        }
    }
}
