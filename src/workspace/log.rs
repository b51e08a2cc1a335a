use std::collections::VecDeque;
use std::sync::Arc;

use crate::edit::Plan;
use crate::text::ContentHash;

use super::limits::{LOGGED_BYTES, LOGGED_TRANSITIONS};
use super::{FileKey, SessionId};

/// The author of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// A session, through editd.
    Session(SessionId, String),
    /// A user, in an editor.
    Editor,
    /// Another program, on disk.
    Disk,
}

impl Author {
    /// Returns the name on the wire: the session's author, `editor` or `disk`.
    pub fn name(&self) -> &str {
        match self {
            Self::Session(_, name) => name,
            Self::Editor => "editor",
            Self::Disk => "disk",
        }
    }

    fn is(&self, session: SessionId) -> bool {
        matches!(self, Self::Session(id, _) if *id == session)
    }
}

/// A change of a file from one content to another.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Position in the order of all transitions; increasing.
    pub cursor: u64,
    /// Key of the file.
    pub key: FileKey,
    /// Hash before; `None` if the file did not exist.
    pub before: Option<ContentHash>,
    /// Hash after; `None` if the file was deleted.
    pub after: Option<ContentHash>,
    /// The author of the change.
    pub by: Author,
    /// The plan, if editd made the change as an edit.
    pub plan: Option<Arc<Plan>>,
}

impl Transition {
    fn weight(&self) -> usize {
        self.plan.as_ref().map_or(0, |plan| plan.splices().iter().map(|splice| splice.text.len()).sum())
    }
}

/// The most recent transitions of all files, oldest first.
#[derive(Debug, Default)]
pub struct TransitionLog {
    entries: VecDeque<Transition>,
    cursor: u64,
    /// Bytes of new text in the plans.
    bytes: usize,
}

impl TransitionLog {
    /// Adds a transition, and drops the oldest ones beyond the limits.
    pub fn push(
        &mut self,
        key: FileKey,
        before: Option<ContentHash>,
        after: Option<ContentHash>,
        by: Author,
        plan: Option<Arc<Plan>>,
    ) {
        self.cursor += 1;
        let entry = Transition { cursor: self.cursor, key, before, after, by, plan };
        self.bytes += entry.weight();
        self.entries.push_back(entry);
        while self.entries.len() > LOGGED_TRANSITIONS || self.bytes > LOGGED_BYTES {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.weight();
        }
    }

    /// Returns the cursor of the newest transition.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Returns the transitions of a file after `since` that the session did not make itself.
    pub fn others_since<'a>(
        &'a self,
        since: u64,
        key: &'a FileKey,
        session: SessionId,
    ) -> impl Iterator<Item = &'a Transition> {
        let start = self.entries.partition_point(|entry| entry.cursor <= since);
        self.entries.iter().skip(start).filter(move |e| e.key == *key && !e.by.is(session))
    }

    /// Returns the author of the newest transition of the file that the session did not make itself.
    pub fn last_other(&self, key: &FileKey, session: SessionId) -> Option<&Author> {
        let others = self.entries.iter().rev().filter(|entry| !entry.by.is(session));
        others.map(|entry| (&entry.key, &entry.by)).find(|(of, _)| *of == key).map(|(_, by)| by)
    }

    /// Returns how one content became another, if only the session itself and users typing in editors made
    /// changes.
    pub fn own_edits(
        &self,
        key: &FileKey,
        session: SessionId,
        from: ContentHash,
        to: ContentHash,
    ) -> Option<OwnEdits> {
        let (mut plans, mut typed, mut wanted) = (Vec::new(), false, to);
        for entry in self.entries.iter().rev().filter(|entry| entry.key == *key) {
            if entry.after != Some(wanted) {
                return None;
            }
            match (&entry.by, &entry.plan) {
                (Author::Editor, _) => typed = true,
                (by, Some(plan)) if by.is(session) => plans.push(plan.clone()),
                _ => return None,
            }
            wanted = entry.before?;
            if wanted == from {
                plans.reverse();
                return Some(if typed { OwnEdits::Typed } else { OwnEdits::Plans(plans) });
            }
        }
        None
    }
}

/// Changes between two contents that only the session itself or a user in an editor made.
#[derive(Clone, Debug)]
pub enum OwnEdits {
    /// The session's own edits.
    Plans(Vec<Arc<Plan>>),
    /// Changes that include text typed in an editor, of which only the result is known.
    Typed,
}
