use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::daemon::Places;
use crate::protocol::{Method, RpcError, uri_of};
use crate::workspace::{Audience, Role};

use super::connect::{ConnectError, INTRODUCTIONS, RETRY, Spawn, connect_socket};

/// An error of a call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The daemon answered with an error.
    #[error(transparent)]
    Refused(#[from] RpcError),
    /// The connection failed.
    #[error("talking to the daemon: {0}")]
    Io(#[from] io::Error),
}

impl CallError {
    /// Returns `true` if the daemon closed the connection.
    pub fn is_end(&self) -> bool {
        use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        matches!(self, Self::Io(error) if [BrokenPipe, ConnectionReset, UnexpectedEof].contains(&error.kind()))
    }
}

/// Client name, roots and options with which a session is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `clientInfo.name`, which becomes the author.
    pub name: String,
    /// Roots, in order.
    pub roots: Vec<PathBuf>,
    /// `true` if a missing root directly in the home folder is a file to be created.
    pub new_file: bool,
    /// Name of the session, if it spans several connections.
    pub session: Option<String>,
    /// Readers of the daemon's messages.
    pub audience: Audience,
}

impl Identity {
    /// Identity of this program itself, with at most one root.
    pub fn own(root: Option<&Path>) -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            roots: root.into_iter().map(Path::to_owned).collect(),
            new_file: true,
            session: None,
            audience: Audience::Wire,
        }
    }
}

/// A connection to the daemon that runs one request at a time.
#[derive(Debug)]
pub struct Client {
    input: Incoming,
    output: Outgoing,
    last_id: i64,
}

/// The receiving half of a connection.
#[derive(Debug)]
pub struct Incoming(BufReader<UnixStream>);

/// The sending half of a connection.
#[derive(Debug)]
pub struct Outgoing(UnixStream);

impl Client {
    /// Starts a session on the socket for a role, with at most one root. Starts the daemon if none is running
    /// and
    /// `spawn` allows it.
    ///
    /// A daemon that is shutting down may still accept the connection. The client then retries with the next
    /// daemon, which is safe because it has sent only `initialize`.
    pub fn connect(
        places: &Places,
        role: Role,
        spawn: Spawn,
        root: Option<&Path>,
    ) -> Result<Self, ConnectError> {
        Self::connect_as(places, role, spawn, &Identity::own(root))
    }

    /// Like [`Self::connect`], with another identity.
    pub fn connect_as(
        places: &Places,
        role: Role,
        spawn: Spawn,
        identity: &Identity,
    ) -> Result<Self, ConnectError> {
        let mut attempts = 1..=INTRODUCTIONS;
        loop {
            attempts.next();
            let mut client = Self::new(connect_socket(places, role, spawn)?)?;
            match client.initialize(identity) {
                Ok(()) => return Ok(client),
                Err(CallError::Refused(error)) => return Err(ConnectError::Refused(error)),
                Err(error) if error.is_end() && !attempts.is_empty() => std::thread::sleep(RETRY),
                Err(CallError::Io(error)) => return Err(ConnectError::Io(error)),
            }
        }
    }

    fn new(stream: UnixStream) -> io::Result<Self> {
        let input = Incoming(BufReader::new(stream.try_clone()?));
        Ok(Self { input, output: Outgoing(stream), last_id: 0 })
    }

    /// Splits the client into its two halves and the id of the last request, to run several requests
    /// concurrently.
    pub fn split(self) -> (Incoming, Outgoing, i64) {
        (self.input, self.output, self.last_id)
    }

    fn initialize(&mut self, identity: &Identity) -> Result<(), CallError> {
        let folders: Vec<_> = identity
            .roots
            .iter()
            .map(|root| json!({ "uri": uri_of(root), "name": root.display().to_string() }))
            .collect();
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": identity.name, "version": env!("CARGO_PKG_VERSION") },
            "capabilities": {
                "general": { "positionEncodings": ["utf-8"] },
                "experimental": { "editd": { "newFile": identity.new_file, "session": identity.session } },
            },
            "workspaceFolders": folders,
            "initializationOptions": { "editd": { "audience": identity.audience.name() } },
        });
        self.request("initialize", &params)?;
        Ok(self.output.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))?)
    }

    /// Calls a method.
    pub fn call<M: Method>(&mut self, params: &impl Serialize) -> Result<M::Result, CallError> {
        let result = self.request(M::NAME, params)?;
        serde_json::from_value(result).map_err(|error| CallError::Io(io::Error::other(error)))
    }

    /// Calls a method and returns the raw result.
    pub fn request(&mut self, method: &str, params: &impl Serialize) -> Result<Value, CallError> {
        self.last_id += 1;
        let id = self.last_id;
        self.output.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.input.receive()?;
            // Skip notifications; a command does not use them.
            if message.get("id").and_then(Value::as_i64) != Some(id) {
                continue;
            }
            return outcome(&mut message);
        }
    }

    /// Waits until the daemon closes the connection.
    pub fn wait_for_end(mut self) {
        while self.input.receive().is_ok() {}
    }
}

impl Incoming {
    /// Receives the next message.
    pub fn receive(&mut self) -> io::Result<Value> {
        let mut line = Vec::new();
        if self.0.read_until(b'\n', &mut line)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the daemon closed the connection"));
        }
        Ok(serde_json::from_slice(&line)?)
    }
}

impl Outgoing {
    /// Sends a message.
    pub fn send(&mut self, message: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.0.write_all(&line)
    }

    /// Closes the connection in both directions.
    pub fn close(&self) {
        // The connection may be closed already.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Extracts the result or the error of a response.
pub fn outcome(answer: &mut Value) -> Result<Value, CallError> {
    match answer.get_mut("error").map(Value::take) {
        Some(error) => {
            Err(CallError::Refused(serde_json::from_value::<RpcError>(error).map_err(io::Error::other)?))
        }
        None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
    }
}
