//! Indentation of new lines, derived from how the file indents the matched lines.
//!
//! A request may be indented differently from the file. Unchanged lines keep the file's bytes, so only new
//! lines need an indentation, which must follow from the matched lines: [`Rule`] holds what these prove. If
//! they prove too little, the edit is refused.

mod beside;
mod role;
mod rule;
mod units;

use std::ops::Range;

use beside::Beside;
use role::{Role, closes_more, roles};
pub(super) use role::{bracket_steps, opens_block};
use rule::{Before, Evidence, Nearby, Rule};
use units::PrefixShift;

use super::base::Base;
use super::whole_lines::{closes_block, split_indent};
use editd_text::Line;

/// The indentation of a matched line in the request and in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair<'a> {
    old: &'a str,
    actual: &'a str,
}

/// The origin of a line of the new text. Numbers are lines of the old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// This line, unchanged.
    Kept(usize),
    /// A replacement of this line.
    Replaces(usize),
    /// A new line before this line.
    Before(usize),
}

impl Origin {
    fn old_line(self) -> usize {
        let (Self::Kept(line) | Self::Replaces(line) | Self::Before(line)) = self;
        line
    }
}

/// The index of a new line whose indentation does not follow from the matched lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnclearIndentation {
    pub(super) line: usize,
}

/// Maps the indentation of a request to that of the file.
pub(super) struct Indenter<'a> {
    /// One pair for every old line; `None` if the line is blank or not in the file.
    pairs: Vec<Option<Pair<'a>>>,
    /// Content of every old line.
    old: Vec<&'a str>,
    old_roles: Vec<Role>,
    new: Vec<NewLine<'a>>,
    rule: Rule<'a>,
    /// `true` if only the first line lost its indentation, as when a text is copied from its first letter on.
    /// That line is then no evidence for the others.
    only_first_lost: bool,
    /// The new line from which on the request closes more blocks than the match has, if it does.
    clipped_from: usize,
}

/// A line of the new text.
#[derive(Debug, Clone, Copy)]
struct NewLine<'a> {
    indent: &'a str,
    body: &'a str,
    role: Role,
}

