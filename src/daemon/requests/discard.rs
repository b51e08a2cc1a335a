use std::sync::Arc;

use crate::daemon::event::Event;
use crate::daemon::{Daemon, Failure, SessionContext};
use crate::protocol::{DiscardParams, ProposeResult};

impl Daemon {
    /// `editd/discard`.
    pub async fn discard(
        &self,
        session: &Arc<SessionContext>,
        DiscardParams { id, reason }: DiscardParams,
    ) -> Result<ProposeResult, Failure> {
        let session_id = session.id;
        let event = |reply| Event::Discard { session: session_id, id, reason, reply };
        let proposal = self.core.ask(event)??;
        self.shown(session, proposal).await
    }
}
