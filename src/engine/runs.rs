//! Runs of commands: what they change on disk is recorded as transactions of their authors.
//!
//! While a run is open, each event that could mix up authors is a **mark**: the begin and the end of a run, and a
//! write of editd or an editor. At a mark, the root is walked (or the written file compared), and what differs from
//! the snapshot is recorded as a transaction of all runs that were open since the last mark. Then editd's own write
//! is entered into the snapshot, so that it is not taken for a change of the command.

mod landed;
mod open;
mod record;
mod writes;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, Once};

use crate::disk::Root;
use crate::engine::{Engine, SessionContext};
use crate::history::RecordedEntry;
use crate::snapshot::{NoSnapshot, Snapshot, SnapshotLimits, WalkControl, remove_unused};
use crate::workspace::SessionId;
use crate::workspace::history::{Origin, RunStatus};

pub(crate) use open::{OpenRun, RunFile};
pub(crate) use record::RunChanges;

use landed::LandedQueue;
use writes::InFlight;

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
    recovered: Once,
    /// Changes that people are about to review.
    landed: LandedQueue,
}

/// A root with its snapshot and the open runs in it.
#[derive(Debug)]
struct RunRoot {
    root: Root,
    state: Mutex<RootState>,
    in_flight: InFlight,
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
            recovered: Once::new(),
            landed: LandedQueue::default(),
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

impl Engine {
    /// Begins a run in the first root of the session. The first run in a root reads all of its files; `walk` shows the
    /// progress and can end it.
    pub(crate) fn begin_run(
        &self,
        session: &SessionContext,
        new: NewRun,
        walk: &WalkControl,
    ) -> Result<String, NotRecordable> {
        self.recover_runs();
        if self.config.limits.history_bytes == 0 {
            return Err(NotRecordable::NoHistory);
        }
        let roots = session.roots();
        let root = roots.iter().find(|root| root.only.is_none()).ok_or(NotRecordable::NoRoot)?;
        let of = self.run_root(&root.root, &root.surroundings.top)?;
        let run = OpenRun::new(self.next_run_id(), session, new);
        let mut state = of.state.lock();
        if state.open.len() >= MAX_OPEN {
            return Err(NotRecordable::TooMany);
        }
        if let Some(reason) = state.given_up.as_ref().filter(|_| !run.is_bound()) {
            return Err(NotRecordable::GivenUp(reason.clone()));
        }
        let limit = (!run.is_bound() && !state.snapshot.is_known()).then_some(FIRST_WALK);
        // The count keeps a write that starts now from passing unseen.
        self.runs.open.fetch_add(1, Ordering::AcqRel);
        let begun =
            self.mark(&of, &mut state, None, (limit, walk)).map_err(|error| no_snapshot(&of.root, error));
        let begun = begun.and_then(|()| Ok(run.store(&self.runs.files, of.root.path())?));
        if let Err(error) = begun {
            self.runs.open.fetch_sub(1, Ordering::AcqRel);
            let is_final = !state.snapshot.is_known() && !walk.is_cancelled();
            state.given_up = is_final.then(|| error.to_string());
            return Err(error);
        }
        state.given_up = None;
        let id = run.id.clone();
        state.open.push(run);
        Ok(id)
    }

    /// Returns the id of a new run, which no other run of any daemon has.
    fn next_run_id(&self) -> String {
        let number = self.runs.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.history.session_name(number).replacen('s', "r", 1)
    }

    /// Ends the run that `is_it` selects, and returns what it has changed. Returns `None` if there is no such run.
    pub(crate) fn end_run(
        &self,
        is_it: impl Fn(&OpenRun) -> bool,
        status: Option<RunStatus>,
    ) -> Option<RunChanges> {
        self.recover_runs();
        self.runs.all().iter().find_map(|of| {
            let mut state = of.state.lock();
            let at = state.open.iter().position(&is_it)?;
            state.open[at].status = status;
            Some(self.end_at(of, &mut state, at))
        })
    }

    fn end_at(&self, of: &Arc<RunRoot>, state: &mut RootState, at: usize) -> RunChanges {
        let id = state.open[at].id.clone();
        let result = self.mark(of, state, Some(&id), (None, &WalkControl::default()));
        let mut run = state.open.remove(at);
        self.runs.open.fetch_sub(1, Ordering::AcqRel);
        run.remove(&self.runs.files);
        if let Err(error) = result {
            run.changes.warnings.push(format!("The last changes of the command are not recorded: {error}."));
        }
        if let Err(error) = state.snapshot.compact() {
            tracing::warn!(%error, "a snapshot cannot be compacted");
        }
        run.changes
    }

