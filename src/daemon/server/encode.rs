//! Conversion of the results of the engine to results of the protocol.

mod paths;
mod review;

pub(crate) use paths::path_entry;
pub(crate) use review::{landed_decision, outcome_of, proposal_view, undecided};

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use lsp_types::WorkspaceEdit;

use paths::add_paths;

use crate::engine::change::commit::CommittedFile;
use crate::engine::change::perform::{AppliedChange, ChangeOutcome};
use crate::engine::diagnostics::FileDiagnostic;
use crate::engine::editors::open_files::OpenFile;
use editd_disk::MTime;
use editd_edit::{Match, Strategy, listed_lines};
use editd_protocol::{
    AppliedFile, ApplyResult, ChangedState, DiagnosticEntry, FileEntry, Hunk, MatchEntry, OpenFileEntry,
    ProposalSummary, ProposeResult, Shift, SyntaxEntry, range_of, uri_of, workspace_edit,
};
use editd_text::PositionEncoding;
use editd_workspace::review::{Choice, HunkId, HunkKind, LineShift, WrittenFile};
use editd_workspace::{Action, NewMode, PlannedFile, Proposal, ProposalState};

/// Converts a proposal in its current state.
pub(crate) fn proposed(proposal: &Proposal, encoding: PositionEncoding) -> ProposeResult {
    let proposal = &*proposal.as_seen();
    // A closed proposal and a landed change have nothing left to apply.
    let open = proposal.state.is_open() && proposal.landed.is_none();
    let mut files = entries(&*proposal.files, states(proposal));
    add_paths(&mut files, proposal, states(proposal));
    ProposeResult {
        id: proposal.id.to_string(),
        revision: proposal.revision,
        state: proposal.reported_state().to_string(),
        label: proposal.label.clone(),
        workspace_edit: if open {
            workspace_edit(&*proposal.files, encoding)
        } else {
            WorkspaceEdit::default()
        },
        files,
    }
}

/// Returns a function from the index of a hunk, over all files of a proposal, to its state.
fn states(proposal: &Proposal) -> impl Fn(usize) -> &'static str {
    let of_all = match proposal.state {
        ProposalState::Applied => "accepted",
        state if state.is_open() => "pending",
        _ => "rejected",
    };
    move |at| match &proposal.review {
        // An undecided hunk has the state that follows from the proposal.
        Some(review) if matches!(review.choices.get(at), None | Some(Choice::Open)) => of_all,
        Some(review) => review.choices[at].name(false),
        None => of_all,
    }
}

/// Converts planned files. Hunks are numbered over all files.
fn entries<'a>(
    files: impl IntoIterator<Item = &'a PlannedFile>,
    state: impl Fn(usize) -> &'static str,
) -> Vec<FileEntry> {
    let mut numbers = 0..;
    let mut of_file = |file: &PlannedFile| {
        let numbered = file.hunks().into_iter().zip(numbers.by_ref());
        entry(file, numbered.map(|((kind, lines), at)| hunk(at, kind, lines, state(at))).collect())
    };
    files.into_iter().map(&mut of_file).collect()
}

/// Converts a proposal to its entry in the list of proposals.
pub(crate) fn summary(proposal: &Proposal) -> ProposalSummary {
    let proposal = &*proposal.as_seen();
    let mut paths: Vec<_> = proposal.files.iter().map(|file| file.path.display().to_string()).collect();
    let others = proposal.paths.iter().map(|change| &change.path);
    let is_other = |path: &&PathBuf| !proposal.files.iter().any(|file| file.path == **path);
    paths.extend(others.filter(is_other).map(|path| path.display().to_string()));
    ProposalSummary {
        id: proposal.id.to_string(),
        revision: proposal.revision,
        state: proposal.reported_state().to_string(),
        landed: landed(proposal),
        author: proposal.author.clone(),
        label: proposal.label.clone(),
        at: system_time(proposal.at),
        paths,
        added: proposal.files.iter().map(|file| file.diff.added).sum(),
        removed: proposal.files.iter().map(|file| file.diff.removed).sum(),
    }
}

/// Returns the transaction that recorded the change under review, if the change has landed.
fn landed(proposal: &Proposal) -> Option<String> {
    proposal.landed.as_ref().map(|landed| landed.transaction.to_string())
}

/// Converts a planned file.
pub(crate) fn entry(file: &PlannedFile, hunks: Vec<Hunk>) -> FileEntry {
    let diff = &file.diff;
    FileEntry {
        uri: uri_of(&file.path),
        path: file.path.display().to_string(),
        action: file.action.to_string(),
        mode: file.action.is_executable().then(|| NewMode::EXECUTABLE.to_owned()),
        new_path: match &file.action {
            Action::Rename { to, .. } => Some(to.display().to_string()),
            _ => None,
        },
        hash_before: file.hash_before.map(|hash| hash.to_string()),
        hash_after: file.hash_after.map(|hash| hash.to_string()),
        diff: diff.unified.clone(),
        display: file.shown.as_ref().map(|shown| shown.text.to_string()),
        first_changed_line: diff.first_changed_line,
        added: diff.added,
        removed: diff.removed,
        hunks,
        matches: file.matches.iter().map(match_entry).collect(),
        warnings: file.warnings.clone(),
        syntax: file.syntax.iter().map(SyntaxEntry::from).collect(),
        tags: file.tags(),
    }
}

