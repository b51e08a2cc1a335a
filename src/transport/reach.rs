use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::daemon::Places;
use crate::protocol::RpcError;
use crate::workspace::Role;

use super::listen::ALREADY_RUNNING;
use super::places::{AGENT_SOCKET, EDITOR_SOCKET, SOCKET_PATH, are_served, instance_is_alive};

/// How long a daemon may take until it answers on its socket.
const START: Duration = Duration::from_secs(10);
/// How often that is tried.
pub(super) const RETRY: Duration = Duration::from_millis(5);
/// How many daemons may end under a client that has only begun to talk. A second one would do, if the first
/// did not still take connections while it ends.
pub(super) const INTRODUCTIONS: u32 = 5;

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

/// Connects to the socket of a role; starts the daemon if none runs and that is allowed.
pub(super) fn reach(places: &Places, role: Role, spawn: Spawn) -> Result<UnixStream, ConnectError> {
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
fn wait_for(path: &Path, places: &Places) -> Result<UnixStream, ConnectError> {
    let deadline = Instant::now() + START;
    let mut started = start_daemon(places)?;
    while Instant::now() < deadline {
        if let Ok(stream) = UnixStream::connect(path) {
            outlive(started);
            return Ok(stream);
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

/// Lets a daemon be. This process may live long, and what ends below it has to be waited for.
fn outlive(mut started: Child) {
    // Whatever it says from now on, nobody reads.
    drop(started.stderr.take());
    // Without a thread it stays in the list of processes until this one ends.
    let _ = std::thread::Builder::new().name("daemon".to_owned()).spawn(move || started.wait());
}

fn last_words(ended: &mut Child) -> String {
    let mut words = String::new();
    if let Some(stderr) = &mut ended.stderr {
        // What cannot be read is not said.
        let _ = stderr.read_to_string(&mut words);
    }
    // What to do next is for whoever runs it by hand.
    let why = words.lines().take_while(|line| !line.starts_with("hint: ")).collect::<Vec<_>>().join("\n");
    why.trim().trim_start_matches("editd: ").to_owned()
}
