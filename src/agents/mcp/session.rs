use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rmcp::model::RequestId;
use serde_json::{Value, json};
use tokio::sync::{Mutex, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use editd_daemon::server::Places;
use editd_daemon::transport::{CallError, Client, ConnectError, Identity, Spawn};
use editd_protocol::{
    Changes, Decide, Edit, Method, NativeSession, NativeSessionResult, OriginParams, Read, ReadSeveral,
    RpcError,
};
use editd_workspace::Role;
use editd_workspace::history::TERMINAL;

use super::link::{AppliedChange, Delivery, Link, Ticket};
use super::links::Links;
use super::relative::FirstRoot;

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
/// or the identity of the client has changed. Calls that a hook of the client has announced belong to other
/// sessions, which also count what the built-in tools of the client read and change.
pub(super) struct Session {
    places: Places,
    spawn: Spawn,
    /// Name of the session in the history, on every connection.
    pub(super) name: String,
    /// The connection that is being established, which continues even if no call waits for it. The lock is
    /// fair, so requests are sent in the order of arrival.
    connecting: Mutex<Option<(Identity, Connecting)>>,
    links: parking_lot::Mutex<Links>,
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
            links: parking_lot::Mutex::default(),
            revocations: watch::Sender::new(0),
            undelivered: parking_lot::Mutex::default(),
        }
    }

    /// Sends a request after all earlier ones. If a hook of the client has announced the call of this id, the
    /// request belongs to the session of the hook.
    pub(super) async fn send(
        &self,
        identity: impl Future<Output = Result<Identity, Failure>>,
        tool_call: Option<&str>,
        method: &str,
        mut params: Value,
    ) -> Result<Ticket, Failure> {
        let mut connecting = self.connecting.lock().await;
        let mut identity = identity.await?;
        if let Some(tool_call) = tool_call
            && let Some((session, origin)) = self.announced(&identity, tool_call, &mut connecting).await?
        {
            (identity.session, identity.resumes) = (Some(session), true);
            if method == Edit::NAME {
                params["origin"] = json!(origin);
            }
        }
        self.send_as(&identity, &mut connecting, method, &params).await
    }

    /// Returns the session that has announced a call, and the place of the call in the work of the client.
    async fn announced(
        &self,
        identity: &Identity,
        tool_call: &str,
        connecting: &mut Option<(Identity, Connecting)>,
    ) -> Result<Option<(String, Option<OriginParams>)>, Failure> {
        let params = json!({ "toolCall": tool_call });
        for _ in 0..ATTEMPTS {
            let mut ticket = self.send_as(identity, connecting, NativeSession::NAME, &params).await?;
            let Some(answer) = ticket.answer().await else { continue };
            // A daemon of an older version does not know the method.
            let answer = answer.ok().and_then(|answer| serde_json::from_value(answer).ok());
            let NativeSessionResult { session, origin } = answer.unwrap_or_default();
            return Ok(session.map(|session| (session, origin)));
        }
        Err(Failure::Lost)
    }

    async fn send_as(
        &self,
        identity: &Identity,
        connecting: &mut Option<(Identity, Connecting)>,
        method: &str,
        params: &Value,
    ) -> Result<Ticket, Failure> {
        for _ in 0..ATTEMPTS {
            let link = self.link(identity, connecting).await?;
            self.revocations_done().await;
            if let Some(ticket) = link.send(method, params) {
                return Ok(ticket);
            }
            // The connection ended before the request was sent.
            self.links.lock().close(identity);
        }
        Err(Failure::Lost)
    }

    /// Returns `true` if this process may decide about changes for a person. A command that is confined to a project may
    /// not.
    pub(super) async fn can_decide(&self) -> bool {
        let places = self.places.clone();
        spawn_blocking(move || person(&places).is_ok()).await.unwrap_or(false)
    }

    /// Sends the decision of a person. Returns the state of the change, or `None` if the decision was refused.
    pub(super) async fn decide(&self, decision: Value) -> Option<String> {
        let places = self.places.clone();
        let decide = move || Some(person(&places).ok()?.call::<Decide>(&decision).ok()?.state);
        spawn_blocking(decide).await.ok().flatten()
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
        if ![Read::NAME, ReadSeveral::NAME, Changes::NAME].contains(&method) {
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
        if let Some(link) = self.links.lock().get(identity) {
            return Ok(link);
        }
        // A connection that was established while no call waited may have ended.
        connecting.take_if(|(known, task)| known != identity || task.is_finished());
        let (_, task) =
            connecting.get_or_insert_with(|| (identity.clone(), self.start_connecting(identity.clone())));
        let connected = task.await;
        *connecting = None;
        let link = connected.map_err(|_| Failure::Lost)??;
        self.links.lock().insert(identity.clone(), link.clone());
        Ok(link)
    }

    fn start_connecting(&self, identity: Identity) -> Connecting {
        let (places, spawn) = (self.places.clone(), self.spawn);
        spawn_blocking(move || {
            let client = Client::connect_as(&places, Role::Agent, spawn, &identity)?;
            Ok(Arc::new(Link::over(client, FirstRoot::of(&identity.roots))?))
        })
    }

    /// Waits until no delivery is being revoked.
    async fn revocations_done(&self) {
        // The sender is in this struct, so the wait cannot fail.
        let _ = self.revocations.subscribe().wait_for(|revocations| *revocations == 0).await;
    }
}

/// Opens a connection for the person at the client.
fn person(places: &Places) -> Result<Client, ConnectError> {
    let identity = Identity { name: TERMINAL.to_owned(), ..Identity::own(None) };
    Client::connect_as(places, Role::Editor, Spawn::Forbidden, &identity)
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
