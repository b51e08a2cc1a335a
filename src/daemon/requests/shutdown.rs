use crate::daemon::Daemon;
use crate::protocol::ShutdownResult;

impl Daemon {
    /// `editd/shutdown`.
    pub fn shutdown(&self) -> ShutdownResult {
        tracing::info!("asked to stop");
        self.stop();
        ShutdownResult { pid: std::process::id() }
    }
}
