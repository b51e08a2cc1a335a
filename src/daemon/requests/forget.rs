use std::sync::Arc;

use crate::disk::Target;
use crate::protocol::{ForgetParams, ForgetResult, RequestPath};

use crate::daemon::event::Event;
use crate::daemon::job::Job;
use crate::daemon::locate::Purpose;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

impl Daemon {
    /// `editd/forget`. It stands in the queue of its file, so it is about what was given before and nothing else.
    pub async fn forget(
        &self,
        session: &Arc<SessionContext>,
        params: ForgetParams,
    ) -> Result<ForgetResult, Failure> {
        let path = RequestPath::from_fields(params.path, params.uri, ("path", "uri"))?;
        let locate =
            move |core: &Core, session: &SessionContext| Ok(core.locate(session, &path, Purpose::Read)?);
        let work = |core: &Core, session: &SessionContext, target: Target, _: &Job| {
            core.ask(|reply| Event::Forget { session: session.id, key: target.key, reply })?;
            Ok(ForgetResult {})
        };
        self.core.on_files(session, locate, work).await
    }
}
