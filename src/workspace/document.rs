use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::ContentHash;

use super::limits::GIVEN_BASES;
use super::{FileKey, Role, SessionId, Snapshot};

/// The last observed content of a file.
#[derive(Clone, Debug)]
pub enum FileContent {
    /// The file does not exist.
    Missing,
    /// The file is text.
    Text(Arc<Snapshot>),
    /// The file is not text; only its hash is known.
    Opaque(ContentHash),
}

impl FileContent {
    /// Returns the hash, or `None` if the file is missing.
    pub fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::Missing => None,
            Self::Text(snapshot) => Some(snapshot.hash),
            Self::Opaque(hash) => Some(*hash),
        }
    }

    /// Returns the text, or `None` if the file is missing or not text.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        match self {
            Self::Text(snapshot) => Some(snapshot),
            Self::Missing | Self::Opaque(_) => None,
        }
    }
}

/// A file that at least one session has read or wants to change.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    /// Hash of the last observed content; `None` if the file did not exist.
    pub(crate) current: Option<ContentHash>,
    /// `true` if the document holds a reference to that content in the text store.
    pub(crate) holds_current: bool,
    /// Sessions that have the file in their ledger.
    pub(crate) readers: HashSet<SessionId>,
    /// Contents of the file that sessions were given, with the role of each session, newest last. A session
    /// may use them as a base if its role lets it see them.
    given: VecDeque<(ContentHash, Role)>,
}

impl Document {
    /// Creates a document that has not been observed yet.
    pub(crate) fn new(path: &Path) -> Self {
        let (readers, given) = (HashSet::new(), VecDeque::new());
        Self { path: path.to_owned(), current: None, holds_current: false, readers, given }
    }

    /// Records that a session was given a content of this file.
    pub(crate) fn record_given(&mut self, hash: ContentHash, role: Role) {
        if self.given.back() != Some(&(hash, role)) {
            self.given.push_back((hash, role));
        }
        if self.given.len() > GIVEN_BASES {
            self.given.pop_front();
        }
    }

    /// Returns `true` if a content of the file was given to a session whose reads the asking role may know
    /// of. Agents know what agents were given, but not what only an editor was given.
    pub(crate) fn was_given(&self, hash: ContentHash, asking: Role) -> bool {
        self.given.iter().any(|(given, role)| *given == hash && (*role == asking || asking == Role::Editor))
    }
}

/// The observed state of a file.
#[derive(Clone, Debug)]
pub struct ObservedVersion {
    /// Key of the file.
    pub key: FileKey,
    /// Canonical path of the file.
    pub path: PathBuf,
    /// Current content.
    pub content: FileContent,
    /// `true` if the content is the unsaved text of an editor.
    pub is_unsaved: bool,
}
