use std::path::PathBuf;
use std::sync::Arc;

use crate::edit::Plan;
use crate::text::ContentHash;
use crate::workspace::limits::UNSHARED_PER_EDIT;
use crate::workspace::session::Unseen;
use crate::workspace::{Author, Coverage, FileKey, Seen, SessionId, Snapshot, Truth};

use super::Workspace;

/// A file that others changed since a session was given it.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Which file.
    pub key: FileKey,
    /// The path under which the session read it.
    pub path: PathBuf,
    /// Who changed it last.
    pub by: String,
    /// What the session had.
    pub before: ContentHash,
    /// Its text, if it is in memory.
    pub before_text: Option<Arc<Snapshot>>,
    /// What the session did to that itself, in a merge with what others did.
    pub own: Option<Arc<Plan>>,
}

/// Where a change of a file led, for the books.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The file.
    pub key: FileKey,
    /// What it was.
    pub before: Option<ContentHash>,
    /// What the change was made for.
    pub base: Option<ContentHash>,
    /// Whether it was merged with what others did.
    pub merged: bool,
    /// The change as its author made it and what for, where it had to be carried over to something else.
    pub alone: Option<(ContentHash, Arc<Plan>)>,
    /// What it is now, under its new name if it got one.
    pub after: Seen,
    /// How, if its text was edited.
    pub plan: Option<Arc<Plan>>,
    /// How much of the result its author knows; none if that is what it knew of the file before.
    pub coverage: Option<Coverage>,
    /// Whether the new text shares the memory of the old one.
    pub shares: bool,
}

impl Workspace {
    /// The newest cursor, and the files that a session has read, to be looked at before
    /// [`change_of`](Self::change_of).
    pub fn files_read_by(&self, id: SessionId) -> (u64, Vec<(FileKey, PathBuf)>) {
        let ledger = self.sessions.get(&id).into_iter().flat_map(|session| &session.ledger);
        let files = ledger.map(|(key, entry)| (key.clone(), entry.base.path.clone())).collect();
        (self.log.cursor(), files)
    }

    /// What others did to a file that a session has read, after it was looked at: whether it is not what the
    /// session was given, and with `since` also what was told after that cursor before. The session's base
    /// moves to what is told.
    pub fn change_of(&mut self, id: SessionId, file: &Seen, since: Option<u64>) -> Option<Changed> {
        self.observe(file);
        let changed = self.changed(id, file, since)?;
        match &file.truth {
            Truth::Text(snapshot) => self.move_base(id, file, snapshot),
            // What is gone or no text cannot be the base of anything; the next read decides.
            Truth::Missing | Truth::Opaque(_) => self.drop_base(id, &file.key),
        }
        Some(changed)
    }

    fn changed(&mut self, id: SessionId, file: &Seen, since: Option<u64>) -> Option<Changed> {
        let entry = self.sessions.get(&id)?.ledger.get(&file.key)?;
        let path = entry.base.path.clone();
        let told = since.and_then(|since| self.log.others_since(since, &file.key, id).next()?.before);
        let (before, own) = match (told, &entry.unseen) {
            (Some(told), _) => (told, None),
            (None, Some(unseen)) => (unseen.given, unseen.own.clone()),
            (None, None) => (entry.base.hash, None),
        };
        if file.truth.hash() == Some(before) {
            return None;
        }
        let by = self.log.last_other(&file.key, id).map_or("disk", Author::name).to_owned();
        let before_text = self.texts.get(before);
        Some(Changed { key: file.key.clone(), path, by, before, before_text, own })
    }

    fn move_base(&mut self, id: SessionId, file: &Seen, snapshot: &Arc<Snapshot>) {
        let given = self.sessions.get(&id).and_then(|session| session.base(&file.key)).cloned();
        if let Some(given) = given {
            self.set_base(id, &file.key, &given.path, snapshot, given.coverage);
        }
    }

    /// Files were changed by a session: writes the books and tells the other readers.
    pub fn record_commit(&mut self, id: SessionId, author: &str, files: Vec<Moved>) {
        for file in files {
            let (key, after, coverage) = (file.key.clone(), file.after.clone(), file.coverage);
            let unseen = self.unseen_by(id, &file);
            self.record_move(id, author, file);
            self.move_own_base(id, &key, &after, coverage);
            self.keep_unseen(id, &after.key, unseen);
        }
    }

    /// The same where a person decided what happens: the author of the change learns of it by the answer that
    /// tells the outcome, and knows no more until then.
    pub fn record_decided(&mut self, id: SessionId, author: &str, files: Vec<Moved>) {
        for file in files {
            self.record_move(id, author, file);
        }
    }

    fn record_move(&mut self, id: SessionId, author: &str, file: Moved) {
        let by = Author::Session(id, author.to_owned());
        let after = file.after.truth.hash();
        if let (Some(before), Some(plan), true) = (file.before, &file.plan, file.shares) {
            let replaced: usize = plan.splices().iter().map(|splice| splice.range.len()).sum();
            let nodes = plan.splices().len() as u64 * UNSHARED_PER_EDIT;
            self.texts.share(before, replaced as u64 + nodes);
        }
        if file.after.key == file.key {
            self.set_current(&file.key, &file.after.truth);
            if file.before != after {
                self.transition(&file.key, file.before, after, by, file.plan);
            }
        } else {
            self.set_current(&file.key, &Truth::Missing);
            self.transition(&file.key, file.before, None, by.clone(), None);
            self.set_current(&file.after.key, &file.after.truth);
            self.transition(&file.after.key, None, after, by, None);
        }
    }

    /// What the author of a change has seen of its file, if there is more in the result than that and the change.
    fn unseen_by(&self, id: SessionId, file: &Moved) -> Option<Unseen> {
        let alone = file.alone.as_ref().map(|(given, plan)| (*given, plan.clone()));
        let Some(entry) = self.sessions.get(&id)?.ledger.get(&file.key) else {
            return alone.map(|(given, plan)| Unseen { given, own: Some(plan) });
        };
        let given = entry.base.hash;
        entry.unseen.clone().or_else(|| {
            let own = alone.filter(|(base, _)| *base == given).map(|(_, plan)| plan);
            // Who names another base than it was given has seen that, too.
            (file.merged && Some(given) != file.base).then_some(Unseen { given, own })
        })
    }

    fn keep_unseen(&mut self, id: SessionId, key: &FileKey, unseen: Option<Unseen>) {
        let entry = self.sessions.get_mut(&id).and_then(|session| session.ledger.get_mut(key));
        if let (Some(entry), Some(unseen)) = (entry, unseen) {
            self.texts.retain(unseen.given, None);
            entry.unseen = Some(unseen);
        }
    }

    /// An author knows what it wrote itself; how much else of the file it knows stays as it was.
    fn move_own_base(&mut self, id: SessionId, key: &FileKey, after: &Seen, coverage: Option<Coverage>) {
        let known = self.sessions.get(&id).and_then(|session| session.base(key)).map(|base| base.coverage);
        let coverage = coverage.or(known).unwrap_or(Coverage::Part);
        if after.key != *key {
            self.drop_base(id, key);
        }
        match &after.truth {
            Truth::Text(snapshot) => self.set_base(id, &after.key, &after.path, snapshot, coverage),
            Truth::Missing | Truth::Opaque(_) => self.drop_base(id, &after.key),
        }
    }
}
