use std::sync::Arc;

use crate::text::ContentHash;
use crate::workspace::{Coverage, ObservedVersion, Role, SessionId, Snapshot};

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
}
