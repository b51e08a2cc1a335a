//! A block of whole lines in the texts of an edit, and where it lies in the file.

use std::ops::Range;

use super::TimedOut;
use super::base::Base;
use super::needle::Needle;
use super::tiers::Part;
use super::whole_lines::{Alike, bytes_of, is_blank_line, places};
use crate::text::{Line, lines};

/// Lines of an old text and the lines that take their place, both as bytes of their texts.
#[derive(Debug, Clone)]
pub(super) struct Block<'n> {
    text: &'n str,
    old: Vec<Line<'n>>,
    new: Vec<Line<'n>>,
    old_at: usize,
    new_at: usize,
    /// Blank lines at the start of the old text, and at its end.
    edges: (usize, usize),
}

impl<'n> Block<'n> {
    /// The block of a whole needle.
    pub(super) fn of(needle: &'n Needle<'_>) -> Option<Self> {
        Self::new((&needle.old, 0), (&needle.new, 0))
    }

    /// The block of whole texts, or of stretches of them that start at `old_at` and `new_at`. Nothing if
    /// the old text has no line that says something, or it is not clear which of its blank lines are to stay.
    pub(super) fn new((old, old_at): (&'n str, usize), (new, new_at): (&'n str, usize)) -> Option<Self> {
        let (text, new) = (without_open_blank(old), without_open_blank(new));
        let (old, new): (Vec<_>, Vec<_>) = (lines(text).collect(), lines(new).collect());
        let head = old.iter().position(|line| !is_blank_line(line.content))?;
        let tail = old.iter().rev().position(|line| !is_blank_line(line.content))?;
        if head > 0 && tail > 0 && !new.is_empty() && new.iter().all(|line| is_blank_line(line.content)) {
            // Which of the blank lines are to stay cannot be told.
            return None;
        }
        Some(Self { text, old, new, old_at, new_at, edges: (head, tail) })
    }

    /// Whether it has blank lines at its edges.
    pub(super) fn has_edges(&self) -> bool {
        self.edges != (0, 0)
    }

    /// The lines that say something, and blank ones between them.
    pub(super) fn core(&self) -> &[Line<'n>] {
        &self.old[self.edges.0..self.old.len() - self.edges.1]
    }

    /// Where the core stands, as lines of the base from 0.
    pub(super) fn places(
        &self,
        base: &Base<'_>,
        limit: usize,
        alike: Alike,
    ) -> Result<(Vec<usize>, bool), TimedOut> {
        let core = self.core();
        let text =
            core.first().zip(core.last()).map_or("", |(first, last)| &self.text[first.start..last.end()]);
        places(base, text, limit, alike)
    }

    /// The part for a core that stands on `count` lines of the base from `line` on. Blank lines at its edges
    /// that the file does not have there are left out of both texts.
    pub(super) fn part(&self, base: &Base<'_>, line: usize, count: usize) -> Part {
        let keys = base.index().keys();
        let blank = |at: &usize| keys[*at] == 0;
        let before = (0..line).rev().take(self.edges.0).take_while(blank).count();
        let behind = (line + count..keys.len()).take(self.edges.1).take_while(blank).count();
        let (head, tail) = (self.edges.0 - before, self.edges.1 - behind);
        let old = within(&self.old, head, tail, self.old_at);
        let new = without_edges(&self.new, head, tail, self.new_at);
        let ended = self.text[..old.end - self.old_at].ends_with('\n');
        let range = bytes_of(base, line - before, before + count + behind, ended);
        Part { range, old, new, spans: Vec::new() }
    }
}

/// A text without a last line of blanks that is not ended: the start of a line that is not asked for.
fn without_open_blank(text: &str) -> &str {
    let last = text.rfind('\n').map_or(0, |at| at + 1);
    if is_blank_line(&text[last..]) { &text[..last] } else { text }
}

/// Bytes of `lines` without some at the head and at the tail, counted from `at`.
fn within(lines: &[Line<'_>], head: usize, tail: usize, at: usize) -> Range<usize> {
    let kept = &lines[head..lines.len() - tail];
    kept.first().zip(kept.last()).map_or(at..at, |(first, last)| at + first.start..at + last.end())
}

/// The same for lines of which only blank ones go.
fn without_edges(lines: &[Line<'_>], head: usize, tail: usize, at: usize) -> Range<usize> {
    let blank = |line: &&Line<'_>| is_blank_line(line.content);
    let head = lines.iter().take(head).take_while(blank).count();
    let tail = lines[head..].iter().rev().take(tail).take_while(blank).count();
    within(lines, head, tail, at)
}
