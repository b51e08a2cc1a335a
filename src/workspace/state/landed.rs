//! Reviews of changes that have landed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::history::{PastEntry, PathChange};
use crate::limits::{LANDED_BYTES, LANDED_BYTES_OF_ALL, LANDED_REVIEWS, LANDED_WAITING};
use crate::proposal::{OnStale, PlannedFile, Proposal, ProposalId, ProposalState};
use crate::refusal::{Refusal, RefusalKind};
use crate::review::{Choice, Landed, Review};
use crate::session::{Role, SessionId};

use super::Workspace;

/// Reason of a review without texts.
const FOLDED: &str = "the texts are only in the history, because many changes wait for review";

/// Reason of the newest review of an author with too many.
const NO_MORE: &str =
    "later changes of this author have no review, because too many wait; `editd log` lists them";

/// Reason for the state of a review whose change was undone in another way.
const UNDONE: &str = "the change was undone";

/// Adds the reason of a review without texts to another one.
fn with_folded(reason: Option<String>) -> String {
    reason.map_or_else(|| FOLDED.to_owned(), |reason| format!("{reason}; {FOLDED}"))
}

impl Workspace {
    /// Opens a review of a landed change, or of a part of it, at the time `at`. `reason` is shown with it. `files` and `paths` would revert it.
    /// Beyond the limits, the oldest reviews of the author lose their texts; each of their files is then kept or
    /// reverted as a whole.
    ///
    /// Refuses changes of an author of whom too many wait, and says so in the newest review.
    pub fn review_landed(
        &mut self,
        (entry, label, reason): (&PastEntry, Option<String>, Option<String>),
        root: &Path,
        (mut files, paths): (Vec<PlannedFile>, Vec<PathChange>),
        at: SystemTime,
    ) -> Result<ProposalId, Refusal> {
        self.require_few_landed(&entry.author)?;
        let mut wanted: u64 = files.iter().map(PlannedFile::landed_weight).sum();
        let is_large = wanted > LANDED_BYTES;
        if is_large {
            files = files.iter().map(|file| file.folded(&entry.id)).collect();
            wanted = 0;
        }
        self.fold_landed_of(&entry.author, wanted);
        self.fold_landed_of_all(wanted);
        // Closed proposals make room. Open ones of the author must not keep a change from its review.
        self.proposals.make_room(&entry.author, self.limits.proposals).ok();
        let mut proposal = Proposal {
            id: self.proposals.next_id(),
            session: SessionId(0),
            role: Role::Agent,
            roots: vec![root.to_owned()],
            author: entry.author.clone(),
            session_name: entry.session.clone().unwrap_or_default(),
            origin: entry.origin.clone(),
            request: None,
            label,
            revision: 1,
            state: ProposalState::Landed,
            reason: if is_large { Some(with_folded(reason)) } else { reason },
            replaced_by: None,
            on_stale: OnStale::Rebase,
            at,
            transaction: None,
            undoes: None,
            landed: Some(Landed { transaction: entry.id.clone(), is_reported: false }),
            files: files.into(),
            paths: paths.into(),
            review: None,
        };
        proposal.review = Some(Review::open(proposal.hunk_count()));
        let id = proposal.id.clone();
        self.proposals.add(proposal);
        self.announce(&id.0, None);
        Ok(id)
    }

    fn require_few_landed(&mut self, author: &str) -> Result<(), Refusal> {
        let of_author = self.landed().filter(|proposal| proposal.author == author);
        let (count, newest) = of_author.fold((0, None), |(count, _), it| (count + 1, Some(it.id.clone())));
        let Some(newest) = newest.filter(|_| count >= LANDED_WAITING) else { return Ok(()) };
        self.proposals.update(&newest.0, |proposal| proposal.reason = Some(NO_MORE.to_owned()));
        let what = format!("{count} changes of this author wait for review, which is the limit");
        Err(Refusal::new(RefusalKind::Busy { what }))
    }

    /// Returns the reviews of landed changes that wait, oldest first.
    fn landed(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals.open().filter(|proposal| proposal.state == ProposalState::Landed)
    }

    /// Drops the texts of the oldest reviews of an author, until one with `wanted` bytes of text fits.
    fn fold_landed_of(&mut self, author: &str, wanted: u64) {
        let with_texts = self.landed().filter(|it| it.author == author && !it.is_folded());
        let open: Vec<_> = with_texts.map(|it| (it.id.clone(), it.landed_weight(), it.is_begun())).collect();
        let mut count = open.len() + 1;
        let mut bytes = open.iter().map(|(_, weight, _)| weight).sum::<u64>() + wanted;
        // What a person has begun to decide stays as it was shown.
        for (id, weight, _) in open.into_iter().filter(|(.., is_begun)| !is_begun) {
            if count <= LANDED_REVIEWS && bytes <= LANDED_BYTES {
                return;
            }
            (count, bytes) = (count - 1, bytes - weight);
            self.fold_landed(&id);
        }
    }

