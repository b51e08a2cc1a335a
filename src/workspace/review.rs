//! Review of proposals by a person, as plain values.
//!
//! A proposal under review retains the text that it was made for. Each time it is shown or decided, its
//! hunks are rebased onto the current text; the result is not stored. The user can therefore keep typing
//! while a proposal is pending, and hunks in untouched lines stay valid at their new line numbers.
//!
//! Decisions are only recorded until no hunk is open. Then all accepted changes are applied as one
//! transaction.

mod carried;
mod decide;
mod landed;
mod paths;
mod rebased;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use editd_edit::Hunk;
use editd_text::ContentHash;

use super::files::{MTime, Snapshot};
use super::proposal::{Action, PlannedFile, Proposal, ProposalState};

pub use decide::{CurrentFile, Decision, FileOutcome, Replace};
pub use landed::Landed;
pub use paths::{created_and_deleted, to_decide};
pub use rebased::{RebasedFile, RebasedHunk};

/// Number of a hunk within its proposal, counted from 1 over all files; `h1` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HunkId(pub usize);

impl fmt::Display for HunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "h{}", self.0)
    }
}

impl FromStr for HunkId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text.strip_prefix('h').filter(|digits| !digits.starts_with(['0', '+']));
        digits.and_then(|digits| digits.parse().ok()).map(Self).ok_or(())
    }
}

/// The kind of change that a hunk makes, with its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::AsRefStr)]
#[strum(serialize_all = "snake_case")]
pub enum HunkKind {
    /// Replaces lines.
    Text,
    /// Creates the file.
    Create,
    /// Deletes the file.
    Delete,
    /// Renames the file.
    Rename,
    /// Changes the encoding of the file.
    Encoding,
    /// Replaces the content of a file that is not text.
    Binary,
    /// Replaces text that is not stored with the proposal.
    Whole,
    /// Creates, changes or removes a symlink.
    Link,
    /// Creates or removes a folder.
    Folder,
    /// Changes the permissions of a file or folder.
    Permissions,
}

/// The decision about a hunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::FromRepr)]
#[repr(usize)]
pub enum Choice {
    /// Not decided.
    #[default]
    Open,
    /// Accepted as shown. Becomes open again if its lines are changed afterwards.
    Accepted,
    /// Accepted in spite of a conflict: the author's text replaces the current lines. Becomes open again if
    /// these lines change once more.
    Taken,
    /// Rejected.
    Rejected,
    /// Replaced by the person's own text.
    Edited,
}

impl Choice {
    /// Returns `true` if the decision changes the file.
    pub fn has_effect(self) -> bool {
        matches!(self, Self::Accepted | Self::Taken | Self::Edited)
    }

    /// Returns the name of the hunk's state on the wire. A conflict is reported only while the hunk is open.
    pub fn name(self, conflicted: bool) -> &'static str {
        match self {
            Self::Open if conflicted => "conflicted",
            Self::Open => "pending",
            Self::Accepted | Self::Taken => "accepted",
            Self::Rejected => "rejected",
            Self::Edited => "edited",
        }
    }
}

/// A comment for the author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The file it refers to.
    pub path: Option<PathBuf>,
    /// The hunk it refers to.
    pub hunk: Option<HunkId>,
    /// Text of the comment.
    pub text: String,
}

/// A text that a person wrote in place of the proposed content of a file.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The content it was written against; `None` if the file did not exist.
    pub base: Option<Arc<Snapshot>>,
    /// The whole new text, with the file's line endings.
    pub content: Arc<str>,
}

/// All decisions made so far.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// The decision about each hunk, in order.
    pub choices: Vec<Choice>,
    /// For each hunk accepted in spite of a conflict, the hash of the lines that it replaces.
    pub taken: BTreeMap<usize, ContentHash>,
    /// Replacement texts, by index of the file.
    pub replaced: BTreeMap<usize, Replacement>,
    /// Comments, in the order in which they were made.
    pub comments: Vec<Comment>,
    /// The result for the author; `None` while the review is pending.
    pub outcome: Option<Arc<ReviewOutcome>>,
}

/// The result of a decided review.
#[derive(Clone, Debug)]
pub struct ReviewOutcome {
    /// The transaction that was undone, if any.
    pub undoes: Option<Arc<str>>,
    /// The files, in the order of the proposal.
    pub files: Vec<DecidedFile>,
}

/// A file of a decided review.
#[derive(Clone, Debug)]
pub struct DecidedFile {
    /// The change that was written, or else the proposed one, without the data to apply it.
    pub file: PlannedFile,
    /// The hunks, with their line numbers at the time of the decision.
    pub hunks: Vec<(HunkKind, Hunk)>,
    /// The diff from the proposed to the written text, if the person edited it.
    pub user_edit: Option<String>,
    /// The state of the file after the decision, if it was written.
    pub written: Option<WrittenFile>,
}

