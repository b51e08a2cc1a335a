//! One connection to a socket, as bytes and as messages.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::PATIENCE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// One JSON message a line.
    Lines,
    /// The LSP base protocol.
    Headers,
}

#[derive(Debug)]
pub(crate) enum Arrival {
    Message(Value),
    Closed,
    Nothing,
}

pub(crate) struct Wire {
    stream: UnixStream,
    framing: Framing,
    received: Vec<u8>,
}

impl Wire {
    pub(crate) fn connect(socket: &Path, framing: Framing) -> Self {
        Self::over(UnixStream::connect(socket).expect("the daemon's socket accepts a connection"), framing)
    }

    pub(crate) fn over(stream: UnixStream, framing: Framing) -> Self {
        stream.set_write_timeout(Some(PATIENCE)).expect("a write can have a deadline");
        Self { stream, framing, received: Vec::new() }
    }

    /// A second handle on the same connection, to write from one thread and read from another.
    pub(crate) fn writer(&self) -> Self {
        let stream = self.stream.try_clone().expect("a socket can be duplicated");
        Self { stream, framing: self.framing, received: Vec::new() }
    }

    /// Ends the connection both ways.
    pub(crate) fn close(&self) {
        // It may have ended already.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_body(message.to_string().as_bytes());
    }

    /// Frames a body as this connection does, whatever is in it.
    pub(crate) fn send_body(&mut self, body: &[u8]) {
        self.send_bytes(&self.framed(body));
    }

    /// Fails where the daemon has gone already.
    pub(crate) fn try_send(&mut self, message: &Value) -> std::io::Result<()> {
        self.try_send_bytes(&self.framed(message.to_string().as_bytes()))
    }

    fn framed(&self, body: &[u8]) -> Vec<u8> {
        let mut frame = Vec::with_capacity(body.len() + 32);
        if self.framing == Framing::Headers {
            frame.extend(format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes());
        }
        frame.extend(body);
        if self.framing == Framing::Lines {
            frame.push(b'\n');
        }
        frame
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.try_send_bytes(bytes).expect("the daemon takes what is sent");
    }

    pub(crate) fn try_send_bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Says that nothing more will come, and goes on reading.
    pub(crate) fn close_sending(&self) {
        self.stream.shutdown(std::net::Shutdown::Write).expect("a connection can be closed half");
    }

    pub(crate) fn set_write_patience(&self, patience: Duration) {
        self.stream.set_write_timeout(Some(patience)).expect("a write can have a deadline");
    }

    /// The next message. Nothing within the deadline, or an end, fails the test.
    pub(crate) fn receive(&mut self) -> Value {
        match self.arrival(PATIENCE) {
            Arrival::Message(message) => message,
            Arrival::Closed => panic!("the daemon closed the connection where a message was due"),
            Arrival::Nothing => panic!("no message within {PATIENCE:?}"),
        }
    }

    /// Waits for the connection's end and returns what was still said on it.
    pub(crate) fn until_closed(&mut self) -> Vec<Value> {
        let mut said = Vec::new();
        loop {
            match self.arrival(PATIENCE) {
                Arrival::Message(message) => said.push(message),
                Arrival::Closed => return said,
                Arrival::Nothing => panic!("the connection should have ended; it said {said:?}"),
            }
        }
    }

    pub(crate) fn arrival(&mut self, patience: Duration) -> Arrival {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(body) = self.take_body() {
                let message = serde_json::from_slice(&body)
                    .unwrap_or_else(|error| panic!("{error} in {:?}", String::from_utf8_lossy(&body)));
                return Arrival::Message(message);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Arrival::Nothing;
            }
            if !self.fill(left) {
                return Arrival::Closed;
            }
        }
    }

    /// Reads once; false at the connection's end.
    fn fill(&mut self, patience: Duration) -> bool {
        self.stream.set_read_timeout(Some(patience)).expect("a read can have a deadline");
        let mut chunk = [0; 1 << 13];
        match self.stream.read(&mut chunk) {
            Ok(0) => false,
            Ok(count) => {
                self.received.extend(&chunk[..count]);
                true
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => true,
                ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => false,
                _ => panic!("reading from the daemon: {error}"),
            },
        }
    }

    fn take_body(&mut self) -> Option<Vec<u8>> {
        match self.framing {
            Framing::Lines => {
                let end = self.received.iter().position(|&byte| byte == b'\n')?;
                let mut line: Vec<u8> = self.received.drain(..=end).collect();
                line.pop();
                Some(line)
            }
            Framing::Headers => {
                let end = self.received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
                let head = String::from_utf8(self.received[..end].to_vec()).expect("headers are ASCII");
                let length = content_length(&head);
                if self.received.len() < end + length {
                    return None;
                }
                self.received.drain(..end);
                Some(self.received.drain(..length).collect())
            }
        }
    }
}

fn content_length(head: &str) -> usize {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("content-length:"));
    let value = line.and_then(|line| line.split(':').nth(1)).expect("the daemon says Content-Length");
    value.trim().parse().expect("Content-Length is a number")
}
