use std::sync::Arc;
use std::time::SystemTime;

use crate::daemon::event::ReviewEvent;
use crate::daemon::job::Job;
use crate::daemon::review::ReviewPlaces;
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
        let session_id = session.id;
        let list = self.core.ask(|reply| ReviewEvent::ListRejected { session: session_id, reply })?;
        let nothing = ReviewRefusal::NothingRejected { id: None, waits: false };
        let mut why_not = Failure::from(Refusal::new(RefusalKind::Review(nothing)));
        // What cannot be brought back any more is in the way of nothing that was rejected before it.
        for (at, id) in list.iter().enumerate() {
            match self.reopen_one(session, id.to_string()).await {
                Err(failure @ Failure::Refused(_)) if at == 0 => why_not = failure,
                Err(Failure::Refused(_)) => {}
                result => return result,
            }
        }
        Err(why_not)
    }

    async fn reopen_one(&self, session: &Arc<SessionContext>, id: String) -> Result<ProposalResult, Failure> {
        let locate = move |core: &Core, session: &SessionContext| {
            let find = |reply| ReviewEvent::FindRejected { session: session.id, id, reply };
            Ok(core.places_to_review(core.ask(find)??))
        };
        let work = move |core: &Core, session: &SessionContext, places: ReviewPlaces, job: &Job| {
            core.reopen(session, places, job)
        };
        self.core.on_files(session, locate, work).await
    }
}

impl Core {
    fn reopen(
        &self,
        session: &SessionContext,
        places: ReviewPlaces,
        job: &Job,
    ) -> Result<ProposalResult, Failure> {
        let (old, _, files) = self.look_at_places(places, self.deadline());
        let id = old.id.to_string();
        let files = match old.state {
            ProposalState::Rejected => old.files.to_vec(),
            _ => self.work_rejected(&old, files)?,
        };
        job.check()?;
        let at = SystemTime::now();
        let reopen = |reply| ReviewEvent::Reopen { session: session.id, id, files, at, reply };
        let places = self.places_to_review(self.ask(reopen)??);
        let (proposal, _, files) = self.look_at_places(places, self.deadline());
        Ok(self.as_it_lies(session, &proposal, files))
    }
}
