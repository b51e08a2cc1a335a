use std::sync::Arc;

use editd_daemon::transport::Identity;

use super::link::Link;

/// Maximum number of connections for sessions of sub-agents, each with two threads here. A client seldom runs more
/// sub-agents at the same time. The session of a closed connection is resumed by its next call.
const RESUMED: usize = 16;

/// The open connections: one for the session of this server itself, and one for each session of the client and of
/// its sub-agents that calls were announced for. The one that was used last is at the end.
#[derive(Default)]
pub(super) struct Links(Vec<(Identity, Arc<Link>)>);

impl Links {
    /// Returns the connection for an identity. Closes the connection of that session if it has ended or has another
    /// identity; running requests keep it open until they are answered.
    pub(super) fn get(&mut self, identity: &Identity) -> Option<Arc<Link>> {
        let at = self.0.iter().position(|(known, _)| known.session == identity.session)?;
        let (known, link) = self.0.remove(at);
        if known != *identity || link.is_over() {
            return None;
        }
        self.0.push((known, link.clone()));
        Some(link)
    }

    /// Closes the connection for an identity.
    pub(super) fn close(&mut self, identity: &Identity) {
        self.0.retain(|(known, _)| known != identity);
    }

    /// Adds the connection for an identity. Closes the one that was used longest ago if there are too many.
    pub(super) fn insert(&mut self, identity: Identity, link: Arc<Link>) {
        self.0.push((identity, link));
        let is_resumed = |(identity, _): &(Identity, Arc<Link>)| identity.resumes;
        if self.0.iter().filter(|link| is_resumed(link)).count() > RESUMED
            && let Some(oldest) = self.0.iter().position(is_resumed)
        {
            self.0.remove(oldest);
        }
    }
}
