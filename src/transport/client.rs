use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use crate::daemon::Places;
use crate::protocol::{Method, RpcError, uri_of};
use crate::workspace::Role;

use super::places::{AGENT_SOCKET, EDITOR_SOCKET, instance_is_alive};

/// How long a daemon may take until it answers on its socket.
const START: Duration = Duration::from_secs(10);
/// How often that is tried.
const RETRY: Duration = Duration::from_millis(5);

/// Whether a client may start the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spawn {
    /// If none runs.
    Allowed,
    /// Never.
    Forbidden,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No daemon runs, and none may be started.
    #[error("no daemon is running ({0} does not answer)")]
    NotRunning(PathBuf),
    /// It was started, but ended at once, with these words.
    #[error("the daemon did not start: {0}")]
    NotStarted(String),
    /// It was started, but does not answer.
    #[error("the daemon does not answer; its log is in {0}")]
    Silent(PathBuf),
    /// Something failed.
    #[error("connecting to the daemon: {0}")]
    Io(#[from] io::Error),
}

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

/// A connection of this process to the daemon, for one request at a time.
#[derive(Debug)]
pub struct Client {
    input: BufReader<UnixStream>,
    output: UnixStream,
    last_id: i64,
}

impl Client {
    /// Connects to the socket of a role; starts the daemon if none runs and that is allowed.
    pub fn connect(places: &Places, role: Role, spawn: Spawn) -> Result<Self, ConnectError> {
        let path = places.runtime_dir.join(match role {
            Role::Agent => AGENT_SOCKET,
            Role::Editor => EDITOR_SOCKET,
        });
        match UnixStream::connect(&path) {
            Ok(stream) => Ok(Self::new(stream)?),
            Err(_) if spawn == Spawn::Forbidden => Err(ConnectError::NotRunning(path)),
            Err(_) => wait_for(&path, &places.state_dir, start_daemon(places)?),
        }
    }

    fn new(stream: UnixStream) -> io::Result<Self> {
        Ok(Self { input: BufReader::new(stream.try_clone()?), output: stream, last_id: 0 })
    }

    /// Introduces this process as `editd` with one root, or with none.
    pub fn initialize(&mut self, root: Option<&Path>) -> Result<Value, CallError> {
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
        let result = self.request("initialize", &params)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))?;
        Ok(result)
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

/// Starts `editd serve`, which puts itself into a session of its own to outlive this process and terminal.
fn start_daemon(places: &Places) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["serve", "--detached"])
        .arg("--state-dir")
        .arg(&places.state_dir)
        .arg("--runtime-dir")
        .arg(&places.runtime_dir)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        // Read only if it ends at once, to say why.
        .stderr(Stdio::piped());
    command.spawn()
}

/// Several clients may have started one at the same time; exactly one of them serves, and the others end.
fn wait_for(path: &Path, state_dir: &Path, mut started: Child) -> Result<Client, ConnectError> {
    let deadline = Instant::now() + START;
    while Instant::now() < deadline {
        if let Ok(stream) = UnixStream::connect(path) {
            return Ok(Client::new(stream)?);
        }
        if started.try_wait()?.is_some() && !instance_is_alive(state_dir) {
            return Err(ConnectError::NotStarted(last_words(started)));
        }
        std::thread::sleep(RETRY);
    }
    Err(ConnectError::Silent(state_dir.join("logs")))
}

fn last_words(mut ended: Child) -> String {
    let mut words = String::new();
    if let Some(stderr) = &mut ended.stderr {
        // What cannot be read is not said.
        let _ = stderr.read_to_string(&mut words);
    }
    words.trim().trim_start_matches("error: ").to_owned()
}
