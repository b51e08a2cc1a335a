use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::stage::Stage;

/// The signals that end the demo, with the exit code that shells expect of each.
pub(super) struct Signals {
    runtime: Runtime,
    heard: [(Signal, i32); 3],
}

impl Signals {
    /// From now on none of them ends the process before everything is cleared away.
    pub(super) fn hear() -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let guard = runtime.enter();
        let heard = [
            (signal(SignalKind::interrupt())?, 130),
            (signal(SignalKind::terminate())?, 143),
            (signal(SignalKind::hangup())?, 129),
        ];
        drop(guard);
        Ok(Self { runtime, heard })
    }

    /// Clears the stage and ends the process at the first of them.
    pub(super) fn end(self, stage: Arc<Stage>) {
        let Self { runtime, heard: [mut interrupt, mut terminate, mut hangup] } = self;
        std::thread::spawn(move || {
            let code = runtime.block_on(async {
                tokio::select! {
                    _ = interrupt.0.recv() => interrupt.1,
                    _ = terminate.0.recv() => terminate.1,
                    _ = hangup.0.recv() => hangup.1,
                }
            });
            stage.end_with(code);
        });
    }
}
