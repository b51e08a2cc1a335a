//! Making open files ready for a change: the editor must show the content on disk, or unsaved text based on
//! it.

use std::sync::Arc;
use std::time::Instant;

use crate::engine::clients::{Client, EditorReply, wait_for};
use crate::engine::editors::{POLL_INTERVAL, SETTLE};
use crate::engine::files::observe::Observed;
use crate::engine::files::open_documents::{OpenDocument, OpenDocuments, SyncState};
use crate::engine::{Engine, refusal_of};
use editd_disk::Target;
use editd_workspace::buffers::BlockedReason;
use editd_workspace::{Contest, Refusal, RefusalKind};

impl Engine {
    /// Observes a file before a change. Refuses it while an interrupted transaction of the file is not
    /// settled. Waits while its editor still shows an older text.
    pub(crate) fn observe_to_change(&self, target: Target) -> Result<Observed, Refusal> {
        let settled = self.journal.require_settled(&target.path);
        settled.map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
        self.require_not_interrupted(&target)?;
        let observed = self.observe(target)?;
        match &observed.open {
            // An editor cannot reload a file that no longer exists.
            Some(open_documents)
                if open_documents.contest() == Some(Contest::EditorOutdated) && !observed.exists() =>
            {
                Err(Refusal::at(&observed.target.path, self.not_ready(open_documents)))
            }
            Some(open_documents) if !is_ready(open_documents) => {
                self.request_sync(open_documents);
                self.observe_until_ready(&observed.target)
            }
            _ => Ok(observed),
        }
    }

    /// Asks the editors that support it to reload outdated documents and to resend unknown ones. Waits for a
    /// single answer, that of the document that decides whether the file is ready.
    fn request_sync(&self, open_documents: &OpenDocuments) {
        let mut to_await = None;
        for document in &open_documents.all {
            let is_out_of_step = document.buffer.blocked_reason == Some(BlockedReason::OutOfStep);
            let asked = match document.sync_state {
                SyncState::Outdated => self.ask_to_reload(document),
                SyncState::Unknown if is_out_of_step => {
                    let client = self.reloading_client(document);
                    client.map(|client| client.resync(&document.buffer.id.uri))
                }
                SyncState::Same | SyncState::Unsaved | SyncState::Both | SyncState::Unknown => continue,
            };
            if document.buffer.id == open_documents.owner().buffer.id
                || document.sync_state == SyncState::Unknown
            {
                to_await = asked;
            }
        }
        if let Some(mut asked) = to_await {
            // The text of the document shows the result.
            let _ = wait_for(&mut asked, SETTLE);
        }
    }

    fn ask_to_reload(&self, document: &OpenDocument) -> Option<EditorReply> {
        Some(self.reloading_client(document)?.reload(&document.buffer.id.uri))
    }

    /// Returns the editor of a document, if it reloads documents on request.
    fn reloading_client(&self, document: &OpenDocument) -> Option<Arc<dyn Client>> {
        let session = document.buffer.id.session;
        self.editor(session).filter(|editor| editor.abilities.reload)?;
        self.clients.get(session)
    }

    fn observe_until_ready(&self, target: &Target) -> Result<Observed, Refusal> {
        let deadline = Instant::now() + SETTLE;
        loop {
            let observed = self.observe(target.clone())?;
            let Some(open_documents) =
                observed.open.as_ref().filter(|open_documents| !is_ready(open_documents))
            else {
                return Ok(observed);
            };
            let can_change =
                !matches!(open_documents.contest(), Some(Contest::TwoEditors | Contest::BufferAndDisk))
                    && !open_documents.holds_unsaved_non_text();
            if !can_change || Instant::now() >= deadline {
                return Err(Refusal::at(&target.path, self.not_ready(open_documents)));
            }
            std::thread::sleep(POLL_INTERVAL * 10);
        }
    }

    fn not_ready(&self, open_documents: &OpenDocuments) -> RefusalKind {
        if let Some(contest) = open_documents.contest() {
            return self.contested(open_documents, contest);
        }
        let document = open_documents.unknown().unwrap_or(open_documents.owner());
        let reason = match document.buffer.blocked_reason {
            Some(blocked_reason) => blocked_reason.to_string(),
            None => "it shows text, but the file on disk is not text".to_owned(),
        };
        self.refused(document, reason)
    }

    /// Asks the editors that still show an older text of a file to reload it, without waiting for them.
    pub(crate) fn reload_others(&self, target: &Target) {
        let Ok(observed) = self.observe(target.clone()) else { return };
        for document in observed.open.iter().flat_map(|open_documents| &open_documents.all) {
            if document.sync_state == SyncState::Outdated {
                drop(self.ask_to_reload(document));
            }
        }
    }
}

/// Returns `true` if the file can be changed, through its owner or on disk.
fn is_ready(open_documents: &OpenDocuments) -> bool {
    open_documents.contest().is_none() && open_documents.unknown().is_none()
}
