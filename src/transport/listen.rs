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
use crate::daemon::{Daemon, Places};
use crate::disk::OsDisk;
use crate::workspace::Role;

use super::connection;
use super::folders::{clear_for_socket, prepare_folders};
use super::given::GivenSockets;
use super::intake::Intake;
use super::places::{AGENT_SOCKET, EDITOR_SOCKET, SOCKET_PATH, lock_instance, lock_sockets, note_sockets};
use super::signals::Signals;
use super::sockets::Sockets;

/// How long a daemon with sockets of a service manager waits for the one before it to end. Whoever has connected
/// waits with it; to fail would only have the manager start it again and again.
const PREDECESSOR: Duration = Duration::from_secs(5);
/// How often it tries.
const LOCK_RETRY: Duration = Duration::from_millis(20);

/// How a daemon says that another is in its place; a client that started it looks for these words.
pub(super) const ALREADY_RUNNING: &str = "a daemon is running already";
/// How long to wait before accepting again when the system is out of something.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Connections of one socket that are accepted and have not begun: enough to keep all threads busy.
const NEWCOMERS: usize = 8;

/// Why a daemon could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another one runs with the same state folder.
    #[error("{ALREADY_RUNNING} with the state folder {0}")]
    Running(PathBuf),
    /// One with another state folder has its sockets in the same place.
    #[error("{ALREADY_RUNNING} with its sockets in {0}; choose another folder with --runtime-dir")]
    SocketsTaken(PathBuf),
    /// A folder or socket that others could write or that is not ours.
    #[error("{path} is not safe to use: {reason}")]
    Unsafe {
        /// The folder or socket.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The service manager gave it something else than its two sockets.
    #[error(
        "the service manager has to give two listening Unix stream sockets in one folder, \
         {AGENT_SOCKET} and {EDITOR_SOCKET}, but {0}"
    )]
    Given(String),
    /// The path of a socket is too long.
    #[error(
        "{0} is too long for a socket (over {SOCKET_PATH} bytes); choose another folder with --runtime-dir"
    )]
    TooLong(PathBuf),
    /// Something failed.
    #[error("{what}: {source}")]
    Io {
        /// What was attempted.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

pub(super) fn failed(what: impl Into<String>) -> impl FnOnce(io::Error) -> ServeError {
    let what = what.into();
    move |source| ServeError::Io { what, source }
}

/// Runs a daemon until it is stopped or has been idle for as long as configured, with its own sockets if it is
/// given none.
pub async fn serve(config: Config, places: Places, given: Option<GivenSockets>) -> Result<(), ServeError> {
    // The disk reads the user's umask, before ours replaces it: sockets and state are for this user only.
    let disk = Arc::new(OsDisk::new());
    rustix::process::umask(Mode::from_raw_mode(0o077));
    prepare_folders(&places)?;
    let patience = if given.is_some() { PREDECESSOR } else { Duration::ZERO };
    let lock = within(patience, || lock_instance(&places.state_dir)).await;
    let lock = lock.map_err(failed("locking the state folder"))?;
    let Some(_lock) = lock else { return Err(ServeError::Running(places.state_dir)) };
    let sockets = within(patience, || lock_sockets(&places.runtime_dir)).await;
    let sockets = sockets.map_err(failed("locking the folder of the sockets"))?;
    let Some(sockets) = sockets else { return Err(ServeError::SocketsTaken(places.runtime_dir)) };
    raise_file_limit();
    // What an earlier daemon was interrupted in is put right before anybody can ask for anything.
    let daemon = Daemon::start(config, disk, places.clone()).map_err(failed("starting"))?;
    let signals = Signals::listen();
    let (listeners, watched) = listeners(given, &places.runtime_dir)?;
    note_sockets(&places).map_err(failed("noting the sockets"))?;
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
    let intake = Intake::new(daemon.config().limits.message_memory);
    tokio::join!(
        accept(daemon, Role::Agent, agents, &tracker, &intake),
        accept(daemon, Role::Editor, editors, &tracker, &intake),
        daemon.exit_when_idle(),
        signals.heed(daemon),
        watched.stop_if_stolen(daemon),
    );
    tracker.close();
    tracker.wait().await;
}

async fn accept(daemon: &Daemon, role: Role, listener: UnixListener, tracker: &TaskTracker, intake: &Intake) {
    let stopped = daemon.stopped();
    let newcomers = Arc::new(Semaphore::new(NEWCOMERS));
    loop {
        let accepted = tokio::select! {
            biased;
            () = stopped.cancelled() => return,
            accepted = next(&listener, &newcomers) => accepted,
        };
        match accepted {
            Ok((stream, newcomer)) => admit(daemon, role, (stream, newcomer), tracker, intake),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// The next connection, once those before it have begun. Whatever else is to go on stands in one queue with
/// them, and would come after any number that is taken in faster than served.
async fn next(
    listener: &UnixListener,
    newcomers: &Arc<Semaphore>,
) -> io::Result<(UnixStream, OwnedSemaphorePermit)> {
    let newcomer = newcomers.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, newcomer))
}

fn admit(
    daemon: &Daemon,
    role: Role,
    (stream, newcomer): (UnixStream, OwnedSemaphorePermit),
    tracker: &TaskTracker,
    intake: &Intake,
) {
    let own = rustix::process::geteuid().as_raw();
    // The folder keeps others out already; this holds even if somebody opened it.
    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == own) {
        tracing::warn!("a connection of another user was refused");
        return;
    }
    let Some(guard) = daemon.connection() else {
        tracing::warn!("a connection was refused: there are as many as the limit allows");
        return;
    };
    let (daemon, share) = (daemon.clone(), intake.share());
    tracker.spawn(async move {
        drop(newcomer);
        let (input, output) = stream.into_split();
        connection::serve(daemon, role, share, input, output).await;
        drop(guard);
    });
}

/// Takes a lock, if need be as soon as somebody else has let go of it.
async fn within(patience: Duration, lock: impl Fn() -> io::Result<Option<File>>) -> io::Result<Option<File>> {
    let deadline = Instant::now() + patience;
    loop {
        let taken = lock()?;
        if taken.is_some() || Instant::now() >= deadline {
            return Ok(taken);
        }
        tokio::time::sleep(LOCK_RETRY).await;
    }
}

/// The sockets of agents and of editors.
fn listeners(
    given: Option<GivenSockets>,
    folder: &Path,
) -> Result<((UnixListener, UnixListener), Sockets), ServeError> {
    if let Some(given) = given {
        return Ok((given.listen()?, Sockets::given_in(folder)));
    }
    // Whoever waits for the daemon waits for the agents' socket: once that is there, both are.
    let editors = bind(&folder.join(EDITOR_SOCKET))?;
    let agents = bind(&folder.join(AGENT_SOCKET))?;
    Ok(((agents, editors), Sockets::bound_in(folder)))
}

/// Binds a socket. One that is there already is replaced only if nobody answers on it: the lock says that
/// no daemon lives here, but one may have been started with the lock taken away.
fn bind(path: &Path) -> Result<UnixListener, ServeError> {
    if path.as_os_str().len() > SOCKET_PATH {
        return Err(ServeError::TooLong(path.to_owned()));
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(ServeError::SocketsTaken(path.parent().unwrap_or(path).to_owned()));
    }
    clear_for_socket(path)?;
    // Set before, not changed after: there is no moment in which others could connect.
    let before = rustix::process::umask(Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    rustix::process::umask(before);
    bound.map_err(failed(format!("listening on {}", path.display())))
}

/// Every connection and every opened root takes a file descriptor; the soft limit is often 1,024.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