/// Converts a hunk. `at` is its index over all files.
pub(crate) fn hunk(at: usize, kind: HunkKind, lines: editd_edit::Hunk, state: &str) -> Hunk {
    Hunk {
        id: HunkId(at + 1).to_string(),
        kind: (kind != HunkKind::Text).then(|| kind.to_string()),
        old_start: lines.old_start,
        old_lines: lines.old_lines,
        new_start: lines.new_start,
        new_lines: lines.new_lines,
        state: state.to_owned(),
        old_text: None,
        new_text: None,
        before: None,
        after: None,
    }
}

fn match_entry(found: &Match) -> MatchEntry {
    let is_served = found.strategy == Strategy::LanguageServer;
    MatchEntry {
        edit: found.edit,
        strategy: if is_served { Strategy::Symbol } else { found.strategy }.name().to_owned(),
        by: is_served.then(|| "language server".to_owned()),
        similarity: found.similarity,
        start_line: found.start_line,
        end_line: found.end_line,
        replacements: found.replacements,
        lines: (found.replacements > 1).then(|| listed_lines(&found.places)),
    }
}

/// Converts committed files. Hunks are numbered over all files.
fn applied_files(committed: &[CommittedFile]) -> Vec<AppliedFile> {
    let entries = entries(committed.iter().map(|done| &done.file), |_| "accepted");
    let landed = committed.iter().map(|done| Some(changed_state(done.written())));
    entries.into_iter().zip(landed).map(|(entry, landed)| AppliedFile { entry, landed }).collect()
}

/// Converts the state of a committed file.
pub(crate) fn changed_state(written: WrittenFile) -> ChangedState {
    ChangedState {
        hash: written.hash.map(|hash| hash.to_string()),
        mtime: written.mtime.map(mtime),
        source: if written.in_editor { "editor" } else { "disk" }.to_owned(),
        saved: written.saved,
        snippet: written.snippet,
        rebased: written.rebased,
        others: written.others,
        shifts: written.shifts.into_iter().map(|LineShift { line, by }| Shift { line, by }).collect(),
    }
}

/// Converts diagnostics of files.
pub(crate) fn diagnostics(items: Vec<FileDiagnostic>) -> Vec<DiagnosticEntry> {
    let entry = |FileDiagnostic { path, item, hash }| DiagnosticEntry {
        path: path.display().to_string(),
        range: range_of(item.start, item.end),
        severity: item.severity.to_string(),
        message: item.message,
        source: item.source,
        hash: hash.map(|hash| hash.to_string()),
    };
    items.into_iter().map(entry).collect()
}

pub(crate) fn open_file(file: OpenFile) -> OpenFileEntry {
    let OpenFile { path, is_active, selection } = file;
    OpenFileEntry {
        uri: uri_of(&path),
        path: path.display().to_string(),
        active: is_active,
        selection: selection.as_ref().map(|selection| range_of(selection.start, selection.end)),
        selected_text: selection.map(|selection| selection.text),
    }
}

/// Formats a modification time as RFC 3339 with nanoseconds, in UTC.
pub(crate) fn mtime(time: MTime) -> String {
    let nanos = i32::try_from(time.nanos).unwrap_or_default();
    jiff::Timestamp::new(time.seconds, nanos).map(|time| format!("{time:.9}")).unwrap_or_default()
}

/// Formats a time as RFC 3339 with nanoseconds, in UTC.
pub(crate) fn system_time(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    mtime(MTime { seconds, nanos: since.subsec_nanos() })
}

/// Converts the outcome of a request for a change.
pub(crate) fn change(outcome: &ChangeOutcome) -> ApplyResult {
    let AppliedChange { proposal, commit } = match outcome {
        ChangeOutcome::Undecided(proposal) => return undecided(proposal),
        ChangeOutcome::Applied(change) => &**change,
    };
    ApplyResult {
        id: proposal.id.to_string(),
        revision: proposal.revision,
        state: ProposalState::Applied.to_string(),
        transaction: commit.transaction.as_ref().map(ToString::to_string),
        undoes: commit.undoes.as_ref().map(ToString::to_string),
        files: applied_files(&commit.files),
        ..ApplyResult::default()
    }
}

/// The `state` of a preview.
const PREVIEW: &str = "preview";

/// Converts the preview of an undo.
pub(crate) fn preview_result(undoes: &str, files: &[PlannedFile], fingerprint: String) -> ApplyResult {
    let rebased = files.iter().map(|file| file.rebased);
    let entries = entries(files, |_| "pending");
    let shown = |(entry, rebased): (FileEntry, bool)| {
        let (hash, source) = (entry.hash_before.clone(), "disk".to_owned());
        let snippet = String::new();
        let landed = ChangedState { hash, source, snippet, rebased, ..ChangedState::default() };
        AppliedFile { entry, landed: Some(landed) }
    };
    ApplyResult {
        state: PREVIEW.to_owned(),
        undoes: Some(undoes.to_owned()),
        fingerprint: Some(fingerprint),
        files: entries.into_iter().zip(rebased).map(shown).collect(),
        ..ApplyResult::default()
    }
}
