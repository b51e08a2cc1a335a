//! Giving documents their old text again, around whatever was typed since.

use std::path::PathBuf;
use std::time::Duration;

use crate::edit::{Deadline, Plan};
use crate::protocol::text_edits;
use crate::text::Text;
use crate::workspace::buffers::Buffer;
use crate::workspace::{EditorRefusal, Refusal, RefusalKind, SessionId};

use crate::daemon::Core;
use crate::daemon::clients::Asked;
use crate::daemon::event::Event;

use super::apply::{request, said};
use super::interrupted::Set;
use super::{APPLY, Editor, EditorPart, EditorsEvent, Saving, Silence, answer};

/// How often an edit is put back on top of what a person types meanwhile.
const TAKE_BACKS: usize = 5;
/// How long an editor that did not answer in time is watched.
const LATE: Duration = Duration::from_secs(5 * 60);
/// How often.
const LATE_LOOK: Duration = Duration::from_millis(250);

/// Documents that hold what they were to hold.
#[derive(Debug, Default)]
pub(crate) struct Edited {
    pub(super) done: Vec<Done>,
    pub(super) transaction: String,
    /// Whether it was noted, should the set be interrupted.
    pub(super) noted: bool,
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

/// What became of an edit that was to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenBack {
    Yes,
    /// The editor does not do it.
    Refused,
    /// What was typed touches it.
    TypedOver,
    /// The editor is gone.
    Gone,
}

/// Which side of an edit a document is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// It holds the edit, whatever was typed elsewhere.
    After,
    Before,
    /// Somebody has typed just there.
    Unclear,
}

impl Core {
    /// Gives documents the text again that they had, beside what was typed since. Those whose editor is gone
    /// wait for it; so do those that may hold the edit. The refusal tells which documents hold their part still.
    pub(crate) fn take_back(&self, edited: &Edited, unknown: &[Done]) -> Option<Refusal> {
        let (mut left, mut stuck) = (Set::new(&edited.transaction, Vec::new()), Vec::new());
        for done in edited.done.iter().rev() {
            let outcome = self.take_back_one(done);
            if matches!(outcome, TakenBack::Gone | TakenBack::Refused) {
                left = left.with(&done.buffer.path, &done.after, &done.back, true);
            }
            if matches!(outcome, TakenBack::TypedOver | TakenBack::Refused) {
                tracing::error!(path = %done.buffer.path.display(), editor = done.editor.name, "an edit in an editor could not be taken back");
                stuck.push((done.buffer.path.clone(), done.editor.name.clone()));
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
        still_changed(&stuck)
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
                return TakenBack::TypedOver;
            };
            let mut after = now.text.clone();
            plan.apply_to(&mut after);
            let edits = text_edits(&now.text, &plan, now.encoding);
            let (editor, before) = (done.editor.clone(), now.text.clone());
            let part = EditorPart { editor, buffer: now, plan, edits, after, save: Saving::No };
            let number = self.expect(&part);
            let (method, params) = request(&[&part], "", "editd: taken back");
            let mut asked = self.clients.request(done.session, method, params);
            let answered = asked.as_mut().map_or(Err(Silence::Gone), |asked| answer(asked, APPLY).map(said));
            let back = self.verify(&part, number, &answered).is_ok();
            self.books.send(Event::Editors(EditorsEvent::Forget { number }));
            if back {
                return TakenBack::Yes;
            }
            // Only typing is a reason to try again.
            if self.present(&done.buffer).is_some_and(|now| now.text == before) {
                return TakenBack::Refused;
            }
        }
        TakenBack::Refused
    }

    /// Watches an editor that did not answer in time: if it applies the edits after all, they are taken back.
    pub(super) fn take_back_when_late(&self, mut asked: Asked, edited: Edited) {
        let core = self.clone();
        tokio::spawn(async move {
            let deadline = tokio::time::Instant::now() + LATE;
            while tokio::time::Instant::now() < deadline {
                let answered = tokio::time::timeout(LATE_LOOK, &mut asked).await;
                let gone = matches!(answered, Ok(Err(_)));
                if gone {
                    let none = Edited { transaction: edited.transaction.clone(), ..Edited::default() };
                    drop(core.take_back(&none, &edited.done));
                    return;
                }
                if edited.done.iter().any(|done| core.holds(done)) {
                    let _ = tokio::task::spawn_blocking(move || drop(core.take_back(&edited, &[]))).await;
                    return;
                }
                if answered.is_ok() {
                    return;
                }
            }
        });
    }

    /// Whether a document has come to hold an edit.
    fn holds(&self, done: &Done) -> bool {
        self.present(&done.buffer).is_some_and(|now| {
            let moved = now.version != done.buffer.version;
            moved && side(&done.after, &done.back, &now.text, self.deadline()) == Side::After
        })
    }
}

impl Done {
    pub(super) fn of(part: &EditorPart) -> Self {
        Self {
            session: part.buffer.id.session,
            editor: part.editor.clone(),
            buffer: part.buffer.clone(),
            after: part.after.clone(),
            back: part.plan.invert(&part.buffer.text.to_string()),
        }
    }
}

fn still_changed(stuck: &[(PathBuf, String)]) -> Option<Refusal> {
    let (path, editor) = stuck.first()?;
    let paths: Vec<_> = stuck.iter().map(|(path, _)| path.display().to_string()).collect();
    let reason = format!(
        "another part of the change failed, and {editor} did not take this one back; still changed: {}",
        paths.join(", ")
    );
    let refusal = EditorRefusal::Unverified { reason, actual: None };
    Some(Refusal::at(path, RefusalKind::Editor(refusal)))
}

/// The way back from a text over what a document holds now; nothing if what was typed touches it.
pub(super) fn carried((after, back): (&Text, &Plan), now: &Text, deadline: Deadline) -> Option<Plan> {
    if now == after {
        return Some(back.clone());
    }
    back.map_beside(&Plan::between(&after.to_string(), &now.to_string(), deadline))
}

/// On which side of an edit a text is that may have been typed in since.
pub(super) fn side(after: &Text, back: &Plan, now: &Text, deadline: Deadline) -> Side {
    if carried((after, back), now, deadline).is_some() {
        return Side::After;
    }
    let text = after.to_string();
    let before = Text::from(back.apply(&text).as_str());
    let forth = back.invert(&text);
    if carried((&before, &forth), now, deadline).is_some() { Side::Before } else { Side::Unclear }
}
