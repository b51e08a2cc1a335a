//! Output of the daemon to one client.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::server::{ClientSink, PendingResponse};
use editd_protocol::{Code, RpcError};

use super::framing::{Framing, framed};
use super::path_maps::PathMaps;

/// Interval between checks that a client still reads, after it has closed its sending side.
const GONE_CHECK: Duration = Duration::from_millis(50);

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
    /// The paths of a client in a container.
    maps: Option<PathMaps>,
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
        (Self { queue: sender, output, limit, framing, closed, pending, maps: None }, writer)
    }

    /// Converts the paths in what is sent from now on.
    pub(crate) fn with_maps(self, maps: Option<PathMaps>) -> Self {
        Self { maps, ..self }
    }

    /// Writes a message directly, and queues the part that cannot be written immediately.
    pub(crate) fn send(&self, body: Vec<u8>) {
        let mut message = framed(body, self.framing);
        let mut output = self.output.lock();
        let socket = output.socket.as_ref().filter(|_| output.queued == 0);
        // Errors are left to the writer.
        let written = socket.and_then(|socket| socket.try_write(&message).ok()).unwrap_or_default();
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

    /// Waits until the client has closed its socket, for reading as well.
    pub(crate) async fn client_is_gone(&self) {
        loop {
            tokio::time::sleep(GONE_CHECK).await;
            let socket = self.output.lock().socket.clone();
            let Some(socket) = socket else { return };
            // macOS tells nothing without a requested event, and for `IN` also that the client has only closed its
            // sending side (`poll_nocancel` and `poll_callback` in `sys_generic.c` of Apple's kernel).
            let mut polled = [PollFd::new((*socket).as_ref(), PollFlags::OUT)];
            let is_polled = poll(&mut polled, Some(&Timespec::default())).is_ok();
            if is_polled && polled[0].revents().contains(PollFlags::HUP) {
                return;
            }
        }
    }

    pub(crate) fn send_json(&self, message: &Value) {
        let Some(maps) = &self.maps else { return self.send(serialize(message)) };
        let mut message = message.clone();
        maps.sent(&mut message);
        self.send(serialize(&message));
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
    fn notify(&self, method: &'static str, mut params: Value) {
        self.maps.iter().for_each(|maps| maps.sent(&mut params));
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

/// Serializes a value without whitespace, byte for byte as `serde_json` does, but faster.
///
/// `serde_json` checks the bytes of a text one at a time for characters to escape. For a read of a large
/// file, this takes longer than everything else, so this serializer checks eight bytes at a time.
fn serialize(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    append(value, &mut out);
    out
}

fn append(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::String(text) => append_text(text, out),
        Value::Array(values) => append_list(values, *b"[]", out, append),
        Value::Object(members) => append_list(members, *b"{}", out, |(name, value), out| {
            append_text(name, out);
            out.push(b':');
            append(value, out);
        }),
    }
}

fn append_list<T>(
    items: impl IntoIterator<Item = T>,
    [open, close]: [u8; 2],
    out: &mut Vec<u8>,
    append_item: impl Fn(T, &mut Vec<u8>),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        append_item(item, out);
    }
    out.push(close);
}

fn append_text(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(plain_len(rest));
        out.extend_from_slice(plain);
        let Some((&byte, further)) = special.split_first() else { break };
        append_escaped(byte, out);
        rest = further;
    }
    out.push(b'"');
}

/// Returns the number of bytes before the first byte to escape.
fn plain_len(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let special = special_in(u64::from_le_bytes(*word));
        if special != 0 {
            return at * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| matches!(byte, ..0x20 | b'"' | b'\\');
    words.len() * 8 + rest.iter().position(special).unwrap_or(rest.len())
}

/// Returns a mask whose lowest set bit is in the lowest byte to escape, or 0 if there is none.
fn special_in(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    // The subtraction sets the highest bit of each byte below the bound, unless it was set before. A borrow
    // corrupts only bytes above a byte that is found.
    let less = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let is = |byte: u8| less(word ^ (ONES * u64::from(byte)), 1);
    (less(word, 0x20) | is(b'"') | is(b'\\')) & (ONES << 7)
}

fn append_escaped(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => return out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Number};
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

    /// Any text, with a bias towards characters that are escaped or differ from those by one bit.
    fn texts() -> impl Strategy<Value = String> {
        let special = prop::sample::select(vec![
            '"', '\\', '\0', '\x1f', ' ', '!', '#', ']', '[', '\x7f', '\u{80}', 'Ä', '𝄞',
        ]);
        let char = prop_oneof![special, proptest::char::range('\0', ' '), any::<char>(), Just('a')];
        prop::collection::vec(char, 0..40).prop_map(String::from_iter)
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|float| Number::from_f64(float).map_or(Value::Null, Value::Number)),
            texts().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let members = prop::collection::vec((texts(), inner.clone()), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(Value::from),
                members.prop_map(|members| Value::Object(Map::from_iter(members))),
            ]
        })
    }

    proptest! {
        #[test]
        fn equals_the_output_of_serde_json(value in values()) {
            prop_assert_eq!(String::from_utf8(serialize(&value)).unwrap(), value.to_string());
        }
    }

    #[test]
    fn every_byte_is_handled_at_every_offset() {
        for byte in 0..0x80_u8 {
            for before in 0..17 {
                let text = format!("{}{}{}", "é".repeat(before % 3), "a".repeat(before), char::from(byte))
                    + "\u{1}b\"";
                let value = json!(text);
                assert_eq!(serialize(&value), value.to_string().into_bytes(), "{text:?}");
            }
        }
    }
}
