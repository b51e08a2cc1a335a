use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::daemon::Daemon;

/// `SIGXFSZ`, of which tokio has no name: a file would grow beyond what the process may write. Its number is
/// the same on all systems that are served.
const FILE_SIZE: i32 = 25;

/// What the daemon hears of the system.
///
/// `SIGTERM` and `SIGINT` end it. `SIGHUP` ends a daemon that runs in somebody's terminal when that is closed;
/// to one in a session of its own, which commands start, it says nothing. `SIGXFSZ` is only kept from being
/// lethal: the write fails, and its request is refused. (`SIGPIPE` is ignored from the start of any Rust
/// program.)
pub(super) struct Signals {
    ends: Vec<Signal>,
    _not_lethal: Option<Signal>,
}

impl Signals {
    /// Hears signals from now on. Comes before anybody can know of the daemon and send it one.
    pub(super) fn listen() -> Self {
        let ends = [SignalKind::terminate(), SignalKind::interrupt()];
        let mut ends: Vec<Signal> = ends.into_iter().filter_map(listen).collect();
        // Heard in any case, which keeps it from being lethal too.
        ends.extend(listen(SignalKind::hangup()).filter(|_| !is_detached()));
        Self { ends, _not_lethal: listen(SignalKind::from_raw(FILE_SIZE)) }
    }

    /// Ends the daemon when it is asked to.
    pub(super) async fn heed(mut self, daemon: &Daemon) {
        let stopped = daemon.stopped();
        let asked = std::future::poll_fn(|cx| {
            let heard = self.ends.iter_mut().any(|signal| signal.poll_recv(cx).is_ready());
            if heard { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            () = asked => daemon.stop(),
            () = stopped.cancelled() => {}
        }
    }
}

fn listen(kind: SignalKind) -> Option<Signal> {
    let heard = signal(kind);
    heard.inspect_err(|error| tracing::warn!(%error, ?kind, "a signal cannot be received")).ok()
}

/// Whether this process is first in a session of its own, which has no terminal.
fn is_detached() -> bool {
    rustix::process::getsid(None).is_ok_and(|session| session == rustix::process::getpid())
}
