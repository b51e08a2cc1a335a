use std::sync::Arc;

use crate::protocol::{Entries, ListParams};
use crate::search::{Stop, Then};
use crate::workspace::limits::{ENTRIES_MOST, LIST_ENTRIES};

use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::find::{limit_of, path_of};

impl Daemon {
    /// `editd/list`.
    pub async fn list(&self, session: &Arc<SessionContext>, params: ListParams) -> Result<Entries, Failure> {
        let limit = limit_of(params.limit, LIST_ENTRIES, ENTRIES_MOST)?;
        let path = path_of(params.path, params.uri)?;
        let work = move |core: &Core, session: &SessionContext, stop: &Stop<'_>| {
            let places = core.places(session, path.as_ref())?;
            Ok(core.walked(session, &places, (stop, limit), |_| true, Then::Pass))
        };
        self.core.searching(session, work).await
    }
}
