use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rmcp::model::RequestId;
use serde_json::{Value, json};
use tokio::sync::{Mutex, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::daemon::Places;
use crate::protocol::{Changes, Method, Read, RpcError};
use crate::transport::{CallError, Client, ConnectError, Identity, Spawn};
use crate::workspace::Role;

use super::given::{Given, Made};
use super::link::{Link, Ticket};

/// How many connections may end under a request that is only about to be sent.
const ATTEMPTS: usize = 3;

/// How long others wait while a cancelled request has no outcome yet.
const HELD: Duration = Duration::from_secs(5);

/// Answers that are remembered, should they be cancelled on their way.
const RECENT: usize = 64;

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

/// A refusal of our own, in the daemon's form.
pub(super) fn refusal(kind: &str, message: String, hint: &str) -> Failure {
    let data = json!({ "kind": kind, "hint": hint });
    Failure::Refused(RpcError { code: 0, message, data: Some(data) })
}

/// The one session with the daemon, begun when it is needed, and again when the daemon was gone or the
/// client has become somebody else.
pub(super) struct Session {
    places: Places,
    spawn: Spawn,
    /// Its name in the history, on every connection.
    name: String,
    /// The lock is fair: requests are sent in the order in which they came. In it is the connection that is
    /// being made; it goes on when nobody waits for it any more.
    turn: Mutex<Option<(Identity, Connecting)>>,
    current: parking_lot::Mutex<Option<(Identity, Arc<Link>)>>,
    /// How many requests are being taken back.
    held: watch::Sender<usize>,
    unheard: parking_lot::Mutex<Unheard>,
}

type Connecting = JoinHandle<Result<Arc<Link>, ConnectError>>;

/// What the client may never hear of.
#[derive(Default)]
struct Unheard {
    /// What the newest answers gave the session.
    recent: VecDeque<(RequestId, Given)>,
    /// Changes that were made though they were cancelled.
    made: Vec<Made>,
}

/// While it is there, nothing is sent: what is being taken back must not count for what comes behind it.
struct Hold(Arc<Session>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.held.send_modify(|held| *held -= 1);
    }
}

impl Session {
    pub(super) fn new(places: Places, spawn: Spawn) -> Self {
        Self {
            places,
            spawn,
            name: fresh_name(),
            turn: Mutex::default(),
            current: parking_lot::Mutex::default(),
            held: watch::Sender::new(0),
            unheard: parking_lot::Mutex::default(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Sends a request, behind all that were asked to be sent before it.
    pub(super) async fn send(
        &self,
        identity: impl Future<Output = Result<Identity, Failure>>,
        method: &str,
        params: &Value,
    ) -> Result<Ticket, Failure> {
        let mut turn = self.turn.lock().await;
        let identity = identity.await?;
        for _ in 0..ATTEMPTS {
            let link = self.link(&identity, &mut turn).await?;
            self.released().await;
            if let Some(ticket) = link.send(method, params) {
                return Ok(ticket);
            }
            // It ended in this moment, and nothing was said.
            *self.current.lock() = None;
        }
        Err(Failure::Lost)
    }

    /// What the daemon has told of files since it was last asked.
    pub(super) fn take_news(&self) -> BTreeMap<String, String> {
        self.current.lock().as_ref().map(|(_, link)| link.take_news()).unwrap_or_default()
    }

    /// Notes what an answer gives the session, for the case that its client does not want it any more.
    pub(super) fn note(&self, id: &RequestId, given: Given) {
        if given.is_empty() {
            return;
        }
        let recent = &mut self.unheard.lock().recent;
        recent.push_back((id.clone(), given));
        if recent.len() > RECENT {
            recent.pop_front();
        }
    }

    /// Takes back what an answer gave that was cancelled when it was on its way.
    pub(super) fn take_back_answer(&self, id: &RequestId) {
        let mut unheard = self.unheard.lock();
        let found = unheard.recent.iter().rposition(|(known, _)| known == id);
        let given = found.and_then(|at| unheard.recent.remove(at));
        drop(unheard);
        if let Some((_, given)) = given {
            self.take_back(given);
        }
    }

    /// Takes a request back that nobody waits for any more, and what it gives if it is answered all the same.
    pub(super) fn give_up(self: &Arc<Self>, mut ticket: Ticket, method: &str) {
        // A cancelled one may count as read, and would not say what.
        if ![Read::NAME, Changes::NAME].contains(&method) {
            ticket.cancel();
        }
        self.held.send_modify(|held| *held += 1);
        let (session, mut hold) = (self.clone(), Some(Hold(self.clone())));
        tokio::spawn(async move {
            let answer = if let Ok(answer) = timeout(HELD, ticket.answer()).await {
                answer
            } else {
                // Others have waited long enough. What is forgotten late is forgotten all the same.
                hold = None;
                ticket.answer().await
            };
            if let Some(Ok(result)) = answer {
                session.take_back(ticket.given(&result));
            }
            drop(hold);
        });
    }

    /// The changes that were made though they were cancelled, once.
    pub(super) fn take_made(&self) -> Vec<Made> {
        std::mem::take(&mut self.unheard.lock().made)
    }

    /// Takes back what a result gave that nobody was shown.
    pub(super) fn take_back(&self, given: Given) {
        let made = given.take_back();
        self.unheard.lock().made.extend(made);
    }

    /// The connection of somebody; a new one if that of before is over or was somebody else's.
    async fn link(
        &self,
        identity: &Identity,
        turn: &mut Option<(Identity, Connecting)>,
    ) -> Result<Arc<Link>, Failure> {
        // Requests that are under way on an old one keep it until they are answered.
        let old = self.current.lock().take_if(|(known, link)| known != identity || link.is_over());
        drop(old);
        if let Some((_, link)) = &*self.current.lock() {
            return Ok(link.clone());
        }
        // One that was made while nobody waited may be old.
        turn.take_if(|(known, connecting)| known != identity || connecting.is_finished());
        let (_, connecting) =
            turn.get_or_insert_with(|| (identity.clone(), self.begin_to_connect(identity.clone())));
        let connected = connecting.await;
        *turn = None;
        let link = connected.map_err(|_| Failure::Lost)??;
        *self.current.lock() = Some((identity.clone(), link.clone()));
        Ok(link)
    }

    fn begin_to_connect(&self, identity: Identity) -> Connecting {
        let (places, spawn) = (self.places.clone(), self.spawn);
        spawn_blocking(move || {
            let client = Client::connect_as(&places, Role::Agent, spawn, &identity)?;
            Ok(Arc::new(Link::over(client)?))
        })
    }

    /// Waits until nothing is being taken back.
    async fn released(&self) {
        // The sender is here, so it does not end without.
        let _ = self.held.subscribe().wait_for(|held| *held == 0).await;
    }
}

/// Returns a name that no other process of this user has or had.
fn fresh_name() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("mcp-{:x}-{:x}", now.as_micros(), std::process::id())
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
