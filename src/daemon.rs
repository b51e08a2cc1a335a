//! The daemon: the owner of the [`Workspace`], and the slow work around it.
//!
//! A request locks and **observes** its files: it resolves their paths, waits for its turn on each file, and
//! reads them. It **checks** the observed content against the content that its author was given. It
//! **computes** the change and **commits** it. Finally it **records** the result in the workspace, which
//! notifies other readers of the files. Each request is answered exactly once.
//!
//! To run a daemon inside another program, with its sockets:
//!
//! ```no_run
//! use editd::config::Config;
//! use editd::transport::{DirOptions, dirs, serve};
//!
//! let config = Config::load("/home/ada/.config/editd/config.toml".into());
//! let dirs = dirs(&DirOptions::default())?;
//! tokio::runtime::Runtime::new()?.block_on(serve(config, dirs, None))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod change;
mod clients;
mod diagnoses;
mod editors;
mod failure;
mod files;
mod job;
mod lsp_review;
mod recovery;
mod requests;
mod review;
mod searching;
mod session;
mod undo;
mod workspace_handle;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::config::{Config, PolicyFile};
use crate::disk::{BaseStore, Disk, DisplacedFileMonitor, Journal};
use crate::edit::Deadline;
use crate::history::{self, History, HistoryLimits, WaitingProposals};
use crate::workspace::limits::SEARCHES;
use crate::workspace::rules::names_of;
use crate::workspace::{Session, SessionId, Workspace};

pub use clients::{ClientSink, PendingResponse};
pub use failure::Failure;
pub use lsp_review::Follow;
pub use requests::Introduction;
pub use session::{SessionContext, SessionRoot};

use change::indexes::Indexes;
use clients::Clients;
use editors::Interrupted;
use files::cache::SnapshotCache;
use files::locks::FileLocks;
use files::rechecks::RecheckQueue;
use files::watch::{Hints, WatchOrder};
use recovery::{Rescuer, log_recovery, open_journal};
use workspace_handle::{WorkspaceHandle, WorkspaceState};

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
pub(crate) struct Core(Arc<CoreInner>);

pub(crate) struct CoreInner {
    config: Config,
    disk: Arc<dyn Disk>,
    journal: Journal,
    displaced_files: DisplacedFileMonitor,
    /// Configured roots, for sessions that have none.
    roots: Vec<Arc<SessionRoot>>,
    /// Directories that agents may read besides their roots.
    read_roots: Vec<Arc<SessionRoot>>,
    state_dir: PathBuf,
    runtime_dir: PathBuf,
    /// The user's path rules.
    policy: PolicyFile,
    /// Files and directories that belong to editd.
    own: files::access::OwnPaths,
    /// Canonical path of the home directory.
    home: Option<PathBuf>,
    /// Path components of `home`, normalized for the path rules.
    home_names: Vec<String>,
    workspace: WorkspaceHandle,
    locks: FileLocks,
    cache: Arc<SnapshotCache>,
    indexes: Indexes,
    clients: Clients,
    bases: Arc<BaseStore>,
    /// Interrupted change sets whose documents wait for an editor.
    interrupted: Interrupted,
    history: Arc<History>,
    hints: Hints,
    rechecks: RecheckQueue,
    /// Wakes requests that wait for diagnostics.
    diagnoses: Notify,
    /// Limits concurrent searches. Closed when the daemon stops.
    searches: Arc<Semaphore>,
    /// Held while an image is decoded.
    decoding: Arc<tokio::sync::Mutex<()>>,
    /// Limits the memory for large files that are being processed, in units of [`job::WORK_UNIT`].
    memory_permits: Arc<Semaphore>,
    started: Instant,
}

impl std::ops::Deref for Core {
    type Target = CoreInner;

    fn deref(&self) -> &CoreInner {
        &self.0
    }
}

impl Core {
    /// Returns the deadline of a request that starts now.
    fn deadline(&self) -> Deadline {
        Deadline::after(Duration::from_millis(self.config.limits.deadline_ms))
    }
}

