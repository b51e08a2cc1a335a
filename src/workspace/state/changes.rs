use std::path::PathBuf;
use std::sync::Arc;

use crate::files::{FileContent, FileKey, ObservedVersion, Snapshot};
use crate::ledger::{Coverage, KnownBase, LedgerEntry, Reading};
use crate::limits::UNSHARED_PER_EDIT;
use crate::log::{Author, Transition};
use crate::proposal::ApplyStep;
use crate::session::{Role, SessionId};
use crate::shown::{ShownLines, ShownVersion};
use editd_edit::Plan;
use editd_text::{ContentHash, HashTag};

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

/// The version of a file that a change refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentBase {
    /// The request carries the hash, which asserts that this whole content is its base.
    Whole(ContentHash),
    /// The request uses line numbers or the tag of this version.
    Shown(ContentHash),
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
    /// Compares a file with the base of a change: the version that the change names, or else the content that
    /// the session was last given.
    pub fn base_state(
        &mut self,
        id: SessionId,
        observed: &ObservedVersion,
        sent: Option<SentBase>,
    ) -> BaseState {
        self.observe(observed);
        let session = self.sessions.get(&id);
        let given = session.and_then(|session| session.base(&observed.key));
        let (base, coverage) = match (sent, given) {
            (Some(SentBase::Whole(hash)), _) => (hash, Coverage::Whole),
            (Some(SentBase::Shown(hash)), Some(given)) => (hash, given.coverage),
            (Some(SentBase::Shown(hash)), None) => (hash, Coverage::Part),
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
                self.set_base(id, &file.key, &base.path, snapshot, Reading::of(base.coverage));
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
            let shown = self.shown_after(id, &file);
            self.record_move(id, author, file);
            self.move_own_base(id, &key, &after, (coverage, shown));
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

    /// Returns the lines of the result that the author of a change knows: those that it wrote and, unless the
    /// change was merged with changes of others, those that it was shown before.
    fn shown_after(&mut self, id: SessionId, file: &CommittedChange) -> ShownLines {
        if file.coverage == Some(Coverage::Whole) {
            return ShownLines::All;
        }
        let before = file.before.and_then(|before| self.texts.get(before));
        let entry = self.sessions.get(&id).and_then(|session| session.ledger.get(&file.key));
        let known = file.before.filter(|_| !file.merged).and_then(|before| entry?.shown.of(before));
        let known = known.map_or(ShownLines::NONE, |version| version.lines.clone());
        match (before, file.after.content.snapshot(), &file.plan) {
            (Some(before), Some(after), Some(plan)) => known.after(plan, (&before.text, &after.text)),
            _ => ShownLines::NONE,
        }
    }

    /// Records that a session was shown further lines of a version of a file.
    pub fn show_lines(&mut self, id: SessionId, key: &FileKey, hash: ContentHash, lines: &ShownLines) {
        let entry = self.sessions.get_mut(&id).and_then(|session| session.ledger.get_mut(key));
        if let Some(entry) = entry {
            entry.shown.extend(hash, lines);
        }
    }

    /// Returns the versions of a file whose line numbers a session may use, newest first.
    pub fn shown_versions(&self, id: SessionId, key: &FileKey) -> Vec<ShownVersion> {
        let entry = self.sessions.get(&id).and_then(|session| session.ledger.get(key));
        entry.into_iter().flat_map(|entry| entry.shown.iter().cloned()).collect()
    }

    /// Returns the plans with which a session changed a file from one content to another, in order, if no one else
    /// changed it in between and all of them are known.
    pub fn own_plans(
        &self,
        id: SessionId,
        key: &FileKey,
        from: ContentHash,
        to: ContentHash,
    ) -> Option<Vec<Arc<Plan>>> {
        match self.log.apply_step(key, id, from, to) {
            ApplyStep::Carry(plans) => Some(plans),
            _ => None,
        }
    }

    /// Returns the version with a tag among those of a file that a session may name as a base.
    pub fn version_with_tag(&self, id: SessionId, key: &FileKey, tag: &HashTag) -> Option<ContentHash> {
        let shown = self.shown_versions(id, key).into_iter().map(|version| version.hash);
        let role = self.sessions.get(&id).map_or(Role::Agent, |session| session.role);
        let given = self.documents.get(key).into_iter().flat_map(|document| document.given_to(role));
        let departed = self.departed.of(key, role);
        shown.chain(given).chain(departed).find(|hash| tag.is_of(*hash))
    }

    /// Returns the path of another file with a version that has this tag, if the session was shown it.
    pub fn other_with_tag(&self, id: SessionId, key: &FileKey, tag: &HashTag) -> Option<PathBuf> {
        let ledger = self.sessions.get(&id).into_iter().flat_map(|session| &session.ledger);
        let mut others = ledger.filter(|(other, _)| *other != key);
        let has_tag = |entry: &LedgerEntry| entry.shown.iter().any(|version| tag.is_of(version.hash));
        others.find(|(_, entry)| has_tag(entry)).map(|(_, entry)| entry.base.path.clone())
    }

    /// Moves the author's base to the result. An author knows its own change, and as much of the rest as
    /// before.
    fn move_own_base(
        &mut self,
        id: SessionId,
        key: &FileKey,
        after: &ObservedVersion,
        (coverage, shown): (Option<Coverage>, ShownLines),
    ) {
        let known = self.sessions.get(&id).and_then(|session| session.base(key)).map(|base| base.coverage);
        let reading = match coverage.or(known) {
            Some(Coverage::Whole) => Reading::WHOLE,
            Some(Coverage::Part) | None => Reading::part(shown),
        };
        if after.key != *key {
            self.forget(id, key);
        }
        match &after.content {
            FileContent::Text(snapshot) => {
                let was_read = self
                    .shown_versions(id, &after.key)
                    .iter()
                    .any(|version| version.hash == snapshot.hash && !version.is_result);
                self.set_base(id, &after.key, &after.path, snapshot, reading);
                let entry = self.sessions.get_mut(&id).and_then(|session| session.ledger.get_mut(&after.key));
                if let (Some(entry), false) = (entry, was_read) {
                    entry.shown.mark_result();
                }
            }
            FileContent::Missing | FileContent::Opaque(_) => self.forget(id, &after.key),
        }
    }
}
