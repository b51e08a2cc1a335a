//! What was done to files, by whom, and how to go back. Pure; the records themselves are kept by the layer
//! `history`.

mod blame;
mod chain;
mod undone;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::edit::{Hunk, WayBack};
use crate::text::{ContentHash, Format};

pub use blame::{Attribution, Blamed};
pub use chain::{chain_from, step_to, was_before};
pub use undone::Undone;

/// Everything that one transaction did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastEntry {
    /// Its id.
    pub id: Arc<str>,
    /// When it was written down, right before it happened.
    pub at: SystemTime,
    /// Who did it; [`DISK`] for a text that another program wrote and editd found.
    pub author: String,
    /// The session that it was for, by name, where one is known.
    pub session: Option<Arc<str>>,
    /// What it was for.
    pub label: Option<String>,
    /// The transaction that it undid.
    pub undoes: Option<Arc<str>>,
    /// It changed nothing, but keeps a text of somebody else that was displaced: its only file's `before`.
    pub rescued: bool,
    /// The files, in the order of the request.
    pub files: Vec<PastFile>,
}

/// Who is named where another program than editd was at work.
pub const DISK: &str = "disk";

/// What a transaction did to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastFile {
    /// The file's canonical path before.
    pub path: PathBuf,
    /// What happened.
    pub action: PastAction,
    /// Hash of what was there; none if it came to be.
    pub hash_before: Option<ContentHash>,
    /// Hash of what is there afterwards; none if it went.
    pub hash_after: Option<ContentHash>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Classes that the file belongs to.
    pub tags: Vec<String>,
    /// Its place among the entry's details.
    pub detail: usize,
}

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PastAction {
    /// Its text changed.
    Edit,
    /// It came to be.
    Create,
    /// It went.
    Delete,
    /// It got another canonical path, and maybe another text.
    Rename(PathBuf),
}

/// How to go back, and which lines were changed: what is only looked at when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastDetail {
    /// Every run of changed lines.
    pub hunks: Vec<Hunk>,
    /// The change as a unified diff; nothing where it was too long to be kept.
    pub diff: Option<String>,
    /// How to go back.
    pub back: Back,
}

/// How to get back what a file was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Back {
    /// Nothing of its content changed, or there was none.
    Nothing,
    /// By edits of its text.
    Edits {
        /// These.
        way: WayBack,
        /// How the text was written before.
        before: Format,
        /// How it is written afterwards.
        after: Format,
    },
    /// Its bytes were kept whole.
    Image {
        /// Its permission bits, where it has to be made anew.
        mode: Option<u32>,
    },
}

impl PastAction {
    /// The name on the wire.
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
    /// Where the file is, or was, afterwards.
    pub fn place(&self) -> &Path {
        match &self.action {
            PastAction::Rename(to) => to,
            _ => &self.path,
        }
    }

    /// Whether it is about that path, before or afterwards.
    pub fn concerns(&self, path: &Path) -> bool {
        self.path == path || self.place() == path
    }
}

impl PastEntry {
    /// Its file that was at that path afterwards.
    pub fn file_at(&self, place: &Path) -> Option<&PastFile> {
        self.files.iter().find(|file| file.place() == place)
    }
}
