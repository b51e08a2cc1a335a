//! Requests on files: they wait for their locks, and run on threads that may block.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use crate::engine::change::content::LARGE;
use crate::engine::files::locks::LockGuard;
use crate::engine::files::resolve::Purpose;
use crate::engine::shares::{Shares, Used};
use crate::engine::{Engine, Failure, Result, SessionContext};
use editd_disk::Target;
use editd_workspace::{FileKey, Refusal, RefusalKind, RequestedPath, Role};

/// Unit in which memory for large files is reserved, in bytes.
pub(crate) const WORK_UNIT: u64 = 1 << 10;

/// Memory for the large files that requests process at a time, in units of [`WORK_UNIT`].
pub(crate) struct WorkMemory {
    all: Arc<Semaphore>,
    /// The part of it that each client may use.
    shares: Shares,
}

impl WorkMemory {
    /// Creates a memory of this size, in bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let units = bytes / WORK_UNIT;
        let all = usize::try_from(units).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        // A quarter remains for others.
        let share = u32::try_from(units - units / 4).unwrap_or(u32::MAX);
        Self { all: Arc::new(Semaphore::new(all)), shares: Shares::new(share) }
    }
}

/// The files of a request, resolved but not yet read.
pub(crate) trait Located: Send + 'static {
    /// The files.
    fn targets(&self) -> Vec<&Target>;

    /// Keys of the file locks that the request needs.
    fn keys(&self) -> Vec<FileKey> {
        self.targets().into_iter().map(|target| target.key.clone()).collect()
    }
}

/// The context of a request that runs on a thread.
pub(crate) struct Job {
    cancelled: CancellationToken,
    /// The locks on the files of the request, released when it is done.
    lock: LockGuard,
    _permit: OwnedSemaphorePermit,
    spent: RefCell<Vec<Spent>>,
}

/// A value that only remains to be dropped.
type Spent = Box<dyn Send>;

impl Job {
    /// Fails if no client waits for the answer anymore. Called before anything is changed.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancelled.is_cancelled() {
            return Err(Failure::Fault("The request was cancelled.".to_owned()));
        }
        Ok(())
    }

    /// Defers dropping a value until the work is done, and for large files until the answer is sent. Freeing
    /// a replaced file takes the system as long as writing one, and the answer need not wait for that.
    pub(crate) fn drop_later(&self, spent: impl Send + 'static) {
        self.spent.borrow_mut().push(Box::new(spent));
    }
}

/// The state of a request after its first step.
enum Step<T, F, W> {
    Done(Result<T>),
    /// The request must wait for its locks, or needs its own thread. The last field is the weight of its
    /// files, if known.
    Queued(F, Job, W, Option<u32>),
}

impl Engine {
    /// Runs a request on its files: resolves them, waits until it holds the locks on all of them, and works.
    ///
    /// `locate` and `work` run on threads that may block. If the client no longer waits for the answer, a
    /// queued request leaves its queues, and a running one stops before it changes anything. Short work
    /// always runs to the end.
    pub(crate) async fn on_files<F, T, L, W>(
        &self,
        session: &Arc<SessionContext>,
        locate: L,
        work: W,
    ) -> Result<T>
    where
        F: Located,
        T: Send + 'static,
        L: FnOnce(&Self, &SessionContext) -> Result<F> + Send + 'static,
        W: FnOnce(&Self, &SessionContext, F, &Job) -> Result<T> + Send + 'static,
    {
        let turn = session.turn.clone().lock_owned().await;
        let permit = session.jobs.clone().acquire_owned().await.map_err(|_| Failure::stopping())?;
        let cancelled = CancellationToken::new();
        let _cancel_when_dropped = cancelled.clone().drop_guard();
        let (engine, of) = (self.clone(), session.clone());
        // A connection starts its requests in its own task. That task must go on reading if the client has
        // sent more, and always for an editor, because the editor may have to answer a request before this
        // one ends.
        let reads_on = session.role == Role::Editor || !session.has_no_followers.load(Ordering::Relaxed);
        if reads_on {
            tokio::task::yield_now().await;
        }
        let step = in_place(move || {
            let files = match locate(&engine, &of) {
                Ok(files) => files,
                Err(failure) => return (Step::Done(Err(failure)), Vec::new()),
            };
            let (lock, spent) = (engine.locks.join(of.client(), files.keys()), RefCell::default());
            let job = Job { cancelled, lock, _permit: permit, spent };
            drop(turn);
            let found_weight = || engine.weight(files.targets().into_iter().map(|target| target.size));
            let weight = job.lock.is_at_head().then(found_weight);
            // Long work, and work that waits for an editor, runs on its own thread.
            if weight == Some(0) && !files.targets().into_iter().any(|target| engine.is_open(target)) {
                let result = work(&engine, &of, files, &job);
                (Step::Done(result), job.spent.into_inner())
            } else {
                (Step::Queued(files, job, work, weight), Vec::new())
            }
        })
        .await?;
        match step {
            Step::Done(result) => result,
            Step::Queued(files, job, work, weight) => {
                self.run_queued(session, (files, weight), job, work).await
            }
        }
    }