    /// Drops the oldest texts of the author with the most, until a review with `wanted` bytes of text fits.
    fn fold_landed_of_all(&mut self, wanted: u64) {
        loop {
            let mut of_authors = BTreeMap::<&str, (u64, Option<ProposalId>)>::new();
            for proposal in self.landed() {
                let (bytes, oldest) = of_authors.entry(&proposal.author).or_default();
                *bytes += proposal.landed_weight();
                if oldest.is_none() && !proposal.is_folded() && !proposal.is_begun() {
                    *oldest = Some(proposal.id.clone());
                }
            }
            let all: u64 = of_authors.values().map(|(bytes, _)| bytes).sum();
            let most = of_authors.into_values().filter(|(_, oldest)| oldest.is_some()).max_by_key(|it| it.0);
            let Some((_, Some(oldest))) = most.filter(|_| all + wanted > LANDED_BYTES_OF_ALL) else { return };
            self.fold_landed(&oldest);
        }
    }

    fn fold_landed(&mut self, id: &ProposalId) {
        self.proposals.update(&id.0, |proposal| {
            let Some(landed) = &proposal.landed else { return };
            proposal.files = proposal.files.iter().map(|file| file.folded(&landed.transaction)).collect();
            proposal.review = Some(Review::open(proposal.hunk_count()));
            proposal.reason = Some(with_folded(proposal.reason.take()));
            proposal.revision += 1;
        });
        self.announce(&id.0, None);
    }

    /// Closes the reviews of a landed change that was undone in another way.
    pub fn landed_undone(&mut self, transaction: &str) {
        let is_of = |proposal: &&Proposal| {
            let landed = proposal.landed.as_ref().filter(|_| proposal.state == ProposalState::Landed);
            landed.is_some_and(|landed| *landed.transaction == *transaction)
        };
        let undone: Vec<_> =
            self.proposals.open().filter(is_of).map(|proposal| proposal.id.clone()).collect();
        for id in undone {
            self.close_landed(&id, ProposalState::Rejected, UNDONE);
        }
    }

    fn close_landed(&mut self, id: &ProposalId, state: ProposalState, reason: &str) {
        self.proposals.update(&id.0, |proposal| {
            proposal.reason = Some(reason.to_owned());
            proposal.revision += 1;
        });
        self.close_proposal(&id.0, state, None);
    }

    /// Returns the decided reviews of landed changes that the author has not received yet, oldest first. Each is
    /// returned once, and only if a person has reverted or commented on a part of the change. Without the name of a
    /// session, returns those of runs that no tool of a program has made.
    pub fn take_landed_outcomes(&mut self, author: &str, session_name: Option<&str>) -> Vec<Proposal> {
        let is_of_author = |proposal: &Proposal| match session_name {
            Some(name) => *proposal.session_name == *name,
            None => proposal.origin.tool_call.is_none(),
        };
        let is_new = |proposal: &&Proposal| {
            proposal.author == author
                && is_of_author(proposal)
                && !proposal.state.is_open()
                && proposal.landed.as_ref().is_some_and(|landed| !landed.is_reported)
        };
        let ids: Vec<_> = self.proposals.all().filter(is_new).map(|proposal| proposal.id.clone()).collect();
        let mut outcomes = Vec::new();
        for id in ids {
            self.proposals.update(&id.0, |proposal| {
                if let Some(landed) = &mut proposal.landed {
                    landed.is_reported = true;
                }
                if proposal.review.as_ref().is_some_and(Review::says_something) {
                    outcomes.push(proposal.clone());
                }
            });
        }
        outcomes
    }
}

impl Review {
    /// Returns `true` if a person has decided, and has reverted a part of the landed change or commented on it.
    fn says_something(&self) -> bool {
        let reverts = self.choices.iter().any(|choice| choice.has_effect());
        self.outcome.is_some() && (reverts || !self.comments.is_empty())
    }
}

impl Proposal {
    /// Returns the bytes of text in the change and in the contents that it applies to.
    fn landed_weight(&self) -> u64 {
        self.files.iter().map(PlannedFile::landed_weight).sum()
    }

    /// Returns `true` if it has no texts.
    fn is_folded(&self) -> bool {
        self.files.iter().all(PlannedFile::is_folded)
    }

    /// Returns `true` if a person has decided about a part of it, or commented on it.
    fn is_begun(&self) -> bool {
        let is_begun = |review: &Review| {
            !review.comments.is_empty() || review.choices.iter().any(|choice| *choice != Choice::Open)
        };
        self.review.as_ref().is_some_and(is_begun)
    }
}

impl PlannedFile {
    /// Returns the bytes of text in the change and in the content that it applies to.
    fn landed_weight(&self) -> u64 {
        self.weight() + self.before.as_ref().map_or(0, |before| before.text.len_bytes() as u64)
    }
}
