//! Undoing edits that the user has saved before the rest of their change set failed.

use std::path::Path;

use crate::engine::Engine;
use crate::engine::editors::back::{EditedDocument, UndoOutcome, rebased_inverse};
use crate::engine::files::observe::Observed;
use crate::engine::files::open_documents::as_written;
use editd_disk::{Change, Target};
use editd_edit::Plan;
use editd_text::{EolStyle, Text, eol_style, eq_ignoring_crlf, normalize_line_endings};
use editd_workspace::buffers::Buffer;

/// Maximum number of attempts to undo an edit on disk while other programs write the file.
const MAX_ATTEMPTS: usize = 3;

/// The owner of files that an undo displaces.
const OWNER: &str = "undone";

impl Engine {
    /// Has the editor save a document whose edit was undone, if the file on disk has the edit: the user has saved
    /// it. Does not save text that the user has not saved.
    pub(super) fn save_undone(&self, document: &EditedDocument) -> UndoOutcome {
        let EditedDocument { editor, buffer, after, inverse } = document;
        let restored = || inverse_on_disk(self, &self.disk_of(&buffer.path)?, after, inverse);
        let Some(wanted) = restored() else { return UndoOutcome::Undone };
        let is_wanted = |now: Buffer| eq_ignoring_crlf(&now.text, &wanted.to_string());
        if editor.abilities.save && self.present(buffer).is_some_and(is_wanted) {
            let problem = self.save_in(buffer.id.session, std::slice::from_ref(&buffer.id.uri));
            if let Some(problem) = problem {
                tracing::warn!(uri = buffer.id.uri, problem, "the undo of an edit was not saved");
            }
        }
        match (restored(), self.present(buffer)) {
            (None, _) => UndoOutcome::Undone,
            (Some(_), Some(_)) => UndoOutcome::Unsaved,
            (Some(_), None) => UndoOutcome::Gone,
        }
    }

    /// Returns `true` if the file on disk has an edit.
    pub(super) fn is_on_disk(&self, path: &Path, after: &Text, inverse: &Plan) -> bool {
        let disk = self.disk_of(path);
        disk.is_some_and(|disk| inverse_on_disk(self, &disk, after, inverse).is_some())
    }

    /// Undoes an edit in a file that is not open any more. Returns `None` if the file does not have the edit.
    pub(super) fn undo_on_disk(&self, path: &Path, after: &Text, inverse: &Plan) -> Option<UndoOutcome> {
        for _ in 0..MAX_ATTEMPTS {
            let disk = self.disk_of(path)?;
            let restored = inverse_on_disk(self, &disk, after, inverse)?;
            let (snapshot, written) = as_written(&restored, &disk, self.deadline());
            let (Ok(content), Some(expect)) = (snapshot.format.encode(&written), disk.expected()) else {
                return Some(UndoOutcome::Refused);
            };
            let content = content.into_owned().into();
            let changes = [Change::Replace { target: disk.target.clone(), content, expect }];
            let _staging = self.staging(&changes);
            let committed = self
                .stage(&changes)
                .and_then(|staged| staged.map_or_else(|| Ok(Vec::new()), editd_disk::StagedSet::commit));
            match committed {
                Ok(done) => {
                    let displaced = done.into_iter().filter_map(|done| done.displaced);
                    displaced.for_each(|file| self.displaced_files.hold(OWNER, file));
                    return Some(UndoOutcome::Undone);
                }
                Err(error) => {
                    tracing::warn!(path = %path.display(), ?error, "a saved edit could not be undone");
                    error.displaced.into_iter().for_each(|file| self.displaced_files.hold(OWNER, file));
                }
            }
        }
        Some(UndoOutcome::Refused)
    }

    fn disk_of(&self, path: &Path) -> Option<Observed> {
        self.observe_disk(self.target_at(path)?).ok()
    }

    /// Returns the target of a real path, whatever the roots of sessions are.
    pub(crate) fn target_at(&self, path: &Path) -> Option<Target> {
        let root = self.disk.open_root(path.parent()?).ok()?;
        self.disk.resolve(&root, Path::new(path.file_name()?)).ok()
    }
}

/// Returns the text of a file without an edit, with the line endings of the document. Returns `None` if the file
/// does not have the edit.
fn inverse_on_disk(engine: &Engine, disk: &Observed, after: &Text, inverse: &Plan) -> Option<Text> {
    let text = normalize_line_endings(disk.text.as_ref()?);
    let is_crlf = eol_style(&after.to_string()) == EolStyle::Crlf;
    let mut text = if is_crlf { Text::from(text.replace('\n', "\r\n").as_str()) } else { Text::from(&*text) };
    rebased_inverse((after, inverse), &text, engine.deadline())?.apply_to(&mut text);
    Some(text)
}
