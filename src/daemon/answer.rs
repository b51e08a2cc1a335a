//! What the workspace knows, in the words of the wire.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use lsp_types::WorkspaceEdit;
use serde_json::{Value, json};

use crate::disk::MTime;
use crate::edit::{self, Match};
use crate::protocol::{
    AppliedFile, FILE_CHANGED, FileEntry, Hunk, LandedFile, MatchEntry, PROPOSAL_CHANGED, ProposalSummary,
    ProposeResult, uri_of, workspace_edit,
};
use crate::text::{Position, PositionEncoding, lines};
use crate::workspace::review::{Choice, HunkId, HunkKind};
use crate::workspace::{Action, NewMode, Notice, PlannedFile, Proposal, ProposalState, Snapshot};

use super::commit::Landed;

/// Lines around a change in its snippet.
const SNIPPET_CONTEXT: usize = 3;
/// Lines of a snippet; what comes after is left out.
const SNIPPET_LINES: usize = 60;
/// Bytes of a snippet.
const SNIPPET_BYTES: usize = 8 << 10;

/// A notification's method and parameters.
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

/// A proposal as it stands.
pub(crate) fn proposal(proposal: &Proposal, encoding: PositionEncoding) -> ProposeResult {
    let open = proposal.state.is_open();
    ProposeResult {
        id: proposal.id.to_string(),
        revision: proposal.revision,
        state: proposal.state.name().to_owned(),
        label: proposal.label.clone(),
        // Nothing is left to do for a closed one.
        workspace_edit: if open {
            workspace_edit(&proposal.files, encoding)
        } else {
            WorkspaceEdit::default()
        },
        files: entries(&proposal.files, &states(proposal)),
    }
}

/// The states of a proposal's hunks, by their order.
fn states(proposal: &Proposal) -> impl Fn(usize) -> &'static str {
    let of_all = match proposal.state {
        ProposalState::Applied => "accepted",
        state if state.is_open() => "pending",
        _ => "rejected",
    };
    move |at| match &proposal.review {
        // Of what was closed without a decision, nothing happened.
        Some(review) if matches!(review.choices.get(at), None | Some(Choice::Open)) => of_all,
        Some(review) => review.choices[at].name(false),
        None => of_all,
    }
}

/// What happens to files, with their hunks numbered over all of them.
pub(crate) fn entries(files: &[PlannedFile], state: &dyn Fn(usize) -> &'static str) -> Vec<FileEntry> {
    let mut numbered = 0;
    let of_file = |file: &PlannedFile| {
        let hunks = hunks(file, numbered, state);
        numbered += hunks.len();
        entry(file, hunks)
    };
    files.iter().map(of_file).collect()
}

/// A file's hunks as they were proposed; so many are in the files before.
fn hunks(file: &PlannedFile, before: usize, state: &dyn Fn(usize) -> &'static str) -> Vec<Hunk> {
    let hunk = |(at, (kind, lines))| hunk(before + at, kind, lines, state(before + at));
    file.hunks().into_iter().enumerate().map(hunk).collect()
}

/// A proposal's line in the list.
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

/// What a proposal does to a file.
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
        tags: file.tags.iter().map(|tag| tag.name().to_owned()).collect(),
    }
}

/// A hunk on the wire, by its index over all files.
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

/// What was done to files.
pub(crate) fn applied_files(landed: &[Landed]) -> Vec<AppliedFile> {
    let mut numbered = 0;
    let of_file = |landed: &Landed| {
        let hunks = hunks(&landed.file, numbered, &|_| "accepted");
        numbered += hunks.len();
        AppliedFile { entry: entry(&landed.file, hunks), landed: Some(landed_file(landed)) }
    };
    landed.iter().map(of_file).collect()
}

/// What a file is after something was done to it.
pub(crate) fn landed_file(landed: &Landed) -> LandedFile {
    LandedFile {
        hash: landed.seen.truth.hash().map(|hash| hash.to_string()),
        mtime: landed.stat.as_ref().map(|stat| mtime(stat.mtime)),
        source: if landed.seen.typed { "editor" } else { "disk" }.to_owned(),
        saved: landed.saved,
        snippet: landed.seen.truth.snapshot().map(|now| snippet(now, &landed.file)).unwrap_or_default(),
        rebased: landed.file.rebased,
    }
}

/// The changed lines and some around them, numbered. Its cost does not depend on the size of the file.
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

/// A file's time as the wire has it: RFC 3339 with nanoseconds, UTC.
pub(crate) fn mtime(time: MTime) -> String {
    let nanos = i32::try_from(time.nanos).unwrap_or_default();
    jiff::Timestamp::new(time.seconds, nanos).map_or_else(|_| String::new(), rfc3339)
}

/// A moment as the wire has it.
pub(crate) fn system_time(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    mtime(MTime { seconds, nanos: since.subsec_nanos() })
}

fn rfc3339(time: jiff::Timestamp) -> String {
    format!("{time:.9}")
}
