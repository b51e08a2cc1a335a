//! Where a session may search, and what it may be told of what is there.

mod places;
mod sight;

pub(crate) use places::Places;
pub(crate) use sight::Sight;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::Uri;
use tokio_util::sync::CancellationToken;

use crate::protocol::uri_of;
use crate::search::{Passed, Stop};
use crate::workspace::{Refusal, RefusalKind};

use super::job::blocking;
use super::{Core, Failure, SessionContext};

impl Core {
    /// Runs a search, or what else passes over any amount of files, when there is room for one. It ends early when
    /// nobody waits for it any more, when the daemon is to end, and at the deadline for work on a request.
    pub(crate) async fn searching<T, W>(&self, session: &Arc<SessionContext>, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce(&Self, &SessionContext, &Stop<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let own = session.searching.clone().lock_owned().await;
        let patience = Duration::from_millis(self.config.limits.deadline_ms);
        let room = tokio::time::timeout(patience, self.searches.clone().acquire_owned()).await;
        let busy = |_| {
            Refusal::new(RefusalKind::Busy {
                what: "other searches, or reads of very large files, are under way".to_owned(),
            })
        };
        let room = room.map_err(busy)?.map_err(|_| Failure::ending())?;
        let cancelled = CancellationToken::new();
        let _cancel_when_dropped = cancelled.clone().drop_guard();
        let (core, of) = (self.clone(), session.clone());
        blocking(move || {
            let _places = (own, room);
            let is_cancelled = || cancelled.is_cancelled() || core.searches.is_closed();
            let result = work(&core, &of, &Stop::new(&is_cancelled, core.deadline()));
            if core.searches.is_closed() { Err(Failure::ending()) } else { result }
        })
        .await?
    }

    /// What is to be said of what was left out, whatever was asked for. Nothing is counted where the answer was
    /// full: how far it had got by then is chance.
    pub(crate) fn left_out(&self, stop: &Stop<'_>, passed: &Passed, is_full: bool) -> Vec<String> {
        let mut said = Vec::new();
        if stop.has_happened() {
            let seconds = self.config.limits.deadline_ms.div_ceil(1000);
            said.push(format!(
                "This is not all: it took longer than {seconds} s and was stopped. Name a smaller `path`."
            ));
        }
        if passed.unreadable() > 0 && !is_full {
            said.push(format!(
                "{} could not be read.",
                counted(passed.unreadable(), "file or folder", "files or folders")
            ));
        }
        said
    }
}

/// A path as it is told, and the URI of one that is not UTF-8: that is told with replacements, and names nothing.
pub(crate) fn named(path: &Path) -> (String, Option<Uri>) {
    (path.display().to_string(), path.to_str().is_none().then(|| uri_of(path)))
}

/// A number of things.
pub(crate) fn counted(count: u64, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}
