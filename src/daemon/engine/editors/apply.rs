//! Sending edits to editors, and verifying the results.

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::history_recording::not_recorded;
use crate::engine::change::rebase::stale;
use crate::engine::clients::{EditorAnswer, EditorRequestError, wait_for};
use crate::engine::editors::back::{Edited, EditedDocument, Side, side};
use crate::engine::editors::interrupted::Set;
use crate::engine::editors::{APPLY, EditorPart, POLL_INTERVAL, SETTLE};
use editd_text::ContentHash;
use editd_workspace::buffers::Buffer;
use editd_workspace::{EditorRefusal, Refusal, RefusalKind, SessionId};

/// The changes that one request to an editor contains.
type EditOrder<'d> = Vec<&'d PendingWrite>;

/// The failure of an order.
struct OrderError {
    /// Index of the failed part in the order.
    part: usize,
    refusal: EditorRefusal,
    /// Documents that have their edit.
    edited: Vec<EditedDocument>,
    /// Documents that may or may not have their edit.
    unknown: Vec<EditedDocument>,
}

impl Engine {
    /// Applies all edits in their editors, or none: if one editor fails, the edits of the others are undone.
    pub(crate) fn edit_in_editors(
        &self,
        writes: &[PendingWrite],
        id: &str,
        label: &str,
    ) -> Result<Edited, Refusal> {
        let mut edited = Edited { transaction: id.to_owned(), ..Edited::default() };
        let orders = orders(writes);
        if writes.len() > 1 && !orders.is_empty() {
            edited.recorded = true;
            let set = interruptible_set(writes, id);
            let operation = "record the change in the state folder before changing";
            self.interrupted.begin(&set).map_err(|error| not_recorded(operation, writes, &error))?;
        }
        for order in orders {
            match self.carry_out_order(&order, id, label) {
                Ok(documents) => edited.documents.extend(documents),
                Err(error) => {
                    edited.documents.extend(error.edited);
                    let still_edited = self.undo_edits(&edited, &error.unknown);
                    return Err(
                        still_edited.unwrap_or_else(|| self.edit_refusal(order[error.part], error.refusal))
                    );
                }
            }
        }
        Ok(edited)
    }

    fn carry_out_order(
        &self,
        order: &[&PendingWrite],
        id: &str,
        label: &str,
    ) -> Result<Vec<EditedDocument>, OrderError> {
        let parts: Vec<_> = order.iter().filter_map(|write| write.through.as_ref()).collect();
        let Some(first) = parts.first() else { return Ok(Vec::new()) };
        let session = first.buffer.id.session;
        let expected: Vec<_> = parts.iter().map(|part| self.expect(part)).collect();
        let answered = self.ask_to_apply(session, &parts, id, label);
        let (mut edited, mut failed) = (Vec::new(), None);
        for (index, (part, number)) in parts.iter().zip(&expected).enumerate() {
            match self.verify(part, *number, &answered) {
                Ok(()) => edited.push(EditedDocument::of(part)),
                Err(refusal) => failed = failed.or(Some((index, refusal))),
            }
            self.workspace.update(|w| w.buffers.forget(*number));
        }
        let Some((part, refusal)) = failed else { return Ok(edited) };
        let gone = matches!(answered, Err(EditorRequestError::Gone));
        let unknown = parts.iter().filter(|_| gone).map(|part| EditedDocument::of(part)).collect();
        Err(OrderError { part, refusal, edited, unknown })
    }

    /// Registers the expected text of a document with the workspace state. Returns the number of the
    /// expectation.
    pub(crate) fn expect(&self, part: &EditorPart) -> u64 {
        let (id, text) = (part.buffer.id.clone(), part.after.clone());
        self.workspace.update(|w| w.buffers.expect(id, text))
    }

    /// Sends the request. If the editor applies the edits after the timeout, they are undone then.
    fn ask_to_apply(
        &self,
        session: SessionId,
        parts: &[&EditorPart],
        id: &str,
        label: &str,
    ) -> Result<EditorAnswer, EditorRequestError> {
        let client = self.clients.get(session).ok_or(EditorRequestError::Gone)?;
        let mut reply = client.apply_edits(parts, id, label);
        let answered = wait_for(&mut reply, APPLY);
        if matches!(answered, Err(EditorRequestError::Late)) {
            let documents = parts.iter().map(|part| EditedDocument::of(part)).collect();
            let edited = Edited { documents, transaction: id.to_owned(), recorded: false };
            self.undo_late_edits(reply, edited);
        }
        answered
    }

