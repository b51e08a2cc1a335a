//! Handing edits to editors, and making sure of what they did.

use std::time::{Duration, Instant};

use lsp_types::{
    ApplyWorkspaceEditParams, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    TextDocumentEdit, WorkspaceEdit,
};
use serde_json::{Value, json};

use crate::edit::{Deadline, Plan};
use crate::protocol::{APPLY_EDITS, ApplyEditsParams, DocumentEdits, DocumentsResult, text_edits};
use crate::text::{ContentHash, Text};
use crate::workspace::buffers::Buffer;
use crate::workspace::{EditorRefusal, Refusal, RefusalKind, SessionId};

use crate::daemon::Core;
use crate::daemon::commit::Due;
use crate::daemon::difference::stale;
use crate::daemon::event::Event;

use super::interrupted::Set;
use super::settle::{Side, side};
use super::{APPLY, Editor, EditorPart, EditorsEvent, LOOK, SETTLE, Saving, Silence, answer};

/// LSP's own request to apply an edit.
const APPLY_EDIT: &str = "workspace/applyEdit";
/// How often an edit is put back on top of what a person types meanwhile.
const TAKE_BACKS: usize = 5;

/// Documents that hold what they were to hold.
#[derive(Debug, Default)]
pub(crate) struct Edited {
    done: Vec<Done>,
    transaction: String,
    /// Whether it was noted, should the set be interrupted.
    noted: bool,
}

