//! Review in editors that have no plugin of ours, in LSP's own terms: code actions, code lenses, hints and
//! commands over the hunks that wait for a person.

mod actions;
mod command;
mod hints;
mod lenses;
mod view;

use std::path::{Path, PathBuf};

pub use actions::{Wanted, code_actions};
pub use command::{COMMANDS, Command, Place, Say};
pub use hints::hints;
pub use lenses::code_lenses;
pub use view::{announcement, diff_of, neighbour};

/// Characters of a label in a title.
const LABEL: usize = 40;

/// A proposal that waits for a person, as far as it is still to be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Names it.
    pub id: String,
    /// What the person sees of it.
    pub revision: u32,
    /// Who made it.
    pub author: String,
    /// What it is for.
    pub label: Option<String>,
    /// What is to be decided, in order.
    pub hunks: Vec<WaitingHunk>,
}

/// A hunk that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingHunk {
    /// Its name in the proposal.
    pub id: String,
    /// The file, canonical.
    pub path: PathBuf,
    /// What it does where that is not to replace lines.
    pub kind: Option<String>,
    /// Whether its place was changed since it was proposed.
    pub conflicted: bool,
    /// First of the lines that it replaces, from 0; where it replaces none, the one that the new lines come
    /// before.
    pub line: u32,
    /// How many it replaces.
    pub lines: u32,
    /// The new lines.
    pub new_text: String,
}

impl Waiting {
    /// Who, and what for, short enough for a menu.
    fn by(&self) -> String {
        match self.label.as_deref().map(str::trim).filter(|label| !label.is_empty()) {
            Some(label) => format!("{}: {}", one_line(&self.author), one_line(label)),
            None => one_line(&self.author),
        }
    }

    /// What of it is to be decided in a file.
    fn within<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a WaitingHunk> {
        self.hunks.iter().filter(move |hunk| hunk.path == path)
    }

    /// Its files that are still to be decided.
    fn files(&self) -> usize {
        let mut paths: Vec<_> = self.hunks.iter().map(|hunk| &hunk.path).collect();
        paths.sort();
        paths.dedup();
        paths.len()
    }
}

impl WaitingHunk {
    /// What a yes to it is, as it is shown.
    fn yes(&self) -> Say {
        if self.conflicted { Say::Take } else { Say::Accept }
    }

    /// Whether a person whose cursor or selection covers these lines means it. New lines between two are meant
    /// from both.
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
