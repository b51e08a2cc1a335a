//! The state of a committed file, as its author receives it.

use std::fmt::Write;

use crate::engine::change::commit::CommittedFile;
use editd_edit::Splice;
use editd_text::{ContentHash, Position, PositionEncoding, count_line_ends, lines};
use editd_workspace::review::{LineShift, WrittenFile};
use editd_workspace::{PlannedFile, Snapshot};

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
        // The line in which the replaced text ends moves as a whole if only its indentation changes.
        let is_whole = start.line < end.line || start.character == 0;
        let is_indented = is_whole && [&*old, text].iter().all(|text| last_line(text).trim().is_empty());
        let line = end.line + usize::from(end.character > 0 && !is_indented);
        let shift = LineShift { line: line + 1, by };
        match shifts.last_mut().filter(|last| last.line == shift.line) {
            Some(last) => *last = shift,
            None => shifts.push(shift),
        }
        if shifts.len() > MAX_SHIFTS {
            break;
        }
    }
    // Behind the last line, no line has moved.
    let end = before.text.position_of(before.text.len_bytes(), PositionEncoding::Utf8);
    shifts.retain(|shift| shift.line <= end.line + usize::from(end.character > 0));
    shifts.truncate(MAX_SHIFTS);
    shifts
}

/// Returns the text behind the last line ending.
fn last_line(text: &str) -> &str {
    text.rsplit(['\n', '\r']).next().unwrap_or_default()
}

/// Returns the changed lines with context, numbered. The cost does not depend on the size of the file.
fn snippet(now: &Snapshot, file: &PlannedFile) -> String {
    let total = now.text.line_count();
    let at = |line| now.text.byte_of(Position { line, character: 0 }, PositionEncoding::Utf8);
    let start_of = |line| if line >= total { now.text.len_bytes() } else { at(line) };
    let mut snippet = String::new();
    // Numbers from 0 of the first line that is not shown yet, and of shown lines.
    let (mut next, mut count) = (0, 0);
    for hunk in &file.diff.hunks {
        let start = hunk.new_start.saturating_sub(SNIPPET_CONTEXT + 1).max(next);
        let end = (hunk.new_start + hunk.new_lines.saturating_sub(1) + SNIPPET_CONTEXT).min(total);
        let shown = end.min(start + SNIPPET_LINES - count);
        if count > 0 && start > next && shown > start {
            snippet.push_str("…\n");
        }
        let text = now.text.slice(start_of(start)..start_of(shown.max(start))).unwrap_or_default();
        for (index, line) in lines(&text).enumerate() {
            if snippet.len() + line.content.len() > SNIPPET_BYTES {
                snippet.push_str("…\n");
                return snippet;
            }
            // Writing to a string cannot fail.
            let _ = writeln!(snippet, "{}\t{}", start + index + 1, line.content);
        }
        count += shown.saturating_sub(start);
        next = next.max(end);
        if shown < end {
            snippet.push_str("…\n");
            return snippet;
        }
    }
    snippet
}
