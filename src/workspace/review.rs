//! What a person decides about a proposal, as a value.
//!
//! A proposal under review keeps the text that it was made for. Whoever looks at it compares that with what is
//! there now and carries each hunk over to that; nothing is remembered of it. So a person can type while a
//! proposal waits, and hunks that nobody touched stay what they were, at other lines.
//!
//! Decisions are only noted until none is open. Then all that was accepted happens as one transaction.

mod decide;
mod look;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use crate::edit::Hunk;
use crate::text::ContentHash;

use super::{Action, PlannedFile, Proposal, ProposalState, Snapshot};

pub use decide::{Decision, Pick, Replace, Seen};
pub use look::{Look, LookedHunk, Verdict};

/// Names a hunk in its proposal, from 1 over all files: `h1` on the wire.
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

/// What a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkKind {
    /// Replaces lines.
    Text,
    /// Makes the file.
    Create,
    /// Removes it.
    Delete,
    /// Gives it another name.
    Rename,
    /// Writes it in another encoding.
    Encoding,
}

impl HunkKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Rename => "rename",
            Self::Encoding => "encoding",
        }
    }
}

/// What a person said of a hunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Nothing yet.
    #[default]
    Open,
    /// Yes, as it was shown. If its place is touched afterwards, it is open again.
    Accepted,
    /// Yes, by a person who knew that its place had been touched: what the author wants wins over what is there.
    /// If that changes once more, it is open again.
    Taken,
    /// No.
    Rejected,
    /// The person wrote something else in its place.
    Edited,
}

impl Choice {
    /// Whether something happens there.
    pub fn is_yes(self) -> bool {
        matches!(self, Self::Accepted | Self::Taken | Self::Edited)
    }

    /// The name of the hunk's state on the wire. A conflict only counts while nobody has decided.
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

/// A remark for the author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The file that it is about.
    pub path: Option<PathBuf>,
    /// The hunk that it is about.
    pub hunk: Option<HunkId>,
    /// The words.
    pub text: String,
}

/// A text that a person wrote in place of what was proposed for a file.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// What was there when it was written; none if nothing was.
    pub base: Option<Arc<Snapshot>>,
    /// The whole new text, with the file's line ends.
    pub content: Arc<str>,
}

/// Everything that was decided so far.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// By hunk, in order.
    pub choices: Vec<Choice>,
    /// Of hunks whose place had been touched, what stood there when a person took the author's side.
    pub taken: BTreeMap<usize, ContentHash>,
    /// By index of the file.
    pub replaced: BTreeMap<usize, Replacement>,
    /// In the order in which they were made.
    pub comments: Vec<Comment>,
    /// What became of it, as the answer to its author; none while it waits.
    pub outcome: Option<Arc<str>>,
}

impl Review {
    /// One of so many hunks, with nothing decided.
    pub fn open(hunks: usize) -> Self {
        Self { choices: vec![Choice::Open; hunks], ..Self::default() }
    }

    /// Whether nothing is left to decide.
    pub fn is_decided(&self) -> bool {
        !self.choices.contains(&Choice::Open)
    }

    /// The state of a proposal of which everything is decided.
    pub fn verdict(&self) -> ProposalState {
        let (mut yes, mut no) = (false, false);
        for choice in &self.choices {
            yes |= choice.is_yes();
            no |= !choice.is_yes();
        }
        match (yes, no) {
            (false, _) => ProposalState::Rejected,
            (true, true) => ProposalState::Partial,
            (true, false) => ProposalState::Applied,
        }
    }
}

impl PlannedFile {
    /// What of it can be decided by itself, in order, with the lines that it was proposed for. There is always
    /// something.
    pub fn hunks(&self) -> Vec<(HunkKind, Hunk)> {
        let texts = || self.diff.hunks.iter().map(|hunk| (HunkKind::Text, *hunk));
        let whole = |kind| {
            let nowhere = Hunk { old_start: 0, old_lines: 0, new_start: 0, new_lines: 0 };
            (kind, self.diff.hunks.first().copied().filter(|_| kind != HunkKind::Rename).unwrap_or(nowhere))
        };
        match &self.action {
            Action::Create { .. } => vec![whole(HunkKind::Create)],
            Action::Delete => vec![whole(HunkKind::Delete)],
            Action::Rename { .. } => std::iter::once(whole(HunkKind::Rename)).chain(texts()).collect(),
            Action::Edit if self.diff.hunks.is_empty() => vec![whole(HunkKind::Encoding)],
            Action::Edit => texts().collect(),
        }
    }
}

impl Proposal {
    /// How many hunks it has, over all files.
    pub fn hunk_count(&self) -> usize {
        self.files.iter().map(|file| file.hunks().len()).sum()
    }

    /// Whether a person decides it, or has decided it.
    pub fn is_reviewed(&self) -> bool {
        self.review.is_some()
    }

    /// The hunks of a file as indices over all, for each file.
    pub fn hunk_ranges(&self) -> Vec<std::ops::Range<usize>> {
        let mut start = 0;
        let range = |file: &PlannedFile| {
            let end = start + file.hunks().len();
            std::mem::replace(&mut start, end)..end
        };
        self.files.iter().map(range).collect()
    }
}

#[cfg(test)]
mod tests;
