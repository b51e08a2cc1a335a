//! The change that an edit without a match probably means. It is never made before its author has confirmed it.
//!
//! The nearest region is aligned with the old text, line by line. Lines that the edit keeps stay as the file has them.
//! In lines that it changes, the changed words are taken from the new text and all others from the file. There is no
//! offer if another region is nearly as near, if the region is rather another part of the program, or if the indentation
//! of a new line does not follow.

use std::collections::HashMap;

use super::base::Base;
use super::diff::diff_plan;
use super::fold::Needle;
use super::merge::merge_ours;
use super::replaced_lines::{merge_line, pair_up};
use super::tiers::{Alignment, DriftCheck, alignments, head, is_significant, names};
use super::unwrap::without_number;
use super::whole_lines::{Block, bare, eq_ignoring_whitespace, is_blank_line, parts, split_indent};
use super::{Closest, Count, Deadline, Edit, Labels, Plan, similarity};
use editd_text::{Line, LineEnding, lines};

/// Minimum similarity of the region: below it, the text may be meant for another file.
const MIN_SIMILARITY: f64 = 0.6;
/// Minimum similarity of a region with few lines, of which others may have as many words.
const MIN_SHORT_SIMILARITY: f64 = 0.85;
/// Number of lines from which on a region is not short.
const LONG: usize = 4;
/// Minimum difference to the similarity of the next region.
const LEAD: f64 = 0.05;
/// Minimum similarity of a line that the edit changes to the line that it would replace.
const MIN_CHANGED: f64 = 0.5;
/// Minimum similarity of one of the lines around an insertion to its line in the file.
const MIN_BESIDE: f64 = 0.8;
/// Minimum similarity of the line that names a block, such as the definition of a function, up to its arguments.
const MIN_HEAD: f64 = 0.75;
/// Minimum similarity of a misspelt name to the file's, whatever its case.
const MIN_NAME: f64 = 0.8;
/// Number of kept lines from which on half of them must equal the file's.
const SOME_LINES: usize = 3;

/// A change that an edit without a match probably means.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The replacement of whole lines: their text in the file, the new text, and their bytes as the scope.
    pub edit: Edit,
    /// Unified diff of the change with three lines of context, without names of files.
    pub diff: String,
}

impl Offer {
    /// Creates an offer for an edit that was located.
    pub(super) fn new(base: &str, edit: Edit, plan: &Plan, deadline: Deadline) -> Self {
        let diff = diff_plan(base, plan, Labels::same(""), deadline).unified;
        let hunks = diff.find("@@").unwrap_or_default();
        Self { edit, diff: diff[hunks..].to_owned() }
    }

    /// Moves the offer to a text that has more bytes before its base.
    #[must_use]
    pub(super) fn moved_by(mut self, bytes: usize) -> Self {
        self.edit.scope = self.edit.scope.map(|scope| scope.start + bytes..scope.end + bytes);
        self
    }
}

/// Returns the edit that `needle` probably means, as a replacement of whole lines of the base. `closest` are the most
/// similar regions, best first.
pub(super) fn nearest(
    base: &Base<'_>,
    needle: &Needle<'_>,
    closest: &[Closest],
    is_scoped: bool,
) -> Option<Edit> {
    let best = closest.first()?;
    let next = closest.get(1).map_or(0.0, |next| next.similarity);
    let block = Block::of(needle)?;
    // A region within a scope is the nearest there, but perhaps not in the file.
    let is_short = block.core().len() < LONG || is_scoped;
    let least = if is_short { MIN_SHORT_SIMILARITY } else { MIN_SIMILARITY };
    if similarity_of(base, &block, best) < least || best.similarity < next + LEAD {
        return None;
    }
    let adds_line_end = needle.new.ends_with('\n') && !needle.old.ends_with('\n');
    let has_other_edges = adds_line_end || blank_edges(&needle.old) != blank_edges(&needle.new);
    if has_other_edges && !needle.new.is_empty() {
        return None;
    }
    let check = DriftCheck::new(&block, &needle.new, base.deadline);
    // Numbers of lines, which not all of them have, and lines that are too long to be compared.
    let is_odd = |line: &&str| without_number(line).is_some() || line.len() > similarity::MAX_COMPARED;
    if check.requested.iter().chain(&check.new).any(is_odd) {
        return None;
    }
    let near = Near { base, check: &check };
    let alignment = near.alignment(best.start_line.checked_sub(1)?)?;
    near.edit(&alignment)
}

