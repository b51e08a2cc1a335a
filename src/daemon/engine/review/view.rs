//! Proposals as their readers see them.

use std::ops::Range;

use crate::engine::review::ReviewFile;
use crate::engine::review::decide::Decided;
use crate::engine::{Engine, SessionContext};
use editd_edit::Hunk;
use editd_workspace::review::{Choice, HunkKind, RebasedHunk, Review};
use editd_workspace::{PlannedFile, Proposal, Role};

/// A proposal as its readers see it.
pub(crate) enum ProposalView {
    /// A proposal as it was made or decided.
    Stored(Proposal),
    /// A pending proposal, rebased onto the current content of its files.
    Rebased(Proposal, Vec<RebasedView>),
}

/// A file of a pending proposal on its current content.
pub(crate) struct RebasedView {
    /// The change of the file if all undecided hunks were accepted.
    pub(crate) file: PlannedFile,
    /// `false` if the file would stay as it is.
    pub(crate) is_change: bool,
    /// The reason why the file cannot be changed.
    pub(crate) problem: Option<String>,
    pub(crate) hunks: Vec<HunkView>,
}

/// A hunk of a pending proposal.
pub(crate) struct HunkView {
    pub(crate) kind: HunkKind,
    pub(crate) lines: Hunk,
    pub(crate) choice: Choice,
    pub(crate) conflicted: bool,
    /// The old and the new text, for reviewers.
    pub(crate) texts: Option<(String, String)>,
}

impl RebasedView {
    /// Returns the view of the change in the other direction: it has landed, so nothing remains to be changed.
    fn inverse(self) -> Self {
        let hunks = self.hunks.into_iter().map(HunkView::inverse).collect();
        Self { file: self.file.inverse(), is_change: false, hunks, ..self }
    }
}

impl HunkView {
    fn inverse(self) -> Self {
        Self {
            kind: self.kind.inverse(),
            lines: self.lines.inverse(),
            choice: self.choice.inverse(),
            conflicted: self.conflicted,
            texts: self.texts.map(|(old, new)| (new, old)),
        }
    }
}

impl Engine {
    /// Returns a proposal as the session sees it now.
    pub(crate) fn view(&self, session: &SessionContext, proposal: Proposal) -> ProposalView {
        if !proposal.state.is_pending() {
            return ProposalView::Stored(proposal);
        }
        let (proposal, _, files) = self.observe_review(self.locate_review(proposal), self.deadline());
        self.rebased_view(session, proposal, files)
    }

    pub(crate) fn rebased_view(
        &self,
        session: &SessionContext,
        proposal: Proposal,
        files: Vec<ReviewFile>,
    ) -> ProposalView {
        let review = proposal.review.clone().unwrap_or_else(|| Review::open(proposal.hunk_count()));
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        let view =
            |(index, ((file, reviewed), range)): (usize, ((&PlannedFile, ReviewFile), Range<usize>))| {
                let choices = &review.choices[range];
                let hunks = hunk_views(file, &reviewed, choices, session.role == Role::Editor);
                let refusal = reviewed.located.as_ref().err();
                let problem = refusal.map(|refusal| refusal.message(session.abilities.audience));
                let (file, is_change) = self.if_accepted(file, reviewed, &review, (index, choices));
                let view = RebasedView { file, is_change, problem, hunks };
                if proposal.landed.is_some() { view.inverse() } else { view }
            };
        let files = of_files.enumerate().map(view).collect();
        ProposalView::Rebased(proposal, files)
    }

    /// Returns the change of a file on the current content, as if all undecided hunks were accepted. The flag
    /// is `false` if nothing would change.
    fn if_accepted(
        &self,
        file: &PlannedFile,
        reviewed: ReviewFile,
        review: &Review,
        (index, choices): (usize, &[Choice]),
    ) -> (PlannedFile, bool) {
        let replacement = review.replaced.get(&index);
        let is_declined = |choice: &Choice| matches!(choice, Choice::Rejected | Choice::Edited);
        if reviewed.is_fresh(file) && replacement.is_none() && !choices.iter().any(is_declined) {
            return (file.clone(), true);
        }
        let all: Vec<Choice> =
            choices.iter().map(|choice| if is_declined(choice) { *choice } else { Choice::Taken }).collect();
        let decided = Decided { file, choices: &all, replacement };
        match self.compute_decided(&decided, reviewed) {
            Ok(Some(computed)) => (computed.into_file(), true),
            Ok(None) | Err(_) => (file.clone(), false),
        }
    }
}

fn hunk_views(
    file: &PlannedFile,
    reviewed: &ReviewFile,
    choices: &[Choice],
    with_texts: bool,
) -> Vec<HunkView> {
    let now = reviewed.text().unwrap_or_default();
    let lines = reviewed.rebased.lines(&file.hunks(), choices);
    let hunks = reviewed.rebased.hunks.iter().zip(lines).zip(choices);
    let view = |((hunk, lines), choice): ((&RebasedHunk, Hunk), &Choice)| {
        let texts = with_texts.then(|| reviewed.rebased.texts(hunk, now)).flatten();
        HunkView { kind: hunk.kind, lines, choice: *choice, conflicted: hunk.conflicted, texts }
    };
    hunks.map(view).collect()
}
