use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::Mode;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::config::Config;
use crate::disk::OsDisk;
use crate::server::{Daemon, Places};
use crate::workspace::Role;

use super::activation::InheritedSockets;
use super::budget::MemoryBudget;
use super::connection;
use super::folders::{clear_for_socket, prepare_folders};
use super::places::{AGENT_SOCKET, EDITOR_SOCKET, SOCKET_PATH, lock_instance, lock_sockets, record_sockets};
use super::signals::Signals;
use super::sockets::Sockets;

/// Time that a daemon with sockets of a service manager waits for the previous daemon to end. Connected
/// clients wait with it. If it failed instead, the manager would only start it again and again.
const PREDECESSOR_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause between attempts to take a lock.
const LOCK_RETRY: Duration = Duration::from_millis(20);

/// Error text of a daemon that finds another one running. A client that started the daemon searches for it.
pub(super) const ALREADY_RUNNING: &str = "a daemon is running already";
/// Pause before accepting again when the system is out of resources.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Maximum number of connections of one socket that are accepted but not started, enough to keep all threads
/// busy.
const MAX_STARTING: usize = 8;

/// An error while starting the daemon.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another daemon runs with the same state folder.
    #[error("{ALREADY_RUNNING} with the state folder {0}")]
    Running(PathBuf),
    /// A daemon with another state folder has its sockets in the same folder.
    #[error("{ALREADY_RUNNING} with its sockets in {0}; choose another folder with --runtime-dir")]
    SocketsTaken(PathBuf),
    /// A folder or socket that other users can write or that does not belong to the daemon.
    #[error("{path} is not safe to use: {reason}")]
    Unsafe {
        /// The folder or socket.
        path: PathBuf,
        /// Reason why it is not safe.
        reason: &'static str,
    },
    /// The service manager passed something other than the two sockets.
    #[error(
        "the service manager must pass two listening Unix stream sockets in one folder, \
         {AGENT_SOCKET} and {EDITOR_SOCKET}, but {0}"
    )]
    Given(String),
    /// The path of a socket is too long.
    #[error(
        "{0} is too long for a socket (over {SOCKET_PATH} bytes); choose another folder with --runtime-dir"
    )]
    TooLong(PathBuf),
    /// An I/O error.
    #[error("{what}: {source}")]
    Io {
        /// The failed operation.
        what: String,
        /// The cause.
        source: io::Error,
    },
}

pub(super) fn failed(what: impl Into<String>) -> impl FnOnce(io::Error) -> ServeError {
    let what = what.into();
    move |source| ServeError::Io { what, source }
}

/// Runs a daemon until it is stopped or has been idle for the configured time. Binds its own sockets if
/// `given` is
/// `None`.
pub async fn serve(
    config: Config,
    places: Places,
    given: Option<InheritedSockets>,
) -> Result<(), ServeError> {
    // Read the user's umask before replacing it. Sockets and state are private to this user.
    let disk = Arc::new(OsDisk::new());
    rustix::process::umask(Mode::from_raw_mode(0o077));
    prepare_folders(&places)?;
    let patience = if given.is_some() { PREDECESSOR_TIMEOUT } else { Duration::ZERO };
    let lock = lock_within(patience, || lock_instance(&places.state_dir)).await;
    let lock = lock.map_err(failed("locking the state folder"))?;
    let Some(_lock) = lock else { return Err(ServeError::Running(places.state_dir)) };
    let sockets = lock_within(patience, || lock_sockets(&places.runtime_dir)).await;
    let sockets = sockets.map_err(failed("locking the folder of the sockets"))?;
    let Some(sockets) = sockets else { return Err(ServeError::SocketsTaken(places.runtime_dir)) };
    raise_file_limit();
    // Interrupted transactions of an earlier daemon are recovered before any client can connect.
    let daemon = Daemon::start(config, disk, places.clone()).map_err(failed("starting"))?;
    let signals = Signals::listen();
    let (listeners, watched) = listeners(given, &places.runtime_dir)?;
    record_sockets(&places).map_err(failed("recording the folder of the sockets"))?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), runtime_dir = %places.runtime_dir.display(), "serving");
    run(&daemon, listeners, signals, &watched).await;
    daemon.tidy();
    watched.remove(&sockets);
    tracing::info!("stopped");
    Ok(())
}

