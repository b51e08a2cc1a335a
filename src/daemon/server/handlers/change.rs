//! Methods that propose, apply and undo changes.

mod elsewhere;
mod globs;
mod served;

use std::sync::Arc;

use self::elsewhere::renamed_symbol;
use super::search::path_of;
use crate::engine::change::perform::ChangeOutcome;
use crate::engine::change::request::Call;
use crate::engine::diagnostics::Watch;
use crate::engine::jobs::{Job, Located};
use crate::engine::undo::{MAX_TRIES, Selection, UndoOptions, UndoResult};
use crate::engine::{Engine, Failure, Result, SessionContext};
use crate::server::once::Kind;
use crate::server::retry::{Candidate, Expanded, Refusable};
use crate::server::{Daemon, decode, encode};
use editd_protocol::{
    ApplyParams, ApplyResult, EditParams, Invalid, ProposeParams, ProposeResult, UndoParams,
};
use editd_workspace::{ProposalRefusal, ProposalState, Refusal, RefusalKind, RequestedPath};

/// A request for a change, ready to be located.
struct Prepared {
    call: Call<RequestedPath>,
    /// The `review` parameter.
    review: Option<bool>,
    /// What is kept if the request is refused.
    refusable: Refusable,
}

impl Daemon {
    /// Decodes a request for a change, completed by the refused request that it sends again and by the files of a glob.
    async fn prepared(
        &self,
        session: &Arc<SessionContext>,
        (params, review): (ProposeParams, Option<bool>),
        kind: impl Fn(Option<bool>) -> Kind,
    ) -> Result<Prepared> {
        let named = params.retry.clone().or_else(|| params.accept.clone());
        let Expanded { params, review, retried, accepted } =
            self.refused.expanded(session.id, params, review)?;
        // What an offer shows cannot be sent again by another id: its file has changed.
        let candidate = accepted.is_empty().then(|| Candidate::of(&params, review)).flatten();
        let call = decode::call(params, kind(review), session, &self.engine.config)?;
        let mut call = Call { retried, accepted, ..call };
        // The futures of the rarer forms are large. Other calls do not carry them.
        if renamed_symbol(&call).is_some() {
            call = Box::pin(self.served(session, call)).await?;
        }
        if call.spread.is_some() {
            // A rename of several files lists the other places itself.
            call = Box::pin(self.spread(session, call)).await?;
        } else if let Some(renamed) = renamed_symbol(&call) {
            call.notes.extend(Box::pin(self.note_of_names_elsewhere(session, renamed)).await);
        }
        self.refused.forget(named.as_deref());
        let refusable = Refusable { candidate, seen: call.seen.clone() };
        Ok(Prepared { call, review, refusable })
    }

    /// `editd/propose`.
    pub async fn propose(
        &self,
        session: &Arc<SessionContext>,
        params: ProposeParams,
    ) -> Result<ProposeResult> {
        let Prepared { call, refusable, .. } =
            self.prepared(session, (params, None), |_| Kind::Propose).await?;
        let answers = self.answers.clone();
        let locate = |engine: &_, session: &_| call.locate(engine, session);
        let proposed = self.engine.on_files(session, locate, move |engine, session, call, _| {
            let (author, request) = (call.header.author.clone(), call.request.clone());
            answers.once(&author, request, || {
                let proposal = engine.propose(session, call)?;
                Ok(encode::proposed(&proposal, session.encoding))
            })
        });
        proposed.await.map_err(|failure| self.refused.keep(session.id, refusable, failure))
    }

    /// `editd/edit`.
    pub async fn edit(&self, session: &Arc<SessionContext>, params: EditParams) -> Result<ApplyResult> {
        let ApplyParams { review, wait_ms, .. } = params.apply;
        let Prepared { call, review, refusable } =
            self.prepared(session, (params.propose, review), |review| Kind::Edit { review }).await?;
        let watch = Watch::of(params.apply.diagnostics_wait_ms);
        let (begin, answers) = (watch.clone(), self.answers.clone());
        let locate = |engine: &_, session: &_| call.locate(engine, session);
        let done = self.engine.on_files(session, locate, move |engine, session, call, job| {
            begin.begin(engine, call.targets());
            let (author, request) = (call.header.author.clone(), call.request.clone());
            answers.once(&author, request, || Ok(encoded(engine.edit(session, call, review, job)?, job)))
        });
        let done = done.await.map_err(|failure| self.refused.keep(session.id, refusable, failure))?;
        self.when_settled(session, done, wait_ms, watch).await
    }