    /// Ends the runs that `is_it` selects as interrupted.
    pub(crate) fn interrupt_runs(&self, is_it: impl Fn(&OpenRun) -> bool) {
        if self.runs.is_idle() {
            return;
        }
        for of in self.runs.all() {
            let mut state = of.state.lock();
            while let Some(at) = state.open.iter().position(&is_it) {
                state.open[at].is_interrupted = true;
                self.end_at(&of, &mut state, at);
            }
        }
    }

    /// Ends the runs of a connection that has ended.
    pub(crate) fn interrupt_runs_of(&self, connection: SessionId) {
        self.interrupt_runs(|run| run.bound_to == Some(connection));
    }

    /// Returns the recorded transactions of a run, oldest first.
    pub(crate) fn transactions_of_run(&self, run: &str) -> Vec<Arc<str>> {
        const NEWEST: usize = 100;
        let is_of_run = |recorded: &RecordedEntry| recorded.entry.run.as_ref().is_some_and(|of| of.id == run);
        let found = self.history.newest(None, NEWEST, is_of_run).unwrap_or_default();
        found.iter().rev().map(|recorded| recorded.entry.id.clone()).collect()
    }

    /// Walks the root and records what has changed. `ending` is the run whose end this is.
    fn mark(
        &self,
        of: &Arc<RunRoot>,
        state: &mut RootState,
        ending: Option<&str>,
        (limit, walk): (Option<Duration>, &WalkControl),
    ) -> Result<(), NoSnapshot> {
        let was_known = state.snapshot.is_known();
        let skipped = of.in_flight.paths();
        let differences = state.snapshot.update(&*self.disk, &skipped, limit, walk)?;
        if was_known && !state.open.is_empty() {
            self.record_run(of, state, differences, ending);
        }
        Ok(())
    }

    /// Returns the root with its snapshot, which is opened if it is not yet.
    fn run_root(&self, root: &Root, top: &Path) -> Result<Arc<RunRoot>, NotRecordable> {
        let mut roots = self.runs.roots.lock();
        let known = roots.get(root.path()).cloned();
        let mut replaced = None;
        if let Some(known) = &known {
            // The folder may have been replaced by another one of its name.
            replaced = (!known.root.is_same_folder(root)).then(|| known.state.try_lock()).flatten();
            if replaced.is_none() {
                return Ok(known.clone());
            }
        }
        let limits = &self.config.limits;
        let limits = SnapshotLimits {
            bytes: limits.snapshot_bytes,
            files: limits.snapshot_files,
            file_size: limits.snapshot_file_size,
            ignored: false,
        };
        let own = &self.places.state_dir;
        let snapshot = Snapshot::open(&self.runs.snapshots, (root, top), own, limits)
            .map_err(|error| no_snapshot(root, error))?;
        let open = replaced.map(|mut state| std::mem::take(&mut state.open)).unwrap_or_default();
        let state = Mutex::new(RootState { snapshot, open, given_up: None });
        let of = Arc::new(RunRoot { root: root.clone(), state, in_flight: InFlight::default() });
        roots.insert(root.path().to_owned(), of.clone());
        Ok(of)
    }

    /// Ends the runs that were open when an earlier daemon was killed. Done once, before any run begins or ends.
    pub(crate) fn recover_runs(&self) {
        self.runs.recovered.call_once(|| {
            let age = Duration::from_secs(self.config.history_days.saturating_mul(24 * 60 * 60));
            if let Err(error) = remove_unused(&self.runs.snapshots, age) {
                tracing::warn!(%error, "unused snapshots cannot be removed");
            }
            let files = OpenRun::stored(&self.runs.files);
            for RunFile { run, root } in files {
                if let Err(error) = self.recover_run(run, &root) {
                    tracing::warn!(%error, root = %root.display(), "an interrupted run cannot be recorded");
                }
            }
        });
    }

    fn recover_run(&self, run: OpenRun, root: &Path) -> Result<(), NotRecordable> {
        run.remove(&self.runs.files);
        let opened = self
            .disk
            .open_root(root)
            .map_err(|error| NotRecordable::NoSnapshot { root: root.to_owned(), error: error.into() })?;
        let top = crate::engine::SessionRoot::of(&*self.disk, opened.clone(), None).surroundings.top;
        let of = self.run_root(&opened, &top)?;
        let mut state = of.state.lock();
        self.runs.open.fetch_add(1, Ordering::AcqRel);
        state.open.push(run);
        let at = state.open.len() - 1;
        self.end_at(&of, &mut state, at);
        Ok(())
    }
}

fn no_snapshot(root: &Root, error: NoSnapshot) -> NotRecordable {
    NotRecordable::NoSnapshot { root: root.path().to_owned(), error }
}
