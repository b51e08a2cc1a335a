use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::server::Places;

/// Command line options for the folders.
#[derive(Clone, Debug, Default)]
pub struct PlaceOptions {
    /// `--state-dir`.
    pub state_dir: Option<PathBuf>,
    /// `--runtime-dir`.
    pub runtime_dir: Option<PathBuf>,
}

const LOCK: &str = "lock";
/// Lock file in the folder of the sockets, because two daemons with different state folders may be configured
/// to share that folder.
const SOCKETS_LOCK: &str = "sockets.lock";
const SOCKETS_RECORD: &str = "sockets";
/// Maximum number of attempts to take a lock.
const LOCK_ATTEMPTS: u32 = 3;
/// Pause between attempts.
const LOCK_PAUSE: Duration = Duration::from_millis(2);
/// Maximum length of the path of a socket in bytes, as limited by `sockaddr_un`.
pub(super) const SOCKET_PATH: usize = 107;
/// Socket for agents.
pub(super) const AGENT_SOCKET: &str = "agent.sock";
/// Socket for editors.
pub(super) const EDITOR_SOCKET: &str = "editor.sock";

/// Determines the folders that a daemon or client uses: from the command line, else the environment, else by
/// convention. A daemon records the folder of its sockets, so that clients find it if it was started with
/// other options.
pub fn places(options: &PlaceOptions) -> io::Result<Places> {
    let state_dir = match options.state_dir.clone().or_else(|| from_env("EDITD_STATE_DIR")) {
        Some(dir) => dir,
        None => from_env("XDG_STATE_HOME").map_or_else(default_state_home, Ok)?.join("editd"),
    };
    let state_dir = plain(&state_dir)?;
    let requested = options.runtime_dir.clone().or_else(|| from_env("EDITD_RUNTIME_DIR"));
    let runtime_dir = requested.unwrap_or_else(|| runtime_dir_of(&state_dir));
    Ok(Places { runtime_dir: plain(&runtime_dir)?, state_dir })
}

/// Makes a path absolute and removes the trailing slash, which would make a link look like its target folder.
fn plain(path: &Path) -> io::Result<PathBuf> {
    Ok(std::path::absolute(path)?.components().collect())
}

/// Returns the default folder of the sockets: the one recorded by a running daemon, else the conventional
/// one.
pub fn runtime_dir_of(state_dir: &Path) -> PathBuf {
    let recorded =
        std::fs::read_to_string(state_dir.join(SOCKETS_RECORD)).ok().filter(|recorded| !recorded.is_empty());
    match recorded {
        Some(recorded) if instance_is_alive(state_dir) => recorded.into(),
        _ => from_env("XDG_RUNTIME_DIR").map_or_else(|| state_dir.join("run"), |dir| dir.join("editd")),
    }
}

/// Returns `true` if a daemon holds the lock of this state folder.
pub fn instance_is_alive(state_dir: &Path) -> bool {
    is_held(&state_dir.join(LOCK))
}

/// Returns `true` if a daemon serves the sockets in this folder. Sockets of a service manager would accept
/// connections without a daemon, and start one.
pub(super) fn are_served(runtime_dir: &Path) -> bool {
    is_held(&runtime_dir.join(SOCKETS_LOCK))
}

fn is_held(lock: &Path) -> bool {
    let Ok(lock) = File::open(lock) else { return false };
    // The lock is released immediately if it was free.
    matches!(lock.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Locks a state folder. Returns `None` if another daemon holds the lock. The lock is held until the file is
/// closed.
pub(super) fn lock_instance(state_dir: &Path) -> io::Result<Option<File>> {
    lock(&state_dir.join(LOCK))
}

/// Locks the folder of the sockets. Only the holder of the lock creates and removes sockets there.
pub(super) fn lock_sockets(runtime_dir: &Path) -> io::Result<Option<File>> {
    lock(&runtime_dir.join(SOCKETS_LOCK))
}

fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            // A client that checks whether a daemon is running holds the lock for a moment.
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Records the folder of the sockets for clients without an explicit option.
pub(super) fn record_sockets(places: &Places) -> io::Result<()> {
    std::fs::write(places.state_dir.join(SOCKETS_RECORD), places.runtime_dir.as_os_str().as_encoded_bytes())
}

/// Returns the path in an environment variable. An empty variable counts as absent, as the XDG specification
/// requires.
fn from_env(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn default_state_home() -> io::Result<PathBuf> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let missing = || io::Error::other("HOME is not set, so editd has no folder for its state");
    home.map(|home| home.join(".local/state")).ok_or_else(missing)
}
