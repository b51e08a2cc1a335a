//! Reads and changes that clients make with their own tools.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::search::path_of;
use crate::config::UnreadMode;
use crate::engine::change::request::{Call, Reads};
use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::Job;
use crate::engine::native::{
    LocatedRecord, NativeCall, NativeOutcome, NativeReading, PreparedChange, PreparedFile, RecordedChange,
    ShownPart, ToolLosses, Waiting,
};
use crate::engine::{Engine, Failure, SessionContext};
use crate::server::once::{Kind, request_digest};
use crate::server::{Daemon, decode, encode};
use editd_disk::Target;
use editd_protocol::{
    ApplyParams, ApplyResult, Invalid, NativeDoneParams, NativeDoneResult, NativeEditParams,
    NativeEditResult, NativeFile, NativeReadParams, NativeReadResult, NativeRemarks, NativeTurnParams,
    NativeTurnResult, OnStaleParam, ProposeParams, ReadsParam, ToolLoss,
};
use editd_workspace::{Action, ProposalState, Refusal, RefusalKind, RequestedPath};

/// Maximum time to wait for the outcome of a review whose change is handed over, and for changes that must be made
/// before it, in milliseconds.
const HANDED_OVER_MS: u64 = 10_000;
/// Maximum time to wait until other calls have made their changes. Their user may be asked for a permission.
const MAX_BLOCKED: Duration = Duration::from_secs(300);

impl Daemon {
    /// `editd/nativeTurn`.
    pub async fn native_turn(
        &self,
        session: &Arc<SessionContext>,
        NativeTurnParams { turn }: NativeTurnParams,
    ) -> Result<NativeTurnResult, Failure> {
        decode::check_origin_id("turn", &turn)?;
        self.engine.turns.begin(session, turn);
        // A command of an earlier turn whose end was not reported.
        self.engine.interrupt_runs(|run| run.is_of(session)).await?;
        Ok(NativeTurnResult {})
    }

    /// `editd/nativeRead`.
    pub async fn native_read(
        &self,
        session: &Arc<SessionContext>,
        NativeReadParams { path, uri, text, cells, offset }: NativeReadParams,
    ) -> Result<NativeReadResult, Failure> {
        let path =
            path_of(path, uri)?.ok_or_else(|| Invalid::new("path", "it is missing, and so is `uri`"))?;
        let shown = match (text, cells) {
            (Some(text), None) => ShownPart::Lines { text, offset: offset.unwrap_or(1) },
            (None, Some(cells)) => ShownPart::Cells(cells),
            _ => return Err(Invalid::new("text", "expected either `text` or `cells`").into()),
        };
        let locate = move |engine: &Engine, session: &SessionContext| {
            Ok(engine.locate(session, &path, Purpose::Read)?)
        };
        let work = move |engine: &Engine, session: &SessionContext, target: Target, _: &Job| {
            let NativeReading { hash, unsaved } = engine.read_natively(session, target, &shown)?;
            Ok(NativeReadResult { counted: hash.is_some(), hash: hash.map(|hash| hash.to_string()), unsaved })
        };
        self.engine.on_files(session, locate, work).await
    }

    /// `editd/nativeEdit`.
    pub async fn native_edit(
        &self,
        session: &Arc<SessionContext>,
        NativeEditParams { edit, reads, preview, tool_loses, turn_of, parallel, rewrites }: NativeEditParams,
    ) -> Result<NativeEditResult, Failure> {
        let (started, ApplyParams { review, wait_ms, .. }) = (Instant::now(), edit.apply);
        let mut params = edit.propose;
        // The tool writes its own text, so changes of others that were merged would be lost.
        params.on_stale.get_or_insert(OnStaleParam::Reject);
        let Some(tool_call) = params.origin.as_ref().and_then(|origin| origin.tool_call.clone()) else {
            return Err(Invalid::new("origin.toolCall", "it is missing").into());
        };
        let mut origin = params.origin.take();
        let digest = request_digest(Kind::Edit { review }, &params);
        if let Some(origin) = origin.as_mut().filter(|origin| origin.turn.is_none()) {
            let of = turn_of.as_deref().unwrap_or(&session.name);
            origin.turn = self.engine.turns.current(&session.author, of);
        }
        let turn = origin.as_ref().and_then(|origin| origin.turn.clone());
        params.origin = origin;
        let native = NativeCall {
            tool_call,
            digest,
            arrived: started,
            losses: losses(&tool_loses),
            parallel,
            rewrites,
            turn,
        };
        if preview {
            return self.native_preview(session, params, reads, native.losses).await;
        }
        if let Some(proposal) = self.engine.prepared.reviewed_before(session, &native) {
            let id = proposal.to_string();
            let waiting = self.engine.wait_for_review(&id);
            return self.native_outcome(session, &native, (&id, waiting), wait_ms).await;
        }
        let reads = reads_of(reads, self.engine.config.gate.unread);
        loop {
            let kind = Kind::Edit { review };
            let call = decode::call(params.clone(), kind, session, &self.engine.config)?;
            let (call, of) = (Call { reads, ..call }, native.clone());
            let work = move |engine: &Engine, session: &SessionContext, call: Call<Target>, job: &Job| {
                engine.prepare_native(session, call, review, &of, job)
            };
            let locate = |engine: &Engine, session: &SessionContext| call.locate(engine, session);
            return match self.engine.on_files(session, locate, work).await? {
                NativeOutcome::Ready(change) => Ok(ready(&change)),
                NativeOutcome::Applied(applied) => Ok(of_proposal(encode::change(&applied))),
                NativeOutcome::Reviewed(proposal, waiting) => {
                    let id = proposal.to_string();
                    let wait_ms = wait_ms.map(|ms| ms.saturating_sub(started.elapsed().as_millis() as u64));
                    self.native_outcome(session, &native, (&id, waiting), wait_ms).await
                }
                NativeOutcome::Blocked(paths) => {
                    self.unblocked(session, &native, &paths, MAX_BLOCKED).await?;
                    continue;
                }
            };
        }
    }

