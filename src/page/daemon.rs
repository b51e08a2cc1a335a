//! The connection to the daemon, which is reopened after the daemon was restarted.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::broadcast;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::protocol::{PROPOSAL_CHANGED, RpcError};
use crate::server::Places;
use crate::transport::{CallError, Client, ConcurrentClient, ConnectError, Identity, Spawn};
use crate::workspace::Role;

use super::Notice;

/// Pause between attempts to reach a daemon that has ended.
const RETRY: Duration = Duration::from_millis(300);

/// Number of events that a slow page may be behind. After that it loads everything again.
const EVENTS: usize = 64;

/// An event for the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// The connection to the daemon was made, or has ended.
    Daemon { is_connected: bool },
    /// A proposal has changed: the parameters of the notification.
    Proposal(Value),
}

/// The reason why a request has no result.
#[derive(Debug)]
pub(super) enum Failure {
    Refused(RpcError),
    /// The daemon has ended.
    Lost,
}

pub(super) struct Daemon {
    places: Places,
    identity: Identity,
    current: Mutex<Arc<ConcurrentClient>>,
    events: broadcast::Sender<Event>,
}

impl Daemon {
    /// Connects to the daemon.
    pub(super) async fn connect(
        places: Places,
        spawn: Spawn,
        identity: Identity,
    ) -> Result<Self, ConnectError> {
        let events = broadcast::Sender::new(EVENTS);
        let client = connected(&places, spawn, &identity, &events).await?;
        Ok(Self { places, identity, current: Mutex::new(Arc::new(client)), events })
    }

    /// Calls a method.
    pub(super) async fn call(&self, method: &str, params: &Value) -> Result<Value, Failure> {
        let client = self.current.lock().clone();
        let mut call = client.send(method, params).ok_or(Failure::Lost)?;
        match call.answer().await {
            Some(Ok(result)) => Ok(result),
            Some(Err(CallError::Refused(error))) => Err(Failure::Refused(error)),
            Some(Err(CallError::Io(_))) | None => Err(Failure::Lost),
        }
    }

    /// Returns the current state of the connection and all later events.
    pub(super) fn subscribe(&self) -> (Event, broadcast::Receiver<Event>) {
        let events = self.events.subscribe();
        (self.state(), events)
    }

    /// Returns the state of the connection as an event.
    pub(super) fn state(&self) -> Event {
        Event::Daemon { is_connected: !self.current.lock().is_over() }
    }

    /// Reports a change that this session has made, because the daemon notifies only other sessions.
    pub(super) fn report(&self, result: &Value) {
        if result["id"].is_string() {
            let members = ["id", "revision", "state"].map(|name| (name.to_owned(), result[name].clone()));
            // Without a page there is no receiver.
            let _ = self.events.send(Event::Proposal(members.into_iter().collect()));
        }
    }

    /// Connects again whenever the daemon has ended and runs again. Never starts it, because a person may have
    /// stopped it.
    pub(super) async fn stay_connected(&self, noticed: &(dyn Fn(Notice) + Send + Sync)) {
        loop {
            let client = self.current.lock().clone();
            client.ended().await;
            let _ = self.events.send(Event::Daemon { is_connected: false });
            noticed(Notice::DaemonEnded);
            *self.current.lock() = Arc::new(self.reconnected(noticed).await);
            let _ = self.events.send(Event::Daemon { is_connected: true });
            noticed(Notice::DaemonBack);
        }
    }

    /// Waits for a daemon that accepts this session. Reports the first one that does not.
    async fn reconnected(&self, noticed: &(dyn Fn(Notice) + Send + Sync)) -> ConcurrentClient {
        let mut is_refused = false;
        loop {
            sleep(RETRY).await;
            match connected(&self.places, Spawn::Forbidden, &self.identity, &self.events).await {
                Ok(client) => return client,
                Err(ConnectError::Refused(error)) if !is_refused => {
                    is_refused = true;
                    noticed(Notice::DaemonRefuses(error.message));
                }
                Err(_) => {}
            }
        }
    }
}

/// Connects to the daemon, and passes its notifications on.
async fn connected(
    places: &Places,
    spawn: Spawn,
    identity: &Identity,
    events: &broadcast::Sender<Event>,
) -> Result<ConcurrentClient, ConnectError> {
    let (places, identity, events) = (places.clone(), identity.clone(), events.clone());
    let connecting = spawn_blocking(move || {
        let client = Client::connect_as(&places, Role::Editor, spawn, &identity)?;
        let client = ConcurrentClient::over(client, move |method, params| {
            if method == PROPOSAL_CHANGED {
                let _ = events.send(Event::Proposal(params.clone()));
            }
        })?;
        Ok(client)
    });
    connecting.await.map_err(std::io::Error::other)?
}
