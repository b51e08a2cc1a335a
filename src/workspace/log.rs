use std::collections::VecDeque;
use std::sync::Arc;

use editd_edit::Plan;
use editd_text::ContentHash;

use super::files::FileKey;
use super::limits::{LOGGED_BYTES, LOGGED_TRANSITIONS};
use super::proposal::ApplyStep;
use super::session::SessionId;

/// The author of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// A session, through editd.
    Session(SessionId, String),
    /// A user, in an editor.
    Editor,
    /// Another program, on disk.
    Disk,
}

impl Author {
    /// Returns the name on the wire: the session's author, `editor` or `disk`.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Session(_, name) => name,
            Self::Editor => "editor",
            Self::Disk => "disk",
        }
    }

    pub(super) fn is(&self, session: SessionId) -> bool {
        matches!(self, Self::Session(id, _) if *id == session)
    }
}

/// A change of a file from one content to another.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// Key of the file.
    pub(super) key: FileKey,
    /// Hash before; `None` if the file did not exist.
    pub(super) before: Option<ContentHash>,
    /// Hash after; `None` if the file was deleted.
    pub(super) after: Option<ContentHash>,
    /// The author of the change.
    pub(super) by: Author,
    /// The plan, if editd made the change as an edit.
    pub(super) plan: Option<Arc<Plan>>,
}

impl Transition {
    fn is_by_other(&self, key: &FileKey, session: SessionId) -> bool {
        self.key == *key && !self.by.is(session)
    }

    fn weight(&self) -> usize {
        self.plan.as_ref().map_or(0, |plan| plan.splices().iter().map(|splice| splice.text.len()).sum())
    }
}

/// The most recent transitions of all files, oldest first.
#[derive(Debug, Default)]
pub(super) struct TransitionLog {
    entries: VecDeque<Transition>,
    /// Number of transitions so far: the cursor of the newest one.
    pub(super) cursor: u64,
    /// Bytes of new text in the plans.
    bytes: usize,
}

impl TransitionLog {
    /// Adds a transition, and drops the oldest ones beyond the limits.
    pub(super) fn push(&mut self, transition: Transition) {
        self.cursor += 1;
        self.bytes += transition.weight();
        self.entries.push_back(transition);
        while self.entries.len() > LOGGED_TRANSITIONS || self.bytes > LOGGED_BYTES {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.weight();
        }
    }

    /// Returns the first transition of a file after the cursor `since` that the session did not make itself.
    pub(super) fn first_other_since(
        &self,
        since: u64,
        key: &FileKey,
        session: SessionId,
    ) -> Option<&Transition> {
        let newer = self.cursor.saturating_sub(since) as usize;
        let known = self.entries.len().saturating_sub(newer);
        self.entries.iter().skip(known).find(|entry| entry.is_by_other(key, session))
    }

    /// Returns the author of the newest transition of the file that the session did not make itself.
    pub(super) fn last_other(&self, key: &FileKey, session: SessionId) -> Option<&Author> {
        let newest = self.entries.iter().rev().find(|entry| entry.is_by_other(key, session));
        newest.map(|entry| &entry.by)
    }

    /// Returns how to apply a plan that a session made for the content `from` to the content `to`.
    pub(super) fn apply_step(
        &self,
        key: &FileKey,
        session: SessionId,
        from: ContentHash,
        to: ContentHash,
    ) -> ApplyStep {
        let (mut plans, mut typed, mut wanted) = (Vec::new(), false, Some(to));
        for entry in self.entries.iter().rev().filter(|entry| entry.key == *key) {
            match (&entry.by, &entry.plan) {
                _ if wanted.is_none() || entry.after != wanted => break,
                (Author::Editor, _) => typed = true,
                (by, Some(plan)) if by.is(session) => plans.push(plan.clone()),
                _ => break,
            }
            wanted = entry.before;
            if wanted == Some(from) {
                plans.reverse();
                return if typed { ApplyStep::CarryTyped } else { ApplyStep::Carry(plans) };
            }
        }
        ApplyStep::Moved
    }
}
