//! The files that the person has open, for programs that take them into account.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{CustomNotification, ServerNotification};
use rmcp::service::Peer;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use editd_daemon::transport::{CallError, ConcurrentClient, Spawn};
use editd_protocol::{Code, Method, OpenFileEntry, OpenFiles, OpenFilesResult};

use super::daemon::Session;

/// Time that one request waits for a change, in milliseconds.
const WAIT_MS: u64 = 60_000;
/// Time after the introduction of a program in which it may ignore notifications, because its interface is not ready.
/// Claude Code does not report when it is ready, so the notification is repeated.
const SETTLING: Duration = Duration::from_secs(5);
/// Pause between two notifications in this time, in milliseconds.
const AGAIN_MS: u64 = 500;
/// Pause before the next attempt to find the daemon, or to ask it.
const RETRY: Duration = Duration::from_secs(2);
/// Pause after a change, in which a selection that grows with the mouse changes many times.
const PAUSE: Duration = Duration::from_millis(50);

/// Notifies a program of the open files as long as it exists.
#[derive(Default)]
pub(super) struct Notifier {
    end: CancellationToken,
}

impl Notifier {
    /// Sends the notification that `notification` returns for the open files, now and whenever it changes.
    pub(super) fn start(
        &self,
        session: Session,
        peer: Peer<RoleServer>,
        notification: impl Fn(&[OpenFileEntry]) -> Option<CustomNotification> + Send + Sync + 'static,
    ) {
        let end = self.end.clone();
        tokio::spawn(async move { end.run_until_cancelled(notify(session, peer, notification)).await });
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

/// The open files, or the reason why they are not known.
enum Answer {
    Files(OpenFilesResult),
    /// The connection has ended, or the request was refused.
    Failed,
    /// The daemon is an older one, which has no such list.
    Unsupported,
}

/// Notifies until the client is gone. Looks for a daemon that has ended, but does not start one.
async fn notify(
    session: Session,
    peer: Peer<RoleServer>,
    notification: impl Fn(&[OpenFileEntry]) -> Option<CustomNotification>,
) {
    let (started, mut last) = (Instant::now(), None);
    loop {
        let (client, mut since) = (connected(&session).await, None);
        while let Some(client) = &client {
            let settles = started.elapsed() < SETTLING;
            let wait_ms = if settles { AGAIN_MS } else { WAIT_MS };
            let OpenFilesResult { revision, files } = match next(client, since, wait_ms).await {
                Answer::Files(result) => result,
                Answer::Failed => break,
                Answer::Unsupported => return,
            };
            since = Some(revision);
            let message = notification(&files).filter(|message| settles || message.params != last);
            if let Some(message) = message {
                last.clone_from(&message.params);
                let sent = peer.send_notification(ServerNotification::CustomNotification(message)).await;
                if sent.is_err() {
                    return;
                }
            }
            sleep(PAUSE).await;
        }
        sleep(RETRY).await;
    }
}

async fn connected(session: &Session) -> Option<ConcurrentClient> {
    let session = session.clone();
    let connecting = tokio::task::spawn_blocking(move || {
        let client = session.connect_with(Spawn::Forbidden).ok()?;
        ConcurrentClient::over(client, |_, _| {}).ok()
    });
    connecting.await.ok()?
}

/// Returns the open files, when their list has another revision, or after the time to wait.
async fn next(client: &ConcurrentClient, since: Option<u64>, wait_ms: u64) -> Answer {
    let call = client.send(OpenFiles::NAME, &json!({ "since": since, "waitMs": wait_ms }));
    let answered = match call {
        Some(mut call) => call.answer().await,
        None => None,
    };
    match answered {
        Some(Ok(result)) => serde_json::from_value(result).map_or(Answer::Failed, Answer::Files),
        Some(Err(CallError::Refused(error))) if error.code == Code::MethodNotFound as i64 => {
            Answer::Unsupported
        }
        _ => Answer::Failed,
    }
}
