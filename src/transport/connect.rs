use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::protocol::RpcError;
use crate::server::Places;
use crate::workspace::Role;

use super::listen::ALREADY_RUNNING;
use super::places::{AGENT_SOCKET, EDITOR_SOCKET, SOCKET_PATH, are_served, instance_is_alive};

/// Timeout for a started daemon to answer on its socket.
const START: Duration = Duration::from_secs(10);
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
    /// The daemon rejected the client, for instance because of its root.
    #[error(transparent)]
    Refused(RpcError),
    /// An I/O error.
    #[error("connecting to the daemon: {0}")]
    Io(#[from] io::Error),
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
    if spawn == Spawn::Forbidden && !are_served(&places.runtime_dir) {
        return Err(ConnectError::NotRunning(path));
    }
    match UnixStream::connect(&path) {
        Ok(stream) => Ok(stream),
        Err(_) if spawn == Spawn::Forbidden => Err(ConnectError::NotRunning(path)),
        Err(_) => wait_for(&path, places),
    }
}

/// Starts `editd serve`, which moves itself into a new session so that it outlives this process and its
/// terminal.
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
        // Read only if the daemon exits immediately, to report the reason.
        .stderr(Stdio::piped());
    command.spawn()
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
