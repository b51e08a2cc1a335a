use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

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
const NOTE: &str = "sockets";
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
    let state_dir = std::path::absolute(state_dir)?;
    let asked = options.runtime_dir.clone().or_else(|| from_env("EDITD_RUNTIME_DIR"));
    let runtime_dir = asked.unwrap_or_else(|| runtime_dir_of(&state_dir));
    Ok(Places { runtime_dir: std::path::absolute(runtime_dir)?, state_dir })
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
    let Ok(lock) = File::open(state_dir.join(LOCK)) else { return false };
    // The lock is given back at once: it was only tried.
    matches!(lock.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Takes the lock of a state folder; none if a daemon has it. It is held for as long as the file is open.
pub(super) fn lock_instance(state_dir: &Path) -> io::Result<Option<File>> {
    let lock = File::options().create(true).truncate(false).write(true).open(state_dir.join(LOCK))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
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
