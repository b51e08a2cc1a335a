//! Runs of commands: what they change on disk is recorded as transactions of their authors.
//!
//! While a run is open, each event that could mix up authors is a **mark**: the begin and the end of a run, and a
//! write of editd or an editor. At a mark, the root is walked (or the written file compared), and what differs from
//! the snapshot is recorded as a transaction of all runs that were open since the last mark. Then editd's own write
//! is entered into the snapshot, so that it is not taken for a change of the command.

mod alive;
mod landed;
mod mark;
mod open;
mod permits;
mod record;
mod recover;
mod roots;
mod set_aside;
mod writes;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio_util::sync::CancellationToken;

use crate::engine::jobs::blocking;
use crate::engine::shares::Requester;
use crate::engine::{Engine, Failure, SessionContext};
use editd_disk::Root;
use editd_disk::history::RecordedEntry;
use editd_disk::snapshot::{NoSnapshot, Room, Snapshot, WalkControl};
use editd_workspace::SessionId;
use editd_workspace::history::{Origin, RunStatus};

use open::OpenRun;
pub(crate) use open::RunKey;
pub(crate) use record::RunChanges;

use landed::LandedQueue;
use mark::Owner;
use permits::WalkPermits;
use roots::no_snapshot;
use set_aside::SetAsideChanges;
use writes::{InFlight, StagingFolders};

/// Maximum number of open runs in a root. A client that never reports ends must not fill the memory.
const MAX_OPEN: usize = 256;

/// Maximum time of the first walk for a command of an agent, whose hook waits for 15 seconds.
const FIRST_WALK: Duration = Duration::from_secs(14);

/// All roots in which commands run or have run.
#[derive(Debug)]
pub(crate) struct Runs {
    roots: Mutex<HashMap<PathBuf, Arc<RunRoot>>>,
    /// Number of open runs in all roots.
    open: AtomicUsize,
    /// Number of the last run.
    last: AtomicU64,
    /// Folder of the snapshots.
    snapshots: PathBuf,
    /// Folder with a file for each open run.
    files: PathBuf,
    /// Cancelled when the runs of an earlier daemon are known.
    recovered: CancellationToken,
    /// Held while a snapshot is opened.
    opening: Mutex<()>,
    /// Space for the contents of all snapshots.
    room: OnceLock<Arc<Room>>,
    /// Limits the walks.
    walks: WalkPermits,
    /// Notified when a run begins.
    began: Notify,
    /// Folders in which editd writes.
    staging: StagingFolders,
    /// Changes that people are about to review.
    landed: LandedQueue,
    /// Changes that a client has announced and is about to report.
    set_aside: SetAsideChanges,
}

/// A root with its snapshot and the open runs in it.
#[derive(Debug)]
struct RunRoot {
    root: Root,
    /// Last time at which a run began.
    used: Mutex<Instant>,
    /// Held during a walk and until its result is recorded, which may take long. Waited for without a thread.
    walk: Arc<AsyncMutex<()>>,
    /// Held for short times.
    state: Mutex<RootState>,
    in_flight: InFlight,
    /// The open runs.
    keys: Mutex<Vec<RunKey>>,
    /// The runs that have to end as interrupted.
    interrupted: Mutex<Vec<String>>,
}

#[derive(Debug)]
struct RootState {
    snapshot: Snapshot,
    open: Vec<OpenRun>,
    /// The reason why the first walk has failed: it is not repeated for each command of an agent.
    given_up: Option<String>,
}

/// A request to begin a run.
#[derive(Debug)]
pub(crate) struct NewRun {
    pub(crate) command: String,
    pub(crate) origin: Origin,
    /// `true` if the run ends when its connection does.
    pub(crate) is_bound: bool,
}

/// Reason why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRecordable {
    #[error("the history is disabled")]
    NoHistory,
    #[error("the session has no root folder")]
    NoRoot,
    #[error("`{}`: {error}", .root.display())]
    NoSnapshot { root: PathBuf, error: NoSnapshot },
    #[error("{MAX_OPEN} commands run there already")]
    TooMany,
    #[error("the projects with running commands have more than {0} files")]
    TooManyFiles(usize),
    #[error("{0}")]
    GivenUp(String),
    #[error("the run cannot be stored: {0}")]
    NotStored(#[from] io::Error),
}

impl Runs {
    pub(crate) fn new(state_dir: &Path) -> Self {
        Self {
            roots: Mutex::default(),
            open: AtomicUsize::new(0),
            last: AtomicU64::new(0),
            snapshots: state_dir.join("snapshots"),
            files: state_dir.join("runs"),
            recovered: CancellationToken::new(),
            opening: Mutex::default(),
            room: OnceLock::new(),
            walks: WalkPermits::default(),
            began: Notify::new(),
            staging: StagingFolders::default(),
            landed: LandedQueue::default(),
            set_aside: SetAsideChanges::default(),
        }
    }

