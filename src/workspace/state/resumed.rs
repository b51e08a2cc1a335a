use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::fair::to_evict;
use crate::limits::{RESUMABLE_SESSIONS, RESUMABLE_SESSIONS_OF_ALL};
use crate::session::SessionId;

use super::Workspace;

/// Sessions that outlive their connections, so that short connections of one client share a ledger.
#[derive(Debug, Default)]
pub(super) struct ResumableSessions {
    ids: HashMap<(String, Arc<str>), SessionId>,
    /// Number of connections of each of these sessions.
    connections: HashMap<SessionId, usize>,
    /// Processes that began these sessions, where known.
    processes: HashMap<SessionId, i32>,
    /// Sessions without a connection, the one that was left first at the front.
    idle: VecDeque<SessionId>,
}

impl ResumableSessions {
    /// Returns the number of sessions without a connection.
    pub(super) fn idle_count(&self) -> usize {
        self.idle.len()
    }

    fn connect(&mut self, id: SessionId) {
        if let Some(count) = self.connections.get_mut(&id) {
            *count += 1;
            self.idle.retain(|idle| *idle != id);
        }
    }

    /// Returns the session to remove: the given one if it cannot be resumed, or one that was left long ago.
    fn disconnect(&mut self, id: SessionId) -> Option<SessionId> {
        let Some(count) = self.connections.get_mut(&id) else { return Some(id) };
        *count = count.saturating_sub(1);
        if *count > 0 {
            return None;
        }
        self.idle.push_back(id);
        let authors: HashMap<_, _> =
            self.ids.iter().map(|((author, _), id)| (*id, author.as_str())).collect();
        let author = |id: &SessionId| authors.get(id).copied().unwrap_or_default();
        let own: Vec<_> = self.idle.iter().filter(|idle| author(idle) == author(&id)).collect();
        let oldest = if own.len() > RESUMABLE_SESSIONS {
            own.first().copied().copied()
        } else if self.idle.len() > RESUMABLE_SESSIONS_OF_ALL {
            let at = to_evict(self.idle.iter().map(|id| (author(id), (), self.processes.get(id).copied())));
            at.and_then(|at| self.idle.get(at).copied())
        } else {
            None
        }?;
        self.idle.retain(|idle| *idle != oldest);
        self.connections.remove(&oldest);
        self.processes.remove(&oldest);
        self.ids.retain(|_, id| *id != oldest);
        Some(oldest)
    }
}

impl Workspace {
    /// Returns the id of the session that an author resumes by its name, which is `new` if there is none yet. The
    /// author comes with the process of its client, if known.
    /// The session stays until [`RESUMABLE_SESSIONS`] others of its author have been left after it.
    pub fn resume(
        &mut self,
        (author, process): (&str, Option<i32>),
        name: &Arc<str>,
        new: SessionId,
    ) -> SessionId {
        let id = *self.resumable.ids.entry((author.to_owned(), name.clone())).or_insert(new);
        self.resumable.connections.entry(id).or_default();
        if let Some(process) = process {
            self.resumable.processes.entry(id).or_insert(process);
        }
        id
    }

    /// Counts a connection of a session.
    pub(super) fn count_connection(&mut self, id: SessionId) {
        self.resumable.connect(id);
    }

    /// Removes a connection of a session. Returns the session that ends, if one does.
    pub(super) fn end_connection(&mut self, id: SessionId) -> Option<SessionId> {
        self.resumable.disconnect(id)
    }
}
