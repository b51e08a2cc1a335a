use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

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

/// As whom a session is begun, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `clientInfo.name`: the author.
    pub name: String,
    /// The roots, in order.
    pub roots: Vec<PathBuf>,
    /// Whether a root directly below home that is not there is a file that is to be made.
    pub new_file: bool,
    /// The name of the session, where one goes on over several connections.
    pub session: Option<String>,
}

impl Identity {
    /// This program itself, with one root or with none.
    fn own(root: Option<&Path>) -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            roots: root.into_iter().map(Path::to_owned).collect(),
            new_file: true,
            session: None,
        }
    }
}

/// A connection of this process to the daemon, for one request at a time.
#[derive(Debug)]
pub struct Client {
    input: Incoming,
    output: Outgoing,
    last_id: i64,
}

/// The half of a connection that messages come on.
#[derive(Debug)]
pub struct Incoming(BufReader<UnixStream>);

/// The half of a connection that messages go out on.
#[derive(Debug)]
pub struct Outgoing(UnixStream);

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
        Self::connect_as(places, role, spawn, &Identity::own(root))
    }

    /// The same for somebody else.
    pub fn connect_as(
        places: &Places,
        role: Role,
        spawn: Spawn,
        identity: &Identity,
    ) -> Result<Self, ConnectError> {
        let mut attempts = 1..=INTRODUCTIONS;
        loop {
            attempts.next();
            let mut client = Self::new(reach(places, role, spawn)?)?;
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

    /// The two halves, and the id of the last request, for who has many requests under way.
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
        });
        self.request("initialize", &params)?;
        Ok(self.output.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))?)
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
        self.output.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.input.receive()?;
            // Notifications come in between; a command has no use for them.
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
    /// The next message.
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

    /// Ends the connection, in both directions.
    pub fn close(&self) {
        // It may have ended already.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// What an answer says.
pub fn outcome(answer: &mut Value) -> Result<Value, CallError> {
    match answer.get_mut("error").map(Value::take) {
        Some(error) => {
            Err(CallError::Refused(serde_json::from_value::<RpcError>(error).map_err(io::Error::other)?))
        }
        None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
    }
}
