use std::sync::Arc;
use std::time::SystemTime;

use crate::edit::{FileDiff, Plan};
use crate::text::ContentHash;
use crate::workspace::review::Review;
use crate::workspace::{
    FileKey, OnStale, OwnEdits, PlannedFile, Proposal, ProposalRefusal, ProposalState, Refusal, RefusalKind,
    Repeatable, Role, Seen, SessionId,
};

use crate::workspace::limits::{KEPT_DIFF, KEPT_MATCHES};

use super::Workspace;

/// What a proposal is made of.
#[derive(Debug)]
pub struct NewProposal {
    /// The session that makes it.
    pub session: SessionId,
    /// The author it will belong to.
    pub author: String,
    /// What it is for.
    pub label: Option<String>,
    /// The proposal that it takes the place of.
    pub replaces: Option<String>,
    /// What to do where the files change meanwhile.
    pub on_stale: OnStale,
    /// Now.
    pub at: SystemTime,
    /// What is to become of it next.
    pub purpose: MadeFor,
    /// The request that made it, if that may be sent again.
    pub request: Option<Repeatable>,
    /// The transaction that it takes back.
    pub undoes: Option<Arc<str>>,
    /// The changes.
    pub files: Vec<PlannedFile>,
}

/// What a proposal is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeFor {
    /// To be looked at, and maybe applied later.
    Looking,
    /// To be applied at once, so that nobody else can act on it.
    Applying,
    /// To be decided by a person.
    Reviewing,
}

/// What has to be done for one file of a proposal that is to be applied.
#[derive(Clone, Debug)]
pub enum ApplyStep {
    /// It is as it was when the plan was made.
    Ready,
    /// It is already what the plan would make of it.
    Done,
    /// It is as it was but for the author's own later edits, through which the plan can be carried.
    Carry(Vec<Arc<Plan>>),
    /// A person has typed in it, and nobody else has changed it but the author.
    CarryTyped,
    /// Somebody else changed it.
    Moved,
}

impl Workspace {
    /// Adds a proposal; the one that it replaces is closed.
    pub fn add_proposal(&mut self, new: NewProposal) -> Result<Proposal, Refusal> {
        if let Some(replaced) = &new.replaces {
            self.open_proposal(new.session, replaced, None)?;
        }
        self.proposals.make_room(&new.author, self.limits.proposals)?;
        self.proposals.check_size(&new.files, self.limits.proposal_bytes)?;
        let id = self.proposals.next_id();
        let session = self.sessions.get(&new.session);
        let mut proposal = Proposal {
            id: id.clone(),
            session: new.session,
            role: session.map_or(Role::Agent, |session| session.role),
            roots: session.map(|session| session.roots.clone()).unwrap_or_default(),
            author: new.author,
            session_name: session.map(|session| session.name.clone()).unwrap_or_default(),
            request: new.request,
            label: new.label,
            revision: 1,
            state: match new.purpose {
                MadeFor::Looking => ProposalState::Proposed,
                MadeFor::Applying => ProposalState::Applying,
                MadeFor::Reviewing => ProposalState::Pending,
            },
            reason: None,
            replaced_by: None,
            on_stale: new.on_stale,
            at: new.at,
            transaction: None,
            undoes: new.undoes,
            files: new.files.into(),
            review: None,
        };
        if new.purpose == MadeFor::Reviewing {
            proposal.review = Some(Review::open(proposal.hunk_count()));
        }
        self.proposals.add(proposal.clone());
        if new.purpose == MadeFor::Reviewing {
            self.announce(&proposal, Some(new.session));
        }
        if let Some(replaced) = &new.replaces {
            if let Some(old) = self.proposals.get_mut(replaced) {
                old.replaced_by = Some(id);
            }
            self.close_proposal(replaced, ProposalState::Superseded, Some(new.session));
        }
        Ok(proposal)
    }

    /// A proposal, if the session may see it.
    pub fn proposal(&self, session: SessionId, id: &str) -> Result<&Proposal, Refusal> {
        self.proposals.get(id).filter(|proposal| self.may_see(session, proposal)).ok_or_else(|| {
            Refusal::new(RefusalKind::Proposal(ProposalRefusal::Unknown { id: id.to_owned() }))
        })
    }

    /// The proposals that the session may see, oldest first.
    pub fn proposals(&self, session: SessionId, state: Option<&str>) -> Vec<&Proposal> {
        let matches = |proposal: &&Proposal| state.is_none_or(|state| proposal.state.name() == state);
        let visible = |proposal: &&Proposal| self.may_see(session, proposal);
        self.proposals.all().filter(visible).filter(matches).collect()
    }

