use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_text::ContentHash;

use super::Audience;
use super::files::FileKey;
use super::ledger::{Base, LedgerEntry};

/// Identifies a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub u64);

/// The permissions of a connection. They depend on the socket it uses, never on what the client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// May read and propose, and may apply its own proposals.
    Agent,
    /// May also decide on behalf of the user, and stop the daemon.
    Editor,
}

/// Optional capabilities that a client announced at `initialize`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Shows proposals to a person and lets them decide.
    pub review: bool,
    /// Supports `review` only because its user enabled it in the settings: the client itself knows nothing
    /// of proposals.
    pub review_by_setting: bool,
    /// Checks and applies edits of several documents, all or none (`editd/applyEdits`).
    pub apply_edits: bool,
    /// Saves documents on request (`editd/save`).
    pub save: bool,
    /// Reloads documents on request (`editd/reload`).
    pub reload: bool,
    /// Reports which documents hold unsaved text (`editd/documentState`).
    pub document_state: bool,
    /// Has language servers rename symbols (`editd/rename`).
    pub rename: bool,
    /// Sends the diagnostics of its documents (`editd/diagnosticsChanged`).
    pub diagnostics: bool,
    /// Supports LSP's own `workspace/applyEdit`.
    pub apply_edit: bool,
    /// Shows a document on request (`window/showDocument`).
    pub show_document: bool,
    /// Shows code lenses.
    pub code_lens: bool,
    /// Requests the text of documents with the server's own URI scheme.
    pub text_document_content: bool,
    /// Refreshes code lenses on request.
    pub code_lens_refresh: bool,
    /// Supports LSP's tag for model-generated content.
    pub generated_tag: bool,
    /// Shows pending proposals as hints among the diagnostics, because its user wants that.
    pub hints: bool,
    /// The audience for which the client wants messages worded.
    pub audience: Audience,
}

impl Abilities {
    /// Returns `true` if the client reviews proposals through standard LSP, without a plugin for editd.
    pub fn reviews_plainly(&self) -> bool {
        self.review_by_setting && !self.apply_edits
    }
}

/// An initialized connection, with its identity and the contents it was given.
#[derive(Debug)]
pub struct Session {
    /// Number of the session, never reused during the lifetime of the daemon.
    pub id: SessionId,
    /// Role of the connection.
    pub role: Role,
    /// `clientInfo.name`: the author of its changes.
    pub author: String,
    /// Name of the session in the history.
    pub name: Arc<str>,
    /// Canonical paths of the workspace folders.
    pub roots: Vec<PathBuf>,
    /// Capabilities of the client.
    pub abilities: Abilities,
    pub(crate) ledger: HashMap<FileKey, LedgerEntry>,
    /// Every content that the session was given, newest last. It may send their hashes as `baseHash`.
    pub(crate) given: VecDeque<ContentHash>,
}

impl Session {
    /// Creates a session that has read nothing yet.
    pub fn new(id: SessionId, role: Role, (author, name): (String, Arc<str>), roots: Vec<PathBuf>) -> Self {
        let abilities = Abilities::default();
        Self { id, role, author, name, roots, abilities, ledger: HashMap::new(), given: VecDeque::new() }
    }

    /// Returns the content of the file that the session was last given, if any.
    pub fn base(&self, key: &FileKey) -> Option<&Base> {
        self.ledger.get(key).map(|entry| &entry.base)
    }

    /// Returns `true` if the client shows proposals to a person.
    pub fn is_reviewer(&self) -> bool {
        self.role == Role::Editor && self.abilities.review
    }

    /// Returns `true` if the file is inside one of the session's roots.
    pub fn covers(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }
}
