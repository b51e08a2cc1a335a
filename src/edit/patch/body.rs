//! The body of a hunk: marked lines that form an old and a new side. Shared by all formats.

use super::{PatchChange, PatchError, PatchHunk};
use crate::{Anchor, Edit};

/// Expected input where a hunk has only added lines.
pub(super) const CONTEXT_NEEDED: &str =
    "lines of context (` `) or removed lines (`-`) next to the added lines, to show where they go";

/// The kind of a line, given by its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Context,
    Removed,
    Added,
}

/// Splits a line into mark and content. An empty line is an empty context line; a line without a mark is a
/// context line that lost its space.
pub(super) fn split(line: &str) -> (Mark, &str) {
    let rest = line.get(1..).unwrap_or_default();
    match line.as_bytes().first() {
        Some(b'+') => (Mark::Added, rest),
        Some(b'-') => (Mark::Removed, rest),
        Some(b' ') => (Mark::Context, rest),
        _ => (Mark::Context, line),
    }
}

/// The two sides of a hunk.
#[derive(Debug, Default)]
pub(super) struct Body {
    old: String,
    new: String,
    last: Option<Mark>,
    /// `true` if the text ends here, without a final line ending.
    open: bool,
}

impl Body {
    /// Returns the sides that a line with this mark belongs to.
    fn sides(&mut self, mark: Mark) -> impl Iterator<Item = &mut String> {
        let old = (mark != Mark::Added).then_some(&mut self.old);
        let new = (mark != Mark::Removed).then_some(&mut self.new);
        old.into_iter().chain(new)
    }

    /// Adds a line.
    pub(super) fn push(&mut self, (mark, content): (Mark, &str)) {
        for side in self.sides(mark) {
            // A further line after `\ No newline at end of file` shows that the text did not end there.
            if !side.is_empty() && !side.ends_with('\n') {
                side.push('\n');
            }
            side.push_str(content);
            side.push('\n');
        }
        self.last = Some(mark);
    }

    /// Handles `\ No newline at end of file`, which refers to the line before it.
    pub(super) fn remove_final_newline(&mut self) {
        let Some(mark) = self.last.take() else { return };
        for side in self.sides(mark) {
            side.pop();
        }
        self.open = true;
    }

    /// Converts the body into a hunk. `line` is the 1-based first line; `anchor` holds what else is known of
    /// the location.
    pub(super) fn into_hunk(self, line: usize, mut anchor: Anchor) -> ParsedHunk {
        anchor.whole_lines = true;
        if self.old.is_empty() && !anchor.at_end && anchor.under.is_empty() {
            return ParsedHunk::Fill { line, content: self.new };
        }
        anchor.at_end |= self.open;
        ParsedHunk::Hunk(PatchHunk { line, edit: Edit { anchor, ..Edit::new(self.old, self.new) } })
    }
}

/// A parsed hunk.
pub(super) enum ParsedHunk {
    Hunk(PatchHunk),
    /// Added lines without a location.
    Fill {
        line: usize,
        content: String,
    },
}

/// Combines the hunks of a section into one change. If its only hunk has no location, `creates` allows it to
/// create the file.
pub(super) fn change(
    mut parsed: Vec<ParsedHunk>,
    to: Option<String>,
    creates: bool,
) -> Result<PatchChange, PatchError> {
    if let ([ParsedHunk::Fill { .. }], None) = (&parsed[..], &to)
        && let Some(ParsedHunk::Fill { line, content }) = parsed.pop()
    {
        return Ok(PatchChange::Fill { content, creates, line });
    }
    Ok(PatchChange::Edit { hunks: hunks(parsed)?, to })
}

/// Returns the hunks. Fails if any has no location.
pub(super) fn hunks(parsed: Vec<ParsedHunk>) -> Result<Vec<PatchHunk>, PatchError> {
    let hunk = |parsed| match parsed {
        ParsedHunk::Hunk(hunk) => Ok(hunk),
        ParsedHunk::Fill { line, .. } => Err(PatchError { line, expected: CONTEXT_NEEDED.to_owned() }),
    };
    parsed.into_iter().map(hunk).collect()
}

/// The numbers in the header of a hunk: `@@ -old,lines +new,lines @@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HunkHeader {
    /// First line of the old side, 1-based; 0 if the old side is empty.
    pub(super) start: usize,
    pub(super) counts: Counts,
}

/// Number of lines on each side of a hunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) old: usize,
    pub(super) new: usize,
}

/// Parses the header of a hunk. Returns `None` if it has no numbers.
pub(super) fn hunk_header(header: &str) -> Option<HunkHeader> {
    let rest = header.strip_prefix("@@")?.trim_start().strip_prefix('-')?;
    let (old, new) = rest.split_once(" @@")?.0.split_once(" +")?;
    let (start, old) = pair(old)?;
    Some(HunkHeader { start, counts: Counts { old, new: pair(new)?.1 } })
}

fn pair(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.trim().split_once(',').unwrap_or((text.trim(), "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}
