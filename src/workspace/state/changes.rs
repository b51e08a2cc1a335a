use std::path::PathBuf;
use std::sync::Arc;

use crate::edit::Plan;
use crate::text::ContentHash;
use crate::workspace::files::{FileContent, FileKey, ObservedVersion, Snapshot};
use crate::workspace::ledger::{Coverage, KnownBase};
use crate::workspace::limits::UNSHARED_PER_EDIT;
use crate::workspace::log::{Author, Transition};
use crate::workspace::session::{Role, SessionId};

use super::Workspace;

/// The relation of a file's current content to what the author of a change was given.
#[derive(Clone, Debug)]
pub enum BaseState {
    /// The author was never given the file.
    Unread {
        /// `true` if the session was never given anything.
        new_session: bool,
    },
    /// The author was given the current content.
    Fresh(Coverage),
    /// The author was given another content.
    Moved {
        /// Hash of that content.
        base: ContentHash,
        /// `true` if a session was given this content of this file.
        was_given: bool,
        /// Text of that content, if it is in memory.
        text: Option<Arc<Snapshot>>,
        /// Part of it that the author was given.
        coverage: Coverage,
    },
}

/// A file that others changed after a session was given it.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Key of the file.
    pub key: FileKey,
    /// The path under which the session read it.
    pub path: PathBuf,
    /// The author of the last change.
    pub by: String,
    /// Hash of the content that the session was given.
    pub before: ContentHash,
    /// Text of that content, if it is in memory.
    pub before_text: Option<Arc<Snapshot>>,
    /// The session's own part of a merge with changes of others.
    pub own: Option<Arc<Plan>>,
}

/// The result of a committed change of a file.
#[derive(Clone, Debug)]
pub struct CommittedChange {
    /// Key of the file before the change.
    pub key: FileKey,
    /// Hash of the content before.
    pub before: Option<ContentHash>,
    /// Hash of the base that the change was made for.
    pub base: Option<ContentHash>,
    /// `true` if the change was merged with changes of others.
    pub merged: bool,
    /// The change as its author made it, with the hash of its base, if it had to be rebased.
    pub original_plan: Option<(ContentHash, Arc<Plan>)>,
    /// The new content, under the new path if the file was renamed.
    pub after: ObservedVersion,
    /// The plan, if the text was edited.
    pub plan: Option<Arc<Plan>>,
    /// Part of the result that its author knows; `None` if that did not change.
    pub coverage: Option<Coverage>,
    /// `true` if the new text shares memory with the old one.
    pub shares: bool,
}

impl Workspace {
    /// Compares a file with the base of a change: the hash sent with the change, or else the content that
    /// the session was last given.
    pub fn base_state(
        &mut self,
        id: SessionId,
        observed: &ObservedVersion,
        sent: Option<ContentHash>,
    ) -> BaseState {
        self.observe(observed);
        let session = self.sessions.get(&id);
        let given = session.and_then(|session| session.base(&observed.key));
        let (base, coverage) = match (sent, given) {
            // A request that carries a hash asserts that this whole content is its base.
            (Some(sent), _) => (sent, Coverage::Whole),
            (None, Some(given)) => (given.hash, given.coverage),
            (None, None) => {
                let new_session = session.is_none_or(|session| session.given.is_empty());
                return BaseState::Unread { new_session };
            }
        };
        if observed.content.hash() == Some(base) {
            BaseState::Fresh(coverage)
        } else {
            // A content that only another file had cannot be a base of this file.
            let role = self.sessions.get(&id).map_or(Role::Agent, |session| session.role);
            let was_given = self.documents.get(&observed.key).is_some_and(|d| d.was_given(base, role))
                || self.departed.has(&observed.key, base, role);
            let text = was_given.then(|| self.texts.get(base)).flatten();
            BaseState::Moved { base, was_given, text, coverage }
        }
    }

    /// Returns the newest cursor and the files that a session has read. The caller observes these files
    /// before it calls [`change_of`](Self::change_of).
    pub fn files_read_by(&self, id: SessionId) -> (u64, Vec<(FileKey, PathBuf)>) {
        let ledger = self.sessions.get(&id).into_iter().flat_map(|session| &session.ledger);
        let files = ledger.map(|(key, entry)| (key.clone(), entry.base.path.clone())).collect();
        (self.log.cursor, files)
    }

    /// Returns the changes that others made to a file, which the caller has just observed, since the session
    /// was given it. With `since`, changes that were already reported after that cursor are included. The
    /// session's base moves to the current content.
    pub fn change_of(
        &mut self,
        id: SessionId,
        file: &ObservedVersion,
        since: Option<u64>,
    ) -> Option<Changed> {
        self.observe(file);
        let changed = self.changed(id, file, since)?;
        let base = self.sessions.get(&id).and_then(|session| session.base(&file.key)).cloned();
        match (&file.content, base) {
            (FileContent::Text(snapshot), Some(base)) => {
                self.set_base(id, &file.key, &base.path, snapshot, base.coverage);
            }
            // A missing or non-text file cannot be a base, so the next read decides.
            _ => self.forget(id, &file.key),
        }
        Some(changed)
    }

