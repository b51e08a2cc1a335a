//! Past transactions and how to undo them. Pure; the `history` layer stores the records.

mod blame;
mod chain;
mod undone;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::edit::{Hunk, UndoPlan};
use crate::text::{ContentHash, Format};

pub use blame::{Attribution, Blamed};
pub use chain::{chain_from, step_to, was_before};
pub use undone::Undone;

/// A recorded transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastEntry {
    /// Id of the transaction.
    pub id: Arc<str>,
    /// Time of recording, immediately before the transaction happened.
    pub at: SystemTime,
    /// The author; [`DISK`] for a text that another program wrote.
    pub author: String,
    /// Name of the session it was made for, if known.
    pub session: Option<Arc<str>>,
    /// Description of the change.
    pub label: Option<String>,
    /// The transaction that it undid.
    pub undoes: Option<Arc<str>>,
    /// `true` if the entry changed nothing and only preserves a displaced text of another program: the
    /// `before` of its only file.
    pub rescued: bool,
    /// The files, in the order of the request.
    pub files: Vec<PastFile>,
}

/// The author name used for changes by programs other than editd.
pub const DISK: &str = "disk";

/// The effect of a transaction on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastFile {
    /// Canonical path before the transaction.
    pub path: PathBuf,
    /// The kind of change.
    pub action: PastAction,
    /// Hash of the content before; `None` if the file was created.
    pub hash_before: Option<ContentHash>,
    /// Hash of the content afterwards; `None` if the file was deleted.
    pub hash_after: Option<ContentHash>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Tags of the file.
    pub tags: Vec<String>,
    /// Index into the entry's details.
    pub detail: usize,
}

/// The kind of a past change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PastAction {
    /// The text changed.
    Edit,
    /// The file was created.
    Create,
    /// The file was deleted.
    Delete,
    /// The file was renamed to this canonical path, and possibly edited.
    Rename(PathBuf),
}

/// Changed lines and undo data of one file, loaded only when needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastDetail {
    /// All changed ranges of lines.
    pub hunks: Vec<Hunk>,
    /// The change as a unified diff; `None` if it was too long to be stored.
    pub diff: Option<String>,
    /// Undo data of the change.
    pub back: Back,
}

/// Data to restore the previous content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Back {
    /// The content did not change, or there was none.
    Nothing,
    /// Undo the edits of the text.
    Edits {
        /// The undo plan.
        way: UndoPlan,
        /// Format of the text before the change.
        before: Format,
        /// Format of the text after the change.
        after: Format,
    },
    /// Restore the stored bytes.
    Image {
        /// Permission bits for a file that has to be created again.
        mode: Option<u32>,
    },
}

impl PastAction {
    /// Returns the name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Rename(_) => "rename",
        }
    }
}

impl PastFile {
    /// Returns the path of the file after the change.
    pub fn place(&self) -> &Path {
        match &self.action {
            PastAction::Rename(to) => to,
            _ => &self.path,
        }
    }

    /// Returns `true` if the file had that path before or after the change.
    pub fn concerns(&self, path: &Path) -> bool {
        self.path == path || self.place() == path
    }
}

impl PastEntry {
    /// Returns the file that had that path after the transaction.
    pub fn file_at(&self, place: &Path) -> Option<&PastFile> {
        self.files.iter().find(|file| file.place() == place)
    }
}
