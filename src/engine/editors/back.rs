//! Undoing edits in documents, and keeping the text that was typed since.

use std::path::PathBuf;
use std::time::Duration;

use crate::edit::{Deadline, Plan};
use crate::engine::Engine;
use crate::engine::clients::{EditorReply, EditorRequestError, wait_for};
use crate::engine::editors::interrupted::Set;
use crate::engine::editors::{APPLY, Editor, EditorPart, Saving};
use crate::text::Text;
use crate::workspace::buffers::Buffer;
use crate::workspace::{EditorRefusal, Refusal, RefusalKind};

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
    editor: Editor,
    /// The document before the edit.
    buffer: Buffer,
    after: Text,
    inverse: Plan,
}

/// The outcome of undoing an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UndoOutcome {
    Undone,
    /// The editor does not apply the inverse edit.
    Refused,
    /// Text that was typed since touches the edit.
    TypedOver,
    /// The editor is gone.
    Gone,
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
            let EditedDocument { editor, buffer, after, inverse, .. } = document;
            let outcome = self.undo_edit(document);
            if matches!(outcome, UndoOutcome::Gone | UndoOutcome::Refused) {
                remaining = remaining.with(&buffer.path, after, inverse, true);
            }
            if matches!(outcome, UndoOutcome::TypedOver | UndoOutcome::Refused) {
                let path = buffer.path.display();
                tracing::error!(%path, editor = editor.name, "an edit in an editor could not be undone");
                stuck.push((buffer.path.clone(), editor.name.clone()));
            }
        }
        for document in unknown {
            remaining = remaining.with(&document.buffer.path, &document.after, &document.inverse, false);
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

    fn undo_edit(&self, document: &EditedDocument) -> UndoOutcome {
        for _ in 0..MAX_ATTEMPTS {
            let Some(now) = self.present(&document.buffer) else { return UndoOutcome::Gone };
            let inverse = (&document.after, &document.inverse);
            let Some(plan) = rebased_inverse(inverse, &now.text, self.deadline()) else {
                return UndoOutcome::TypedOver;
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
                return UndoOutcome::Undone;
            }
            // The session of an editor that has just disconnected may still be there.
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

fn still_changed(stuck: &[(PathBuf, String)]) -> Option<Refusal> {
    let (path, editor) = stuck.first()?;
    let paths: Vec<_> = stuck.iter().map(|(path, _)| path.display().to_string()).collect();
    let reason = format!(
        "another part of the change failed, and {editor} did not undo this one; still changed: {}",
        paths.join(", ")
    );
    let refusal = EditorRefusal::Unverified { reason, actual: None };
    Some(Refusal::at(path, RefusalKind::Editor(refusal)))
}

/// Rebases the inverse plan of an edit onto the current text of its document. Returns `None` if text that was
/// typed since touches the edit.
fn rebased_inverse((after, inverse): (&Text, &Plan), now: &Text, deadline: Deadline) -> Option<Plan> {
    if now == after {
        return Some(inverse.clone());
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
