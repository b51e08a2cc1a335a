//! Requests that were refused and are sent again: the versions that they mean.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::lines::Basis;
use crate::engine::change::rebase::stale;
use crate::engine::change::{EditForm, EditIndex, RequestedChange, RequestedEdit};
use crate::engine::files::observe::Observed;
use editd_edit::Edit;
use editd_text::ContentHash;
use editd_workspace::{BaseState, NamedVersion, Refusal};

/// The files of a request at the time at which it is computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenFiles(Arc<Mutex<Vec<SeenFile>>>);

/// A file of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenFile {
    pub(crate) path: PathBuf,
    /// The content of the file.
    pub(crate) current: Option<ContentHash>,
    /// The version that the change refers to; `None` if the author had not read the file.
    pub(crate) base: Option<ContentHash>,
}

/// An edit that the author of a refused request has accepted instead of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AcceptedEdit {
    pub(crate) path: PathBuf,
    /// The edit of the request.
    pub(crate) of: EditIndex,
    /// The replacement, with its place in the file.
    pub(crate) edit: Edit,
}

impl SeenFiles {
    pub(crate) fn record(&self, changes: &[RequestedChange<Observed>], bases: &[Basis]) {
        self.0.lock().extend(changes.iter().zip(bases).map(|(change, basis)| SeenFile {
            path: change.file.target.path.clone(),
            current: change.file.content.hash(),
            base: basis.version(&change.file),
        }));
    }

    pub(crate) fn take(&self) -> Vec<SeenFile> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// Makes the versions that a request meant when it was refused the bases of its changes. The author has learned from the
/// refusal what it had not read.
pub(crate) fn take_bases(changes: &mut [RequestedChange<Observed>], retried: &[SeenFile]) {
    for change in changes.iter_mut().filter(|change| change.base.is_none()) {
        let Some(seen) = retried.iter().find(|seen| seen.path == change.file.target.path) else { continue };
        let has_numbers = change.kind.edits().iter().any(|edit| edit.anchors().is_some());
        change.base = match (seen.base, seen.current) {
            (Some(base), _) if has_numbers => Some(NamedVersion::Tag(base.into())),
            (None, Some(current)) if change.file.content.hash() == Some(current) => {
                Some(NamedVersion::Hash(current))
            }
            _ => None,
        };
    }
}

/// Replaces edits by those that their author has accepted.
pub(crate) fn take_accepted(changes: &mut [RequestedChange<Observed>], accepted: &[AcceptedEdit]) {
    for AcceptedEdit { path, of, edit } in accepted {
        let named = changes.iter_mut().filter(|change| change.file.target.path == *path);
        for change in named {
            let index = change.index;
            for (position, requested) in change.kind.edits_mut().iter_mut().enumerate() {
                if requested.of.unwrap_or(EditIndex { change: index, edit: position }) == *of {
                    *requested = RequestedEdit {
                        form: EditForm::Text(edit.clone()),
                        within: None,
                        ..requested.clone()
                    };
                }
            }
        }
    }
}

/// Refuses a request that is sent again if a file has changed since the refusal: its author has not seen that.
pub(crate) fn refuse_moved_on(
    changes: &[RequestedChange<Observed>],
    bases: &[Basis],
    retried: &[SeenFile],
    rules: &ComputeOptions<'_>,
) -> Result<(), Vec<Refusal>> {
    let moved_on = |(change, basis): (&RequestedChange<Observed>, &Basis)| {
        let (path, current) = (&change.file.target.path, change.file.content.hash());
        retried.iter().find(|seen| seen.path == *path && seen.current != current)?;
        let text = match &basis.state {
            BaseState::Moved { text, .. } => text.as_deref(),
            BaseState::Fresh(_) => None,
            // The refusal for a file that was not read follows.
            BaseState::Unread { .. } => return None,
        };
        let kind = stale(text, &change.file, rules.deadline);
        Some(Refusal::at(path, kind).of_change(change.index))
    };
    let refused: Vec<_> = changes.iter().zip(bases).filter_map(moved_on).collect();
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}
