//! Having documents saved that had no unsaved text before.

use std::collections::BTreeMap;

use serde_json::json;

use crate::protocol::{DocumentsResult, SAVE as SAVE_METHOD, UrisParams};
use crate::workspace::SessionId;

use crate::daemon::Core;
use crate::daemon::commit::Due;

use super::{SAVE, answer};

impl Core {
    /// Asks the editors to save what is to be saved. Gives what went wrong, by document.
    pub(crate) fn save_in_editors(&self, due: &[Due]) -> BTreeMap<String, String> {
        let mut by_editor: BTreeMap<SessionId, Vec<String>> = BTreeMap::new();
        for part in due.iter().filter_map(|due| due.through.as_ref()).filter(|part| part.save) {
            let id = &part.buffer.id;
            by_editor.entry(id.session).or_default().push(id.uri.clone());
        }
        let mut problems = BTreeMap::new();
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
            // Whether it was saved is seen on the disk.
            Some(Ok(value)) => serde_json::from_value::<DocumentsResult>(value).ok()?.reason,
            Some(Err(silence)) => Some(silence.reason(SAVE)),
            None => Some("it went away".to_owned()),
        }
    }
}
