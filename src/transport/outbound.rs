use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::daemon::{Asked, Outlet};
use crate::protocol::{Code, RpcError};

use super::framing::{Framing, framed};
use super::json;

/// What waits to be written to one client, bounded in bytes. Nobody waits for a client that does not read:
/// beyond the bound its connection ends.
///
/// Where nothing waits, a message is written at once, by the thread that has it: to wake another for that takes
/// as long as a small request. Only what the socket does not take at once is left to the [writer](Unsent).
#[derive(Clone, Debug)]
pub(crate) struct Outbound {
    queue: UnboundedSender<Vec<u8>>,
    line: Arc<Mutex<Line>>,
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

/// The way to a client's socket. Whoever writes holds it, but for the writer while something waits: then nobody
/// else may.
#[derive(Debug)]
struct Line {
    /// Bytes that are left to the writer.
    waiting: usize,
    /// None once the writer has ended.
    output: Option<Arc<OwnedWriteHalf>>,
}

/// The other end of an [`Outbound`]. When it goes, nothing is written any more.
#[derive(Debug)]
pub(crate) struct Unsent {
    queue: UnboundedReceiver<Vec<u8>>,
    line: Arc<Mutex<Line>>,
    closed: CancellationToken,
}

impl Outbound {
    pub(crate) fn new(
        output: OwnedWriteHalf,
        framing: Framing,
        limit: usize,
        closed: CancellationToken,
    ) -> (Self, Unsent) {
        let (sender, receiver) = unbounded_channel();
        let line = Arc::new(Mutex::new(Line { waiting: 0, output: Some(Arc::new(output)) }));
        let unsent = Unsent { queue: receiver, line: line.clone(), closed: closed.clone() };
        let asked = Arc::default();
        (Self { queue: sender, line, limit, framing, closed, asked }, unsent)
    }

    /// Writes a message, or leaves to the writer what of it cannot be written at once.
    pub(crate) fn send(&self, body: Vec<u8>) {
        let mut message = framed(body, self.framing);
        let mut line = self.line.lock();
        let taken = if line.waiting == 0 { line.try_write(&message) } else { 0 };
        if taken < message.len() {
            message.drain(..taken);
            self.leave(&mut line, message);
        }
    }

    /// Leaves a message to the writer, behind all that was left to it.
    fn leave(&self, line: &mut Line, message: Vec<u8>) {
        line.waiting += message.len();
        // One message alone may be larger: it is as large as the request allowed it to be.
        if line.waiting > self.limit && line.waiting > message.len() {
            tracing::warn!(line.waiting, "a client does not read what it is sent; its connection ends");
            self.closed.cancel();
        }
        // A writer that is gone has nobody to write to.
        let _ = self.queue.send(message);
    }

    pub(crate) fn send_json(&self, message: &Value) {
        self.send(json::written(message));
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
    /// Never writes itself: who tells many clients something holds what others wait for.
    fn notify(&self, method: &'static str, params: Value) {
        let body = json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().into_bytes();
        self.leave(&mut self.line.lock(), framed(body, self.framing));
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

impl Line {
    /// How much of a message the socket takes at once. What is wrong with it the writer will find.
    fn try_write(&self, message: &[u8]) -> usize {
        self.output.as_ref().and_then(|output| output.try_write(message).ok()).unwrap_or_default()
    }
}

impl Unsent {
    /// Writes what waits until every [`Outbound`] is gone or the client is.
    pub(crate) async fn write(mut self) {
        let Some(output) = self.line.lock().output.clone() else { return };
        while let Some(message) = self.queue.recv().await {
            if let Err(error) = write_all(&output, &message).await {
                tracing::debug!(%error, "a client went away");
                // Nor will it read the answers to what it has sent besides.
                self.closed.cancel();
                return;
            }
            self.line.lock().waiting -= message.len();
        }
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        // With the last use of it the client sees the end.
        self.line.lock().output = None;
    }
}

async fn write_all(output: &OwnedWriteHalf, mut message: &[u8]) -> io::Result<()> {
    while !message.is_empty() {
        output.writable().await?;
        match output.try_write(message) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(taken) => message = &message[taken..],
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
    async fn what_the_socket_does_not_take_at_once_comes_later_and_in_order() {
        let (ours, mut theirs) = UnixStream::pair().expect("a socket");
        let (_input, output) = ours.into_split();
        let (outbound, unsent) = Outbound::new(output, Framing::Lines, usize::MAX, CancellationToken::new());
        let writer = tokio::spawn(unsent.write());
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
        let (outbound, _unsent) = Outbound::new(output, Framing::Lines, 1 << 20, closed.clone());
        for _ in 0..100 {
            outbound.send(vec![b'x'; 100 << 10]);
        }
        assert!(closed.is_cancelled());
    }
}
