//! Search and comparison of whole lines, and the blocks of whole lines of an edit.

use std::borrow::Cow;
use std::ops::Range;

use super::TimedOut;
use super::base::{Base, key_and_pairs};
use super::fold::{self, Needle, is_space};
use super::tiers::SitePart;
use editd_text::{Line, line_end, lines};

/// Number of lines compared between two deadline checks.
const STRIDE: usize = 4096;

/// Compares a requested line with a line of the file.
pub(super) type LineEq = fn(&str, &str) -> bool;

/// The first lines of matches, counted from 0, and `true` if the search stopped at its limit.
pub(super) type FoundLines = Result<(Vec<usize>, bool), TimedOut>;

/// Finds the lines of the base at which the lines of `old` match as whole lines, up to `limit`.
pub(super) fn find_lines(base: &Base<'_>, old: &str, limit: usize, eq: LineEq) -> FoundLines {
    base.deadline.check()?;
    let wanted: Vec<u32> = lines(old).map(|line| key_and_pairs(line.content).0).collect();
    let keys = &base.index().keys;
    let mut found = Vec::new();
    let Some(last_start) = keys.len().checked_sub(wanted.len()) else { return Ok((found, false)) };
    let Some((pivot, key)) = rarest(base, &wanted) else { return Ok((found, false)) };
    let mut compared = 0;
    let starts = base.lines_with(key).filter_map(|line| line.checked_sub(pivot));
    for line in starts.filter(|&line| line <= last_start) {
        compared += 1;
        if compared % STRIDE == 0 {
            base.deadline.check()?;
        }
        let mut both = lines(old).zip(base.lines_from(line));
        if keys[line..].starts_with(&wanted) && both.all(|(old, actual)| eq(old.content, actual.content)) {
            found.push(line);
            if found.len() >= limit {
                return Ok((found, true));
            }
        }
    }
    Ok((found, false))
}

/// Returns the line to search for first, as (index, key): the rarest in the file among a few distinct lines
/// that are not blank.
fn rarest(base: &Base<'_>, keys: &[u32]) -> Option<(usize, u32)> {
    const TRIED: usize = 8;
    let mut lines: Vec<(usize, u32)> = keys.iter().copied().enumerate().collect();
    lines.retain(|&(_, key)| key != 0);
    lines.sort_by_key(|&(_, key)| key);
    lines.dedup_by_key(|&mut (_, key)| key);
    let candidates = lines.iter().copied().step_by(lines.len().div_ceil(TRIED).max(1));
    candidates.min_by_key(|&(_, key)| base.count_of(key))
}

/// Returns the bytes of `count` lines of the base from `first` on (from 0), without the last line ending
/// unless `ended`.
pub(super) fn bytes_of(base: &Base<'_>, first: usize, count: usize, ended: bool) -> Range<usize> {
    let start = base.start_of(first);
    if count == 0 {
        return start..start;
    }
    let (content_end, end) = line_end(base.text, base.start_of(first + count - 1));
    start..if ended { end } else { content_end }
}

/// Returns `true` if the lines are equal except for whitespace around them.
pub(super) fn eq_ignoring_indentation(requested: &str, actual: &str) -> bool {
    bare(requested) == bare(actual)
}

/// Returns `true` if the lines are equal except for whitespace around them and the length of whitespace runs
/// in them.
pub(super) fn eq_ignoring_whitespace(requested: &str, actual: &str) -> bool {
    let (requested, actual) = (bare(requested), bare(actual));
    requested == actual || words(&requested).eq(words(&actual))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(fold::is_blank).filter(|word| !word.is_empty())
}

/// Returns the words of a line, its runs of whitespace, and all other characters.
pub(super) fn parts(line: &str) -> impl Iterator<Item = &str> {
    let kind = |character: char| match character {
        '_' => 1,
        character if character.is_alphanumeric() => 1,
        character if character.is_whitespace() => 2,
        _ => 0,
    };
    let mut rest = line;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match kind(first) {
            0 => first.len_utf8(),
            run => rest.find(|next| kind(next) != run).unwrap_or(rest.len()),
        };
        let (part, others) = rest.split_at(end);
        rest = others;
        Some(part)
    })
}

/// Trims whitespace and folds typographic characters.
pub(super) fn bare(content: &str) -> Cow<'_, str> {
    fold::plain(content.trim_matches(blank))
}

/// Splits a line into its indentation and the rest.
pub(super) fn split_indent(content: &str) -> (&str, &str) {
    let rest = content.trim_start_matches(blank);
    content.split_at(content.len() - rest.len())
}

/// Returns the indentation depth of a line, in characters.
pub(super) fn depth(content: &str) -> usize {
    split_indent(content).0.chars().count()
}

/// Returns `true` if a line begins with a token that closes a block.
pub(super) fn closes_block(content: &str) -> bool {
    let line = content.trim_start();
    ["}", ")", "]", "end"].iter().any(|closer| line.starts_with(closer))
}

/// Returns `true` if a line has only whitespace.
pub(super) fn is_blank_line(content: &str) -> bool {
    content.chars().all(blank)
}

fn blank(character: char) -> bool {
    fold::is_blank(character) || is_space(character)
}

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

    /// Finds the core in the base, up to `limit` times.
    pub(super) fn find_lines(&self, base: &Base<'_>, limit: usize, eq: LineEq) -> FoundLines {
        let core = within(&self.old, self.edges.0, self.edges.1, 0);
        find_lines(base, &self.text[core], limit, eq)
    }

    /// Returns the part for a core that matches `count` lines of the base from `line` on. Blank lines at the
    /// edges that the file does not have there are removed from both texts.
    pub(super) fn part(&self, base: &Base<'_>, line: usize, count: usize) -> SitePart {
        let keys = &base.index().keys;
        let blank = |at: &usize| keys[*at] == 0;
        let before = (0..line).rev().take(self.edges.0).take_while(blank).count();
        let after = (line + count..keys.len()).take(self.edges.1).take_while(blank).count();
        let (head, tail) = (self.edges.0 - before, self.edges.1 - after);
        let old = within(&self.old, head, tail, self.old_at);
        let new = without_edges(&self.new, head, tail, self.new_at);
        let ended = self.text[..old.end - self.old_at].ends_with('\n');
        let range = bytes_of(base, line - before, before + count + after, ended);
        SitePart { range, old, new, spans: Vec::new() }
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
