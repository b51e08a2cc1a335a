//! Alignment of a block with lines of the file that differ slightly, and the check that it is the intended one.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use crate::base::{Base, key_and_pairs};
use crate::elided::is_comment;
use crate::line_diff::{Run, runs};
use crate::whole_lines::{
    Block, bare, depth, eq_ignoring_whitespace, find_lines, is_blank_line, parts, split_indent,
};
use crate::{Deadline, TimedOut, similarity};
use editd_text::lines;

/// An alignment of a block with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// First line of the base, from 0.
    pub(crate) start: usize,
    /// Number of lines of the block.
    block: usize,
    pub(super) gap: Gap,
    /// Number of lines of the block that differ from the file's, including the missing or surplus line.
    pub(crate) differing: usize,
}

/// A line that only one side has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    /// The file lacks this line of the block.
    Missing(usize),
    /// The file has an extra line before this line of the block.
    Surplus(usize),
}

impl Alignment {
    /// Returns the line of the file for a line of the block, counted from `start`; empty if the file lacks it. The
    /// lines of all alignments together would take quadratic memory, so they are not stored.
    pub(crate) fn span(&self, at: usize) -> Range<usize> {
        match self.gap {
            Gap::Missing(missing) if at == missing => at..at,
            Gap::Missing(missing) if at > missing => at - 1..at,
            Gap::Surplus(before) if at >= before => at + 1..at + 2,
            _ => at..at + 1,
        }
    }

    /// Returns the lines of the file for every line of the block.
    pub(super) fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.block).map(|at| self.span(at))
    }

    /// Returns the number of lines of the base that the alignment covers.
    pub(crate) fn lines(&self) -> usize {
        self.block.checked_sub(1).map_or(0, |last| self.span(last).end)
    }
}

/// Maximum number of equally good alignments in one region. With more of them it is unclear which line is missing or
/// surplus.
const MAX_ALIGNMENTS: usize = 4096;

/// Returns the alignments of `requested` from line `start` on that leave the fewest lines differing; none if there are
/// too many.
pub(crate) fn alignments(base: &Base<'_>, requested: &[&str], start: usize) -> Vec<Alignment> {
    let differs = |shift: usize| -> Vec<bool> {
        // `shift` is 0 for one line back, 1 for none, 2 for one line on.
        let actual = |at: usize| (start + at + shift).checked_sub(1);
        requested
            .iter()
            .enumerate()
            .map(|(at, line)| actual(at).is_none_or(|actual| !same(base, line, actual)))
            .collect()
    };
    let [back, level, on] = [0, 1, 2].map(differs);
    let lines = requested.len();
    let sums = [&back, &level, &on].map(|differs| prefix_sums(differs));
    let head = |to: usize| sums[1][to];
    let rest = |shift: usize, from: usize| sums[shift][lines] - sums[shift][from];
    let mut found = vec![(Gap::None, head(lines))];
    // A gap must be between two lines that equal the file's.
    for at in (1..lines).filter(|&at| !level[at - 1]) {
        if !on[at] {
            found.push((Gap::Surplus(at), head(at) + rest(2, at) + 1));
        }
        if back.get(at + 1) == Some(&false) {
            found.push((Gap::Missing(at), head(at) + rest(0, at + 1) + 1));
        }
    }
    let total = base.index().lines();
    let alignment = |(gap, differing)| Alignment { start, block: lines, gap, differing };
    let mut found: Vec<_> = found.into_iter().map(alignment).collect();
    found.retain(|one| start + one.lines() <= total);
    let fewest = found.iter().map(|one| one.differing).min();
    found.retain(|one| Some(one.differing) == fewest);
    if found.len() > MAX_ALIGNMENTS { Vec::new() } else { found }
}

/// Returns the prefix sums: how many of the first n lines differ, for every n.
fn prefix_sums(differs: &[bool]) -> Vec<usize> {
    let sums = differs.iter().scan(0, |sum, &differs| {
        *sum += usize::from(differs);
        Some(*sum)
    });
    [0].into_iter().chain(sums).collect()
}

/// Returns `true` if line `at` (from 0) of the base equals the requested line except for whitespace.
fn same(base: &Base<'_>, requested: &str, at: usize) -> bool {
    base.index().keys.get(at) == Some(&key_and_pairs(requested).0)
        && eq_ignoring_whitespace(requested, base.line(at))
}

