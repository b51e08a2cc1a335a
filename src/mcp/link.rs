use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, mpsc};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::protocol::{FILE_CHANGED, Forget, Method};
use crate::transport::{CallError, Client, Incoming, Outgoing, outcome};

use super::given::Given;

/// Requests without an answer yet; none once the connection has ended.
type Open = Option<HashMap<i64, oneshot::Sender<Result<Value, CallError>>>>;

/// What both directions of a connection know.
struct Shared {
    open: Mutex<Open>,
    /// Files that others have changed since they were read, and who.
    news: Mutex<BTreeMap<String, String>>,
}

/// A session with the daemon, with many requests under way at once. Reading and writing have a thread each,
/// so that a daemon that does not read holds up nobody here.
pub(super) struct Link {
    outgoing: mpsc::Sender<Value>,
    shared: Arc<Shared>,
    last_id: AtomicI64,
}

impl Link {
    /// Over a connection that is introduced already.
    pub(super) fn over(client: Client) -> io::Result<Self> {
        let (mut incoming, mut outgoing, last_id) = client.split();
        let shared = Arc::new(Shared { open: Mutex::new(Some(HashMap::new())), news: Mutex::default() });
        let (sender, messages) = mpsc::channel();
        let read = shared.clone();
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        named("from-daemon").spawn(move || read.receive_all(&mut incoming))?;
        named("to-daemon").spawn(move || send_all(&mut outgoing, &messages))?;
        Ok(Self { outgoing: sender, shared, last_id: AtomicI64::new(last_id) })
    }

    pub(super) fn is_over(&self) -> bool {
        self.shared.open.lock().is_none()
    }

    /// Sends a request, behind those sent before it; nothing where the connection has ended.
    pub(super) fn send(self: &Arc<Self>, method: &str, params: &Value) -> Option<Ticket> {
        let id = self.next_id();
        let (sender, answer) = oneshot::channel();
        self.shared.open.lock().as_mut()?.insert(id, sender);
        self.outgoing.send(request(id, method, params)).ok()?;
        Some(Ticket { id, answer, link: self.clone() })
    }

    /// Takes back that the session was given a file.
    pub(super) fn forget(&self, file: &Value) {
        // Nobody waits for the answer, and without a connection there is nothing left to forget.
        let _ = self.outgoing.send(request(self.next_id(), Forget::NAME, file));
    }

    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What was told of files since it was last asked.
    pub(super) fn take_news(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut *self.shared.news.lock())
    }
}

fn request(id: i64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

impl Shared {
    fn receive_all(&self, incoming: &mut Incoming) {
        while let Ok(mut message) = incoming.receive() {
            if message["method"] == FILE_CHANGED {
                let text = |name: &str| message["params"][name].as_str().unwrap_or_default().to_owned();
                self.news.lock().insert(text("path"), text("by"));
            } else if let Some(id) = message["id"].as_i64()
                && let Some(sender) = self.open.lock().as_mut().and_then(|open| open.remove(&id))
            {
                // Whoever asked may have gone.
                let _ = sender.send(outcome(&mut message));
            }
        }
        // Dropping what is open tells those who wait.
        *self.open.lock() = None;
    }
}

/// Sends messages until nobody has any more, and ends the connection.
fn send_all(outgoing: &mut Outgoing, messages: &mpsc::Receiver<Value>) {
    for message in messages {
        if outgoing.send(&message).is_err() {
            break;
        }
    }
    outgoing.close();
}

/// A request that was sent.
pub(super) struct Ticket {
    id: i64,
    answer: oneshot::Receiver<Result<Value, CallError>>,
    /// Keeps the connection open until the answer is there.
    link: Arc<Link>,
}

impl Ticket {
    /// Its answer; nothing if the connection ended before.
    pub(super) async fn answer(&mut self) -> Option<Result<Value, CallError>> {
        (&mut self.answer).await.ok()
    }

    /// What its result gives the session.
    pub(super) fn given(&self, result: &Value) -> Given {
        Given::by(result, Arc::downgrade(&self.link))
    }

    /// Takes back that the session was given files.
    pub(super) fn forget(&self, paths: &[String]) {
        for path in paths {
            self.link.forget(&json!({ "path": path }));
        }
    }

    /// Takes the request back, unless it has begun to write. Its answer says which.
    pub(super) fn cancel(&self) {
        let params = json!({ "id": self.id });
        let message = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": params });
        // Without a connection there is nothing left to cancel.
        let _ = self.link.outgoing.send(message);
    }
}
