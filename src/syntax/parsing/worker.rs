//! A parser process, as its parent sees it.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::wire::MAX_MESSAGE;
use super::work::COMMAND;

/// The reason why a parser gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// The time for the answer is over.
    Late,
    /// The process has ended, or cannot be reached.
    Dead,
}

/// A parser process. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Worker {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Worker {
    /// Starts a parser.
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        // Nothing of the parent may change what the parser does, and it holds no folder of a mounted disk.
        command.arg(COMMAND).env_clear().current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        let worker = Self { process, input, output };
        set_nonblocking(&worker.input)?;
        set_nonblocking(&worker.output)?;
        Ok(worker)
    }

    /// Sends a message, and returns the content of the answer.
    pub(super) fn ask(&mut self, message: &[u8], until: Instant) -> Result<Vec<u8>, Silence> {
        self.send(message, until)?;
        self.answer(until)
    }

    /// Sends a message. Its answer must be read before the next message.
    pub(super) fn send(&mut self, message: &[u8], until: Instant) -> Result<(), Silence> {
        let mut rest = message;
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) => wait_after(&error, &self.input, PollFlags::OUT, until)?,
            }
        }
        Ok(())
    }

    /// Waits for the answer to the message that was sent. Returns `false` if it does not begin until then.
    pub(super) fn answers(&self, until: Instant) -> bool {
        loop {
            let Ok(timeout) = Timespec::try_from(until.saturating_duration_since(Instant::now())) else {
                return false;
            };
            match poll(&mut [PollFd::new(&self.output, PollFlags::IN)], Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => {}
                // After an error, reading the answer fails with a better one.
                ready => return ready.map_or(true, |ready| ready > 0),
            }
        }
    }

    /// Returns the content of the answer to the message that was sent.
    pub(super) fn answer(&mut self, until: Instant) -> Result<Vec<u8>, Silence> {
        let mut length = [0; 4];
        self.read(&mut length, until)?;
        let length = usize::try_from(u32::from_le_bytes(length)).map_err(|_| Silence::Dead)?;
        if length > MAX_MESSAGE {
            return Err(Silence::Dead);
        }
        let mut answer = vec![0; length];
        self.read(&mut answer, until)?;
        Ok(answer)
    }

    fn read(&mut self, mut into: &mut [u8], until: Instant) -> Result<(), Silence> {
        while !into.is_empty() {
            match self.output.read(into) {
                Ok(0) => return Err(Silence::Dead),
                Ok(read) => into = &mut into[read..],
                Err(error) => wait_after(&error, &self.output, PollFlags::IN, until)?,
            }
        }
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn set_nonblocking(pipe: &impl AsFd) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}

/// Waits until a pipe that was not ready is, or fails with another error.
fn wait_after(error: &io::Error, pipe: &impl AsFd, wanted: PollFlags, until: Instant) -> Result<(), Silence> {
    match error.kind() {
        ErrorKind::Interrupted => return Ok(()),
        ErrorKind::WouldBlock => {}
        _ => return Err(Silence::Dead),
    }
    let left = until.saturating_duration_since(Instant::now());
    let timeout = Timespec::try_from(left).map_err(|_| Silence::Late)?;
    match poll(&mut [PollFd::new(pipe, wanted)], Some(&timeout)) {
        Ok(0) => Err(Silence::Late),
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(_) => Err(Silence::Dead),
    }
}
