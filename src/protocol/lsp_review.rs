//! Review in editors without an editd plugin, by means of plain LSP: code actions, code lenses, diagnostics
//! and commands for the hunks that wait for the user.

mod annotations;
mod command;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{FileEntry, Hunk, ProposalResult};
use editd_text::{visible, with_codes};

pub use annotations::{CodeActionQuery, code_actions, code_lenses, hints};
pub use command::*;

/// Maximum length of a label in a title, in characters.
const LABEL: usize = 40;

/// Maximum number of files that a title names, besides the one in which the user is.
const NAMED: usize = 3;

/// Maximum length of an announcement, in characters. With the prefixes of editors it fits in a line of eighty
/// columns; some editors wait for a key press after a longer message.
const ANNOUNCEMENT: usize = 56;

/// The undecided part of a proposal that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingProposal {
    /// Id of the proposal.
    pub id: String,
    /// Revision that the user sees.
    pub revision: u32,
    /// Author of the proposal.
    pub author: String,
    /// Purpose of the proposal.
    pub label: Option<String>,
    /// `true` if the change has already been made, so that the user keeps or reverts it.
    pub landed: bool,
    /// Undecided hunks, in order.
    pub hunks: Vec<PendingHunk>,
    /// Hunks that were decided earlier, in order.
    pub decided: Vec<DecidedHunk>,
}

/// A hunk of a pending proposal that is already decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedHunk {
    /// Id of the hunk within the proposal.
    pub id: String,
    /// Canonical path of the file.
    pub path: PathBuf,
    /// `true` if it was accepted, or a landed change is kept.
    pub accepted: bool,
}

/// A hunk that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingHunk {
    /// Id of the hunk within the proposal.
    pub id: String,
    /// Canonical path of the file.
    pub path: PathBuf,
    /// Kind of the change, unless it replaces lines.
    pub kind: Option<String>,
    /// `true` if the lines have changed since the hunk was proposed.
    pub conflicted: bool,
    /// First line of the file that the hunk is about, from 0: the lines to replace, or those that a landed change
    /// has written. If there are none, the line before which lines are inserted or were deleted.
    pub line: u32,
    /// Number of these lines.
    pub lines: u32,
    /// The current lines.
    pub own_text: String,
    /// The other side: the new lines, or those before a landed change.
    pub other_text: String,
}

impl PendingProposal {
    /// Returns the undecided part of a proposal, or `None` if the proposal is decided.
    pub fn of(proposal: &ProposalResult) -> Option<Self> {
        let landed = match proposal.state.as_str() {
            "pending" => false,
            "landed" => true,
            _ => return None,
        };
        let of_file = |entry: &FileEntry| {
            let path = PathBuf::from(&entry.path);
            let open = entry.hunks.iter().filter(|hunk| matches!(&*hunk.state, "pending" | "conflicted"));
            open.map(|hunk| PendingHunk::of(hunk, &path, landed)).collect::<Vec<_>>()
        };
        let hunks: Vec<_> = proposal.files.iter().flat_map(|file| of_file(&file.entry)).collect();
        let decided_in = |entry: &FileEntry| {
            let decided = entry.hunks.iter().filter(|hunk| !matches!(&*hunk.state, "pending" | "conflicted"));
            let of = |hunk: &Hunk| DecidedHunk {
                id: hunk.id.clone(),
                path: PathBuf::from(&entry.path),
                accepted: hunk.state != "rejected",
            };
            decided.map(of).collect::<Vec<_>>()
        };
        Some(Self {
            id: proposal.id.clone(),
            revision: proposal.revision,
            author: proposal.author.clone(),
            label: proposal.label.clone(),
            landed,
            hunks,
            decided: proposal.files.iter().flat_map(|file| decided_in(&file.entry)).collect(),
        })
        .filter(|waiting| !waiting.hunks.is_empty())
    }

