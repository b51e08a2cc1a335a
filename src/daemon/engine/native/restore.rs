//! Restoring a file that the tool of a client has written over a change by editd.

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::{ComputedChange, with_content};
use crate::engine::change::content::Content;
use crate::engine::change::draft::Draft;
use crate::engine::change::history_recording::Intent;
use crate::engine::{Engine, Failure, SessionContext};
use editd_disk::{FileBytes, Target};
use editd_edit::Plan;
use editd_text::{ContentHash, normalize_line_endings};
use editd_workspace::{Action, Coverage, OnStale};

/// Purpose of a change that restores a file.
const LABEL: &str = "Keep the encoding and the line endings";

/// A file that editd has changed, and that the tool of a client may write as well.
#[derive(Clone, Debug)]
pub(crate) struct MadeFile {
    pub(crate) path: PathBuf,
    bytes: FileBytes,
    hash: ContentHash,
}

impl MadeFile {
    /// Returns the file of a change that is about to be made. `None` if the change is not one of a single saved file.
    pub(crate) fn of(writes: &[PendingWrite]) -> Option<Self> {
        let [PendingWrite { computed: ComputedChange { file, content, observed, .. }, to: None, .. }] =
            writes
        else {
            return None;
        };
        let content = content.as_ref().filter(|_| !observed.is_unsaved())?;
        Some(Self { path: file.path.clone(), bytes: content.bytes.clone(), hash: content.hash() })
    }
}

impl Engine {
    /// Gives a file the bytes that editd has written, if it has the same text with other bytes now. Returns the
    /// transaction. A file with another text stays, because another program may have changed it.
    pub(crate) fn restore_made(
        &self,
        session: &SessionContext,
        target: Target,
        made: &MadeFile,
    ) -> Result<Option<Arc<str>>, Failure> {
        let now = self.observe(target)?;
        let content = Content::of_bytes(made.bytes.to_vec());
        let (Some(text), Some(present)) = (content.text.as_ref().map(ToString::to_string), &now.text) else {
            return Ok(None);
        };
        let is_same_text = normalize_line_endings(&text) == normalize_line_endings(present);
        if now.is_unsaved() || now.content.hash() == Some(made.hash) || !is_same_text {
            return Ok(None);
        }
        let rules = self.compute_options(OnStale::Reject, None);
        let draft = Draft { plan: Plan::between(present, &text, rules.deadline), ..Draft::default() };
        let content = (content.format, Some(content));
        let computed = with_content(now, Action::Edit, content, draft, Coverage::Part, &rules);
        let intent = Intent { label: Some(LABEL.to_owned()), ..Intent::by(session) };
        let restored = self.commit(vec![PendingWrite::new(0, computed, None)], &intent)?;
        let (moved, observations): (Vec<_>, Vec<_>) =
            restored.files.iter().map(|file| file.moved(false)).unzip();
        self.workspace.update(|w| {
            w.record_decided(session.id, &session.author, moved);
            w.cache_all(observations);
        });
        Ok(restored.transaction)
    }
}
