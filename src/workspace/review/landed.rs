//! Review of changes that have landed: a command has already made them.
//!
//! Such a review is a proposal to revert the changes: its files are what would revert them, and accepting a hunk
//! reverts it. People and clients see it the other way round: the old text is the text before the change, and
//! accepting a hunk keeps what the command has made of it.

use std::borrow::Cow;
use std::sync::Arc;

use crate::files::FileKey;
use crate::history::{PastAction, PastFile, PathChange};
use crate::ledger::Coverage;
use crate::proposal::{Action, PlannedFile, Proposal, ProposalState};
use crate::rules::EXECUTABLE_CONFIG;
use editd_edit::{FileDiff, Plan};
use editd_text::Format;

use super::{Choice, DecidedFile, Decision, HunkKind, Review, ReviewOutcome};

/// The change that a review of a landed change is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landed {
    /// The transaction that recorded the change.
    pub transaction: Arc<str>,
    /// `true` if the author has received the outcome.
    pub is_reported: bool,
}

impl HunkKind {
    /// Returns the kind of the change in the other direction.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::Create => Self::Delete,
            Self::Delete => Self::Create,
            Self::Text
            | Self::Rename
            | Self::Encoding
            | Self::Binary
            | Self::Whole
            | Self::Link
            | Self::Folder
            | Self::Permissions => self,
        }
    }
}

impl Choice {
    /// Returns the decision about the change in the other direction.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::Accepted | Self::Taken => Self::Rejected,
            Self::Rejected => Self::Accepted,
            Self::Open | Self::Edited => self,
        }
    }
}

impl Decision {
    /// Returns the decisions about the change in the other direction. A hunk to take replaces the current lines
    /// in both.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { accept: self.reject, reject: self.accept, rest: self.rest.map(Choice::inverse), ..self }
    }
}

impl PlannedFile {
    /// Returns the change in the other direction, to be shown only.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let action = match &self.action {
            Action::Create { .. } => Action::Delete,
            Action::Delete => Action::CREATE,
            action => action.clone(),
        };
        Self {
            action,
            before: None,
            hash_before: self.hash_after,
            plan: Arc::new(Plan::empty(0)),
            hash_after: self.hash_before,
            diff: Arc::new(self.diff.inverse()),
            shown: None,
            original_plan: None,
            // Errors that are found in a landed change are those that a revert would add.
            syntax: Vec::new(),
            ..self.clone()
        }
    }
}

impl PlannedFile {
    /// Returns the change without its texts. It can be made or not as a whole, from what the history has of the
    /// transaction.
    #[must_use]
    pub fn folded(&self, transaction: &str) -> Self {
        let FileDiff { added, removed, .. } = *self.diff;
        Self {
            diff: Arc::new(FileDiff { added, removed, ..FileDiff::default() }),
            shown: None,
            matches: Vec::new(),
            warnings: vec![folded_note(transaction)],
            syntax: Vec::new(),
            ..self.as_shown()
        }
    }

    /// Returns the change that reverts a file of a transaction, without texts.
    pub fn reverting(past: &PastFile, transaction: &str) -> Self {
        let action = match &past.action {
            PastAction::Create => Action::Delete,
            PastAction::Delete => Action::CREATE,
            PastAction::Edit | PastAction::Rename(_) => Action::Edit,
        };
        let (added, removed) = (past.removed, past.added);
        Self {
            key: FileKey::path(past.place()),
            path: past.place().to_owned(),
            action,
            before: None,
            hash_before: past.hash_after,
            plan: Arc::new(Plan::empty(0)),
            hash_after: past.hash_before,
            format: Format::UTF8,
            diff: Arc::new(FileDiff { added, removed, ..FileDiff::default() }),
            shown: None,
            matches: Vec::new(),
            warnings: vec![folded_note(transaction)],
            syntax: Vec::new(),
            runs_programs: past.tags.iter().any(|tag| tag == EXECUTABLE_CONFIG),
            rebased: false,
            original_plan: None,
            coverage: Coverage::Part,
        }
    }

    /// Returns `true` if the texts of the change are not stored with it.
    pub fn is_folded(&self) -> bool {
        self.before.is_none() && self.plan.is_empty() && self.diff.unified.is_empty()
    }
}

/// Returns the warning of a file whose texts are only in the history.
fn folded_note(transaction: &str) -> String {
    format!(
        "The lines are not shown here, because much waits for review; `editd show {transaction}` shows them."
    )
}

impl DecidedFile {
    fn inverse(&self) -> Self {
        let hunks = self.hunks.iter().map(|(kind, lines)| (kind.inverse(), lines.inverse()));
        Self { file: self.file.inverse(), hunks: hunks.collect(), ..self.clone() }
    }
}

impl Review {
    fn inverse(&self) -> Self {
        let outcome = self.outcome.as_ref().map(|outcome| {
            let files = outcome.files.iter().map(DecidedFile::inverse).collect();
            Arc::new(ReviewOutcome { files, undoes: outcome.undoes.clone() })
        });
        let choices = self.choices.iter().map(|choice| choice.inverse()).collect();
        Self { choices, outcome, ..self.clone() }
    }
}

impl Proposal {
    /// Returns the proposal as people and clients see it.
    pub fn as_seen(&self) -> Cow<'_, Self> {
        if self.landed.is_none() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            files: self.files.iter().map(PlannedFile::inverse).collect(),
            paths: self.paths.iter().map(PathChange::inverse).collect(),
            review: self.review.as_ref().map(Review::inverse),
            ..self.clone()
        })
    }

    /// Returns the state of the proposal while a person has to decide.
    pub fn waiting_state(&self) -> ProposalState {
        if self.landed.is_some() { ProposalState::Landed } else { ProposalState::Pending }
    }

    /// Returns the state that is reported: one that has its own name.
    pub fn reported_state(&self) -> ProposalState {
        match self.state {
            ProposalState::Applying => ProposalState::Proposed,
            ProposalState::Deciding => self.waiting_state(),
            state => state,
        }
    }

    /// Returns the state of the proposal with all hunks decided as in `review`.
    pub fn verdict(&self, review: &Review) -> ProposalState {
        let is_edited = review.choices.contains(&Choice::Edited);
        match (&self.landed, review.verdict()) {
            (Some(_), _) if is_edited => ProposalState::Partial,
            (Some(_), ProposalState::Applied) => ProposalState::Rejected,
            (Some(_), ProposalState::Rejected) => ProposalState::Applied,
            (_, state) => state,
        }
    }
}
