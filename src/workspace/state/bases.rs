use std::sync::Arc;

use crate::text::ContentHash;
use crate::workspace::{Coverage, Role, Seen, SessionId, Snapshot};

use super::Workspace;

/// How the truth of a file relates to what the author of a change was given.
#[derive(Clone, Debug)]
pub enum BaseState {
    /// The author was never given it.
    Unread {
        /// Its session was never given anything.
        new_session: bool,
    },
    /// The author has it as it is.
    Fresh(Coverage),
    /// The author has another content.
    Moved {
        /// Its hash.
        base: ContentHash,
        /// Whether this file ever had it while somebody read it here.
        was_given: bool,
        /// Its text, if so and if it is in memory.
        text: Option<Arc<Snapshot>>,
        /// How much of it the author has seen.
        coverage: Coverage,
    },
}

impl Workspace {
    /// Compares a file with the base of a change to it: the hash that came with the change, else what the
    /// session was last given.
    pub fn base_state(&mut self, id: SessionId, seen: &Seen, sent: Option<ContentHash>) -> BaseState {
        self.observe(seen);
        let session = self.sessions.get(&id);
        let given = session.and_then(|session| session.base(&seen.key));
        let (base, coverage) = match (sent, given) {
            // Who sends a hash says that this content is meant, whole.
            (Some(sent), _) => (sent, Coverage::Whole),
            (None, Some(given)) => (given.hash, given.coverage),
            (None, None) => {
                let new_session = session.is_none_or(|session| session.given.is_empty());
                return BaseState::Unread { new_session };
            }
        };
        if seen.truth.hash() == Some(base) {
            BaseState::Fresh(coverage)
        } else {
            // A content that only another file had is no base of this one.
            let role = self.sessions.get(&id).map_or(Role::Agent, |session| session.role);
            let was_given = self.documents.get(&seen.key).is_some_and(|d| d.has_given(base, role))
                || self.departed.has(&seen.key, base, role);
            let text = was_given.then(|| self.texts.get(base)).flatten();
            BaseState::Moved { base, was_given, text, coverage }
        }
    }
}
