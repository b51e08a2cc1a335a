//! Detects when a program has written an accepted change, because the protocols do not report it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use editd_protocol::{NativeDone, NativeDoneResult};
use editd_text::normalize_line_endings;

use super::daemon::Failure;
use super::reviews::Reviews;

/// Time after the last decision after which a program is assumed to have written nothing.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Pause between two looks at the file.
const PAUSE: Duration = Duration::from_millis(50);

/// Shorter time for a diff that the program has closed, because it writes then or never.
const MAX_WAIT_CLOSED: Duration = Duration::from_secs(5);
/// Pause before a report is repeated.
const RETRY: Duration = Duration::from_millis(500);
/// Time for a hook of the program to report the change first, because it also knows the turn and the model. Then the
/// daemon no longer expects this report.
const HOOK: Duration = Duration::from_secs(1);

/// The text that a program is to write.
pub(super) struct Expected {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Reports to the daemon that a program has written an accepted change, as soon as the file has its text.
pub(super) fn report(reviews: Arc<Reviews>, call: String, expected: Expected) {
    report_within(MAX_WAIT, reviews, call, expected);
}

/// Like [`report`], for a diff that the program has closed, perhaps because the person has accepted it in its prompt.
pub(super) fn report_closed(reviews: Arc<Reviews>, call: String, expected: Expected) {
    report_within(MAX_WAIT_CLOSED, reviews, call, expected);
}

fn report_within(wait: Duration, reviews: Arc<Reviews>, call: String, expected: Expected) {
    tokio::spawn(async move {
        let mut end = End::after(wait);
        while !expected.is_written().await && !end.has_come(&reviews) {
            sleep(PAUSE).await;
        }
        sleep(HOOK).await;
        // The daemon may be busy.
        let mut end = End::after(wait);
        while done(&reviews, &call).await.is_err() && !end.has_come(&reviews) {
            sleep(RETRY).await;
        }
    });
}

/// Reports to the daemon that a program has written a file that the daemon has changed already, so that the daemon
/// restores what the program has lost.
pub(super) fn restore(reviews: Arc<Reviews>, call: String, made: Expected) {
    let before = fs::read(&made.path).unwrap_or_default();
    tokio::spawn(async move {
        let mut end = End::after(MAX_WAIT);
        loop {
            while !(end.has_come(&reviews) || made.is_rewritten(&before).await) {
                sleep(PAUSE).await;
            }
            // The program may still have the file open.
            if done(&reviews, &call).await.is_ok() || end.has_come(&reviews) {
                return;
            }
            sleep(RETRY).await;
        }
    });
}

async fn done(reviews: &Reviews, call: &str) -> Result<NativeDoneResult, Failure> {
    // With `failed`, a file with another text is not recorded as changed by the program.
    reviews.session().call::<NativeDone>(json!({ "toolCall": call, "failed": true })).await
}

/// The time until which a program may write.
struct End {
    wait: Duration,
    at: Instant,
}

impl End {
    fn after(wait: Duration) -> Self {
        Self { wait, at: Instant::now() + wait }
    }

    fn has_come(&mut self, reviews: &Reviews) -> bool {
        if reviews.is_waiting() {
            *self = Self::after(self.wait);
        }
        Instant::now() >= self.at
    }
}

impl Expected {
    async fn is_written(&self) -> bool {
        self.bytes().await.is_some()
    }

    /// Returns `true` if the file has this text, in other bytes than these.
    async fn is_rewritten(&self, before: &[u8]) -> bool {
        self.bytes().await.is_some_and(|bytes| bytes != before)
    }

    /// Returns the bytes of the file, if it is UTF-8 and has this text.
    async fn bytes(&self) -> Option<Vec<u8>> {
        let path = self.path.clone();
        let bytes = spawn_blocking(move || fs::read(path)).await.ok()?.ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let text = normalize_line_endings(text.strip_prefix('\u{feff}').unwrap_or(text));
        (text == normalize_line_endings(&self.text)).then_some(bytes)
    }
}
