//! Waiting for the decision of a reviewer.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::protocol::{ApplyResult, RequestPath};
use crate::workspace::review::DecidedFile;
use crate::workspace::{Action, Coverage, PlannedFile, Proposal, Refusal, SessionId};

use crate::daemon::files::resolve::Purpose;
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::shown::{outcome_of, undecided};

impl Daemon {
    /// Returns the outcome of a proposal under review once it is decided or the wait times out. Waits as a
    /// task, without holding a thread or a lock.
    pub(crate) async fn outcome(
        &self,
        session: &Arc<SessionContext>,
        id: &str,
        wait_ms: Option<u64>,
    ) -> Result<ApplyResult, Failure> {
        let proposal = self.when_decided(session.id, id, wait_ms).await?;
        let Some(outcome) = outcome_of(&proposal) else { return Ok(undecided(&proposal)) };
        self.record_bases(session, &proposal).await?;
        Ok(outcome)
    }

    /// Returns the proposal once it is no longer pending or the wait times out.
    pub(crate) async fn when_decided(
        &self,
        session: SessionId,
        id: &str,
        wait_ms: Option<u64>,
    ) -> Result<Proposal, Failure> {
        let wait = Duration::from_millis(wait_ms.unwrap_or_default());
        // A wait too long to be represented has no deadline.
        let deadline = Instant::now().checked_add(wait);
        let stopped = self.stopped();
        loop {
            let mut changed = std::pin::pin!(self.core.workspace.decided().notified());
            // Enabled before the check below, so that no change is missed.
            changed.as_mut().enable();
            let proposal = self.core.known_proposal(session, id)?;
            if !proposal.state.is_pending() {
                return Ok(proposal);
            }
            let over = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = changed => {}
                () = over => return Ok(proposal),
                () = stopped.cancelled() => return Ok(proposal),
            }
        }
    }

    /// Records the files of the outcome as bases of the author, who is about to receive them.
    pub(crate) async fn record_bases(
        &self,
        session: &Arc<SessionContext>,
        proposal: &Proposal,
    ) -> Result<(), Failure> {
        let Some(outcome) = proposal.review.as_ref().and_then(|review| review.outcome.clone()) else {
            return Ok(());
        };
        if session.author != proposal.author || session.role != proposal.role {
            return Ok(());
        }
        let (core, session, files) = (self.core.clone(), session.clone(), proposal.files.clone());
        let is_own = session.id == proposal.session;
        blocking(move || {
            for (file, decided) in files.iter().zip(&outcome.files) {
                if let Err(refusal) = core.record_base(&session, (file, is_own), decided) {
                    tracing::debug!(?refusal, "the outcome of a review cannot be recorded as a base");
                }
            }
        })
        .await
    }
}

impl Core {
    fn record_base(
        &self,
        session: &SessionContext,
        (file, is_own): (&PlannedFile, bool),
        decided: &DecidedFile,
    ) -> Result<(), Refusal> {
        let Some(written) = &decided.written else { return Ok(()) };
        let path = match &decided.file.action {
            Action::Rename { to, .. } => to,
            _ => &decided.file.path,
        };
        let target = self.locate(session, &RequestPath::of(path), Purpose::Read)?;
        let observed = self.observe(target)?;
        // A file that has changed again is not what the author receives.
        if observed.content.hash() == written.hash {
            // Another session of the same author receives the changed lines, but may not have read the rest.
            let coverage = if written.rebased || !is_own { Coverage::Part } else { file.coverage };
            self.record_read(session, observed.observation(), coverage);
        }
        Ok(())
    }
}