    async fn native_preview(
        &self,
        session: &Arc<SessionContext>,
        params: ProposeParams,
        reads: ReadsParam,
        losses: ToolLosses,
    ) -> Result<NativeEditResult, Failure> {
        let call = decode::call(params, Kind::Propose, session, &self.engine.config)?;
        let call = Call { reads: reads_of(reads, self.engine.config.gate.unread), ..call };
        let work = move |engine: &Engine, session: &SessionContext, call: Call<Target>, _: &Job| {
            let (change, can_write) = engine.preview_native(session, call, losses)?;
            let state = if can_write { NativeEditResult::READY } else { NativeEditResult::BY_EDITD };
            Ok(NativeEditResult { state: state.to_owned(), ..ready(&change) })
        };
        let locate = |engine: &Engine, session: &SessionContext| call.locate(engine, session);
        self.engine.on_files(session, locate, work).await
    }

    /// Waits for the review of a change that the client wants to write. An accepted change is handed over to
    /// the client if it is still waiting; otherwise editd has made it.
    async fn native_outcome(
        &self,
        session: &Arc<SessionContext>,
        native: &NativeCall,
        (id, waiting): (&str, Waiting),
        wait_ms: Option<u64>,
    ) -> Result<NativeEditResult, Failure> {
        let mut outcome = self.outcome(session, id, wait_ms).await;
        drop(waiting);
        let mut handed_over = self.engine.prepared.handed_over(id);
        if let Some(change) = handed_over.as_ref().filter(|_| native.parallel) {
            let paths: Vec<_> = change.paths().cloned().collect();
            let maximum = Duration::from_millis(HANDED_OVER_MS);
            // The user has accepted the change, so it is made in any case.
            self.unblocked(session, native, &paths, maximum).await.ok();
            // The change has been rebased onto the earlier ones.
            handed_over = self.engine.prepared.handed_over(id);
        }
        if handed_over.is_some() {
            // The user may have accepted the change at the moment when the wait ended.
            outcome = self.outcome(session, id, Some(HANDED_OVER_MS)).await;
        }
        // A request to discard forgets the review itself.
        let open = [ProposalState::Pending, ProposalState::Discarded];
        let is_open = |outcome: &ApplyResult| open.iter().any(|state| outcome.state == state.as_ref());
        if !outcome.as_ref().is_ok_and(is_open) {
            self.engine.prepared.forget_review(id);
        }
        let proposal = of_proposal(outcome?);
        Ok(match handed_over {
            Some(change) => NativeEditResult {
                state: NativeEditResult::READY.to_owned(),
                files: ready(&change).files,
                ..proposal
            },
            None => proposal,
        })
    }

    /// Waits until other calls of the turn have made their changes of these files.
    async fn unblocked(
        &self,
        session: &Arc<SessionContext>,
        native: &NativeCall,
        paths: &[PathBuf],
        maximum: Duration,
    ) -> Result<(), Refusal> {
        let unblocked = self.engine.prepared.unblocked(session, native, paths);
        let what = "another edit of this file has not been made yet";
        let refused = |_| Refusal::new(RefusalKind::Busy { what: what.to_owned() });
        tokio::time::timeout(maximum, unblocked).await.map_err(refused)
    }

