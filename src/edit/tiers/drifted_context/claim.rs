//! What a request claims about a block, and how much of it has to be true.

use std::collections::HashMap;
use std::ops::Range;

use super::super::super::base::Base;
use super::super::super::block::Block;
use super::super::super::elided::is_comment;
use super::super::super::line_diff::runs;
use super::super::super::whole_lines::{bare, depth, is_blank_line, places, same_but_blanks, split_indent};
use super::super::super::{Deadline, TimedOut, similarity};
use super::alignment::{Alignment, Gap, alignments, same};
use crate::text::lines;

/// A line of context resembles the file's at least so much.
const LEAST_ALIKE: f64 = 0.65;
/// The first and the last line have to resemble it more: nothing beyond them confirms the place.
const EDGES_ALIKE: f64 = 0.8;
/// Lines of a block in which a comment at the edge may differ as much as one inside.
const LONG: usize = 7;
/// One line in so many may differ.
const LINES_PER_DRIFT: usize = 4;
/// Lines that have to be the file's to the letter, of those that say something.
const FEWEST_EQUAL: usize = 2;
/// Letters and digits of a line that says something.
const TELLING: usize = 3;

/// The lines of a block and what becomes of them.
pub(super) struct Claim<'n> {
    pub(super) asked: Vec<&'n str>,
    new: Vec<&'n str>,
    /// Runs of lines that the edit changes, and the lines that they become.
    changed: Vec<(Range<usize>, Range<usize>)>,
}

impl<'n> Claim<'n> {
    pub(super) fn new(block: &Block<'n>, new: &'n str, deadline: Deadline) -> Self {
        let asked: Vec<_> = block.core().iter().map(|line| line.content).collect();
        let mut new: Vec<_> = lines(new).map(|line| line.content).collect();
        // Blank lines at the edges are not part of what is aligned.
        let tail = new.iter().rev().take_while(|line| is_blank_line(line)).count();
        new.truncate(new.len() - tail);
        let head = new.iter().take_while(|line| is_blank_line(line)).count();
        new.drain(..head);
        let changed = runs(&asked, &new, deadline);
        Self { asked, new, changed }
    }

    /// Whether a block that lies like this is the one that is meant.
    pub(super) fn allows(&self, base: &Base<'_>, alignment: &Alignment) -> Result<bool, TimedOut> {
        let Some(drifted) = self.drifted(base, alignment) else { return Ok(false) };
        let fits = self.gap_is_harmless(base, alignment)
            && (0..self.asked.len()).all(|line| self.line_fits(base, alignment, line))
            && self.indentation_agrees(base, alignment);
        if !fits || !self.is_done(base, alignment, drifted)? {
            return Ok(fits);
        }
        base.done.set(true);
        Ok(false)
    }

    fn gap_is_harmless(&self, base: &Base<'_>, alignment: &Alignment) -> bool {
        match alignment.gap {
            Gap::None => true,
            Gap::Missing(line) => self.run_of(line).is_none() && !self.says_which(line),
            Gap::Surplus(before) => {
                // Where lines go in, or between lines that go, it is not said what becomes of a line more.
                let apart = |(old, _): &(Range<usize>, Range<usize>)| {
                    if old.is_empty() {
                        old.start != before
                    } else {
                        before <= old.start || before >= old.end
                    }
                };
                // It may also be a line that the edit has put in already.
                let there = base.line(alignment.start + before);
                let written = self.changed.iter().flat_map(|(_, new)| &self.new[new.clone()]);
                self.changed.iter().all(apart) && written.into_iter().all(|new| !same_but_blanks(new, there))
            }
        }
    }

    /// Whether lines that the request indents alike are indented alike in the file. The first line may have
    /// lost its indentation.
    fn indentation_agrees(&self, base: &Base<'_>, alignment: &Alignment) -> bool {
        let pair = |line: usize| {
            let span = &alignment.spans[line];
            let there = base.line(alignment.start + span.start);
            let said = !span.is_empty() && !is_blank_line(self.asked[line]) && !is_blank_line(there);
            said.then(|| (split_indent(self.asked[line]).0, split_indent(there).0))
        };
        let mut known: HashMap<&str, &str> = HashMap::new();
        (1..self.asked.len()).filter_map(pair).all(|(old, there)| *known.entry(old).or_insert(there) == there)
    }

    /// Whether the file has rather what the edit makes of the block than the block.
    fn is_done(&self, base: &Base<'_>, alignment: &Alignment, drifted: usize) -> Result<bool, TimedOut> {
        let new = alignments(base, &self.new, alignment.start);
        if new.first().is_some_and(|new| new.differing < drifted) {
            return Ok(true);
        }
        if self.stands_with_the_files_wording(base, alignment) {
            return Ok(true);
        }
        let text: String = self.new.iter().flat_map(|line| [*line, "\n"]).collect();
        let (places, _) = places(base, &text, usize::MAX, same_but_blanks)?;
        let end = alignment.start + alignment.lines();
        Ok(places.iter().any(|&start| start < end && alignment.start < start + self.new.len()))
    }

    /// Returns whether the new text stands there already but for the wording of the lines that the edit keeps.
    fn stands_with_the_files_wording(&self, base: &Base<'_>, alignment: &Alignment) -> bool {
        let mut result: Vec<&str> = Vec::with_capacity(self.new.len());
        let mut kept = 0;
        for (old, new) in self.changed.iter().chain([&(self.asked.len()..0, self.new.len()..0)]) {
            let spans = &alignment.spans[kept..old.start];
            if let (Some(first), Some(last)) = (spans.first(), spans.last()) {
                // A surplus line of the file stays too.
                result.extend((first.start..last.end).map(|at| base.line(alignment.start + at)));
            }
            result.extend(self.new.get(new.clone()).unwrap_or_default());
            kept = old.end;
        }
        let comes_in = self.changed.iter().any(|(_, new)| !new.is_empty());
        let first = alignment.start.saturating_sub(self.new.len());
        let stands = |start: usize| {
            let lines = result.iter().enumerate();
            start + result.len() <= base.index().lines()
                && lines.into_iter().all(|(at, line)| same(base, line, start + at))
        };
        comes_in && (first..=alignment.start).any(stands)
    }

