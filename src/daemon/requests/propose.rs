use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use crate::disk::Target;
use crate::edit::EditRefusalKind;
use crate::protocol::{ProposeParams, ProposeResult};
use crate::text::ContentHash;
use crate::workspace::{
    Action, BaseState, NewProposal, NextStep, ObservedVersion, Proposal, Refusal, RefusalKind, Repeatable,
};

use crate::daemon::change::RequestedChange;
use crate::daemon::change::commit::PendingWrite;
use crate::daemon::change::compute::ComputeOptions;
use crate::daemon::files::observe::Observed;
use crate::daemon::job::Job;
use crate::daemon::workspace_handle::WorkspaceState;
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

use super::call::{Call, Header};
use super::once::Kind;
use super::patched::PatchInfo;

/// The origin of a proposal.
pub(super) struct Origin {
    pub(super) purpose: NextStep,
    /// The `requestId`, if the request has one.
    pub(super) request: Option<Repeatable>,
    /// The transaction that the proposal undoes.
    pub(super) undoes: Option<Arc<str>>,
}

impl Daemon {
    /// `editd/propose`.
    pub async fn propose(
        &self,
        session: &Arc<SessionContext>,
        params: ProposeParams,
    ) -> Result<ProposeResult, Failure> {
        let call = Call::read(params, Kind::Propose, session, &self.core.config.limits)?;
        let work = move |core: &Core, session: &SessionContext, call: Call<Target>, _: &Job| {
            let (author, request) = (call.header.author.clone(), call.request.clone());
            core.answer_once(&author, request, || {
                core.review_for_call(&call, None)?;
                let origin = Origin { purpose: NextStep::Inspecting, request: None, undoes: None };
                let (header, mut writes) = core.compute(session, call)?;
                let proposal = core.record_proposal(session, &header, &mut writes, origin)?;
                Ok(answer::proposal(&proposal, session.encoding))
            })
        };
        self.core.on_files(session, |core, session| call.locate(core, session), work).await
    }
}

impl Core {
    /// Observes all files of a call and computes all changes. Reports every refusal, in order.
    pub(crate) fn compute(
        &self,
        session: &SessionContext,
        call: Call<Target>,
    ) -> Result<(Header, Vec<PendingWrite>), Failure> {
        let Call { header, matching, files, patch, .. } = call;
        let rules = ComputeOptions {
            indexes: &self.indexes,
            matching,
            on_stale: header.on_stale,
            display: header.display,
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        match self.compute_files(session, &rules, files) {
            Ok(writes) => Ok((header, writes)),
            Err(failure) => Err(PatchInfo::add_lines(patch.as_ref(), failure)),
        }
    }

    fn compute_files(
        &self,
        session: &SessionContext,
        rules: &ComputeOptions<'_>,
        files: Vec<RequestedChange<Target>>,
    ) -> Result<Vec<PendingWrite>, Failure> {
        let changes = self.observe_all(files)?;
        let bases = self.bases_of(session, &changes);
        let has_pending = self.workspace.has_pending();
        let (mut writes, mut refusals) = (Vec::new(), Vec::new());
        for (change, base) in changes.into_iter().zip(bases) {
            let (index, to) = (change.index, change.new_target().cloned());
            let key = change.file.target.key.clone();
            // The edits are needed only to search pending proposals for their texts.
            let edits = if has_pending { change.kind.edits().to_vec() } else { Vec::new() };
            let is_empty = change.file.text.as_ref().is_some_and(|text| text.is_empty());
            match change.compute(&base, rules) {
                Ok(computed) => {
                    writes.push(PendingWrite::new(index, computed, to));
                }
                Err(reasons) => {
                    let reasons = self.explain_by_pending(session, &key, &edits, reasons);
                    refusals.extend(reasons.into_iter().map(|reason| refuse_empty(reason, is_empty)));
                }
            }
        }
        refusals.extend(duplicate_paths(&writes));
        if !refusals.is_empty() {
            return Err(Failure::Refused(refusals));
        }
        Ok(writes)
    }

    fn observe_all(
        &self,
        changes: Vec<RequestedChange<Target>>,
    ) -> Result<Vec<RequestedChange<Observed>>, Failure> {
        let (mut observed, mut refusals) = (Vec::new(), Vec::new());
        for change in changes {
            let index = change.index;
            match self.observe_change(change) {
                Ok(change) => observed.push(change),
                Err(refusal) => refusals.push(refusal.of_change(index)),
            }
        }
        if refusals.is_empty() { Ok(observed) } else { Err(Failure::Refused(refusals)) }
    }

    fn observe_change(&self, change: RequestedChange<Target>) -> Result<RequestedChange<Observed>, Refusal> {
        let observe = |target| self.observe_to_change(target);
        change.advance(observe, observe)
    }

    fn bases_of(&self, session: &SessionContext, changes: &[RequestedChange<Observed>]) -> Vec<BaseState> {
        let files: Vec<_> = changes.iter().map(|change| (change.file.version(), change.base)).collect();
        let mut bases = self.base_states(session, &files);
        for base in &mut bases {
            if let BaseState::Moved { base, was_given: true, text: text @ None, .. } = base {
                *text = self.stored_base(*base);
            }
        }
        bases
    }

    /// Compares files with the content that the session was given.
    pub(super) fn base_states(
        &self,
        session: &SessionContext,
        files: &[(ObservedVersion, Option<ContentHash>)],
    ) -> Vec<BaseState> {
        let state = |w: &mut WorkspaceState, (seen, sent): &(ObservedVersion, Option<ContentHash>)| {
            w.base_state(session.id, seen, *sent)
        };
        self.workspace.update(|w| files.iter().map(|file| state(w, file)).collect())
    }

    /// Stores a proposal in the workspace.
    pub(super) fn record_proposal(
        &self,
        session: &SessionContext,
        header: &Header,
        writes: &mut [PendingWrite],
        Origin { purpose, request, undoes }: Origin,
    ) -> Result<Proposal, Failure> {
        for write in writes.iter_mut() {
            write.computed.settle();
        }
        let new = NewProposal {
            session: session.id,
            author: header.author.clone(),
            label: header.label.clone(),
            replaces: header.replaces.clone(),
            on_stale: header.on_stale,
            at: SystemTime::now(),
            purpose,
            request,
            undoes,
            files: writes.iter().map(|write| write.computed.file.clone()).collect(),
        };
        Ok(self.workspace.update(|w| w.add_proposal(new))?)
    }
}

/// Replaces a "not found" refusal for an empty file with the refusal for empty files.
fn refuse_empty(refusal: Refusal, is_empty: bool) -> Refusal {
    let not_found = matches!(refusal.kind, RefusalKind::Edit(EditRefusalKind::NotFound { .. }));
    let kind = if is_empty && not_found { RefusalKind::EmptyFile } else { refusal.kind };
    Refusal { kind, ..refusal }
}

/// Returns refusals for changes with the same resulting path as another change of the call.
fn duplicate_paths(writes: &[PendingWrite]) -> Vec<Refusal> {
    let (mut paths, mut refusals) = (HashSet::new(), Vec::new());
    for write in writes.iter().filter(|write| write.computed.file.action != Action::Delete) {
        let path = write.to.as_ref().map_or(&write.computed.file.path, |to| &to.path);
        if !paths.insert(path) {
            refusals.push(Refusal::at(path, RefusalKind::Exists).of_change(write.index));
        }
    }
    refusals
}
