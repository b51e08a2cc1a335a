//! The daemon: one place that changes the [`Workspace`], and around it the work that may take time.
//!
//! A request goes through four steps. It **observes** on a thread of its own: finds its files, waits for its
//! turn on each, reads them. It asks that place to **decide**: is this what the author was given? It works
//! the change out and **performs** it, again without anybody waiting. It **commits**: the books are written,
//! other readers told, and the request is answered. A request is answered exactly once, whatever happens.
//!
//! A daemon within another program, where it is reached by its sockets:
//!
//! ```no_run
//! use editd::config::Config;
//! use editd::transport::{PlaceOptions, places, serve};
//!
//! let config = Config::load("/home/ada/.config/editd/config.toml".into());
//! let places = places(&PlaceOptions::default())?;
//! tokio::runtime::Runtime::new()?.block_on(serve(config, places, None))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod books;
mod cache;
mod clients;
mod commit;
mod content;
mod copies;
mod diagnoses;
mod difference;
mod draft;
mod editors;
mod event;
mod failure;
mod guard;
mod hints;
mod indexes;
mod job;
mod lanes;
mod locate;
mod looks;
mod observe;
mod past;
mod plain;
mod rebase;
mod recovery;
mod requests;
mod review;
mod searching;
mod session;
mod undo;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::config::{Config, PolicyFile};
use crate::disk::{BaseStore, Disk, Journal, LateLook};
use crate::edit::Deadline;
use crate::history::{self, History, HistoryLimits, Waiting};
use crate::workspace::limits::SEARCHES;
use crate::workspace::rules::names_of;
use crate::workspace::{Session, SessionId, Workspace};

pub use clients::{Asked, Outlet};
pub use failure::Failure;
pub use plain::Follow;
pub use requests::Introduction;
pub use session::{SessionContext, SessionRoot};

use books::{Books, Keeper};
use cache::SnapshotCache;
use clients::Clients;
use editors::Interrupted;
use event::Event;
use hints::{Hints, WatchOrder};
use indexes::Indexes;
use lanes::Lanes;
use looks::Looks;
use recovery::{Rescuer, open_journal, tell};

/// Where the daemon keeps its things.
#[derive(Clone, Debug)]
pub struct Places {
    /// State: the lock, kept bases, logs.
    pub state_dir: PathBuf,
    /// Sockets.
    pub runtime_dir: PathBuf,
}

/// What every request has at hand. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Core(Arc<CoreInner>);

pub(crate) struct CoreInner {
    config: Config,
    disk: Arc<dyn Disk>,
    journal: Journal,
    late_look: LateLook,
    /// Configured roots, for sessions that have none.
    roots: Vec<Arc<SessionRoot>>,
    /// Folders that agents may read besides their roots.
    read_roots: Vec<Arc<SessionRoot>>,
    state_dir: PathBuf,
    runtime_dir: PathBuf,
    /// The user's path rules.
    policy: PolicyFile,
    /// Files and folders of editd's own.
    own: guard::Own,
    /// The home folder, canonical.
    home: Option<PathBuf>,
    /// The names of its path, as rules compare them.
    home_names: Vec<String>,
    books: Books,
    lanes: Lanes,
    cache: Arc<SnapshotCache>,
    indexes: Indexes,
    clients: Clients,
    bases: Arc<BaseStore>,
    /// Sets of changes that wait for an editor.
    interrupted: Interrupted,
    history: Arc<History>,
    hints: Hints,
    looks: Looks,
    /// Wakes those who wait for diagnostics.
    diagnoses: Notify,
    /// Room for searches, until the daemon is to end.
    searches: Arc<Semaphore>,
    /// Held by who decodes an image.
    decoding: Arc<tokio::sync::Mutex<()>>,
    /// Room for large files that are being worked on.
    work_room: Arc<Semaphore>,
    started: Instant,
}

impl std::ops::Deref for Core {
    type Target = CoreInner;

    fn deref(&self) -> &CoreInner {
        &self.0
    }
}

impl Core {
    /// When the work for a request that starts now must be done.
    fn deadline(&self) -> Deadline {
        Deadline::after(Duration::from_millis(self.config.limits.deadline_ms))
    }
}

/// The running daemon, as its transports see it. Cheap to clone.
#[derive(Clone)]
pub struct Daemon {
    core: Core,
    life: Arc<Life>,
}

/// When to end.
struct Life {
    connections: AtomicUsize,
    changed: Notify,
    /// A client newer than this daemon was here: end as soon as nobody is connected.
    outdated: std::sync::atomic::AtomicBool,
    stop: CancellationToken,
    next_session: AtomicU64,
}

/// Counts as a connection for as long as it lives.
pub struct ConnectionGuard(Arc<Life>);

