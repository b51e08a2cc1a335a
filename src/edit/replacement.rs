//! Builds the replacement text: the new text, with the file's own bytes wherever old and new text agree.

use std::ops::Range;

use super::base::Base;
use super::fold::Needle;
use super::indent::{Indenter, Origin, UnclearIndentation};
use super::line_diff::{Run, runs, trimmed};
use super::replaced_lines::{
    drop_spurious_trailing_whitespace, merge_line, pair_up, removes_lines, without_last_lines,
};
use super::tiers::{Site, SitePart, Tolerance};
use super::whole_lines::{closes_block, split_indent};
use super::{Deadline, Splice};
use editd_text::{Line, LineEnding, line_end, line_start, lines};

/// Origins and indentation of the new lines.
struct NewLines {
    origins: Vec<Origin>,
    /// Indentation of the new lines, if that of the request differs from the file's.
    indents: Option<Vec<String>>,
}

/// Builds the replacement of one range of the base.
pub(super) struct ReplacementBuilder<'a> {
    base: &'a str,
    /// The replaced range of the base.
    range: Range<usize>,
    /// Lines of the base in the range.
    actual: Vec<Line<'a>>,
    old: Vec<Line<'a>>,
    new: Vec<Line<'a>>,
    /// For every old line, its lines in `actual`: one, or none if the file lacks the line.
    spans: Vec<Range<usize>>,
    /// Bytes of the line ending after the range that were included so that all lines are whole.
    borrowed: usize,
    indenter: Option<Indenter<'a>>,
    deadline: Deadline,
}

impl<'a> ReplacementBuilder<'a> {
    /// `old` and `new` must have LF line endings only, and `old` must have as many lines as the range, with
    /// the same indentation.
    pub(super) fn new(
        base: &'a str,
        range: Range<usize>,
        old: &'a str,
        new: &'a str,
        deadline: Deadline,
    ) -> Self {
        let texts = (lines(old).collect(), lines(new).collect());
        Self { deadline, ..Self::prepare(base, range, texts, Vec::new(), (Tolerance::Exact, None)) }
    }

    /// Returns the splices for a whole match.
    pub(super) fn all(
        base: &Base<'_>,
        site: &Site,
        needle: &Needle<'_>,
        tolerance: Tolerance,
    ) -> Result<Vec<Splice>, UnclearIndentation> {
        if !site.parts.is_empty() {
            let parts = site.parts.iter().map(|part| Self::part(base, part, needle));
            return Ok(parts.collect::<Result<Vec<_>, _>>()?.concat());
        }
        if tolerance == Tolerance::Exact && is_within_a_line(needle) {
            return Ok(trimmed(base.text, site.range.clone(), &needle.new).into_iter().collect());
        }
        let texts = (lines(&needle.old).collect(), lines(&needle.new).collect());
        let removes = removes_lines(base, site, needle);
        replace(base, site.range.clone(), texts, Vec::new(), tolerance, removes)
    }

    /// Returns the splices for a part of a match.
    pub(super) fn part(
        base: &Base<'_>,
        part: &SitePart,
        needle: &Needle<'_>,
    ) -> Result<Vec<Splice>, UnclearIndentation> {
        let old: Vec<_> = lines(&needle.old[part.old.clone()]).collect();
        let new: Vec<_> = lines(&needle.new[part.new.clone()]).collect();
        let removes = new.is_empty() && is_unended(&old) && !needle.new.ends_with('\n');
        let spans = part.spans.clone();
        replace(base, part.range.clone(), (old, new), spans, Tolerance::Indentation, removes)
    }

    /// Returns the splices that insert whole lines at the start of a line of the base, or after its last
    /// line.
    pub(super) fn insertion(base: &str, at: usize, new: &str) -> Vec<Splice> {
        let open = at > 0 && !base[..at].ends_with(['\n', '\r']);
        let new = match (open, new.strip_suffix('\n')) {
            (true, Some(ended)) => format!("\n{ended}"),
            (true, None) => format!("\n{new}"),
            (false, None) if at < base.len() => format!("{new}\n"),
            (false, _) => new.to_owned(),
        };
        ReplacementBuilder::new(base, at..at, "", &new, Deadline::NONE).splices().unwrap_or_default()
    }

