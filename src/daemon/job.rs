use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio_util::sync::CancellationToken;

use crate::disk::Target;
use crate::workspace::{FileKey, Refusal, RefusalKind, Role};

use super::content::LARGE;
use super::event::{Event, Reply};
use super::lanes::Place;
use super::{Core, Failure, SessionContext};

/// What the room for work is counted in, in bytes.
pub(super) const WORK_UNIT: u64 = 1 << 10;

/// A request's files, found but not yet looked at.
pub(crate) trait Located: Send + 'static {
    /// The files.
    fn targets(&self) -> Vec<&Target>;

    /// What to queue up for.
    fn keys(&self) -> Vec<FileKey> {
        self.targets().into_iter().map(|target| target.key.clone()).collect()
    }
}

/// What a request carries along while it runs on a thread of its own.
pub(crate) struct Job {
    cancelled: CancellationToken,
    /// The request's place in the queues of its files, left when it is done.
    place: Place,
    _permit: OwnedSemaphorePermit,
    spent: RefCell<Vec<Spent>>,
}

/// Something that is only kept to be let go of.
type Spent = Box<dyn Send>;

impl Job {
    /// Fails if nobody waits for the answer any more. Checked before anything is changed.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.cancelled.is_cancelled() {
            return Err(Failure::Fault("The request was cancelled.".to_owned()));
        }
        Ok(())
    }

    /// Keeps something until the work is done, and of large files until the answer is on its way. To free a file
    /// that was replaced takes the system as long as to write one, and the answer need not wait for that.
    pub(crate) fn let_go_later(&self, spent: impl Send + 'static) {
        self.spent.borrow_mut().push(Box::new(spent));
    }

    /// Makes room for the next request on the files; gives what is left to let go of.
    fn end(self) -> Vec<Spent> {
        self.spent.into_inner()
    }
}

/// A request is done, or has to wait for its turn.
enum Step<T, F, W> {
    Done(Result<T, Failure>),
    /// With what the files count for, where that is known.
    Queued(F, Job, W, Option<u32>),
}

impl Core {
    /// Sends an event that is answered, and gives the answer. Takes microseconds, so tasks may ask too.
    pub(crate) fn ask<T, E: Into<Event>>(&self, event: impl FnOnce(Reply<T>) -> E) -> Result<T, Failure> {
        let (reply, mut answer) = oneshot::channel();
        self.books.send(event(reply).into());
        answer.try_recv().map_err(|_| Failure::unanswered())
    }

