use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::daemon::Places;

/// What the command line says of the folders.
#[derive(Clone, Debug, Default)]
pub struct PlaceOptions {
    /// `--state-dir`.
    pub state_dir: Option<PathBuf>,
    /// `--runtime-dir`.
    pub runtime_dir: Option<PathBuf>,
}

const LOCK: &str = "lock";
/// In the sockets' folder, which two daemons with different state folders may have been told to share.
const SOCKETS_LOCK: &str = "sockets.lock";
const NOTE: &str = "sockets";
/// How often a lock is tried, and how long to wait in between.
const LOCK_ATTEMPTS: u32 = 3;
const LOCK_PAUSE: Duration = Duration::from_millis(2);
/// Longest path of a socket in bytes; the system's address has no room for more.
pub(super) const SOCKET_PATH: usize = 107;
/// Where agents connect.
pub(super) const AGENT_SOCKET: &str = "agent.sock";
/// Where editors connect.
pub(super) const EDITOR_SOCKET: &str = "editor.sock";

/// The folders that a daemon or client uses: from the command line, else the environment, else by
/// convention. A client finds the sockets of a daemon that was started differently through its note.
pub fn places(options: &PlaceOptions) -> io::Result<Places> {
    let state_dir = match options.state_dir.clone().or_else(|| from_env("EDITD_STATE_DIR")) {
        Some(dir) => dir,
        None => from_env("XDG_STATE_HOME").map_or_else(default_state_home, Ok)?.join("editd"),
    };
    let state_dir = plain(&state_dir)?;
    let asked = options.runtime_dir.clone().or_else(|| from_env("EDITD_RUNTIME_DIR"));
    let runtime_dir = asked.unwrap_or_else(|| runtime_dir_of(&state_dir));
    Ok(Places { runtime_dir: plain(&runtime_dir)?, state_dir })
}

/// Absolute, and without the trailing slash that would make a link look like the folder behind it.
fn plain(path: &Path) -> io::Result<PathBuf> {
    Ok(std::path::absolute(path)?.components().collect())
}

/// Where the sockets are if nobody says: where a living daemon noted them, else by convention.
pub fn runtime_dir_of(state_dir: &Path) -> PathBuf {
    let noted = std::fs::read_to_string(state_dir.join(NOTE)).ok().filter(|note| !note.is_empty());
    match noted {
        Some(noted) if instance_is_alive(state_dir) => noted.into(),
        _ => from_env("XDG_RUNTIME_DIR").map_or_else(|| state_dir.join("run"), |dir| dir.join("editd")),
    }
}

/// Whether a daemon holds the lock of this state folder.
pub fn instance_is_alive(state_dir: &Path) -> bool {
    is_held(&state_dir.join(LOCK))
}

/// Whether a daemon serves the sockets in this folder. A service manager's would take connections without one,
/// and start one for them.
pub(super) fn are_served(runtime_dir: &Path) -> bool {
    is_held(&runtime_dir.join(SOCKETS_LOCK))
}

fn is_held(lock: &Path) -> bool {
    let Ok(lock) = File::open(lock) else { return false };
    // The lock is given back at once: it was only tried.
    matches!(lock.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Takes the lock of a state folder; none if a daemon has it. It is held for as long as the file is open.
pub(super) fn lock_instance(state_dir: &Path) -> io::Result<Option<File>> {
    lock(&state_dir.join(LOCK))
}

/// Takes the lock of the sockets' folder: only who has it puts sockets there and takes them away.
pub(super) fn lock_sockets(runtime_dir: &Path) -> io::Result<Option<File>> {
    lock(&runtime_dir.join(SOCKETS_LOCK))
}

fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            // A client that asks whether a daemon is alive holds it for a moment.
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Notes where the sockets are, for clients that were not told.
pub(super) fn note_sockets(places: &Places) -> io::Result<()> {
    std::fs::write(places.state_dir.join(NOTE), places.runtime_dir.as_os_str().as_encoded_bytes())
}

/// An empty variable counts as absent, as XDG has it.
fn from_env(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn default_state_home() -> io::Result<PathBuf> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let missing = || io::Error::other("HOME is not set, so there is no place for editd's state");
    home.map(|home| home.join(".local/state")).ok_or_else(missing)
}
