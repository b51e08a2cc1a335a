//! Saving documents in their editors.

use std::collections::BTreeMap;

use serde_json::json;

use crate::config::SaveMode;
use crate::protocol::{DocumentsResult, SAVE as SAVE_METHOD, UrisParams};
use crate::workspace::SessionId;
use crate::workspace::buffers::Buffer;

use crate::daemon::Core;
use crate::daemon::change::commit::PendingWrite;

use super::{SAVE, Saving, answer};

/// The LSP request that asks the user a question.
const ASK: &str = "window/showMessageRequest";
/// The LSP message type for information.
const INFO: u32 = 3;
/// The choice with which the user saves the document.
const YES: &str = "Save";

impl Core {
    /// Asks the editors to save the documents that must be saved. Returns the errors by the URI of the
    /// document.
    pub(crate) fn save_in_editors(&self, writes: &[PendingWrite]) -> BTreeMap<String, String> {
        let mut by_editor: BTreeMap<SessionId, Vec<String>> = BTreeMap::new();
        let parts = writes.iter().filter_map(|write| write.through.as_ref());
        let mut problems = BTreeMap::new();
        for part in parts.filter(|part| part.save == Saving::Yes) {
            let id = &part.buffer.id;
            let untouched = self.present(&part.buffer).is_some_and(|now| now.text == part.after);
            if untouched || self.config.save == SaveMode::Always {
                by_editor.entry(id.session).or_default().push(id.uri.clone());
            } else {
                problems.insert(id.uri.clone(), "the user is typing in it".to_owned());
            }
        }
        for (session, uris) in by_editor {
            if let Some(problem) = self.save_in(session, &uris) {
                problems.extend(uris.into_iter().map(|uri| (uri, problem.clone())));
            }
        }
        problems
    }

    fn save_in(&self, session: SessionId, uris: &[String]) -> Option<String> {
        let params = json!(UrisParams { uris: uris.to_vec() });
        let asked = self.clients.request(session, SAVE_METHOD, params);
        match asked.map(|mut asked| answer(&mut asked, SAVE)) {
            // The file on disk shows whether the editor saved it.
            Some(Ok(value)) => serde_json::from_value::<DocumentsResult>(value).ok()?.reason,
            Some(Err(error)) => Some(error.reason(SAVE)),
            None => Some("it disconnected".to_owned()),
        }
    }

    /// Asks the user whether to save the document. The change does not wait for the answer.
    pub(crate) fn ask_to_save(&self, buffer: &Buffer, author: &str) {
        let id = buffer.id.clone();
        let name = buffer.path.file_name().unwrap_or_default().to_string_lossy();
        let message = format!("{author} changed {name}, which held unsaved text. Save it?");
        let actions = json!([{ "title": YES }, { "title": "Not now" }]);
        let params = json!({ "type": INFO, "message": message, "actions": actions });
        let Some(asked) = self.clients.request(id.session, ASK, params) else { return };
        let core = self.clone();
        tokio::spawn(async move {
            if let Ok(Ok(chosen)) = asked.await
                && chosen["title"] == YES
            {
                let params = json!(UrisParams { uris: vec![id.uri] });
                drop(core.clients.request(id.session, SAVE_METHOD, params));
            }
        });
    }
}
