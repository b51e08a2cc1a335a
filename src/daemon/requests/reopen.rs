use std::sync::Arc;
use std::time::SystemTime;

use crate::daemon::event::ReviewEvent;
use crate::daemon::job::Job;
use crate::daemon::review::ReviewPlaces;
use crate::daemon::{Core, Daemon, Failure, SessionContext};
use crate::protocol::{ProposalResult, ReopenParams};

impl Daemon {
    /// `editd/reopen`.
    pub async fn reopen(
        &self,
        session: &Arc<SessionContext>,
        ReopenParams { id }: ReopenParams,
    ) -> Result<ProposalResult, Failure> {
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
        let files = self.work_rejected(&old, files)?;
        job.check()?;
        let at = SystemTime::now();
        let reopen = |reply| ReviewEvent::Reopen { session: session.id, id, files, at, reply };
        let places = self.places_to_review(self.ask(reopen)??);
        let (proposal, _, files) = self.look_at_places(places, self.deadline());
        Ok(self.as_it_lies(session, &proposal, files))
    }
}
