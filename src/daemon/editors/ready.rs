//! Seeing to it that an open file can be changed: its editor shows what is on the disk, or unsaved text that
//! was made of that.

use std::time::Instant;

use crate::disk::Target;
use crate::protocol::{RELOAD, RESYNC, UrisParams};
use crate::workspace::buffers::Trouble;
use crate::workspace::{Contest, EditorRefusal, Refusal, RefusalKind};

use crate::daemon::Core;
use crate::daemon::clients::Asked;
use crate::daemon::copies::{Copies, Copy, Standing};
use crate::daemon::failure::refusal_of;
use crate::daemon::observe::Observed;

use super::{LOOK, SETTLE, answer};

impl Core {
    /// Reads a file that is to be changed. It has to wait while it cannot be put right, and while its editor
    /// still shows an older text.
    pub(crate) fn observe_to_change(&self, target: Target) -> Result<Observed, Refusal> {
        let settled = self.journal.require_settled(&target.path);
        settled.map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
        self.require_not_interrupted(&target)?;
        let observed = self.observe(target)?;
        match &observed.open {
            // What is gone no editor can show.
            Some(copies) if copies.contest() == Some(Contest::EditorOutdated) && !observed.exists() => {
                Err(Refusal::at(&observed.target.path, self.not_ready(copies)))
            }
            Some(copies) if !is_ready(copies) => {
                self.prompt(copies);
                self.observe_until_ready(&observed.target)
            }
            _ => Ok(observed),
        }
    }

    /// Asks editors to show what is on the disk, where they can be asked. Only the one that edits go through is
    /// waited for.
    fn prompt(&self, copies: &Copies) {
        let mut of_owner = None;
        for copy in copies.iter() {
            let method = match copy.standing {
                Standing::Outdated => RELOAD,
                Standing::Unknown if copy.buffer.trouble == Some(Trouble::OutOfStep) => RESYNC,
                Standing::Same | Standing::Unsaved | Standing::Both | Standing::Unknown => continue,
            };
            let asked = self.ask_to_show(copy, method);
            if copy.buffer.id == copies.owner().buffer.id || copy.standing == Standing::Unknown {
                of_owner = asked;
            }
        }
        if let Some(mut asked) = of_owner {
            // What it did is seen by its text.
            let _ = answer(&mut asked, SETTLE);
        }
    }

    fn ask_to_show(&self, copy: &Copy, method: &'static str) -> Option<Asked> {
        let id = &copy.buffer.id;
        let can = self.editor(id.session).is_some_and(|editor| editor.abilities.reload);
        let params = serde_json::json!(UrisParams { uris: vec![id.uri.clone()] });
        if can { self.clients.request(id.session, method, params) } else { None }
    }

    fn observe_until_ready(&self, target: &Target) -> Result<Observed, Refusal> {
        let deadline = Instant::now() + SETTLE;
        loop {
            let observed = self.observe(target.clone())?;
            let Some(copies) = observed.open.as_ref().filter(|copies| !is_ready(copies)) else {
                return Ok(observed);
            };
            let can_change = !matches!(copies.contest(), Some(Contest::TwoEditors | Contest::BufferAndDisk))
                && !copies.holds_other_than_text();
            if !can_change || Instant::now() >= deadline {
                return Err(Refusal::at(&target.path, self.not_ready(copies)));
            }
            std::thread::sleep(LOOK * 10);
        }
    }

    fn not_ready(&self, copies: &Copies) -> RefusalKind {
        if let Some(contest) = copies.contest() {
            return self.contested(copies, contest);
        }
        let copy = copies.unknown().unwrap_or(copies.owner());
        let reason = match copy.buffer.trouble {
            Some(trouble) => trouble.to_string(),
            None => "it shows as text what is none on the disk".to_owned(),
        };
        let editor = self.editor_name(copy);
        RefusalKind::Editor(EditorRefusal::Refused { reason, editor })
    }

    /// Asks the editors that still show an older text of a file to load it anew, and does not wait for it.
    pub(crate) fn reload_others(&self, target: &Target) {
        let Ok(observed) = self.observe(target.clone()) else { return };
        for copy in observed.open.iter().flat_map(Copies::iter).filter(|copy| is_behind(copy)) {
            drop(self.ask_to_show(copy, RELOAD));
        }
    }
}

/// Whether an edit can go through the owner, or on the disk below it.
fn is_ready(copies: &Copies) -> bool {
    copies.contest().is_none() && copies.unknown().is_none()
}

fn is_behind(copy: &Copy) -> bool {
    copy.standing == Standing::Outdated
}
