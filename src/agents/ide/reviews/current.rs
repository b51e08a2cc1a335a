use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Diff;
use crate::ide::daemon::Failure;
use editd_daemon::transport::{Client, Target, whole_text};
use editd_edit::{Deadline, Plan};
use editd_protocol::{Read, uri_of};
use editd_text::normalize_line_endings;

/// Maximum number of attempts to read a file that is changing.
const ATTEMPTS: usize = 5;

/// The text of a file that counts: that of an editor, if it is not saved.
pub(super) struct Current {
    pub(super) text: String,
    pub(super) hash: String,
    pub(super) is_unsaved: bool,
}

impl Current {
    /// Reads a file. Returns `None` if it changes too often, or has lines that are too long.
    pub(super) fn read(path: &Path, client: &mut Client) -> Result<Option<Self>, Failure> {
        let target = Target { path: path.to_owned(), root: PathBuf::new() };
        for _ in 0..ATTEMPTS {
            let first = client.call::<Read>(&json!({ "uri": uri_of(path), "limit": 1 }))?;
            let is_unsaved = first.source == "editor";
            let whole = whole_text(&target, &first.hash, |params| client.call::<Read>(params))?;
            if let Some(whole) = whole.filter(|whole| !whole.is_truncated) {
                return Ok(Some(Self { text: whole.text, hash: first.hash, is_unsaved }));
            }
        }
        Ok(None)
    }

    /// Returns the result of a diff for this text. Programs make diffs of the file on disk, so without this, a diff would
    /// remove what is not saved. Where both have changed the same, the diff counts.
    pub(super) fn with(&self, diff: &Diff) -> Option<String> {
        let disk = fs::read_to_string(&diff.path).ok()?;
        let disk = normalize_line_endings(disk.strip_prefix('\u{feff}').unwrap_or(&disk));
        let (now, new) = (normalize_line_endings(&self.text), normalize_line_endings(&diff.text));
        let unsaved = Plan::between(&disk, &now, Deadline::NONE);
        let plan = Plan::between(&disk, &new, Deadline::NONE).rebase_overwriting(&unsaved, &disk);
        Some(plan.apply(&now))
    }
}