/// One document after an edit of ours, with the way back.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    session: SessionId,
    editor: Editor,
    buffer: Buffer,
    after: Text,
    back: Plan,
}

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
                    self.take_back(&edited, &undone.unknown);
                    return Err(self.why_not_edited(order.parts[undone.part], undone.refusal));
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
        let answered = self.ask_to_apply(session, (method, params), &parts);
        let (mut reached, mut failed) = (Vec::new(), None);
        for (index, (part, number)) in parts.iter().zip(&expected).enumerate() {
            match self.verify(part, *number, &answered) {
                Ok(()) => reached.push(Done::of(part)),
                Err(refusal) => failed = failed.or(Some((index, refusal))),
            }
            self.books.send(Event::Editors(EditorsEvent::Unexpect { number: *number }));
        }
        let Some((part, refusal)) = failed else { return Ok(reached) };
        let gone = matches!(answered, Err(Silence::Gone));
        let unknown = parts.iter().filter(|_| gone).map(|part| Done::of(part)).collect();
        Err(Undone { part, refusal, reached, unknown })
    }

    fn expect(&self, part: &EditorPart) -> u64 {
        let (id, text) = (part.buffer.id.clone(), part.after.clone());
        self.ask_editors(|reply| EditorsEvent::Expect { id, text, reply }).unwrap_or_default()
    }

    /// Asks, and sees to it that an editor that applies the edits after nobody waits any more puts them back.
    fn ask_to_apply(
        &self,
        session: SessionId,
        (method, params): (&'static str, Value),
        parts: &[&EditorPart],
    ) -> Result<DocumentsResult, Silence> {
        let mut asked = self.clients.request(session, method, params).ok_or(Silence::Gone)?;
        match answer(&mut asked, APPLY) {
            Ok(value) => Ok(said(value)),
            Err(Silence::Late) => {
                let (core, done) = (self.clone(), parts.iter().map(|part| Done::of(part)).collect());
                let edited = Edited { done, ..Edited::default() };
                tokio::spawn(async move {
                    if let Ok(Ok(value)) = asked.await
                        && said(value).applied
                    {
                        let _ = tokio::task::spawn_blocking(move || core.take_back(&edited, &[])).await;
                    }
                });
                Err(Silence::Late)
            }
            Err(silence) => Err(silence),
        }
    }

    /// Whether the document has come to hold what it was to hold, whatever its editor says.
    fn verify(
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
        if self.reaches(number, patience) {
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

    fn present(&self, buffer: &Buffer) -> Option<Buffer> {
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

    /// Gives documents the text again that they had, beside what was typed since. Those whose editor is gone
    /// wait for it; so do those that may hold the edit.
    pub(crate) fn take_back(&self, edited: &Edited, unknown: &[Done]) {
        let mut left = Set::new(&edited.transaction, Vec::new());
        for done in edited.done.iter().rev() {
            match self.take_back_one(done) {
                TakenBack::Yes => {}
                TakenBack::Gone => left = left.with(&done.buffer.path, &done.after, &done.back, true),
                TakenBack::No => {
                    let (path, editor) = (done.buffer.path.display(), &done.editor.name);
                    tracing::error!(%path, editor, "an edit in an editor could not be taken back");
                }
            }
        }
        for done in unknown {
            left = left.with(&done.buffer.path, &done.after, &done.back, false);
        }
        if !left.is_empty() {
            self.interrupted.keep(left);
        } else if edited.noted {
            self.interrupted.end(&edited.transaction);
        }
    }

    /// A document that holds an edit which is to be taken back, where its editor is there again.
    pub(super) fn take_back_from(&self, buffer: Buffer, after: Text, back: Plan) -> TakenBack {
        let session = buffer.id.session;
        let Some(editor) = self.editor(session) else { return TakenBack::Gone };
        self.take_back_one(&Done { session, editor, buffer, after, back })
    }

    fn take_back_one(&self, done: &Done) -> TakenBack {
        for _ in 0..TAKE_BACKS {
            let Some(now) = self.present(&done.buffer) else { return TakenBack::Gone };
            let Some(plan) = carried((&done.after, &done.back), &now.text, self.deadline()) else {
                return TakenBack::No;
            };
            let mut after = now.text.clone();
            plan.apply_to(&mut after);
            let edits = text_edits(&now.text, &plan, now.encoding);
            let editor = done.editor.clone();
            let part = EditorPart { editor, buffer: now, plan, edits, after, save: Saving::No };
            let number = self.expect(&part);
            let (method, params) = request(&[&part], "", "editd: taken back");
            let mut asked = self.clients.request(done.session, method, params);
            let answered = asked.as_mut().map_or(Err(Silence::Gone), |asked| answer(asked, APPLY).map(said));
            let back = self.verify(&part, number, &answered).is_ok();
            self.books.send(Event::Editors(EditorsEvent::Unexpect { number }));
            if back {
                return TakenBack::Yes;
            }
        }
        TakenBack::No
    }
}

impl Done {
    fn of(part: &EditorPart) -> Self {
        Self {
            session: part.buffer.id.session,
            editor: part.editor.clone(),
            buffer: part.buffer.clone(),
            after: part.after.clone(),
            back: part.plan.invert(&part.buffer.text.to_string()),
        }
    }
}

/// What became of an edit that was to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenBack {
    Yes,
    /// What was typed touches it, or the editor does not do it.
    No,
    /// The editor is gone.
    Gone,
}

/// The way back from a text over what a document holds now; nothing if what was typed touches it.
pub(super) fn carried((after, back): (&Text, &Plan), now: &Text, deadline: Deadline) -> Option<Plan> {
    if now == after {
        return Some(back.clone());
    }
    back.map_beside(&Plan::between(&after.to_string(), &now.to_string(), deadline))
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

fn request(parts: &[&EditorPart], id: &str, label: &str) -> (&'static str, Value) {
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
    let edit = WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(
            parts.iter().filter_map(|part| standard(part)).collect(),
        )),
        ..WorkspaceEdit::default()
    };
    (APPLY_EDIT, json!(ApplyWorkspaceEditParams { label: Some(label.to_owned()), edit }))
}

fn standard(part: &EditorPart) -> Option<TextDocumentEdit> {
    let uri = part.buffer.id.uri.parse().ok()?;
    Some(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: Some(part.buffer.version) },
        edits: part.edits.iter().cloned().map(OneOf::Left).collect(),
    })
}

fn said(value: Value) -> DocumentsResult {
    let reason = value["failureReason"].as_str().map(str::to_owned);
    let result: DocumentsResult = serde_json::from_value(value).unwrap_or_default();
    DocumentsResult { reason: result.reason.or(reason), ..result }
}

fn hash_of(text: &Text) -> ContentHash {
    ContentHash::of_chunks(text.hash_input())
}
