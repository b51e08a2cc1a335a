use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::daemon::Outlet;

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
        (Self { queue: sender, waiting, limit, framing, closed }, unsent)
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
}

impl Outlet for Outbound {
    fn notify(&self, method: &'static str, params: Value) {
        self.send_json(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
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
