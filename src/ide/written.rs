//! Detects when a program has written an accepted change, because the protocols do not report it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::protocol::NativeDone;
use crate::text::normalize_line_endings;

use super::daemon::Session;

/// Time after which a program is assumed to have written nothing.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Pause between two looks at the file.
const PAUSE: Duration = Duration::from_millis(50);

/// Time for a hook of the program to report the change first, because it also knows the turn and the model. Then the
/// daemon no longer expects this report.
const HOOK: Duration = Duration::from_secs(1);

/// The text that a program is to write.
pub(super) struct Expected {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Reports to the daemon that a program has written an accepted change, as soon as the file has its text.
pub(super) fn report(session: Session, call: String, expected: Expected) {
    tokio::spawn(async move {
        let deadline = Instant::now() + MAX_WAIT;
        while !expected.is_written().await && Instant::now() < deadline {
            sleep(PAUSE).await;
        }
        sleep(HOOK).await;
        // With `failed`, a file with another text is not recorded as changed by the program.
        let _ = session.call::<NativeDone>(json!({ "toolCall": call, "failed": true })).await;
    });
}

impl Expected {
    async fn is_written(&self) -> bool {
        let path = self.path.clone();
        let read = spawn_blocking(move || std::fs::read_to_string(path)).await;
        let text = read.ok().and_then(Result::ok);
        text.is_some_and(|text| normalize_line_endings(&text) == normalize_line_endings(&self.text))
    }
}
