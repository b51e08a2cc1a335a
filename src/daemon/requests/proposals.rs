use std::sync::Arc;

use crate::protocol::{
    DiscardParams, Invalid, ProposalParams, ProposalsParams, ProposalsResult, ProposeResult,
};

use crate::daemon::event::{Event, FindFor};
use crate::daemon::{Daemon, Failure, SessionContext, answer};

const STATES: [&str; 9] =
    ["proposed", "pending", "applied", "partial", "rejected", "superseded", "discarded", "stale", "failed"];

impl Daemon {
    /// `editd/discard`.
    pub fn discard(
        &self,
        session: &Arc<SessionContext>,
        DiscardParams { id, reason }: DiscardParams,
    ) -> Result<ProposeResult, Failure> {
        let session_id = session.id;
        let event = |reply| Event::Discard { session: session_id, id, reason, reply };
        let proposal = self.core.ask(event)??;
        Ok(answer::proposal(&proposal, session.encoding))
    }

    /// `editd/proposal`.
    pub fn proposal(
        &self,
        session: &Arc<SessionContext>,
        ProposalParams { id, .. }: ProposalParams,
    ) -> Result<ProposeResult, Failure> {
        let session_id = session.id;
        let event = |reply| Event::Find { session: session_id, id, purpose: FindFor::Looking, reply };
        let proposal = self.core.ask(event)??;
        Ok(answer::proposal(&proposal, session.encoding))
    }

    /// `editd/proposals`.
    pub fn proposals(
        &self,
        session: &Arc<SessionContext>,
        ProposalsParams { state }: ProposalsParams,
    ) -> Result<ProposalsResult, Failure> {
        if let Some(unknown) = state.as_deref().filter(|state| !STATES.contains(state)) {
            let problem = format!("`{unknown}` is no state, expected one of {}", STATES.join(", "));
            return Err(Invalid::new("state", problem).into());
        }
        let session_id = session.id;
        let list = self.core.ask(|reply| Event::List { session: session_id, state, reply })?;
        Ok(ProposalsResult { proposals: list.iter().map(answer::summary).collect() })
    }
}
