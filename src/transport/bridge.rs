use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::daemon::Places;
use crate::workspace::Role;

use super::message::goodbye;
use super::reach::{ConnectError, INTRODUCTIONS, RETRY, Spawn, reach};

/// Bytes that are held on the way, in each direction. Whoever does not read holds up whoever sends.
const BUFFER: usize = 64 << 10;
/// Bytes of what was said first that are kept until the daemon answers. A daemon that is just ending may take
/// the connection and not answer; the next one is told the same then. `initialize` fits.
const OPENING: usize = 256 << 10;
/// Bytes of the end of what the daemon says by which a goodbye is known.
const ENDING: usize = 256;

/// How a bridge ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// The client has gone, or the daemon has said goodbye.
    Over,
    /// The daemon has gone without a word while the client was still there.
    Broken,
}

/// Carries bytes between a client on the other end of this process's pipes and the daemon's socket of a role,
/// as they are and in both directions, until one of them is gone. Starts the daemon if none runs and that is
/// allowed.
///
/// A client that closes its end still gets what the daemon has to say. At most 64 KiB each way are in memory,
/// and 256 KiB more until the daemon's first answer.
pub fn bridge(
    places: &Places,
    role: Role,
    spawn: Spawn,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> Result<Crossing, ConnectError> {
    let mut from_daemon = reach(places, role, spawn)?;
    let link = Arc::new(Mutex::new(Link::new(from_daemon.try_clone()?)));
    let towards = link.clone();
    // It ends with the process: nothing wakes it from waiting for a client that says nothing.
    std::thread::Builder::new().name("client".to_owned()).spawn(move || carry_to(&towards, input))?;
    let mut output = Output { output, ending: Vec::new() };
    let mut attempts = 1..=INTRODUCTIONS;
    loop {
        attempts.next();
        let Gone::Daemon = output.carry_from(&mut from_daemon)? else { return Ok(Crossing::Over) };
        let mut link = link.lock();
        if link.ended || output.ends_with_goodbye() {
            return Ok(Crossing::Over);
        }
        let opening = link.opening.clone().filter(|_| output.ending.is_empty() && !attempts.is_empty());
        let Some(opening) = opening else { return Ok(Crossing::Broken) };
        std::thread::sleep(RETRY);
        from_daemon = reach(places, role, spawn)?;
        link.renew(from_daemon.try_clone()?, &opening);
    }
}

/// Who has left first.
enum Gone {
    Client,
    Daemon,
}

/// The way to the daemon.
struct Link {
    stream: UnixStream,
    /// What was sent so far; none once it is too much to be kept.
    opening: Option<Vec<u8>>,
    /// Whether the client has closed its end.
    ended: bool,
}

impl Link {
    fn new(stream: UnixStream) -> Self {
        Self { stream, opening: Some(Vec::new()), ended: false }
    }

    /// Sends bytes. A daemon that is gone is noticed by who reads from it.
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

    /// Says the same to another daemon.
    fn renew(&mut self, stream: UnixStream, opening: &[u8]) {
        self.stream = stream;
        let _ = self.stream.write_all(opening);
    }
}

/// Carries what the client says until it closes its end.
fn carry_to(link: &Mutex<Link>, mut input: impl Read) {
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

/// The way to the client.
struct Output<W> {
    output: W,
    /// The last that was said.
    ending: Vec<u8>,
}

impl<W: Write> Output<W> {
    /// Carries what the daemon says until one of them is gone.
    fn carry_from(&mut self, stream: &mut UnixStream) -> io::Result<Gone> {
        let mut buffer = vec![0; BUFFER];
        loop {
            let said = match stream.read(&mut buffer) {
                Ok(0) => return Ok(Gone::Daemon),
                Ok(count) => &buffer[..count],
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // It was killed with something unread.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(Gone::Daemon),
                Err(error) => return Err(error),
            };
            if self.output.write_all(said).and_then(|()| self.output.flush()).is_err() {
                return Ok(Gone::Client);
            }
            self.ending.extend_from_slice(&said[said.len().saturating_sub(ENDING)..]);
            self.ending.drain(..self.ending.len().saturating_sub(ENDING));
        }
    }

    fn ends_with_goodbye(&self) -> bool {
        self.ending.trim_ascii_end().ends_with(goodbye().to_string().as_bytes())
    }
}