/// The state of a file after a change was written.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// Hash of the content; `None` if the file was deleted.
    pub hash: Option<ContentHash>,
    /// Modification time of the file.
    pub mtime: Option<MTime>,
    /// `true` if the content is the text of an editor.
    pub in_editor: bool,
    /// `false` if the content is unsaved text of an editor.
    pub saved: bool,
    /// Changed lines with line numbers and some context.
    pub snippet: String,
    /// `true` if the change was merged with changes that others made after the author's base.
    pub rebased: bool,
    /// Unified diff of these changes of others.
    pub others: Option<String>,
    /// Lines that the change has moved, in the order of the file.
    pub shifts: Vec<LineShift>,
}

/// Lines that have moved: those from a line on, up to the next shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineShift {
    /// Number of the first of them before the change.
    pub line: usize,
    /// Number of lines by which they have moved down.
    pub by: isize,
}

impl ReviewOutcome {
    /// Returns the total length of the diffs, displays, user edits and snippets, in bytes.
    pub fn text_len(&self) -> usize {
        let len = |decided: &DecidedFile| {
            let shown = decided.file.shown.as_ref().map_or(0, |shown| shown.text.len());
            let user_edit = decided.user_edit.as_ref().map_or(0, String::len);
            let snippet = decided.written.as_ref().map_or(0, |written| written.snippet.len());
            decided.file.diff.unified.len() + shown + user_edit + snippet
        };
        self.files.iter().map(len).sum()
    }

    /// Drops the diffs and snippets.
    pub fn drop_texts(&mut self) {
        for DecidedFile { file, written, .. } in &mut self.files {
            file.drop_diff(file.diff.hunks.clone());
            file.shown = None;
            file.matches.clear();
            if let Some(written) = written {
                written.snippet.clear();
            }
        }
    }
}

impl Review {
    /// Creates a review of `hunks` hunks, all open.
    pub fn open(hunks: usize) -> Self {
        Self { choices: vec![Choice::Open; hunks], ..Self::default() }
    }

    /// Returns `true` if no hunk is open.
    pub fn is_decided(&self) -> bool {
        !self.choices.contains(&Choice::Open)
    }

    /// Returns the state of a proposal with all hunks decided.
    pub fn verdict(&self) -> ProposalState {
        let yes = self.choices.iter().any(|choice| choice.has_effect());
        let no = self.choices.iter().any(|choice| !choice.has_effect());
        match (yes, no) {
            (false, _) => ProposalState::Rejected,
            (true, true) => ProposalState::Partial,
            (true, false) => ProposalState::Applied,
        }
    }
}

impl PlannedFile {
    /// Returns the hunks of the file that can be decided separately, in order, with their original line
    /// numbers. There is at least one.
    pub fn hunks(&self) -> Vec<(HunkKind, Hunk)> {
        let texts = || self.diff.hunks.iter().map(|hunk| (HunkKind::Text, *hunk));
        let nowhere = Hunk { old_start: 0, old_lines: 0, new_start: 0, new_lines: 0 };
        let whole = |kind| {
            (kind, self.diff.hunks.first().copied().filter(|_| kind != HunkKind::Rename).unwrap_or(nowhere))
        };
        // All bytes of the file may change, not only those of the lines.
        let encoding = || self.changes_encoding().then_some((HunkKind::Encoding, nowhere));
        match &self.action {
            Action::Create { .. } => vec![whole(HunkKind::Create)],
            Action::Delete => vec![whole(HunkKind::Delete)],
            Action::Rename { .. } => {
                let name = [Some(whole(HunkKind::Rename)), encoding()];
                name.into_iter().flatten().chain(texts()).collect()
            }
            // The lines of the hunks are not stored if there are very many.
            Action::Edit if self.diff.hunks.is_empty() && self.diff.added + self.diff.removed > 0 => {
                vec![whole(HunkKind::Whole)]
            }
            Action::Edit if self.diff.hunks.is_empty() => vec![whole(self.kind_without_lines())],
            Action::Edit => encoding().into_iter().chain(texts()).collect(),
        }
    }
}

impl PlannedFile {
    /// Returns `true` if the change gives the file another encoding or byte order mark.
    pub fn changes_encoding(&self) -> bool {
        self.before.as_ref().is_some_and(|before| !before.format.is_written_as(self.format))
    }

    /// Returns the kind of an edit that changes no lines.
    fn kind_without_lines(&self) -> HunkKind {
        if self.before.is_some() { HunkKind::Encoding } else { HunkKind::Binary }
    }
}

impl Proposal {
    /// Returns the number of hunks: those of all files, and one for each link, folder and permission.
    pub fn hunk_count(&self) -> usize {
        self.path_hunks().end
    }

    /// Returns `true` if the proposal is or was under review.
    pub fn is_reviewed(&self) -> bool {
        self.review.is_some()
    }

    /// Returns, for each file, the range of indices of its hunks.
    pub fn hunk_ranges(&self) -> Vec<Range<usize>> {
        consecutive(self.files.iter().map(|file| file.hunks().len()))
    }
}

/// Returns the ranges that consecutive sequences with these lengths cover together.
fn consecutive(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut start = 0;
    let range = |length| {
        let end = start + length;
        std::mem::replace(&mut start, end)..end
    };
    lengths.map(range).collect()
}

#[cfg(test)]
mod tests;
