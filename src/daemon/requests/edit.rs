use std::sync::Arc;

use crate::disk::Target;
use crate::protocol::{ApplyParams, ApplyResult, EditParams};

use crate::daemon::diagnoses::Watch;
use crate::daemon::job::{Job, Located};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::call::Call;
use super::once::Kind;
use super::perform::ChangeOptions;

impl Daemon {
    /// `editd/edit`.
    pub async fn edit(
        &self,
        session: &Arc<SessionContext>,
        params: EditParams,
    ) -> Result<ApplyResult, Failure> {
        let ApplyParams { review, wait_ms, .. } = params.apply;
        let call = Call::read(params.propose, Kind::Edit { review }, session, &self.core.config.limits)?;
        let watch = Watch::of(params.apply.diagnostics_wait_ms);
        let begin = watch.clone();
        let work = move |core: &Core, session: &SessionContext, call: Call<Target>, job: &Job| {
            begin.begin(core, call.targets());
            let (author, request) = (call.header.author.clone(), call.request.clone());
            core.answer_once(&author, request, || core.edit(session, call, review, job))
        };
        let done = self.core.on_files(session, |core, session| call.locate(core, session), work).await?;
        let mut result = self.when_settled(session, done, wait_ms).await?;
        watch.end(&self.core, session, &mut result).await;
        Ok(result)
    }
}

impl Core {
    fn edit(
        &self,
        session: &SessionContext,
        call: Call<Target>,
        review: Option<bool>,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let review = self.review_for_call(&call, review)?;
        let request = call.request.clone();
        let (header, writes) = self.compute(session, call)?;
        job.check()?;
        let options = ChangeOptions { request, undoes: None, review };
        self.perform(session, &header, writes, options, job)
    }
}