/// Returns the similarity of a block and a region, whatever their indentation.
fn similarity_of(base: &Base<'_>, block: &Block<'_>, region: &Closest) -> f64 {
    let there = base.lines_from(region.start_line.saturating_sub(1));
    let there = there.take((region.end_line + 1).saturating_sub(region.start_line));
    let text = |lines: Vec<&str>| lines.into_iter().map(bare).collect::<Vec<_>>().join("\n");
    let asked = text(block.core().iter().map(|line| line.content).collect());
    similarity::of_texts(&asked, &text(there.map(|line| line.content).collect())).max(region.similarity)
}

/// Returns the number of blank lines at the start and at the end of a text.
fn blank_edges(text: &str) -> (usize, usize) {
    let are_blank: Vec<bool> = lines(text).map(|line| is_blank_line(line.content)).collect();
    let count = |edge: &mut dyn Iterator<Item = &bool>| edge.take_while(|is_blank| **is_blank).count();
    (count(&mut are_blank.iter()), count(&mut are_blank.iter().rev()))
}

/// An edit beside the region that it may mean.
struct Near<'b, 't> {
    base: &'b Base<'t>,
    check: &'b DriftCheck<'b>,
}

impl Near<'_, '_> {
    /// Returns the alignment at a line (from 0) or next to it with the fewest differing lines. Returns `None` if several
    /// have other results.
    fn alignment(&self, line: usize) -> Option<Alignment> {
        let at = |start: usize| alignments(self.base, &self.check.requested, start);
        let fewest = |found: &[Alignment]| found.iter().map(|one| one.differing).min();
        let mut found = at(line);
        for start in [line.checked_sub(1), Some(line + 1)].into_iter().flatten() {
            let other = at(start);
            if fewest(&other).is_some_and(|other| fewest(&found).is_none_or(|known| other < known)) {
                found = other;
            }
        }
        let mut found = found.into_iter().filter(|alignment| self.is_meant(alignment));
        let first = found.next()?;
        let result = self.edit(&first);
        found.all(|other| self.edit(&other) == result).then_some(first)
    }

    /// Returns the line of the file for a line of the old text.
    fn actual(&self, alignment: &Alignment, line: usize) -> Option<&str> {
        let span = alignment.span(line);
        (!span.is_empty()).then(|| self.base.line(alignment.start + span.start))
    }

    /// Returns `true` if the lines that the edit changes are in the file, and most others are too.
    fn is_meant(&self, alignment: &Alignment) -> bool {
        let similar = |line: usize| {
            let Some(actual) = self.actual(alignment, line) else { return 0.0 };
            let old = self.check.requested[line];
            let (old, actual) = (bare(old), bare(actual));
            // The text may begin and end within a line.
            let is_last = line + 1 == self.check.requested.len();
            if eq_ignoring_whitespace(&old, &actual)
                || line == 0 && actual.ends_with(&*old)
                || is_last && actual.starts_with(&*old)
            {
                return 1.0;
            }
            similarity::of_texts(&old, &actual)
        };
        let lines = 0..self.check.requested.len();
        let is_kept = |line: usize| !self.check.changed.iter().any(|(old, _)| old.contains(&line));
        let kept = lines.clone().filter(|&line| is_kept(line) && is_significant(self.check.requested[line]));
        let (all, equal) =
            kept.fold((0, 0), |(all, equal), line| (all + 1, equal + usize::from(similar(line) >= 1.0)));
        // Without enough other lines, each line has to have the names of the file.
        let is_confirmed = all >= SOME_LINES && equal * 2 >= all;
        let has_names = |line: usize| {
            let (old, Some(actual)) = (self.check.requested[line], self.actual(alignment, line)) else {
                return true;
            };
            if actual.len() > similarity::MAX_COMPARED {
                return false;
            }
            similar(line) >= 1.0 || self.has_names(line, old, actual, is_confirmed)
        };
        let names_another = |line: usize| {
            let [old, actual] = [Some(self.check.requested[line]), self.actual(alignment, line)]
                .map(|line| head(&bare(line.unwrap_or_default())));
            self.check.identifies_block(line) && similarity::of_texts(&old, &actual) < MIN_HEAD
        };
        (all < SOME_LINES || equal * 2 >= all)
            && lines.clone().all(has_names)
            && !lines.into_iter().any(names_another)
            && !self.is_inserted(alignment)
            && self.check.gap_is_harmless(self.base, alignment)
            && self.check.changed.iter().all(|(old, _)| {
                if !old.is_empty() {
                    return old.clone().all(|line| similar(line) >= MIN_CHANGED);
                }
                let beside = [old.start.checked_sub(1), Some(old.start)];
                let beside = beside.into_iter().flatten().filter(|&line| line < self.check.requested.len());
                beside.map(similar).fold(0.0, f64::max) >= MIN_BESIDE
            })
            && self.check.is_done(self.base, alignment, alignment.differing).is_ok_and(|is_done| !is_done)
    }

