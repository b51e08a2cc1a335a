//! The connected clients, and the requests that editors answer.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use tokio::runtime::Handle;

use super::SessionContext;
use super::editors::{EditorPart, FileInEditor};
use editd_text::{Position, PositionEncoding};
use editd_workspace::{Notice, SessionId};

/// The answer of an editor. If the editor disconnects, the answer is an error.
pub(crate) type EditorReply = Pin<Box<dyn Future<Output = Result<EditorAnswer, EditorRequestError>> + Send>>;

/// The answer of an editor to the request to rename a symbol; `None` if it has no language server that can.
pub(crate) type RenameReply =
    Pin<Box<dyn Future<Output = Result<Option<RenameAnswer>, EditorRequestError>> + Send>>;

/// A connected client. Each method sends one message and never waits. Only editors get requests.
pub(crate) trait Client: Send + Sync {
    /// Sends a notification.
    fn notify(&self, notice: &Notice);

    /// Reports the progress of a walk: the number of files and their size in bytes.
    fn report_walk(&self, token: &str, progress: (usize, u64));

    /// Asks for edits of all these documents or none. `id` is the transaction, `label` its purpose.
    fn apply_edits(&self, parts: &[&EditorPart], id: &str, label: &str) -> EditorReply;

    /// Asks to reload a document that has no unsaved changes.
    fn reload(&self, uri: &str) -> EditorReply;

    /// Asks to close and reopen a document whose text is not known.
    fn resync(&self, uri: &str) -> EditorReply;

    /// Asks to save documents.
    fn save(&self, uris: &[String]) -> EditorReply;

    /// Asks for the edits with which a language server renames what is at a position.
    fn rename(&self, file: &FileInEditor, at: (Position, PositionEncoding), new: &str) -> RenameReply;

    /// Asks the user whether to save a document. The answer is `applied` if the user wants that.
    fn ask_to_save(&self, question: &str) -> EditorReply;
}

/// The answer of an editor to a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct EditorAnswer {
    /// `true` if the editor did what it was asked.
    pub(crate) applied: bool,
    /// The reason for a failure.
    pub(crate) reason: Option<String>,
}

/// The edits with which a language server renames a symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct RenameAnswer {
    /// The edits of each file.
    pub(crate) files: Vec<(PathBuf, Vec<RenameEdit>)>,
    /// Unit of the positions; `None` for that of the request.
    pub(crate) encoding: Option<PositionEncoding>,
    /// The reason why the edits cannot be used.
    pub(crate) reason: Option<String>,
}

/// A replacement between two positions.
#[derive(Clone, Debug)]
pub(crate) struct RenameEdit {
    pub(crate) start: Position,
    pub(crate) end: Position,
    pub(crate) new: String,
}

/// The error of a request to an editor.
#[derive(Clone, Debug)]
pub(crate) enum EditorRequestError {
    /// The editor has disconnected.
    Gone,
    /// The editor did not answer in time.
    Late,
    /// The editor answered with this error message.
    Error(String),
}

impl EditorRequestError {
    /// Returns the reason why the request failed, as part of a sentence.
    pub(crate) fn reason(&self, timeout: Duration) -> String {
        match self {
            Self::Gone => "it disconnected".to_owned(),
            Self::Late => format!("it did not answer within {} s", timeout.as_secs()),
            Self::Error(message) => message.trim_end_matches('.').to_owned(),
        }
    }
}

/// Waits for the answer of an editor, on a thread that may block. After a timeout the caller can wait again.
pub(crate) fn wait_for(
    reply: &mut EditorReply,
    timeout: Duration,
) -> Result<EditorAnswer, EditorRequestError> {
    // The timeout must be created within the runtime.
    let answered = Handle::current().block_on(async { tokio::time::timeout(timeout, reply).await });
    answered.unwrap_or(Err(EditorRequestError::Late))
}

/// The clients of a session, each with its connection.
type Connected = Vec<(SessionId, Arc<dyn Client>)>;

/// The connected clients of each session.
#[derive(Clone, Default)]
pub(crate) struct Clients(Arc<DashMap<SessionId, Connected>>);

impl Clients {
    pub(crate) fn insert(&self, session: &SessionContext, client: Arc<dyn Client>) {
        self.0.entry(session.id).or_default().push((session.connection, client));
    }

    pub(crate) fn remove(&self, session: &SessionContext) {
        if let Entry::Occupied(mut clients) = self.0.entry(session.id) {
            clients.get_mut().retain(|(connection, _)| *connection != session.connection);
            if clients.get().is_empty() {
                clients.remove();
            }
        }
    }

    /// Returns the client of an editor's session, which has one connection, or `None` if it has disconnected.
    pub(crate) fn get(&self, session: SessionId) -> Option<Arc<dyn Client>> {
        self.all(session).pop()
    }

    /// Returns the clients of a session. A session that outlives its connections may have several or none.
    pub(crate) fn all(&self, session: SessionId) -> Vec<Arc<dyn Client>> {
        let clients = self.0.get(&session);
        clients.map(|clients| clients.iter().map(|(_, client)| client.clone()).collect()).unwrap_or_default()
    }
}