    /// Takes a proposal back.
    pub fn discard(
        &mut self,
        session: SessionId,
        id: &str,
        reason: Option<String>,
    ) -> Result<Proposal, Refusal> {
        self.open_proposal(session, id, None)?;
        if let Some(proposal) = self.proposals.get_mut(id) {
            proposal.reason = reason;
        }
        self.close_proposal(id, ProposalState::Discarded, Some(session));
        self.proposal(session, id).cloned()
    }

    /// Starts to apply a proposal to the files as they were just seen, in the order of its files. Until
    /// [`applied`](Self::applied) or [`not_applied`](Self::not_applied) nobody else can.
    pub fn begin_apply(
        &mut self,
        session: SessionId,
        id: &str,
        seen: &[Seen],
    ) -> Result<Vec<ApplyStep>, Refusal> {
        self.proposal_to_apply(session, id, None)?;
        for file in seen {
            self.observe(file);
        }
        let Some(proposal) = self.proposals.get(id) else { return Ok(Vec::new()) };
        let steps: Vec<_> =
            proposal.files.iter().zip(seen).map(|(file, seen)| self.step(session, file, seen)).collect();
        let done = steps.iter().all(|step| matches!(step, ApplyStep::Done));
        match proposal.state {
            ProposalState::Applied if !done => return Err(closed(proposal)),
            ProposalState::Applied => {}
            _ => self.proposals.set_state(id, ProposalState::Applying),
        }
        Ok(steps)
    }

    fn step(&self, session: SessionId, file: &PlannedFile, seen: &Seen) -> ApplyStep {
        let now = seen.truth.hash();
        if now == file.hash_before {
            return ApplyStep::Ready;
        }
        if now == file.hash_after && file.action.keeps_path() {
            return ApplyStep::Done;
        }
        let (Some(from), Some(to)) = (file.hash_before, now) else { return ApplyStep::Moved };
        match self.log.own_edits(&file.key, session, from, to) {
            Some(OwnEdits::Plans(plans)) => ApplyStep::Carry(plans),
            Some(OwnEdits::Typed) => ApplyStep::CarryTyped,
            None => ApplyStep::Moved,
        }
    }

    /// The proposal was applied, in that transaction if anything had to be written; `files` is what was done
    /// in the end, if it had to be carried along. Gives the transaction that the proposal was applied in.
    pub fn applied(
        &mut self,
        session: SessionId,
        id: &str,
        transaction: Option<Arc<str>>,
        files: Option<Vec<PlannedFile>>,
    ) -> Option<Arc<str>> {
        let known = self.proposals.get(id).and_then(|proposal| proposal.transaction.clone());
        let transaction = transaction.or(known);
        if let Some(proposal) = self.proposals.get_mut(id) {
            proposal.transaction.clone_from(&transaction);
            if let Some(files) = files {
                proposal.files = files.into();
            }
        }
        self.close_proposal(id, ProposalState::Applied, Some(session));
        transaction
    }

    /// The attempt to apply it ended otherwise: in `Proposed` it can be tried again.
    pub fn not_applied(&mut self, session: SessionId, id: &str, state: ProposalState) {
        if state == ProposalState::Proposed {
            self.proposals.set_state(id, state);
        } else {
            self.close_proposal(id, state, Some(session));
        }
    }

    /// The open proposal of that id, at that revision if one is named, if the session may act on it.
    pub fn open_proposal(
        &self,
        session: SessionId,
        id: &str,
        revision: Option<u32>,
    ) -> Result<&Proposal, Refusal> {
        let proposal = self.proposal(session, id)?;
        if !self.may_act(session, proposal) {
            return Err(Refusal::new(RefusalKind::Proposal(ProposalRefusal::Unknown { id: id.to_owned() })));
        }
        match proposal.state {
            ProposalState::Superseded => Err(superseded(proposal)),
            ProposalState::Applying | ProposalState::Deciding => {
                let what = format!("proposal `{id}` is being applied already");
                Err(Refusal::new(RefusalKind::Busy { what }))
            }
            state if !state.is_open() => Err(closed(proposal)),
            _ => at_revision(proposal, revision),
        }
    }

    /// The same for somebody who wants to apply it. One that is applied already may be applied again: if the
    /// files are what it made of them, for instance because somebody else was faster, that is the answer.
    pub fn proposal_to_apply(
        &self,
        session: SessionId,
        id: &str,
        revision: Option<u32>,
    ) -> Result<&Proposal, Refusal> {
        match self.proposal(session, id)? {
            proposal
                if proposal.is_reviewed()
                    && proposal.state != ProposalState::Superseded
                    && self.may_act(session, proposal) =>
            {
                Self::decided_already(proposal, revision)
            }
            proposal if proposal.state == ProposalState::Applied && self.may_act(session, proposal) => {
                Ok(proposal)
            }
            _ => self.open_proposal(session, id, revision),
        }
    }

