//! Searches: the files that a session may search, and limits for their number.

mod access;
mod locations;

pub(crate) use access::SessionAccess;
pub(crate) use locations::Locations;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::Uri;
use tokio_util::sync::CancellationToken;

use crate::protocol::uri_of;
use crate::search::{Passed, StopCondition};
use crate::workspace::{Audience, Refusal, RefusalKind};

use super::job::blocking;
use super::{Core, Failure, SessionContext};

impl Core {
    /// Runs a search, or another request that may read many or large files, when a search slot is free. It
    /// ends early if no client waits for it anymore, if the daemon stops, and at the deadline of a request.
    pub(crate) async fn searching<T, W>(&self, session: &Arc<SessionContext>, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce(&Self, &SessionContext, &StopCondition<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let own = session.searching.clone().lock_owned().await;
        let timeout = Duration::from_millis(self.config.limits.deadline_ms);
        let slot = tokio::time::timeout(timeout, self.searches.clone().acquire_owned()).await;
        let busy = |_| {
            Refusal::new(RefusalKind::Busy {
                what: "other searches or reads of very large files are in progress".to_owned(),
            })
        };
        let slot = slot.map_err(busy)?.map_err(|_| Failure::stopping())?;
        let cancelled = CancellationToken::new();
        let _cancel_when_dropped = cancelled.clone().drop_guard();
        let (core, of) = (self.clone(), session.clone());
        blocking(move || {
            let _held = (own, slot);
            let is_cancelled = || cancelled.is_cancelled() || core.searches.is_closed();
            let result = work(&core, &of, &StopCondition::new(&is_cancelled, core.deadline()));
            if core.searches.is_closed() { Err(Failure::stopping()) } else { result }
        })
        .await?
    }

    /// Returns notices about a timeout and about unreadable files. If the answer was full, unreadable files
    /// are not counted, because the progress of the search at that moment is random.
    pub(crate) fn incomplete_notices(
        &self,
        stop: &StopCondition<'_>,
        passed: &Passed,
        is_full: bool,
        audience: Audience,
    ) -> Vec<String> {
        let mut notices = Vec::new();
        if stop.has_happened() {
            let seconds = self.config.limits.deadline_ms.div_ceil(1000);
            notices.push(format!(
                "The result is incomplete: the request was stopped after {seconds} s. Use a narrower {}.",
                audience.parameters_or("`path`", "path")
            ));
        }
        if passed.unreadable() > 0 && !is_full {
            notices.push(format!(
                "{} could not be read.",
                counted(passed.unreadable(), "file or folder", "files or folders")
            ));
        }
        notices
    }
}

/// Returns a path for display and, if it is not UTF-8, its URI. Such a path is displayed with replacement
/// characters and does not identify the file.
pub(crate) fn path_and_uri(path: &Path) -> (String, Option<Uri>) {
    (path.display().to_string(), path.to_str().is_none().then(|| uri_of(path)))
}

/// Formats a count with its noun.
pub(crate) fn counted(count: u64, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}
