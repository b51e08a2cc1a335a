//! Conversion of workspace types to protocol types.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use lsp_types::WorkspaceEdit;
use serde_json::{Value, json};

use crate::disk::MTime;
use crate::edit::{self, Match};
use crate::protocol::{
    AppliedFile, ChangedState, FILE_CHANGED, FileEntry, Hunk, MatchEntry, PROPOSAL_CHANGED, ProposalSummary,
    ProposeResult, uri_of, workspace_edit,
};
use crate::text::{Position, PositionEncoding, lines};
use crate::workspace::review::{Choice, HunkId, HunkKind, WrittenFile};
use crate::workspace::{Action, NewMode, Notice, PlannedFile, Proposal, ProposalState, Snapshot};

use super::change::commit::CommittedFile;

/// Context lines around a change in its snippet.
const SNIPPET_CONTEXT: usize = 3;
/// Maximum number of lines in a snippet; later lines are omitted.
const SNIPPET_LINES: usize = 60;
/// Maximum size of a snippet, in bytes.
const SNIPPET_BYTES: usize = 8 << 10;

/// Returns the method and the parameters of a notification.
pub(crate) fn notice(notice: &Notice) -> (&'static str, Value) {
    match notice {
        Notice::FileChanged { path, hash, by } => {
            let hash = hash.map(|hash| hash.to_string());
            let params =
                json!({ "uri": uri_of(path), "path": path.display().to_string(), "hash": hash, "by": by });
            (FILE_CHANGED, params)
        }
        Notice::ProposalChanged { id, revision, state } => {
            let params = json!({ "id": id.to_string(), "revision": revision, "state": state.name() });
            (PROPOSAL_CHANGED, params)
        }
    }
}

/// Converts a proposal in its current state.
pub(crate) fn proposal(proposal: &Proposal, encoding: PositionEncoding) -> ProposeResult {
    let open = proposal.state.is_open();
    ProposeResult {
        id: proposal.id.to_string(),
        revision: proposal.revision,
        state: proposal.state.name().to_owned(),
        label: proposal.label.clone(),
        // A closed proposal has nothing left to apply.
        workspace_edit: if open {
            workspace_edit(&proposal.files, encoding)
        } else {
            WorkspaceEdit::default()
        },
        files: entries(&proposal.files, &states(proposal)),
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
pub(crate) fn entries(files: &[PlannedFile], state: &dyn Fn(usize) -> &'static str) -> Vec<FileEntry> {
    let mut numbered = 0;
    let of_file = |file: &PlannedFile| {
        let hunks = hunks(file, numbered, state);
        numbered += hunks.len();
        entry(file, hunks)
    };
    files.iter().map(of_file).collect()
}

/// Converts the proposed hunks of a file. `before` is the number of hunks in the previous files.
fn hunks(file: &PlannedFile, before: usize, state: &dyn Fn(usize) -> &'static str) -> Vec<Hunk> {
    let hunk = |(at, (kind, lines))| hunk(before + at, kind, lines, state(before + at));
    file.hunks().into_iter().enumerate().map(hunk).collect()
}

/// Converts a proposal to its entry in the list of proposals.
pub(crate) fn summary(proposal: &Proposal) -> ProposalSummary {
    ProposalSummary {
        id: proposal.id.to_string(),
        revision: proposal.revision,
        state: proposal.state.name().to_owned(),
        author: proposal.author.clone(),
        label: proposal.label.clone(),
        at: system_time(proposal.at),
        paths: proposal.files.iter().map(|file| file.path.display().to_string()).collect(),
        added: proposal.files.iter().map(|file| file.diff.added).sum(),
        removed: proposal.files.iter().map(|file| file.diff.removed).sum(),
    }
}

/// Converts a planned file.
pub(crate) fn entry(file: &PlannedFile, hunks: Vec<Hunk>) -> FileEntry {
    let diff = &file.diff;
    FileEntry {
        uri: uri_of(&file.path),
        path: file.path.display().to_string(),
        action: file.action.name().to_owned(),
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
        tags: file.tags(),
    }
}

/// Converts a hunk. `at` is its index over all files.
pub(crate) fn hunk(at: usize, kind: HunkKind, lines: edit::Hunk, state: &str) -> Hunk {
    Hunk {
        id: HunkId(at + 1).to_string(),
        kind: (kind != HunkKind::Text).then(|| kind.name().to_owned()),
        old_start: lines.old_start,
        old_lines: lines.old_lines,
        new_start: lines.new_start,
        new_lines: lines.new_lines,
        state: state.to_owned(),
        old_text: None,
        new_text: None,
    }
}

fn match_entry(found: &Match) -> MatchEntry {
    MatchEntry {
        edit: found.edit,
        strategy: found.strategy.name().to_owned(),
        similarity: found.similarity,
        start_line: found.start_line,
        end_line: found.end_line,
        replacements: found.replacements,
    }
}

/// Converts committed files. Hunks are numbered over all files.
pub(crate) fn applied_files(committed: &[CommittedFile]) -> Vec<AppliedFile> {
    let mut numbered = 0;
    let of_file = |done: &CommittedFile| {
        let hunks = hunks(&done.file, numbered, &|_| "accepted");
        numbered += hunks.len();
        AppliedFile { entry: entry(&done.file, hunks), landed: Some(changed_state(written(done))) }
    };
    committed.iter().map(of_file).collect()
}

/// Returns the state of a committed file.
pub(crate) fn written(done: &CommittedFile) -> WrittenFile {
    WrittenFile {
        hash: done.seen.content.hash(),
        mtime: done.stat.as_ref().map(|stat| stat.mtime),
        in_editor: done.seen.is_unsaved,
        saved: done.saved,
        snippet: done.seen.content.snapshot().map(|now| snippet(now, &done.file)).unwrap_or_default(),
        rebased: done.file.rebased,
    }
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
    }
}

/// Returns the changed lines with context, numbered. The cost does not depend on the size of the file.
fn snippet(now: &Snapshot, file: &PlannedFile) -> String {
    let (Some(first), Some(last)) = (file.diff.hunks.first(), file.diff.hunks.last()) else {
        return String::new();
    };
    let start = first.new_start.saturating_sub(SNIPPET_CONTEXT + 1);
    let wanted = last.new_start + last.new_lines.saturating_sub(1) + SNIPPET_CONTEXT;
    let end = wanted.min(start + SNIPPET_LINES);
    let at = |line| now.text.byte_of(Position { line, character: 0 }, PositionEncoding::Utf8);
    let end_byte = if end >= now.text.line_count() { now.text.len_bytes() } else { at(end) };
    let text = now.text.slice(at(start)..end_byte).unwrap_or_default();
    let mut snippet = String::new();
    for (index, line) in lines(&text).enumerate() {
        if snippet.len() + line.content.len() > SNIPPET_BYTES {
            snippet.push_str("…\n");
            return snippet;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(snippet, "{}\t{}", start + index + 1, line.content);
    }
    if end < wanted.min(now.text.line_count()) {
        snippet.push_str("…\n");
    }
    snippet
}

/// Formats a modification time as RFC 3339 with nanoseconds, in UTC.
pub(crate) fn mtime(time: MTime) -> String {
    let nanos = i32::try_from(time.nanos).unwrap_or_default();
    jiff::Timestamp::new(time.seconds, nanos).map_or_else(|_| String::new(), rfc3339)
}

/// Formats a time as RFC 3339 with nanoseconds, in UTC.
pub(crate) fn system_time(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    mtime(MTime { seconds, nanos: since.subsec_nanos() })
}

fn rfc3339(time: jiff::Timestamp) -> String {
    format!("{time:.9}")
}
