use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::daemon::Places;
use crate::protocol::RpcError;
use crate::transport::{CallError, Client, ConnectError, Identity, Spawn};
use crate::workspace::Role;

use super::link::{Link, Ticket};

/// How many connections may end under a request that is only about to be sent.
const ATTEMPTS: usize = 3;

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The daemon said no.
    #[error(transparent)]
    Refused(#[from] RpcError),
    /// There is no daemon to talk to, or it does not want this client.
    #[error(transparent)]
    Unreachable(#[from] ConnectError),
    /// The daemon was gone before it answered.
    #[error("the daemon ended before it answered")]
    Lost,
}

/// The one session with the daemon, begun when it is needed, and again when the daemon was gone or the
/// client has become somebody else.
pub(super) struct Session {
    places: Places,
    spawn: Spawn,
    /// The lock is fair: requests are sent in the order in which they came.
    current: Mutex<Option<(Identity, Arc<Link>)>>,
}

impl Session {
    pub(super) fn new(places: Places, spawn: Spawn) -> Self {
        Self { places, spawn, current: Mutex::new(None) }
    }

    /// Sends a request, behind all that were asked to be sent before it.
    pub(super) async fn send(
        &self,
        identity: impl Future<Output = Identity>,
        method: &str,
        params: &Value,
    ) -> Result<Ticket, Failure> {
        let mut current = self.current.lock().await;
        let identity = identity.await;
        let serves = |(known, link): &(Identity, Arc<Link>)| *known == identity && !link.is_over();
        if !current.as_ref().is_some_and(serves) {
            // Requests that are under way on the old one keep it until they are answered.
            *current = None;
        }
        for _ in 0..ATTEMPTS {
            let (_, link) = match &mut *current {
                Some(session) => session,
                none => none.insert((identity.clone(), self.connect(identity.clone()).await?)),
            };
            if let Some(ticket) = link.send(method, params) {
                return Ok(ticket);
            }
            // It ended in this moment, and nothing was said.
            *current = None;
        }
        Err(Failure::Lost)
    }

    /// What the daemon has told of files since it was last asked.
    pub(super) async fn take_news(&self) -> BTreeMap<String, String> {
        let current = self.current.lock().await;
        current.as_ref().map(|(_, link)| link.take_news()).unwrap_or_default()
    }

    async fn connect(&self, identity: Identity) -> Result<Arc<Link>, Failure> {
        let (places, spawn) = (self.places.clone(), self.spawn);
        let connect = move || {
            let client = Client::connect_as(&places, Role::Agent, spawn, &identity)?;
            Ok::<_, ConnectError>(Arc::new(Link::over(client)?))
        };
        match spawn_blocking(connect).await {
            Ok(connected) => Ok(connected?),
            Err(_) => Err(Failure::Lost),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(error) => Self::Refused(error),
            // What cannot be read is no answer.
            CallError::Io(_) => Self::Lost,
        }
    }
}
