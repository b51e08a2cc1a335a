//! What is written: the new text, with the file's own bytes wherever old and new text agree.

use std::ops::Range;

use super::base::Base;
use super::blend::{blend, pair_up};
use super::false_blanks::drop_false_blanks;
use super::indent::{Indenter, Origin, UnclearIndentation};
use super::line_diff::{Run, runs};
use super::needle::Needle;
use super::removal::{removes_lines, without_last_lines};
use super::tiers::{Part, Site, Tolerance};
use super::trim::trimmed;
use super::whole_lines::{closes_block, split_indent};
use super::{Deadline, Splice};
use crate::text::{Line, LineEnding, line_end, line_start, lines};

/// Origins and indentation of the new lines.
struct Fresh {
    origins: Vec<Origin>,
    /// Their indentation, where the request has another one than the file.
    indents: Option<Vec<String>>,
}

/// What one stretch of the base is replaced with.
pub(super) struct Weave<'a> {
    base: &'a str,
    /// The stretch.
    range: Range<usize>,
    /// The lines of the stretch.
    there: Vec<Line<'a>>,
    old: Vec<Line<'a>>,
    new: Vec<Line<'a>>,
    /// For every old line, its lines of those that are there: one, or none if the file lacks it.
    spans: Vec<Range<usize>>,
    /// Bytes of the line end behind the stretch that were taken in, so that all lines are whole.
    lent: usize,
    indenter: Option<Indenter<'a>>,
    deadline: Deadline,
}

impl<'a> Weave<'a> {
    /// `old` and `new` have LF line ends only, and `old` has as many lines as the stretch, indented as they
    /// are there.
    pub(super) fn new(
        base: &'a str,
        range: Range<usize>,
        old: &'a str,
        new: &'a str,
        deadline: Deadline,
    ) -> Self {
        let texts = (lines(old).collect(), lines(new).collect());
        Self { deadline, ..Self::laid(base, range, texts, Vec::new(), (Tolerance::Exact, None)) }
    }

    /// The splices of a whole place.
    pub(super) fn all(
        base: &Base<'_>,
        site: &Site,
        needle: &Needle<'_>,
        tolerance: Tolerance,
    ) -> Result<Vec<Splice>, UnclearIndentation> {
        if site.parts.is_empty() {
            if tolerance == Tolerance::Exact && is_within_a_line(needle) {
                return Ok(trimmed(base.text, site.range.clone(), &needle.new).into_iter().collect());
            }
            let (mut old, new): (Vec<_>, Vec<_>) =
                (lines(&needle.old).collect(), lines(&needle.new).collect());
            let mut range = site.range.clone();
            if removes_lines(base, site, needle) {
                if line_end(base.text, range.end).1 == range.end {
                    return Ok(vec![without_last_lines(base.text, range)]);
                }
                range.end = line_end(base.text, range.end).1;
                end_with(&mut old, LineEnding::Lf);
            }
            let tolerance = (tolerance, Some(base));
            return Weave::laid(base.text, range, (old, new), Vec::new(), tolerance).splices();
        }
        let parts: Result<Vec<_>, _> = site.parts.iter().map(|part| Self::part(base, part, needle)).collect();
        Ok(parts?.concat())
    }

    /// The splices of a part of a place.
    pub(super) fn part(
        base: &Base<'_>,
        part: &Part,
        needle: &Needle<'_>,
    ) -> Result<Vec<Splice>, UnclearIndentation> {
        let mut old: Vec<_> = lines(&needle.old[part.old.clone()]).collect();
        let new: Vec<_> = lines(&needle.new[part.new.clone()]).collect();
        let mut range = part.range.clone();
        if new.is_empty() && ends_open(&old) && !needle.new.ends_with('\n') {
            // Whole lines go: no empty line is left in their place.
            if line_end(base.text, range.end).1 == range.end && range.start > 0 {
                return Ok(vec![without_last_lines(base.text, range)]);
            }
            range.end = line_end(base.text, range.end).1;
            end_with(&mut old, LineEnding::Lf);
        }
        let tolerance = (Tolerance::Indentation, Some(base));
        Weave::laid(base.text, range, (old, new), part.spans.clone(), tolerance).splices()
    }

    /// The splices that put whole lines where a line of the base starts, or behind its last.
    pub(super) fn insertion(base: &str, at: usize, new: &str) -> Vec<Splice> {
        let open = at > 0 && !base[..at].ends_with(['\n', '\r']);
        let new = match (open, new.strip_suffix('\n')) {
            (true, Some(ended)) => format!("\n{ended}"),
            (true, None) => format!("\n{new}"),
            (false, None) if at < base.len() => format!("{new}\n"),
            (false, _) => new.to_owned(),
        };
        Weave::new(base, at..at, "", &new, Deadline::NONE).splices().unwrap_or_default()
    }

