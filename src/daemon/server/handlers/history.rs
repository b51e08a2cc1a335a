//! Methods that show the history.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::run::omitted_file;
use super::search::path_of;
use crate::engine::history::{BlamedFile, HistoryFilter, VisibleFile, VisibleTransaction};
use crate::engine::jobs::blocking;
use crate::engine::{Result, SessionContext};
use crate::server::Daemon;
use crate::server::encode::{path_entry, system_time};
use editd_disk::history::RecordedEntry;
use editd_protocol::{
    BlameEntry, BlameResult, FileParams, HistoryParams, HistoryResult, Invalid, OriginParams, RunEntry,
    TransactionEntry, TransactionFile, requested_path, uri_of,
};
use editd_workspace::history::{DISK, Origin, PastAction, PastEntry, PastRun, RunStatus};

/// Default number of transactions in an answer.
const DEFAULT_LIMIT: usize = 50;
/// Maximum number of transactions in an answer.
const MAX_LIMIT: usize = 1000;

impl Daemon {
    /// `editd/blame`.
    pub async fn blame(
        &self,
        session: &Arc<SessionContext>,
        FileParams { path, uri }: FileParams,
    ) -> Result<BlameResult> {
        let path = requested_path(path, uri, ("path", "uri"))?;
        let blamed = self.engine.on_file(session, path, |engine, _, file, job| engine.blame(file, job));
        let BlamedFile { path, hash, lines } = blamed.await?;
        let lines = lines.into_iter().map(blame_entry).collect();
        Ok(BlameResult {
            uri: uri_of(&path),
            path: path.display().to_string(),
            hash: hash.to_string(),
            lines,
        })
    }

    /// `editd/history`.
    pub async fn history(
        &self,
        session: &Arc<SessionContext>,
        params: HistoryParams,
    ) -> Result<HistoryResult> {
        let filter = filter_of(params)?;
        let (engine, session) = (self.engine.clone(), session.clone());
        let found = blocking(move || engine.past(&session, &filter)).await??;
        Ok(HistoryResult { transactions: found.into_iter().map(transaction).collect() })
    }
}

fn filter_of(params: HistoryParams) -> Result<HistoryFilter, Invalid> {
    let HistoryParams { path, uri, transaction, diff, author, session, turn, agent, since, limit, before } =
        params;
    if limit == Some(0) {
        return Err(Invalid::new("limit", "it is 0"));
    }
    let since = since.map(|since| since.parse::<jiff::Timestamp>()).transpose();
    let since =
        since.map_err(|error| Invalid::new("since", format!("it is not an RFC 3339 time: {error}")))?;
    let path = path_of(path, uri)?;
    let limit = limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let since = since.map(SystemTime::from);
    Ok(HistoryFilter { path, transaction, author, session, turn, agent, since, before, limit, diff })
}

fn blame_entry((start_line, end_line, owner): (usize, usize, Option<Arc<PastEntry>>)) -> BlameEntry {
    BlameEntry {
        start_line,
        end_line,
        author: owner.as_ref().map_or(DISK, |entry| &entry.author).to_owned(),
        transaction: owner.as_ref().map(|entry| entry.id.to_string()),
        at: owner.as_ref().map(|entry| system_time(entry.at)),
        session: owner.as_ref().and_then(|entry| entry.session.as_deref()).map(str::to_owned),
        origin: owner.as_ref().and_then(|entry| known_origin(entry)),
    }
}

fn transaction(VisibleTransaction { recorded, files, paths, run }: VisibleTransaction) -> TransactionEntry {
    let RecordedEntry { entry, undone_by } = recorded;
    TransactionEntry {
        transaction: entry.id.to_string(),
        at: system_time(entry.at),
        author: entry.author.clone(),
        session: entry.session.as_deref().map(str::to_owned),
        origin: known_origin(&entry),
        label: entry.label.clone(),
        run: run.as_ref().map(run_entry),
        files: files.into_iter().map(file_entry).collect(),
        paths: paths.iter().map(path_entry).collect(),
        undone: undone_by.is_some(),
        undone_by: undone_by.as_ref().map(ToString::to_string),
        undoes: entry.undoes.as_ref().map(ToString::to_string),
        rescued: entry.rescued,
    }
}

fn run_entry(run: &PastRun) -> RunEntry {
    let PastRun { id, status, interrupted, others, omitted } = run;
    let (exit_code, signal) = match *status {
        Some(RunStatus::Exited(code)) => (Some(code), None),
        Some(RunStatus::Killed(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    let omitted = omitted.iter().map(|(path, reason)| omitted_file(path, reason)).collect();
    RunEntry {
        run: id.clone(),
        exit_code,
        signal,
        interrupted: *interrupted,
        others: others.clone(),
        omitted,
    }
}

fn file_entry(VisibleFile { file, diff, is_content_gone }: VisibleFile) -> TransactionFile {
    let shown = |path: &PathBuf| path.display().to_string();
    TransactionFile {
        uri: uri_of(&file.path),
        path: shown(&file.path),
        action: file.action.to_string(),
        new_path: match &file.action {
            PastAction::Rename(to) => Some(shown(to)),
            _ => None,
        },
        hash_before: file.hash_before.map(|hash| hash.to_string()),
        hash_after: file.hash_after.map(|hash| hash.to_string()),
        added: file.added,
        removed: file.removed,
        tags: file.tags,
        diff,
        content_gone: is_content_gone,
    }
}

/// Returns the origin of a change, if its client reported it.
fn known_origin(entry: &PastEntry) -> Option<OriginParams> {
    (entry.origin != Origin::default()).then(|| origin(&entry.origin))
}

pub(super) fn origin(origin: &Origin) -> OriginParams {
    let Origin { turn, agent, model, tool_call } = origin.clone();
    OriginParams { turn, agent, model, tool_call }
}