impl<'a> Indenter<'a> {
    /// Creates the indenter for a match that starts at byte `at`. `actual` has the file's line for each old
    /// one. Returns `None` if all lines are indented as in the request: then new lines are right as given.
    pub(super) fn new(
        base: &Base<'_>,
        at: usize,
        actual: &[Option<Line<'a>>],
        old: &[Line<'a>],
        new: &[Line<'a>],
    ) -> Option<Self> {
        let pair = |(old, actual): (&Line<'a>, &Option<Line<'a>>)| {
            let (old, rest) = split_indent(old.content);
            let (actual, _) = split_indent((*actual)?.content);
            (!rest.is_empty()).then_some(Pair { old, actual })
        };
        let pairs: Vec<_> = old.iter().zip(actual).map(pair).collect();
        if pairs.iter().flatten().all(|pair| pair.old == pair.actual) {
            return None;
        }
        let old: Vec<&'a str> = old.iter().map(|line| line.content).collect();
        let old_roles = roles(&old);
        let texts: Vec<&'a str> = new.iter().map(|line| line.content).collect();
        let new_line = |(content, role): (&&'a str, Role)| {
            let (indent, body) = split_indent(content);
            NewLine { indent, body, role }
        };
        let new: Vec<NewLine<'a>> = texts.iter().zip(roles(&texts)).map(new_line).collect();
        let nearby = Nearby::new(base, at);
        let evidence = Evidence { pairs: &pairs, roles: &old_roles, new: &new, nearby };
        let (rule, only_first_lost) = rule::choose(&evidence);
        let clipped_from = closes_more(&old, &texts).unwrap_or(usize::MAX);
        Some(Self { pairs, old, old_roles, new, rule, only_first_lost, clipped_from })
    }

    /// Returns the indentation of every new line, as the file writes it.
    pub(super) fn indents(&self, origins: &[Origin]) -> Result<Vec<String>, UnclearIndentation> {
        let mut known: Vec<String> = Vec::with_capacity(origins.len());
        for (line, origin) in origins.iter().enumerate() {
            let indent = match *origin {
                _ if self.new[line].body.is_empty() => Some(String::new()),
                Origin::Kept(old) => Some(self.pairs[old].map_or("", |pair| pair.actual).to_owned()),
                _ => self.indent(line, origins, &known),
            };
            known.push(indent.ok_or(UnclearIndentation { line })?);
        }
        Ok(known)
    }

    /// Returns the indentation of a new line, if it follows from the matched lines.
    fn indent(&self, line: usize, origins: &[Origin], known: &[String]) -> Option<String> {
        let new = &self.new[line];
        let first = self.pairs.first().copied().flatten();
        let lost = first.filter(|first| self.only_first_lost && first.old == new.indent);
        if let (0, Some(first)) = (line, lost) {
            return Some(first.actual.to_owned());
        }
        if line >= self.clipped_from && new.indent.is_empty() {
            return None;
        }
        let equal = self.actual_for_depth(new.indent);
        if lost.is_some() && matches!(equal, Depth::None) && !matches!(self.rule, Rule::Exact { .. }) {
            // The new line may have lost its indentation as well.
            return None;
        }
        let own = self.own_pair(line, origins);
        let replaced_shift = self.shift_of_replaced(line, origins);
        // Where the units differ, a depth that no matched line has follows from the unit.
        let follows_unit =
            matches!(self.rule, Rule::Exact { scale: Some(_), .. }) && matches!(equal, Depth::None);
        if matches!(self.rule, Rule::Exact { .. })
            && own.is_none()
            && replaced_shift.is_none()
            && !follows_unit
        {
            match self.beside(line, origins) {
                Beside::Nothing => {}
                Beside::Follows(shift) => return shift.exactly(new.indent),
                Beside::Unclear => return None,
            }
        }
        if let (Rule::Scale(scale), Some(before)) = (&self.rule, self.before(line, known))
            && !scale.nests_by_one(new.indent, &before)
        {
            return None;
        }
        match (&self.rule, equal) {
            (Rule::Exact { .. }, _) if self.follows_shifted_closer(origins[line]) => None,
            (Rule::Exact { .. }, _) if own.is_some() => own.map(|pair| pair.actual.to_owned()),
            (Rule::Exact { .. }, _) if replaced_shift.is_some() => replaced_shift?.exactly(new.indent),
            (Rule::Exact { matching, scale }, Depth::Several | Depth::One(_)) => {
                let same = Pair { old: new.indent, actual: new.indent };
                let exact = self.pairs.iter().flatten().any(|pair| *pair == same);
                (exact || *matching > 1 && scale.is_none()).then(|| new.indent.to_owned())
            }
            (Rule::Shift(_) | Rule::Columns(_), Depth::One(actual)) => Some(actual.to_owned()),
            (Rule::SameDepth, Depth::One(actual)) if own.is_none() => {
                self.agrees_with_neighbors(new.indent, actual, origins[line]).then(|| actual.to_owned())
            }
            (Rule::Columns(columns), Depth::None) => columns.apply(new.indent),
            (Rule::Nearest, _) | (_, Depth::Several) => self.by_neighbors(line, origins),
            (_, Depth::One(actual)) if own.is_some() || !new.role.is_aligned() => Some(actual.to_owned()),
            (rule, _) => self.aligned(line, known).or_else(|| {
                rule.apply(new.indent, self.nearest_pair(origins[line]), self.before(line, known))
            }),
        }
    }

    /// Returns the pair of the line that a new line replaces, if both have the same depth.
    fn own_pair(&self, line: usize, origins: &[Origin]) -> Option<Pair<'a>> {
        match origins[line] {
            Origin::Replaces(old) => self.pairs[old].filter(|pair| pair.old == self.new[line].indent),
            _ => None,
        }
    }

    /// Returns the shift between request and file of the line that a run of new lines replaces, if none of
    /// these is less deep than that line in the request: then the shift applies to all of them.
    fn shift_of_replaced(&self, line: usize, origins: &[Origin]) -> Option<PrefixShift<'a>> {
        let run = run_around(line, origins);
        let replaced = origins[run.clone()].iter().find_map(|origin| match *origin {
            Origin::Replaces(old) => self.pairs[old].filter(|pair| pair.old != pair.actual),
            _ => None,
        })?;
        let non_blank = self.new[run].iter().filter(|line| !line.body.is_empty());
        let shallowest = non_blank.min_by_key(|line| line.indent.len())?.indent;
        (shallowest == replaced.old).then(|| PrefixShift::of(&[replaced])).flatten()
    }

    /// Returns `true` if a new line follows a line that closes a block with another indentation than in the
    /// request: the file's line may be another one than the request assumes.
    fn follows_shifted_closer(&self, origin: Origin) -> bool {
        let Origin::Before(at) = origin else { return false };
        let before = at.checked_sub(1).and_then(|before| Some((before, self.pairs[before]?)));
        before.is_some_and(|(before, pair)| pair.old != pair.actual && closes_block(self.old[before]))
    }

    /// Returns the file's indentation for lines that have `indent` in the request.
    fn actual_for_depth(&self, indent: &str) -> Depth<'a> {
        let mut found = Depth::None;
        let trusted = self.pairs.iter().skip(usize::from(self.only_first_lost)).flatten();
        for pair in trusted.filter(|pair| pair.old == indent) {
            found = match found {
                Depth::None => Depth::One(pair.actual),
                Depth::One(actual) if actual == pair.actual => found,
                _ => return Depth::Several,
            };
        }
        found
    }

