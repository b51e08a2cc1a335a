//! The client side: starts the daemon, connects to it and calls its methods.

mod identity;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use crate::config::PlaceInProject;
use crate::server::Places;
use editd_disk::SOCKET_PATH;
use editd_protocol::{Method, RpcError, uri_of};
use editd_syntax::parsing::this_command;
use editd_workspace::Role;

use super::dirs::{SOCKETS_LOCK, instance_is_alive, is_held};
use super::enforced::{counts_as_enforced, is_enforced};
use super::named::{check_places, check_places_here};
use super::serve::ALREADY_RUNNING;
use super::sockets::{AGENT_SOCKET, EDITOR_SOCKET};

pub use identity::Identity;

/// Timeout for a started daemon to answer on its socket.
const START: Duration = Duration::from_secs(10);
/// Maximum time for the answer to `initialize`. A daemon that takes longer hangs.
const INTRODUCTION: Duration = Duration::from_secs(15);
/// Pause between attempts.
pub(super) const RETRY: Duration = Duration::from_millis(5);
/// Maximum number of attempts to initialize a session with a daemon that disconnects. Two would suffice if a
/// daemon did not accept connections while it shuts down.
pub(super) const INTRODUCTIONS: u32 = 5;

/// Permission of a client to start the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spawn {
    /// The client starts the daemon if none is running.
    Allowed,
    /// The client never starts the daemon.
    Forbidden,
}

/// An error while connecting to the daemon.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No daemon is running, and the client may not start one.
    #[error("no daemon is running ({0} does not answer)")]
    NotRunning(PathBuf),
    /// The started daemon exited immediately, with this error output.
    #[error("the daemon did not start: {0}")]
    NotStarted(String),
    /// The started daemon does not answer.
    #[error("the daemon does not answer; its log is in {0}")]
    Silent(PathBuf),
    /// The path of the socket is too long.
    #[error(
        "{0} is too long for a socket (over {SOCKET_PATH} bytes); choose another folder with --runtime-dir"
    )]
    TooLong(PathBuf),
    /// This process can act only as an agent.
    #[error(
        "a command under `editd run --enforce` cannot decide, stop the daemon or answer a question; do that at another terminal, or pass --yes to make a change. If no such command runs here, but a container that lets no program gain privileges, unset EDITD_ENFORCED"
    )]
    Enforced,
    /// The daemon cannot tell this process from a restricted command.
    #[error(
        "the daemon takes no decisions from this program: it runs where no program can gain privileges, as in some containers and sandboxes, and `editd run --enforce` has been used since the system was started; do this at a terminal outside of that, or restart the system and then use `--enforce` there only"
    )]
    MayBeEnforced,
    /// A variable names a place of editd inside a project.
    #[error(transparent)]
    PlaceInProject(#[from] PlaceInProject),
    /// The daemon rejected the client, for instance because of its root.
    #[error(transparent)]
    Refused(RpcError),
    /// An I/O error.
    #[error("connecting to the daemon: {0}")]
    Io(#[from] io::Error),
}

/// Returns `true` for the error of a client that has waited too long.
pub fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Returns `true` for the error of a connection that the other side has closed.
pub fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    [BrokenPipe, ConnectionReset, UnexpectedEof].contains(&error.kind())
}

/// Connects to the socket for a role. Starts the daemon if none is running and `spawn` allows it.
pub(super) fn connect_socket(places: &Places, role: Role, spawn: Spawn) -> Result<UnixStream, ConnectError> {
    let path = places.runtime_dir.join(match role {
        Role::Agent => AGENT_SOCKET,
        Role::Editor => EDITOR_SOCKET,
    });
    if path.as_os_str().len() > SOCKET_PATH {
        return Err(ConnectError::TooLong(path));
    }
    if role == Role::Editor && is_enforced() {
        return Err(ConnectError::Enforced);
    }
    if role == Role::Editor && counts_as_enforced(places) {
        return Err(ConnectError::MayBeEnforced);
    }
    // Sockets of a service manager would accept the connection without a daemon, and start one.
    if spawn == Spawn::Forbidden && !is_held(&places.runtime_dir.join(SOCKETS_LOCK)) {
        return Err(ConnectError::NotRunning(path));
    }
    match UnixStream::connect(&path) {
        Ok(stream) => Ok(stream),
        Err(_) if spawn == Spawn::Forbidden => Err(ConnectError::NotRunning(path)),
        Err(_) => {
            // The daemon would serve other projects with these places, too.
            check_places_here()?;
            wait_for(&path, places)
        }
    }
}

/// Starts `editd serve`, which moves itself into a new session so that it outlives this process and its
/// terminal.
fn start_daemon(places: &Places) -> io::Result<Child> {
    this_command()?
        .args(["serve", "--detached"])
        .arg("--state-dir")
        .arg(&places.state_dir)
        .arg("--runtime-dir")
        .arg(&places.runtime_dir)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        // Read only if the daemon exits immediately, to report the reason.
        .stderr(Stdio::piped())
        .spawn()
}

