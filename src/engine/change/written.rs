//! The state of a committed file, as its author receives it.

use std::fmt::Write;

use crate::edit::Splice;
use crate::engine::change::commit::CommittedFile;
use crate::text::{ContentHash, Position, PositionEncoding, count_line_ends, lines};
use crate::workspace::review::{LineShift, WrittenFile};
use crate::workspace::{PlannedFile, Snapshot};

/// Context lines around a change in its snippet.
const SNIPPET_CONTEXT: usize = 3;

/// Maximum number of lines in a snippet; later lines are omitted.
const SNIPPET_LINES: usize = 60;

/// Maximum number of shifts that an answer tells.
const MAX_SHIFTS: usize = 200;

/// Maximum size of a snippet, in bytes.
const SNIPPET_BYTES: usize = 8 << 10;

/// Maximum size of the diff of the changes of others, in bytes.
const MAX_OTHERS: usize = 16 << 10;

impl CommittedFile {
    /// Returns the state of the file after the commit.
    pub(crate) fn written(&self) -> WrittenFile {
        WrittenFile {
            hash: self.seen.content.hash(),
            mtime: self.stat.as_ref().map(|stat| stat.mtime),
            in_editor: self.seen.is_unsaved,
            saved: self.saved,
            snippet: self.seen.content.snapshot().map(|now| snippet(now, &self.file)).unwrap_or_default(),
            rebased: self.file.rebased,
            others: self.others.clone().filter(|diff| diff.len() <= MAX_OTHERS),
            shifts: shifts(&self.file, self.seen.content.hash()),
        }
    }
}

/// Returns the first lines that a change has moved; none if an editor has changed the text further.
fn shifts(file: &PlannedFile, now: Option<ContentHash>) -> Vec<LineShift> {
    let Some(before) = file.before.as_ref().filter(|_| now == file.hash_after) else { return Vec::new() };
    // Most changes move no lines, and the diff is known.
    if file.diff.hunks.iter().all(|hunk| hunk.old_lines == hunk.new_lines) {
        return Vec::new();
    }
    let mut shifts: Vec<LineShift> = Vec::new();
    let mut by = 0;
    for Splice { range, text } in file.plan.splices() {
        let old = before.text.slice(range.clone()).unwrap_or_default();
        let removed = count_line_ends(&old);
        let added = count_line_ends(text);
        if added == removed {
            continue;
        }
        by += added.cast_signed() - removed.cast_signed();
        let position = |offset| before.text.position_of(offset, PositionEncoding::Utf8);
        let (start, end) = (position(range.start), position(range.end));
        // A line moves as a whole if new lines are put before it, perhaps with another indentation.
        let is_before = removed == 0 && start.character == 0 && old.trim().is_empty();
        let line = if is_before { start.line } else { end.line + usize::from(end.character > 0) };
        let shift = LineShift { line: line + 1, by };
        match shifts.last_mut().filter(|last| last.line == shift.line) {
            Some(last) => *last = shift,
            None => shifts.push(shift),
        }
        if shifts.len() > MAX_SHIFTS {
            break;
        }
    }
    shifts.truncate(MAX_SHIFTS);
    shifts
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
