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
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    session(&stat).is_some_and(|session| session == std::process::id())
}

/// The session of a process. Not by `getsid`: a session from outside the process's namespace has the number 0,
/// which rustix takes for impossible.
fn session(stat: &str) -> Option<u32> {
    // The program's name, in brackets, may hold anything. State, parent and group come before the session.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::session;

    #[test]
    fn the_session_is_found_whatever_the_program_is_called() {
        assert_eq!(session("12 (editd) S 1 12 7 0 -1 4194560"), Some(7));
        assert_eq!(session("12 (a) b (c)) R 1 12 0 0 -1"), Some(0));
        assert_eq!(session(""), None);
        assert_eq!(session("12 (editd) S 1"), None);
    }

    #[test]
    fn this_process_is_in_a_session() {
        let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc is mounted");
        assert!(session(&stat).is_some(), "{stat}");
    }
}
