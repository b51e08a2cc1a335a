//! A client with many concurrent requests over one connection.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, mpsc};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::client::{CallError, Client, Incoming, Outgoing, outcome};

/// Pending requests; `None` after the connection has ended.
type Open = Option<HashMap<i64, oneshot::Sender<Result<Value, CallError>>>>;

/// State that both directions of a connection share.
struct Shared {
    open: Mutex<Open>,
    over: CancellationToken,
}

/// A connection to the daemon with many concurrent requests. Reading and writing have separate threads, so
/// that a daemon that does not read never blocks the caller.
pub struct ConcurrentClient {
    outgoing: mpsc::Sender<Value>,
    shared: Arc<Shared>,
    last_id: AtomicI64,
}

impl ConcurrentClient {
    /// Takes over an initialized connection. `notified` is called with the method and the parameters of each
    /// notification, in order, on the thread that reads.
    pub fn over(client: Client, notified: impl FnMut(&str, &Value) + Send + 'static) -> io::Result<Self> {
        let (mut incoming, mut outgoing, last_id) = client.split();
        let shared =
            Arc::new(Shared { open: Mutex::new(Some(HashMap::new())), over: CancellationToken::new() });
        let (sender, messages) = mpsc::channel();
        let read = shared.clone();
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        named("from-daemon").spawn(move || read.receive_all(&mut incoming, notified))?;
        named("to-daemon").spawn(move || send_all(&mut outgoing, &messages))?;
        Ok(Self { outgoing: sender, shared, last_id: AtomicI64::new(last_id) })
    }

    /// Returns `true` if the connection has ended.
    pub fn is_over(&self) -> bool {
        self.shared.open.lock().is_none()
    }

    /// Waits until the connection has ended.
    pub async fn ended(&self) {
        self.shared.over.cancelled().await;
    }

    /// Sends a request after all earlier ones. Returns `None` if the connection has ended.
    pub fn send(&self, method: &str, params: &Value) -> Option<PendingCall> {
        let id = self.next_id();
        let (sender, answer) = oneshot::channel();
        self.shared.open.lock().as_mut()?.insert(id, sender);
        self.outgoing.send(request(id, method, params)).ok()?;
        Some(PendingCall { id, answer, outgoing: self.outgoing.clone() })
    }

    /// Sends a request and ignores its response. Does nothing if the connection has ended.
    pub fn send_only(&self, method: &str, params: &Value) {
        let _ = self.outgoing.send(request(self.next_id(), method, params));
    }

    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl std::fmt::Debug for ConcurrentClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ConcurrentClient").field("is_over", &self.is_over()).finish_non_exhaustive()
    }
}

fn request(id: i64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

impl Shared {
    fn receive_all(&self, incoming: &mut Incoming, mut notified: impl FnMut(&str, &Value)) {
        while let Ok(mut message) = incoming.receive() {
            if let Some(method) = message["method"].as_str() {
                notified(method, &message["params"]);
            } else if let Some(id) = message["id"].as_i64()
                && let Some(sender) = self.open.lock().as_mut().and_then(|open| open.remove(&id))
            {
                // The receiver may be gone; that is not an error.
                let _ = sender.send(outcome(&mut message));
            }
        }
        // Dropping the senders wakes the waiting receivers.
        *self.open.lock() = None;
        self.over.cancel();
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
#[derive(Debug)]
pub struct PendingCall {
    id: i64,
    answer: oneshot::Receiver<Result<Value, CallError>>,
    /// Keeps the connection open until the response arrives.
    outgoing: mpsc::Sender<Value>,
}

impl PendingCall {
    /// Waits for the response. Returns `None` if the connection ends first.
    pub async fn answer(&mut self) -> Option<Result<Value, CallError>> {
        (&mut self.answer).await.ok()
    }

    /// Cancels the request, unless it has already begun to write. The response shows the outcome.
    pub fn cancel(&self) {
        let params = json!({ "id": self.id });
        let message = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": params });
        // Without a connection there is nothing to cancel.
        let _ = self.outgoing.send(message);
    }
}
