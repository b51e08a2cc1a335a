use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::edit::Plan;
use crate::text::ContentHash;

use super::FileKey;

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub u64);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

/// What a connection may do. It follows from the socket it came in on, never from what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// May read, propose, and apply what is its own.
    Agent,
    /// May also decide for the person, and stop the daemon.
    Editor,
}

/// What a client said at `initialize` that it can do, beside what every client can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Shows proposals to a person and lets them decide.
    pub review: bool,
    /// That only because its user has set it so: it knows nothing of proposals itself.
    pub review_by_setting: bool,
    /// Checks and applies edits of several documents, all or none (`editd/applyEdits`).
    pub apply_edits: bool,
    /// Saves documents when asked to (`editd/save`).
    pub save: bool,
    /// Loads documents anew when asked to (`editd/reload`).
    pub reload: bool,
    /// Tells which documents hold unsaved text (`editd/documentState`).
    pub document_state: bool,
    /// Hands over the diagnostics of its documents (`editd/diagnosticsChanged`).
    pub diagnostics: bool,
    /// Applies LSP's own `workspace/applyEdit`.
    pub apply_edit: bool,
    /// Shows a document when asked to (`window/showDocument`).
    pub show_document: bool,
    /// Shows code lenses.
    pub code_lens: bool,
    /// Asks the server for the text of documents of its own scheme.
    pub text_document_content: bool,
    /// Asks for code lenses again when it is told to.
    pub code_lens_refresh: bool,
    /// Knows LSP's tag for what a model has made.
    pub generated_tag: bool,
    /// Its user wants to see what waits as hints among diagnostics.
    pub hints: bool,
}

impl Abilities {
    /// Whether it shows proposals by LSP's own means, because it has no plugin of ours.
    pub fn reviews_plainly(&self) -> bool {
        self.review_by_setting && !self.apply_edits
    }
}

/// How much of a file its reader has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Some of its lines: enough to edit it, not enough to replace, delete or rename it.
    Part,
    /// All of it.
    Whole,
}

/// What a session was last given of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Hash of the whole file as it then was.
    pub hash: ContentHash,
    /// How much of it the session has seen.
    pub coverage: Coverage,
    /// The path under which the session asked for it.
    pub path: PathBuf,
}

/// One entry of a ledger: the base, and whether the session knows that it is out of date.
#[derive(Clone, Debug)]
pub(crate) struct LedgerEntry {
    pub(crate) base: Base,
    /// Set once `editd/fileChanged` was sent, until the session reads or asks again.
    pub(crate) told: bool,
    /// What the session had seen, where the base has more in it.
    pub(crate) unseen: Option<Unseen>,
}

/// After a merge the base of a session is the result, of which it has not seen what others wrote. This is what it
/// has seen, until it reads or asks what they did.
#[derive(Clone, Debug)]
pub(crate) struct Unseen {
    /// Hash of what it was last given.
    pub(crate) given: ContentHash,
    /// What it did to that itself.
    pub(crate) own: Option<Arc<Plan>>,
}

/// A connection after `initialize`: who it is and what it was given.
#[derive(Debug)]
pub struct Session {
    /// Its number, never used twice in a daemon's life.
    pub id: SessionId,
    /// What it may do.
    pub role: Role,
    /// `clientInfo.name`: the author of its changes.
    pub author: String,
    /// Its name in the history.
    pub name: Arc<str>,
    /// The folders it works in, canonical.
    pub roots: Vec<PathBuf>,
    /// What its client can do.
    pub abilities: Abilities,
    pub(crate) ledger: HashMap<FileKey, LedgerEntry>,
    /// Every content that it was given, newest last: what may come back as `baseHash`.
    pub(crate) given: VecDeque<ContentHash>,
}

impl Session {
    /// A session that has read nothing yet.
    pub fn new(id: SessionId, role: Role, (author, name): (String, Arc<str>), roots: Vec<PathBuf>) -> Self {
        let abilities = Abilities::default();
        Self { id, role, author, name, roots, abilities, ledger: HashMap::new(), given: VecDeque::new() }
    }

    /// The same with what its client can do.
    #[must_use]
    pub fn with_abilities(self, abilities: Abilities) -> Self {
        Self { abilities, ..self }
    }

    /// What it was last given of the file, if anything.
    pub fn base(&self, key: &FileKey) -> Option<&Base> {
        self.ledger.get(key).map(|entry| &entry.base)
    }

    /// Whether it has the file's folder among its roots.
    pub fn covers(&self, path: &std::path::Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }
}
