//! New lines beside a matched line that is indented differently in the file, while other matched lines are
//! indented as in the request.

use super::role::Role;
use super::units::{PrefixShift, columns};
use super::{Indenter, Origin, Pair, is_directive, opens_block, run_around};
use crate::elided::is_comment;
use crate::whole_lines::closes_block;

/// The effect of the lines beside a new one on its indentation.
pub(super) enum Beside<'a> {
    /// None: neither neighbor is indented differently.
    Nothing,
    /// The new line moves with its neighbor.
    Follows(PrefixShift<'a>),
    /// The new line may belong to either neighbor.
    Unclear,
}

/// A matched line: its number in the old text, and its indentations.
type Neighbor<'a> = (usize, Pair<'a>);

impl<'a> Indenter<'a> {
    /// Determines if a new line moves with a neighbor that is indented differently in the file. A neighbor is the
    /// next line that the edit keeps, with no blank line in between.
    pub(super) fn beside(&self, line: usize, origins: &[Origin]) -> Beside<'a> {
        let run = run_around(line, origins);
        let is_text = |line: &usize| !self.new[*line].body.is_empty();
        let start = line - (run.start..line).rev().take_while(is_text).count();
        let end = line + (line..run.end).take_while(is_text).count();
        let kept = |at: usize| match origins.get(at) {
            Some(Origin::Kept(old)) => self.pairs[*old].map(|pair| (*old, pair)),
            _ => None,
        };
        let before = start.checked_sub(1).filter(|_| start == run.start).and_then(kept);
        let after = Some(end).filter(|_| end == run.end).and_then(kept);
        let shallowest =
            self.new[start..end].iter().map(|line| line.indent).min_by_key(|indent| indent.len());
        let Some(depth) = shallowest else { return Beside::Nothing };
        let moved = |neighbor: Option<Neighbor<'a>>| neighbor.filter(|neighbor| self.is_moved(*neighbor));
        let touches = |neighbor: &Neighbor<'a>| neighbor.1.old == depth;
        let follows = match (moved(before).filter(touches), moved(after).filter(touches)) {
            (Some((_, one)), Some((_, other))) => (one == other).then_some(one),
            (Some((_, pair)), None) => self.follows_before(pair, after, start..line + 1).then_some(pair),
            (None, Some((_, pair))) => self.precedes(pair, before).then_some(pair),
            (None, None) => {
                let is_inside = |(_, pair): Neighbor<'_>| columns(depth) > columns(pair.actual);
                let opener = moved(before)
                    .filter(|(old, pair)| opens_block(self.old[*old]) && depth.len() > pair.old.len());
                return if opener.is_none_or(is_inside) { Beside::Nothing } else { Beside::Unclear };
            }
        };
        follows.and_then(|pair| PrefixShift::of(&[pair])).map_or(Beside::Unclear, Beside::Follows)
    }

    /// Returns `true` if a line of a block is indented differently in the file. A comment, a directive, or a line
    /// after an open bracket may be indented as its author likes.
    fn is_moved(&self, (old, pair): Neighbor<'_>) -> bool {
        // A first line without its indentation was copied from its first letter on; new lines were not.
        let is_cut = self.only_first_lost && old == 0 && pair.old.is_empty() && self.has_exact("");
        let is_free = is_comment(self.old[old]) || is_directive(self.old[old]) || is_cut;
        pair.old != pair.actual && self.old_roles[old] == Role::Code && !is_free
    }

    /// Returns `true` if new lines belong to the block of the moved line before them.
    fn follows_before(
        &self,
        moved: Pair<'_>,
        after: Option<Neighbor<'_>>,
        lines: std::ops::Range<usize>,
    ) -> bool {
        let last = lines.end - 1;
        match after {
            _ if !self.has_exact(moved.old) => true,
            Some((old, pair)) if pair.old == moved.old => {
                closes_block(self.old[old]) && !closes_block(self.new[lines.start].body)
            }
            Some((_, pair)) if pair.old.len() > moved.old.len() => false,
            _ => !closes_block(self.new[last].body) && !self.may_be_separate(last, &lines),
        }
    }

    /// Returns `true` if new lines belong to the block of the moved line after them: the line before them opens
    /// it.
    fn precedes(&self, moved: Pair<'_>, before: Option<Neighbor<'_>>) -> bool {
        let opens = |(old, pair): Neighbor<'_>| pair.old == moved.old && opens_block(self.old[old]);
        !self.has_exact(moved.old) || before.is_some_and(opens)
    }

    /// Returns `true` if a matched line has this indentation in the request and in the file.
    fn has_exact(&self, indent: &str) -> bool {
        self.pairs.iter().flatten().any(|pair| pair.old == indent && pair.actual == indent)
    }
}