    fn prepare(
        base: &'a str,
        mut range: Range<usize>,
        (mut old, mut new): (Vec<Line<'a>>, Vec<Line<'a>>),
        spans: Vec<Range<usize>>,
        (tolerance, whole): (Tolerance, Option<&Base<'_>>),
    ) -> Self {
        let mut borrowed = 0;
        if is_unended(&old) {
            if !is_unended(&new) {
                // The empty text after the last line ending counts as one more line.
                new.push(Line { start: 0, content: "", ending: LineEnding::None });
            }
            // The last line keeps its line ending.
            borrowed = line_end(base, range.end).1 - range.end;
            if line_end(base, range.end).0 == range.end && borrowed > 0 {
                range.end += borrowed;
                set_last_ending(&mut old, LineEnding::Lf);
                set_last_ending(&mut new, LineEnding::Lf);
            } else {
                borrowed = 0;
            }
        }
        let actual: Vec<_> = lines(&base[range.clone()]).collect();
        if is_unended(&actual) && !is_unended(&old) {
            // The end of the file matched the last line ending: the file stays without it.
            set_last_ending(&mut old, LineEnding::None);
            set_last_ending(&mut new, LineEnding::None);
        } else if tolerance == Tolerance::Indentation && !is_unended(&old) {
            // Whole lines replace whole lines: the next line must not be joined to them.
            set_last_ending(&mut new, LineEnding::Lf);
        }
        let spans = if spans.is_empty() { (0..old.len()).map(|at| at..at + 1).collect() } else { spans };
        let deadline = whole.map_or(Deadline::NONE, |base| base.deadline);
        let mut indenter = None;
        if tolerance != Tolerance::Exact {
            let counterpart = |span: &Range<usize>| actual.get(span.clone())?.first().copied();
            let counterparts: Vec<Option<Line<'a>>> = spans.iter().map(counterpart).collect();
            drop_spurious_trailing_whitespace(&mut old, &mut new, &counterparts, deadline);
            let reindent = whole.filter(|_| tolerance == Tolerance::Indentation);
            indenter = reindent.and_then(|base| Indenter::new(base, range.start, &counterparts, &old, &new));
        }
        Self { base, range, actual, old, new, spans, borrowed, indenter, deadline }
    }

    /// Returns the splices, none of which changes more than necessary. After the deadline they may change
    /// more; a caller that sets a deadline checks it afterwards.
    ///
    /// Returns an error if the indentation of a new line does not follow from the match.
    pub(super) fn splices(&self) -> Result<Vec<Splice>, UnclearIndentation> {
        if self.spans.len() != self.old.len() || self.actual_index(usize::MAX) != self.actual.len() {
            debug_assert!(false, "a match has as many lines as its old text");
            return Ok(Vec::new());
        }
        let key = |line: &Line<'a>| (line.content, line.ending == LineEnding::None);
        let old: Vec<_> = self.old.iter().map(key).collect();
        let new: Vec<_> = self.new.iter().map(key).collect();
        let mut changed = runs(&old, &new, self.deadline);
        if self.indenter.is_some() {
            changed = move_past_closers(changed, &new);
        }
        let origins = self.origins(&changed);
        let indents = self.indenter.as_ref().map(|indenter| indenter.indents(&origins)).transpose()?;
        let new_lines = NewLines { origins, indents };
        Ok(changed.into_iter().filter_map(|(old, new)| self.splice(&old, new, &new_lines)).collect())
    }

    /// Returns the origin of every new line.
    fn origins(&self, changed: &[Run]) -> Vec<Origin> {
        let mut origins = Vec::with_capacity(self.new.len());
        let mut kept = 0;
        for (old, new) in changed {
            origins.extend((kept..old.start).map(Origin::Kept));
            let mut reached = old.start;
            for partner in pair_up(&self.old[old.clone()], &self.new[new.clone()]) {
                let partner = partner.map(|partner| old.start + partner);
                origins.push(partner.map_or(Origin::Before(reached), Origin::Replaces));
                reached = partner.map_or(reached, |partner| partner + 1);
            }
            kept = old.end;
        }
        origins.extend((kept..self.old.len()).map(Origin::Kept));
        origins
    }

    /// Returns the index in `actual` of the first line of an old line; past the last old line, the end of
    /// their lines.
    fn actual_index(&self, old: usize) -> usize {
        self.spans.get(old).map_or_else(|| self.spans.last().map_or(0, |span| span.end), |span| span.start)
    }

    /// Returns the line of the base for an old line.
    fn counterpart(&self, old: usize) -> Option<&Line<'a>> {
        self.actual.get(self.spans[old].clone())?.first()
    }

