use std::sync::Arc;

use crate::disk::Target;
use crate::protocol::{FileParams, ForgetResult, RequestPath};

use crate::daemon::files::resolve::Purpose;
use crate::daemon::job::Job;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

impl Daemon {
    /// `editd/forget`. Waits for the file lock, so that it forgets exactly the content that was read before
    /// it.
    pub async fn forget(
        &self,
        session: &Arc<SessionContext>,
        params: FileParams,
    ) -> Result<ForgetResult, Failure> {
        let path = RequestPath::from_fields(params.path, params.uri, ("path", "uri"))?;
        let locate =
            move |core: &Core, session: &SessionContext| Ok(core.locate(session, &path, Purpose::Read)?);
        let work = |core: &Core, session: &SessionContext, target: Target, _: &Job| {
            core.workspace.update(|w| w.forget(session.id, &target.key));
            Ok(ForgetResult {})
        };
        self.core.on_files(session, locate, work).await
    }
}
