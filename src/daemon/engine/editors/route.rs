//! Routing: decides whether a change of a file is applied by an editor or on disk.

use std::collections::BTreeMap;

use crate::config::SaveMode;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::ComputedChange;
use crate::engine::clients::{EditorRequestError, wait_for};
use crate::engine::editors::{Editor, SAVE};
use crate::engine::files::observe::Observed;
use crate::engine::files::open_documents::{OpenDocument, SyncState};
use crate::engine::{Engine, refusal_of};
use editd_edit::{Deadline, Plan};
use editd_text::{Encoding, EolStyle, Text, eol_style, normalize_line_endings};
use editd_workspace::buffers::Buffer;
use editd_workspace::{Action, EditorRefusal, Refusal, RefusalKind, SessionId};

/// A change that an editor applies to its document.
#[derive(Debug)]
pub(crate) struct EditorPart {
    pub(crate) editor: Editor,
    /// The document before the change.
    pub(crate) buffer: Buffer,
    /// The plan over the text of the document.
    pub(crate) plan: Plan,
    /// Expected text of the document after the change.
    pub(crate) after: Text,
    pub(crate) save: Saving,
}

/// The decision about saving a document after an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saving {
    No,
    /// Ask the user.
    Ask,
    Yes,
}

impl Engine {
    /// Decides for each file whether an editor or the disk applies its change. Refuses the change of a file
    /// if neither is possible.
    pub(crate) fn route(&self, writes: &mut [PendingWrite]) -> Result<(), Refusal> {
        for write in writes {
            let part = self.part(&write.computed).map_err(|kind| {
                Refusal::at(&write.computed.observed.target.path, kind).of_change(write.index)
            })?;
            write.through = part;
        }
        Ok(())
    }

    fn part(&self, computed: &ComputedChange) -> Result<Option<EditorPart>, RefusalKind> {
        let Some(open_documents) = &computed.observed.open else { return Ok(None) };
        let owner = open_documents.owner();
        if computed.file.action != Action::Edit {
            // The disk applies these actions, and would leave unsaved text without a file.
            if !open_documents.all.iter().any(OpenDocument::holds_unsaved) {
                return Ok(None);
            }
            let what = &computed.file.action;
            let reason = format!("it holds unsaved text, which a {what} would leave without a file");
            return Err(self.refused(owner, reason));
        }
        let can = |editor: &Editor| editor.abilities.apply_edits || editor.abilities.apply_edit;
        let editor = self.editor(owner.buffer.id.session).filter(can);
        match (harm(&computed.observed), owner.buffer.blocked_reason, editor) {
            (None, None, Some(editor)) => {
                let part = self.through(computed, owner, editor);
                // Checked before the editor saves the file, because the editor would detect an error too late,
                // or write a file that must not be written.
                if part.save != Saving::No
                    && let Some(entry) = computed.observed.target.entry()
                {
                    self.disk.examine(&entry, None).map_err(|error| refusal_of(&error))?;
                }
                Ok(Some(part))
            }
            // The document has no unsaved text, so the file can be changed on disk.
            _ if owner.is_clean() => Ok(None),
            (Some(harm), ..) => Err(RefusalKind::Encoding { detail: harm.to_owned() }),
            (_, Some(blocked_reason), _) => Err(self.refused(owner, blocked_reason.to_string())),
            (_, _, None) => Err(self.refused(owner, "it cannot apply edits".to_owned())),
        }
    }

    /// Returns the refusal for a document that its editor cannot change.
    pub(crate) fn refused(&self, owner: &OpenDocument, reason: String) -> RefusalKind {
        RefusalKind::Editor(EditorRefusal::Refused { reason, editor: self.editor_name(owner) })
    }

    fn through(&self, computed: &ComputedChange, owner: &OpenDocument, editor: Editor) -> EditorPart {
        let buffer = owner.buffer.clone();
        let text = computed.observed.text.as_ref().map_or("", |text| text);
        let plan = if buffer.text.eq_str(text) {
            (*computed.file.plan).clone()
        } else {
            in_document(&buffer.text, &computed.file.plan.apply(text), self.deadline())
        };
        let mut after = buffer.text.clone();
        plan.apply_to(&mut after);
        let save = match (editor.abilities.save, owner.sync_state, self.config.save) {
            (false, ..) => Saving::No,
            (_, SyncState::Same, _) | (_, _, SaveMode::Always) => Saving::Yes,
            (_, _, SaveMode::Ask) => Saving::Ask,
            (_, _, SaveMode::Never) => Saving::No,
        };
        EditorPart { editor, buffer, plan, after, save }
    }

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

    pub(super) fn save_in(&self, session: SessionId, uris: &[String]) -> Option<String> {
        let client = self.clients.get(session).ok_or(EditorRequestError::Gone);
        match client.and_then(|client| wait_for(&mut client.save(uris), SAVE)) {
            // The file on disk shows whether the editor saved it.
            Ok(answer) => answer.reason,
            Err(error) => Some(error.reason(SAVE)),
        }
    }

    /// Asks the user whether to save the document. The change does not wait for the answer.
    pub(crate) fn ask_to_save(&self, buffer: &Buffer, author: &str) {
        let id = buffer.id.clone();
        let name = buffer.path.file_name().unwrap_or_default().to_string_lossy();
        let message = format!("{author} changed {name}, which held unsaved text. Save it?");
        let Some(client) = self.clients.get(id.session) else { return };
        let asked = client.ask_to_save(&message);
        tokio::spawn(async move {
            if asked.await.is_ok_and(|answer| answer.applied) {
                drop(client.save(&[id.uri]));
            }
        });
    }
}

/// Returns the plan that gives a document the wanted text, with the line endings of the document.
fn in_document(shown: &Text, wanted: &str, deadline: Deadline) -> Plan {
    let shown = shown.to_string();
    let folded = normalize_line_endings(wanted);
    let wanted =
        if eol_style(&shown) == EolStyle::Crlf { folded.replace('\n', "\r\n") } else { folded.into_owned() };
    Plan::between(&shown, &wanted, deadline)
}

/// Returns the damage that a save by the editor would do to the file. Editors use a single line ending per
/// file, and replace bytes that their encoding cannot decode.
fn harm(observed: &Observed) -> Option<&'static str> {
    let snapshot = observed.disk_snapshot()?;
    if snapshot.format.encoding == Encoding::Utf8Stray {
        let bytes = "some of its bytes are not text, and the editor that holds unsaved text of it would not keep them";
        return Some(bytes);
    }
    let disk = snapshot.text.to_string();
    matches!(eol_style(&disk), EolStyle::Mixed | EolStyle::Cr).then_some(
        "its line endings are mixed, and the editor that holds unsaved text of it would write all of them alike",
    )
}
