use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::server::Places;
use crate::workspace::Role;

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
    output: impl Write,
) -> Result<Crossing, ConnectError> {
    let mut from_daemon = connect_socket(places, role, spawn)?;
    let link = Arc::new(Mutex::new(Link::new(from_daemon.try_clone()?)));
    let sending = link.clone();
    // The thread ends with the process: a read from a silent client cannot be interrupted.
    std::thread::Builder::new()
        .name("client".to_owned())
        .spawn(move || forward_to_daemon(&sending, input))?;
    let mut output = Output { output, ending: Vec::new() };
    let mut attempts = 1..=INTRODUCTIONS;
    loop {
        attempts.next();
        let Disconnected::Daemon = output.forward_from_daemon(&mut from_daemon)? else {
            return Ok(Crossing::Over);
        };
        let mut link = link.lock();
        if link.ended || output.ends_with_goodbye() {
            return Ok(Crossing::Over);
        }
        let opening = link.opening.clone().filter(|_| output.ending.is_empty() && !attempts.is_empty());
        let Some(opening) = opening else { return Ok(Crossing::Broken) };
        std::thread::sleep(RETRY);
        from_daemon = connect_socket(places, role, spawn)?;
        link.reconnect(from_daemon.try_clone()?, &opening);
    }
}

/// The side that disconnected first.
enum Disconnected {
    Client,
    Daemon,
}

/// The sending side of the connection to the daemon.
struct Link {
    stream: UnixStream,
    /// All input sent so far; `None` once it exceeds [`OPENING`].
    opening: Option<Vec<u8>>,
    /// `true` if the client has closed its sending side.
    ended: bool,
}

impl Link {
    fn new(stream: UnixStream) -> Self {
        Self { stream, opening: Some(Vec::new()), ended: false }
    }

    /// Sends bytes. Errors are ignored, because the reading side notices a daemon that has disconnected.
    fn send(&mut self, bytes: &[u8]) {
        self.opening = self.opening.take().filter(|opening| opening.len() + bytes.len() <= OPENING);
        if let Some(opening) = &mut self.opening {
            opening.extend_from_slice(bytes);
        }
        let _ = self.stream.write_all(bytes);
    }

    fn end(&mut self) {
        self.ended = true;
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Switches to another daemon and sends it the same input.
    fn reconnect(&mut self, stream: UnixStream, opening: &[u8]) {
        self.stream = stream;
        let _ = self.stream.write_all(opening);
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
    link.lock().end();
}

/// The output to the client.
struct Output<W> {
    output: W,
    /// The last bytes that were sent.
    ending: Vec<u8>,
}

impl<W: Write> Output<W> {
    /// Forwards the daemon's output until one side disconnects.
    fn forward_from_daemon(&mut self, stream: &mut UnixStream) -> io::Result<Disconnected> {
        let mut buffer = vec![0; BUFFER];
        loop {
            let received = match stream.read(&mut buffer) {
                Ok(0) => return Ok(Disconnected::Daemon),
                Ok(count) => &buffer[..count],
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // The daemon was killed before it read all input.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(Disconnected::Daemon),
                Err(error) => return Err(error),
            };
            if self.output.write_all(received).and_then(|()| self.output.flush()).is_err() {
                return Ok(Disconnected::Client);
            }
            self.ending.extend_from_slice(&received[received.len().saturating_sub(ENDING)..]);
            self.ending.drain(..self.ending.len().saturating_sub(ENDING));
        }
    }

    fn ends_with_goodbye(&self) -> bool {
        self.ending.trim_ascii_end().ends_with(goodbye().to_string().as_bytes())
    }
}