async fn run(
    daemon: &Daemon,
    (agents, editors): (UnixListener, UnixListener),
    signals: Signals,
    watched: &Sockets,
) {
    let tracker = TaskTracker::new();
    let budget = MemoryBudget::new(daemon.config().limits.message_memory);
    tokio::join!(
        accept(daemon, Role::Agent, agents, &tracker, &budget),
        accept(daemon, Role::Editor, editors, &tracker, &budget),
        daemon.exit_when_idle(),
        signals.handle(daemon),
        watched.stop_if_replaced(daemon),
    );
    tracker.close();
    tracker.wait().await;
}

async fn accept(
    daemon: &Daemon,
    role: Role,
    listener: UnixListener,
    tracker: &TaskTracker,
    budget: &MemoryBudget,
) {
    let stopped = daemon.stopped();
    let starting = Arc::new(Semaphore::new(MAX_STARTING));
    loop {
        let accepted = tokio::select! {
            biased;
            () = stopped.cancelled() => return,
            accepted = next(&listener, &starting) => accepted,
        };
        match accepted {
            Ok((stream, permit)) => admit(daemon, role, (stream, permit), tracker, budget),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Accepts the next connection once earlier ones have started. Without this limit, connections that are
/// accepted faster than served would fill the run queue ahead of all other tasks.
async fn next(
    listener: &UnixListener,
    starting: &Arc<Semaphore>,
) -> io::Result<(UnixStream, OwnedSemaphorePermit)> {
    let permit = starting.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

fn admit(
    daemon: &Daemon,
    role: Role,
    (stream, permit): (UnixStream, OwnedSemaphorePermit),
    tracker: &TaskTracker,
    budget: &MemoryBudget,
) {
    let own = rustix::process::geteuid().as_raw();
    // The folder is private already; this check holds even if its permissions were changed.
    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == own) {
        tracing::warn!("a connection of another user was refused");
        return;
    }
    let Some(guard) = daemon.connection() else {
        tracing::warn!("a connection was refused: the limit is reached");
        return;
    };
    let (daemon, connection_budget) = (daemon.clone(), budget.connection());
    tracker.spawn(async move {
        drop(permit);
        let (input, output) = stream.into_split();
        connection::serve(daemon, role, connection_budget, input, output).await;
        drop(guard);
    });
}

/// Takes a lock, and waits until its holder releases it or `patience` is over.
async fn lock_within(
    patience: Duration,
    lock: impl Fn() -> io::Result<Option<File>>,
) -> io::Result<Option<File>> {
    let deadline = Instant::now() + patience;
    loop {
        let taken = lock()?;
        if taken.is_some() || Instant::now() >= deadline {
            return Ok(taken);
        }
        tokio::time::sleep(LOCK_RETRY).await;
    }
}

/// Returns the listeners for agents and for editors.
fn listeners(
    given: Option<InheritedSockets>,
    folder: &Path,
) -> Result<((UnixListener, UnixListener), Sockets), ServeError> {
    if let Some(given) = given {
        return Ok((given.listen()?, Sockets::inherited_in(folder)));
    }
    // Clients that wait for the daemon wait for the agents' socket, so it is bound last.
    let editors = bind(&folder.join(EDITOR_SOCKET))?;
    let agents = bind(&folder.join(AGENT_SOCKET))?;
    Ok(((agents, editors), Sockets::bound_in(folder)))
}

/// Binds a socket. An existing socket is replaced only if no process answers on it: the lock shows that no
/// daemon is running here, but the lock file may have been removed while one was running.
fn bind(path: &Path) -> Result<UnixListener, ServeError> {
    if path.as_os_str().len() > SOCKET_PATH {
        return Err(ServeError::TooLong(path.to_owned()));
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(ServeError::SocketsTaken(path.parent().unwrap_or(path).to_owned()));
    }
    clear_for_socket(path)?;
    // Set before binding instead of changed afterwards, so that other users can never connect.
    let before = rustix::process::umask(Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    rustix::process::umask(before);
    bound.map_err(failed(format!("listening on {}", path.display())))
}

/// Raises the limit of open files. Every connection and every open root takes a file descriptor, and the soft
/// limit is often 1,024.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