/// A running daemon. Cheap to clone.
#[derive(Clone)]
pub struct Daemon {
    core: Core,
    life: Arc<Life>,
}

/// The conditions under which the daemon stops.
struct Life {
    connections: AtomicUsize,
    changed: Notify,
    /// A client newer than this daemon has connected: stop as soon as no client is connected.
    outdated: std::sync::atomic::AtomicBool,
    stop: CancellationToken,
    next_session: AtomicU64,
}

/// Counts as a connection until it is dropped.
pub struct ConnectionGuard(Arc<Life>);

impl Daemon {
    /// Recovers what an earlier daemon left unfinished, and starts background tasks on the current runtime.
    pub fn start(config: Config, disk: Arc<dyn Disk>, places: Places) -> std::io::Result<Self> {
        lsp_review::clear(&places.runtime_dir);
        let (watch, orders) = std::sync::mpsc::channel::<WatchOrder>();
        let bases = Arc::new(BaseStore::open(&places.state_dir.join("bases"), config.limits.kept_bases)?);
        let history =
            Arc::new(History::open(&history::folder_in(&places.state_dir), history_limits(&config)));
        let rescue = Arc::new(Rescuer::new(history.clone(), &places.state_dir));
        let (journal, recovery) = open_journal(&*disk, &places.state_dir, rescue.clone())?;
        log_recovery(&recovery);
        let displaced_files = DisplacedFileMonitor::start(disk.clone(), rescue)?;
        let hints = Hints::default();
        let open = |roots: &[PathBuf]| -> Vec<Arc<SessionRoot>> {
            let opened = roots.iter().filter_map(|root| disk.open_root(root).ok());
            opened.map(|root| Arc::new(SessionRoot::of(&*disk, root, None))).collect()
        };
        let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
        let policy = PolicyFile::beside(&config.file, home.clone());
        let (waiting, proposals) = WaitingProposals::open(&places.state_dir.join("proposals"))?;
        let workspace = Workspace::new(config.limits.clone(), &nonce());
        let (cache, clients) = (Arc::<SnapshotCache>::default(), Clients::default());
        let state = WorkspaceState::new(workspace, cache.clone(), clients.clone(), watch);
        let interrupted = places.state_dir.join("interrupted");
        let inner = CoreInner {
            roots: open(&config.roots),
            read_roots: open(&config.read_roots),
            own: files::access::own_paths([
                &places.state_dir,
                &places.runtime_dir,
                &config.file,
                policy.path(),
            ]),
            state_dir: places.state_dir,
            runtime_dir: places.runtime_dir,
            policy,
            home_names: home.as_deref().map(names_of).unwrap_or_default(),
            home,
            workspace: WorkspaceHandle::new(state, bases.clone(), Arc::new(waiting)),
            locks: FileLocks::default(),
            cache,
            indexes: Indexes::default(),
            clients,
            bases: bases.clone(),
            history: history.clone(),
            interrupted: Interrupted::open(interrupted)?,
            hints: hints.clone(),
            rechecks: RecheckQueue::default(),
            diagnoses: Notify::new(),
            searches: Arc::new(Semaphore::new(SEARCHES)),
            decoding: Arc::default(),
            memory_permits: Arc::new(memory_permits(&config)),
            started: Instant::now(),
            config,
            disk,
            journal,
            displaced_files,
        };
        let core = Core(Arc::new(inner));
        core.forget_committed();
        core.restore(proposals);
        tokio::spawn(core.clone().follow_hints());
        spawn_thread("watch", move || files::watch::run_watcher(&orders, &hints))?;
        // The history compares files to find interrupted transactions, so the files must be recovered first.
        spawn_thread("history", move || history.settle_previous_run())?;
        let life = Life {
            connections: AtomicUsize::new(0),
            changed: Notify::new(),
            outdated: false.into(),
            stop: CancellationToken::new(),
            next_session: AtomicU64::new(1),
        };
        Ok(Self { core, life: Arc::new(life) })
    }

