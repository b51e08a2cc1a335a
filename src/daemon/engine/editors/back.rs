//! Undoing edits in documents, and keeping the text that was typed since.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::clients::{EditorReply, EditorRequestError, wait_for};
use crate::engine::editors::interrupted::Set;
use crate::engine::editors::{APPLY, Editor, EditorPart, Saving};
use editd_edit::{Deadline, Plan};
use editd_text::Text;
use editd_workspace::buffers::Buffer;
use editd_workspace::{EditorRefusal, Refusal, RefusalKind};

/// Maximum number of attempts to undo an edit while the user is typing.
const MAX_ATTEMPTS: usize = 5;

/// Time for which an editor is watched that did not answer before the timeout.
const LATE: Duration = Duration::from_secs(5 * 60);

/// Interval between checks of such an editor.
const LATE_INTERVAL: Duration = Duration::from_millis(250);

/// The documents of a change set that have their edits.
#[derive(Debug, Default)]
pub(crate) struct Edited {
    pub(crate) documents: Vec<EditedDocument>,
    pub(crate) transaction: String,
    /// `true` if the set was recorded in case of an interruption.
    pub(crate) recorded: bool,
}

/// A document after an edit, with the inverse plan.
#[derive(Clone, Debug)]
pub(crate) struct EditedDocument {
    pub(super) editor: Editor,
    /// The document before the edit.
    pub(super) buffer: Buffer,
    pub(super) after: Text,
    pub(super) inverse: Plan,
}

/// The outcome of undoing an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UndoOutcome {
    Undone,
    /// The editor does not apply the inverse edit, or the file could not be written.
    Refused,
    /// Text that was typed since touches the edit.
    TypedOver,
    /// The editor has the old text again, but not the file on disk: the user had saved the edit.
    Unsaved,
    /// The editor is gone. The file on disk does not have the edit, but the document may.
    Gone,
    /// The editor is gone, and the edit that was saved is undone on disk. The document may come back with it.
    UndoneOnDisk,
}

/// The side of an edit that a document shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The document has the edit, whatever was typed elsewhere.
    After,
    /// The document does not have the edit.
    Before,
    /// Text was typed at the location of the edit.
    Unclear,
}

impl Engine {
    /// Undoes edits in documents, and keeps the text that was typed since. If the editor of a document is
    /// gone or refuses, or if it is unknown whether the document has the edit, the edit is recorded to be
    /// undone later. Returns a refusal that lists the documents that still have their edit.
    pub(crate) fn undo_edits(&self, edited: &Edited, unknown: &[EditedDocument]) -> Option<Refusal> {
        let (mut remaining, mut stuck) = (Set::new(&edited.transaction, Vec::new()), Vec::new());
        for document in edited.documents.iter().rev() {
            let outcome = self.undo_edit(document);
            match outcome {
                UndoOutcome::Gone | UndoOutcome::Refused => remaining = remaining.with(document, true),
                UndoOutcome::Unsaved | UndoOutcome::UndoneOnDisk => {
                    remaining = remaining.with(document, false);
                }
                UndoOutcome::Undone | UndoOutcome::TypedOver => {}
            }
            if matches!(outcome, UndoOutcome::Refused | UndoOutcome::TypedOver | UndoOutcome::Unsaved) {
                let EditedDocument { editor, buffer, .. } = document;
                let path = buffer.path.display();
                tracing::error!(%path, editor = editor.name, ?outcome, "an edit in an editor was not undone");
                stuck.push((buffer.path.clone(), editor.name.clone(), outcome));
            }
        }
        for document in unknown {
            // The user may have saved the edit before the connection was lost.
            if self.present(&document.buffer).is_none() {
                self.undo_on_disk(&document.buffer.path, &document.after, &document.inverse);
            }
            remaining = remaining.with(document, false);
        }
        if !remaining.documents.is_empty() {
            self.interrupted.keep(remaining);
        } else if edited.recorded {
            self.interrupted.end(&edited.transaction);
        }
        still_changed(&stuck)
    }

    /// Undoes an edit in a document whose editor is connected again.
    pub(crate) fn undo_edit_in(&self, buffer: Buffer, after: Text, inverse: Plan) -> UndoOutcome {
        let Some(editor) = self.editor(buffer.id.session) else { return UndoOutcome::Gone };
        self.undo_edit(&EditedDocument { editor, buffer, after, inverse })
    }

    /// Undoes an edit in its document, and in the file on disk if the user has saved it.
    fn undo_edit(&self, document: &EditedDocument) -> UndoOutcome {
        let outcome = self.undo_in_document(document);
        if outcome != UndoOutcome::Gone || self.present(&document.buffer).is_some() {
            return outcome;
        }
        let is_closed = self.editor(document.buffer.id.session).is_some();
        match self.undo_on_disk(&document.buffer.path, &document.after, &document.inverse) {
            // The user has closed the document, without saving it or after typing over the edit.
            None if is_closed => UndoOutcome::Undone,
            None => UndoOutcome::Gone,
            Some(UndoOutcome::Undone) if !is_closed => UndoOutcome::UndoneOnDisk,
            Some(outcome) => outcome,
        }
    }

