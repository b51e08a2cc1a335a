//! Blocks of whole lines in the texts of an edit, and their location in the file.

use std::ops::Range;

use super::TimedOut;
use super::base::Base;
use super::needle::Needle;
use super::tiers::Part;
use super::whole_lines::{LineEq, bytes_of, find_lines, is_blank_line};
use crate::text::{Line, lines};

/// Lines of an old text and the lines that replace them, with their offsets in the texts of the edit.
#[derive(Debug, Clone)]
pub(super) struct Block<'n> {
    text: &'n str,
    old: Vec<Line<'n>>,
    new: Vec<Line<'n>>,
    old_at: usize,
    new_at: usize,
    /// Number of blank lines at the start and at the end of the old text.
    edges: (usize, usize),
}

impl<'n> Block<'n> {
    /// Creates the block of a whole needle.
    pub(super) fn of(needle: &'n Needle<'_>) -> Option<Self> {
        Self::new((&needle.old, 0), (&needle.new, 0))
    }

    /// Creates the block of whole texts, or of parts of them that start at `old_at` and `new_at`. Returns
    /// `None` if all lines of the old text are blank, or if it is unclear which of its blank lines should
    /// stay.
    pub(super) fn new((old, old_at): (&'n str, usize), (new, new_at): (&'n str, usize)) -> Option<Self> {
        let (text, new) = (without_open_blank(old), without_open_blank(new));
        let (old, new): (Vec<_>, Vec<_>) = (lines(text).collect(), lines(new).collect());
        let head = old.iter().position(|line| !is_blank_line(line.content))?;
        let tail = old.iter().rev().position(|line| !is_blank_line(line.content))?;
        if head > 0 && tail > 0 && !new.is_empty() && new.iter().all(|line| is_blank_line(line.content)) {
            // Ambiguous: some of the blank lines should stay, but it is unclear which.
            return None;
        }
        Some(Self { text, old, new, old_at, new_at, edges: (head, tail) })
    }

    /// Returns `true` if the old text begins or ends with blank lines.
    pub(super) fn has_edges(&self) -> bool {
        self.edges != (0, 0)
    }

    /// Returns the lines of the old text without blank lines at its edges.
    pub(super) fn core(&self) -> &[Line<'n>] {
        &self.old[self.edges.0..self.old.len() - self.edges.1]
    }

    /// Finds the core in the base. Returns the first lines of the matches, counted from 0, and `true` if the
    /// search stopped at `limit`.
    pub(super) fn find_lines(
        &self,
        base: &Base<'_>,
        limit: usize,
        eq: LineEq,
    ) -> Result<(Vec<usize>, bool), TimedOut> {
        let core = self.core();
        let text =
            core.first().zip(core.last()).map_or("", |(first, last)| &self.text[first.start..last.end()]);
        find_lines(base, text, limit, eq)
    }

    /// Returns the part for a core that matches `count` lines of the base from `line` on. Blank lines at the
    /// edges that the file does not have there are removed from both texts.
    pub(super) fn part(&self, base: &Base<'_>, line: usize, count: usize) -> Part {
        let keys = base.index().keys();
        let blank = |at: &usize| keys[*at] == 0;
        let before = (0..line).rev().take(self.edges.0).take_while(blank).count();
        let after = (line + count..keys.len()).take(self.edges.1).take_while(blank).count();
        let (head, tail) = (self.edges.0 - before, self.edges.1 - after);
        let old = within(&self.old, head, tail, self.old_at);
        let new = without_edges(&self.new, head, tail, self.new_at);
        let ended = self.text[..old.end - self.old_at].ends_with('\n');
        let range = bytes_of(base, line - before, before + count + after, ended);
        Part { range, old, new, spans: Vec::new() }
    }
}

/// Removes a last line that is blank and has no line ending: the start of a line that is not part of the
/// block.
fn without_open_blank(text: &str) -> &str {
    let last = text.rfind('\n').map_or(0, |at| at + 1);
    if is_blank_line(&text[last..]) { &text[..last] } else { text }
}

/// Returns the bytes of `lines` without `head` lines at the start and `tail` lines at the end, offset by
/// `at`.
fn within(lines: &[Line<'_>], head: usize, tail: usize, at: usize) -> Range<usize> {
    let kept = &lines[head..lines.len() - tail];
    kept.first().zip(kept.last()).map_or(at..at, |(first, last)| at + first.start..at + last.end())
}

/// Like [`within`], but removes only blank lines.
fn without_edges(lines: &[Line<'_>], head: usize, tail: usize, at: usize) -> Range<usize> {
    let blank = |line: &&Line<'_>| is_blank_line(line.content);
    let head = lines.iter().take(head).take_while(blank).count();
    let tail = lines[head..].iter().rev().take(tail).take_while(blank).count();
    within(lines, head, tail, at)
}