/// Minimum similarity of a context line to the file's.
const MIN_SIMILARITY: f64 = 0.65;
/// Minimum similarity of the first and the last line: nothing beyond them confirms the location.
const MIN_EDGE_SIMILARITY: f64 = 0.8;
/// Number of lines of a block from which on a comment at the edge may differ as much as one inside.
const LONG_BLOCK: usize = 7;
/// One in this many lines may differ.
const LINES_PER_DRIFT: usize = 4;
/// Minimum number of significant lines that must equal the file's.
const MIN_EQUAL: usize = 2;
/// Minimum number of significant lines that must equal the file's beside a line with a slip in a name.
const MIN_EXACT: usize = 3;
/// Minimum similarity of a name with a slip to the file's.
const MIN_NAME: f64 = 0.8;
/// Minimum number of letters and digits of a significant line.
const MIN_SIGNIFICANT_CHARS: usize = 3;

/// The lines of a block and their changes.
pub(crate) struct DriftCheck<'n> {
    pub(crate) requested: Vec<&'n str>,
    pub(crate) new: Vec<&'n str>,
    /// Runs of lines that the edit changes, with the lines that replace them.
    pub(crate) changed: Vec<Run>,
}

impl<'n> DriftCheck<'n> {
    pub(crate) fn new(block: &Block<'n>, new: &'n str, deadline: Deadline) -> Self {
        let requested: Vec<_> = block.core().iter().map(|line| line.content).collect();
        let mut new: Vec<_> = lines(new).map(|line| line.content).collect();
        // Blank lines at the edges are not part of what is aligned.
        let tail = new.iter().rev().take_while(|line| is_blank_line(line)).count();
        new.truncate(new.len() - tail);
        let head = new.iter().take_while(|line| is_blank_line(line)).count();
        new.drain(..head);
        let changed = runs(&requested, &new, deadline);
        Self { requested, new, changed }
    }

    /// Returns `true` if an alignment of the block is a match.
    pub(super) fn allows(&self, base: &Base<'_>, alignment: &Alignment) -> Result<bool, TimedOut> {
        let Some(drifted) = self.drifted(base, alignment) else { return Ok(false) };
        let fits = self.gap_is_harmless(base, alignment)
            && (0..self.requested.len()).all(|line| self.line_is_close_enough(base, alignment, line))
            && self.indentation_agrees(base, alignment);
        if fits && self.is_done(base, alignment, drifted)? {
            base.is_applied.set(true);
            return Ok(false);
        }
        Ok(fits)
    }

    /// Returns `true` if a missing or surplus line leaves no doubt about where the changes belong.
    pub(crate) fn gap_is_harmless(&self, base: &Base<'_>, alignment: &Alignment) -> bool {
        match alignment.gap {
            Gap::None => true,
            Gap::Missing(line) => {
                self.run_of(line).is_none() && !self.identifies_block(line) && !self.separates(line)
            }
            Gap::Surplus(before) => {
                // At an insertion, or between removed lines, it is unclear whether the extra line should
                // stay.
                let actual = base.line(alignment.start + before);
                let is_blank = is_blank_line(actual);
                let apart = |(old, new): &Run| {
                    if old.is_empty() {
                        old.start != before
                    } else if is_blank && new.is_empty() {
                        // The blank line may have separated the removed lines.
                        !self.is_beside(old, before, before)
                    } else {
                        before <= old.start || before >= old.end
                    }
                };
                // The extra line may also be one that the edit has already inserted.
                let written = self.changed.iter().flat_map(|(_, new)| &self.new[new.clone()]);
                self.changed.iter().all(apart)
                    && written.into_iter().all(|new| !eq_ignoring_whitespace(new, actual))
            }
        }
    }

    /// Returns `true` if a line is blank and the edit writes a blank line next to it: together they separate the new
    /// lines, so it is unclear if the file, which lacks the line, should have both.
    fn separates(&self, line: usize) -> bool {
        let writes_blank = |new: &Range<usize>| self.new[new.clone()].iter().any(|new| is_blank_line(new));
        is_blank_line(self.requested[line])
            && self.changed.iter().any(|(old, new)| self.is_beside(old, line, line + 1) && writes_blank(new))
    }

    /// Returns `true` if only blank lines are between changed lines and others.
    fn is_beside(&self, changed: &Range<usize>, start: usize, end: usize) -> bool {
        let are_blank = |lines: Range<usize>| self.requested[lines].iter().all(|line| is_blank_line(line));
        match (end <= changed.start, changed.end <= start) {
            (true, _) => are_blank(end..changed.start),
            (_, true) => are_blank(changed.end..start),
            _ => true,
        }
    }

    /// Returns `true` if lines with equal indentation in the request have equal indentation in the file. The
    /// first line is ignored: it may have lost its indentation.
    fn indentation_agrees(&self, base: &Base<'_>, alignment: &Alignment) -> bool {
        let pair = |line: usize| {
            let span = alignment.span(line);
            let actual = base.line(alignment.start + span.start);
            let comparable =
                !span.is_empty() && !is_blank_line(self.requested[line]) && !is_blank_line(actual);
            comparable.then(|| (split_indent(self.requested[line]).0, split_indent(actual).0))
        };
        let mut known: HashMap<&str, &str> = HashMap::new();
        (1..self.requested.len())
            .filter_map(pair)
            .all(|(old, actual)| *known.entry(old).or_insert(actual) == actual)
    }

