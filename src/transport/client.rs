use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::daemon::Places;
use crate::protocol::{Method, RpcError, uri_of};
use crate::workspace::Role;

use super::reach::{ConnectError, INTRODUCTIONS, RETRY, Spawn, reach};

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The daemon said no.
    #[error(transparent)]
    Refused(#[from] RpcError),
    /// The connection failed.
    #[error("talking to the daemon: {0}")]
    Io(#[from] io::Error),
}

impl CallError {
    /// Whether the daemon went away.
    pub fn is_end(&self) -> bool {
        use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        matches!(self, Self::Io(error) if [BrokenPipe, ConnectionReset, UnexpectedEof].contains(&error.kind()))
    }
}

/// A connection of this process to the daemon, for one request at a time.
#[derive(Debug)]
pub struct Client {
    input: BufReader<UnixStream>,
    output: UnixStream,
    last_id: i64,
}

impl Client {
    /// Begins a session on the socket of a role, with one root or with none; starts the daemon if none runs
    /// and that is allowed. A daemon that is just ending may still take the connection, so it is tried again
    /// with the next one: nothing but `initialize` was said.
    pub fn connect(
        places: &Places,
        role: Role,
        spawn: Spawn,
        root: Option<&Path>,
    ) -> Result<Self, ConnectError> {
        let mut attempts = 1..=INTRODUCTIONS;
        loop {
            attempts.next();
            let mut client = Self::new(reach(places, role, spawn)?)?;
            match client.initialize(root) {
                Ok(()) => return Ok(client),
                Err(CallError::Refused(error)) => return Err(ConnectError::Refused(error)),
                Err(error) if error.is_end() && !attempts.is_empty() => std::thread::sleep(RETRY),
                Err(CallError::Io(error)) => return Err(ConnectError::Io(error)),
            }
        }
    }

    fn new(stream: UnixStream) -> io::Result<Self> {
        Ok(Self { input: BufReader::new(stream.try_clone()?), output: stream, last_id: 0 })
    }

    /// Introduces this process as `editd`.
    fn initialize(&mut self, root: Option<&Path>) -> Result<(), CallError> {
        let folders: Vec<_> = root
            .iter()
            .map(|root| json!({ "uri": uri_of(root), "name": root.display().to_string() }))
            .collect();
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
            "capabilities": { "general": { "positionEncodings": ["utf-8"] } },
            "workspaceFolders": folders,
        });
        self.request("initialize", &params)?;
        Ok(self.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))?)
    }

    /// Calls a method.
    pub fn call<M: Method>(&mut self, params: &impl Serialize) -> Result<M::Result, CallError> {
        let result = self.request(M::NAME, params)?;
        serde_json::from_value(result).map_err(|error| CallError::Io(io::Error::other(error)))
    }

    /// Calls a method and gives its result as it came.
    pub fn request(&mut self, method: &str, params: &impl Serialize) -> Result<Value, CallError> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.receive()?;
            // Notifications come in between; a command has no use for them.
            if message.get("id").and_then(Value::as_i64) != Some(id) {
                continue;
            }
            if let Some(error) = message.get_mut("error").map(Value::take) {
                let error = serde_json::from_value::<RpcError>(error).map_err(io::Error::other)?;
                return Err(CallError::Refused(error));
            }
            return Ok(message.get_mut("result").map(Value::take).unwrap_or_default());
        }
    }

    /// Waits until the daemon closes the connection.
    pub fn wait_for_end(mut self) {
        while self.receive().is_ok() {}
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.output.write_all(&line)
    }

    fn receive(&mut self) -> io::Result<Value> {
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the daemon closed the connection"));
        }
        Ok(serde_json::from_slice(&line)?)
    }
}
