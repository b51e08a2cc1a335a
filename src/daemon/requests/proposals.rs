use std::sync::Arc;

use crate::protocol::{
    DiscardParams, Invalid, ProposalParams, ProposalsParams, ProposalsResult, ProposeResult,
};

use crate::workspace::{Action, PlannedFile, Proposal, Refusal};

use crate::daemon::event::{Event, FindFor};
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

const STATES: [&str; 9] =
    ["proposed", "pending", "applied", "partial", "rejected", "superseded", "discarded", "stale", "failed"];

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

    /// `editd/proposal`.
    pub async fn proposal(
        &self,
        session: &Arc<SessionContext>,
        ProposalParams { id, .. }: ProposalParams,
    ) -> Result<ProposeResult, Failure> {
        let session_id = session.id;
        let event = |reply| Event::Find { session: session_id, id, purpose: FindFor::Looking, reply };
        let proposal = self.core.ask(event)??;
        self.shown(session, proposal).await
    }

    /// A proposal shows text of its files: who may not read them now is not shown it.
    async fn shown(
        &self,
        session: &Arc<SessionContext>,
        proposal: Proposal,
    ) -> Result<ProposeResult, Failure> {
        let (core, session) = (self.core.clone(), session.clone());
        let shown = move || {
            core.require_readable_files(&session, &proposal)?;
            Ok(answer::proposal(&proposal, session.encoding))
        };
        blocking(shown).await?
    }

    /// `editd/proposals`.
    pub async fn proposals(
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
        let (core, session) = (self.core.clone(), session.clone());
        let shown = move || {
            let is_shown = |proposal: &&Proposal| core.require_readable_files(&session, proposal).is_ok();
            list.iter().filter(is_shown).map(answer::summary).collect()
        };
        Ok(ProposalsResult { proposals: blocking(shown).await? })
    }
}

impl Core {
    fn require_readable_files(&self, session: &SessionContext, proposal: &Proposal) -> Result<(), Refusal> {
        let paths = |file: &PlannedFile| match &file.action {
            Action::Rename { to, .. } => vec![file.path.clone(), to.clone()],
            _ => vec![file.path.clone()],
        };
        proposal.files.iter().flat_map(paths).try_for_each(|path| self.require_readable(session, &path))
    }
}
