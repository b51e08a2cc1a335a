//! Indentation of new lines, from how the file indents the lines that were matched.
//!
//! A request may indent otherwise than the file. Lines that stay keep the file's bytes, so only new lines
//! need an indentation, and it must follow from the lines that were matched: [`Rule`] holds what they prove.
//! Where they prove too little, the edit is refused.

mod nearby;
mod role;
mod rule;
mod unit;

use std::ops::Range;

use nearby::Nearby;
use role::{Role, roles};
use rule::Rule;

use super::base::Base;
use super::whole_lines::{closes_block, split_indent};
use crate::text::Line;

/// The indentation of a matched line in the request and in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair<'a> {
    old: &'a str,
    there: &'a str,
}

/// Where a line of the new text comes from. Numbers are lines of the old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It is this line, unchanged.
    Kept(usize),
    /// It takes the place of this line.
    Replaces(usize),
    /// It comes new, before this line.
    Before(usize),
}

/// A new line whose indentation does not follow from what was matched, as its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnclearIndentation {
    pub(super) line: usize,
}

/// Maps the indentation of a request to that of the file.
pub(super) struct Indenter<'a> {
    /// For every old line that says something and stands in the file.
    pairs: Vec<Option<Pair<'a>>>,
    /// The text of every old line.
    old: Vec<&'a str>,
    new: Vec<NewLine<'a>>,
    rule: Rule<'a>,
    /// The first line lost its indentation, as when a text is copied from its first letter on. It proves
    /// nothing of other lines.
    first_alone: bool,
    /// The new line from which on the request closes more blocks than the place has, if it does.
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
    /// The indenter for a place that starts at byte `at`. `there` has the file's line for each old one.
    /// Returns `None` if all lines are indented as the request has them: then new lines are right as given.
    pub(super) fn new<'l>(
        base: &Base<'_>,
        at: usize,
        there: impl Iterator<Item = Option<&'l Line<'a>>>,
        old: &[Line<'a>],
        new: &[Line<'a>],
    ) -> Option<Self>
    where
        'a: 'l,
    {
        let pair = |(old, there): (&Line<'a>, Option<&Line<'a>>)| {
            let (old, rest) = split_indent(old.content);
            let (there, _) = split_indent(there?.content);
            (!rest.is_empty()).then_some(Pair { old, there })
        };
        let pairs: Vec<_> = old.iter().zip(there).map(pair).collect();
        if pairs.iter().flatten().all(|pair| pair.old == pair.there) {
            return None;
        }
        let old: Vec<&'a str> = old.iter().map(|line| line.content).collect();
        let old_roles = roles(&old);
        let texts: Vec<&'a str> = new.iter().map(|line| line.content).collect();
        let new: Vec<NewLine<'a>> = texts.iter().zip(roles(&texts)).map(NewLine::of).collect();
        let nearby = Nearby::new(base, at);
        let evidence = rule::Evidence { pairs: &pairs, roles: &old_roles, new: &new, nearby };
        let (rule, first_alone) = rule::choose(&evidence);
        let clipped_from = role::closes_more(&old, &texts).unwrap_or(usize::MAX);
        Some(Self { pairs, old, new, rule, first_alone, clipped_from })
    }

    /// The indentation of every new line, in the file's terms.
    pub(super) fn indents(&self, origins: &[Origin]) -> Result<Vec<String>, UnclearIndentation> {
        let mut known: Vec<String> = Vec::with_capacity(origins.len());
        for (line, origin) in origins.iter().enumerate() {
            let indent = match *origin {
                _ if self.new[line].body.is_empty() => Some(String::new()),
                Origin::Kept(old) => Some(self.pairs[old].map_or("", |pair| pair.there).to_owned()),
                _ => self.indent(line, origins, &known),
            };
            known.push(indent.ok_or(UnclearIndentation { line })?);
        }
        Ok(known)
    }

    /// The indentation of a new line, if it follows from the lines that were matched.
    fn indent(&self, line: usize, origins: &[Origin], known: &[String]) -> Option<String> {
        let new = &self.new[line];
        let of_first = self.pairs.first().copied().flatten();
        if let Some(first) = of_first.filter(|first| self.first_alone && line == 0 && first.old == new.indent)
        {
            return Some(first.there.to_owned());
        }
        if line >= self.clipped_from && new.indent.is_empty() {
            return None;
        }
        let equal = self.of_equal_depth(new.indent);
        let lost = of_first.is_some_and(|first| self.first_alone && first.old == new.indent);
        if lost && matches!(equal, Depth::None) && !matches!(self.rule, Rule::Exact { .. }) {
            // It may have lost its indentation as well.
            return None;
        }
        let own = match origins[line] {
            Origin::Replaces(old) => self.pairs[old].filter(|pair| pair.old == new.indent),
            _ => None,
        };
        let off = self.replaced_off(line, origins);
        if let (Rule::Scale(scale), Some(before)) = (&self.rule, self.before(line, known))
            && !scale.nests_by_one(new.indent, &before)
        {
            return None;
        }
        match (&self.rule, equal) {
            (Rule::Exact { .. }, _) if self.follows_an_odd_closer(origins[line]) => None,
            (Rule::Exact { .. }, _) if own.is_some() => own.map(|pair| pair.there.to_owned()),
            (Rule::Exact { .. }, _) if off.is_some() => off?.exactly(new.indent),
            (Rule::Exact { telling, scale }, Depth::Several | Depth::One(_)) => {
                let exact = self.pairs.iter().flatten().any(|pair| *pair == same(new.indent));
                (exact || *telling > 1 && scale.is_none()).then(|| new.indent.to_owned())
            }
            (Rule::Shift(_) | Rule::Columns(_), Depth::One(there)) => Some(there.to_owned()),
            (Rule::SameDepth, Depth::One(there)) if own.is_none() => {
                self.is_near(new.indent, there, origins[line]).then(|| there.to_owned())
            }
            (Rule::Columns(columns), Depth::None) => columns.apply(new.indent),
            (Rule::Nearest, _) | (_, Depth::Several) => self.by_neighbours(line, origins),
            (_, Depth::One(there)) if own.is_some() || !new.role.is_aligned() => Some(there.to_owned()),
            (rule, _) => self.relative(line, known).or_else(|| {
                rule.apply(new.indent, self.nearest_pair(origins[line]), self.before(line, known))
            }),
        }
    }

    /// Returns how the line is off that a run of new lines replaces, if none of these is less deep than that line is
    /// in the request: then all of them are off like it.
    fn replaced_off(&self, line: usize, origins: &[Origin]) -> Option<rule::Shift<'a>> {
        let run = run_around(line, origins);
        let replaced = origins[run.clone()].iter().find_map(|origin| match *origin {
            Origin::Replaces(old) => self.pairs[old].filter(|pair| pair.old != pair.there),
            _ => None,
        })?;
        let said = self.new[run].iter().filter(|line| !line.body.is_empty());
        let shallowest = said.min_by_key(|line| line.indent.len())?.indent;
        (shallowest == replaced.old).then(|| rule::Shift::of(&[replaced])).flatten()
    }

    /// Returns whether a new line comes behind one that closes a block elsewhere than the request says: another line may
    /// be the one that is meant.
    fn follows_an_odd_closer(&self, origin: Origin) -> bool {
        let Origin::Before(at) = origin else { return false };
        let before = at.checked_sub(1).and_then(|before| Some((before, self.pairs[before]?)));
        before.is_some_and(|(before, pair)| pair.old != pair.there && closes_block(self.old[before]))
    }

    /// Returns the file's indentation where the request has `indent`.
    fn of_equal_depth(&self, indent: &str) -> Depth<'a> {
        let mut found = Depth::None;
        let trusted = self.pairs.iter().skip(usize::from(self.first_alone)).flatten();
        for pair in trusted.filter(|pair| pair.old == indent) {
            found = match found {
                Depth::None => Depth::One(pair.there),
                Depth::One(there) if there == pair.there => found,
                _ => return Depth::Several,
            };
        }
        found
    }

    /// The indentation of a line that is aligned with a sign of an earlier line, and so goes where that goes.
    fn relative(&self, line: usize, known: &[String]) -> Option<String> {
        let (new, opener) = (&self.new[line], self.new[line].role.aligned_with()?);
        let deeper = new.indent.strip_prefix(self.new[opener].indent)?;
        Some([known.get(opener)?, deeper].concat())
    }

    /// The line before a new one, with the indentation that it gets.
    fn before<'k>(&'k self, line: usize, known: &'k [String]) -> Option<rule::Before<'k>> {
        let before = (0..line).rev().find(|&before| !self.new[before].body.is_empty())?;
        let NewLine { indent, body, .. } = self.new[before];
        Some(rule::Before { indent, known: &known[before], opens: role::opens_block(body) })
    }

    /// The pair of the old line nearest to where a new line stands; of two as near, the one before.
    fn nearest_pair(&self, origin: Origin) -> Option<Pair<'a>> {
        let (Origin::Kept(at) | Origin::Replaces(at) | Origin::Before(at)) = origin;
        let skipped = usize::from(self.first_alone);
        let pairs = self.pairs.iter().enumerate().skip(skipped).filter_map(|(at, pair)| Some((at, (*pair)?)));
        let distance = |of: usize| if of < at { (at - of) * 2 - 2 } else { (of - at) * 2 + 1 };
        pairs.min_by_key(|&(of, _)| distance(of)).map(|(_, pair)| pair)
    }

    /// The indentation where equal depths of the request stand for several of the file: the neighbours of the
    /// new lines decide, if they are plain.
    fn by_neighbours(&self, line: usize, origins: &[Origin]) -> Option<String> {
        let run = run_around(line, origins);
        if self.flattens(&run) {
            return None;
        }
        let new = &self.new[line];
        let (before, after) = self.neighbours(origins[line]);
        let own = match origins[line] {
            Origin::Replaces(old) => self.pairs[old].filter(|pair| pair.old == new.indent),
            _ => None,
        };
        if let Some(own) = own {
            let others = [before, after].into_iter().flatten().filter(|(_, pair)| pair.old == own.old);
            let alike = closes_block(self.old_of(origins[line])) == closes_block(new.body);
            return (alike || others.into_iter().all(|(_, pair)| pair == own)).then(|| own.there.to_owned());
        }
        let closed = before.is_some_and(|(old, _)| closes_block(self.old[old]));
        if closes_block(new.body) && after.is_some()
            || after.is_none() && !closed && self.may_be_apart(line, &run)
        {
            return None;
        }
        let beside = |pair: Option<(usize, Pair<'a>)>| pair.filter(|(_, pair)| pair.old == new.indent);
        if let Some((old, pair)) = beside(before)
            && !role::opens_block(self.old[old])
        {
            return Some(pair.there.to_owned());
        }
        if let (Some((opener, _)), Some((_, pair))) = (before, beside(after))
            && role::opens_block(self.old[opener])
        {
            return Some(pair.there.to_owned());
        }
        let shift = |pair: Pair<'a>| rule::Shift::of(&[pair]).and_then(|shift| shift.exactly(new.indent));
        match (before, after) {
            (Some((_, one)), Some((_, other))) => {
                shift(one).filter(|found| Some(found) == shift(other).as_ref())
            }
            (Some((_, pair)), None) | (None, Some((_, pair))) => shift(pair),
            (None, None) => None,
        }
    }

    /// Returns whether a line beside a new one is moved as lines of its depth are elsewhere.
    fn is_near(&self, indent: &str, there: &str, origin: Origin) -> bool {
        let (before, after) = self.neighbours(origin);
        let moved = |(_, pair): (usize, Pair<'a>)| rule::Shift::of(&[pair])?.exactly(indent);
        [before, after].into_iter().flatten().filter_map(moved).any(|moved| moved == there)
    }

    fn old_of(&self, origin: Origin) -> &'a str {
        let (Origin::Kept(at) | Origin::Replaces(at) | Origin::Before(at)) = origin;
        self.old.get(at).copied().unwrap_or_default()
    }

    /// Returns whether a run of new lines opens a block whose lines are not deeper: its indentation is lost.
    fn flattens(&self, run: &Range<usize>) -> bool {
        let said: Vec<_> = self.new[run.clone()].iter().filter(|line| !line.body.is_empty()).collect();
        said.windows(2).any(|two| {
            let deeper = two[1].indent.len() > two[0].indent.len();
            role::opens_block(two[0].body) && !deeper && !closes_block(two[1].body)
        })
    }

    /// Returns whether a line behind all old ones may not belong to the block of the last: an empty line parts them, or
    /// it opens a block as an old line of the same depth does.
    fn may_be_apart(&self, line: usize, run: &Range<usize>) -> bool {
        let new = &self.new[line];
        let opens = |old: usize| {
            self.pairs[old].is_some_and(|pair| pair.old == new.indent) && role::opens_block(self.old[old])
        };
        self.new[run.start..line].iter().any(|line| line.body.is_empty())
            || role::opens_block(new.body) && (0..self.pairs.len()).any(opens)
    }

    /// The old lines before and behind a new one that have a pair.
    fn neighbours(&self, origin: Origin) -> Neighbours<'a> {
        let (before, behind) = match origin {
            Origin::Kept(at) | Origin::Replaces(at) => (at, at + 1),
            Origin::Before(at) => (at, at),
        };
        let pairs = |range: Range<usize>| {
            self.pairs[range.clone()].iter().zip(range).filter_map(|(pair, at)| Some((at, (*pair)?)))
        };
        (pairs(0..before).next_back(), pairs(behind..self.pairs.len()).next())
    }
}

type Neighbours<'a> = (Option<(usize, Pair<'a>)>, Option<(usize, Pair<'a>)>);

/// The file's indentation where the request has one certain depth.
#[derive(Debug, Clone, Copy)]
enum Depth<'a> {
    None,
    One(&'a str),
    Several,
}

impl<'a> NewLine<'a> {
    fn of((content, role): (&&'a str, Role)) -> Self {
        let (indent, body) = split_indent(content);
        Self { indent, body, role }
    }
}

/// The pair of a line that is indented as the request has it.
fn same(indent: &str) -> Pair<'_> {
    Pair { old: indent, there: indent }
}

/// The new lines around one that are not kept.
fn run_around(line: usize, origins: &[Origin]) -> Range<usize> {
    let changed = |origin: &&Origin| !matches!(origin, Origin::Kept(_));
    let before = origins[..line].iter().rev().take_while(changed).count();
    line - before..line + origins[line..].iter().take_while(changed).count()
}

#[cfg(test)]
mod tests;
