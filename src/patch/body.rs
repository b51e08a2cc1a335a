//! The body of a hunk: marked lines that form an old and a new side. Shared by all formats.

use super::{PatchChange, PatchError, PatchHunk};
use crate::edit::{Anchor, Edit};

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

    /// Converts the body into a piece. `line` is the 1-based first line; `anchor` holds what else is known of
    /// the location.
    pub(super) fn into_piece(self, line: usize, mut anchor: Anchor) -> Piece {
        anchor.whole_lines = true;
        if self.old.is_empty() && !anchor.at_end && anchor.under.is_empty() {
            return Piece::Fill { line, content: self.new };
        }
        anchor.at_end |= self.open;
        Piece::Hunk(PatchHunk { line, edit: Edit { anchor, ..Edit::new(self.old, self.new) } })
    }
}

/// A parsed hunk.
pub(super) enum Piece {
    Hunk(PatchHunk),
    /// Added lines without a location.
    Fill {
        line: usize,
        content: String,
    },
}

/// Combines all pieces of a section into one change. `creates` allows to create the file, if its only piece
/// has no location.
pub(super) fn change(
    mut pieces: Vec<Piece>,
    to: Option<String>,
    creates: bool,
) -> Result<PatchChange, PatchError> {
    if let ([Piece::Fill { .. }], None) = (&pieces[..], &to)
        && let Some(Piece::Fill { line, content }) = pieces.pop()
    {
        return Ok(PatchChange::Fill { content, creates, line });
    }
    Ok(PatchChange::Edit { hunks: hunks(pieces)?, to })
}

/// Returns the pieces as hunks. Fails if any piece has no location.
pub(super) fn hunks(pieces: Vec<Piece>) -> Result<Vec<PatchHunk>, PatchError> {
    let hunk = |piece| match piece {
        Piece::Hunk(hunk) => Ok(hunk),
        Piece::Fill { line, .. } => Err(PatchError { line, expected: CONTEXT_NEEDED.to_owned() }),
    };
    pieces.into_iter().map(hunk).collect()
}

/// The numbers in the header of a hunk: `@@ -old,lines +new,lines @@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
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
pub(super) fn range(header: &str) -> Option<Range> {
    let rest = header.strip_prefix("@@")?.trim_start().strip_prefix('-')?;
    let (old, new) = rest.split_once(" @@")?.0.split_once(" +")?;
    let (start, old) = pair(old)?;
    Some(Range { start, counts: Counts { old, new: pair(new)?.1 } })
}

fn pair(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.trim().split_once(',').unwrap_or((text.trim(), "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}
