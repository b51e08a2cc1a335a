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

use super::listen::ALREADY_RUNNING;
use super::places::{AGENT_SOCKET, EDITOR_SOCKET, SOCKET_PATH, instance_is_alive};

/// How long a daemon may take until it answers on its socket.
const START: Duration = Duration::from_secs(10);
/// How often that is tried.
const RETRY: Duration = Duration::from_millis(5);
/// How many daemons may end under a client that has only said `initialize`. A second one would do, if the
/// first did not still take connections while it ends.
const INTRODUCTIONS: u32 = 5;

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
    /// The path of its socket is too long to connect to.
    #[error(
        "{0} is too long for a socket (over {SOCKET_PATH} bytes); choose another folder with --runtime-dir"
    )]
    TooLong(PathBuf),
    /// It does not take this client, for instance because of its root.
    #[error(transparent)]
    Refused(RpcError),
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
        let path = places.runtime_dir.join(match role {
            Role::Agent => AGENT_SOCKET,
            Role::Editor => EDITOR_SOCKET,
        });
        if path.as_os_str().len() > SOCKET_PATH {
            return Err(ConnectError::TooLong(path));
        }
        let mut attempts = 1..=INTRODUCTIONS;
        loop {
            attempts.next();
            let mut client = Self::reach(&path, places, spawn)?;
            match client.initialize(root) {
                Ok(()) => return Ok(client),
                Err(CallError::Refused(error)) => return Err(ConnectError::Refused(error)),
                Err(error) if error.is_end() && !attempts.is_empty() => std::thread::sleep(RETRY),
                Err(CallError::Io(error)) => return Err(ConnectError::Io(error)),
            }
        }
    }

    fn reach(path: &Path, places: &Places, spawn: Spawn) -> Result<Self, ConnectError> {
        match UnixStream::connect(path) {
            Ok(stream) => Ok(Self::new(stream)?),
            Err(_) if spawn == Spawn::Forbidden => Err(ConnectError::NotRunning(path.to_owned())),
            Err(_) => wait_for(path, places),
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

/// Starts a daemon and waits until one answers. Several clients may do so at the same time; exactly one of
/// the daemons serves, and the others end. One that ended because an older one was still about to end is
/// started again.
fn wait_for(path: &Path, places: &Places) -> Result<Client, ConnectError> {
    let deadline = Instant::now() + START;
    let mut started = start_daemon(places)?;
    while Instant::now() < deadline {
        if let Ok(stream) = UnixStream::connect(path) {
            return Ok(Client::new(stream)?);
        }
        let ended = started.try_wait()?;
        if let Some(status) = ended.filter(|_| !instance_is_alive(&places.state_dir)) {
            let words = last_words(&mut started);
            if !status.success() && !words.contains(ALREADY_RUNNING) {
                return Err(ConnectError::NotStarted(words));
            }
            started = start_daemon(places)?;
        }
        std::thread::sleep(RETRY);
    }
    Err(ConnectError::Silent(places.state_dir.join("logs")))
}

fn last_words(ended: &mut Child) -> String {
    let mut words = String::new();
    if let Some(stderr) = &mut ended.stderr {
        // What cannot be read is not said.
        let _ = stderr.read_to_string(&mut words);
    }
    words.trim().trim_start_matches("error: ").to_owned()
}
