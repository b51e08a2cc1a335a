use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::protocol::{Code, RpcError};
use crate::server::{ClientSink, PendingResponse};

use super::framing::{Framing, framed};
use super::json;

/// The output queue of one client, limited in bytes. Senders never wait for a client that does not read: if
/// the queue exceeds the limit, the connection is closed.
///
/// If the queue is empty, the sending thread writes the message directly, because waking another task takes
/// as long as a small request. Only what the socket does not accept immediately is queued for the [`Writer`].
#[derive(Clone, Debug)]
pub(crate) struct Outbound {
    queue: UnboundedSender<Vec<u8>>,
    output: Arc<Mutex<Output>>,
    limit: usize,
    framing: Framing,
    /// Cancelled when the connection ends.
    closed: CancellationToken,
    /// Requests to the client without a response so far.
    pending: Arc<Mutex<PendingRequests>>,
}

/// Requests to a client, with the channels on which their senders wait for the responses.
#[derive(Debug, Default)]
struct PendingRequests {
    last: u64,
    open: HashMap<String, oneshot::Sender<Result<Value, RpcError>>>,
    /// `true` if the connection has ended and no more responses can arrive.
    over: bool,
}

/// The write half of a client's socket. A sender locks it while it writes directly. While messages are
/// queued, only the [`Writer`] writes, without the lock.
#[derive(Debug)]
struct Output {
    /// Number of queued bytes.
    queued: usize,
    /// `None` after the writer has ended.
    socket: Option<Arc<OwnedWriteHalf>>,
}

/// Writes the queued messages of an [`Outbound`]. After it is dropped, nothing is written.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: UnboundedReceiver<Vec<u8>>,
    output: Arc<Mutex<Output>>,
    closed: CancellationToken,
}

impl Outbound {
    pub(crate) fn new(
        output: OwnedWriteHalf,
        framing: Framing,
        limit: usize,
        closed: CancellationToken,
    ) -> (Self, Writer) {
        let (sender, receiver) = unbounded_channel();
        let output = Arc::new(Mutex::new(Output { queued: 0, socket: Some(Arc::new(output)) }));
        let writer = Writer { queue: receiver, output: output.clone(), closed: closed.clone() };
        let pending = Arc::default();
        (Self { queue: sender, output, limit, framing, closed, pending }, writer)
    }

    /// Writes a message directly, and queues the part that cannot be written immediately.
    pub(crate) fn send(&self, body: Vec<u8>) {
        let mut message = framed(body, self.framing);
        let mut output = self.output.lock();
        let written = if output.queued == 0 { output.try_write(&message) } else { 0 };
        if written < message.len() {
            message.drain(..written);
            self.enqueue(&mut output, message);
        }
    }

    /// Appends a message to the queue.
    fn enqueue(&self, output: &mut Output, message: Vec<u8>) {
        output.queued += message.len();
        // A single message may exceed the limit: its size is limited by the request.
        if output.queued > self.limit && output.queued > message.len() {
            tracing::warn!(output.queued, "a client does not read its messages; its connection is closed");
            self.closed.cancel();
        }
        // The writer has ended if the client is gone.
        let _ = self.queue.send(message);
    }

    pub(crate) fn send_json(&self, message: &Value) {
        self.send(json::serialize(message));
    }

    /// Passes a response of the client to the sender of the request. Ignores responses to unknown requests.
    pub(crate) fn handle_response(&self, mut response: Value) {
        let sender = response["id"].as_str().and_then(|id| self.pending.lock().open.remove(id));
        let Some(sender) = sender else { return };
        let result = match response.get_mut("error").map(Value::take) {
            Some(error) => Err(serde_json::from_value(error).unwrap_or_else(|_| {
                RpcError::new(Code::InvalidRequest, "the error in the response of the client is malformed")
            })),
            None => Ok(response.get_mut("result").map(Value::take).unwrap_or_default()),
        };
        // The receiver may be gone; that is not an error.
        let _ = sender.send(result);
    }

    /// Cancels all requests to the client, which wakes their senders, and rejects new ones.
    pub(crate) fn cancel_requests(&self) {
        let mut pending = self.pending.lock();
        pending.over = true;
        pending.open.clear();
    }
}

impl ClientSink for Outbound {
    /// Only queues the message, because the caller may hold a lock while it notifies many clients.
    fn notify(&self, method: &'static str, params: Value) {
        let body = json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().into_bytes();
        self.enqueue(&mut self.output.lock(), framed(body, self.framing));
    }

    fn request(&self, method: &'static str, params: Value) -> PendingResponse {
        let (sender, receiver) = oneshot::channel();
        let mut pending = self.pending.lock();
        if pending.over {
            return receiver;
        }
        pending.last += 1;
        // Drop requests whose receiver is gone.
        pending.open.retain(|_, sender| !sender.is_closed());
        let id = format!("editd-{}", pending.last);
        pending.open.insert(id.clone(), sender);
        drop(pending);
        self.send_json(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        receiver
    }
}

impl Output {
    /// Writes as much of a message as the socket accepts and returns its length. Errors are left to the
    /// writer.
    fn try_write(&self, message: &[u8]) -> usize {
        self.socket.as_ref().and_then(|socket| socket.try_write(message).ok()).unwrap_or_default()
    }
}

impl Writer {
    /// Writes queued messages until every [`Outbound`] is dropped or the client disconnects.
    pub(crate) async fn write(mut self) {
        let Some(output) = self.output.lock().socket.clone() else { return };
        while let Some(message) = self.queue.recv().await {
            if let Err(error) = write_all(&output, &message).await {
                tracing::debug!(%error, "a client disconnected");
                // The client will not read further responses either.
                self.closed.cancel();
                return;
            }
            self.output.lock().queued -= message.len();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The socket is closed with the last reference to it.
        self.output.lock().socket = None;
    }
}

async fn write_all(output: &OwnedWriteHalf, mut message: &[u8]) -> io::Result<()> {
    while !message.is_empty() {
        output.writable().await?;
        match output.try_write(message) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => message = &message[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

    use super::*;

    #[tokio::test]
    async fn partially_written_messages_arrive_complete_and_in_order() {
        let (ours, mut theirs) = UnixStream::pair().expect("a socket");
        let (_input, output) = ours.into_split();
        let (outbound, writer) = Outbound::new(output, Framing::Lines, usize::MAX, CancellationToken::new());
        let writer = tokio::spawn(writer.write());
        let messages: Vec<String> =
            (0..2000).map(|number| format!("{number} {}", "x".repeat(number))).collect();
        for message in &messages {
            outbound.send(message.clone().into_bytes());
        }
        drop(outbound);
        let mut received = String::new();
        theirs.read_to_string(&mut received).await.expect("all of it, and its end");
        assert_eq!(received.lines().collect::<Vec<_>>(), messages);
        writer.await.expect("the writer has ended");
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_loses_its_connection() {
        let (ours, _theirs) = UnixStream::pair().expect("a socket");
        let (_input, output) = ours.into_split();
        let closed = CancellationToken::new();
        let (outbound, _writer) = Outbound::new(output, Framing::Lines, 1 << 20, closed.clone());
        for _ in 0..100 {
            outbound.send(vec![b'x'; 100 << 10]);
        }
        assert!(closed.is_cancelled());
    }
}