    /// Checks that the document has the new text, whatever its editor reported.
    pub(crate) fn verify(
        &self,
        part: &EditorPart,
        number: u64,
        answered: &Result<EditorAnswer, EditorRequestError>,
    ) -> Result<(), EditorRefusal> {
        let editor = part.editor.name.clone();
        let refused = |reason: String| EditorRefusal::Refused { reason, editor: editor.clone() };
        let problem = match answered {
            Ok(result) if result.applied => None,
            Ok(result) => {
                let reason = result.reason.as_deref().unwrap_or("it gave no reason");
                Some(reason.trim_end_matches('.').to_owned())
            }
            Err(error) => Some(error.reason(APPLY)),
        };
        // The editor may have applied the edit in spite of a problem, so check once.
        let patience = if problem.is_none() { SETTLE } else { Duration::ZERO };
        let is_undone = || self.present(&part.buffer).is_some_and(|now| now.text == part.buffer.text);
        let denied = answered.is_ok() && problem.is_some();
        if self.reaches(number, patience) && !(denied && is_undone()) {
            return Ok(());
        }
        if let Some(problem) = problem {
            return Err(refused(problem));
        }
        let Some(now) = self.present(&part.buffer) else {
            return Err(refused("it closed the document".to_owned()));
        };
        let inverse = part.plan.invert(&part.buffer.text.to_string());
        match side(&part.after, &inverse, &now.text, self.deadline()) {
            // The user typed at the same time as the edit.
            Side::After => Ok(()),
            Side::Before => Err(refused("it reported that it applied the edit, but did not".to_owned())),
            Side::Unclear => Err(EditorRefusal::Unverified {
                reason: format!("{editor} has changed the document, but not as requested"),
                actual: Some(ContentHash::of_chunks(now.text.chunks().map(str::as_bytes))),
            }),
        }
    }

    fn reaches(&self, number: u64, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            if self.workspace.update(|w| w.buffers.has_reached(number)) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Returns the current state of a document; `None` if it was closed.
    pub(crate) fn present(&self, buffer: &Buffer) -> Option<Buffer> {
        self.workspace.update(|w| w.buffers.get(&buffer.id).cloned())
    }

    /// Returns the refusal for an edit that an editor did not apply. If the user typed in the meantime, the
    /// change is stale.
    fn edit_refusal(&self, write: &PendingWrite, refusal: EditorRefusal) -> Refusal {
        let file = &write.computed.file;
        let refused = Refusal::at(&file.path, RefusalKind::Editor(refusal)).of_change(write.index);
        let Ok(now) = self.observe(write.computed.observed.target.clone()) else { return refused };
        let moved = now.content.hash() != file.hash_before;
        if moved && matches!(refused.kind, RefusalKind::Editor(EditorRefusal::Refused { .. })) {
            let kind = stale(file.before.as_deref(), &now, self.deadline());
            return Refusal::at(&file.path, kind).of_change(write.index);
        }
        refused
    }
}

/// Returns the record of a set that is stored before its first document is edited.
fn interruptible_set(writes: &[PendingWrite], id: &str) -> Set {
    let hash = |write: &PendingWrite| write.computed.file.hash_after.map(|hash| hash.to_string());
    let final_path =
        |write: &PendingWrite| write.to.as_ref().map_or(&write.computed.file.path, |to| &to.path).clone();
    let on_disk = writes.iter().filter(|write| write.through.is_none());
    let set = Set::new(id, on_disk.map(|write| (final_path(write), hash(write))).collect());
    writes
        .iter()
        .filter_map(|write| write.through.as_ref())
        .fold(set, |set, part| set.with(&EditedDocument::of(part), true))
}

/// Groups the edits into requests: one per editor if it can check all its documents before it edits the
/// first, otherwise one per document.
fn orders(writes: &[PendingWrite]) -> Vec<EditOrder<'_>> {
    let mut orders: Vec<EditOrder<'_>> = Vec::new();
    for write in writes {
        let Some(part) = &write.through else { continue };
        let is_same = |order: &&mut EditOrder<'_>| {
            let first = order.first().and_then(|write| write.through.as_ref());
            part.editor.abilities.apply_edits
                && first.is_some_and(|first| first.buffer.id.session == part.buffer.id.session)
        };
        match orders.iter_mut().find(is_same) {
            Some(order) => order.push(write),
            None => orders.push(vec![write]),
        }
    }
    orders
}