    /// `editd/nativeDone`.
    pub async fn native_done(
        &self,
        session: &Arc<SessionContext>,
        NativeDoneParams { tool_call, failed, model }: NativeDoneParams,
    ) -> Result<NativeDoneResult, Failure> {
        if self.engine.prepared.of_call(session, &tool_call).is_none() {
            let (known, transaction) = self.native_restored(session, &tool_call).await?;
            let decisions = self.landed_decisions(session, true);
            return Ok(NativeDoneResult { known, transaction, decisions, ..NativeDoneResult::default() });
        }
        let call = tool_call.clone();
        let locate = move |engine: &Engine, session: &SessionContext| {
            engine.locate_record(session, &call)?.ok_or_else(Failure::bug)
        };
        let work = move |engine: &Engine, session: &SessionContext, located: LocatedRecord, _: &Job| {
            engine.record_native(session, located, failed, model)
        };
        let remarks = self.native_remarks(session, &tool_call).await;
        let RecordedChange { transaction, different } = self.engine.on_files(session, locate, work).await?;
        self.engine.prepared.remove(session, &tool_call);
        let different = different.iter().map(|path| path.display().to_string()).collect();
        let transaction = transaction.map(|id| id.to_string());
        let decisions = self.landed_decisions(session, true);
        Ok(NativeDoneResult { known: true, transaction, different, decisions, remarks })
    }
}

impl Daemon {
    /// Restores the file that editd has changed in place of a call. Returns `true` if there is one, and the transaction
    /// if it had to be restored.
    async fn native_restored(
        &self,
        session: &Arc<SessionContext>,
        tool_call: &str,
    ) -> Result<(bool, Option<String>), Failure> {
        let Some(made) = self.engine.prepared.made_for(session, tool_call) else { return Ok((false, None)) };
        let path = RequestedPath::of(&made.path);
        let locate = move |engine: &Engine, session: &SessionContext| {
            Ok(engine.locate(session, &path, Purpose::Write)?)
        };
        let work = move |engine: &Engine, session: &SessionContext, target: Target, _: &Job| {
            engine.restore_made(session, target, &made)
        };
        let restored = self.engine.on_files(session, locate, work).await?;
        self.engine.prepared.remove(session, tool_call);
        Ok((true, restored.map(|id| id.to_string())))
    }

    /// Returns the remarks about the change that a call has made.
    async fn native_remarks(&self, session: &Arc<SessionContext>, tool_call: &str) -> NativeRemarks {
        let change = self.engine.prepared.of_call(session, tool_call);
        let ready = change.map(|change| ready(&change).remarks).unwrap_or_default();
        let Some(proposal) = self.engine.prepared.reviewed_as(session, tool_call) else { return ready };
        let outcome = self.outcome(session, &proposal.to_string(), Some(0)).await;
        let reviewed = outcome.map(|outcome| of_proposal(outcome).remarks).unwrap_or_default();
        NativeRemarks { warnings: ready.warnings, ..reviewed }
    }
}

fn reads_of(param: ReadsParam, unread: UnreadMode) -> Reads {
    match param {
        ReadsParam::Required if unread == UnreadMode::Warn => Reads::Advised,
        ReadsParam::Required => Reads::Required,
        ReadsParam::Advised => Reads::Advised,
        ReadsParam::Unknown => Reads::Unknown,
    }
}

fn losses(params: &[ToolLoss]) -> ToolLosses {
    ToolLosses {
        carriage_returns: params.contains(&ToolLoss::CarriageReturns),
        missing_final_newline: params.contains(&ToolLoss::MissingFinalNewline),
        final_blank_line: params.contains(&ToolLoss::FinalBlankLine),
        formatting: params.contains(&ToolLoss::Formatting),
        writing: params.contains(&ToolLoss::Writing),
    }
}

fn ready(change: &PreparedChange) -> NativeEditResult {
    let file = |PreparedFile { before, after, file, .. }: &PreparedFile| NativeFile {
        path: file.path.display().to_string(),
        new_path: match &file.action {
            Action::Rename { to, .. } => Some(to.display().to_string()),
            _ => None,
        },
        before: before.as_deref().cloned(),
        after: after.clone(),
    };
    NativeEditResult {
        state: NativeEditResult::READY.to_owned(),
        id: None,
        transaction: None,
        files: change.files.iter().map(file).collect(),
        remarks: NativeRemarks {
            warnings: change.files.iter().flat_map(|file| file.file.warnings.clone()).collect(),
            ..NativeRemarks::default()
        },
    }
}

/// Converts the state of a proposal. The client is not to write it.
fn of_proposal(result: ApplyResult) -> NativeEditResult {
    let rejected = result.files.iter().flat_map(|file| &file.entry.hunks);
    let rejected = rejected.filter(|hunk| hunk.state == "rejected").count();
    let file = |file: editd_protocol::AppliedFile| NativeFile {
        path: file.entry.path,
        new_path: file.entry.new_path,
        before: None,
        after: None,
    };
    let warnings = result.files.iter().flat_map(|file| file.entry.warnings.clone()).collect();
    NativeEditResult {
        state: result.state,
        id: Some(result.id),
        transaction: result.transaction,
        files: result.files.into_iter().map(file).collect(),
        remarks: NativeRemarks {
            rejected,
            user_edits: result.user_edits.into_iter().map(|edit| edit.diff).collect(),
            comments: result.comments,
            warnings,
        },
    }
}
