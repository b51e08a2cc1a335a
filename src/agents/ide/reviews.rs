use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use super::daemon::{Failure, Session};
use super::written;

mod current;
mod made;
mod open;

pub(super) use made::{Disk, Made};
use open::Open;

/// Maximum number of diffs that a client has open.
const MAX_OPEN: usize = 64;

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
    /// editd has changed the file itself, because the program would lose a part of the file.
    Made(Made),
    /// The person has rejected the change, or it is no longer under review.
    Rejected,
    /// The client has closed the diff, or has replaced it by another one.
    Closed,
}

/// The diffs that a client has open. Diffs of several files wait beside each other.
pub(super) struct Reviews {
    session: Session,
    open: Mutex<HashMap<String, Arc<Open>>>,
}

impl Reviews {
    pub(super) fn new(session: Session) -> Self {
        Self { session, open: Mutex::default() }
    }

    /// The session of the client.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Puts a diff under review and waits for the decision. It takes the place of a diff that is open under this key.
    pub(super) async fn review(self: &Arc<Self>, key: &str, diff: Diff) -> Result<Decision, Failure> {
        let (open, replaced) = self.begin(key, diff)?;
        if let Some(replaced) = replaced {
            self.withdraw(&replaced).await;
        }
        let (session, waiting) = (self.session.clone(), open.clone());
        let decided = tokio::task::spawn_blocking(move || waiting.wait(&session)).await;
        self.open.lock().retain(|_, other| !Arc::ptr_eq(other, &open));
        let decided = decided.unwrap_or_else(|error| Err(Failure::Lost(std::io::Error::other(error))))?;
        let (path, call) = (open.diff.path.clone(), open.call.clone());
        match &decided {
            Decision::Accepted(text) => {
                written::report(self.clone(), call, written::Expected { path, text: text.clone() });
            }
            Decision::Made(made) if made.is_kept && made.disk != Disk::Unsaved => {
                written::restore(self.clone(), call, written::Expected { path, text: made.text.clone() });
            }
            _ => {}
        }
        Ok(decided)
    }

    /// Adds a diff. Also returns the one that was open under the key.
    fn begin(&self, key: &str, diff: Diff) -> Result<(Arc<Open>, Option<Arc<Open>>), Failure> {
        let mut all = self.open.lock();
        if all.len() >= MAX_OPEN && !all.contains_key(key) {
            return Err(Failure::TooMany(MAX_OPEN));
        }
        let open = Arc::new(Open::new(diff));
        let replaced = all.insert(key.to_owned(), open.clone());
        Ok((open, replaced))
    }

    /// Closes a diff and withdraws its change. Returns the proposed text, if the diff was open.
    pub(super) async fn close(self: &Arc<Self>, key: &str) -> Option<String> {
        let open = self.open.lock().remove(key)?;
        self.withdraw(&open).await;
        Some(open.diff.text.clone())
    }

    /// Withdraws a change. If the person has accepted it in the prompt of the program, the program writes it.
    async fn withdraw(self: &Arc<Self>, open: &Open) {
        open.withdraw(&self.session).await;
        let Diff { path, text } = open.diff.clone();
        written::report_closed(self.clone(), open.call.clone(), written::Expected { path, text });
    }

    /// Returns `true` if the client waits for a decision. Programs write the files of a step after the last decision.
    pub(super) fn is_waiting(&self) -> bool {
        !self.open.lock().is_empty()
    }

    /// Closes all diffs. Returns their number.
    pub(super) async fn close_all(self: &Arc<Self>) -> usize {
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
