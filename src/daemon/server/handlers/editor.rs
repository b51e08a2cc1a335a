//! Introductions of clients, and notifications of editors.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::engine::files::rechecks::key_of;
use crate::engine::jobs::blocking;
use crate::engine::{Result, SessionContext, open_root, usual_path_of};
use crate::server::Daemon;
use editd_disk::real_path;
use editd_protocol::{Invalid, path_of_uri};
use editd_text::{PositionEncoding, Text, marks_of_content};
use editd_workspace::buffers::{BlockedReason, Buffer, BufferId, Mark, has_ambiguous_line_breaks};
use editd_workspace::{Abilities, DocumentEvent, Role, names};

/// Maximum number of roots of an agent. Each takes a file descriptor.
const MAX_ROOTS: usize = 64;
/// Number of bytes of a file in which byte order marks are counted.
const MARKS_READ: u64 = 256;

/// The properties of a client from its `initialize` request.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Role that the socket grants, or that of an agent.
    pub role: Role,
    /// `true` on the socket for editors, which agents do not use.
    pub is_person: bool,
    /// The process at the other end of the socket, if it is known.
    pub process: Option<i32>,
    /// `clientInfo.name`.
    pub name: Option<String>,
    /// The client's name for the session, which a later connection can use again. Without it, the daemon
    /// assigns a name.
    pub session_name: Option<String>,
    /// `true` if the session outlives the connection, and a later connection with its name resumes it.
    pub resumes: bool,
    /// Requested root directories.
    pub roots: Vec<PathBuf>,
    /// `true` if a missing root directly under the home directory is a file that the client will create.
    pub new_file: bool,
    /// Unit of character positions.
    pub encoding: PositionEncoding,
    /// Optional capabilities of the client.
    pub abilities: Abilities,
}

impl Daemon {
    /// Creates the session of a client and opens its roots. Refuses roots that it may not have.
    pub async fn introduce(&self, introduction: Introduction) -> Result<SessionContext> {
        let connection = self.next_session();
        let engine = self.engine.clone();
        blocking(move || {
            let Introduction { role, process, session_name, resumes, roots, new_file, .. } = introduction;
            let name = introduction.name.as_deref();
            let author = if introduction.is_person {
                names::author(name)
            } else {
                names::agent(name, &engine.workspace.update(|w| w.editor_names(SystemTime::now())))
            };
            let (mut roots, mut named) = (roots, HashSet::new());
            roots.retain(|root| named.insert(root.clone()));
            if role == Role::Agent && roots.len() > MAX_ROOTS {
                let problem = format!("it names more than {MAX_ROOTS} folders");
                return Err(Invalid::new("workspaceFolders", problem).into());
            }
            let open = |root: &PathBuf| open_root(&engine, role, root, new_file || role == Role::Editor);
            let roots = roots.iter().map(open).collect::<Result<Vec<_>, _>>()?;
            let is_named = session_name.is_some();
            let name = session_name.map_or_else(|| engine.history.session_name(connection.0), Arc::from);
            let id = if resumes && is_named && role == Role::Agent {
                engine.workspace.update(|w| w.resume((&author, process), &name, connection))
            } else {
                connection
            };
            let mut context = SessionContext::new(id, role, (author, name), roots, introduction.encoding);
            context.abilities = introduction.abilities;
            (context.connection, context.process) = (connection, process);
            Ok(context)
        })
        .await?
    }

    /// Updates the roots of an editor's session.
    pub fn folders_changed(&self, session: &SessionContext, removed: &[PathBuf], added: &[PathBuf]) {
        let open = |path: &PathBuf| open_root(&self.engine, session.role, path, true).ok();
        session.change_roots(removed, added.iter().filter_map(open).collect());
        self.engine.workspace.update(|w| w.set_roots(session.id, session.root_paths()));
    }

    /// Handles an opened document. Ignores documents that are not files. Without a text, only the fact that
    /// the document is open is known.
    pub fn document_opened(
        &self,
        session: &SessionContext,
        uri: &str,
        version: i32,
        text: Result<&str, BlockedReason>,
    ) {
        let Ok(path) = path_of_uri(uri) else { return };
        let path = usual_path_of(&self.engine, real_path(&path));
        let blocked = text.err();
        let text = text.unwrap_or_default();
        let in_content = if text.starts_with('\u{feff}') { marks_of(&path) } else { 0 };
        let (mark, text) = Mark::split(text, in_content);
        let odd = has_ambiguous_line_breaks(text).then_some(BlockedReason::LineEnds);
        let buffer = Buffer {
            id: id_of(session, uri),
            key: key_of(&path),
            path,
            encoding: session.encoding,
            text: Text::from(text),
            mark,
            version,
            loaded: None,
            dirty: None,
            touched: false,
            focused: 0,
            selection: None,
            blocked_reason: blocked.or(odd),
        };
        self.engine.update_document(&buffer.id.clone(), DocumentEvent::Opened(Box::new(buffer)));
        self.engine.focus_changed.notify_waiters();
    }

    /// Handles a notification about an open document at once, so in the order of arrival.
    pub fn document_event(&self, session: &SessionContext, uri: &str, event: DocumentEvent) {
        let is_closed = matches!(event, DocumentEvent::Closed);
        let moves_focus = is_closed || matches!(event, DocumentEvent::Focused { .. });
        if matches!(event, DocumentEvent::Saved) && !self.engine.runs.is_idle() {
            let (engine, path) = (self.engine.clone(), path_of_uri(uri));
            tokio::task::spawn_blocking(move || path.map(|path| engine.written_by_others(&path)));
        }
        self.engine.update_document(&id_of(session, uri), event);
        if is_closed {
            self.engine.diagnostics_reported.notify_waiters();
        }
        if moves_focus {
            self.engine.focus_changed.notify_waiters();
        }
    }
}

/// Returns the number of characters U+FEFF at the start of the content of a file, 0 if it cannot be read.
fn marks_of(path: &Path) -> usize {
    let read = || -> io::Result<Vec<u8>> {
        // A pipe must not keep the daemon waiting.
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        let (mut head, is_file) = (Vec::new(), file.metadata()?.is_file());
        file.take(if is_file { MARKS_READ } else { 0 }).read_to_end(&mut head)?;
        Ok(head)
    };
    read().map_or(0, |head| marks_of_content(&head))
}

pub(crate) fn id_of(session: &SessionContext, uri: &str) -> BufferId {
    BufferId { session: session.id, uri: uri.to_owned() }
}
