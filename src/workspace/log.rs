use std::collections::VecDeque;
use std::sync::Arc;

use crate::edit::Plan;
use crate::text::ContentHash;

use super::limits::{LOGGED_BYTES, LOGGED_TRANSITIONS};
use super::{FileKey, SessionId};

/// Who changed a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// A session, through editd.
    Session(SessionId, String),
    /// A person, in an editor.
    Editor,
    /// Some other program, on disk.
    Disk,
}

impl Author {
    /// The name on the wire: the author's, `editor`, or `disk`.
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

/// A file went from one content to another.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Its place in the order of all transitions; grows.
    pub cursor: u64,
    /// Which file.
    pub key: FileKey,
    /// What it was; `None` if it did not exist.
    pub before: Option<ContentHash>,
    /// What it is; `None` if it is gone.
    pub after: Option<ContentHash>,
    /// Who did it.
    pub by: Author,
    /// How, where editd did it as an edit.
    pub plan: Option<Arc<Plan>>,
}

impl Transition {
    fn weight(&self) -> usize {
        self.plan.as_ref().map_or(0, |plan| plan.splices().iter().map(|splice| splice.text.len()).sum())
    }
}

/// The newest transitions of all files, oldest first.
#[derive(Debug, Default)]
pub struct TransitionLog {
    entries: VecDeque<Transition>,
    cursor: u64,
    /// Bytes of new text in the plans.
    bytes: usize,
}

impl TransitionLog {
    /// Adds one, and forgets the oldest beyond the limit.
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

    /// The newest transition's place.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Transitions of a file after `since` that somebody else made.
    pub fn others_since<'a>(
        &'a self,
        since: u64,
        key: &'a FileKey,
        session: SessionId,
    ) -> impl Iterator<Item = &'a Transition> {
        let start = self.entries.partition_point(|entry| entry.cursor <= since);
        self.entries.iter().skip(start).filter(move |e| e.key == *key && !e.by.is(session))
    }

    /// Who else made the file's newest transition that was not the session's own.
    pub fn last_other(&self, key: &FileKey, session: SessionId) -> Option<&Author> {
        let others = self.entries.iter().rev().filter(|entry| !entry.by.is(session));
        others.map(|entry| (&entry.key, &entry.by)).find(|(of, _)| *of == key).map(|(_, by)| by)
    }

    /// How one content became another, if nobody had a part in it but the session and people who type.
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

/// How a content became another by those who may.
#[derive(Clone, Debug)]
pub enum OwnEdits {
    /// By the session's own edits.
    Plans(Vec<Arc<Plan>>),
    /// With what was typed in an editor, which is only known by its result.
    Typed,
}