    /// The configuration of the daemon.
    pub fn config(&self) -> &Config {
        &self.core.config
    }

    /// Counts a connection. Returns `None` if the limit of connections is reached.
    pub fn connection(&self) -> Option<ConnectionGuard> {
        let limit = self.core.config.limits.connections;
        let before = self.life.connections.fetch_add(1, Ordering::SeqCst);
        let guard = ConnectionGuard(self.life.clone());
        self.life.changed.notify_one();
        (before < limit).then_some(guard)
    }

    /// Returns a token that is cancelled when the daemon stops.
    pub fn stopped(&self) -> CancellationToken {
        self.life.stop.clone()
    }

    /// Stops the daemon. It accepts no new connections, cancels searches, and finishes all other requests.
    pub fn stop(&self) {
        self.core.searches.close();
        self.life.stop.cancel();
    }

    /// Cleans up after the last request, so that the next start has nothing to recover if no request failed.
    pub fn tidy(&self) {
        lsp_review::clear(&self.core.runtime_dir);
        self.core.displaced_files.check_now();
        self.core.journal.tidy(&*self.core.disk, true);
    }

    /// Returns an id for a new session.
    pub fn next_session(&self) -> SessionId {
        SessionId(self.life.next_session.fetch_add(1, Ordering::Relaxed))
    }

    /// Registers a session and the sink of its client. From now on the session may send requests.
    pub fn connect(&self, context: &SessionContext, sink: Arc<dyn ClientSink>) {
        let names = (context.author.clone(), context.name.clone());
        let session = Session::new(context.id, context.role, names, context.root_paths())
            .with_abilities(context.abilities);
        self.core.clients.insert(context.id, sink);
        self.core.workspace.update(|w| w.connect(session));
    }

    /// Removes a session whose client has disconnected.
    pub fn disconnect(&self, session: SessionId) {
        self.core.clients.remove(session);
        self.core.workspace.update(|w| w.disconnect(session));
        self.core.diagnoses.notify_waiters();
    }

    /// Stops the daemon when no client has been connected for the configured time.
    pub async fn exit_when_idle(&self) {
        loop {
            let idle = self.life.connections.load(Ordering::SeqCst) == 0;
            let outdated = self.life.outdated.load(Ordering::SeqCst);
            if idle && outdated {
                return self.stop();
            }
            let idle_for = if idle { self.core.config.idle_exit } else { Duration::MAX };
            tokio::select! {
                () = tokio::time::sleep(idle_for) => return self.stop(),
                () = self.life.changed.notified() => {}
                () = self.life.stop.cancelled() => return,
            }
        }
    }

    /// Records the version of a client. If it is newer than the daemon, the daemon stops when no client is
    /// connected.
    pub fn met_client_version(&self, version: &str) {
        if is_newer(version, env!("CARGO_PKG_VERSION")) {
            self.life.outdated.store(true, Ordering::SeqCst);
        }
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_one();
    }
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn memory_permits(config: &Config) -> Semaphore {
    let units = config.limits.work_memory / job::WORK_UNIT;
    Semaphore::new(usize::try_from(units).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS))
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
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let mixed =
        blake3::hash(&[now.as_nanos().to_le_bytes().as_slice(), &std::process::id().to_le_bytes()].concat());
    mixed.to_hex()[..6].to_owned()
}

/// Returns `true` if version `a` is newer than version `b`. Compares number by number.
fn is_newer(a: &str, b: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        version.split(['.', '-', '+']).take(3).map_while(|part| part.parse().ok()).collect()
    };
    numbers(a) > numbers(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_newer("0.10.0", "0.9.1") && is_newer("1.0.0", "0.9.9"));
        assert!(!is_newer("0.1.0", "0.1.0") && !is_newer("nonsense", "0.1.0"));
    }
}