    fn splice(&self, old: &Range<usize>, new: Range<usize>, new_lines: &NewLines) -> Option<Splice> {
        let end = |line: Option<&Line<'_>>| line.map_or(0, Line::end);
        let first = self.actual_index(old.start);
        let start = self.actual.get(first).map_or_else(|| end(self.actual.last()), |line| line.start);
        let last = if old.is_empty() { first } else { self.spans[old.end - 1].end };
        let stop = if last <= first { start } else { end(self.actual.get(last - 1)) };
        let mut text = self.text(old, new, new_lines);
        let mut range = self.range.start + start..self.range.start + stop;
        if self.base[range.end..].starts_with('\n') {
            // A lone CR right before an LF would form a CRLF with it. The text outside the match must not
            // change even then.
            if text.ends_with('\r') {
                text.replace_range(text.len() - 1.., "\n");
            } else if text.is_empty() && self.base[self.range.start..range.start].ends_with('\r') {
                range.start -= 1;
                text.push('\n');
            }
        }
        self.return_borrowed(&mut range, &mut text);
        trimmed(self.base, range, &text)
    }

    /// Excludes the borrowed line ending from the splice, if possible: it stays where it is.
    fn return_borrowed(&self, range: &mut Range<usize>, text: &mut String) {
        if range.end < self.range.end || self.borrowed == 0 {
            return;
        }
        let line_end = &self.base[self.range.end - self.borrowed..self.range.end];
        if let Some(kept) = text.strip_suffix(line_end).map(str::len) {
            text.truncate(kept);
            range.end -= self.borrowed;
            if range.start > range.end {
                // Inserted lines go before the line ending, each after its own line ending.
                text.insert_str(0, line_end);
                range.start = range.end;
            }
        } else if text.is_empty() && range.start > self.range.start {
            // The last lines are removed: remove the line ending before them instead.
            let before = lines(&self.base[self.range.start..range.start]).last();
            range.start -= before.map_or(0, |line| line.ending.as_str().len());
            range.end -= self.borrowed;
        }
    }

    fn text(&self, old: &Range<usize>, new: Range<usize>, new_lines: &NewLines) -> String {
        let mut text = String::new();
        for line in new {
            let (partner, reached) = match new_lines.origins[line] {
                Origin::Kept(at) | Origin::Replaces(at) => (Some(at), at),
                Origin::Before(at) => (None, at),
            };
            self.push_content(&mut text, line, partner, new_lines);
            if self.new[line].ending != LineEnding::None {
                let last = self.borrowed > 0 && line + 1 == self.new.len();
                let borrowed = self.actual.last().filter(|_| last).map(|line| line.ending);
                let ending = borrowed.unwrap_or_else(|| self.ending(partner, old, reached));
                let joins = ending == LineEnding::Lf && self.ends_in_cr(&text, old.start);
                text.push_str(if joins { LineEnding::Cr } else { ending }.as_str());
            }
        }
        text
    }

    fn push_content(&self, text: &mut String, line: usize, partner: Option<usize>, new_lines: &NewLines) {
        let new = self.new[line].content;
        let counterpart = partner.and_then(|at| Some((self.counterpart(at)?.content, self.old[at].content)));
        if let Some((actual, old)) = counterpart
            && old == new
        {
            // Only the line ending changes.
            return text.push_str(actual);
        }
        let indents = new_lines.indents.as_ref();
        let body_of = |line: &'a str| if indents.is_some() { split_indent(line).1 } else { line };
        text.push_str(indents.map_or("", |indents| &indents[line]));
        match counterpart {
            Some((actual, old)) => text.push_str(&merge_line(body_of(actual), body_of(old), body_of(new))),
            None => text.push_str(body_of(new)),
        }
    }

