use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::server::Daemon;

/// `SIGXFSZ`, which tokio does not name: a write exceeded the file size limit of the process. The number is
/// the same on all supported systems.
const FILE_SIZE: i32 = 25;

/// Signal handlers of the daemon.
///
/// `SIGTERM` and `SIGINT` stop it. `SIGHUP` stops a daemon that runs in a terminal when the terminal is
/// closed; a daemon in its own session, as started by commands, ignores it. `SIGXFSZ` is handled only so that
/// it does not kill the process: the write fails, and its request is refused. (The Rust runtime ignores
/// `SIGPIPE`.)
pub(super) struct Signals {
    stop: Vec<Signal>,
    _file_size: Option<Signal>,
}

impl Signals {
    /// Installs the signal handlers. Must be called before other processes can find the daemon and send it a
    /// signal.
    pub(super) fn listen() -> Self {
        let stop = [SignalKind::terminate(), SignalKind::interrupt()];
        let mut stop: Vec<Signal> = stop.into_iter().filter_map(listen).collect();
        // A handler is installed in any case, so that the signal does not kill the process.
        stop.extend(listen(SignalKind::hangup()).filter(|_| !is_detached()));
        Self { stop, _file_size: listen(SignalKind::from_raw(FILE_SIZE)) }
    }

    /// Stops the daemon when a signal arrives.
    pub(super) async fn handle(mut self, daemon: &Daemon) {
        let stopped = daemon.stopped();
        let signaled = std::future::poll_fn(|cx| {
            let received = self.stop.iter_mut().any(|signal| signal.poll_recv(cx).is_ready());
            if received { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            () = signaled => daemon.stop(),
            () = stopped.cancelled() => {}
        }
    }
}

fn listen(kind: SignalKind) -> Option<Signal> {
    let received = signal(kind);
    received.inspect_err(|error| tracing::warn!(%error, ?kind, "a signal cannot be received")).ok()
}

/// Returns `true` if this process is the leader of its session, which has no terminal.
fn is_detached() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    session(&stat).is_some_and(|session| session == std::process::id())
}

/// Parses the session of a process. `getsid` is not used, because a session outside the process's namespace
/// has the number 0, which rustix treats as impossible.
fn session(stat: &str) -> Option<u32> {
    // The program name in parentheses may contain any characters. State, parent and group precede the
    // session.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::session;

    #[test]
    fn the_session_is_parsed_for_any_program_name() {
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