impl Daemon {
    /// Puts right what an earlier daemon left unfinished, and starts the helpers on the current runtime.
    pub fn start(config: Config, disk: Arc<dyn Disk>, places: Places) -> std::io::Result<Self> {
        plain::clear(&places.runtime_dir);
        let (watch, orders) = std::sync::mpsc::channel::<WatchOrder>();
        let bases = Arc::new(BaseStore::open(&places.state_dir.join("bases"), config.limits.kept_bases)?);
        let history =
            Arc::new(History::open(&history::folder_in(&places.state_dir), history_limits(&config)));
        let rescue = Arc::new(Rescuer::new(history.clone(), &places.state_dir));
        let (journal, recovery) = open_journal(&*disk, &places.state_dir, rescue.clone())?;
        tell(&recovery);
        let late_look = LateLook::start(disk.clone(), rescue)?;
        let hints = Hints::default();
        let open = |roots: &[PathBuf]| -> Vec<Arc<SessionRoot>> {
            let opened = roots.iter().filter_map(|root| disk.open_root(root).ok());
            opened.map(|root| Arc::new(SessionRoot::of(&*disk, root, None))).collect()
        };
        let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
        let policy = PolicyFile::beside(&config.file, home.clone());
        let (waiting, proposals) = Waiting::open(&places.state_dir.join("proposals"))?;
        let workspace = Workspace::new(config.limits.clone(), &nonce());
        let (cache, clients) = (Arc::<SnapshotCache>::default(), Clients::default());
        let keeper = Keeper { workspace, cache: cache.clone(), clients: clients.clone(), watch };
        let interrupted = places.state_dir.join("interrupted");
        let inner = CoreInner {
            roots: open(&config.roots),
            read_roots: open(&config.read_roots),
            own: guard::own_places([&places.state_dir, &places.runtime_dir, &config.file, policy.path()]),
            state_dir: places.state_dir,
            runtime_dir: places.runtime_dir,
            policy,
            home_names: home.as_deref().map(names_of).unwrap_or_default(),
            home,
            books: Books::new(keeper, bases.clone(), Arc::new(waiting)),
            lanes: Lanes::default(),
            cache,
            indexes: Indexes::default(),
            clients,
            bases: bases.clone(),
            history: history.clone(),
            interrupted: Interrupted::open(interrupted)?,
            hints: hints.clone(),
            looks: Looks::default(),
            diagnoses: Notify::new(),
            searches: Arc::new(Semaphore::new(SEARCHES)),
            decoding: Arc::default(),
            work_room: Arc::new(work_room(&config)),
            started: Instant::now(),
            config,
            disk,
            journal,
            late_look,
        };
        let core = Core(Arc::new(inner));
        core.forget_landed();
        core.restore(proposals);
        tokio::spawn(core.clone().follow_hints());
        spawn_thread("watch", move || hints::keep_watch(&orders, &hints))?;
        // What was interrupted is told from what was not by the files: whatever recovers them comes before.
        spawn_thread("history", move || history.tend())?;
        let life = Life {
            connections: AtomicUsize::new(0),
            changed: Notify::new(),
            outdated: false.into(),
            stop: CancellationToken::new(),
            next_session: AtomicU64::new(1),
        };
        Ok(Self { core, life: Arc::new(life) })
    }

    /// What the daemon was configured with.
    pub fn config(&self) -> &Config {
        &self.core.config
    }

    /// Counts a connection. None if there are as many as there may be.
    pub fn connection(&self) -> Option<ConnectionGuard> {
        let limit = self.core.config.limits.connections;
        let before = self.life.connections.fetch_add(1, Ordering::SeqCst);
        let guard = ConnectionGuard(self.life.clone());
        self.life.changed.notify_one();
        (before < limit).then_some(guard)
    }

    /// Cancelled when the daemon is to end.
    pub fn stopped(&self) -> CancellationToken {
        self.life.stop.clone()
    }

    /// Ends the daemon: no new connections; requests under way are finished, but for searches.
    pub fn stop(&self) {
        self.core.searches.close();
        self.life.stop.cancel();
    }

    /// Leaves nothing for the next start to look at, if all has ended well.
    pub fn tidy(&self) {
        plain::clear(&self.core.runtime_dir);
        self.core.late_look.look_now();
        self.core.journal.tidy(&*self.core.disk, true);
    }

    /// A number for a new session.
    pub fn next_session(&self) -> SessionId {
        SessionId(self.life.next_session.fetch_add(1, Ordering::Relaxed))
    }

    /// Registers a session and the way to its client. From now on it may send requests.
    pub fn connect(&self, context: &SessionContext, outlet: Arc<dyn Outlet>) -> Result<(), Failure> {
        let names = (context.author.clone(), context.name.clone());
        let session = Session::new(context.id, context.role, names, context.root_paths())
            .with_abilities(context.abilities);
        self.core.clients.insert(context.id, outlet);
        self.core.ask(|reply| Event::Connected { session, reply })
    }

    /// Forgets a session: its client is gone.
    pub fn disconnect(&self, session: SessionId) {
        self.core.clients.remove(session);
        self.core.books.send(Event::Disconnected { session });
        self.core.diagnoses.notify_waiters();
    }

    /// Ends the daemon once nobody has been connected for as long as configured.
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

    /// A client of this version is here; if it is newer, the daemon makes room when it can.
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

fn work_room(config: &Config) -> Semaphore {
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

/// Makes ids differ from those of every other start.
fn nonce() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let mixed =
        blake3::hash(&[now.as_nanos().to_le_bytes().as_slice(), &std::process::id().to_le_bytes()].concat());
    mixed.to_hex()[..6].to_owned()
}

/// Compares versions number by number.
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
