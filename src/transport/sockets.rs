use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::server::Daemon;

use super::places::{AGENT_SOCKET, EDITOR_SOCKET};

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
    /// Records the sockets that were just bound in this folder.
    pub(super) fn bound_in(runtime_dir: &Path) -> Self {
        Self { known: known_in(runtime_dir), are_inherited: false }
    }

    /// Records the sockets of a service manager in this folder.
    pub(super) fn inherited_in(runtime_dir: &Path) -> Self {
        Self { known: known_in(runtime_dir), are_inherited: true }
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
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

fn known_in(folder: &Path) -> [(PathBuf, Option<Identity>); 2] {
    [AGENT_SOCKET, EDITOR_SOCKET].map(|name| {
        let path = folder.join(name);
        let identity = identity(&path);
        (path, identity)
    })
}

fn identity(path: &Path) -> Option<Identity> {
    std::fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}