    fn laid(
        base: &'a str,
        mut range: Range<usize>,
        (mut old, mut new): (Vec<Line<'a>>, Vec<Line<'a>>),
        spans: Vec<Range<usize>>,
        (tolerance, whole): (Tolerance, Option<&Base<'_>>),
    ) -> Self {
        let mut lent = 0;
        if ends_open(&old) {
            if !ends_open(&new) {
                // Behind its last line end there is one more line, which is empty.
                new.push(Line { start: 0, content: "", ending: LineEnding::None });
            }
            // What ends the last line ends it before and after.
            lent = line_end(base, range.end).1 - range.end;
            if line_end(base, range.end).0 == range.end && lent > 0 {
                range.end += lent;
                end_with(&mut old, LineEnding::Lf);
                end_with(&mut new, LineEnding::Lf);
            } else {
                lent = 0;
            }
        }
        let there: Vec<_> = lines(&base[range.clone()]).collect();
        if ends_open(&there) && !ends_open(&old) {
            // The end of the file stood for the last line end: it stays as it is.
            end_with(&mut old, LineEnding::None);
            end_with(&mut new, LineEnding::None);
        } else if tolerance == Tolerance::Indentation && !ends_open(&old) {
            // Whole lines take the place of whole lines: the next one is not joined to them.
            end_with(&mut new, LineEnding::Lf);
        }
        let spans = if spans.is_empty() { (0..old.len()).map(|at| at..at + 1).collect() } else { spans };
        let counterparts = spans.iter().map(|span| there.get(span.clone()).and_then(|lines| lines.first()));
        let deadline = whole.map_or(Deadline::NONE, |base| base.deadline);
        if tolerance != Tolerance::Exact {
            drop_false_blanks(&mut old, &mut new, counterparts.clone(), deadline);
        }
        let reindent = whole.filter(|_| tolerance == Tolerance::Indentation);
        let indenter = reindent.and_then(|base| Indenter::new(base, range.start, counterparts, &old, &new));
        Self { base, range, there, old, new, spans, lent, indenter, deadline }
    }

    /// The splices, none of which changes more than it has to. Once the deadline has passed they may: whoever
    /// gives one looks at it afterwards.
    ///
    /// An error if the place does not tell how a new line is to be indented.
    pub(super) fn splices(&self) -> Result<Vec<Splice>, UnclearIndentation> {
        if self.spans.len() != self.old.len() || self.at(usize::MAX) != self.there.len() {
            debug_assert!(false, "a place has the lines of the text it was found for");
            return Ok(Vec::new());
        }
        let key = |line: &Line<'a>| (line.content, line.ending == LineEnding::None);
        let old: Vec<_> = self.old.iter().map(key).collect();
        let new: Vec<_> = self.new.iter().map(key).collect();
        let mut changed = runs(&old, &new, self.deadline);
        if self.indenter.is_some() {
            changed = behind_closers(changed, &new);
        }
        let origins = self.origins(&changed);
        let indents = self.indenter.as_ref().map(|indenter| indenter.indents(&origins)).transpose()?;
        let fresh = Fresh { origins, indents };
        Ok(changed.into_iter().filter_map(|(old, new)| self.splice(&old, new, &fresh)).collect())
    }

    /// Where every new line comes from.
    fn origins(&self, changed: &[(Range<usize>, Range<usize>)]) -> Vec<Origin> {
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

    /// Which of the lines that are there an old line begins at; behind the last, where they end.
    fn at(&self, old: usize) -> usize {
        self.spans.get(old).map_or_else(|| self.spans.last().map_or(0, |span| span.end), |span| span.start)
    }

    /// The line that is there for an old line.
    fn counterpart(&self, old: usize) -> Option<&Line<'a>> {
        self.there.get(self.spans[old].clone())?.first()
    }

    fn splice(&self, old: &Range<usize>, new: Range<usize>, fresh: &Fresh) -> Option<Splice> {
        let end = |line: Option<&Line<'_>>| line.map_or(0, Line::end);
        let first = self.at(old.start);
        let start = self.there.get(first).map_or_else(|| end(self.there.last()), |line| line.start);
        let last = if old.is_empty() { first } else { self.spans[old.end - 1].end };
        let stop = if last <= first { start } else { end(self.there.get(last - 1)) };
        let mut text = self.text(old, new, fresh);
        let mut range = self.range.start + start..self.range.start + stop;
        if self.base[range.end..].starts_with('\n') {
            // A lone CR right before an LF would make one line end of two. What is not part of the place
            // is left alone even so.
            if text.ends_with('\r') {
                text.replace_range(text.len() - 1.., "\n");
            } else if text.is_empty() && self.base[self.range.start..range.start].ends_with('\r') {
                range.start -= 1;
                text.push('\n');
            }
        }
        self.give_back(&mut range, &mut text);
        trimmed(self.base, range, &text)
    }

    /// Leaves out the line end that was lent: it stays where it is.
    fn give_back(&self, range: &mut Range<usize>, text: &mut String) {
        if range.end < self.range.end || self.lent == 0 {
            return;
        }
        let line_end = &self.base[self.range.end - self.lent..self.range.end];
        let kept = text.strip_suffix(line_end).map(str::len);
        if let Some(kept) = kept {
            text.truncate(kept);
            range.end -= self.lent;
            if range.start > range.end {
                // Lines that only come go before it, behind one of their own.
                text.insert_str(0, line_end);
                range.start = range.end;
            }
        } else if text.is_empty() && range.start > self.range.start {
            // The last lines go: the line end before them instead.
            let before = lines(&self.base[self.range.start..range.start]).last();
            range.start -= before.map_or(0, |line| line.ending.as_str().len());
            range.end -= self.lent;
        }
    }

    fn text(&self, old: &Range<usize>, new: Range<usize>, fresh: &Fresh) -> String {
        let mut text = String::new();
        for line in new {
            let (partner, reached) = match fresh.origins[line] {
                Origin::Kept(at) | Origin::Replaces(at) => (Some(at), at),
                Origin::Before(at) => (None, at),
            };
            self.push_content(&mut text, line, partner, fresh);
            if self.new[line].ending != LineEnding::None {
                let last = self.lent > 0 && line + 1 == self.new.len();
                let lent = self.there.last().filter(|_| last).map(|line| line.ending);
                let ending = lent.unwrap_or_else(|| self.ending(partner, old, reached));
                let joins = ending == LineEnding::Lf && self.behind_cr(&text, old.start);
                text.push_str(if joins { LineEnding::Cr } else { ending }.as_str());
            }
        }
        text
    }

    fn push_content(&self, text: &mut String, line: usize, partner: Option<usize>, fresh: &Fresh) {
        let new = self.new[line].content;
        let counterpart = partner.and_then(|at| Some((self.counterpart(at)?.content, self.old[at].content)));
        if let Some((there, old)) = counterpart
            && old == new
        {
            // Only what ends the line is another one.
            return text.push_str(there);
        }
        let Some(indents) = &fresh.indents else {
            return match counterpart {
                Some((there, old)) => text.push_str(&blend(there, old, new)),
                None => text.push_str(new),
            };
        };
        let body = split_indent(new).1;
        text.push_str(&indents[line]);
        match counterpart {
            Some((there, old)) if !body.is_empty() => {
                text.push_str(&blend(split_indent(there).1, split_indent(old).1, body));
            }
            _ => text.push_str(body),
        }
    }

    /// Whether `text`, to be written where old line `line` starts, ends in a lone CR. An LF behind it
    /// would make one line end of two.
    fn behind_cr(&self, text: &str, line: usize) -> bool {
        let start = self.there.get(self.at(line)).or(self.there.last()).map_or(0, |line| line.start);
        text.ends_with('\r') || text.is_empty() && self.base[..self.range.start + start].ends_with('\r')
    }

    /// The ending of a new line: its counterpart's, else one of the lines replaced, else a neighbour's in
    /// the place, else that of the line the place lies in or of the one before.
    fn ending(&self, partner: Option<usize>, old: &Range<usize>, reached: usize) -> LineEnding {
        let of = |line: &Line<'_>| Some(line.ending).filter(|&ending| ending != LineEnding::None);
        let own = partner.and_then(|at| of(self.counterpart(at)?));
        let (start, end) = (self.at(old.start), self.at(old.end));
        let replaced = || {
            let near = self.at(reached.min(old.end).max(old.start));
            let before = self.there[start..near].iter().rev().find_map(of);
            before.or_else(|| self.there[near..end].iter().find_map(of))
        };
        let beside = || {
            let before = self.there[..start].iter().rev().find_map(of);
            before.or_else(|| self.there[end..].iter().find_map(of))
        };
        own.or_else(replaced).or_else(beside).unwrap_or_else(|| self.ending_around())
    }

    fn ending_around(&self) -> LineEnding {
        let (content_end, end) = line_end(self.base, self.range.end);
        let start = line_start(self.base, self.range.start);
        let before = || lines(&self.base[line_start(self.base, start.saturating_sub(1))..start]).next();
        match &self.base[content_end..end] {
            "" => before().map_or(LineEnding::Lf, |line| line.ending),
            "\r\n" => LineEnding::Crlf,
            "\r" => LineEnding::Cr,
            _ => LineEnding::Lf,
        }
    }
}

/// Runs of lines that only come in, moved behind a line that closes a block where they begin with the same line:
/// then a block that comes in is not torn apart, and stands beside the one before it.
fn behind_closers(mut changed: Vec<Run>, new: &[(&str, bool)]) -> Vec<Run> {
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

fn end_with(lines: &mut [Line<'_>], ending: LineEnding) {
    if let Some(last) = lines.last_mut() {
        last.ending = ending;
    }
}

fn ends_open(lines: &[Line<'_>]) -> bool {
    lines.last().is_some_and(|line| line.ending == LineEnding::None)
}

/// Returns whether an edit replaces a part of a line with another, and no line end.
fn is_within_a_line(needle: &Needle<'_>) -> bool {
    !needle.new.is_empty() && !needle.old.contains('\n') && !needle.new.contains('\n')
}

#[cfg(test)]
mod tests;
