//! Review in editors without an editd plugin, by means of plain LSP: code actions, code lenses, diagnostics
//! and commands for the hunks that wait for the user.

mod actions;
mod command;
mod hints;
mod lenses;
mod view;

use std::path::{Path, PathBuf};

pub use actions::{CodeActionQuery, code_actions};
pub use command::{COMMANDS, Command, Decision, Location};
pub use hints::hints;
pub use lenses::code_lenses;
pub use view::{announcement, diff_of, neighbour};

/// Maximum length of a label in a title, in characters.
const LABEL: usize = 40;

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
    /// Undecided hunks, in order.
    pub hunks: Vec<PendingHunk>,
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
    /// First replaced line, from 0. If the hunk replaces no lines, the line before which it inserts the new
    /// ones.
    pub line: u32,
    /// Number of replaced lines.
    pub lines: u32,
    /// New lines.
    pub new_text: String,
}

impl PendingProposal {
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
        let mut paths: Vec<_> = self.hunks.iter().map(|hunk| &hunk.path).collect();
        paths.sort();
        paths.dedup();
        paths.len()
    }
}

impl PendingHunk {
    /// Returns the decision that accepts the hunk in its current state.
    fn acceptance(&self) -> Decision {
        if self.conflicted { Decision::Take } else { Decision::Accept }
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
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= LABEL {
        return words;
    }
    words.chars().take(LABEL - 1).chain(['…']).collect()
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("{count} {one}") } else { format!("{count} {many}") }
}

#[cfg(test)]
mod tests;
