use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rmcp::model::RequestId;
use serde_json::{Value, json};
use tokio::sync::{Mutex, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::protocol::{Changes, Method, Read, RpcError};
use crate::server::Places;
use crate::transport::{CallError, Client, ConnectError, Identity, Spawn};
use crate::workspace::Role;

use super::link::{AppliedChange, Delivery, Link, Ticket};

/// Maximum number of connections that may end before a request is sent.
const ATTEMPTS: usize = 3;

/// Maximum time that other requests wait for the outcome of a cancelled request.
const REVOCATION_TIMEOUT: Duration = Duration::from_secs(5);

/// Number of recent answers that are retained in case they are cancelled before the client receives them.
const MAX_RECENT: usize = 64;

/// An error of a request.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The daemon refused the request.
    #[error(transparent)]
    Refused(#[from] RpcError),
    /// The daemon cannot be reached, or it rejected this client.
    #[error(transparent)]
    Unreachable(#[from] ConnectError),
    /// The connection ended before the daemon answered.
    #[error("the daemon ended before it answered")]
    Lost,
}

/// Creates a refusal of this server in the form of the daemon's refusals.
pub(super) fn refusal(kind: &str, message: impl Into<String>, hint: &str) -> RpcError {
    let data = json!({ "kind": kind, "hint": hint });
    RpcError { code: 0, message: message.into(), data: Some(data) }
}

/// The session with the daemon. It is started when it is needed, and restarted when the connection has ended
/// or the identity of the client has changed.
pub(super) struct Session {
    places: Places,
    spawn: Spawn,
    /// Name of the session in the history, on every connection.
    pub(super) name: String,
    /// The connection that is being established, which continues even if no call waits for it. The lock is
    /// fair, so requests are sent in the order of arrival.
    connecting: Mutex<Option<(Identity, Connecting)>>,
    current: parking_lot::Mutex<Option<(Identity, Arc<Link>)>>,
    /// Number of requests that are being revoked.
    revocations: watch::Sender<usize>,
    undelivered: parking_lot::Mutex<Undelivered>,
}

type Connecting = JoinHandle<Result<Arc<Link>, ConnectError>>;

/// Results that the client may never receive.
#[derive(Default)]
struct Undelivered {
    /// Deliveries of the most recent answers.
    recent: VecDeque<(RequestId, Delivery)>,
    /// Changes that were applied although they were cancelled.
    applied: Vec<AppliedChange>,
}

/// Blocks sending while it exists, because a delivery that is being revoked must not affect later requests.
struct Revocation(Arc<Session>);

impl Drop for Revocation {
    fn drop(&mut self) {
        self.0.revocations.send_modify(|revocations| *revocations -= 1);
    }
}

impl Session {
    pub(super) fn new(places: Places, spawn: Spawn) -> Self {
        Self {
            places,
            spawn,
            name: unique_name(),
            connecting: Mutex::default(),
            current: parking_lot::Mutex::default(),
            revocations: watch::Sender::new(0),
            undelivered: parking_lot::Mutex::default(),
        }
    }

    /// Sends a request after all earlier ones.
    pub(super) async fn send(
        &self,
        identity: impl Future<Output = Result<Identity, Failure>>,
        method: &str,
        params: &Value,
    ) -> Result<Ticket, Failure> {
        let mut connecting = self.connecting.lock().await;
        let identity = identity.await?;
        for _ in 0..ATTEMPTS {
            let link = self.link(&identity, &mut connecting).await?;
            self.revocations_done().await;
            if let Some(ticket) = link.send(method, params) {
                return Ok(ticket);
            }
            // The connection ended before the request was sent.
            *self.current.lock() = None;
        }
        Err(Failure::Lost)
    }

    /// Returns the files that others have changed since the last call.
    pub(super) fn take_changed_files(&self) -> BTreeMap<String, String> {
        self.current.lock().as_ref().map(|(_, link)| link.take_changed_files()).unwrap_or_default()
    }

    /// Records the delivery of an answer, in case its client cancels the call.
    pub(super) fn record_delivery(&self, id: &RequestId, delivery: Delivery) {
        if delivery.is_empty() {
            return;
        }
        let recent = &mut self.undelivered.lock().recent;
        recent.push_back((id.clone(), delivery));
        if recent.len() > MAX_RECENT {
            recent.pop_front();
        }
    }

    /// Revokes the delivery of an answer that was cancelled before the client received it.
    pub(super) fn revoke_answer(&self, id: &RequestId) {
        let mut undelivered = self.undelivered.lock();
        let found = undelivered.recent.iter().rposition(|(known, _)| known == id);
        let delivery = found.and_then(|at| undelivered.recent.remove(at));
        drop(undelivered);
        if let Some((_, delivery)) = delivery {
            self.revoke(delivery);
        }
    }

    /// Cancels an abandoned request, and revokes its delivery if it is answered nevertheless.
    pub(super) fn abandon(self: &Arc<Self>, mut ticket: Ticket, method: &str) {
        // A cancelled read may still count as read, but its response would not name the files.
        if ![Read::NAME, Changes::NAME].contains(&method) {
            ticket.cancel();
        }
        self.revocations.send_modify(|revocations| *revocations += 1);
        let (session, mut revocation) = (self.clone(), Some(Revocation(self.clone())));
        tokio::spawn(async move {
            let answer = if let Ok(answer) = timeout(REVOCATION_TIMEOUT, ticket.answer()).await {
                answer
            } else {
                // Other requests have waited long enough. The delivery is revoked later.
                revocation = None;
                ticket.answer().await
            };
            if let Some(Ok(result)) = answer {
                session.revoke(ticket.delivery(&result));
            }
            drop(revocation);
        });
    }

    /// Takes the changes that were applied although they were cancelled.
    pub(super) fn take_cancelled_changes(&self) -> Vec<AppliedChange> {
        std::mem::take(&mut self.undelivered.lock().applied)
    }

    /// Revokes the delivery of a result that the client was not shown.
    pub(super) fn revoke(&self, delivery: Delivery) {
        let applied = delivery.revoke();
        self.undelivered.lock().applied.extend(applied);
    }

    /// Returns the connection for an identity. Connects again if the current connection has ended or has
    /// another identity.
    async fn link(
        &self,
        identity: &Identity,
        connecting: &mut Option<(Identity, Connecting)>,
    ) -> Result<Arc<Link>, Failure> {
        // Running requests keep the old connection open until they are answered.
        let old = self.current.lock().take_if(|(known, link)| known != identity || link.is_over());
        drop(old);
        if let Some((_, link)) = &*self.current.lock() {
            return Ok(link.clone());
        }
        // A connection that was established while no call waited may have ended.
        connecting.take_if(|(known, task)| known != identity || task.is_finished());
        let (_, task) =
            connecting.get_or_insert_with(|| (identity.clone(), self.start_connecting(identity.clone())));
        let connected = task.await;
        *connecting = None;
        let link = connected.map_err(|_| Failure::Lost)??;
        *self.current.lock() = Some((identity.clone(), link.clone()));
        Ok(link)
    }

    fn start_connecting(&self, identity: Identity) -> Connecting {
        let (places, spawn) = (self.places.clone(), self.spawn);
        spawn_blocking(move || {
            let client = Client::connect_as(&places, Role::Agent, spawn, &identity)?;
            Ok(Arc::new(Link::over(client)?))
        })
    }

    /// Waits until no delivery is being revoked.
    async fn revocations_done(&self) {
        // The sender is in this struct, so the wait cannot fail.
        let _ = self.revocations.subscribe().wait_for(|revocations| *revocations == 0).await;
    }
}

/// Returns a name that no other process of this user has or has had.
fn unique_name() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("mcp-{:x}-{:x}", now.as_micros(), std::process::id())
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(error) => Self::Refused(error),
            // An unreadable response counts as missing.
            CallError::Io(_) => Self::Lost,
        }
    }
}