/// Starts a daemon and waits until one answers. Several clients may do so at the same time: exactly one of
/// the daemons serves, and the others exit. A daemon that exited because an older one was still shutting down
/// is started again.
fn wait_for(path: &Path, places: &Places) -> Result<UnixStream, ConnectError> {
    let deadline = Instant::now() + START;
    let mut started = start_daemon(places)?;
    while Instant::now() < deadline {
        if let Ok(stream) = UnixStream::connect(path) {
            detach(started);
            return Ok(stream);
        }
        let ended = started.try_wait()?;
        if let Some(status) = ended.filter(|_| !instance_is_alive(&places.state_dir)) {
            let words = error_output(&mut started);
            if !status.success() && !words.contains(ALREADY_RUNNING) {
                return Err(ConnectError::NotStarted(words));
            }
            started = start_daemon(places)?;
        }
        std::thread::sleep(RETRY);
    }
    Err(ConnectError::Silent(places.state_dir.join("logs")))
}

/// Detaches from a started daemon. A thread waits for it, because this process may live long and an exited
/// child remains a zombie until its parent waits for it.
fn detach(mut started: Child) {
    // Later error output is not read.
    drop(started.stderr.take());
    let _ = std::thread::Builder::new().name("daemon".to_owned()).spawn(move || started.wait());
}

fn error_output(ended: &mut Child) -> String {
    let mut words = String::new();
    if let Some(stderr) = &mut ended.stderr {
        // Unreadable output is omitted.
        let _ = stderr.read_to_string(&mut words);
    }
    // Hints are for users who run the daemon manually.
    let why = words.lines().take_while(|line| !line.starts_with("hint: ")).collect::<Vec<_>>().join("\n");
    why.trim().trim_start_matches("editd: ").to_owned()
}

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
        matches!(self, Self::Io(error) if is_end(error))
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
    /// Starts a session of this program itself on the socket for a role, with at most one root. Starts the
    /// daemon if none is running and `spawn` allows it.
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
        if role == Role::Agent {
            check_places(&identity.roots)?;
        }
        let mut attempts = 1..=INTRODUCTIONS;
        loop {
            attempts.next();
            let stream = connect_socket(places, role, spawn)?;
            let input = Incoming(BufReader::new(stream.try_clone()?));
            let mut client = Self { input, output: Outgoing(stream), last_id: 0 };
            client.set_timeout(INTRODUCTION)?;
            match client.initialize(identity) {
                Ok(()) => {
                    client.output.0.set_write_timeout(None)?;
                    client.output.0.set_read_timeout(None)?;
                    return Ok(client);
                }
                Err(CallError::Io(error)) if is_timeout(&error) => {
                    return Err(ConnectError::Silent(places.state_dir.join("logs")));
                }
                Err(CallError::Refused(error)) => return Err(ConnectError::Refused(error)),
                Err(error) if error.is_end() && !attempts.is_empty() => std::thread::sleep(RETRY),
                Err(CallError::Io(error)) => return Err(ConnectError::Io(error)),
            }
        }
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
                "experimental": { "editd": {
                    "newFile": identity.new_file, "session": identity.session, "resume": identity.resumes,
                    "review": identity.reviews, "agent": identity.as_agent,
                } },
            },
            "workspaceFolders": folders,
            "initializationOptions": { "editd": { "audience": identity.audience.name() } },
        });
        self.request("initialize", &params)?;
        Ok(self.output.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))?)
    }

    /// Returns another handle of the connection, with which a second thread can close it.
    pub fn closer(&self) -> io::Result<Outgoing> {
        self.output.0.try_clone().map(Outgoing)
    }

    /// Limits the time to wait for each message.
    pub fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.output.0.set_write_timeout(Some(timeout))?;
        self.output.0.set_read_timeout(Some(timeout))
    }

    /// Calls a method.
    pub fn call<M: Method>(&mut self, params: &impl Serialize) -> Result<M::Result, CallError> {
        let result = self.request(M::NAME, params)?;
        serde_json::from_value(result).map_err(|error| CallError::Io(io::Error::other(error)))
    }

    /// Calls a method and returns the raw result. Skips notifications.
    pub fn request(&mut self, method: &str, params: &impl Serialize) -> Result<Value, CallError> {
        self.request_noticing(method, params, |_, _| {})
    }

    /// Calls a method and returns the raw result. Passes notifications that arrive before it to `noticed`: the method
    /// and the parameters.
    pub fn request_noticing(
        &mut self,
        method: &str,
        params: &impl Serialize,
        mut noticed: impl FnMut(&str, &Value),
    ) -> Result<Value, CallError> {
        self.last_id += 1;
        let id = self.last_id;
        self.output.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.input.receive()?;
            if message["id"].as_i64() == Some(id) {
                return outcome(&mut message);
            }
            if let Some(method) = message["method"].as_str() {
                noticed(method, &message["params"]);
            }
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