    /// Returns `true` if the file has the result of the edit rather than the block.
    pub(crate) fn is_done(
        &self,
        base: &Base<'_>,
        alignment: &Alignment,
        drifted: usize,
    ) -> Result<bool, TimedOut> {
        let new = alignments(base, &self.new, alignment.start);
        if new.first().is_some_and(|new| new.differing < drifted)
            || self.is_applied_with_file_wording(base, alignment)
        {
            return Ok(true);
        }
        let text: String = self.new.iter().flat_map(|line| [*line, "\n"]).collect();
        let (starts, _) = find_lines(base, &text, usize::MAX, eq_ignoring_whitespace)?;
        let end = alignment.start + alignment.lines();
        Ok(starts.iter().any(|&start| start < end && alignment.start < start + self.new.len()))
    }

    /// Returns `true` if the file already has the new text except for the wording of the lines that the edit
    /// keeps.
    fn is_applied_with_file_wording(&self, base: &Base<'_>, alignment: &Alignment) -> bool {
        let mut result: Vec<&str> = Vec::with_capacity(self.new.len());
        let mut kept = 0;
        for (old, new) in self.changed.iter().chain([&(self.requested.len()..0, self.new.len()..0)]) {
            if kept < old.start {
                // A surplus line of the file stays too.
                let there = alignment.span(kept).start..alignment.span(old.start - 1).end;
                result.extend(there.map(|at| base.line(alignment.start + at)));
            }
            result.extend(self.new.get(new.clone()).unwrap_or_default());
            kept = old.end;
        }
        let has_insertions = self.changed.iter().any(|(_, new)| !new.is_empty());
        let first = alignment.start.saturating_sub(self.new.len());
        let matches_result = |start: usize| {
            let lines = result.iter().enumerate();
            start + result.len() <= base.index().lines()
                && lines.into_iter().all(|(at, line)| same(base, line, start + at))
        };
        has_insertions && (first..=alignment.start).any(matches_result)
    }

    /// Counts the lines that equal neither the file's nor their replacement. Returns `None` if there are too
    /// many.
    fn drifted(&self, base: &Base<'_>, alignment: &Alignment) -> Option<usize> {
        let mut drifted = usize::from(alignment.gap != Gap::None);
        let (mut significant, mut equal) = (0, 0);
        for (line, span) in alignment.spans().enumerate().filter(|(_, span)| !span.is_empty()) {
            let actual = alignment.start + span.start;
            let same =
                same(base, self.requested[line], actual) || self.is_already_changed(line, base.line(actual));
            drifted += usize::from(!same);
            significant += usize::from(is_significant(self.requested[line]));
            equal += usize::from(is_significant(self.requested[line]) && same);
        }
        let few = drifted * LINES_PER_DRIFT <= self.requested.len();
        (few && equal >= MIN_EQUAL && equal * 2 >= significant).then_some(drifted)
    }

    fn line_is_close_enough(&self, base: &Base<'_>, alignment: &Alignment, line: usize) -> bool {
        let span = alignment.span(line);
        let (requested, actual) = (self.requested[line], base.line(alignment.start + span.start));
        if span.is_empty() || eq_ignoring_whitespace(requested, actual) {
            return true;
        }
        if self.run_of(line).is_some() {
            return self.is_already_changed(line, actual);
        }
        let at_edge = line == 0 || line + 1 == self.requested.len();
        let (requested, actual) = (bare(requested), bare(actual));
        let reworded = self.requested.len() >= LONG_BLOCK && is_prose(&requested) && is_prose(&actual);
        let least = if at_edge && !reworded { MIN_EDGE_SIMILARITY } else { MIN_SIMILARITY };
        (!refers_to_something_else(&requested, &actual)
            || self.is_slip(base, alignment, (&requested, &actual)))
            && (!self.identifies_block(line) || head(&requested) == head(&actual))
            && requested.len().max(actual.len()) <= similarity::MAX_COMPARED
            && similarity::of_texts(&requested, &actual) >= least
    }

