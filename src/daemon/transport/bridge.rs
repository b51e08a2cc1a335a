use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::server::Places;
use editd_workspace::Role;

use super::client::{ConnectError, INTRODUCTIONS, RETRY, Spawn, connect_socket};
use super::message::goodbye;

/// Size of the buffer of each direction, in bytes. A side that does not read blocks the other side from
/// sending.
const BUFFER: usize = 64 << 10;
/// Maximum size of the client's first input that is retained until the daemon answers, in bytes. A daemon
/// that is shutting down may accept the connection without answering; the input is then sent again to the
/// next daemon.
/// `initialize` fits.
const OPENING: usize = 256 << 10;
/// Number of the daemon's last bytes that are retained to recognize a goodbye.
const ENDING: usize = 256;

/// Result of a bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// The client has disconnected, or the daemon has sent a goodbye.
    Over,
    /// The daemon has disconnected without a goodbye while the client was still connected.
    Broken,
}

/// Forwards bytes unchanged in both directions between a client on this process's pipes and the daemon's
/// socket for a role, until one of them disconnects. Starts the daemon if none is running and `spawn` allows
/// it.
///
/// A client that closes its sending side still receives the daemon's output. The bridge holds at most 64 KiB
/// per direction in memory, and 256 KiB more until the first answer of the daemon.
pub fn bridge(
    places: &Places,
    role: Role,
    spawn: Spawn,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> Result<Crossing, ConnectError> {
    let mut from_daemon = connect_socket(places, role, spawn)?;
    let link = Link { stream: from_daemon.try_clone()?, opening: Some(Vec::new()), ended: false };
    let link = Arc::new(Mutex::new(link));
    let sending = link.clone();
    // The thread ends with the process: a read from a silent client cannot be interrupted.
    std::thread::Builder::new()
        .name("client".to_owned())
        .spawn(move || forward_to_daemon(&sending, input))?;
    // The last bytes that were sent to the client.
    let mut ending = Vec::new();
    let mut attempts = 1..=INTRODUCTIONS;
    loop {
        attempts.next();
        if !forward_from_daemon(&mut from_daemon, &mut output, &mut ending)? {
            return Ok(Crossing::Over);
        }
        let mut link = link.lock();
        if link.ended || ending.trim_ascii_end().ends_with(goodbye().to_string().as_bytes()) {
            return Ok(Crossing::Over);
        }
        let opening = link.opening.clone().filter(|_| ending.is_empty() && !attempts.is_empty());
        let Some(opening) = opening else { return Ok(Crossing::Broken) };
        std::thread::sleep(RETRY);
        from_daemon = connect_socket(places, role, spawn)?;
        link.stream = from_daemon.try_clone()?;
        let _ = link.stream.write_all(&opening);
    }
}

/// The sending side of the connection to the daemon. Errors of writes are ignored, because the reading side
/// notices a daemon that has disconnected.
struct Link {
    stream: UnixStream,
    /// All input sent so far; `None` once it exceeds [`OPENING`].
    opening: Option<Vec<u8>>,
    /// `true` if the client has closed its sending side.
    ended: bool,
}

impl Link {
    fn send(&mut self, bytes: &[u8]) {
        self.opening = self.opening.take().filter(|opening| opening.len() + bytes.len() <= OPENING);
        if let Some(opening) = &mut self.opening {
            opening.extend_from_slice(bytes);
        }
        let _ = self.stream.write_all(bytes);
    }
}

/// Forwards the client's input until the client closes its sending side.
fn forward_to_daemon(link: &Mutex<Link>, mut input: impl Read) {
    let mut buffer = vec![0; BUFFER];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => link.lock().send(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let mut link = link.lock();
    link.ended = true;
    let _ = link.stream.shutdown(Shutdown::Write);
}

/// Forwards the daemon's output until one side disconnects, and keeps its last bytes in `ending`. Returns
/// `true` if the daemon disconnected, `false` if the client did.
fn forward_from_daemon(
    stream: &mut UnixStream,
    output: &mut impl Write,
    ending: &mut Vec<u8>,
) -> io::Result<bool> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let received = match stream.read(&mut buffer) {
            Ok(0) => return Ok(true),
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // The daemon was killed before it read all input.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(true),
            Err(error) => return Err(error),
        };
        if output.write_all(received).and_then(|()| output.flush()).is_err() {
            return Ok(false);
        }
        ending.extend_from_slice(&received[received.len().saturating_sub(ENDING)..]);
        ending.drain(..ending.len().saturating_sub(ENDING));
    }
}
