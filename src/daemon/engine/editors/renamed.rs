//! Notices to editors that files which they have open were renamed. A document that stays at the old path would
//! write the old file again when its user saves it.

use crate::engine::Engine;
use crate::engine::change::commit::PendingWrite;
use editd_workspace::buffers::BufferId;
use editd_workspace::{Action, Notice};

/// Returns the documents that are open at the old path of a rename, with the notices for their editors.
pub(crate) fn renamed_documents(write: &PendingWrite) -> Vec<(BufferId, Notice)> {
    let Action::Rename { to, .. } = &write.computed.file.action else { return Vec::new() };
    let open = write.computed.observed.open.iter().flat_map(|open| &open.all);
    let ids = open.map(|document| document.buffer.id.clone());
    ids.map(|id| (id.clone(), Notice::FileRenamed { uri: id.uri, to: to.clone() })).collect()
}

impl Engine {
    /// Notifies the editors with a plugin that these documents have another path now.
    pub(crate) fn announce_renamed(&self, renamed: &[(BufferId, Notice)]) {
        for (document, notice) in renamed {
            let has_plugin = self.editor(document.session).is_some_and(|editor| editor.abilities.reload);
            if let Some(client) = self.clients.get(document.session).filter(|_| has_plugin) {
                client.notify(notice);
            }
        }
    }
}