    /// `editd/apply`.
    pub async fn apply(&self, session: &Arc<SessionContext>, params: ApplyParams) -> Result<ApplyResult> {
        let ApplyParams { id, revision, review, wait_ms, diagnostics_wait_ms } = params;
        let to_apply =
            self.engine.workspace.update(|w| w.proposal_to_apply(session.id, &id, revision).cloned());
        if to_apply?.is_reviewed() {
            return self.outcome(session, &id, wait_ms).await;
        }
        let watch = Watch::of(diagnostics_wait_ms);
        let (begin, asked) = (watch.clone(), id.clone());
        let applied = self.engine.on_files(
            session,
            move |engine, session| engine.locate_proposal(session, &asked, revision),
            move |engine, session, located, job| {
                begin.begin(engine, located.targets());
                Ok(encoded(engine.apply_or_review(session, located, review, job)?, job))
            },
        );
        let done = match applied.await {
            // A client that repeats the request because the answer was lost gets the outcome, whatever the
            // current content of the files.
            Err(refused @ Failure::Refused(_)) => match self.engine.known_proposal(session.id, &id) {
                Ok(proposal) if proposal.state == ProposalState::Applied => encode::undecided(&proposal),
                _ => return Err(refused),
            },
            done => done?,
        };
        self.when_settled(session, done, wait_ms, watch).await
    }

    /// Returns the answer to a request whose change is applied or under review. Waits for the outcome of a
    /// review until the timeout, and for the diagnostics of the change.
    async fn when_settled(
        &self,
        session: &Arc<SessionContext>,
        done: ApplyResult,
        wait_ms: Option<u64>,
        watch: Watch,
    ) -> Result<ApplyResult> {
        let is_unknown = |refusal: &Refusal| {
            matches!(refusal.kind, RefusalKind::Proposal(ProposalRefusal::Unknown { .. }))
        };
        let mut result = if done.state == ProposalState::Pending.as_ref() {
            match self.outcome(session, &done.id, wait_ms).await {
                // The proposal may no longer be stored.
                Err(Failure::Refused(refusals)) if refusals.iter().all(is_unknown) => done,
                outcome => outcome?,
            }
        } else {
            done
        };
        let fresh = watch.end(&self.engine, session, result.transaction.is_some()).await;
        if let Some(fresh) = fresh {
            result.diagnostics = Some(encode::diagnostics(fresh));
        }
        Ok(result)
    }

    /// `editd/undo`.
    pub async fn undo(&self, session: &Arc<SessionContext>, params: UndoParams) -> Result<ApplyResult> {
        let UndoParams { transaction, path, uri, own_session, review, wait_ms, preview, fingerprint } =
            params;
        let options = UndoOptions { preview, review, fingerprint };
        let mut selection = match (transaction, path_of(path, uri)?) {
            (Some(_), Some(_)) => {
                return Err(Invalid::new("path", "it cannot be combined with `transaction`").into());
            }
            (Some(id), None) => Selection::Id(id),
            (None, path) => Selection::Newest { path, own_session, skipped: Vec::new() },
        };
        for _ in 0..MAX_TRIES {
            let (wanted, options) = (selection.clone(), options.clone());
            let select = |engine: &_, session: &_| Engine::select(engine, session, wanted);
            let undone = self.engine.on_files(session, select, move |engine, session, selected, job| {
                Ok(match engine.undo(session, selected, &options, job)? {
                    UndoResult::Done(outcome) => Ok(encoded(outcome, job)),
                    UndoResult::Preview { undoes, files, fingerprint } => {
                        Ok(encode::preview_result(&undoes, &files, fingerprint))
                    }
                    UndoResult::NotNeeded { id, refusal } => Err((id, refusal)),
                })
            });
            match (undone.await?, &mut selection) {
                (Ok(mut result), selection) => {
                    if let (Some(file), Some(warning)) = (result.files.first_mut(), selection.skip_warning())
                    {
                        file.entry.warnings.push(warning);
                    }
                    return self.when_settled(session, result, wait_ms, Watch::of(None)).await;
                }
                (Err((_, refusal)), Selection::Id(_)) => return Err(refusal.into()),
                (Err((id, _)), Selection::Newest { skipped, .. }) => skipped.push(id),
            }
        }
        let what = format!("the newest {MAX_TRIES} transactions are already reverted; name one");
        Err(Refusal::new(RefusalKind::Busy { what }).into())
    }
}

/// Converts the outcome of a change, and lets the replaced contents be freed after the answer.
fn encoded(outcome: ChangeOutcome, job: &Job) -> ApplyResult {
    let result = encode::change(&outcome);
    job.drop_later(outcome);
    result
}
