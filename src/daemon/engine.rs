//! The engine: the owner of the [`Workspace`], and the slow work around it. It knows no wire format: the
//! server converts requests and results.
//!
//! A request locks and **observes** its files: it resolves their paths, waits for its turn on each file, and
//! reads them. It **checks** the observed content against the content that its author was given. It
//! **computes** the change and **commits** it. Finally it **records** the result in the workspace, which
//! notifies other readers of the files. A request that cannot be carried out fails with refusals:
//!
//! ```
//! use editd_daemon::engine::Failure;
//! use editd_workspace::{Refusal, RefusalKind};
//!
//! let failure = Failure::from(Refusal::new(RefusalKind::Missing));
//! assert!(matches!(failure, Failure::Refused(refusals) if refusals.len() == 1));
//! ```

pub(crate) mod change;
pub(crate) mod clients;
mod concurrent;
pub(crate) mod diagnostics;
pub(crate) mod editors;
mod failure;
/// Files: resolving paths, access control, locks, and current content.
pub(crate) mod files {
    pub(crate) mod access;
    pub(crate) mod changes;
    pub(crate) mod locks;
    pub(crate) mod observe;
    pub(crate) mod open_documents;
    pub(crate) mod rechecks;
    pub(crate) mod resolve;
    pub(crate) mod watch;
}
pub(crate) mod history;
pub(crate) mod jobs;
pub(crate) mod native;
mod recovery;
pub(crate) mod review;
pub(crate) mod reviewers;
pub(crate) mod runs;
pub(crate) mod searching;
mod session;
pub(crate) mod shares;
pub(crate) mod undo;
mod workspace_handle;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::config::{Config, PolicyFile, default_places};
use editd_disk::history::{History, HistoryLimits, ReviewersFile, WaitingProposals};
use editd_disk::{BaseStore, Disk, DisplacedFileMonitor, Journal};
use editd_edit::{Deadline, Display};
use editd_workspace::limits::{SEARCHES, SEARCHES_OF_AUTHOR};
use editd_workspace::rules::names_of;
use editd_workspace::{OnStale, Proposal, Workspace};

pub use failure::Failure;
pub(crate) use failure::{Result, collect_all, refusal_of};
pub use session::{SessionContext, SessionRoot};
pub(crate) use session::{open_root, usual_path_of};

use change::compute::{ComputeOptions, MatchOptions};
use change::draft::Indexes;
use clients::Clients;
use editors::Interrupted;
use files::access::own_paths;
use files::locks::FileLocks;
use files::observe::SnapshotCache;
use files::rechecks::RecheckQueue;
use files::watch::{Hints, WatchOrder};
use recovery::{Rescuer, open_journal};
use shares::Shares;
use workspace_handle::{NoticeRules, WorkspaceHandle, WorkspaceState};

/// The directories of a daemon.
#[derive(Clone, Debug)]
pub struct Places {
    /// State directory: the lock, stored bases, logs.
    pub state_dir: PathBuf,
    /// Directory of the sockets.
    pub runtime_dir: PathBuf,
}

/// The shared state that every request uses. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Engine(Arc<EngineInner>);

pub(crate) struct EngineInner {
    pub(crate) config: Config,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) journal: Journal,
    pub(crate) displaced_files: DisplacedFileMonitor,
    /// Configured roots, for sessions that have none.
    roots: Vec<Arc<SessionRoot>>,
    /// Directories that agents may read besides their roots.
    read_roots: Vec<Arc<SessionRoot>>,
    pub(crate) places: Places,
    /// The user's path rules.
    pub(crate) policy: Arc<PolicyFile>,
    /// Files and directories that belong to editd.
    own: files::access::OwnPaths,
    /// Canonical path of the home directory.
    pub(crate) home: Option<PathBuf>,
    /// Path components of `home`, normalized for the path rules.
    home_names: Vec<String>,
    pub(crate) workspace: WorkspaceHandle,
    locks: FileLocks,
    cache: Arc<SnapshotCache>,
    indexes: Indexes,
    pub(crate) clients: Clients,
    /// Interrupted change sets whose documents wait for an editor.
    pub(crate) interrupted: Interrupted,
    pub(crate) history: Arc<History>,
    /// Changes that clients are about to write with their own tools.
    pub(crate) prepared: native::PreparedChanges,
    pub(crate) turns: native::Turns,
    pub(crate) runs: runs::Runs,
    /// Calls that arrive over another connection than that of their session.
    pub(crate) announced: native::AnnouncedCalls,
    pub(crate) hints: Hints,
    rechecks: RecheckQueue,
    /// Wakes requests that wait for diagnostics.
    pub(crate) diagnostics_reported: Notify,
    /// Wakes requests that wait until a document is opened, closed or focused.
    pub(crate) focus_changed: Notify,
    /// Limits concurrent searches. Closed when the daemon stops.
    pub(crate) searches: Arc<Semaphore>,
    /// Limits the concurrent searches of each client.
    pub(crate) searchers: Shares,
    /// Held while an image is decoded.
    pub(crate) decoding: Arc<tokio::sync::Mutex<()>>,
    /// Limits the memory for large files that are being processed.
    memory: jobs::WorkMemory,
    pub(crate) started: Instant,
    /// Cancelled when the daemon stops.
    pub(crate) stopped: CancellationToken,
}

impl std::ops::Deref for Engine {
    type Target = EngineInner;

