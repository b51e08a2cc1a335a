//! The folders of a daemon, which are private to the user and never shared with another purpose, and their
//! locks.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::server::Places;
use editd_disk::{make_private_folder, open_private_file, read_private_file, replace_private_file};

use super::serve::{ServeError, failed};

/// Command line options for the folders.
#[derive(Clone, Debug, Default)]
pub struct DirOptions {
    /// `--state-dir`.
    pub state_dir: Option<PathBuf>,
    /// `--runtime-dir`.
    pub runtime_dir: Option<PathBuf>,
}

/// Lock file in the state folder.
pub(super) const LOCK: &str = "lock";
/// Lock file in the folder of the sockets, because two daemons with different state folders may be configured
/// to share that folder.
pub(super) const SOCKETS_LOCK: &str = "sockets.lock";
const SOCKETS_RECORD: &str = "sockets";
/// Minimum time for which a lock is tried: a client that checks whether a daemon is running holds the lock for
/// a moment.
const LOCK_CHECK: Duration = Duration::from_millis(10);
/// Pause between attempts.
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// Determines the folders that a daemon or client uses: from the command line, else the environment, else by
/// convention. A daemon records the folder of its sockets, so that clients find it if it was started with
/// other options.
pub fn dirs(options: &DirOptions) -> io::Result<Places> {
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
    let recorded = read_private_file(&state_dir.join(SOCKETS_RECORD)).ok();
    match recorded.filter(|recorded| !recorded.is_empty()) {
        Some(recorded) if instance_is_alive(state_dir) => OsString::from_vec(recorded).into(),
        _ => from_env("XDG_RUNTIME_DIR").map_or_else(|| state_dir.join("run"), |dir| dir.join("editd")),
    }
}

/// Returns `true` if a daemon holds the lock of this state folder.
pub fn instance_is_alive(state_dir: &Path) -> bool {
    is_held(&state_dir.join(LOCK))
}

/// Returns `true` if a process holds a lock.
pub(super) fn is_held(lock: &Path) -> bool {
    let Ok(lock) = open_private_file(lock, File::options().read(true)) else { return false };
    // The lock is released immediately if it was free.
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}

/// Takes a lock. Returns `None` if another daemon still holds it when `patience` is over. The lock is held
/// until the file is closed. Only the holder of [`SOCKETS_LOCK`] creates and removes sockets in its folder.
pub(super) async fn lock(path: &Path, patience: Duration) -> io::Result<Option<File>> {
    let deadline = Instant::now() + patience.max(LOCK_CHECK);
    loop {
        // Opened for each attempt, because the file may have been removed and created again.
        let file = open_private_file(path, File::options().create(true).truncate(false).write(true))?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(None),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_PAUSE).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Records the folder of the sockets for clients without an explicit option.
pub(super) fn record_sockets(places: &Places) -> io::Result<()> {
    let path = places.state_dir.join(SOCKETS_RECORD);
    let folder = places.runtime_dir.as_os_str().as_encoded_bytes();
    replace_private_file((&path.with_extension("part"), &path), [folder], false).map(drop)
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

/// Creates the daemon's folders, or checks that they are private. Must be called before anything is created
/// in them.
pub fn prepare_folders(places: &Places) -> Result<(), ServeError> {
    private_dir(&places.state_dir)?;
    private_dir(&places.runtime_dir)
}

/// Creates a folder in the state folder, which is prepared as by the daemon: the daemon refuses one that others
/// may enter, if it is not empty.
pub fn folder_in_state(places: &Places, name: &str) -> io::Result<PathBuf> {
    private_dir(&places.state_dir).map_err(io::Error::other)?;
    let folder = places.state_dir.join(name);
    make_private_folder(&folder)?;
    Ok(folder)
}

/// Creates a folder that only this user can access, or checks that an existing one is private. Restricts the
/// permissions of an existing folder only if it is empty: one with content, such as `/tmp`, has another
/// purpose.
fn private_dir(path: &Path) -> Result<(), ServeError> {
    let create = DirBuilder::new().recursive(true).mode(0o700).create(path);
    create.map_err(failed(format!("creating {}", path.display())))?;
    let checking = || failed(format!("checking {}", path.display()));
    let found = std::fs::symlink_metadata(path).map_err(checking())?;
    let refuse = |reason| Err(ServeError::Unsafe { path: path.to_owned(), reason });
    if found.is_symlink() {
        return refuse("it is a link; name the folder that it leads to");
    }
    if !found.is_dir() {
        return refuse("it is not a folder");
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    let is_open_to_others = found.permissions().mode() & 0o077 != 0;
    if !is_open_to_others {
        return Ok(());
    }
    if std::fs::read_dir(path).map_err(checking())?.next().is_some() {
        return refuse(
            "others may enter it and it is not empty; \
             choose another folder, or close it with `chmod 700` if only editd uses it",
        );
    }
    std::fs::set_permissions(path, Permissions::from_mode(0o700))
        .map_err(failed(format!("closing {}", path.display())))
}
