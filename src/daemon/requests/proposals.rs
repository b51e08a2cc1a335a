use std::sync::Arc;

use crate::protocol::{
    Invalid, ProposalParams, ProposalResult, ProposalsParams, ProposalsResult, ProposeResult,
};

use crate::workspace::{Proposal, Refusal, SessionId};

use crate::daemon::job::blocking;
use crate::daemon::review::{paths_of, stored_view};
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

const STATES: [&str; 9] =
    ["proposed", "pending", "applied", "partial", "rejected", "superseded", "discarded", "stale", "failed"];

impl Daemon {
    /// `editd/proposal`.
    pub async fn proposal(
        &self,
        session: &Arc<SessionContext>,
        ProposalParams { id, wait_ms }: ProposalParams,
    ) -> Result<ProposalResult, Failure> {
        let proposal = self.when_decided(session.id, &id, wait_ms).await?;
        self.record_bases(session, &proposal).await?;
        let (core, session) = (self.core.clone(), session.clone());
        let shown = move || {
            core.require_readable_files(&session, &proposal)?;
            if !proposal.state.is_pending() {
                return Ok(stored_view(&proposal, session.encoding));
            }
            let places = core.locate_review(proposal);
            let (proposal, _, files) = core.observe_review(places, core.deadline());
            Ok(core.rebased_view(&session, &proposal, files))
        };
        blocking(shown).await?
    }

    /// Returns a proposal. Refuses a session that may not read its files now, because a proposal shows their
    /// text.
    pub(super) async fn shown(
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
            let problem = format!("unknown state `{unknown}`, expected one of {}", STATES.join(", "));
            return Err(Invalid::new("state", problem).into());
        }
        let list: Vec<_> = self
            .core
            .workspace
            .update(|w| w.proposals(session.id, state.as_deref()).into_iter().cloned().collect());
        let (core, session) = (self.core.clone(), session.clone());
        let shown = move || {
            let is_shown = |proposal: &&Proposal| core.require_readable_files(&session, proposal).is_ok();
            list.iter().filter(is_shown).map(answer::summary).collect()
        };
        Ok(ProposalsResult { proposals: blocking(shown).await? })
    }
}

impl Core {
    /// Returns a proposal of the session's author, in any state.
    pub(crate) fn known_proposal(&self, session: SessionId, id: &str) -> Result<Proposal, Refusal> {
        self.workspace.update(|w| w.proposal(session, id).cloned())
    }

    fn require_readable_files(&self, session: &SessionContext, proposal: &Proposal) -> Result<(), Refusal> {
        proposal.files.iter().flat_map(paths_of).try_for_each(|path| self.require_readable(session, &path))
    }
}