    fn deref(&self) -> &EngineInner {
        &self.0
    }
}

impl Engine {
    /// Recovers what an earlier daemon left unfinished, and starts background tasks on the current runtime.
    /// Calls `restored` for each pending proposal of the previous daemon.
    pub(crate) fn start(
        config: Config,
        disk: Arc<dyn Disk>,
        places: Places,
        restored: impl FnMut(&Proposal),
    ) -> std::io::Result<Self> {
        let (watch, orders) = std::sync::mpsc::channel::<WatchOrder>();
        let bases = BaseStore::open(&places.state_dir.join("bases"), config.limits.kept_bases)?;
        let history = Arc::new(History::open(
            &editd_disk::history::folder_in(&places.state_dir),
            history_limits(&config),
        ));
        let rescue = Arc::new(Rescuer { history: history.clone(), folder: places.state_dir.join("rescued") });
        let journal = open_journal(&*disk, &places.state_dir, rescue.clone())?;
        let displaced_files = DisplacedFileMonitor::start(disk.clone(), rescue)?;
        let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
        let policy = Arc::new(PolicyFile::beside(&config.file, home.clone()));
        let named = [&*places.state_dir, &places.runtime_dir, &config.file, policy.path()];
        // Another daemon, or the next one, may use the places that this one does not.
        let own = own_paths(named.into_iter().chain(default_places().iter().map(PathBuf::as_path)));
        let (waiting, proposals) = WaitingProposals::open(&places.state_dir.join("proposals"))?;
        let (reviewers, stored) = ReviewersFile::open(places.state_dir.join("reviewers.json"));
        let mut workspace = Workspace::new(config.limits.clone(), &nonce());
        workspace.reviewers.restore(stored, SystemTime::now());
        let (cache, clients, hints) = (Arc::<SnapshotCache>::default(), Clients::default(), Hints::default());
        let home_names = home.as_deref().map(names_of).unwrap_or_default();
        let rules = NoticeRules { policy: policy.clone(), home: home_names.clone() };
        let state = WorkspaceState { workspace, cache: cache.clone(), clients: clients.clone(), watch };
        let inner = EngineInner {
            roots: open_roots(&*disk, &config.roots),
            read_roots: open_roots(&*disk, &config.read_roots),
            own,
            policy,
            home_names,
            home,
            workspace: WorkspaceHandle::new(state, bases, (waiting, reviewers), rules),
            locks: FileLocks::default(),
            cache,
            indexes: Indexes::default(),
            clients,
            history,
            prepared: native::PreparedChanges::default(),
            turns: native::Turns::default(),
            runs: runs::Runs::new(&places.state_dir),
            announced: native::AnnouncedCalls::default(),
            interrupted: Interrupted::open(places.state_dir.join("interrupted"))?,
            places,
            hints: hints.clone(),
            rechecks: RecheckQueue::default(),
            diagnostics_reported: Notify::new(),
            focus_changed: Notify::new(),
            searches: Arc::new(Semaphore::new(SEARCHES)),
            searchers: Shares::new(SEARCHES_OF_AUTHOR),
            decoding: Arc::default(),
            memory: jobs::WorkMemory::new(config.limits.work_memory),
            started: Instant::now(),
            stopped: CancellationToken::new(),
            config,
            disk,
            journal,
            displaced_files,
        };
        let engine = Self(Arc::new(inner));
        engine.forget_committed();
        proposals.iter().for_each(restored);
        engine.workspace.update(|w| w.restore(proposals));
        spawn_thread("watch", move || files::watch::run_watcher(&orders, &hints))?;
        engine.start_tasks()?;
        Ok(engine)
    }

    fn start_tasks(&self) -> std::io::Result<()> {
        tokio::spawn(self.clone().follow_hints());
        tokio::spawn(self.clone().follow_landed());
        tokio::spawn(self.clone().follow_set_aside());
        tokio::spawn(self.clone().beat_for_runs());
        // The history compares files to find interrupted transactions, so the files must be recovered first.
        let engine = self.clone();
        spawn_thread("history", move || {
            engine.history.settle_previous_run();
            engine.recover_runs();
        })
    }

    /// Returns the options for computing a change whose edits are already matched.
    pub(crate) fn compute_options(&self, on_stale: OnStale, display: Option<Display>) -> ComputeOptions<'_> {
        ComputeOptions {
            indexes: &self.indexes,
            matching: MatchOptions::default(),
            on_stale,
            syntax: self.config.syntax,
            display,
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        }
    }

    /// Returns the deadline of a request that starts now.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::after(Duration::from_millis(self.config.limits.deadline_ms))
    }
}

fn open_roots(disk: &dyn Disk, roots: &[PathBuf]) -> Vec<Arc<SessionRoot>> {
    let opened = roots.iter().filter_map(|root| disk.open_root(root).ok());
    opened.map(|root| Arc::new(SessionRoot::of(disk, root, None))).collect()
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn history_limits(config: &Config) -> HistoryLimits {
    HistoryLimits {
        bytes: config.limits.history_bytes,
        age: Duration::from_secs(config.history_days.saturating_mul(24 * 60 * 60)),
        file_size: config.limits.file_size,
    }
}

/// Returns a prefix that makes ids differ from those of every other start.
fn nonce() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mixed =
        blake3::hash(&[now.as_nanos().to_le_bytes().as_slice(), &std::process::id().to_le_bytes()].concat());
    mixed.to_hex()[..6].to_owned()
}
