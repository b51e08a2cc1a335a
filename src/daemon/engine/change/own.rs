//! Edits for an earlier version of a file that only their author has changed since: the line numbers move with the
//! author's own changes, and the edits are made in the current version.

use std::sync::Arc;

use crate::engine::change::lines::Basis;
use crate::engine::change::{ChangeKind, EditForm, RequestedChange, RequestedEdit};
use crate::engine::files::observe::Observed;
use crate::engine::{Engine, SessionContext};
use editd_edit::{LineMap, LinePlace, LineRange, Plan, TextScope};
use editd_syntax::NewPlace;
use editd_workspace::{BaseState, FileKey, SentBase, ShownVersion, Snapshot};

impl Engine {
    /// Moves a change to the current version if its author alone has changed the file since the version that it
    /// names. Returns the basis unchanged if others have changed the file too, or if the author itself has changed
    /// the lines that an edit names: their numbers mean nothing then.
    pub(crate) fn over_own_changes(
        &self,
        session: &SessionContext,
        change: &mut RequestedChange<Observed>,
        (sent, basis): (Option<SentBase>, Basis),
    ) -> Basis {
        let edits = matches!(change.kind, ChangeKind::Edit(..) | ChangeKind::Rename { .. });
        let names_version = match sent {
            Some(SentBase::Shown(_)) => edits,
            // A text that is based on a whole content is meant for that content.
            Some(SentBase::Whole(_)) => change.kind.is_anchored(),
            None => false,
        };
        let (BaseState::Moved { text: Some(given), coverage, .. }, true) = (&basis.state, names_version)
        else {
            return basis;
        };
        let Some(now) = change.file.content.snapshot().cloned() else { return basis };
        let key = &change.file.target.key;
        let Some(own) = self.own_changes(session, key, (given, &now)) else { return basis };
        let map = LineMap::of_plan(&given.text.to_string(), &now.text.to_string(), &own);
        if !renumber(change, &map) {
            return basis;
        }
        let shown = basis.shown.after(&own, (&given.text, &now.text));
        Basis { state: BaseState::Fresh(*coverage), shown }
    }

    /// Returns the changes of a session that lead from one version of a file to another, as one plan, if there are no
    /// changes of others between these.
    fn own_changes(
        &self,
        session: &SessionContext,
        key: &FileKey,
        (from, to): (&Snapshot, &Snapshot),
    ) -> Option<Plan> {
        let plans = self.workspace.update(|w| w.own_plans(session.id, key, from.hash, to.hash))?;
        let none = Plan::empty(from.text.len_bytes());
        let own = plans.iter().fold(none, |before, next: &Arc<Plan>| before.then(next));
        own.fits(&from.text.to_string()).then_some(own)
    }

    /// Returns the lines of a version in a later one that the session made of it.
    pub(crate) fn map_of_own_changes(
        &self,
        session: &SessionContext,
        key: &FileKey,
        (older, newer): (&Snapshot, &Snapshot),
    ) -> Option<LineMap> {
        let own = self.own_changes(session, key, (older, newer))?;
        Some(LineMap::of_plan(&older.text.to_string(), &newer.text.to_string(), &own))
    }
}

/// Replaces the line numbers of a change by those of the current version. Returns `false`, and changes nothing, if
/// the lines of an edit are not there any more.
fn renumber(change: &mut RequestedChange<Observed>, map: &LineMap) -> bool {
    let place = |place: LinePlace| {
        let line = |line: usize| map.get(LineRange { start: line, end: line }).map(|lines| lines.start);
        Some(match place {
            LinePlace::Lines(lines) => LinePlace::Lines(map.get(lines)?),
            LinePlace::After(0) | LinePlace::End => place,
            LinePlace::After(at) => LinePlace::After(line(at)?),
            LinePlace::Before(at) => LinePlace::Before(line(at)?),
        })
    };
    let moved = |edit: &RequestedEdit| {
        let (mut form, mut within) = (edit.form.clone(), edit.within.clone());
        if let Some(TextScope::Lines(lines)) = &mut within {
            *lines = map.span(*lines)?;
        }
        match &mut form {
            EditForm::Lines(edit) => edit.place = place(edit.place)?,
            EditForm::Take { part: TextScope::Lines(lines), .. } => *lines = map.get(*lines)?,
            EditForm::Put { place: NewPlace::Lines(at), .. } => *at = place(*at)?,
            EditForm::Text(_)
            | EditForm::Symbol(_)
            | EditForm::Renamed(..)
            | EditForm::Uses(_)
            | EditForm::Reshape(_)
            | EditForm::Take { .. }
            | EditForm::Put { .. }
            | EditForm::Beside { .. } => {}
        }
        Some(RequestedEdit { form, within, ..edit.clone() })
    };
    let edits: Option<Vec<_>> = change.kind.edits().iter().map(moved).collect();
    let Some(edits) = edits else { return false };
    change.kind.edits_mut().clone_from_slice(&edits);
    true
}

/// Returns the versions that numbers without a tag can mean: the one that was read last, and those that the session
/// has made of it since. `versions` are newest first.
pub(crate) fn read_last(versions: &[ShownVersion]) -> &[ShownVersion] {
    let read = versions.iter().position(|version| !version.is_result).unwrap_or(versions.len());
    &versions[..versions.len().min(read + 1)]
}

/// Returns `true` if the lines of a version have the text that the edits expect, and some edit expects a text.
fn has_expected_text(change: &RequestedChange<Observed>, text: &str) -> bool {
    let lines: Vec<&str> = editd_text::lines(text).map(|line| line.content.trim()).collect();
    let is_at = |line: usize, expected: &Option<String>| {
        expected.as_ref().is_none_or(|expected| {
            line.checked_sub(1).and_then(|line| lines.get(line)).is_some_and(|line| *line == expected.trim())
        })
    };
    let mut has_any = false;
    let fits = change.kind.edits().iter().all(|edit| match &edit.form {
        EditForm::Lines(edit) => edit.place.anchors().is_none_or(|anchors| {
            has_any |= edit.first.is_some() || edit.last.is_some();
            is_at(anchors.start, &edit.first) && is_at(anchors.end, &edit.last)
        }),
        _ => true,
    });
    fits && has_any
}

/// Returns the versions whose lines have the text that the edits expect, if they expect any.
pub(crate) fn with_expected_text(
    change: &RequestedChange<Observed>,
    versions: &[ShownVersion],
    text_of: impl Fn(&ShownVersion) -> Option<Arc<Snapshot>>,
) -> Vec<ShownVersion> {
    let has_text = |version: &&ShownVersion| {
        text_of(version).is_some_and(|snapshot| has_expected_text(change, &snapshot.text.to_string()))
    };
    versions.iter().filter(has_text).cloned().collect()
}
