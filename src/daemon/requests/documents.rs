use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::protocol::{DocumentStateParams, path_of_uri};
use crate::text::Text;
use crate::workspace::buffers::{BlockedReason, Buffer, BufferId, TextChange, has_ambiguous_line_breaks};
use crate::workspace::{DocumentEffect, DocumentEvent, FileKey};

use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, SessionContext};

/// Minimum time between two rechecks of a file, however many notifications its editor sends.
const RECHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Document notifications of editors. Each is handled at once, in the order of arrival.
impl Daemon {
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
        let path = canonical(&path);
        // Some editors keep the byte order mark in the text, as an invisible character.
        let known = text.map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
        let text = known.unwrap_or_default();
        let odd = has_ambiguous_line_breaks(text).then_some(BlockedReason::LineEnds);
        let buffer = Buffer {
            id: id_of(session, uri),
            key: key_of(&path),
            path,
            encoding: session.encoding,
            text: Text::from(text),
            version,
            loaded: None,
            dirty: None,
            touched: false,
            focused: 0,
            blocked_reason: known.err().or(odd),
        };
        self.update_document(&buffer.id.clone(), DocumentEvent::Opened(Box::new(buffer)));
    }

    /// Handles a changed document. Without a version, the version is the last one plus one.
    pub fn document_changed(
        &self,
        session: &SessionContext,
        uri: &str,
        version: Option<i32>,
        changes: Vec<TextChange>,
    ) {
        self.update_document(&id_of(session, uri), DocumentEvent::Changed { version, changes });
    }

    /// Handles a change that could not be parsed: the text of the document is unknown from now on.
    pub fn document_lost(&self, session: &SessionContext, uri: &str) {
        self.update_document(&id_of(session, uri), DocumentEvent::Lost);
    }

    /// Handles a saved document.
    pub fn document_saved(&self, session: &SessionContext, uri: &str) {
        self.update_document(&id_of(session, uri), DocumentEvent::Saved);
    }

    /// Handles a closed document.
    pub fn document_closed(&self, session: &SessionContext, uri: &str) {
        self.update_document(&id_of(session, uri), DocumentEvent::Closed);
        self.core.diagnoses.notify_waiters();
    }

    /// Handles an editor's report whether a document has unsaved text.
    pub fn document_state(&self, session: &SessionContext, params: &DocumentStateParams) {
        let DocumentStateParams { uri, dirty, version } = params;
        let state = DocumentEvent::State { dirty: *dirty, version: *version };
        self.update_document(&id_of(session, uri), state);
    }

    /// Handles a focused document.
    pub fn document_focused(&self, session: &SessionContext, uri: &str) {
        self.update_document(&id_of(session, uri), DocumentEvent::Focused);
    }

    /// Applies an event to the workspace. Sessions that have read the file are notified when typing pauses.
    fn update_document(&self, id: &BufferId, event: DocumentEvent) {
        let Some(DocumentEffect { path, is_read, may_be_same }) =
            self.core.workspace.update(|w| w.update_document(id, event))
        else {
            return;
        };
        if may_be_same {
            self.core.recheck_later(path.clone());
        }
        if is_read {
            self.core.hints.soon(path);
        }
    }
}

impl Core {
    /// Compares the open documents of a file with the disk, in the background.
    fn recheck_later(&self, path: PathBuf) {
        if !self.rechecks.begin(&path) {
            return;
        }
        let core = self.clone();
        tokio::spawn(async move {
            loop {
                // Wait for the file lock, because requests in its queue may be about to change the file.
                let lock = core.locks.join(vec![key_of(&path)]);
                lock.at_head().await;
                let permit = core.rechecks.room().await;
                let (checker, at) = (core.clone(), path.clone());
                // An error here is reported by the next request on the file.
                let _ = blocking(move || (checker.recheck(&at), lock, permit).0).await;
                if core.rechecks.end(&path) {
                    return;
                }
                tokio::time::sleep(RECHECK_INTERVAL).await;
            }
        });
    }

    fn recheck(&self, path: &Path) -> Option<()> {
        let root = self.disk.open_root(path.parent()?).ok()?;
        let target = self.disk.resolve(&root, Path::new(path.file_name()?)).ok()?;
        self.settle_interrupted(&target);
        self.observe(target).ok().map(drop)
    }
}

pub(super) fn id_of(session: &SessionContext, uri: &str) -> BufferId {
    BufferId { session: session.id, uri: uri.to_owned() }
}

/// Resolves the symbolic links in the existing part of a path, and keeps the rest. Requests on the same file
/// arrive at the same path.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    let resolved = |there: &Path| {
        let found = std::fs::canonicalize(there).ok()?;
        let rest = path.strip_prefix(there).ok()?;
        Some(if rest.as_os_str().is_empty() { found } else { found.join(rest) })
    };
    path.ancestors().find_map(resolved).unwrap_or_else(|| path.to_owned())
}

fn key_of(path: &Path) -> FileKey {
    match std::fs::metadata(path) {
        Ok(found) if found.nlink() > 1 => FileKey::Inode { device: found.dev(), inode: found.ino() },
        _ => FileKey::path(path),
    }
}
