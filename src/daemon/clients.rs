use std::sync::Arc;

use dashmap::DashMap;
use serde_json::Value;

use tokio::sync::oneshot;

use crate::protocol::RpcError;
use crate::workspace::SessionId;

/// What a client answers to a request of ours. The sender is dropped when the client goes away.
pub type Asked = oneshot::Receiver<Result<Value, RpcError>>;

/// The way to a client. Sending never waits: a client that does not read is cut off by its connection.
pub trait Outlet: Send + Sync {
    /// Sends a notification.
    fn notify(&self, method: &'static str, params: Value);

    /// Sends a request.
    fn request(&self, method: &'static str, params: Value) -> Asked;
}

/// The clients that can be told something.
#[derive(Clone, Default)]
pub(crate) struct Clients(Arc<DashMap<SessionId, Arc<dyn Outlet>>>);

impl Clients {
    pub(crate) fn insert(&self, session: SessionId, outlet: Arc<dyn Outlet>) {
        self.0.insert(session, outlet);
    }

    pub(crate) fn remove(&self, session: SessionId) {
        self.0.remove(&session);
    }

    pub(crate) fn send(&self, session: SessionId, method: &'static str, params: Value) {
        if let Some(outlet) = self.outlet(session) {
            outlet.notify(method, params);
        }
    }

    /// Asks a client for something; none if it is gone.
    pub(crate) fn request(&self, session: SessionId, method: &'static str, params: Value) -> Option<Asked> {
        self.outlet(session).map(|outlet| outlet.request(method, params))
    }

    /// Whether that session is connected.
    pub(crate) fn knows(&self, session: SessionId) -> bool {
        self.0.contains_key(&session)
    }

    fn outlet(&self, session: SessionId) -> Option<Arc<dyn Outlet>> {
        self.0.get(&session).map(|entry| entry.value().clone())
    }
}