    /// Returns `true` if no command runs, so that writes need no mark.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.load(Ordering::Acquire) == 0
    }

    /// Returns the known root that contains a path. Of nested roots, returns all.
    fn around(&self, path: &Path) -> Vec<Arc<RunRoot>> {
        let roots = self.roots.lock();
        roots.iter().filter(|(root, _)| path.starts_with(root)).map(|(_, root)| root.clone()).collect()
    }

    fn all(&self) -> Vec<Arc<RunRoot>> {
        self.roots.lock().values().cloned().collect()
    }
}

impl RunRoot {
    fn new(root: &Root, snapshot: Snapshot, open: Vec<OpenRun>) -> Self {
        let keys = Mutex::new(open.iter().map(OpenRun::key).collect());
        let state = Mutex::new(RootState { snapshot, open, given_up: None });
        let (walk, in_flight, interrupted) = Default::default();
        let used = Mutex::new(Instant::now());
        Self { root: root.clone(), used, walk, state, in_flight, keys, interrupted }
    }

    /// Returns the ids of the open runs that `is_it` selects.
    fn select(&self, is_it: impl Fn(&RunKey) -> bool) -> Vec<String> {
        self.keys.lock().iter().filter(|key| is_it(key)).map(|key| key.id.clone()).collect()
    }
}

impl Engine {
    /// Begins a run in the first root of the session. The first run in a root reads all of its files; `walk` shows the
    /// progress and can end it.
    pub(crate) async fn begin_run(
        &self,
        session: &Arc<SessionContext>,
        new: NewRun,
        walk: Arc<WalkControl>,
    ) -> Result<Result<String, NotRecordable>, Failure> {
        self.runs.recovered.cancelled().await;
        if self.config.limits.history_bytes == 0 {
            return Ok(Err(NotRecordable::NoHistory));
        }
        let roots = session.roots();
        let Some(root) = roots.into_iter().find(|root| root.only.is_none()) else {
            return Ok(Err(NotRecordable::NoRoot));
        };
        let engine = self.clone();
        let of = blocking(move || engine.run_root(&root.root, &root.surroundings.top)).await?;
        let of = match of {
            Ok(of) => of,
            Err(error) => return Ok(Err(error)),
        };
        // A client waits for its permit before it takes the turn, for which others wait.
        let permit = self.runs.walks.acquire(session.requester()).await;
        let turn = of.walk.clone().lock_owned().await;
        let run = OpenRun::new(self.next_run_id(), session, new);
        let engine = self.clone();
        blocking(move || {
            let begun = engine.begin_at(&of, run, &walk);
            drop((turn, permit));
            begun
        })
        .await
    }

    /// Begins a run. The walk lock of the root is held.
    fn begin_at(&self, of: &Arc<RunRoot>, run: OpenRun, walk: &WalkControl) -> Result<String, NotRecordable> {
        let is_known = {
            let state = of.state.lock();
            if state.open.len() >= MAX_OPEN {
                return Err(NotRecordable::TooMany);
            }
            if let Some(reason) = state.given_up.as_ref().filter(|_| !run.is_bound()) {
                return Err(NotRecordable::GivenUp(reason.clone()));
            }
            state.snapshot.is_known()
        };
        let limit = (!run.is_bound() && !is_known).then_some(FIRST_WALK);
        // The count keeps a write that starts now from passing unseen.
        self.runs.open.fetch_add(1, Ordering::AcqRel);
        let begun =
            self.mark(of, Owner::Runs(None), (limit, walk)).map_err(|error| no_snapshot(&of.root, error));
        let begun = begun.and_then(|()| Ok(run.store(&self.runs.files, of.root.path())?));
        self.runs.beat();
        let mut state = of.state.lock();
        if let Err(error) = begun {
            self.runs.open.fetch_sub(1, Ordering::AcqRel);
            let is_final = !state.snapshot.is_known() && !walk.is_cancelled();
            state.given_up = is_final.then(|| error.to_string());
            return Err(error);
        }
        state.given_up = None;
        let id = run.id.clone();
        of.keys.lock().push(run.key());
        state.open.push(run);
        Ok(id)
    }

    /// Returns the id of a new run, which no other run of any daemon has.
    fn next_run_id(&self) -> String {
        let number = self.runs.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.history.session_name(number).replacen('s', "r", 1)
    }

