//! Counts connections, so that no client takes those of others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use editd_workspace::{Limits, Role};

/// One in this many connections is kept for editors.
const FOR_EDITORS: usize = 16;

/// The connections of a daemon.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    counts: Mutex<Counts>,
    /// Notified when a connection begins or ends.
    pub(crate) changed: Notify,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    of_agents: usize,
    by_process: HashMap<i32, usize>,
}

/// Reason for which a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Crowded {
    /// The limit of all connections is reached, or that of agents.
    #[error("`limits.connections` is reached")]
    All,
    /// The client has too many.
    #[error("its process has `limits.connections_per_process`")]
    Process,
}

/// Counts as a connection until it is dropped.
#[derive(Debug)]
pub struct ConnectionGuard {
    connections: Arc<Connections>,
    role: Role,
    process: Option<i32>,
}

impl Connections {
    /// Counts a connection of a process, if it is known.
    pub(crate) fn admit(
        self: &Arc<Self>,
        role: Role,
        process: Option<i32>,
        limits: &Limits,
    ) -> Result<ConnectionGuard, Crowded> {
        let mut counts = self.counts.lock();
        let limit = limits.connections;
        let is_full = match role {
            Role::Editor => counts.all >= limit,
            Role::Agent => counts.all >= limit || counts.of_agents >= limit - limit / FOR_EDITORS,
        };
        if is_full {
            return Err(Crowded::All);
        }
        if let Some(process) = process {
            let of_process = counts.by_process.entry(process).or_default();
            if *of_process >= limits.connections_per_process {
                return Err(Crowded::Process);
            }
            *of_process += 1;
        }
        counts.all += 1;
        counts.of_agents += usize::from(role == Role::Agent);
        drop(counts);
        self.changed.notify_one();
        Ok(ConnectionGuard { connections: self.clone(), role, process })
    }

    /// Returns the number of connections.
    pub(crate) fn count(&self) -> usize {
        self.counts.lock().all
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut counts = self.connections.counts.lock();
        counts.all -= 1;
        counts.of_agents -= usize::from(self.role == Role::Agent);
        if let Some(process) = self.process
            && let Some(of_process) = counts.by_process.get_mut(&process)
        {
            *of_process -= 1;
            if *of_process == 0 {
                counts.by_process.remove(&process);
            }
        }
        drop(counts);
        self.connections.changed.notify_one();
    }
}
