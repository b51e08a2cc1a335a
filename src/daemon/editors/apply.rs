//! Handing edits to editors, and making sure of what they did.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::protocol::{APPLY_EDITS, ApplyEditsParams, DocumentEdits, DocumentsResult};
use crate::text::{ContentHash, Text};
use crate::workspace::buffers::Buffer;
use crate::workspace::{EditorRefusal, Refusal, RefusalKind, SessionId};

use crate::daemon::Core;
use crate::daemon::commit::Due;
use crate::daemon::difference::stale;
use crate::daemon::event::Event;

use super::back::{Done, Edited, Side, side};
use super::interrupted::Set;
use super::{APPLY, EditorPart, EditorsEvent, LOOK, SETTLE, Saving, Silence, answer};

/// LSP's own request to apply an edit.
const APPLY_EDIT: &str = "workspace/applyEdit";

/// What one request is about.
struct Order<'d> {
    parts: Vec<&'d Due>,
}

/// Why an order was not carried out.
struct Undone {
    /// Position among the parts of the order.
    part: usize,
    refusal: EditorRefusal,
    /// Documents that hold the edit.
    reached: Vec<Done>,
    /// Documents of which nobody knows whether they hold the edit now.
    unknown: Vec<Done>,
}

impl Core {
    /// Hands all changes to their editors, or none: what some have applied is taken back when another does not.
    pub(crate) fn edit_in_editors(&self, due: &[Due], id: &str, label: &str) -> Result<Edited, Refusal> {
        let mut edited = Edited { transaction: id.to_owned(), ..Edited::default() };
        let orders = orders(due);
        if due.len() > 1 && !orders.is_empty() {
            edited.noted = true;
            self.interrupted.begin(&noted(due, id)).map_err(|error| not_noted(due, &error))?;
        }
        for order in orders {
            match self.carry_out_order(&order, id, label) {
                Ok(done) => edited.done.extend(done),
                Err(undone) => {
                    edited.done.extend(undone.reached);
                    let left = self.take_back(&edited, &undone.unknown);
                    return Err(
                        left.unwrap_or_else(|| self.why_not_edited(order.parts[undone.part], undone.refusal))
                    );
                }
            }
        }
        Ok(edited)
    }

    /// The whole set has happened.
    pub(crate) fn edited_for_good(&self, edited: &Edited) {
        if edited.noted {
            self.interrupted.end(&edited.transaction);
        }
    }

    fn carry_out_order(&self, order: &Order<'_>, id: &str, label: &str) -> Result<Vec<Done>, Undone> {
        let parts: Vec<_> = order.parts.iter().filter_map(|due| due.through.as_ref()).collect();
        let Some(first) = parts.first() else { return Ok(Vec::new()) };
        let session = first.buffer.id.session;
        let expected: Vec<_> = parts.iter().map(|part| self.expect(part)).collect();
        let (method, params) = request(&parts, id, label);
        let answered = self.ask_to_apply(session, (method, params), &parts, id);
        let (mut reached, mut failed) = (Vec::new(), None);
        for (index, (part, number)) in parts.iter().zip(&expected).enumerate() {
            match self.verify(part, *number, &answered) {
                Ok(()) => reached.push(Done::of(part)),
                Err(refusal) => failed = failed.or(Some((index, refusal))),
            }
            self.books.send(Event::Editors(EditorsEvent::Forget { number: *number }));
        }
        let Some((part, refusal)) = failed else { return Ok(reached) };
        let gone = matches!(answered, Err(Silence::Gone));
        let unknown = parts.iter().filter(|_| gone).map(|part| Done::of(part)).collect();
        Err(Undone { part, refusal, reached, unknown })
    }

    pub(super) fn expect(&self, part: &EditorPart) -> u64 {
        let (id, text) = (part.buffer.id.clone(), part.after.clone());
        self.ask_editors(|reply| EditorsEvent::Expect { id, text, reply }).unwrap_or_default()
    }

    /// Asks, and sees to it that an editor that applies the edits after nobody waits any more puts them back.
    fn ask_to_apply(
        &self,
        session: SessionId,
        (method, params): (&'static str, Value),
        parts: &[&EditorPart],
        id: &str,
    ) -> Result<DocumentsResult, Silence> {
        let mut asked = self.clients.request(session, method, params).ok_or(Silence::Gone)?;
        let answered = answer(&mut asked, APPLY);
        if matches!(answered, Err(Silence::Late)) {
            let done = parts.iter().map(|part| Done::of(part)).collect();
            self.take_back_when_late(asked, Edited { done, transaction: id.to_owned(), noted: false });
        }
        answered.map(said)
    }

    /// Whether the document has come to hold what it was to hold, whatever its editor says.
    pub(super) fn verify(
        &self,
        part: &EditorPart,
        number: u64,
        answered: &Result<DocumentsResult, Silence>,
    ) -> Result<(), EditorRefusal> {
        let editor = part.editor.name.clone();
        let refused = |reason: String| EditorRefusal::Refused { reason, editor: editor.clone() };
        let patience = match answered {
            Ok(result) if result.applied => SETTLE,
            // It may have been quick all the same.
            _ => Duration::ZERO,
        };
        let denied = matches!(answered, Ok(result) if !result.applied);
        if self.reaches(number, patience) && !(denied && self.is_taken_back(part)) {
            return Ok(());
        }
        match answered {
            Err(silence) => return Err(refused(silence.reason(APPLY))),
            Ok(result) if !result.applied => {
                let reason = result.reason.clone().unwrap_or_else(|| "it gave no reason".to_owned());
                return Err(refused(reason.trim_end_matches('.').to_owned()));
            }
            Ok(_) => {}
        }
        let Some(now) = self.present(&part.buffer) else {
            return Err(refused("it closed the document".to_owned()));
        };
        let back = part.plan.invert(&part.buffer.text.to_string());
        match side(&part.after, &back, &now.text, self.deadline()) {
            // What was typed meanwhile came with the edit.
            Side::After => Ok(()),
            Side::Before => Err(refused("it said that it applied the edit, and did not".to_owned())),
            Side::Unclear => Err(EditorRefusal::Unverified {
                reason: format!("{editor} has changed the document, but not as it was asked to"),
                actual: Some(hash_of(&now.text)),
            }),
        }
    }

    /// Whether a document that has held the edit is again what it was.
    fn is_taken_back(&self, part: &EditorPart) -> bool {
        self.present(&part.buffer).is_some_and(|now| now.text == part.buffer.text)
    }

    fn reaches(&self, number: u64, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            if self.ask_editors(|reply| EditorsEvent::Reached { number, reply }).unwrap_or_default() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(LOOK);
        }
    }

