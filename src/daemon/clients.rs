use std::sync::Arc;

use dashmap::DashMap;
use serde_json::Value;

use crate::workspace::SessionId;

/// The way to a client. Sending never waits: a client that does not read is cut off by its connection.
pub trait Outlet: Send + Sync {
    /// Sends a notification.
    fn notify(&self, method: &'static str, params: Value);
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
        let outlet = self.0.get(&session).map(|entry| entry.value().clone());
        if let Some(outlet) = outlet {
            outlet.notify(method, params);
        }
    }
}
