//! Those who wait for a person.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::protocol::{AppliedFile, ApplyResult, RequestPath};
use crate::workspace::{Coverage, PlannedFile, Proposal, Refusal, SessionId};

use crate::daemon::event::{Event, FindFor};
use crate::daemon::job::blocking;
use crate::daemon::locate::Purpose;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::shown::{outcome_of, undecided};

impl Daemon {
    /// What became of a proposal under review, once it is decided or the time is over. Waits as a task, on no
    /// thread and in nobody's way.
    pub(crate) async fn outcome(
        &self,
        session: &Arc<SessionContext>,
        id: &str,
        wait_ms: Option<u64>,
    ) -> Result<ApplyResult, Failure> {
        let proposal = self.when_decided(session.id, id, wait_ms).await?;
        let Some(outcome) = outcome_of(&proposal) else { return Ok(undecided(&proposal)) };
        self.give(session, &proposal, &outcome).await?;
        Ok(outcome)
    }

    /// The proposal, as soon as it waits for nobody any more or the time is over.
    pub(crate) async fn when_decided(
        &self,
        session: SessionId,
        id: &str,
        wait_ms: Option<u64>,
    ) -> Result<Proposal, Failure> {
        let wait = Duration::from_millis(wait_ms.unwrap_or_default());
        // Too long a time to be told is no end at all.
        let deadline = Instant::now().checked_add(wait);
        let stopped = self.stopped();
        loop {
            let mut changed = std::pin::pin!(self.core.books.decided().notified());
            // From here on no change is missed.
            changed.as_mut().enable();
            let (id, purpose) = (id.to_owned(), FindFor::Looking);
            let proposal = self.core.ask(|reply| Event::Find { session, id, purpose, reply })??;
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

    /// The author is told what its files are now: from then on these are its bases.
    pub(crate) async fn give(
        &self,
        session: &Arc<SessionContext>,
        proposal: &Proposal,
        outcome: &ApplyResult,
    ) -> Result<(), Failure> {
        if session.author != proposal.author || session.role != proposal.role {
            return Ok(());
        }
        let (core, of, files) = (self.core.clone(), session.clone(), proposal.files.clone());
        let landed = outcome.files.clone();
        let is_own = session.id == proposal.session;
        blocking(move || {
            for (file, landed) in files.iter().zip(&landed) {
                if let Err(refusal) = core.give_file(&of, (file, is_own), landed) {
                    tracing::debug!(?refusal, "what a person decided cannot be given as a base");
                }
            }
        })
        .await
    }
}

impl Core {
    fn give_file(
        &self,
        session: &SessionContext,
        (file, is_own): (&PlannedFile, bool),
        told: &AppliedFile,
    ) -> Result<(), Refusal> {
        let Some(landed) = &told.landed else { return Ok(()) };
        let path = told.entry.new_path.as_deref().unwrap_or(&told.entry.path);
        let target = self.locate(session, &RequestPath::of(Path::new(path)), Purpose::Read)?;
        let observed = self.observe(target)?;
        // What has changed again since, it was not told of.
        if observed.truth.hash().map(|hash| hash.to_string()) == landed.hash {
            // Another session of the same author is shown what was changed, and may never have seen the rest.
            let coverage = if landed.rebased || !is_own { Coverage::Part } else { file.coverage };
            let (session, sighting) = (session.id, observed.sighting());
            // The books answer at once.
            let _ = self.ask(|reply| Event::Read { session, sighting, coverage, reply });
        }
        Ok(())
    }
}
