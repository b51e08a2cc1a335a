//! A connection to a socket that sends and receives bytes or messages.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::PATIENCE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// A JSON message per line.
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

    /// Duplicates the connection, to write from one thread and read from another.
    pub(crate) fn writer(&self) -> Self {
        let stream = self.stream.try_clone().expect("a socket can be duplicated");
        Self { stream, framing: self.framing, received: Vec::new() }
    }

    /// Closes the connection in both directions.
    pub(crate) fn close(&self) {
        // The connection may be closed already.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_body(message.to_string().as_bytes());
    }

    /// Sends a body with the framing of this connection, without checking it.
    pub(crate) fn send_body(&mut self, body: &[u8]) {
        self.send_bytes(&self.framed(body));
    }

    /// Sends a message. Returns an error if the daemon is gone.
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
        self.try_send_bytes(bytes).expect("the daemon accepts data");
    }

    pub(crate) fn try_send_bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Closes the sending direction only.
    pub(crate) fn close_sending(&self) {
        self.stream.shutdown(std::net::Shutdown::Write).expect("a connection can be closed half");
    }

    pub(crate) fn set_write_patience(&self, patience: Duration) {
        self.stream.set_write_timeout(Some(patience)).expect("a write can have a deadline");
    }

    /// Receives the next message. A timeout or the end of the connection fails the test.
    pub(crate) fn receive(&mut self) -> Value {
        match self.arrival(PATIENCE) {
            Arrival::Message(message) => message,
            Arrival::Closed => panic!("the daemon closed the connection where a message was due"),
            Arrival::Nothing => panic!("no message within {PATIENCE:?}"),
        }
    }

    /// Waits for the end of the connection and returns the messages received until then.
    pub(crate) fn until_closed(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            match self.arrival(PATIENCE) {
                Arrival::Message(message) => messages.push(message),
                Arrival::Closed => return messages,
                Arrival::Nothing => panic!("the connection should have ended; it sent {messages:?}"),
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

    /// Reads once. Returns `false` at the end of the connection.
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
    let value = line.and_then(|line| line.split(':').nth(1)).expect("a Content-Length header");
    value.trim().parse().expect("Content-Length is a number")
}
