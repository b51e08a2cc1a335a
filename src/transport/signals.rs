use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::daemon::Daemon;

/// `SIGXFSZ`, of which tokio has no name: a file would grow beyond what the process may write. Its number is
/// the same on all systems that are served.
const FILE_SIZE: i32 = 25;

/// Ends the daemon when it is asked to by a signal, and keeps it from being ended by those that only say what
/// a call says too.
///
/// `SIGXFSZ`: the write fails, and its request is refused. `SIGHUP` ends a daemon that runs in somebody's
/// terminal when that is closed; to one in a session of its own, which commands start, it says nothing.
/// (`SIGPIPE` is ignored from the start of any Rust program.)
pub(super) async fn heed_signals(daemon: &Daemon) {
    let stopped = daemon.stopped();
    let _not_lethal = listen(SignalKind::from_raw(FILE_SIZE));
    let (terminate, interrupt) = (listen(SignalKind::terminate()), listen(SignalKind::interrupt()));
    let (Some(mut terminate), Some(mut interrupt)) = (terminate, interrupt) else { return };
    let Some(mut hangup) = listen(SignalKind::hangup()) else { return };
    tokio::select! {
        _ = terminate.recv() => daemon.stop(),
        _ = interrupt.recv() => daemon.stop(),
        _ = hangup.recv(), if !is_detached() => daemon.stop(),
        () = stopped.cancelled() => {}
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
