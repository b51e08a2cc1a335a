//! An editor that runs `editd lsp` as a child process and uses its standard streams.

use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::{Agent, Framing, Machine, Wire, eventually};

pub(crate) struct Bridge {
    child: Child,
    /// The editor at the other end of the streams.
    pub(crate) editor: Agent,
}

impl Bridge {
    pub(crate) fn start(machine: &Machine) -> Self {
        Self::with(machine, &["lsp", "--stdio"], Framing::Headers)
    }

    pub(crate) fn with(machine: &Machine, arguments: &[&str], framing: Framing) -> Self {
        Self::of(machine.command(arguments), framing)
    }

    /// Starts the bridge by a command.
    pub(crate) fn of(mut command: Command, framing: Framing) -> Self {
        let (ours, theirs) = UnixStream::pair().expect("two connected sockets");
        let theirs = OwnedFd::from(theirs);
        command.stdin(theirs.try_clone().expect("a second handle")).stdout(theirs).stderr(Stdio::piped());
        let child = command.spawn().expect("editd can be run");
        Self { child, editor: Agent::over(Wire::over(ours, framing)) }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn terminate(&self) {
        kill_process(self.pid(), Signal::TERM).expect("a signal can be sent");
    }

    /// Waits for the bridge to exit. Returns its status and standard error.
    pub(crate) fn until_ended(mut self) -> (ExitStatus, String) {
        let status = eventually("the bridge to exit", || self.child.try_wait().expect("a child's state"));
        let mut errors = String::new();
        let mut stderr = self.child.stderr.take().expect("a captured stderr");
        stderr.read_to_string(&mut errors).expect("stderr is text");
        (status, errors)
    }
}