    /// Returns the indentation of a line that is aligned with a character of an earlier line, and so moves
    /// with it.
    fn aligned(&self, line: usize, known: &[String]) -> Option<String> {
        let Role::Aligned { with } = self.new[line].role else { return None };
        let deeper = self.new[line].indent.strip_prefix(self.new[with].indent)?;
        Some([known.get(with)?, deeper].concat())
    }

    /// Returns the line before a new one, with the indentation that it gets.
    fn before<'k>(&'k self, line: usize, known: &'k [String]) -> Option<Before<'k>> {
        let before = (0..line).rev().find(|&before| !self.new[before].body.is_empty())?;
        let NewLine { indent, body, .. } = self.new[before];
        Some(Before { indent, known: &known[before], opens: opens_block(body) })
    }

    /// Returns the pair of the old line nearest to a new line; of two equally near ones, the one before.
    fn nearest_pair(&self, origin: Origin) -> Option<Pair<'a>> {
        let at = origin.old_line();
        let skipped = usize::from(self.only_first_lost);
        let pairs = self.pairs.iter().enumerate().skip(skipped).filter_map(|(at, pair)| Some((at, (*pair)?)));
        let distance = |of: usize| if of < at { (at - of) * 2 - 2 } else { (of - at) * 2 + 1 };
        pairs.min_by_key(|&(of, _)| distance(of)).map(|(_, pair)| pair)
    }

    /// Returns the indentation if equal depths of the request correspond to several of the file: the
    /// neighbors of the new lines decide, if they are clear.
    fn by_neighbors(&self, line: usize, origins: &[Origin]) -> Option<String> {
        let run = run_around(line, origins);
        if self.loses_nesting(&run) {
            return None;
        }
        let new = &self.new[line];
        let (before, after) = self.neighbors(origins[line]);
        if let Some(own) = self.own_pair(line, origins) {
            let others = [before, after].into_iter().flatten().filter(|(_, pair)| pair.old == own.old);
            let replaced = self.old.get(origins[line].old_line()).copied().unwrap_or_default();
            let alike = closes_block(replaced) == closes_block(new.body);
            return (alike || others.into_iter().all(|(_, pair)| pair == own)).then(|| own.actual.to_owned());
        }
        let closed = before.is_some_and(|(old, _)| closes_block(self.old[old]));
        if closes_block(new.body) && after.is_some()
            || after.is_none() && !closed && self.may_be_separate(line, &run)
        {
            return None;
        }
        let equally_deep = |pair: Option<(usize, Pair<'a>)>| pair.filter(|(_, pair)| pair.old == new.indent);
        if let Some((old, pair)) = equally_deep(before)
            && !opens_block(self.old[old])
        {
            // The next line has the same depth in the request and another one in the file, so the new line may
            // belong to either, unless the next line closes the block.
            let is_other = |(next, other): (usize, Pair<'a>)| {
                other.actual != pair.actual && !closes_block(self.old[next]) && !is_directive(self.old[next])
            };
            return (!equally_deep(after).is_some_and(is_other)).then(|| pair.actual.to_owned());
        }
        if let (Some((opener, _)), Some((_, pair))) = (before, equally_deep(after))
            && opens_block(self.old[opener])
        {
            return Some(pair.actual.to_owned());
        }
        let shift = |pair: Pair<'a>| PrefixShift::of(&[pair]).and_then(|shift| shift.exactly(new.indent));
        match (before, after) {
            (Some((_, one)), Some((_, other))) => {
                shift(one).filter(|found| Some(found) == shift(other).as_ref())
            }
            (Some((_, pair)), None) | (None, Some((_, pair))) => shift(pair),
            (None, None) => None,
        }
    }

    /// Returns `true` if a line next to a new one is shifted as lines of its depth are elsewhere.
    fn agrees_with_neighbors(&self, indent: &str, actual: &str, origin: Origin) -> bool {
        let (before, after) = self.neighbors(origin);
        let moved = |(_, pair): (usize, Pair<'a>)| PrefixShift::of(&[pair])?.exactly(indent);
        [before, after].into_iter().flatten().filter_map(moved).any(|moved| moved == actual)
    }

    /// Returns `true` if a run of new lines opens a block whose lines are not deeper: its indentation is
    /// lost.
    fn loses_nesting(&self, run: &Range<usize>) -> bool {
        let non_blank: Vec<_> = self.new[run.clone()].iter().filter(|line| !line.body.is_empty()).collect();
        non_blank.windows(2).any(|two| {
            let deeper = two[1].indent.len() > two[0].indent.len();
            opens_block(two[0].body) && !deeper && !closes_block(two[1].body)
        })
    }

    /// Returns `true` if a line after all old ones may not belong to the block of the last: an empty line
    /// separates them, or it opens a block as an old line of the same depth does.
    fn may_be_separate(&self, line: usize, run: &Range<usize>) -> bool {
        let new = &self.new[line];
        let opens = |old: usize| {
            self.pairs[old].is_some_and(|pair| pair.old == new.indent) && opens_block(self.old[old])
        };
        self.new[run.start..line].iter().any(|line| line.body.is_empty())
            || opens_block(new.body) && (0..self.pairs.len()).any(opens)
    }

    /// Returns the nearest old lines before and after a new one that have a pair.
    fn neighbors(&self, origin: Origin) -> Neighbors<'a> {
        let (before, after) = match origin {
            Origin::Kept(at) | Origin::Replaces(at) => (at, at + 1),
            Origin::Before(at) => (at, at),
        };
        let pairs = |range: Range<usize>| {
            self.pairs[range.clone()].iter().zip(range).filter_map(|(pair, at)| Some((at, (*pair)?)))
        };
        (pairs(0..before).next_back(), pairs(after..self.pairs.len()).next())
    }
}

type Neighbors<'a> = (Option<(usize, Pair<'a>)>, Option<(usize, Pair<'a>)>);

/// The file's indentation for one depth of the request.
#[derive(Debug, Clone, Copy)]
enum Depth<'a> {
    None,
    One(&'a str),
    Several,
}

/// Returns `true` for a line that begins with `#`: directives are often at the margin, whatever block they are in.
fn is_directive(line: &str) -> bool {
    split_indent(line).1.starts_with('#')
}

/// Returns the run of changed lines around a new line.
fn run_around(line: usize, origins: &[Origin]) -> Range<usize> {
    let changed = |origin: &&Origin| !matches!(origin, Origin::Kept(_));
    let before = origins[..line].iter().rev().take_while(changed).count();
    line - before..line + origins[line..].iter().take_while(changed).count()
}

#[cfg(test)]
mod tests;
