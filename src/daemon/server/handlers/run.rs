//! Runs of commands that change files themselves.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, interval_at};

use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::blocking;
use crate::engine::runs::{NewRun, RunChanges, RunKey};
use crate::engine::{Failure, SessionContext};
use crate::server::{Daemon, decode, encode};
use editd_disk::snapshot::WalkControl;
use editd_protocol::{
    Invalid, LandedDecision, OmittedFile, RunBeginParams, RunBeginResult, RunEndParams, RunEndResult,
};
use editd_workspace::history::RunStatus;
use editd_workspace::{RequestedPath, Role, names};

/// Time before the first report about a walk.
const FIRST_REPORT: Duration = Duration::from_secs(1);
/// Time between two reports.
const REPORTS: Duration = Duration::from_millis(500);

impl Daemon {
    /// `editd/runBegin`.
    pub async fn run_begin(
        &self,
        session: &Arc<SessionContext>,
        RunBeginParams { command, origin, turn_of, bound, work_done_token }: RunBeginParams,
    ) -> Result<RunBeginResult, Failure> {
        let mut origin = origin.map(decode::origin).transpose()?.unwrap_or_default();
        if origin.turn.is_none() {
            let of = turn_of.as_deref().unwrap_or(&session.name);
            origin.turn = self.engine.turns.current(&session.author, of);
        }
        let new = NewRun { command: names::label(&command), origin, is_bound: bound };
        let walk = Arc::new(WalkControl::default());
        // The walk ends with the request: when its client is gone, and when the daemon stops.
        let guard = scopeguard::guard(walk.clone(), |walk| walk.cancel());
        let begun = self.engine.begin_run(session, new, walk);
        let begun = self.with_progress(session, (&guard, work_done_token.as_deref()), begun).await?;
        Ok(match begun {
            Ok(run) => RunBeginResult { run: Some(run), reason: None },
            Err(error) => RunBeginResult { run: None, reason: Some(error.to_string()) },
        })
    }

    /// Waits for a walk, and reports its progress to a client with a token.
    async fn with_progress<T>(
        &self,
        session: &SessionContext,
        (walk, token): (&WalkControl, Option<&str>),
        walking: impl Future<Output = T>,
    ) -> T {
        let mut walking = std::pin::pin!(walking);
        let mut reports = interval_at(Instant::now() + FIRST_REPORT, REPORTS);
        loop {
            tokio::select! {
                result = &mut walking => return result,
                () = self.engine.stopped.cancelled(), if !walk.is_cancelled() => walk.cancel(),
                _ = reports.tick(), if token.is_some() => {
                    for client in self.engine.clients.all(session.id) {
                        client.report_walk(token.unwrap_or_default(), walk.progress());
                    }
                }
            }
        }
    }

    /// `editd/runEnd`.
    pub async fn run_end(
        &self,
        session: &Arc<SessionContext>,
        RunEndParams { run, tool_call, exit_code, signal }: RunEndParams,
    ) -> Result<RunEndResult, Failure> {
        if run.is_none() && tool_call.is_none() {
            return Err(Invalid::new("run", "it is missing").into());
        }
        let status = signal.map(RunStatus::Killed).or(exit_code.map(RunStatus::Exited));
        let decisions = self.landed_decisions(session, run.is_none());
        let is_it = |open: &RunKey| {
            open.is_of(session)
                && run.as_ref().is_none_or(|run| *run == open.id)
                && tool_call.as_ref().is_none_or(|call| Some(call) == open.tool_call.as_ref())
        };
        let ended = match (self.engine.end_run(session.requester(), is_it, status).await?, run) {
            (Some(changes), _) => result(changes),
            (None, Some(run)) => {
                let engine = self.engine.clone();
                let transactions = blocking(move || engine.transactions_of_run(&run)).await?;
                RunEndResult {
                    known: !transactions.is_empty(),
                    transactions: transactions.iter().map(ToString::to_string).collect(),
                    interrupted: true,
                    ..RunEndResult::default()
                }
            }
            (None, None) => RunEndResult::default(),
        };
        Ok(RunEndResult { decisions, ..ended })
    }

    /// Returns the decisions of a person about earlier commands of the author, each of them once. `is_tool` selects
    /// those that a tool of the session has run, instead of those that were run by themselves.
    pub(super) fn landed_decisions(&self, session: &SessionContext, is_tool: bool) -> Vec<LandedDecision> {
        let name = is_tool.then_some(&*session.name);
        let outcomes = self.engine.workspace.update(|w| w.take_landed_outcomes(&session.author, name));
        let may_read = |path: &str| {
            session.role == Role::Editor
                || self.engine.locate(session, &RequestedPath::of(Path::new(path)), Purpose::Read).is_ok()
        };
        let readable = |outcome| {
            let mut decision = encode::landed_decision(outcome);
            decision.paths.retain(|path| may_read(path));
            decision.user_edits.retain(|edit| may_read(&edit.path));
            decision.comments.retain(|comment| comment.path.as_deref().is_none_or(may_read));
            decision
        };
        outcomes.iter().map(readable).collect()
    }
}

fn result(RunChanges { transactions, paths, omitted, warnings }: RunChanges) -> RunEndResult {
    RunEndResult {
        known: true,
        transactions: transactions.iter().map(ToString::to_string).collect(),
        paths: paths.iter().map(|path| path.display().to_string()).collect(),
        omitted: omitted.iter().map(|(path, reason)| omitted_file(path, reason)).collect(),
        warnings,
        ..RunEndResult::default()
    }
}

pub(super) fn omitted_file(path: &Path, reason: &str) -> OmittedFile {
    OmittedFile { path: path.display().to_string(), reason: reason.to_owned() }
}
