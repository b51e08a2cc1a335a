use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::protocol::{DocumentStateParams, path_of_uri};
use crate::text::Text;
use crate::workspace::FileKey;
use crate::workspace::buffers::{Buffer, BufferId, TextChange, Trouble, has_odd_line_ends};

use crate::daemon::editors::{DocumentEvent, EditorsEvent, Effect};
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, SessionContext};

/// How long a file is let alone after it was looked at, however often its editor speaks of it.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What editors tell of their documents. Each is handled at once, in the order in which it comes.
impl Daemon {
    /// A document was opened. Those that are no files are the editor's own business. Without a text it is known
    /// that it is open, and not more.
    pub fn document_opened(
        &self,
        session: &SessionContext,
        uri: &str,
        version: i32,
        text: Result<&str, Trouble>,
    ) {
        let Ok(path) = path_of_uri(uri) else { return };
        let path = canonical(&path);
        // Some editors keep the mark in the text, as an invisible character.
        let known = text.map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
        let text = known.unwrap_or_default();
        let odd = has_odd_line_ends(text).then_some(Trouble::LineEnds);
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
            trouble: known.err().or(odd),
        };
        self.tell(DocumentEvent::Opened(Box::new(buffer)));
    }

    /// A document was changed. Without a version it is the one behind the last.
    pub fn document_changed(
        &self,
        session: &SessionContext,
        uri: &str,
        version: Option<i32>,
        changes: Vec<TextChange>,
    ) {
        self.tell(DocumentEvent::Changed { id: id_of(session, uri), version, changes });
    }

    /// A document was changed in a way that cannot be understood.
    pub fn document_lost(&self, session: &SessionContext, uri: &str) {
        self.tell(DocumentEvent::Lost(id_of(session, uri)));
    }

    /// A document was saved.
    pub fn document_saved(&self, session: &SessionContext, uri: &str) {
        self.tell(DocumentEvent::Saved(id_of(session, uri)));
    }

    /// A document was closed.
    pub fn document_closed(&self, session: &SessionContext, uri: &str) {
        self.tell(DocumentEvent::Closed(id_of(session, uri)));
        self.core.diagnoses.notify_waiters();
    }

    /// An editor says whether a document holds unsaved text.
    pub fn document_state(&self, session: &SessionContext, params: &DocumentStateParams) {
        let DocumentStateParams { uri, dirty, version } = params;
        self.tell(DocumentEvent::State { id: id_of(session, uri), dirty: *dirty, version: *version });
    }

    /// A person looks at a document.
    pub fn document_focused(&self, session: &SessionContext, uri: &str) {
        self.tell(DocumentEvent::Focused(id_of(session, uri)));
    }

    /// Notes it; those who have read the file hear of it when typing pauses.
    fn tell(&self, event: DocumentEvent) {
        let Some(Effect { path, is_read, may_be_same }) = self.core.document(event) else { return };
        if may_be_same {
            self.core.settle_later(path.clone());
        }
        if is_read {
            self.core.hints.soon(path);
        }
    }
}

impl Core {
    pub(crate) fn document(&self, event: DocumentEvent) -> Option<Effect> {
        self.ask_editors(|reply| EditorsEvent::Document { event, reply }).flatten()
    }

    /// Finds out whether open documents of a file are what is on the disk, beside everything else.
    fn settle_later(&self, path: PathBuf) {
        if !self.looks.begin(&path) {
            return;
        }
        let core = self.clone();
        tokio::spawn(async move {
            loop {
                // In turn with the requests on the file: some of them are about to change it.
                let place = core.lanes.join(vec![key_of(&path)]);
                place.at_head().await;
                let room = core.looks.room().await;
                let (looking, at) = (core.clone(), path.clone());
                // What fails here is found out by the next request on the file.
                let _ = blocking(move || (looking.look_at_copies(&at), place, room).0).await;
                if core.looks.end(&path) {
                    return;
                }
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
        });
    }

    fn look_at_copies(&self, path: &Path) -> Option<()> {
        let root = self.disk.open_root(path.parent()?).ok()?;
        let target = self.disk.resolve(&root, Path::new(path.file_name()?)).ok()?;
        self.settle_interrupted(&target);
        self.observe(target).ok().map(drop)
    }
}

pub(super) fn id_of(session: &SessionContext, uri: &str) -> BufferId {
    BufferId { session: session.id, uri: uri.to_owned() }
}

/// The path that requests on the same file come to: what is there of it without links, and the rest as it is.
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
