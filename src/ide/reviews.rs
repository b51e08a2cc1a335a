use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::protocol::{Discard, NativeEdit, NativeEditResult};
use crate::transport::Outgoing;

use super::daemon::{Failure, REQUEST, Session};
use super::written;

/// Maximum number of diffs that a client has open.
const MAX_OPEN: usize = 64;

/// State of a change that the person has not decided.
const PENDING: &str = "pending";

/// Time that one request waits for the person. The next one continues to wait.
const DECISION: Duration = Duration::from_secs(570);

/// A change that a program wants to have reviewed: the whole new text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diff {
    /// Absolute path of the file.
    pub(super) path: PathBuf,
    /// The new text.
    pub(super) text: String,
}

/// The end of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The program is to write this text, which the person may have corrected.
    Accepted(String),
    /// editd has given the file this text itself, because the program would lose a part of the file.
    Made(String),
    /// The person has rejected the change, or it is no longer under review.
    Rejected,
}

/// The diffs that a client has open. Diffs of several files wait beside each other.
pub(super) struct Reviews {
    session: Session,
    open: Mutex<HashMap<String, Arc<Open>>>,
}

/// A diff that waits for the person.
struct Open {
    diff: Diff,
    /// Name of the call in the daemon.
    call: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Handle that ends the request that waits.
    closer: Option<Outgoing>,
    is_ended: bool,
}

impl Reviews {
    pub(super) fn new(session: Session) -> Self {
        Self { session, open: Mutex::default() }
    }

    /// The session of the client.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Puts a diff under review and waits for the decision. A diff that is open under this key is closed.
    pub(super) async fn review(self: &Arc<Self>, key: &str, diff: Diff) -> Result<Decision, Failure> {
        self.close(key).await;
        let open = self.begin(key, diff)?;
        let (session, waiting) = (self.session.clone(), open.clone());
        let decided = tokio::task::spawn_blocking(move || waiting.wait(&session)).await;
        self.open.lock().retain(|_, other| !Arc::ptr_eq(other, &open));
        let decided = decided.unwrap_or_else(|error| Err(Failure::Lost(std::io::Error::other(error))))?;
        if let Decision::Accepted(text) = &decided {
            let file = written::Expected { path: open.diff.path.clone(), text: text.clone() };
            written::report(self.session.clone(), open.call.clone(), file);
        }
        Ok(decided)
    }

    fn begin(&self, key: &str, diff: Diff) -> Result<Arc<Open>, Failure> {
        let mut all = self.open.lock();
        if all.len() >= MAX_OPEN {
            return Err(Failure::TooMany(MAX_OPEN));
        }
        let open = Arc::new(Open { diff, call: call_name(), state: Mutex::default() });
        all.insert(key.to_owned(), open.clone());
        Ok(open)
    }

    /// Closes a diff and withdraws its change. Returns the proposed text, if the diff was open.
    pub(super) async fn close(&self, key: &str) -> Option<String> {
        let open = self.open.lock().remove(key)?;
        open.end();
        // The same change, sent again, names its proposal. One that was decided at the same moment stays decided.
        let again = self.session.call::<NativeEdit>(open.params(Duration::ZERO)).await;
        if let Some(id) = again.ok().filter(|it| it.state == PENDING).and_then(|it| it.id) {
            let _ = self.session.call::<Discard>(json!({ "id": id, "reason": "closed" })).await;
        }
        Some(open.diff.text.clone())
    }

    /// Closes all diffs. Returns their number.
    pub(super) async fn close_all(&self) -> usize {
        let keys: Vec<_> = self.open.lock().keys().cloned().collect();
        for key in &keys {
            self.close(key).await;
        }
        keys.len()
    }

    /// Stops waiting, because the client is gone. A person can still decide, and editd then makes the changes.
    pub(super) fn abandon(&self) {
        for open in self.open.lock().values() {
            open.end();
        }
    }
}

impl Open {
    /// Waits for the decision, on a thread that may block.
    fn wait(&self, session: &Session) -> Result<Decision, Failure> {
        let mut client = session.connect()?;
        client.set_timeout(DECISION + REQUEST).map_err(Failure::Lost)?;
        if !self.starts_waiting(client.closer().map_err(Failure::Lost)?) {
            return Ok(Decision::Rejected);
        }
        // Without a pause between two requests, no accepted change is left to editd.
        loop {
            let result = client.call::<NativeEdit>(&self.params(DECISION));
            if self.state.lock().is_ended {
                return Ok(Decision::Rejected);
            }
            let result = result?;
            if result.state != PENDING {
                return Ok(self.decision(result));
            }
        }
    }

    fn params(&self, wait: Duration) -> Value {
        json!({
            "changes": [{ "kind": "write", "path": self.diff.path, "content": self.diff.text }],
            "origin": { "toolCall": self.call },
            "reads": "unknown",
            "review": true,
            "waitMs": wait.as_millis() as u64,
        })
    }

    fn decision(&self, result: NativeEditResult) -> Decision {
        let text = result.files.into_iter().next().and_then(|file| file.after);
        // Programs send texts with LF only, whatever the line endings of the file are.
        let text =
            text.map(|text| if self.diff.text.contains('\r') { text } else { text.replace("\r\n", "\n") });
        match (result.state.as_str(), text) {
            (NativeEditResult::READY, Some(text)) => Decision::Accepted(text),
            ("applied" | "partial", Some(text)) => Decision::Made(text),
            _ => Decision::Rejected,
        }
    }

    /// Stores the handle of the connection. Returns `false` if the client has ended the wait already.
    fn starts_waiting(&self, closer: Outgoing) -> bool {
        let mut state = self.state.lock();
        state.closer = Some(closer);
        !state.is_ended
    }

    /// Ends the wait.
    fn end(&self) {
        let mut state = self.state.lock();
        state.is_ended = true;
        if let Some(closer) = state.closer.take() {
            closer.close();
        }
    }
}

/// Returns the name of a call, which no other of this process has.
fn call_name() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LAST: AtomicU64 = AtomicU64::new(0);
    format!("diff-{}", LAST.fetch_add(1, Ordering::Relaxed) + 1)
}
