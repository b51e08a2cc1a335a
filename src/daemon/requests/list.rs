use std::sync::Arc;

use crate::disk::DiskErrorKind;
use crate::protocol::{Entries, ListParams};
use crate::search::{Start, StopCondition, Then};
use crate::workspace::Refusal;
use crate::workspace::limits::{ENTRIES_MOST, LIST_ENTRIES};

use crate::daemon::failure::refusal_of;
use crate::daemon::searching::Locations;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::find::{limit_of, path_of};

impl Core {
    /// Refuses a requested directory that cannot be listed, so that it does not look empty.
    fn require_listable(&self, locations: &Locations) -> Result<(), Refusal> {
        for scope in &locations.scopes {
            let Start::Folder(folder) = &scope.start else { continue };
            match self.disk.list(&scope.root, folder) {
                Err(error) if error.kind != DiskErrorKind::NotFound => {
                    let path = scope.root.path().join(folder);
                    return Err(Refusal::at(path, refusal_of(&error)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Daemon {
    /// `editd/list`.
    pub async fn list(&self, session: &Arc<SessionContext>, params: ListParams) -> Result<Entries, Failure> {
        let limit = limit_of(params.limit, LIST_ENTRIES, ENTRIES_MOST)?;
        let path = path_of(params.path, params.uri)?;
        let work = move |core: &Core, session: &SessionContext, stop: &StopCondition<'_>| {
            let locations = core.locations(session, path.as_ref())?;
            if path.is_some() {
                core.require_listable(&locations)?;
            }
            Ok(core.list_entries(session, &locations, (stop, limit), |_| true, Then::Pass))
        };
        self.core.searching(session, work).await
    }
}
