//! Edits of trees that follow the changes of their texts.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr_iter, memrchr};
use tree_sitter::{InputEdit, Point, Tree};

use super::parse::with_line_feeds;
use editd_edit::{Splice, common_ends};

/// Maximum number of edits that are followed in a tree. With more, the whole text is parsed.
const MAX_FOLLOWED: usize = 64;

/// Returns the tree of an earlier text, moved along with the edits that lead to a later one, which are in order. Returns
/// `None` if there are too many edits, or if a text has a lone CR, which is a line ending to grammars, but not to the
/// positions of the edits.
pub(super) fn followed(
    tree: &Tree,
    (old, new): (&str, &str),
    edits: impl FnOnce(&str, &str) -> Vec<InputEdit>,
) -> Option<Tree> {
    let has_lone_cr = |text: &str| matches!(with_line_feeds(text), Cow::Owned(_));
    if has_lone_cr(old) || has_lone_cr(new) {
        return None;
    }
    let edits = edits(old, new);
    if edits.len() > MAX_FOLLOWED {
        return None;
    }
    let mut tree = tree.clone();
    // From the end, so that the earlier positions stay valid.
    edits.iter().rev().for_each(|edit| tree.edit(edit));
    Some(tree)
}

/// Returns the edits of a tree for splices of its text, in order.
pub(super) fn edits_of(text: &str, splices: &[Splice]) -> Vec<InputEdit> {
    let mut at = Position::default();
    let mut edit = |Splice { range, text: new }: &Splice| {
        at = at.moved_over(&text.as_bytes()[at.offset..range.start]);
        let (start, old_end) = (at, at.moved_over(&text.as_bytes()[range.clone()]));
        at = old_end;
        input_edit(start, old_end, start.moved_over(new.as_bytes()))
    };
    splices.iter().map(&mut edit).collect()
}

/// Returns the edit that makes `new` of `old`: all from their first to their last difference.
pub(super) fn edit(old: &str, new: &str) -> InputEdit {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let (head, tail) = common_ends(old, new);
    let changed = |bytes: &[u8]| -> Range<usize> { head..bytes.len() - tail };
    let start = Position::default().moved_over(&old[..head]);
    input_edit(start, start.moved_over(&old[changed(old)]), start.moved_over(&new[changed(new)]))
}

fn input_edit(start: Position, old_end: Position, new_end: Position) -> InputEdit {
    InputEdit {
        start_byte: start.offset,
        old_end_byte: old_end.offset,
        new_end_byte: new_end.offset,
        start_position: start.point,
        old_end_position: old_end.point,
        new_end_position: new_end.point,
    }
}

/// A position in a text.
#[derive(Debug, Clone, Copy)]
struct Position {
    offset: usize,
    point: Point,
}

impl Default for Position {
    fn default() -> Self {
        Self { offset: 0, point: Point::new(0, 0) }
    }
}

impl Position {
    /// Returns the position behind the bytes that follow.
    fn moved_over(self, bytes: &[u8]) -> Self {
        let rows = memchr_iter(b'\n', bytes).count();
        let column = match memrchr(b'\n', bytes) {
            Some(last) => bytes.len() - last - 1,
            None => self.point.column + bytes.len(),
        };
        Self { offset: self.offset + bytes.len(), point: Point::new(self.point.row + rows, column) }
    }
}