    /// Returns `true` if the differences between a line of the old text and the file do not mean another thing. A name that
    /// only the old line has is one that the edit replaces or, at most once, a misspelt one of the file. Of a line that the
    /// edit keeps beside other lines that confirm the place, any name may differ that no new line has.
    fn has_names(&self, line: usize, old: &str, actual: &str, is_confirmed: bool) -> bool {
        let run = self.check.changed.iter().find(|(old, _)| old.contains(&line));
        let written: Vec<&str> =
            self.check.changed.iter().flat_map(|(_, new)| &self.check.new[new.clone()]).copied().collect();
        let (of_old, of_actual) = (names(old), names(actual));
        let has = |lines: &[&str], name: &str| lines.iter().any(|line| names(line).contains(&name));
        let only_old: Vec<&str> = of_old.iter().copied().filter(|name| !of_actual.contains(name)).collect();
        let is_misspelt = |name: &str| {
            let others = of_actual.iter().filter(|other| !of_old.contains(other));
            others
                .into_iter()
                .any(|other| similarity::of_texts(&name.to_lowercase(), &other.to_lowercase()) >= MIN_NAME)
        };
        match run {
            None if is_confirmed => only_old.iter().all(|name| !has(&written, name)),
            None => {
                only_old.len() <= 1 && only_old.iter().all(|name| is_misspelt(name) && !has(&written, name))
            }
            Some((_, new)) => {
                let kept = only_old.iter().filter(|name| has(&self.check.new[new.clone()], name));
                let kept: Vec<_> = kept.collect();
                kept.len() <= 1 && kept.iter().all(|name| is_misspelt(name))
            }
        }
    }

    /// Returns `true` if the file has lines that the edit inserts next to their place.
    fn is_inserted(&self, alignment: &Alignment) -> bool {
        self.check.changed.iter().filter(|(old, _)| old.is_empty()).any(|(_, new)| {
            let new: Vec<_> = self.check.new[new.clone()].iter().map(|line| bare(line)).collect();
            let start = alignment.start.saturating_sub(new.len());
            let around = self.base.lines_from(start).take(alignment.lines() + 2 * new.len());
            let around: Vec<_> = around.map(|line| bare(line.content)).collect();
            around.windows(new.len().max(1)).any(|window| *window == *new)
        })
    }

    /// Returns the edit of the lines of an alignment. Returns `None` if a new line does not follow from both texts.
    fn edit(&self, alignment: &Alignment) -> Option<Edit> {
        let (base, check) = (self.base, self.check);
        let there: Vec<Line<'_>> = base.lines_from(alignment.start).take(alignment.lines()).collect();
        let indents = self.indents(alignment)?;
        let ending = there.iter().map(|line| line.ending).find(|ending| *ending != LineEnding::None);
        let ending = ending.unwrap_or(LineEnding::Lf);
        let mut result: Vec<String> = Vec::new();
        let mut kept = 0;
        let all = check.requested.len();
        for (old, new) in check.changed.iter().chain([&(all..all, 0..0)]) {
            if kept < old.start {
                let kept = alignment.span(kept).start..alignment.span(old.start - 1).end;
                result.extend(there[kept].iter().map(|line| line.content.to_owned()));
            }
            let [replaced, written] = [&check.requested[old.clone()], &check.new[new.clone()]].map(as_lines);
            for (number, partner) in pair_up(&replaced, &written).into_iter().enumerate() {
                let new = check.new[new.start + number];
                let partner = partner.map(|partner| old.start + partner);
                let (indent, body) = split_indent(new);
                // A line that keeps its indentation in the request keeps that of the file.
                let (kept_indent, body) = match partner {
                    Some(old) => {
                        let (there, actual) = split_indent(there.get(alignment.span(old).start)?.content);
                        let (was, old) = split_indent(check.requested[old]);
                        ((was == indent).then_some(there), merged(actual, old, body)?)
                    }
                    None => (None, body.to_owned()),
                };
                let indent = match kept_indent {
                    _ if body.is_empty() => String::new(),
                    Some(there) => there.to_owned(),
                    None => self.indented(&indents, indent)?,
                };
                result.push(indent + &body);
            }
            kept = old.end;
        }
        let start = base.start_of(alignment.start);
        let end = start + there.last().map_or(0, |last| last.end() - there[0].start);
        let old = &base.text[start..end];
        let ends = there.last().is_some_and(|line| line.ending != LineEnding::None);
        let mut new = result.join(ending.as_str());
        if ends && !result.is_empty() {
            new.push_str(ending.as_str());
        }
        let is_change = new != old && !old.is_empty();
        is_change.then(|| Edit {
            old: old.to_owned(),
            new,
            count: Count::One,
            scope: Some(start..end),
            ..Edit::default()
        })
    }

