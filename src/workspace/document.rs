use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::ContentHash;

use super::limits::GIVEN_BASES;
use super::{FileKey, Role, SessionId, Snapshot};

/// What a file is right now, as far as it was looked at.
#[derive(Clone, Debug)]
pub enum Truth {
    /// There is no such file.
    Missing,
    /// It holds text.
    Text(Arc<Snapshot>),
    /// It holds something else; only its hash counts.
    Opaque(ContentHash),
}

impl Truth {
    /// Its hash, if it exists.
    pub fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::Missing => None,
            Self::Text(snapshot) => Some(snapshot.hash),
            Self::Opaque(hash) => Some(*hash),
        }
    }

    /// Its text, if it has one.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        match self {
            Self::Text(snapshot) => Some(snapshot),
            Self::Missing | Self::Opaque(_) => None,
        }
    }
}

/// A file that somebody has read or wants to change.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    /// What it was when it was last looked at; `None` if it did not exist.
    pub(crate) current: Option<ContentHash>,
    /// Whether the text store counts that content for this document.
    pub(crate) holds_current: bool,
    /// The sessions that have it in their ledger.
    pub(crate) readers: HashSet<SessionId>,
    /// Contents of this file that some session was given, and in what role, newest last: what can be a base of
    /// it for sessions that may see as much.
    given: VecDeque<(ContentHash, Role)>,
}

impl Document {
    /// One that nobody has looked at yet.
    pub(crate) fn new(path: &Path) -> Self {
        let (readers, given) = (HashSet::new(), VecDeque::new());
        Self { path: path.to_owned(), current: None, holds_current: false, readers, given }
    }

    /// Notes that a content of this file was given to somebody.
    pub(crate) fn gave(&mut self, hash: ContentHash, role: Role) {
        if self.given.back() != Some(&(hash, role)) {
            self.given.push_back((hash, role));
        }
        if self.given.len() > GIVEN_BASES {
            self.given.pop_front();
        }
    }

    /// Whether a content of this file was given to somebody whom the asking session may be told of: an agent is
    /// told what agents have seen, and not what only an editor has.
    pub(crate) fn has_given(&self, hash: ContentHash, asking: Role) -> bool {
        self.given.iter().any(|(given, role)| *given == hash && (*role == asking || asking == Role::Editor))
    }
}

/// A file and what was seen of it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which file.
    pub key: FileKey,
    /// Its canonical path.
    pub path: PathBuf,
    /// What it is.
    pub truth: Truth,
    /// Whether that is the unsaved text of an editor.
    pub typed: bool,
}