    /// Runs a request on its files: finds them, waits until it is first in all their queues, works.
    ///
    /// `locate` and `work` run on threads that may block. If nobody waits for the answer any more, a
    /// request that is still queued leaves, and one that works stops before it changes anything; but for work
    /// that is as good as done.
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
        // A connection begins its requests in its own task. It has to read on where its client has sent more, and that
        // of an editor always: it may be asked for something before the answer.
        let reads_on = session.role == Role::Editor || !session.alone.load(Ordering::Relaxed);
        if reads_on {
            tokio::task::yield_now().await;
        }
        let step = in_place(move || {
            let files = match locate(&core, &of) {
                Ok(files) => files,
                Err(failure) => return (Step::Done(Err(failure)), Vec::new()),
            };
            let (place, spent) = (core.lanes.join(files.keys()), RefCell::default());
            let job = Job { cancelled, place, _permit: permit, spent };
            drop(turn);
            let found = || core.weight(files.targets().into_iter().map(|target| target.size));
            let weight = job.place.is_at_head().then(found);
            // What takes its time, or has to wait for somebody, does so on a thread of its own.
            if weight == Some(0) && !core.is_in_editors(&files) {
                let result = work(&core, &of, files, &job);
                (Step::Done(result), job.end())
            } else {
                (Step::Queued(files, job, work, weight), Vec::new())
            }
        })
        .await?;
        match step {
            Step::Done(result) => result,
            Step::Queued(files, job, work, weight) => {
                job.place.at_head().await;
                let (weight, files) = if let Some(weight) = weight {
                    (weight, files)
                } else {
                    let core = self.clone();
                    blocking(move || (core.weight(core.sizes(&files)), files)).await?
                };
                let room = self.room_for(weight).await?;
                let (core, of) = (self.clone(), session.clone());
                answering(move || {
                    // The room is taken until the work is done, also where nobody waits for it any more.
                    let result = (work(&core, &of, files, &job), job.end());
                    drop(room);
                    result
                })
                .await?
            }
        }
    }

    /// Whether any of the files is open in an editor, which then has to be asked.
    fn is_in_editors(&self, files: &impl Located) -> bool {
        files.targets().into_iter().any(|target| self.is_open(target))
    }

    /// How large these files are now, in bytes.
    fn sizes(&self, files: &impl Located) -> impl Iterator<Item = u64> {
        let size = |target| self.disk.stat(target).ok().flatten().map_or(0, |stat| stat.size);
        files.targets().into_iter().map(size)
    }

    /// What files of these sizes count for in the room for work; nothing, where they are small, or too large to be
    /// held at all.
    fn weight(&self, sizes: impl Iterator<Item = u64>) -> u32 {
        let most = self.config.limits.file_size;
        let bytes: u64 = sizes.filter(|size| *size <= most).sum();
        if bytes <= LARGE as u64 {
            return 0;
        }
        // One request may always be worked on, however large.
        let all = self.config.limits.work_memory / WORK_UNIT;
        (bytes / WORK_UNIT).min(all).try_into().unwrap_or(u32::MAX)
    }

    async fn room_for(&self, weight: u32) -> Result<OwnedSemaphorePermit, Failure> {
        let patience = Duration::from_millis(self.config.limits.deadline_ms);
        let room = self.work_room.clone().acquire_many_owned(weight);
        let room = tokio::time::timeout(patience, room).await.map_err(|_| {
            let what = "requests on other large files are being worked on".to_owned();
            Refusal::new(RefusalKind::Busy { what })
        })?;
        room.map_err(|_| Failure::ending())
    }
}

/// Runs work that may block. A panic in it is the answer to this request and to no other.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    answering(move || (work(), Vec::new())).await
}

/// The same for work that leaves something: that is let go of when the result is on its way.
async fn answering<T: Send + 'static>(
    work: impl FnOnce() -> (T, Vec<Spent>) + Send + 'static,
) -> Result<T, Failure> {
    let (reply, result) = oneshot::channel();
    let busy = Busy::one_more();
    let thread = tokio::task::spawn_blocking(move || {
        let (result, spent) = work();
        // Nobody may be waiting any more.
        let _ = reply.send(result);
        drop(spent);
        drop(busy);
    });
    let Ok(result) = result.await else {
        let error = thread.await.err();
        tracing::error!(?error, "a request panicked");
        return Err(Failure::unanswered());
    };
    Ok(result)
}

/// The same for work that is short, on the thread on which its task is: that thread lets another have the other
/// tasks meanwhile. To have another thread do the work, and be woken by it, takes longer than a small edit.
async fn in_place<T: Send + 'static>(
    work: impl FnOnce() -> (T, Vec<Spent>) + Send + 'static,
) -> Result<T, Failure> {
    let busy = Busy::one_more();
    // A runtime of one thread has no other to have the rest.
    let has_others = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    if busy.is_crowded() || !has_others {
        return answering(work).await;
    }
    // What it leaves is let go of right here: of small files that takes less than to have it done elsewhere.
    let done = tokio::task::block_in_place(|| catch_unwind(AssertUnwindSafe(work)));
    let Ok((result, _spent)) = done else {
        tracing::error!("a request panicked");
        return Err(Failure::unanswered());
    };
    Ok(result)
}

/// Threads that work for requests.
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// As many may work before a task does not give its thread away any more: where all threads are taken, there
/// would be none to have the other tasks, and those that work may wait for just these.
const CROWDED: usize = 128;

/// One of the threads that work, for as long as this lives.
struct Busy(usize);

impl Busy {
    fn one_more() -> Self {
        Self(BUSY.fetch_add(1, Ordering::Relaxed))
    }

    fn is_crowded(&self) -> bool {
        self.0 >= CROWDED
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Ordering::Relaxed);
    }
}
