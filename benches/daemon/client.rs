//! A client that exchanges one JSON message per line, with minimal work during a measurement.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::{Value, json};

pub(crate) struct Client {
    stream: UnixStream,
    received: Vec<u8>,
    last_id: u64,
}

impl Client {
    pub(crate) fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).expect("a running daemon");
        Self { stream, received: Vec::with_capacity(1 << 16), last_id: 0 }
    }

    /// Encodes a request, to be sent later.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Vec<u8> {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        let mut line = request.to_string().into_bytes();
        line.push(b'\n');
        line
    }

    /// Sends an encoded message.
    pub(crate) fn send(&mut self, message: &[u8]) {
        self.stream.write_all(message).expect("the daemon reads messages");
    }

    /// Sends a request and waits for a complete line that is not a notification. Measurements time this
    /// function.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Vec<u8> {
        self.send(request);
        loop {
            let line = self.line();
            if !line.starts_with(br#"{"jsonrpc":"2.0","method""#) {
                return line;
            }
        }
    }

    fn line(&mut self) -> Vec<u8> {
        let mut searched = 0;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.received[searched..]) {
                let rest = self.received.split_off(searched + at + 1);
                return std::mem::replace(&mut self.received, rest);
            }
            searched = self.received.len();
            self.received.resize(searched + (1 << 16), 0);
            let read = self.stream.read(&mut self.received[searched..]).expect("an answer");
            assert!(read > 0, "the daemon closed the connection");
            self.received.truncate(searched + read);
        }
    }

    /// Sends a request and returns its result. A refusal panics.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method} was refused: {error}"))
    }

    pub(crate) fn try_call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        let request = self.request(method, params);
        outcome(&self.exchange(&request))
    }
}

/// Parses an answer into its result or error.
pub(crate) fn outcome(line: &[u8]) -> Result<Value, Value> {
    let mut answer: Value = serde_json::from_slice(line).expect("JSON");
    match answer.get_mut("error").map(Value::take) {
        Some(error) => Err(error),
        None => Ok(answer["result"].take()),
    }
}
