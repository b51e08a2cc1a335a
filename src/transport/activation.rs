//! Socket activation: sockets that a service manager such as systemd has opened and passes to the daemon.

use std::io;
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};

use listenfd::ListenFd;
use rustix::net::sockopt::socket_acceptconn;
use tokio::net::UnixListener;

use crate::server::Places;

use super::listen::{ServeError, failed};
use super::places::{AGENT_SOCKET, EDITOR_SOCKET};

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
            let listener = given.take_unix_listener(index).ok().flatten().filter(is_listening);
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
    pub(super) fn listen(self) -> Result<(UnixListener, UnixListener), ServeError> {
        let listen = |listener: StdListener| {
            listener.set_nonblocking(true)?;
            UnixListener::from_std(listener)
        };
        let both = || Ok((listen(self.agents)?, listen(self.editors)?));
        both().map_err(failed("listening on the sockets of the service manager"))
    }
}

fn is_listening(socket: &StdListener) -> bool {
    socket_acceptconn(socket).unwrap_or(false)
}

fn path_of(socket: &StdListener) -> Result<PathBuf, ServeError> {
    let address: io::Result<_> = socket.local_addr();
    let address = address.map_err(failed("checking a socket of the service manager"))?;
    let path = address.as_pathname().filter(|path| path.is_absolute()).map(Path::to_owned);
    path.ok_or_else(|| refused("one has no absolute path".to_owned()))
}

fn refused(reason: String) -> ServeError {
    ServeError::Given(reason)
}