    /// Runs a request that reads one file, as [`on_files`](Self::on_files) does.
    pub(crate) async fn on_file<T, W>(
        &self,
        session: &Arc<SessionContext>,
        path: RequestedPath,
        work: W,
    ) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Self, &SessionContext, Target, &Job) -> Result<T> + Send + 'static,
    {
        let locate = move |engine: &Self, session: &SessionContext| {
            Ok(engine.locate(session, &path, Purpose::Read)?)
        };
        self.on_files(session, locate, work).await
    }

    /// Waits for the locks and the memory of a request, and runs it on its own thread.
    async fn run_queued<F, T, W>(
        &self,
        session: &Arc<SessionContext>,
        (files, weight): (F, Option<u32>),
        job: Job,
        work: W,
    ) -> Result<T>
    where
        F: Located,
        T: Send + 'static,
        W: FnOnce(&Self, &SessionContext, F, &Job) -> Result<T> + Send + 'static,
    {
        job.lock.at_head().await;
        let (weight, files) = if let Some(weight) = weight {
            (weight, files)
        } else {
            let engine = self.clone();
            blocking(move || (engine.weight(engine.sizes(&files)), files)).await?
        };
        let memory = self.reserve_memory(session, weight).await?;
        let (engine, of) = (self.clone(), session.clone());
        blocking_then_drop(move || {
            // The memory is reserved until the work is done, even if no client waits for it anymore.
            let result = (work(&engine, &of, files, &job), job.spent.into_inner());
            drop(memory);
            result
        })
        .await?
    }

    /// Returns the current sizes of the files, in bytes.
    fn sizes(&self, files: &impl Located) -> impl Iterator<Item = u64> {
        let size = |target| self.disk.stat(target).ok().flatten().map_or(0, |stat| stat.size);
        files.targets().into_iter().map(size)
    }

    /// Returns the memory to reserve for files of these sizes, in units of [`WORK_UNIT`]. Returns 0 for small
    /// files; files that are too large to be held in memory do not count.
    fn weight(&self, sizes: impl Iterator<Item = u64>) -> u32 {
        let most = self.config.limits.file_size;
        let bytes: u64 = sizes.filter(|size| *size <= most).sum();
        if bytes <= LARGE as u64 {
            return 0;
        }
        // A request never needs more than the whole limit, so that it can always run.
        let all = self.config.limits.work_memory / WORK_UNIT;
        (bytes / WORK_UNIT).min(all).try_into().unwrap_or(u32::MAX)
    }

    async fn reserve_memory(
        &self,
        session: &SessionContext,
        weight: u32,
    ) -> Result<(Used, OwnedSemaphorePermit)> {
        if weight == 0 {
            let none = self.memory.all.clone().acquire_many_owned(0).await;
            return none.map(|none| (Used::new(), none)).map_err(|_| Failure::stopping());
        }
        let memory = async {
            // A client waits for its own requests before it waits in the line of all.
            let own = self.memory.shares.acquire(session.requester(), weight).await;
            Ok((own, self.memory.all.clone().acquire_many_owned(weight).await?))
        };
        let memory = self.when_free(memory, "requests on other large files are in progress").await?;
        memory.map_err(|_: AcquireError| Failure::stopping())
    }

    /// Waits for a limited resource, at most until the deadline of a request. `busy` says why it is not free.
    pub(crate) async fn when_free<T>(
        &self,
        resource: impl Future<Output = T>,
        busy: &str,
    ) -> Result<T, Refusal> {
        let timeout = Duration::from_millis(self.config.limits.deadline_ms);
        let refused = |_| Refusal::new(RefusalKind::Busy { what: busy.to_owned() });
        tokio::time::timeout(timeout, resource).await.map_err(refused)
    }
}

/// Runs work that may block on another thread. A panic in it fails only this request.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    blocking_then_drop(move || (work(), Vec::new())).await
}

/// Runs work that may block on another thread, and drops its leftover values after the result is sent.
async fn blocking_then_drop<T: Send + 'static>(
    work: impl FnOnce() -> (T, Vec<Spent>) + Send + 'static,
) -> Result<T> {
    let (reply, result) = oneshot::channel();
    let busy = Busy::new();
    let thread = tokio::task::spawn_blocking(move || {
        let (result, spent) = work();
        // The receiver may be gone; that is not an error.
        let _ = reply.send(result);
        drop(spent);
        drop(busy);
    });
    if let Ok(result) = result.await {
        return Ok(result);
    }
    let error = thread.await.err();
    tracing::error!(?error, "a request panicked");
    Err(Failure::bug())
}

/// Runs short work that may block, on the thread of its task. Another thread takes over the other tasks in
/// the meantime. Waking another thread, and being woken by it, takes longer than a small edit.
async fn in_place<T: Send + 'static>(work: impl FnOnce() -> (T, Vec<Spent>) + Send + 'static) -> Result<T> {
    let busy = Busy::new();
    // A runtime with one thread has no other thread that could run the other tasks.
    let has_others = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    if busy.0 >= MAX_IN_PLACE || !has_others {
        return blocking_then_drop(work).await;
    }
    // Leftover values are dropped right here: for small files that takes less time than on another thread.
    let done = tokio::task::block_in_place(|| catch_unwind(AssertUnwindSafe(work)));
    let Ok((result, _spent)) = done else {
        tracing::error!("a request panicked");
        return Err(Failure::bug());
    };
    Ok(result)
}

/// Number of threads that work on requests.
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// Number of working threads from which on tasks no longer block their own thread. If all threads were taken,
/// no thread could run the other tasks, and the working threads may wait for exactly those.
const MAX_IN_PLACE: usize = 128;

/// Counts one working thread until it is dropped. Holds the number of working threads before it.
struct Busy(usize);

impl Busy {
    fn new() -> Self {
        Self(BUSY.fetch_add(1, Ordering::Relaxed))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Located for Target {
    fn targets(&self) -> Vec<&Target> {
        vec![self]
    }
}
