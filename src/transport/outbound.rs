use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::daemon::{Asked, Outlet};
use crate::protocol::{Code, RpcError};

use super::framing::{Framing, framed};

/// What waits to be written to one client, bounded in bytes. Nobody waits for a client that does not read:
/// beyond the bound its connection ends.
#[derive(Clone, Debug)]
pub(crate) struct Outbound {
    queue: UnboundedSender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    limit: usize,
    framing: Framing,
    /// Cancelled when the connection ends.
    closed: CancellationToken,
    /// Requests to the client that it has not answered.
    asked: Arc<Mutex<Questions>>,
}

/// Requests to a client, and who waits for the answers.
#[derive(Debug, Default)]
struct Questions {
    last: u64,
    open: HashMap<String, oneshot::Sender<Result<Value, RpcError>>>,
    /// Whether the connection has ended: nothing is answered any more.
    over: bool,
}

/// The other end of an [`Outbound`].
#[derive(Debug)]
pub(crate) struct Unsent {
    queue: UnboundedReceiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
    closed: CancellationToken,
}

impl Outbound {
    pub(crate) fn new(framing: Framing, limit: usize, closed: CancellationToken) -> (Self, Unsent) {
        let (sender, receiver) = unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let unsent = Unsent { queue: receiver, waiting: waiting.clone(), closed: closed.clone() };
        let asked = Arc::default();
        (Self { queue: sender, waiting, limit, framing, closed, asked }, unsent)
    }

    /// Queues a message.
    pub(crate) fn send(&self, body: Vec<u8>) {
        let message = framed(body, self.framing);
        let waiting = self.waiting.fetch_add(message.len(), Ordering::Relaxed) + message.len();
        // One message alone may be larger: it is as large as the request allowed it to be.
        if waiting > self.limit && waiting > message.len() {
            tracing::warn!(waiting, "a client does not read what it is sent; its connection ends");
            self.closed.cancel();
        }
        // A writer that is gone has nobody to write to.
        let _ = self.queue.send(message);
    }

    pub(crate) fn send_json(&self, message: &impl serde::Serialize) {
        match serde_json::to_vec(message) {
            Ok(body) => self.send(body),
            Err(error) => tracing::error!(%error, "a message could not be written as JSON"),
        }
    }

    /// Takes the client's answer to a request of ours. One that was not asked for is ignored.
    pub(crate) fn answered(&self, mut answer: Value) {
        let waiting = answer["id"].as_str().and_then(|id| self.asked.lock().open.remove(id));
        let Some(waiting) = waiting else { return };
        let result = match answer.get_mut("error").map(Value::take) {
            Some(error) => Err(serde_json::from_value(error).unwrap_or_else(|_| {
                RpcError::new(Code::InvalidRequest, "the client answered with something that is no error")
            })),
            None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
        };
        // Whoever asked may have stopped waiting.
        let _ = waiting.send(result);
    }

    /// Nothing will be answered any more; those who wait are told.
    pub(crate) fn end_questions(&self) {
        let mut asked = self.asked.lock();
        asked.over = true;
        asked.open.clear();
    }
}

impl Outlet for Outbound {
    fn notify(&self, method: &'static str, params: Value) {
        self.send_json(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn request(&self, method: &'static str, params: Value) -> Asked {
        let (sender, receiver) = oneshot::channel();
        let mut asked = self.asked.lock();
        if asked.over {
            return receiver;
        }
        asked.last += 1;
        // Those that nobody waits for any more.
        asked.open.retain(|_, waiting| !waiting.is_closed());
        let id = format!("editd-{}", asked.last);
        asked.open.insert(id.clone(), sender);
        drop(asked);
        self.send_json(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        receiver
    }
}

impl Unsent {
    /// Writes what is queued until every [`Outbound`] is gone or the client is.
    pub(crate) async fn write_to(mut self, mut output: impl AsyncWrite + Unpin) {
        while let Some(message) = self.queue.recv().await {
            if let Err(error) = output.write_all(&message).await {
                tracing::debug!(%error, "a client went away");
                // Nor will it read the answers to what it has sent besides.
                self.closed.cancel();
                return;
            }
            self.waiting.fetch_sub(message.len(), Ordering::Relaxed);
        }
        let _ = output.shutdown().await;
    }
}
