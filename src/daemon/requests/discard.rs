use std::sync::Arc;

use crate::daemon::{Daemon, Failure, SessionContext};
use crate::protocol::{DiscardParams, ProposeResult};

impl Daemon {
    /// `editd/discard`.
    pub async fn discard(
        &self,
        session: &Arc<SessionContext>,
        DiscardParams { id, reason }: DiscardParams,
    ) -> Result<ProposeResult, Failure> {
        let proposal = self.core.workspace.update(|w| w.discard(session.id, &id, reason))?;
        self.shown(session, proposal).await
    }
}
