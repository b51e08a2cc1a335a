use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::gate::AgentProgram;
use editd_daemon::server::Places;
use editd_daemon::transport::{CallError, Client, ConnectError, Identity, Spawn};
use editd_protocol::{Method, RpcError};
use editd_workspace::{Audience, Role};

/// Maximum time for a request that waits for no decision.
pub(super) const REQUEST: Duration = Duration::from_secs(15);

/// Access to the daemon.
#[derive(Clone, Debug)]
pub(super) struct Daemon {
    pub(super) places: Places,
    pub(super) spawn: Spawn,
    pub(super) roots: Vec<PathBuf>,
}

/// The reason why the daemon has not decided about a change.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The daemon refused the request.
    #[error("{}", with_hint(.0))]
    Refused(RpcError),
    /// The daemon cannot be reached.
    #[error("editd cannot be reached: {0}. Run `editd doctor`.")]
    Unreachable(#[from] ConnectError),
    /// The connection ended before the daemon answered.
    #[error("editd ended before it answered: {0}. Send the change again.")]
    Lost(std::io::Error),
    /// editd has made the change itself, and the file cannot be read now.
    #[error("A person has accepted this change, and editd has made it. Read the file again.")]
    Made,
    /// Too many diffs are open.
    #[error("{0} diffs are already open. Close one of them first.")]
    TooMany(usize),
}

fn with_hint(error: &RpcError) -> String {
    let hint = error.hint().map(|hint| format!(" {hint}")).unwrap_or_default();
    format!("{}{hint}", error.message)
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(error) => Self::Refused(error),
            CallError::Io(error) => Self::Lost(error),
        }
    }
}

/// A session of a program with the daemon, over any number of connections.
#[derive(Clone, Debug)]
pub(super) struct Session {
    daemon: std::sync::Arc<Daemon>,
    program: AgentProgram,
    name: String,
}

impl Session {
    /// Creates a session with a name that no other has.
    pub(super) fn new(daemon: &std::sync::Arc<Daemon>, program: AgentProgram) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let (id, number) = (std::process::id(), LAST.fetch_add(1, Ordering::Relaxed));
        let started = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_micros();
        let name = format!("ide-{}-{started:x}-{id:x}-{number:x}", program.name());
        Self { daemon: daemon.clone(), program, name }
    }

    /// The folders of the session.
    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.daemon.roots
    }

    /// Opens a connection.
    pub(super) fn connect(&self) -> Result<Client, Failure> {
        self.connect_with(self.daemon.spawn)
    }

    /// Opens a connection, with another permission to start the daemon.
    pub(super) fn connect_with(&self, spawn: Spawn) -> Result<Client, Failure> {
        let identity = Identity {
            name: self.program.author().to_owned(),
            roots: self.daemon.roots.clone(),
            new_file: false,
            session: Some(self.name.clone()),
            resumes: true,
            audience: Audience::Wire,
            reviews: false,
            as_agent: false,
        };
        let client = Client::connect_as(&self.daemon.places, Role::Agent, spawn, &identity)?;
        client.set_timeout(REQUEST).map_err(Failure::Lost)?;
        Ok(client)
    }

    /// Calls a method over a new connection, on a thread that may block.
    pub(super) async fn call<M: Method>(&self, params: serde_json::Value) -> Result<M::Result, Failure>
    where
        M::Result: Send + 'static,
    {
        let session = self.clone();
        let called = tokio::task::spawn_blocking(move || Ok(session.connect()?.call::<M>(&params)?));
        called.await.unwrap_or_else(|error| Err(Failure::Lost(std::io::Error::other(error))))
    }
}
