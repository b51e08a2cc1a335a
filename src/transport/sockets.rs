use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::daemon::Daemon;

use super::places::{AGENT_SOCKET, EDITOR_SOCKET};

/// How often it is looked whether the sockets are still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The sockets of a daemon, by which it knows them again.
pub(super) struct Sockets {
    known: [(PathBuf, Option<Identity>); 2],
    /// Whether they are somebody else's, and stay.
    are_given: bool,
}

/// Device and inode. An inode is not given to another file while its socket is bound, whether or not its name
/// is still there.
type Identity = (u64, u64);

impl Sockets {
    /// Those that were just bound in this folder.
    pub(super) fn bound_in(runtime_dir: &Path) -> Self {
        Self { known: known_in(runtime_dir), are_given: false }
    }

    /// Those of a service manager in this folder.
    pub(super) fn given_in(runtime_dir: &Path) -> Self {
        Self { known: known_in(runtime_dir), are_given: true }
    }

    /// Ends the daemon when one of its sockets is gone or another's: nobody new would reach it, and whoever
    /// wants a daemon would wait for this one to end.
    pub(super) async fn stop_if_stolen(&self, daemon: &Daemon) {
        let stopped = daemon.stopped();
        loop {
            tokio::select! {
                () = stopped.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if let Some((path, _)) = self.known.iter().find(|(path, known)| identity(path) != *known) {
                tracing::warn!(path = %path.display(), "a socket was taken away; the daemon ends");
                return daemon.stop();
            }
        }
    }

    /// Takes away those that are still this daemon's. Called while the lock of their folder is held, so no
    /// other daemon puts its own there meanwhile.
    pub(super) fn remove(&self, _held: &File) {
        for (path, known) in &self.known {
            if !self.are_given && identity(path) == *known {
                // A socket that stays behind is replaced at the next start.
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