    /// Returns the indentation in the file for each of the old text. Returns `None` if one of them has several.
    fn indents(&self, alignment: &Alignment) -> Option<HashMap<&str, &str>> {
        let mut known: HashMap<&str, &str> = HashMap::new();
        // The first line comes last: it may have lost its indentation.
        let requested = self.check.requested.iter().enumerate();
        for (line, &requested) in requested.clone().skip(1).chain(requested.take(1)) {
            let span = alignment.span(line);
            let actual = self.base.line(alignment.start + span.start);
            if span.is_empty() || is_blank_line(requested) || is_blank_line(actual) {
                continue;
            }
            let (old, there) = (split_indent(requested).0, split_indent(actual).0);
            if *known.entry(old).or_insert(there) != there && line > 0 {
                return None;
            }
        }
        Some(known)
    }

    /// Returns the indentation of a new line in the file. It follows if a known line has the same one, or if all known
    /// lines are indented by as much more, or less, than in the old text.
    fn indented(&self, known: &HashMap<&str, &str>, indent: &str) -> Option<String> {
        if let Some(there) = known.get(indent) {
            return Some((*there).to_owned());
        }
        let shift = |(old, there): (&&str, &&str)| match there.strip_suffix(*old) {
            Some(more) => Some((more.to_owned(), String::new())),
            None => Some((String::new(), old.strip_suffix(*there)?.to_owned())),
        };
        let shifts: Vec<_> = known.iter().map(shift).collect();
        let (more, less) = shifts.first()?.clone()?;
        if shifts.iter().any(|other| *other != shifts[0]) {
            return None;
        }
        let there = more.clone() + indent.strip_prefix(&*less)?;
        // Lines of one depth do not tell a shift from another width of the levels, unless the new lines have the levels
        // of the file.
        let width = self.base.indent_style().width.map_or(1, usize::from);
        let has_levels = |(old, _): (&&str, &&str)| {
            let differs_by = |other: &str| other.len().abs_diff(old.len());
            differs_by(indent) % width == 0
                && self.check.new.iter().any(|line| differs_by(split_indent(line).0) == width)
        };
        let is_clear = known.len() > 1 || known.iter().all(has_levels);
        let is_mixed = there.contains('\t') && there.contains(' ') && there != indent;
        (is_clear && !is_mixed).then_some(there)
    }
}

fn as_lines<'t>(texts: &[&'t str]) -> Vec<Line<'t>> {
    texts.iter().map(|content| Line { start: 0, content, ending: LineEnding::Lf }).collect()
}

/// Returns a line of the file after the change of an old to a new line, without indentation. A word that the change
/// replaces is that of the new line, whatever word the file has there. Returns `None` if the differences to the file
/// and the change touch otherwise, or for a very long line.
fn merged(actual: &str, old: &str, new: &str) -> Option<String> {
    if eq_ignoring_whitespace(old, actual) {
        return Some(merge_line(actual, old, new));
    }
    if [old, new, actual].iter().any(|line| line.len() > similarity::MAX_COMPARED) {
        return None;
    }
    // The whole line is replaced if the new one has none of its words.
    if !names(old).iter().any(|name| names(new).contains(name)) {
        return Some(new.to_owned());
    }
    // One line for each word.
    let apart = |line| parts(line).flat_map(|part| [part, "\n"]).collect::<String>();
    Some(merge_ours(&apart(old), &apart(new), &apart(actual))?.replace('\n', ""))
}

#[cfg(test)]
mod tests;