    /// Returns `true` if `text`, written at the start of old line `line`, ends in a lone CR. An LF after it
    /// would form a CRLF.
    fn ends_in_cr(&self, text: &str, line: usize) -> bool {
        let start =
            self.actual.get(self.actual_index(line)).or(self.actual.last()).map_or(0, |line| line.start);
        text.ends_with('\r') || text.is_empty() && self.base[..self.range.start + start].ends_with('\r')
    }

    /// Returns the line ending of a new line: that of its counterpart, else of one of the replaced lines,
    /// else of a neighbor in the match, else of the line that contains the match or the one before it.
    fn ending(&self, partner: Option<usize>, old: &Range<usize>, reached: usize) -> LineEnding {
        let of = |line: &Line<'_>| Some(line.ending).filter(|&ending| ending != LineEnding::None);
        let own = partner.and_then(|at| of(self.counterpart(at)?));
        let (start, end) = (self.actual_index(old.start), self.actual_index(old.end));
        let nearest = |lines: Range<usize>, at: usize| {
            let before = self.actual[lines.start..at].iter().rev().find_map(of);
            before.or_else(|| self.actual[at..lines.end].iter().find_map(of))
        };
        own.or_else(|| nearest(start..end, self.actual_index(reached.clamp(old.start, old.end))))
            .or_else(|| nearest(0..self.actual.len(), start))
            .unwrap_or_else(|| self.ending_around())
    }

    fn ending_around(&self) -> LineEnding {
        let after = lines(&self.base[line_end(self.base, self.range.end).0..]).next();
        let start = line_start(self.base, self.range.start);
        let before = || lines(&self.base[line_start(self.base, start.saturating_sub(1))..start]).next();
        after.or_else(before).map_or(LineEnding::Lf, |line| line.ending)
    }
}

/// Returns the splices that replace a range of the base. `removes` is `true` if whole lines are removed
/// although the old lines lack the last line ending: it is removed too, so that no empty line is left.
fn replace(
    base: &Base<'_>,
    mut range: Range<usize>,
    (mut old, new): (Vec<Line<'_>>, Vec<Line<'_>>),
    spans: Vec<Range<usize>>,
    tolerance: Tolerance,
    removes: bool,
) -> Result<Vec<Splice>, UnclearIndentation> {
    if removes {
        let end = line_end(base.text, range.end).1;
        if end == range.end {
            return Ok(vec![without_last_lines(base.text, range)]);
        }
        range.end = end;
        set_last_ending(&mut old, LineEnding::Lf);
    }
    let tolerance = (tolerance, Some(base));
    ReplacementBuilder::prepare(base.text, range, (old, new), spans, tolerance).splices()
}

/// Moves runs of inserted lines past a line that closes a block if they begin with the same line: then an
/// inserted block is not torn apart, and comes after the existing one.
fn move_past_closers(mut changed: Vec<Run>, new: &[(&str, bool)]) -> Vec<Run> {
    let ends: Vec<usize> = changed.iter().skip(1).map(|(_, new)| new.start).chain([new.len()]).collect();
    for ((old, inserted), end) in changed.iter_mut().zip(ends) {
        let moves = |inserted: &Range<usize>| {
            inserted.end < end
                && new[inserted.start] == new[inserted.end]
                && closes_block(new[inserted.start].0)
        };
        while old.start == old.end && moves(inserted) {
            *old = old.start + 1..old.end + 1;
            *inserted = inserted.start + 1..inserted.end + 1;
        }
    }
    changed
}

fn set_last_ending(lines: &mut [Line<'_>], ending: LineEnding) {
    if let Some(last) = lines.last_mut() {
        last.ending = ending;
    }
}

fn is_unended(lines: &[Line<'_>]) -> bool {
    lines.last().is_some_and(|line| line.ending == LineEnding::None)
}

/// Returns `true` if an edit replaces a part of a line and neither text has a line ending.
fn is_within_a_line(needle: &Needle<'_>) -> bool {
    !needle.new.is_empty() && !needle.old.contains('\n') && !needle.new.contains('\n')
}

#[cfg(test)]
mod tests;
