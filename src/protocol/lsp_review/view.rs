use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::protocol::{FileEntry, Hunk, ProposalResult};

use super::command::Location;
use super::{PendingHunk, PendingProposal, counted, one_line};

/// Maximum length of an announcement, in characters. With the prefixes of editors it fits in a line of eighty
/// columns; some editors wait for a key press after a longer message.
const ANNOUNCEMENT: usize = 56;

impl PendingProposal {
    /// Returns the undecided part of a proposal, or `None` if the proposal is decided.
    pub fn of(proposal: &ProposalResult) -> Option<Self> {
        if proposal.state != "pending" {
            return None;
        }
        let of_file = |entry: &FileEntry| {
            let path = PathBuf::from(&entry.path);
            let open = entry.hunks.iter().filter(|hunk| is_open(hunk));
            open.map(|hunk| PendingHunk::of(hunk, &path)).collect::<Vec<_>>()
        };
        let hunks: Vec<_> = proposal.files.iter().flat_map(|file| of_file(&file.entry)).collect();
        Some(Self {
            id: proposal.id.clone(),
            revision: proposal.revision,
            author: proposal.author.clone(),
            label: proposal.label.clone(),
            hunks,
        })
        .filter(|waiting| !waiting.hunks.is_empty())
    }
}

impl PendingHunk {
    fn of(hunk: &Hunk, path: &Path) -> Self {
        // A hunk that replaces no lines names the line before the insertion.
        let line = if hunk.old_lines == 0 { hunk.old_start } else { hunk.old_start.saturating_sub(1) };
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            id: hunk.id.clone(),
            path: path.to_owned(),
            kind: hunk.kind.clone(),
            conflicted: hunk.state == "conflicted",
            line: number(line),
            lines: number(hunk.old_lines),
            new_text: hunk.new_text.clone().unwrap_or_default(),
        }
    }
}

fn is_open(hunk: &Hunk) -> bool {
    matches!(hunk.state.as_str(), "pending" | "conflicted")
}

/// Returns the message that announces new proposals to the user, or `None` if there are none.
pub fn announcement(new: &[PendingProposal]) -> Option<String> {
    let text = match new {
        [] => return None,
        [one] => {
            let changes = counted(one.hunks.len(), "change", "changes");
            let place = match (one.files(), one.hunks.first()) {
                (1, Some(hunk)) => name(&hunk.path),
                (files, _) => counted(files, "file", "files"),
            };
            let label = one.label.as_deref().map(one_line).filter(|label| !label.is_empty());
            let label = label.map(|label| format!(" ({label})")).unwrap_or_default();
            format!("editd: {} proposes {changes} in {place}{label}", one_line(&one.author))
        }
        many => format!("editd: {} proposals wait for you", many.len()),
    };
    if text.chars().count() <= ANNOUNCEMENT {
        return Some(text);
    }
    Some(text.chars().take(ANNOUNCEMENT - 1).chain(['…']).collect())
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| one_line(&name.to_string_lossy())).unwrap_or_default()
}

/// Returns the next or previous hunk relative to a location, across all files in path order, and wraps
/// around. Without a location, returns the first or last hunk.
pub fn neighbour<'a>(
    waiting: &'a [PendingProposal],
    from: Option<&Location>,
    forward: bool,
) -> Option<(&'a PendingProposal, &'a PendingHunk)> {
    let mut all: Vec<_> =
        waiting.iter().flat_map(|one| one.hunks.iter().map(move |hunk| (one, hunk))).collect();
    let place = |(_, hunk): &(&PendingProposal, &'a PendingHunk)| (hunk.path.as_path(), hunk.line);
    all.sort_by(|a, b| place(a).cmp(&place(b)));
    let from = from.map(|from| (Path::new(&from.path), from.line));
    let found = match (from, forward) {
        (None, true) => all.first(),
        (None, false) => all.last(),
        (Some(from), true) => all.iter().find(|one| place(one) > from).or(all.first()),
        (Some(from), false) => all.iter().rev().find(|one| place(one) < from).or(all.last()),
    };
    found.copied()
}

/// Returns the unified diff of all files of a proposal, with a heading.
pub fn diff_of(proposal: &ProposalResult) -> String {
    let mut text = one_line(&proposal.author);
    if let Some(label) = proposal.label.as_deref() {
        text.extend([": ", label.lines().next().unwrap_or_default()]);
    }
    text.push('\n');
    for file in &proposal.files {
        let entry = &file.entry;
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{} {}", entry.action, entry.path);
        if let Some(to) = &entry.new_path {
            text.extend([" to ", to]);
        }
        text.push('\n');
        text.push_str(&entry.diff);
        if !entry.diff.is_empty() && !entry.diff.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}