    /// Returns `true` if the only line that differs has one other name than the file, and this name stands nowhere in the
    /// file and in no new line but this one: then no other place is meant.
    fn is_slip(&self, base: &Base<'_>, alignment: &Alignment, (requested, actual): (&str, &str)) -> bool {
        let significant = self.requested.iter().filter(|line| is_significant(line)).count();
        if alignment.differing != 1 || alignment.gap != Gap::None || significant <= MIN_EXACT {
            return false;
        }
        let is_word = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
        let stands = |text: &str, name: &str| {
            memmem::find_iter(text.as_bytes(), name)
                .any(|at| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
        };
        other_name(requested, actual).is_some_and(|name| {
            self.new.iter().filter(|line| stands(line, name)).count() == 1 && !stands(base.text, name)
        })
    }

    /// Returns `true` if the edit replaces a line by what the file already has.
    fn is_already_changed(&self, line: usize, actual: &str) -> bool {
        self.run_of(line).is_some_and(|(old, new)| {
            old.len() == new.len() && eq_ignoring_whitespace(self.new[new.start + line - old.start], actual)
        })
    }

    /// Returns the changed run that contains a line of the block.
    fn run_of(&self, line: usize) -> Option<&Run> {
        self.changed.iter().find(|(old, _)| old.contains(&line))
    }

    /// Returns `true` if a line identifies the block: deeper lines follow, or it is a heading.
    pub(crate) fn identifies_block(&self, line: usize) -> bool {
        let bare = bare(self.requested[line]);
        let heading = bare.starts_with("##") || bare.starts_with('[') && bare.ends_with(']');
        heading || self.opens(line)
    }

    fn opens(&self, line: usize) -> bool {
        if is_blank_line(self.requested[line]) || is_comment(self.requested[line]) {
            return false;
        }
        let next = self.requested[line + 1..].iter().find(|next| !is_blank_line(next));
        next.is_some_and(|next| depth(next) > depth(self.requested[line]))
    }
}

/// Returns `true` if two lines refer to different things, which is not mere drift: they differ in a number, a
/// quoted text, or, except for comments, in a name or in the last character, which may join the line to the
/// next.
fn refers_to_something_else(requested: &str, actual: &str) -> bool {
    if requested.is_empty() || actual.is_empty() {
        return true;
    }
    let code = !(is_prose(requested) && is_prose(actual));
    let ends = code && requested.chars().next_back() != actual.chars().next_back();
    let renames = code
        && !is_within(&names(requested), &names(actual))
        && !is_within(&names(actual), &names(requested));
    ends || renames
        || !numbers(requested).eq(numbers(actual))
        || quoted(inside(requested)) != quoted(inside(actual))
}

/// Returns the name in a requested line that is misspelt, or spelt otherwise than in the file, if nothing else differs. It
/// is not part of a quoted text.
fn other_name<'l>(requested: &'l str, actual: &str) -> Option<&'l str> {
    let equal =
        |(one, other): &(&str, &str)| one == other || one.trim().is_empty() && other.trim().is_empty();
    if parts(requested).count() != parts(actual).count() || quoted(requested) != quoted(actual) {
        return None;
    }
    let mut differing = parts(requested).zip(parts(actual)).filter(|pair| !equal(pair));
    let (name, there) = differing.next()?;
    let is_name = |part: &str| part.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let is_misspelt = similarity::of_texts(name, there) >= MIN_NAME;
    (differing.next().is_none() && is_name(name) && is_name(there) && is_misspelt).then_some(name)
}

/// Returns `true` if a line is prose: a comment or the first line of a docstring.
fn is_prose(line: &str) -> bool {
    is_comment(line) || inside(line).len() < line.len()
}

/// Returns the text of a docstring, or else the line.
fn inside(line: &str) -> &str {
    let quote = ["\"\"\"", "'''"].into_iter().find(|quote| line.starts_with(quote));
    quote.map_or(line, |quote| line.trim_start_matches(quote).trim_end_matches(quote))
}

/// Returns the words of a line before its comment. A word more or less is drift, a different one is not.
pub(crate) fn names(line: &str) -> Vec<&str> {
    let code = [" // ", " # ", " /* ", " -- "].iter().filter_map(|opener| line.find(opener)).min();
    let words =
        line[..code.unwrap_or(line.len())].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns `true` if some words occur among others, in order.
fn is_within(few: &[&str], many: &[&str]) -> bool {
    let mut many = many.iter();
    few.iter().all(|word| many.any(|other| other == word))
}

fn numbers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// Returns the texts between double quotes, single quotes or backticks. An apostrophe within a word is not a
/// quote.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let (before, quote) = (&rest[..start], &rest[start..=start]);
        let inside_a_word = quote == "'" && before.ends_with(char::is_alphanumeric);
        rest = &rest[start + 1..];
        if inside_a_word {
            continue;
        }
        let Some(end) = rest.find(quote) else { break };
        found.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    found
}

pub(crate) fn is_significant(line: &str) -> bool {
    line.chars().filter(|character| character.is_alphanumeric()).count() >= MIN_SIGNIFICANT_CHARS
}

/// Returns a line up to its first parenthesis: the name in a definition, the whole line for most others.
pub(crate) fn head(line: &str) -> String {
    let end = line.find('(').unwrap_or(line.len());
    line[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}
