use std::sync::Arc;

use crate::protocol::{
    Invalid, ProposalParams, ProposalResult, ProposalsParams, ProposalsResult, ProposeResult,
};

use crate::workspace::{Proposal, Refusal};

use crate::daemon::event::Event;
use crate::daemon::job::blocking;
use crate::daemon::review::{as_kept, outcome_of, paths_of};
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
        if let Some(outcome) = outcome_of(&proposal) {
            self.give(session, &proposal, &outcome).await?;
        }
        let (core, session) = (self.core.clone(), session.clone());
        let shown = move || {
            core.require_readable_files(&session, &proposal)?;
            if !proposal.state.is_pending() {
                return Ok(as_kept(&proposal, session.encoding));
            }
            let places = core.places_to_review(proposal);
            let (proposal, _, files) = core.look_at_places(places, core.deadline());
            Ok(core.as_it_lies(&session, &proposal, files))
        };
        blocking(shown).await?
    }

    /// A proposal shows text of its files: who may not read them now is not shown it.
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
        proposal.files.iter().flat_map(paths_of).try_for_each(|path| self.require_readable(session, &path))
    }
}