    fn undo_in_document(&self, document: &EditedDocument) -> UndoOutcome {
        for _ in 0..MAX_ATTEMPTS {
            let Some(now) = self.present(&document.buffer) else { return UndoOutcome::Gone };
            let inverse = (&document.after, &document.inverse);
            let Some(plan) = rebased_inverse(inverse, &now.text, self.deadline()) else {
                let EditedDocument { buffer, after, inverse, .. } = document;
                let is_undone = now.text.eq_str(&inverse.apply(&after.to_string()))
                    && !self.is_on_disk(&buffer.path, after, inverse);
                return if is_undone { UndoOutcome::Undone } else { UndoOutcome::TypedOver };
            };
            let mut after = now.text.clone();
            plan.apply_to(&mut after);
            let (editor, before) = (document.editor.clone(), now.text.clone());
            let part = EditorPart { editor, buffer: now, plan, after, save: Saving::No };
            let number = self.expect(&part);
            let client = self.clients.get(document.buffer.id.session).ok_or(EditorRequestError::Gone);
            let answered = client
                .and_then(|client| wait_for(&mut client.apply_edits(&[&part], "", "editd: undone"), APPLY));
            let is_undone = self.verify(&part, number, &answered).is_ok();
            self.workspace.update(|w| w.buffers.forget(number));
            if is_undone {
                return self.save_undone(document);
            }
            if matches!(answered, Err(EditorRequestError::Gone)) {
                return UndoOutcome::Gone;
            }
            // Try again only if the user typed in the meantime.
            if self.present(&document.buffer).is_some_and(|now| now.text == before) {
                return UndoOutcome::Refused;
            }
        }
        UndoOutcome::Refused
    }

    /// Watches an editor that did not answer before the timeout. If it applies the edits after all, they are
    /// undone.
    pub(crate) fn undo_late_edits(&self, mut reply: EditorReply, edited: Edited) {
        let engine = self.clone();
        tokio::spawn(async move {
            let deadline = tokio::time::Instant::now() + LATE;
            while tokio::time::Instant::now() < deadline {
                let answered = tokio::time::timeout(LATE_INTERVAL, &mut reply).await;
                if matches!(answered, Ok(Err(EditorRequestError::Gone))) {
                    let none = Edited { transaction: edited.transaction.clone(), ..Edited::default() };
                    drop(engine.undo_edits(&none, &edited.documents));
                    return;
                }
                if edited.documents.iter().any(|document| engine.has_edit(document)) {
                    let _ = tokio::task::spawn_blocking(move || drop(engine.undo_edits(&edited, &[]))).await;
                    return;
                }
                if answered.is_ok() {
                    return;
                }
            }
        });
    }

    /// Returns `true` if a document has changed and now has its edit.
    fn has_edit(&self, document: &EditedDocument) -> bool {
        self.present(&document.buffer).is_some_and(|now| {
            let changed = now.version != document.buffer.version;
            changed && side(&document.after, &document.inverse, &now.text, self.deadline()) == Side::After
        })
    }
}

impl EditedDocument {
    pub(crate) fn of(part: &EditorPart) -> Self {
        Self {
            editor: part.editor.clone(),
            buffer: part.buffer.clone(),
            after: part.after.clone(),
            inverse: part.plan.invert(&part.buffer.text.to_string()),
        }
    }
}

fn still_changed(stuck: &[(PathBuf, String, UndoOutcome)]) -> Option<Refusal> {
    let (path, editor, outcome) = stuck.first()?;
    let paths: Vec<_> = stuck.iter().map(|(path, ..)| path.display().to_string()).collect();
    let why = if *outcome == UndoOutcome::Unsaved {
        format!("{editor} had saved this one and has not saved the old text, which it shows again")
    } else {
        format!("{editor} did not undo this one")
    };
    let reason = format!("another part of the change failed, and {why}; still changed: {}", paths.join(", "));
    let refusal = EditorRefusal::Unverified { reason, actual: None };
    Some(Refusal::at(path, RefusalKind::Editor(refusal)))
}

/// Rebases the inverse plan of an edit onto the current text of its document. Returns `None` if text that was
/// typed since touches the edit.
pub(super) fn rebased_inverse(
    (after, inverse): (&Text, &Plan),
    now: &Text,
    deadline: Deadline,
) -> Option<Plan> {
    if now == after {
        return Some(inverse.clone());
    }
    // A difference between texts with repeated lines may spare the edit.
    if now.eq_str(&inverse.apply(&after.to_string())) {
        return None;
    }
    inverse.rebase_adjacent(&Plan::between(&after.to_string(), &now.to_string(), deadline))
}

/// Returns the side of an edit that a text shows, even if the user has typed since.
pub(crate) fn side(after: &Text, inverse: &Plan, now: &Text, deadline: Deadline) -> Side {
    if rebased_inverse((after, inverse), now, deadline).is_some() {
        return Side::After;
    }
    let text = after.to_string();
    let before = Text::from(inverse.apply(&text).as_str());
    let edit = inverse.invert(&text);
    if rebased_inverse((&before, &edit), now, deadline).is_some() { Side::Before } else { Side::Unclear }
}
