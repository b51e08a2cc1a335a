//! The two sockets of a daemon: its own, or those that a service manager such as systemd has opened and passes
//! to it (socket activation).

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener as StdListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use listenfd::ListenFd;
use tokio::net::UnixListener;

use crate::server::{Daemon, Places};
use editd_disk::{SOCKET_PATH, is_listening};

use super::serve::{ServeError, failed};

/// Socket for agents.
pub(super) const AGENT_SOCKET: &str = "agent.sock";
/// Socket for editors.
pub(super) const EDITOR_SOCKET: &str = "editor.sock";
/// Interval between checks of the sockets.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The sockets of a daemon, with the identities of their files.
pub(super) struct Sockets {
    known: [(PathBuf, Option<Identity>); 2],
    /// `true` if the sockets belong to a service manager and must not be removed.
    are_inherited: bool,
}

/// Device and inode. An inode is not reused while its socket is bound, even if the file is unlinked.
type Identity = (u64, u64);

impl Sockets {
    /// Listens on the sockets of a service manager, or else on new ones in a folder. Returns the listeners for
    /// agents and for editors too.
    pub(super) fn listen(
        given: Option<InheritedSockets>,
        folder: &Path,
    ) -> Result<((UnixListener, UnixListener), Self), ServeError> {
        let are_inherited = given.is_some();
        let listeners = if let Some(given) = given {
            given.listen()?
        } else {
            // Clients that wait for the daemon wait for the agents' socket, so it is bound last.
            let editors = bind(&folder.join(EDITOR_SOCKET))?;
            (bind(&folder.join(AGENT_SOCKET))?, editors)
        };
        let known = [AGENT_SOCKET, EDITOR_SOCKET].map(|name| {
            let path = folder.join(name);
            let identity = identity(&path);
            (path, identity)
        });
        Ok((listeners, Self { known, are_inherited }))
    }

    /// Stops the daemon when one of its sockets is removed or replaced, because no new client could reach it,
    /// and a new daemon would have to wait for it to end.
    pub(super) async fn stop_if_replaced(&self, daemon: &Daemon) {
        let stopped = daemon.stopped();
        loop {
            tokio::select! {
                () = stopped.cancelled() => return,
                () = tokio::time::sleep(CHECK_INTERVAL) => {}
            }
            if let Some((path, _)) = self.known.iter().find(|(path, known)| identity(path) != *known) {
                tracing::warn!(path = %path.display(), "a socket was removed or replaced; the daemon stops");
                return daemon.stop();
            }
        }
    }

    /// Removes the sockets that still belong to this daemon. The caller holds the lock of their folder, so no
    /// other daemon creates its own sockets there concurrently.
    pub(super) fn remove(&self, _held: &File) {
        for (path, known) in &self.known {
            if !self.are_inherited && identity(path) == *known {
                // A remaining socket is replaced at the next start.
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn identity(path: &Path) -> Option<Identity> {
    fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Binds a socket. An existing socket is replaced only if no process answers on it: the lock shows that no
/// daemon is running here, but the lock file may have been removed while one was running.
fn bind(path: &Path) -> Result<UnixListener, ServeError> {
    if path.as_os_str().len() > SOCKET_PATH {
        return Err(ServeError::TooLong(path.to_owned()));
    }
    if UnixStream::connect(path).is_ok() {
        return Err(ServeError::SocketsTaken(path.parent().unwrap_or(path).to_owned()));
    }
    clear_for_socket(path)?;
    // Other users can never connect: the folder is private, and so is each file that the daemon creates. A stricter
    // umask for this call would also apply to folders that another thread creates at the same time.
    let bound = UnixListener::bind(path)
        .and_then(|listener| fs::set_permissions(path, Permissions::from_mode(0o600)).map(|()| listener));
    bound.map_err(failed(format!("listening on {}", path.display())))
}

/// Removes a stale socket. Anything else at the path belongs to another program and is an error.
fn clear_for_socket(path: &Path) -> Result<(), ServeError> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            let reason = "it is not a socket; move it away, or choose another folder with --runtime-dir";
            Err(ServeError::Unsafe { path: path.to_owned(), reason })
        }
        Ok(_) => fs::remove_file(path).map_err(failed(format!("replacing {}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(format!("checking {}", path.display()))(error)),
    }
}

/// The two sockets of a service manager. The manager keeps them open, so a client that connects after this
/// daemon has exited waits for the next one.
pub struct InheritedSockets {
    agents: StdListener,
    editors: StdListener,
    folder: PathBuf,
}

impl InheritedSockets {
    /// Takes the sockets that the service manager passed to this process, or returns `None` if it passed
    /// none. The file names distinguish the two sockets, because clients find them by these names.
    pub fn take() -> Result<Option<Self>, ServeError> {
        // The variables are also inherited by child processes of the intended process.
        let is_intended = std::env::var("LISTEN_PID").is_ok_and(|pid| pid == std::process::id().to_string());
        if !is_intended {
            return Ok(None);
        }
        let (mut agents, mut editors) = (None, None);
        let mut given = ListenFd::from_env();
        for index in 0..given.len() {
            let listener = given.take_unix_listener(index).ok().flatten();
            let listener = listener.filter(|socket: &StdListener| is_listening(socket));
            let listener = listener.ok_or_else(|| {
                refused(format!("number {} is not a listening Unix stream socket", index + 1))
            })?;
            let path = path_of(&listener)?;
            let slot = match path.file_name().and_then(|name| name.to_str()) {
                Some(AGENT_SOCKET) => &mut agents,
                Some(EDITOR_SOCKET) => &mut editors,
                _ => return Err(refused(format!("{} is neither", path.display()))),
            };
            if slot.replace((listener, path)).is_some() {
                return Err(refused(format!("number {} has the same name as another", index + 1)));
            }
        }
        let missing = |name: &str| refused(format!("there is no {name}"));
        let (agents, path) = agents.ok_or_else(|| missing(AGENT_SOCKET))?;
        let (editors, other) = editors.ok_or_else(|| missing(EDITOR_SOCKET))?;
        match (path.parent(), other.parent()) {
            (Some(folder), Some(same)) if folder == same => {
                Ok(Some(Self { agents, editors, folder: folder.to_owned() }))
            }
            _ => Err(refused(format!("{} and {} are in different folders", path.display(), other.display()))),
        }
    }

    /// Returns the folders of a daemon with these sockets.
    pub fn places(&self, places: &Places) -> Places {
        Places { runtime_dir: self.folder.clone(), state_dir: places.state_dir.clone() }
    }

    /// Returns the listeners for agents and for editors.
    fn listen(self) -> Result<(UnixListener, UnixListener), ServeError> {
        let listen = |listener: StdListener| {
            listener.set_nonblocking(true)?;
            UnixListener::from_std(listener)
        };
        let both = || Ok((listen(self.agents)?, listen(self.editors)?));
        both().map_err(failed("listening on the sockets of the service manager"))
    }
}

fn path_of(socket: &StdListener) -> Result<PathBuf, ServeError> {
    let address = socket.local_addr().map_err(failed("checking a socket of the service manager"))?;
    let path = address.as_pathname().filter(|path| path.is_absolute()).map(Path::to_owned);
    path.ok_or_else(|| refused("one has no absolute path".to_owned()))
}

fn refused(reason: String) -> ServeError {
    ServeError::Given(reason)
}
