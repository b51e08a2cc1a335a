//! Methods that show, discard and reopen proposals.

use std::sync::Arc;

use crate::engine::jobs::blocking;
use crate::engine::{Failure, Result, SessionContext};
use crate::server::{Daemon, encode};
use editd_protocol::{
    ApplyResult, DiscardParams, Invalid, ProposalParams, ProposalResult, ProposalsParams, ProposalsResult,
    ProposeResult, ReopenParams,
};
use editd_workspace::{Proposal, ProposalState, Refusal, RefusalKind, ReviewRefusal};

impl Daemon {
    /// `editd/proposal`.
    pub async fn proposal(
        &self,
        session: &Arc<SessionContext>,
        ProposalParams { id, wait_ms }: ProposalParams,
    ) -> Result<ProposalResult> {
        let proposal = self.engine.when_decided(session.id, &id, wait_ms).await?;
        self.record_bases(session, &proposal).await?;
        let (engine, session) = (self.engine.clone(), session.clone());
        let shown = move || {
            engine.require_readable_files(&session, &proposal)?;
            let proposal = engine.with_past_diffs(&session, proposal);
            Ok(encode::proposal_view(&engine.view(&session, proposal), session.encoding))
        };
        blocking(shown).await?
    }

    /// `editd/discard`. Refuses to show the proposal to a session that may not read its files now.
    pub async fn discard(
        &self,
        session: &Arc<SessionContext>,
        DiscardParams { id, reason }: DiscardParams,
    ) -> Result<ProposeResult> {
        let proposal = self.engine.workspace.update(|w| w.discard(session.id, &id, reason))?;
        // The same change, sent again, is another proposal.
        self.engine.prepared.withdrawn(&id);
        let (engine, session) = (self.engine.clone(), session.clone());
        let shown = move || {
            engine.require_readable_files(&session, &proposal)?;
            Ok(encode::proposed(&proposal, session.encoding))
        };
        blocking(shown).await?
    }

    /// `editd/proposals`.
    pub async fn proposals(
        &self,
        session: &Arc<SessionContext>,
        ProposalsParams { state }: ProposalsParams,
    ) -> Result<ProposalsResult> {
        let unknown = |name: &String| {
            let known = ProposalState::REPORTED.map(|state| state.to_string()).join(", ");
            Invalid::new("state", format!("unknown state `{name}`, expected one of {known}"))
        };
        let read = |name: String| ProposalState::of_name(&name).ok_or_else(|| unknown(&name));
        let state = state.map(read).transpose()?;
        let workspace = &self.engine.workspace;
        let list: Vec<_> =
            workspace.update(|w| w.proposals(session.id, state).into_iter().cloned().collect());
        let (engine, session) = (self.engine.clone(), session.clone());
        let shown = move || {
            let is_shown = |proposal: &&Proposal| engine.require_readable_files(&session, proposal).is_ok();
            list.iter().filter(is_shown).map(encode::summary).collect()
        };
        Ok(ProposalsResult { proposals: blocking(shown).await? })
    }

    /// `editd/reopen`.
    pub async fn reopen(
        &self,
        session: &Arc<SessionContext>,
        ReopenParams { id }: ReopenParams,
    ) -> Result<ProposalResult> {
        if let Some(id) = id {
            return self.reopen_one(session, id).await;
        }
        let list = self.engine.workspace.update(|w| w.rejected_here(session.id));
        let none = ReviewRefusal::NothingRejected { id: None, waits: false };
        let mut refusal = Failure::from(Refusal::new(RefusalKind::Review(none)));
        // If a proposal cannot be reopened, the previously rejected one is tried.
        for (at, id) in list.iter().enumerate() {
            match self.reopen_one(session, id.to_string()).await {
                Err(failure @ Failure::Refused(_)) if at == 0 => refusal = failure,
                Err(Failure::Refused(_)) => {}
                result => return result,
            }
        }
        Err(refusal)
    }

    async fn reopen_one(&self, session: &Arc<SessionContext>, id: String) -> Result<ProposalResult> {
        let reopened = self.engine.on_files(
            session,
            move |engine, session| {
                let proposal = engine.workspace.update(|w| w.rejected(session.id, &id))?;
                Ok(engine.locate_review(proposal))
            },
            |engine, session, places, job| {
                let reopened = engine.reopen(session, places, job)?;
                Ok(encode::proposal_view(&reopened, session.encoding))
            },
        );
        reopened.await
    }

    /// Returns the outcome of a proposal under review once it is decided or the wait times out. Waits as a
    /// task, without holding a thread or a lock.
    pub(crate) async fn outcome(
        &self,
        session: &Arc<SessionContext>,
        id: &str,
        wait_ms: Option<u64>,
    ) -> Result<ApplyResult> {
        let proposal = self.engine.when_decided(session.id, id, wait_ms).await?;
        let Some(outcome) = encode::outcome_of(&proposal) else { return Ok(encode::undecided(&proposal)) };
        self.record_bases(session, &proposal).await?;
        Ok(outcome)
    }

    /// Records the files of the outcome as bases of the author, who is about to receive them.
    async fn record_bases(&self, session: &Arc<SessionContext>, proposal: &Proposal) -> Result<()> {
        let is_decided = proposal.review.as_ref().is_some_and(|review| review.outcome.is_some());
        if !is_decided || session.author != proposal.author || session.role != proposal.role {
            return Ok(());
        }
        let (engine, session, proposal) = (self.engine.clone(), session.clone(), proposal.clone());
        blocking(move || engine.record_delivered(&session, &proposal)).await
    }
}
