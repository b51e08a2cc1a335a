use std::sync::Arc;

use dashmap::DashMap;
use serde_json::Value;

use tokio::sync::oneshot;

use crate::protocol::RpcError;
use crate::workspace::SessionId;

/// The pending answer of a client to a request from the daemon. The sender is dropped when the client
/// disconnects.
pub type PendingResponse = oneshot::Receiver<Result<Value, RpcError>>;

/// Sends messages to a client. Sending never waits: the connection disconnects a client that does not read.
pub trait ClientSink: Send + Sync {
    /// Sends a notification.
    fn notify(&self, method: &'static str, params: Value);

    /// Sends a request.
    fn request(&self, method: &'static str, params: Value) -> PendingResponse;
}

/// The connected clients.
#[derive(Clone, Default)]
pub(crate) struct Clients(Arc<DashMap<SessionId, Arc<dyn ClientSink>>>);

impl Clients {
    pub(crate) fn insert(&self, session: SessionId, sink: Arc<dyn ClientSink>) {
        self.0.insert(session, sink);
    }

    pub(crate) fn remove(&self, session: SessionId) {
        self.0.remove(&session);
    }

    pub(crate) fn send(&self, session: SessionId, method: &'static str, params: Value) {
        if let Some(sink) = self.sink(session) {
            sink.notify(method, params);
        }
    }

    /// Sends a request to a client. Returns `None` if the client has disconnected.
    pub(crate) fn request(
        &self,
        session: SessionId,
        method: &'static str,
        params: Value,
    ) -> Option<PendingResponse> {
        self.sink(session).map(|sink| sink.request(method, params))
    }

    /// Returns `true` if the session is connected.
    pub(crate) fn is_connected(&self, session: SessionId) -> bool {
        self.0.contains_key(&session)
    }

    fn sink(&self, session: SessionId) -> Option<Arc<dyn ClientSink>> {
        self.0.get(&session).map(|entry| entry.value().clone())
    }
}
