use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::RwLock;
use tokio::sync::{Mutex, Semaphore};

use crate::disk::Root;
use crate::text::PositionEncoding;
use crate::workspace::{Abilities, Role, SessionId};

use super::guard::Surroundings;

/// Requests of one session that may occupy a thread at the same time: enough to keep the disk busy, too
/// few to keep it from others.
const JOBS_PER_SESSION: usize = 4;

/// A folder that a session works in.
#[derive(Clone, Debug)]
pub struct SessionRoot {
    /// The folder.
    pub root: Root,
    /// The only file in it that belongs to the session, where the client named a file instead of a folder.
    pub only: Option<OsString>,
    /// What lies around it.
    pub(crate) surroundings: Surroundings,
}

impl SessionRoot {
    /// The path of what the client named.
    pub fn path(&self) -> PathBuf {
        self.only.as_ref().map_or_else(|| self.root.path().to_owned(), |name| self.root.path().join(name))
    }

    /// A path below it, from an absolute one, if it lies there.
    pub(crate) fn relative(&self, absolute: &Path) -> Option<PathBuf> {
        let root = &self.root;
        let relative =
            absolute.strip_prefix(root.path()).or_else(|_| absolute.strip_prefix(root.given())).ok()?;
        self.admits(relative).then(|| relative.to_owned())
    }

    /// Whether a relative path names something that belongs to the session.
    pub(crate) fn admits(&self, relative: &Path) -> bool {
        self.only.as_ref().is_none_or(|name| relative == Path::new(name))
    }
}

/// What every request of a session needs to know of it. Nothing but an editor's roots changes after
/// `initialize`.
#[derive(Debug)]
pub struct SessionContext {
    /// Its number.
    pub id: SessionId,
    /// What it may do.
    pub role: Role,
    /// Who its changes are by.
    pub author: String,
    /// Its name in the history.
    pub name: Arc<str>,
    /// Its roots, opened. Only editors change them.
    roots: RwLock<Vec<Arc<SessionRoot>>>,
    /// How positions are counted on its connection.
    pub encoding: PositionEncoding,
    /// What else its client can do.
    pub abilities: Abilities,
    /// Held while a request finds its files and joins their queues, so that requests of one session queue
    /// up in the order in which they came.
    pub(crate) turn: Arc<Mutex<()>>,
    pub(crate) jobs: Arc<Semaphore>,
    /// Whether its client had sent nothing behind the request that was begun last.
    pub(crate) alone: AtomicBool,
    /// Held while it searches: one session's searches come one after another, so that others have room.
    pub(crate) searching: Arc<Mutex<()>>,
}

impl SessionContext {
    pub(crate) fn new(
        id: SessionId,
        role: Role,
        (author, name): (String, Arc<str>),
        roots: Vec<SessionRoot>,
        encoding: PositionEncoding,
    ) -> Self {
        let jobs = Arc::new(Semaphore::new(JOBS_PER_SESSION));
        let abilities = Abilities::default();
        let roots = RwLock::new(roots.into_iter().map(Arc::new).collect());
        let (turn, searching, alone) = (Arc::default(), Arc::default(), AtomicBool::default());
        Self { id, role, author, name, roots, encoding, abilities, turn, jobs, alone, searching }
    }

    /// The same of a client that can do more than every client can.
    pub(crate) fn with_abilities(self, abilities: Abilities) -> Self {
        Self { abilities, ..self }
    }

    /// The canonical paths of its roots.
    pub fn root_paths(&self) -> Vec<PathBuf> {
        self.roots.read().iter().map(|root| root.path()).collect()
    }

    /// Its roots, the first one first.
    pub fn roots(&self) -> Vec<Arc<SessionRoot>> {
        self.roots.read().clone()
    }

    /// Takes roots away and adds others.
    pub(crate) fn change_roots(&self, gone: &[PathBuf], added: Vec<SessionRoot>) {
        let mut roots = self.roots.write();
        let stays = |root: &Arc<SessionRoot>| {
            !gone.iter().any(|gone| *gone == root.path() || *gone == root.root.given())
        };
        roots.retain(stays);
        roots.extend(added.into_iter().map(Arc::new));
    }
}