    fn changed(&mut self, id: SessionId, file: &ObservedVersion, since: Option<u64>) -> Option<Changed> {
        let entry = self.sessions.get(&id)?.ledger.get(&file.key)?;
        let path = entry.base.path.clone();
        let reported = since.and_then(|since| self.log.first_other_since(since, &file.key, id)?.before);
        let (before, own) = match (reported, &entry.known_base) {
            (Some(reported), _) => (reported, None),
            (None, Some(known)) => (known.given, known.own.clone()),
            (None, None) => (entry.base.hash, None),
        };
        if file.content.hash() == Some(before) {
            return None;
        }
        let by = self.log.last_other(&file.key, id).map_or("disk", Author::name).to_owned();
        let before_text = self.texts.get(before);
        Some(Changed { key: file.key.clone(), path, by, before, before_text, own })
    }

    /// Records changes that a session committed, and notifies the other readers.
    pub fn record_commit(&mut self, id: SessionId, author: &str, files: Vec<CommittedChange>) {
        for file in files {
            let (key, after, coverage) = (file.key.clone(), file.after.clone(), file.coverage);
            let known = self.known_base_of(id, &file);
            self.record_move(id, author, file);
            self.move_own_base(id, &key, &after, coverage);
            self.set_known_base(id, &after.key, known);
        }
    }

    /// Records changes that a person accepted. The base of the proposal's author stays as it is until the
    /// author receives the outcome.
    pub fn record_decided(&mut self, id: SessionId, author: &str, files: Vec<CommittedChange>) {
        for file in files {
            self.record_move(id, author, file);
        }
    }

    fn record_move(&mut self, id: SessionId, author: &str, file: CommittedChange) {
        let by = Author::Session(id, author.to_owned());
        let after = file.after.content.hash();
        if let (Some(before), Some(plan), true) = (file.before, &file.plan, file.shares) {
            let replaced: usize = plan.splices().iter().map(|splice| splice.range.len()).sum();
            let nodes = plan.splices().len() as u64 * UNSHARED_PER_EDIT;
            self.texts.share(before, replaced as u64 + nodes);
        }
        let CommittedChange {
            key, before, after: ObservedVersion { key: new_key, content, .. }, plan, ..
        } = file;
        if new_key == key {
            self.set_current(&key, &content);
            if before != after {
                self.transition(Transition { key, before, after, by, plan });
            }
        } else {
            self.set_current(&key, &FileContent::Missing);
            self.transition(Transition { key, before, after: None, by: by.clone(), plan: None });
            self.set_current(&new_key, &content);
            self.transition(Transition { key: new_key, before: None, after, by, plan: None });
        }
    }

    /// Returns what the author of a change knows of the file, if the result contains changes of others.
    fn known_base_of(&self, id: SessionId, file: &CommittedChange) -> Option<KnownBase> {
        let original_plan = file.original_plan.clone();
        let Some(entry) = self.sessions.get(&id)?.ledger.get(&file.key) else {
            return original_plan.map(|(given, plan)| KnownBase { given, own: Some(plan) });
        };
        let given = entry.base.hash;
        entry.known_base.clone().or_else(|| {
            let own = original_plan.filter(|(base, _)| *base == given).map(|(_, plan)| plan);
            // An author that sends another base than it was given knows that base, too.
            (file.merged && Some(given) != file.base).then_some(KnownBase { given, own })
        })
    }

    fn set_known_base(&mut self, id: SessionId, key: &FileKey, known: Option<KnownBase>) {
        let entry = self.sessions.get_mut(&id).and_then(|session| session.ledger.get_mut(key));
        if let (Some(entry), Some(known)) = (entry, known) {
            self.texts.retain(known.given, None);
            entry.known_base = Some(known);
        }
    }

    /// Moves the author's base to the result. An author knows its own change, and as much of the rest as
    /// before.
    fn move_own_base(
        &mut self,
        id: SessionId,
        key: &FileKey,
        after: &ObservedVersion,
        coverage: Option<Coverage>,
    ) {
        let known = self.sessions.get(&id).and_then(|session| session.base(key)).map(|base| base.coverage);
        let coverage = coverage.or(known).unwrap_or(Coverage::Part);
        if after.key != *key {
            self.forget(id, key);
        }
        match &after.content {
            FileContent::Text(snapshot) => self.set_base(id, &after.key, &after.path, snapshot, coverage),
            FileContent::Missing | FileContent::Opaque(_) => self.forget(id, &after.key),
        }
    }
}
