//! What is written: the new text, with the file's own bytes wherever old and new text agree.

use std::collections::HashSet;
use std::ops::Range;

use super::base::Base;
use super::blend::{blend, pair_up};
use super::fold;
use super::indent::Indenter;
use super::line_diff::runs;
use super::needle::Needle;
use super::tiers::{Part, Site, Tolerance};
use super::{Deadline, Splice};
use crate::text::{Line, LineEnding, line_end, line_start, lines};

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
    ) -> Vec<Splice> {
        if site.parts.is_empty() {
            let texts = (lines(&needle.old).collect(), lines(&needle.new).collect());
            let tolerance = (tolerance, Some(base));
            return Weave::laid(base.text, site.range.clone(), texts, Vec::new(), tolerance).splices();
        }
        site.parts.iter().flat_map(|part| Self::part(base, part, needle)).collect()
    }

    /// The splices of a part of a place.
    pub(super) fn part(base: &Base<'_>, part: &Part, needle: &Needle<'_>) -> Vec<Splice> {
        let mut old: Vec<_> = lines(&needle.old[part.old.clone()]).collect();
        let new: Vec<_> = lines(&needle.new[part.new.clone()]).collect();
        let mut range = part.range.clone();
        if new.is_empty() && ends_open(&old) && !needle.new.ends_with('\n') {
            // Whole lines go, while others of the same request stay: no empty line is left in their place.
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
        Weave::new(base, at..at, "", &new, Deadline::NONE).splices()
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
        if tolerance != Tolerance::Exact {
            drop_false_blanks(&mut old, &mut new, counterparts.clone());
        }
        let reindent = whole.filter(|_| tolerance == Tolerance::Indentation);
        let indenter = reindent.and_then(|base| Indenter::new(base, counterparts, &old, &new));
        let deadline = whole.map_or(Deadline::NONE, |base| base.deadline);
        Self { base, range, there, old, new, spans, lent, indenter, deadline }
    }

    /// The splices, none of which changes more than it has to. Once the deadline has passed they may: whoever
    /// gives one looks at it afterwards.
    pub(super) fn splices(&self) -> Vec<Splice> {
        if self.spans.len() != self.old.len() || self.at(usize::MAX) != self.there.len() {
            debug_assert!(false, "a place has the lines of the text it was found for");
            return Vec::new();
        }
        let key = |line: &Line<'a>| (line.content, line.ending == LineEnding::None);
        let old: Vec<_> = self.old.iter().map(key).collect();
        let new: Vec<_> = self.new.iter().map(key).collect();
        let changed = runs(&old, &new, self.deadline);
        changed.into_iter().filter_map(|(old, new)| self.splice(&old, new)).collect()
    }

    /// Which of the lines that are there an old line begins at; behind the last, where they end.
    fn at(&self, old: usize) -> usize {
        self.spans.get(old).map_or_else(|| self.spans.last().map_or(0, |span| span.end), |span| span.start)
    }

    /// The line that is there for an old line.
    fn counterpart(&self, old: usize) -> Option<&Line<'a>> {
        self.there.get(self.spans[old].clone())?.first()
    }

    fn splice(&self, old: &Range<usize>, new: Range<usize>) -> Option<Splice> {
        let end = |line: Option<&Line<'_>>| line.map_or(0, Line::end);
        let first = self.at(old.start);
        let start = self.there.get(first).map_or_else(|| end(self.there.last()), |line| line.start);
        let last = if old.is_empty() { first } else { self.spans[old.end - 1].end };
        let stop = if last <= first { start } else { end(self.there.get(last - 1)) };
        let mut text = self.text(old, new);
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

    fn text(&self, old: &Range<usize>, new: Range<usize>) -> String {
        let partners = pair_up(&self.old[old.clone()], &self.new[new.clone()]);
        let mut text = String::new();
        // Up to which old line the new text has got: what stands beside a line that is all new.
        let mut reached = old.start;
        for (line, partner) in new.zip(partners) {
            let partner = partner.map(|partner| old.start + partner);
            reached = partner.unwrap_or(reached);
            self.push_content(&mut text, line, partner, reached);
            if self.new[line].ending != LineEnding::None {
                let last = self.lent > 0 && line + 1 == self.new.len();
                let lent = self.there.last().filter(|_| last).map(|line| line.ending);
                let ending = lent.unwrap_or_else(|| self.ending(partner, old, reached));
                let joins = ending == LineEnding::Lf && self.behind_cr(&text, old.start);
                text.push_str(if joins { LineEnding::Cr } else { ending }.as_str());
            }
            reached = partner.map_or(reached, |partner| partner + 1);
        }
        text
    }

    fn push_content(&self, text: &mut String, line: usize, partner: Option<usize>, reached: usize) {
        let new = self.new[line].content;
        let counterpart = partner.and_then(|at| Some((self.counterpart(at)?.content, self.old[at].content)));
        if let Some((there, old)) = counterpart
            && old == new
        {
            // Only what ends the line is another one.
            return text.push_str(there);
        }
        match &self.indenter {
            Some(indenter) => indenter.push(text, (line, new), partner.zip(counterpart), reached),
            None => match counterpart {
                Some((there, old)) => text.push_str(&blend(there, old, new)),
                None => text.push_str(new),
            },
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

/// Blanks at the end of an old line that are not the file's say nothing, nor do they in a new line that is
/// the same.
fn drop_false_blanks<'l, 'a: 'l>(
    old: &mut [Line<'a>],
    new: &mut [Line<'a>],
    there: impl Iterator<Item = Option<&'l Line<'a>>>,
) {
    let without = |content: &'a str| fold::trim_end(content, true);
    let (mut dropped, mut said_truly) = (HashSet::new(), HashSet::new());
    for (old, there) in old.iter_mut().zip(there) {
        let kept = without(old.content);
        let said = &old.content[kept.len()..];
        let true_blanks = there.is_none_or(|there| said == &there.content[without(there.content).len()..]);
        if kept.is_empty() || !true_blanks {
            dropped.insert(old.content);
            old.content = kept;
        } else {
            said_truly.insert(old.content);
        }
    }
    let blank_lines = old.iter().any(|line| line.content.is_empty());
    let says_nothing = |new: &&mut Line<'a>| {
        let blank = blank_lines && without(new.content).is_empty();
        blank || dropped.contains(new.content) && !said_truly.contains(new.content)
    };
    for new in new.iter_mut().filter(says_nothing) {
        new.content = without(new.content);
    }
}

fn end_with(lines: &mut [Line<'_>], ending: LineEnding) {
    if let Some(last) = lines.last_mut() {
        last.ending = ending;
    }
}

fn ends_open(lines: &[Line<'_>]) -> bool {
    lines.last().is_some_and(|line| line.ending == LineEnding::None)
}

/// The splice that puts `text` in place of `range`, without what the two have in common at their ends.
/// Nothing if they are the same. Never cuts a character or a CRLF.
pub(super) fn trimmed(base: &str, range: Range<usize>, text: &str) -> Option<Splice> {
    let there = &base[range.clone()];
    if there == text {
        return None;
    }
    let head = common_head(there, text);
    let tail = common_tail(&there[head..], &text[head..]);
    let range = range.start + head..range.end - tail;
    Some(Splice { range, text: text[head..text.len() - tail].to_owned() })
}

/// Bytes that two texts have in common at their start, short of a cut character or CRLF.
pub(super) fn common_head(one: &str, other: &str) -> usize {
    let equal = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let whole = |at: usize| one.is_char_boundary(at) && other.is_char_boundary(at);
    let mut at = equal;
    while !whole(at) || at > 0 && one.as_bytes()[at - 1] == b'\r' && at < one.len().max(other.len()) {
        at -= 1;
    }
    at
}

/// Bytes that two texts have in common at their end, short of a cut character or CRLF.
pub(super) fn common_tail(one: &str, other: &str) -> usize {
    let equal = one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count();
    let cuts = |text: &str, tail: usize| {
        let at = text.len() - tail;
        !text.is_char_boundary(at) || text[at..].starts_with('\n') && text[..at].ends_with('\r')
    };
    let mut tail = equal;
    while tail > 0 && (cuts(one, tail) || cuts(other, tail)) {
        tail -= 1;
    }
    tail
}
