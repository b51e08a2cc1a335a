use crate::daemon::Daemon;
use crate::protocol::ShutdownResult;

impl Daemon {
    /// `editd/shutdown`.
    pub fn shutdown(&self) -> ShutdownResult {
        tracing::info!("stop requested");
        self.stop();
        ShutdownResult { pid: std::process::id() }
    }
}
