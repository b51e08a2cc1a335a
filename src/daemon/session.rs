use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Mutex, Semaphore};

use crate::disk::Root;
use crate::text::PositionEncoding;
use crate::workspace::{Role, SessionId};

/// Requests of one session that may occupy a thread at the same time: enough to keep the disk busy, too
/// few to keep it from others.
const JOBS_PER_SESSION: usize = 8;

/// What every request of a session needs to know of it. Never changes after `initialize`.
#[derive(Debug)]
pub struct SessionContext {
    /// Its number.
    pub id: SessionId,
    /// What it may do.
    pub role: Role,
    /// Who its changes are by.
    pub author: String,
    /// Its roots, opened.
    pub roots: Vec<Root>,
    /// How positions are counted on its connection.
    pub encoding: PositionEncoding,
    /// Held while a request finds its files and joins their queues, so that requests of one session queue
    /// up in the order in which they came.
    pub(crate) turn: Arc<Mutex<()>>,
    pub(crate) jobs: Arc<Semaphore>,
}

impl SessionContext {
    pub(crate) fn new(
        id: SessionId,
        role: Role,
        author: String,
        roots: Vec<Root>,
        encoding: PositionEncoding,
    ) -> Self {
        let jobs = Arc::new(Semaphore::new(JOBS_PER_SESSION));
        Self { id, role, author, roots, encoding, turn: Arc::default(), jobs }
    }

    /// The canonical paths of its roots.
    pub fn root_paths(&self) -> Vec<PathBuf> {
        self.roots.iter().map(|root| root.path().to_owned()).collect()
    }
}
