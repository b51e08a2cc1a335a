use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak, mpsc};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::protocol::{FILE_CHANGED, Forget, Method};
use crate::transport::{CallError, Client, Incoming, Outgoing, outcome};

/// Pending requests; `None` after the connection has ended.
type Open = Option<HashMap<i64, oneshot::Sender<Result<Value, CallError>>>>;

/// State that both directions of a connection share.
struct Shared {
    open: Mutex<Open>,
    /// Files that others have changed since the session read them, with the authors.
    changed: Mutex<BTreeMap<String, String>>,
}

/// A connection to the daemon with many concurrent requests. Reading and writing have separate threads, so
/// that a daemon that does not read never blocks the caller.
pub(super) struct Link {
    outgoing: mpsc::Sender<Value>,
    shared: Arc<Shared>,
    last_id: AtomicI64,
}

impl Link {
    /// Creates a link over an initialized connection.
    pub(super) fn over(client: Client) -> io::Result<Self> {
        let (mut incoming, mut outgoing, last_id) = client.split();
        let shared = Arc::new(Shared { open: Mutex::new(Some(HashMap::new())), changed: Mutex::default() });
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

    /// Sends a request after all earlier ones. Returns `None` if the connection has ended.
    pub(super) fn send(self: &Arc<Self>, method: &str, params: &Value) -> Option<Ticket> {
        let id = self.next_id();
        let (sender, answer) = oneshot::channel();
        self.shared.open.lock().as_mut()?.insert(id, sender);
        self.outgoing.send(request(id, method, params)).ok()?;
        Some(Ticket { id, answer, link: self.clone() })
    }

    /// Makes the session forget that it has read a file.
    pub(super) fn forget(&self, file: &Value) {
        // The response is ignored, and without a connection there is nothing to forget.
        let _ = self.outgoing.send(request(self.next_id(), Forget::NAME, file));
    }

    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns the files that others have changed since the last call.
    pub(super) fn take_changed_files(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut *self.shared.changed.lock())
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
                self.changed.lock().insert(text("path"), text("by"));
            } else if let Some(id) = message["id"].as_i64()
                && let Some(sender) = self.open.lock().as_mut().and_then(|open| open.remove(&id))
            {
                // The receiver may be gone; that is not an error.
                let _ = sender.send(outcome(&mut message));
            }
        }
        // Dropping the senders wakes the waiting receivers.
        *self.open.lock() = None;
    }
}

/// Sends messages until all senders are dropped, and closes the connection.
fn send_all(outgoing: &mut Outgoing, messages: &mpsc::Receiver<Value>) {
    for message in messages {
        if outgoing.send(&message).is_err() {
            break;
        }
    }
    outgoing.close();
}

/// A sent request.
pub(super) struct Ticket {
    id: i64,
    answer: oneshot::Receiver<Result<Value, CallError>>,
    /// Keeps the connection open until the response arrives.
    link: Arc<Link>,
}

impl Ticket {
    /// Returns the connection that the request was sent over.
    pub(super) fn link(&self) -> Arc<Link> {
        self.link.clone()
    }

    /// Waits for the response. Returns `None` if the connection ends first.
    pub(super) async fn answer(&mut self) -> Option<Result<Value, CallError>> {
        (&mut self.answer).await.ok()
    }

    /// Collects the files that the result delivers to the session.
    pub(super) fn delivery(&self, result: &Value) -> Delivery {
        Delivery::by(result, Arc::downgrade(&self.link))
    }

    /// Makes the session forget that it has read files.
    pub(super) fn forget(&self, paths: &[String]) {
        for path in paths {
            self.link.forget(&json!({ "path": path }));
        }
    }

    /// Cancels the request, unless it has already begun to write. The response shows the outcome.
    pub(super) fn cancel(&self) {
        let params = json!({ "id": self.id });
        let message = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": params });
        // Without a connection there is nothing to cancel.
        let _ = self.link.outgoing.send(message);
    }
}

/// Maximum number of files of a change to list.
const NAMED: usize = 5;

/// The files of a result, which the daemon counts as read by the session.
#[derive(Clone)]
pub(super) struct Delivery {
    to: Weak<Link>,
    /// Parameters of `editd/forget` for each file.
    files: Vec<Value>,
    applied: Option<AppliedChange>,
}

/// A change that was applied.
#[derive(Clone, Debug)]
pub(super) struct AppliedChange {
    pub(super) transaction: String,
    pub(super) paths: Vec<String>,
}

impl Delivery {
    /// Collects the files of a result that arrived over a link.
    pub(super) fn by(result: &Value, to: Weak<Link>) -> Self {
        let listed = result["files"].as_array().into_iter().flatten();
        let named: Vec<_> = listed.chain([result]).filter(|file| file["path"].is_string()).collect();
        let new_names = named.iter().filter_map(|file| file["newPath"].as_str());
        let mut files: Vec<_> = new_names.map(|path| json!({ "path": path })).collect();
        files.extend(named.iter().map(|file| match &file["uri"] {
            Value::String(uri) => json!({ "uri": uri }),
            _ => json!({ "path": file["path"] }),
        }));
        let applied = result["transaction"].as_str().map(|transaction| AppliedChange {
            transaction: transaction.to_owned(),
            paths: named
                .iter()
                .take(NAMED)
                .filter_map(|file| file["path"].as_str().map(str::to_owned))
                .collect(),
        });
        Self { to, files, applied }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Makes the session forget the files, unless it has ended. Returns the change that was applied
    /// nevertheless.
    pub(super) fn revoke(self) -> Option<AppliedChange> {
        if let Some(link) = self.to.upgrade() {
            self.files.iter().for_each(|file| link.forget(file));
        }
        self.applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_of_a_result_are_collected() {
        let files = |result: Value| Delivery::by(&result, Weak::new()).files;
        assert_eq!(files(json!({ "path": "/a", "uri": "file:///a" })), [json!({ "uri": "file:///a" })]);
        let renamed = json!({ "files": [{ "path": "/a", "newPath": "/b" }, { "path": "/c" }] });
        assert_eq!(
            files(renamed),
            [json!({ "path": "/b" }), json!({ "path": "/a" }), json!({ "path": "/c" })]
        );
        assert!(Delivery::by(&json!({ "matches": [{ "path": "/a" }] }), Weak::new()).is_empty());
    }
}