    /// How many lines are neither the file's nor what the edit makes of them; nothing if too many.
    fn drifted(&self, base: &Base<'_>, alignment: &Alignment) -> Option<usize> {
        let mut drifted = usize::from(alignment.gap != Gap::None);
        let (mut telling, mut equal) = (0, 0);
        for (line, span) in alignment.spans.iter().enumerate().filter(|(_, span)| !span.is_empty()) {
            let there = alignment.start + span.start;
            let same = same(base, self.asked[line], there) || self.becomes(line, base.line(there));
            drifted += usize::from(!same);
            telling += usize::from(tells(self.asked[line]));
            equal += usize::from(tells(self.asked[line]) && same);
        }
        let few = drifted * LINES_PER_DRIFT <= self.asked.len();
        (few && equal >= FEWEST_EQUAL && equal * 2 >= telling).then_some(drifted)
    }

    fn line_fits(&self, base: &Base<'_>, alignment: &Alignment, line: usize) -> bool {
        let span = &alignment.spans[line];
        let (asked, there) = (self.asked[line], base.line(alignment.start + span.start));
        if span.is_empty() || same_but_blanks(asked, there) {
            return true;
        }
        if self.run_of(line).is_some() {
            return self.becomes(line, there);
        }
        let at_edge = line == 0 || line + 1 == self.asked.len();
        let reworded = self.asked.len() >= LONG && is_prose(&bare(asked)) && is_prose(&bare(there));
        let least = if at_edge && !reworded { EDGES_ALIKE } else { LEAST_ALIKE };
        let (bare_asked, bare_there) = (bare(asked), bare(there));
        let same_thing = !names_another(&bare_asked, &bare_there)
            && (!self.says_which(line) || head(&bare_asked) == head(&bare_there));
        same_thing
            && similarity::compares(&bare_asked, &bare_there)
            && similarity::of_texts(&bare_asked, &bare_there) >= least
    }

    /// Whether the edit makes of a line what is there already.
    fn becomes(&self, line: usize, there: &str) -> bool {
        let Some((old, new)) = self.run_of(line).filter(|(old, new)| old.len() == new.len()) else {
            return false;
        };
        same_but_blanks(self.new[new.start + line - old.start], there)
    }

    /// The changed run that a line of the block belongs to.
    fn run_of(&self, line: usize) -> Option<&(Range<usize>, Range<usize>)> {
        self.changed.iter().find(|(old, _)| old.contains(&line))
    }

    /// Whether a line says which block this is: deeper lines follow, or it is a heading.
    fn says_which(&self, line: usize) -> bool {
        let bare = bare(self.asked[line]);
        let heading = bare.starts_with("##") || bare.starts_with('[') && bare.ends_with(']');
        heading || self.opens(line)
    }

    fn opens(&self, line: usize) -> bool {
        if is_blank_line(self.asked[line]) || is_comment(self.asked[line]) {
            return false;
        }
        let next = self.asked[line + 1..].iter().find(|next| !is_blank_line(next));
        next.is_some_and(|next| depth(next) > depth(self.asked[line]))
    }
}

/// Whether two lines differ in what is not misremembered but is another thing: a number, a quoted text, or,
/// but for comments, a name or the sign at the end that joins the line to the next.
fn names_another(asked: &str, there: &str) -> bool {
    if asked.is_empty() || there.is_empty() {
        return true;
    }
    let code = !(is_prose(asked) && is_prose(there));
    let ends = code && asked.chars().next_back() != there.chars().next_back();
    let renames =
        code && !is_within(&names(asked), &names(there)) && !is_within(&names(there), &names(asked));
    ends || renames || !numbers(asked).eq(numbers(there)) || quoted(inside(asked)) != quoted(inside(there))
}

/// Returns whether a line says something to people: a comment or the first line of a docstring.
fn is_prose(line: &str) -> bool {
    is_comment(line) || inside(line).len() < line.len()
}

/// Returns the text of a docstring, or else the line.
fn inside(line: &str) -> &str {
    let quote = ["\"\"\"", "'''"].into_iter().find(|quote| line.starts_with(quote));
    quote.map_or(line, |quote| line.trim_start_matches(quote).trim_end_matches(quote))
}

/// The words of a line before its comment. A word more or less may be misremembered, another one is another
/// thing.
fn names(line: &str) -> Vec<&str> {
    let code = [" // ", " # ", " /* ", " -- "].iter().filter_map(|opener| line.find(opener)).min();
    let words =
        line[..code.unwrap_or(line.len())].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns whether some words stand among others, in order.
fn is_within(few: &[&str], many: &[&str]) -> bool {
    let mut many = many.iter();
    few.iter().all(|word| many.any(|other| other == word))
}

fn numbers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// What stands between double quotes, single ones or back quotes. An apostrophe within a word quotes nothing.
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

fn tells(line: &str) -> bool {
    line.chars().filter(|character| character.is_alphanumeric()).count() >= TELLING
}

/// A line up to what it is given in parentheses: the name in a definition, the whole of most others.
fn head(line: &str) -> String {
    let end = line.find('(').unwrap_or(line.len());
    line[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}
