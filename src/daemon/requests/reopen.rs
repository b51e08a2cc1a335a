use std::sync::Arc;
use std::time::SystemTime;

use crate::daemon::job::Job;
use crate::daemon::review::LocatedReview;
use crate::daemon::{Core, Daemon, Failure, SessionContext};
use crate::protocol::{ProposalResult, ReopenParams};
use crate::workspace::{ProposalState, Refusal, RefusalKind, ReviewRefusal};

impl Daemon {
    /// `editd/reopen`.
    pub async fn reopen(
        &self,
        session: &Arc<SessionContext>,
        ReopenParams { id }: ReopenParams,
    ) -> Result<ProposalResult, Failure> {
        if let Some(id) = id {
            return self.reopen_one(session, id).await;
        }
        let list = self.core.workspace.update(|w| w.rejected_here(session.id));
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

    async fn reopen_one(&self, session: &Arc<SessionContext>, id: String) -> Result<ProposalResult, Failure> {
        let locate = move |core: &Core, session: &SessionContext| {
            let proposal = core.workspace.update(|w| w.rejected(session.id, &id))?;
            Ok(core.locate_review(proposal))
        };
        let work = move |core: &Core, session: &SessionContext, places: LocatedReview, job: &Job| {
            core.reopen(session, places, job)
        };
        self.core.on_files(session, locate, work).await
    }
}

impl Core {
    fn reopen(
        &self,
        session: &SessionContext,
        places: LocatedReview,
        job: &Job,
    ) -> Result<ProposalResult, Failure> {
        let (old, _, files) = self.observe_review(places, self.deadline());
        let id = old.id.to_string();
        let files = match old.state {
            ProposalState::Rejected => old.files.to_vec(),
            _ => self.compute_rejected(&old, files)?,
        };
        job.check()?;
        let at = SystemTime::now();
        let reopened = self.workspace.update(|w| w.reopen(session.id, &id, files, at))?;
        let places = self.locate_review(reopened);
        let (proposal, _, files) = self.observe_review(places, self.deadline());
        Ok(self.rebased_view(session, &proposal, files))
    }
}