    pub(super) fn present(&self, buffer: &Buffer) -> Option<Buffer> {
        let (path, key) = (buffer.path.clone(), buffer.key.clone());
        let copies = self.ask_editors(|reply| EditorsEvent::OpenCopies { path, key, reply })?;
        copies.into_iter().find(|copy| copy.id == buffer.id)
    }

    /// A person who typed meanwhile has made the change one of an older text.
    fn why_not_edited(&self, due: &Due, refusal: EditorRefusal) -> Refusal {
        let file = &due.worked.file;
        let refused = Refusal::at(&file.path, RefusalKind::Editor(refusal)).of_change(due.index);
        let Ok(now) = self.observe(due.worked.observed.target.clone()) else { return refused };
        let moved = now.truth.hash() != file.hash_before;
        if moved && matches!(refused.kind, RefusalKind::Editor(EditorRefusal::Refused { .. })) {
            let kind = stale(file.before.as_deref(), &now, self.deadline());
            return Refusal::at(&file.path, kind).of_change(due.index);
        }
        refused
    }
}

/// What is noted of a set before its first document is edited.
fn noted(due: &[Due], id: &str) -> Set {
    let hash = |due: &Due| due.worked.file.hash_after.map(|hash| hash.to_string());
    let end = |due: &Due| due.to.as_ref().map_or(&due.worked.file.path, |to| &to.path).clone();
    let on_disk = due.iter().filter(|due| due.through.is_none());
    let set = Set::new(id, on_disk.map(|due| (end(due), hash(due))).collect());
    due.iter().filter_map(|due| due.through.as_ref()).fold(set, |set, part| {
        set.with(&part.buffer.path, &part.after, &part.plan.invert(&part.buffer.text.to_string()), true)
    })
}

fn not_noted(due: &[Due], error: &std::io::Error) -> Refusal {
    let kind = RefusalKind::Disk {
        operation: "note what is about to be changed beside",
        errno: error.raw_os_error(),
        detail: error.to_string(),
        required: None,
        available: None,
    };
    match due.first() {
        Some(due) => Refusal::at(&due.worked.file.path, kind),
        None => Refusal::new(kind),
    }
}

/// One request for all documents of an editor that can check them all, else one for each.
fn orders(due: &[Due]) -> Vec<Order<'_>> {
    let mut orders: Vec<Order<'_>> = Vec::new();
    for due in due {
        let Some(part) = &due.through else { continue };
        let is_same = |order: &&mut Order<'_>| {
            let first = order.parts.first().and_then(|due| due.through.as_ref());
            part.editor.abilities.apply_edits
                && first.is_some_and(|first| first.buffer.id.session == part.buffer.id.session)
        };
        match orders.iter_mut().find(is_same) {
            Some(order) => order.parts.push(due),
            None => orders.push(Order { parts: vec![due] }),
        }
    }
    orders
}

pub(super) fn request(parts: &[&EditorPart], id: &str, label: &str) -> (&'static str, Value) {
    let ours = parts.first().is_some_and(|part| part.editor.abilities.apply_edits);
    if ours {
        let documents = parts.iter().map(|part| DocumentEdits {
            uri: part.buffer.id.uri.clone(),
            version: part.buffer.version,
            base_hash: hash_of(&part.buffer.text).to_string(),
            edits: part.edits.clone(),
            save: part.save == Saving::Yes,
        });
        let (id, label) = (id.to_owned(), label.to_owned());
        return (APPLY_EDITS, json!(ApplyEditsParams { id, label, documents: documents.collect() }));
    }
    // Not by LSP's types: an editor's spelling of a URI need not be one in their eyes.
    let standard = |part: &&EditorPart| {
        let document = json!({ "uri": part.buffer.id.uri, "version": part.buffer.version });
        json!({ "textDocument": document, "edits": part.edits })
    };
    let edit = json!({ "documentChanges": parts.iter().map(standard).collect::<Value>() });
    (APPLY_EDIT, json!({ "label": label, "edit": edit }))
}

pub(super) fn said(value: Value) -> DocumentsResult {
    let reason = value["failureReason"].as_str().map(str::to_owned);
    let result: DocumentsResult = serde_json::from_value(value).unwrap_or_default();
    DocumentsResult { reason: result.reason.or(reason), ..result }
}

fn hash_of(text: &Text) -> ContentHash {
    ContentHash::of_chunks(text.hash_input())
}