    /// Ends the run that `is_it` selects, and returns what it has changed. Returns `None` if there is no such run.
    pub(crate) async fn end_run(
        &self,
        requester: Requester<'_>,
        is_it: impl Fn(&RunKey) -> bool,
        status: Option<RunStatus>,
    ) -> Result<Option<RunChanges>, Failure> {
        self.runs.recovered.cancelled().await;
        let found = self.runs.all().into_iter().find_map(|of| Some((of.select(&is_it).pop()?, of)));
        let Some((id, of)) = found else { return Ok(None) };
        let permit = self.runs.walks.acquire(requester).await;
        let turn = of.walk.clone().lock_owned().await;
        let engine = self.clone();
        blocking(move || {
            let changes = engine.end_all(&of, &[id], |run| run.status = status).pop();
            drop((turn, permit));
            changes
        })
        .await
    }

    /// Ends runs of a root at one mark, after `note` has been applied to each, and returns what they have changed. The
    /// walk lock of the root is held.
    fn end_all(&self, of: &Arc<RunRoot>, ids: &[String], note: impl Fn(&mut OpenRun)) -> Vec<RunChanges> {
        let is_ending = |run: &OpenRun| ids.contains(&run.id);
        let first = {
            let mut state = of.state.lock();
            state.open.iter_mut().filter(|run| is_ending(run)).for_each(note);
            state.open.iter().find(|run| is_ending(run)).map(|run| run.id.clone())
        };
        if first.is_none() {
            return Vec::new();
        }
        let owner = Owner::Runs(first.as_deref());
        let result = self.mark(of, owner, (None, &WalkControl::default()));
        self.forget_runs(of, ids, result.err().as_ref())
    }

    /// Removes ended runs from a root, and returns what they have changed.
    fn forget_runs(&self, of: &RunRoot, ids: &[String], error: Option<&NoSnapshot>) -> Vec<RunChanges> {
        let is_ending = |run: &OpenRun| ids.contains(&run.id);
        let mut state = of.state.lock();
        let (ended, open) = std::mem::take(&mut state.open).into_iter().partition(is_ending);
        let mut ended: Vec<OpenRun> = ended;
        state.open = open;
        of.keys.lock().retain(|key| !ids.contains(&key.id));
        self.runs.open.fetch_sub(ended.len(), Ordering::AcqRel);
        for run in &mut ended {
            run.remove(&self.runs.files);
            if let Some(error) = error {
                let warning = format!("The last changes of the command are not recorded: {error}.");
                run.changes.warnings.push(warning);
            }
        }
        if let Err(error) = state.snapshot.compact() {
            tracing::warn!(%error, "a snapshot cannot be compacted");
        }
        ended.into_iter().map(|run| run.changes).collect()
    }

    /// Ends the runs that `is_it` selects as interrupted, those of each root at one mark.
    pub(crate) async fn interrupt_runs(&self, is_it: impl Fn(&RunKey) -> bool) -> Result<(), Failure> {
        if self.runs.is_idle() {
            return Ok(());
        }
        for of in self.runs.all() {
            let ids = of.select(&is_it);
            if ids.is_empty() {
                continue;
            }
            of.interrupted.lock().extend(ids);
            let turn = of.walk.clone().lock_owned().await;
            // Another task may have ended them in the meantime, together with its own.
            let ids = std::mem::take(&mut *of.interrupted.lock());
            if ids.is_empty() {
                continue;
            }
            let engine = self.clone();
            blocking(move || {
                engine.end_all(&of, &ids, |run| run.is_interrupted = true);
                drop(turn);
            })
            .await?;
        }
        Ok(())
    }

    /// Returns `true` if runs end with a connection.
    pub(crate) fn has_runs_of(&self, connection: SessionId) -> bool {
        let is_it = |key: &RunKey| key.bound_to == Some(connection);
        !self.runs.is_idle() && self.runs.all().iter().any(|of| !of.select(is_it).is_empty())
    }

    /// Ends the runs of a connection that has ended.
    pub(crate) async fn interrupt_runs_of(&self, connection: SessionId) {
        if let Err(failure) = self.interrupt_runs(|run| run.bound_to == Some(connection)).await {
            tracing::warn!(?failure, "the run of a connection that has ended cannot be ended");
        }
    }

    /// Returns the recorded transactions of a run, oldest first.
    pub(crate) fn transactions_of_run(&self, run: &str) -> Vec<Arc<str>> {
        const NEWEST: usize = 100;
        let is_of_run = |recorded: &RecordedEntry| recorded.entry.run.as_ref().is_some_and(|of| of.id == run);
        let found = self.history.newest(None, NEWEST, is_of_run).unwrap_or_default();
        found.iter().rev().map(|recorded| recorded.entry.id.clone()).collect()
    }
}