    /// Returns the author and the label, short enough for a menu.
    fn by(&self) -> String {
        match self.label.as_deref().map(str::trim).filter(|label| !label.is_empty()) {
            Some(label) => format!("{}: {}", one_line(&self.author), one_line(label)),
            None => one_line(&self.author),
        }
    }

    /// Returns the undecided hunks of a file.
    fn within<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a PendingHunk> {
        self.hunks.iter().filter(move |hunk| hunk.path == path)
    }

    /// Returns the number of files with undecided hunks.
    fn files(&self) -> usize {
        self.paths().len()
    }

    /// Returns the files with undecided hunks, sorted.
    fn paths(&self) -> Vec<&Path> {
        let mut paths: Vec<_> = self.hunks.iter().map(|hunk| hunk.path.as_path()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Names the files with undecided hunks, as seen in one of them: the others by their paths below the folder that
    /// contains them all.
    fn named(&self, here: &Path) -> String {
        let others: Vec<_> = self.paths().into_iter().filter(|path| *path != here).collect();
        let folder =
            here.ancestors().skip(1).find(|folder| others.iter().all(|path| path.starts_with(folder)));
        let short = |path: &&Path| ending(folder.and_then(|it| path.strip_prefix(it).ok()).unwrap_or(path));
        let mut names = vec!["this one".to_owned()];
        names.extend(others.iter().take(NAMED).map(short));
        let more = others.len().saturating_sub(NAMED);
        let last = if more > 0 { format!("{more} more") } else { names.pop().unwrap_or_default() };
        format!("{} and {last}", names.join(", "))
    }
}

impl PendingHunk {
    fn of(hunk: &Hunk, path: &Path, landed: bool) -> Self {
        let (start, lines, own_text, other_text) = if landed {
            (hunk.new_start, hunk.new_lines, &hunk.new_text, &hunk.old_text)
        } else {
            (hunk.old_start, hunk.old_lines, &hunk.old_text, &hunk.new_text)
        };
        let state = |state: &Option<String>| state.clone().filter(|state| state != "missing");
        let (own_state, other_state) =
            if landed { (&hunk.after, &hunk.before) } else { (&hunk.before, &hunk.after) };
        // A hunk without lines names the line before it.
        let line = if lines == 0 { start } else { start.saturating_sub(1) };
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            id: hunk.id.clone(),
            path: path.to_owned(),
            kind: hunk.kind.clone(),
            conflicted: hunk.state == "conflicted",
            line: number(line),
            lines: number(lines),
            own_text: own_text.clone().or_else(|| state(own_state)).unwrap_or_default(),
            other_text: other_text.clone().or_else(|| state(other_state)).unwrap_or_default(),
        }
    }

    /// Returns `true` if a cursor or selection on these lines refers to the hunk. An insertion between two
    /// lines belongs to both.
    fn touches(&self, first: u32, last: u32) -> bool {
        let before = if self.lines == 0 { self.line.saturating_sub(1) } else { self.line };
        let end = self.line + self.lines.saturating_sub(1);
        before <= last && first <= end
    }
}

fn one_line(text: &str) -> String {
    let words = visible(text).collect::<String>().trim_end().to_owned();
    if words.chars().count() <= LABEL {
        return words;
    }
    words.chars().take(LABEL - 1).chain(['…']).collect()
}

/// Returns a path for a menu, without the beginning of a long one.
fn ending(path: &Path) -> String {
    let shown = with_codes(&path.display().to_string());
    let length = shown.chars().count();
    if length <= LABEL {
        return shown;
    }
    ['…'].into_iter().chain(shown.chars().skip(length - (LABEL - 1))).collect()
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("{count} {one}") } else { format!("{count} {many}") }
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
            let verb = if one.landed { "made" } else { "proposes" };
            format!("editd: {} {verb} {changes} in {place}{label}", one_line(&one.author))
        }
        many if many.iter().any(|one| one.landed) => format!("editd: {} reviews wait for you", many.len()),
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
        text.extend([": ", &one_line(label.lines().next().unwrap_or_default())]);
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

#[cfg(test)]
mod tests;
