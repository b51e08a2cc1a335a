use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio_util::sync::CancellationToken;

use crate::workspace::FileKey;

use super::event::{Event, Reply};
use super::lanes::Place;
use super::{Core, Failure, SessionContext};

/// A request's files, found but not yet looked at.
pub(crate) trait Located: Send + 'static {
    /// What to queue up for.
    fn keys(&self) -> Vec<FileKey>;
}

/// What a request carries along while it runs on a thread of its own.
pub(crate) struct Job {
    cancelled: CancellationToken,
    /// The request's place in the queues of its files, left when it is done.
    place: Place,
    _permit: OwnedSemaphorePermit,
}

impl Job {
    /// Fails if nobody waits for the answer any more. Checked before anything is changed.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.cancelled.is_cancelled() {
            return Err(Failure::Fault("The request was cancelled.".to_owned()));
        }
        Ok(())
    }
}

/// A request is done, or has to wait for its turn.
enum Step<T, F, W> {
    Done(Result<T, Failure>),
    Queued(F, Job, W),
}

impl Core {
    /// Sends an event that is answered, and gives the answer. Takes microseconds, so tasks may ask too.
    pub(crate) fn ask<T>(&self, event: impl FnOnce(Reply<T>) -> Event) -> Result<T, Failure> {
        let (reply, mut answer) = oneshot::channel();
        self.mailbox.send(event(reply));
        answer.try_recv().map_err(|_| Failure::unanswered())
    }

    /// Runs a request on its files: finds them, waits until it is first in all their queues, works.
    ///
    /// `locate` and `work` run on threads that may block. If nobody waits for the answer any more, a
    /// request that is still queued leaves, and one that works stops before it changes anything.
    pub(crate) async fn on_files<F, T, L, W>(
        &self,
        session: &Arc<SessionContext>,
        locate: L,
        work: W,
    ) -> Result<T, Failure>
    where
        F: Located,
        T: Send + 'static,
        L: FnOnce(&Self, &SessionContext) -> Result<F, Failure> + Send + 'static,
        W: FnOnce(&Self, &SessionContext, F, &Job) -> Result<T, Failure> + Send + 'static,
    {
        let turn = session.turn.clone().lock_owned().await;
        let permit = session.jobs.clone().acquire_owned().await.map_err(|_| Failure::ending())?;
        let cancelled = CancellationToken::new();
        let _cancel_when_dropped = cancelled.clone().drop_guard();
        let (core, of) = (self.clone(), session.clone());
        let step = blocking(move || {
            let files = match locate(&core, &of) {
                Ok(files) => files,
                Err(failure) => return Step::Done(Err(failure)),
            };
            let job = Job { cancelled, place: core.lanes.join(files.keys()), _permit: permit };
            drop(turn);
            if job.place.is_at_head() {
                Step::Done(work(&core, &of, files, &job))
            } else {
                Step::Queued(files, job, work)
            }
        })
        .await?;
        match step {
            Step::Done(result) => result,
            Step::Queued(files, job, work) => {
                job.place.at_head().await;
                let (core, of) = (self.clone(), session.clone());
                blocking(move || work(&core, &of, files, &job)).await?
            }
        }
    }
}

/// Runs work that may block. A panic in it is the answer to this request and to no other.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a request panicked");
        Failure::Fault("The request failed for a reason that is a bug of editd; the log has more.".to_owned())
    })
}
