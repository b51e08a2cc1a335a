//! Line numbers of a text after changes of others, and after known changes.
//!
//! A diff does not tell which of several equal lines was removed or added: it picks one. Here, a line is only
//! found if there is one candidate: it occurs once in both versions, or it stands between two such lines with
//! nothing changed in between.

use std::collections::HashMap;

use crate::{LineRange, Plan};
use editd_text::{Line, lines};

/// The lines of an earlier version of a text in the current one.
///
/// ```
/// use editd_edit::{LineMap, LineRange};
///
/// let map = LineMap::between("a\nb\nc\n", "new\na\nb\nc\n");
/// assert_eq!(map.get(LineRange { start: 2, end: 3 }), Some(LineRange { start: 3, end: 4 }));
/// // It is unclear which of two equal lines was removed.
/// let map = LineMap::between("a\n}\n}\nb\n", "a\n}\nb\n");
/// assert_eq!(map.get(LineRange { start: 2, end: 2 }), None);
/// ```
#[derive(Debug)]
pub struct LineMap {
    /// For each earlier line its current index, if it is certain.
    current: Vec<Option<usize>>,
    /// For each earlier line, `true` if it is blank.
    blank: Vec<bool>,
    /// Number of current lines.
    total: usize,
    /// `true` if the change between the versions is known, so that no other line proves where one is now.
    is_known: bool,
}

impl LineMap {
    /// Compares two versions of a text. Line endings do not matter.
    pub fn between(old: &str, new: &str) -> Self {
        let old: Vec<&str> = lines(old).map(|line| line.content).collect();
        let new: Vec<&str> = lines(new).map(|line| line.content).collect();
        let mut current = unique(&old, &new);
        // The starts of both texts correspond, and so do their ends.
        let mut reached = (0, 0);
        for line in 0..=old.len() {
            let found = if line == old.len() { Some(new.len()) } else { current[line] };
            let Some(found) = found else { continue };
            let gap = reached.0..line;
            if found.checked_sub(reached.1) == Some(gap.len()) && old[gap.clone()] == new[reached.1..found] {
                gap.zip(reached.1..).for_each(|(line, found)| current[line] = Some(found));
            }
            reached = (line + 1, found + 1);
        }
        let blank = old.iter().map(|line| line.trim().is_empty()).collect();
        Self { current, blank, total: new.len(), is_known: false }
    }

    /// Compares a text with the result of a plan for it. Lines that the plan changes are not found.
    pub fn of_plan(old: &str, new: &str, plan: &Plan) -> Self {
        let new: Vec<Line<'_>> = lines(new).collect();
        let (mut splices, mut grown) = (plan.splices().iter().peekable(), 0_isize);
        let (mut current, mut blank) = (Vec::new(), Vec::new());
        for line in lines(old) {
            let end = line.start + line.content.len() + line.ending.as_str().len();
            let mut is_changed = false;
            while let Some(splice) = splices.peek().filter(|splice| splice.range.start < end) {
                is_changed |= splice.range.end > line.start;
                if splice.range.end > end {
                    break;
                }
                grown += splice.text.len().cast_signed() - splice.range.len().cast_signed();
                splices.next();
            }
            let start = line.start.checked_add_signed(grown).filter(|_| !is_changed);
            let found = start.and_then(|start| new.binary_search_by_key(&start, |line| line.start).ok());
            current.push(found.filter(|&found| new[found].content == line.content));
            blank.push(line.content.trim().is_empty());
        }
        Self { current, blank, total: new.len(), is_known: true }
    }

    /// Returns the numbers of lines in the current version. Returns `None` if one of them has changed, if a
    /// line was inserted between them, if the lines around them are other ones, or if it is not certain that
    /// these lines are the same ones.
    pub fn get(&self, range: LineRange) -> Option<LineRange> {
        let (first, last) = (range.start.checked_sub(1)?, range.end.checked_sub(1)?);
        if last >= self.current.len() {
            return None;
        }
        let moved = self.current_of(first)?;
        let stays = |line: usize| self.current_of(line) == (moved + line).checked_sub(first);
        let is_whole = first <= last && (first..=last).all(stays);
        // A single line is not enough: another line with its text may have been written after it was removed.
        // The next line that is not blank proves it, on either side.
        let end = (moved + 1 + last).checked_sub(first)?;
        let is_blank = |line: usize| self.blank.get(line).copied().unwrap_or(true);
        let mark_before = (0..first).rev().find(|&line| !stays(line) || !is_blank(line));
        let mark_after = (last + 1..self.current.len()).find(|&line| !stays(line) || !is_blank(line));
        let is_sure = self.is_known
            || (first..=last).filter(|&line| !is_blank(line)).count() > 1
            || mark_before.map_or(moved == first, stays)
            || mark_after.map_or(self.current.len() + moved == self.total + first, stays);
        (is_whole && is_sure).then(|| LineRange { start: moved + 1, end })
    }

    /// Returns the lines in the current version between which those of a range are, whatever a known change has made
    /// of them. Returns `None` if the change reaches over an end of the range, or if nothing of it is left.
    pub fn span(&self, range: LineRange) -> Option<LineRange> {
        let (first, last) = (range.start.checked_sub(1)?, range.end.checked_sub(1)?);
        if !self.is_known || last >= self.current.len() {
            return None;
        }
        let start = match (self.current_of(first), first.checked_sub(1)) {
            (Some(start), _) => start,
            (None, None) => 0,
            (None, Some(before)) => self.current_of(before)? + 1,
        };
        let end = match self.current_of(last) {
            Some(end) => end + 1,
            None if last + 1 == self.current.len() => self.total,
            None => self.current_of(last + 1)?,
        };
        (start < end).then_some(LineRange { start: start + 1, end })
    }

    /// Returns `true` if a known change moves neither the lines before a range nor those after it, so that its numbers
    /// mean the same place in both versions, even if the lines themselves were replaced.
    pub fn keeps_numbers(&self, range: LineRange) -> bool {
        let found = |line: usize| self.current_of(line).map(|found| found == line);
        let before = (0..range.start.saturating_sub(1)).rev().find_map(found);
        let after = (range.end..self.current.len()).find_map(found);
        self.is_known
            && range.end <= self.current.len()
            && before.unwrap_or(true)
            && after.unwrap_or(self.current.len() == self.total)
    }

    fn current_of(&self, line: usize) -> Option<usize> {
        self.current.get(line).copied().flatten()
    }
}

/// Returns for each line of `old` its index in `new`, if the line occurs once in each and is not blank.
fn unique(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    #[derive(Default)]
    struct Found {
        old: usize,
        new: usize,
        at: usize,
    }
    let mut found: HashMap<&str, Found> = HashMap::with_capacity(old.len());
    for line in old {
        found.entry(line).or_default().old += 1;
    }
    for (at, line) in new.iter().enumerate() {
        if let Some(found) = found.get_mut(line) {
            found.new += 1;
            found.at = at;
        }
    }
    let current = |line: &&str| {
        let found = found.get(*line).filter(|found| (found.old, found.new) == (1, 1))?;
        (!line.trim().is_empty()).then_some(found.at)
    };
    old.iter().map(current).collect()
}
