//! Conversion of links, folders and permissions in proposals.

use super::hunk;
use editd_edit::{Deadline, Hunk as Lines, Labels, diff_texts};
use editd_protocol::{FileEntry, Hunk, PathEntry, uri_of};
use editd_workspace::Proposal;
use editd_workspace::history::{PathChange, PathState};
use editd_workspace::review::HunkKind;

/// Converts the change of a link, folder or permission.
pub(crate) fn path_entry(PathChange { path, before, after }: &PathChange) -> PathEntry {
    PathEntry { path: path.display().to_string(), before: before.to_string(), after: after.to_string() }
}

/// Adds the links, folders and permissions of a proposal, as it is seen, to the entries of its files. Each is a hunk
/// in the entry of its path. `state` returns the state of a hunk by its index.
pub(super) fn add_paths<T: AsMut<FileEntry> + From<FileEntry>>(
    entries: &mut Vec<T>,
    proposal: &Proposal,
    state: impl Fn(usize) -> &'static str,
) {
    for (change, at) in proposal.paths.iter().zip(proposal.path_hunks()) {
        let mut of_path = entry(change, at, state(at));
        match entries.iter_mut().map(AsMut::as_mut).find(|entry| entry.path == of_path.path) {
            Some(entry) => entry.hunks.append(&mut of_path.hunks),
            None => entries.push(of_path.into()),
        }
    }
}

/// Returns the entry of a path. Its texts say in words what is there before and after.
fn entry(change: &PathChange, at: usize, state: &str) -> FileEntry {
    let text = |state: &PathState| match state {
        PathState::Missing => String::new(),
        state => format!("{state}\n"),
    };
    let path = change.path.display().to_string();
    let (old, new) = (text(&change.before), text(&change.after));
    let nowhere = Lines { old_start: 0, old_lines: 0, new_start: 0, new_lines: 0 };
    let hunk = Hunk {
        before: Some(change.before.to_string()),
        after: Some(change.after.to_string()),
        ..hunk(at, HunkKind::of_path(change), nowhere, state)
    };
    let action = match (&change.before, &change.after) {
        (_, PathState::Missing) => "delete",
        (PathState::Missing, _) => "create",
        _ => "edit",
    };
    let diff = diff_texts(&old, &new, Labels::same(path.trim_start_matches('/')), Deadline::NONE);
    FileEntry {
        uri: uri_of(&change.path),
        action: action.to_owned(),
        mode: None,
        new_path: None,
        hash_before: None,
        hash_after: None,
        diff: diff.unified,
        display: None,
        first_changed_line: None,
        added: 0,
        removed: 0,
        hunks: vec![hunk],
        matches: Vec::new(),
        warnings: Vec::new(),
        syntax: Vec::new(),
        tags: Vec::new(),
        path,
    }
}
