//! The connection to the daemon, which is reopened after the daemon was restarted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::broadcast;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use editd_daemon::server::Places;
use editd_daemon::transport::{CallError, Client, ConcurrentClient, ConnectError, Identity, Spawn};
use editd_protocol::{GOODBYE, PROPOSAL_CHANGED, RpcError};
use editd_workspace::Role;

use super::Notice;

/// Pause between attempts to reach a daemon that has ended.
const RETRY: Duration = Duration::from_millis(300);

/// Maximum number of attempts that may start a daemon in place of one that was killed.
const STARTS: u32 = 5;

/// Time that the daemon has to answer a goodbye.
const GOODBYE_TIME: Duration = Duration::from_secs(1);

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
    spawn: Spawn,
    identity: Identity,
    current: Mutex<Arc<ConcurrentClient>>,
    /// `true` if the daemon has said goodbye on the current connection, because the user has stopped it.
    was_stopped: Arc<AtomicBool>,
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
        let was_stopped = Arc::<AtomicBool>::default();
        let client = connected(&places, spawn, &identity, (&events, &was_stopped)).await?;
        Ok(Self { places, spawn, identity, current: Mutex::new(Arc::new(client)), was_stopped, events })
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

    /// Tells the daemon that the person has ended the review, so that changes do not wait for this page any more.
    pub(super) async fn say_goodbye(&self) {
        let client = self.current.lock().clone();
        if let Some(mut call) = client.send("shutdown", &Value::Null) {
            // Without an answer, the daemon has ended or hangs.
            let _ = timeout(GOODBYE_TIME, call.answer()).await;
        }
    }

    /// Connects again whenever the daemon has ended. Starts it if it was killed; if it was stopped, waits until another
    /// client starts it.
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
        let mut starts = if self.was_stopped.swap(false, Ordering::AcqRel) { 0 } else { STARTS };
        loop {
            sleep(RETRY).await;
            let spawn = if starts == 0 { Spawn::Forbidden } else { self.spawn };
            starts = starts.saturating_sub(1);
            let news = (&self.events, &self.was_stopped);
            match connected(&self.places, spawn, &self.identity, news).await {
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
    (events, was_stopped): (&broadcast::Sender<Event>, &Arc<AtomicBool>),
) -> Result<ConcurrentClient, ConnectError> {
    let (places, identity) = (places.clone(), identity.clone());
    let (events, was_stopped) = (events.clone(), was_stopped.clone());
    let connecting = spawn_blocking(move || {
        let client = Client::connect_as(&places, Role::Editor, spawn, &identity)?;
        let client = ConcurrentClient::over(client, move |method, params| match method {
            PROPOSAL_CHANGED => drop(events.send(Event::Proposal(params.clone()))),
            GOODBYE => was_stopped.store(true, Ordering::Release),
            _ => {}
        })?;
        Ok(client)
    });
    connecting.await.map_err(std::io::Error::other)?
}
