use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::sandbox::Sandbox;

/// The signals that end the demo, each with its conventional exit code.
pub(super) struct Signals {
    runtime: Runtime,
    signals: [(Signal, i32); 3],
}

impl Signals {
    /// Registers the signals, so that none of them ends the process before the cleanup.
    pub(super) fn register() -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let guard = runtime.enter();
        let signals = [
            (signal(SignalKind::interrupt())?, 130),
            (signal(SignalKind::terminate())?, 143),
            (signal(SignalKind::hangup())?, 129),
        ];
        drop(guard);
        Ok(Self { runtime, signals })
    }

    /// Spawns a thread that cleans up and exits at the first signal.
    pub(super) fn end(self, sandbox: Arc<Sandbox>) {
        let Self { runtime, signals: [mut interrupt, mut terminate, mut hangup] } = self;
        std::thread::spawn(move || {
            let code = runtime.block_on(async {
                tokio::select! {
                    _ = interrupt.0.recv() => interrupt.1,
                    _ = terminate.0.recv() => terminate.1,
                    _ = hangup.0.recv() => hangup.1,
                }
            });
            sandbox.end_and_exit(code);
        });
    }
}
