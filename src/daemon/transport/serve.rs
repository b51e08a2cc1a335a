//! Runs a daemon: its start, its connections, and the signals that stop it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use rustix::fs::Mode;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::config::Config;
use crate::server::{ConnectionGuard, Daemon, Places};
use editd_disk::{OsDisk, SOCKET_PATH, has_other_files, leads_session};
use editd_workspace::Role;

use super::connection;
use super::dirs::{LOCK, SOCKETS_LOCK, lock, prepare_folders, record_sockets};
use super::enforced::is_restricted;
use super::limits::MemoryBudget;
use super::lsp::Peer;
use super::path_maps::PathMaps;
use super::sockets::{AGENT_SOCKET, EDITOR_SOCKET, InheritedSockets, Sockets};

/// Time that a daemon with sockets of a service manager waits for the previous daemon to end. Connected
/// clients wait with it. If it failed instead, the manager would only start it again and again.
const PREDECESSOR_TIMEOUT: Duration = Duration::from_secs(5);

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
    let state_lock = lock(&places.state_dir.join(LOCK), patience).await;
    let state_lock = state_lock.map_err(failed("locking the state folder"))?;
    let Some(_state_lock) = state_lock else { return Err(ServeError::Running(places.state_dir)) };
    let sockets_lock = lock(&places.runtime_dir.join(SOCKETS_LOCK), patience).await;
    let sockets_lock = sockets_lock.map_err(failed("locking the folder of the sockets"))?;
    let Some(sockets_lock) = sockets_lock else { return Err(ServeError::SocketsTaken(places.runtime_dir)) };
    raise_file_limit();
    // Interrupted transactions of an earlier daemon are recovered before any client can connect.
    let daemon = Daemon::start(config, disk, places.clone()).map_err(failed("starting"))?;
    let signals = Signals::listen();
    let (listeners, sockets) = Sockets::listen(given, &places.runtime_dir)?;
    record_sockets(&places).map_err(failed("recording the folder of the sockets"))?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), runtime_dir = %places.runtime_dir.display(), "serving");
    run(&daemon, listeners, signals, &sockets).await;
    daemon.tidy();
    sockets.remove(&sockets_lock);
    tracing::info!("stopped");
    Ok(())
}

async fn run(
    daemon: &Daemon,
    (agents, editors): (UnixListener, UnixListener),
    signals: Signals,
    sockets: &Sockets,
) {
    let tracker = TaskTracker::new();
    let budget = MemoryBudget::new(daemon.config().limits.message_memory);
    tokio::join!(
        accept(daemon, Role::Agent, agents, &tracker, &budget),
        accept(daemon, Role::Editor, editors, &tracker, &budget),
        daemon.exit_when_idle(),
        signals.handle(daemon),
        sockets.stop_if_replaced(daemon),
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
    let maps = PathMaps::of(&daemon.config().maps);
    let starting = Arc::new(Semaphore::new(MAX_STARTING));
    loop {
        let accepted = tokio::select! {
            biased;
            () = stopped.cancelled() => return,
            accepted = next(&listener, &starting) => accepted,
        };
        match accepted {
            Ok((stream, permit)) => {
                if role == Role::Editor && is_restricted(daemon.places(), &stream) {
                    tracing::warn!(
                        "a command under `editd run --enforce` was refused on the socket of editors"
                    );
                    continue;
                }
                let Some(guard) = admit(daemon, role, &stream) else { continue };
                let (daemon, budget) = (daemon.clone(), budget.connection());
                let peer = Peer { role, process: process_of(&stream) };
                let maps = is_in_container(&stream).unwrap_or(!maps.is_empty()).then(|| maps.clone());
                tracker.spawn(async move {
                    drop(permit);
                    let (input, output) = stream.into_split();
                    connection::serve(daemon, peer, (budget, maps), input, output).await;
                    drop(guard);
                });
            }
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

/// Counts a connection. Returns `None` if it is refused.
fn admit(daemon: &Daemon, role: Role, stream: &UnixStream) -> Option<ConnectionGuard> {
    let own = rustix::process::geteuid().as_raw();
    // The folder is private already; this check holds even if its permissions were changed.
    let Some(peer) = stream.peer_cred().ok().filter(|peer| peer.uid() == own) else {
        tracing::warn!("a connection of another user was refused");
        return None;
    };
    let guard = daemon.connection(role, peer.pid());
    guard.inspect_err(|reason| tracing::warn!(%reason, "a connection was refused")).ok()
}

/// Returns the process at the other end. A process that is outside of the container of the daemon has the number 0.
fn process_of(stream: &UnixStream) -> Option<i32> {
    stream.peer_cred().ok()?.pid().filter(|process| *process > 0)
}

/// Returns `true` if the program at the other end is in a container; `None` if that cannot be known.
fn is_in_container(stream: &UnixStream) -> Option<bool> {
    has_other_files(stream.peer_cred().ok()?.pid()?)
}

/// Raises the limit of open files. Every connection and every open root takes a file descriptor, and the soft
/// limit is often 1,024; on macOS it is 256, and the hard limit is unlimited.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    /// The most that every macOS accepts: it refuses an unlimited soft limit (`setrlimit(2)`, and `OPEN_MAX` in
    /// Apple's `sys/syslimits.h`).
    const OPEN_MAX: u64 = 10_240;
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    if raised.is_err() && limit.current.is_some_and(|current| current < OPEN_MAX) {
        let current = Some(limit.maximum.map_or(OPEN_MAX, |maximum| maximum.min(OPEN_MAX)));
        let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum: limit.maximum });
    }
}

/// `SIGXFSZ`, which tokio does not name: a write exceeded the file size limit of the process. The number is
/// the same on all supported systems (`signal(7)` of Linux; `sys/signal.h` of macOS).
const FILE_SIZE: i32 = 25;

/// Signal handlers of the daemon.
///
/// `SIGTERM` and `SIGINT` stop it. `SIGHUP` stops a daemon that runs in a terminal when the terminal is
/// closed; a daemon in its own session, as started by commands, ignores it. `SIGXFSZ` is handled only so that
/// it does not kill the process: the write fails, and its request is refused. (The Rust runtime ignores
/// `SIGPIPE`.)
pub(super) struct Signals {
    stop: Vec<Signal>,
    _file_size: Option<Signal>,
}

impl Signals {
    /// Installs the signal handlers. Must be called before other processes can find the daemon and send it a
    /// signal.
    pub(super) fn listen() -> Self {
        let stop = [SignalKind::terminate(), SignalKind::interrupt()];
        let mut stop: Vec<Signal> = stop.into_iter().filter_map(listen).collect();
        // A handler is installed in any case, so that the signal does not kill the process. The leader of a session
        // has no terminal.
        stop.extend(listen(SignalKind::hangup()).filter(|_| !leads_session()));
        Self { stop, _file_size: listen(SignalKind::from_raw(FILE_SIZE)) }
    }

    /// Stops the daemon when a signal arrives.
    pub(super) async fn handle(mut self, daemon: &Daemon) {
        let stopped = daemon.stopped();
        let signaled = std::future::poll_fn(|cx| {
            let received = self.stop.iter_mut().any(|signal| signal.poll_recv(cx).is_ready());
            if received { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            () = signaled => daemon.stop(),
            () = stopped.cancelled() => {}
        }
    }
}

fn listen(kind: SignalKind) -> Option<Signal> {
    let received = signal(kind);
    received.inspect_err(|error| tracing::warn!(%error, ?kind, "a signal cannot be received")).ok()
}