    /// Files can come to be what a proposal wanted without editd, for instance when an editor applies its
    /// `workspaceEdit`.
    pub(super) fn close_proposals_that_came_true(&mut self, key: &FileKey, hash: Option<ContentHash>) {
        let documents = &self.documents;
        let is_true = |file: &PlannedFile| {
            // Of a file that nobody reads, nothing is known.
            let known = documents.get(&file.key).map(|document| document.current);
            let now = if file.key == *key { Some(hash) } else { known };
            file.action.keeps_path() && now == Some(file.hash_after)
        };
        let came_true: Vec<_> = (self.proposals.open())
            .filter(|p| p.state == ProposalState::Proposed && p.files.iter().any(|file| file.key == *key))
            .filter(|proposal| proposal.files.iter().all(is_true))
            .map(|proposal| proposal.id.clone())
            .collect();
        for id in came_true {
            self.close_proposal(&id.0, ProposalState::Applied, None);
        }
    }

    /// Closes a proposal, drops the texts that it held, and tells its author's sessions but the one that
    /// learns it from an answer.
    pub(super) fn close_proposal(&mut self, id: &str, state: ProposalState, actor: Option<SessionId>) {
        let Some(proposal) = self.proposals.get_mut(id).filter(|proposal| proposal.state != state) else {
            return;
        };
        let reviewed = proposal.is_reviewed();
        proposal.files = proposal.files.iter().map(|file| file.without_texts(reviewed)).collect();
        if let Some(review) = &mut proposal.review {
            review.replaced.clear();
        }
        self.proposals.set_state(id, state);
        if let Some(proposal) = self.proposals.get(id).cloned() {
            self.announce(&proposal, actor);
        }
    }

    fn may_see(&self, session: SessionId, proposal: &Proposal) -> bool {
        let Some(viewer) = self.sessions.get(&session) else { return false };
        viewer.role == Role::Editor
            || (self.may_act(session, proposal)
                && (viewer.id == proposal.session || proposal.files.iter().all(|f| viewer.covers(&f.path))))
    }
}

pub(super) fn closed(proposal: &Proposal) -> Refusal {
    let (state, current_revision) = (proposal.state.name(), proposal.revision);
    let transaction = proposal.transaction.as_ref().map(ToString::to_string);
    Refusal::new(RefusalKind::Proposal(ProposalRefusal::Closed { state, current_revision, transaction }))
}

/// The proposal, if it is at the revision that was named.
pub(super) fn at_revision(proposal: &Proposal, named: Option<u32>) -> Result<&Proposal, Refusal> {
    let current_revision = proposal.revision;
    match named.filter(|named| *named != current_revision) {
        None => Ok(proposal),
        Some(named) => {
            let refusal = ProposalRefusal::OtherRevision { named, current_revision };
            Err(Refusal::new(RefusalKind::Proposal(refusal)))
        }
    }
}

pub(super) fn superseded(proposal: &Proposal) -> Refusal {
    let (current_revision, by) = (proposal.revision, proposal.replaced_by.clone());
    Refusal::new(RefusalKind::Proposal(ProposalRefusal::Superseded { current_revision, by }))
}

impl PlannedFile {
    /// Bytes of text that it holds, about.
    pub(super) fn weight(&self) -> u64 {
        let new: usize = self.plan.splices().iter().map(|splice| splice.text.len()).sum();
        let shown = self.shown.as_ref().map_or(0, |shown| shown.text.len());
        (new + self.diff.unified.len() + shown) as u64
    }

    /// The same for the record, without what only applying it needs and without what is too long to keep.
    fn without_texts(&self, reviewed: bool) -> Self {
        let mut kept = Self { before: None, plan: Arc::new(Plan::empty(0)), alone: None, ..self.clone() };
        kept.matches.truncate(KEPT_MATCHES);
        kept.shown = kept.shown.filter(|shown| shown.text.len() <= KEPT_DIFF);
        if self.diff.unified.len() > KEPT_DIFF {
            // What a person said is said of hunks.
            let hunks = if reviewed { self.diff.hunks.clone() } else { Vec::new() };
            kept.diff = Arc::new(FileDiff { unified: String::new(), hunks, ..(*self.diff).clone() });
            kept.warnings.push("The diff of this closed proposal was too long to be kept.".to_owned());
        }
        kept
    }
}
