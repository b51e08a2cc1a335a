//! What the hunks of `apply_patch` and of unified diffs have in common: marked lines with two sides.

use super::{PatchChange, PatchError, PatchHunk};
use crate::edit::{Anchor, Edit};

/// What a chunk of additions needs.
pub(super) const CONTEXT_NEEDED: &str =
    "lines of context (` `) or removed lines (`-`) beside the added ones, to tell where they go";

/// What the first character of a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Context,
    Removed,
    Added,
}

/// A marked line in its two parts. An empty line is an empty line of context. One without a mark is taken
/// for context that lost its blank.
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
    /// The text ends here, on a line that is not ended.
    open: bool,
}

impl Body {
    pub(super) fn push(&mut self, mark: Mark, content: &str) {
        let one = |side: &mut String| {
            // Behind what was said to be the end of the text, a further line shows that it is not.
            if !side.is_empty() && !side.ends_with('\n') {
                side.push('\n');
            }
            side.push_str(content);
            side.push('\n');
        };
        match mark {
            Mark::Context => [&mut self.old, &mut self.new].into_iter().for_each(one),
            Mark::Removed => one(&mut self.old),
            Mark::Added => one(&mut self.new),
        }
        self.last = Some(mark);
    }

    /// `\ No newline at end of file`, which is said of the line before.
    pub(super) fn leave_open(&mut self) {
        let one = |side: &mut String| {
            side.pop();
        };
        match self.last {
            Some(Mark::Context) => [&mut self.old, &mut self.new].into_iter().for_each(one),
            Some(Mark::Removed) => one(&mut self.old),
            Some(Mark::Added) => one(&mut self.new),
            None => return,
        }
        self.last = None;
        self.open = true;
    }

    /// What it asks for. `line` is where it begins, from 1; `anchor` what else is known of its place.
    pub(super) fn into_piece(self, line: usize, mut anchor: Anchor) -> Piece {
        anchor.whole_lines = true;
        let placed = !self.old.is_empty() || anchor.at_end || !anchor.under.is_empty();
        if !placed {
            return Piece::Fill { line, content: self.new };
        }
        anchor.at_end |= self.open;
        Piece::Hunk(PatchHunk { line, edit: Edit::new(self.old, self.new).anchored(anchor) })
    }
}

/// What a hunk turns out to be.
pub(super) enum Piece {
    Hunk(PatchHunk),
    /// Additions without a place.
    Fill {
        line: usize,
        content: String,
    },
}

/// The change that all pieces of a section are together. `creates`: whether the file may be made, if the only
/// piece is one without a place.
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

/// The pieces, all of which must have a place.
pub(super) fn hunks(pieces: Vec<Piece>) -> Result<Vec<PatchHunk>, PatchError> {
    let hunk = |piece| match piece {
        Piece::Hunk(hunk) => Ok(hunk),
        Piece::Fill { line, .. } => Err(PatchError { line, expected: CONTEXT_NEEDED.to_owned() }),
    };
    pieces.into_iter().map(hunk).collect()
}

/// What the header of a hunk says: `@@ -old,lines +new,lines @@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    /// First line of the old side, from 1; 0 where there is none.
    pub(super) start: usize,
    pub(super) old: usize,
    pub(super) new: usize,
}

/// Reads such a header; nothing if it has no numbers.
pub(super) fn range(header: &str) -> Option<Range> {
    let rest = header.strip_prefix("@@")?.trim_start().strip_prefix('-')?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let (start, old) = pair(old)?;
    Some(Range { start, old, new: pair(new)?.1 })
}

fn pair(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.trim().split_once(',').unwrap_or((text.trim(), "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}
