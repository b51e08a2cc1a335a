//! The lines of a file that a session was shown, by version.

use std::collections::VecDeque;

use editd_edit::{LineRange, Plan};
use editd_text::{ContentHash, Text, lines};

/// Maximum number of versions of a file whose line numbers a session may use.
const VERSIONS: usize = 8;

/// Maximum number of splices of an edit through which lines are followed: this happens while the state of the
/// workspace is locked.
const MAX_SPLICES: usize = 2_048;

/// Lines of a version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownLines {
    /// All lines.
    All,
    /// Some lines: ranges in order, none touching the next.
    Some(Vec<LineRange>),
}

impl ShownLines {
    /// No lines.
    pub const NONE: Self = Self::Some(Vec::new());

    /// Creates a set of one range; empty if it ends before it starts.
    pub fn of(lines: LineRange) -> Self {
        Self::from_ranges(vec![lines])
    }

    /// Creates a set of ranges, in any order.
    pub fn from_ranges(mut ranges: Vec<LineRange>) -> Self {
        ranges.retain(|range| range.start <= range.end);
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut joined: Vec<LineRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(1) => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Self::Some(joined)
    }

    /// Returns `true` if all lines of a range were shown.
    pub fn contains(&self, lines: LineRange) -> bool {
        match self {
            Self::All => true,
            Self::Some(ranges) => {
                let behind = ranges.partition_point(|range| range.start <= lines.start);
                behind > 0 && lines.end <= ranges[behind - 1].end
            }
        }
    }

    /// Returns the lines together with all blank lines of the version's text: these have nothing that an author must know.
    #[must_use]
    pub fn with_blank_lines(&self, text: &str) -> Self {
        let Self::Some(ranges) = self else { return Self::All };
        let blank = (1..).zip(lines(text)).filter(|(_, line)| line.content.trim().is_empty());
        let blank = blank.map(|(line, _)| LineRange { start: line, end: line });
        Self::from_ranges(ranges.iter().copied().chain(blank).collect())
    }

    /// Returns the lines that are in either set.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Some(one), Self::Some(other)) => Self::from_ranges([&one[..], other].concat()),
            _ => Self::All,
        }
    }

    /// Returns the lines after an edit by the author, who also knows the lines that it wrote; none after an edit
    /// in very many places.
    #[must_use]
    pub fn after(&self, plan: &Plan, (before, after): (&Text, &Text)) -> Self {
        let Self::Some(ranges) = self else { return Self::All };
        if plan.splices().len() > MAX_SPLICES {
            return Self::NONE;
        }
        let mut shown = Vec::new();
        // First line, in both versions, after the last splice.
        let (mut old_next, mut new_next) = (1, 1);
        let mut grown = 0_isize;
        for splice in plan.splices() {
            let start = splice.range.start.saturating_add_signed(grown);
            let end = start + splice.text.len();
            grown += splice.text.len().cast_signed() - splice.range.len().cast_signed();
            let (old, new) =
                (lines_of(before, splice.range.start, splice.range.end), lines_of(after, start, end));
            shown.extend(moved(ranges, LineRange { start: old_next, end: old.start - 1 }, new_next));
            shown.push(LineRange { start: new.start, end: new.end - 1 });
            (old_next, new_next) = (old.end, new.end);
        }
        shown.extend(moved(ranges, LineRange { start: old_next, end: usize::MAX }, new_next));
        Self::from_ranges(shown)
    }
}

/// Returns the part of `ranges` within lines that did not change, with their new numbers.
fn moved(ranges: &[LineRange], kept: LineRange, new_start: usize) -> impl Iterator<Item = LineRange> + '_ {
    let inside = ranges.iter().filter_map(move |range| {
        let (start, end) = (range.start.max(kept.start), range.end.min(kept.end));
        (start <= end).then_some((start, end))
    });
    inside.map(move |(start, end)| LineRange {
        start: start - kept.start + new_start,
        end: end - kept.start + new_start,
    })
}

/// Returns the lines that a range of bytes touches: the first, and the one after the last. A range that ends
/// at the start of a line does not touch it.
fn lines_of(text: &Text, start: usize, end: usize) -> std::ops::Range<usize> {
    let (first, last) = (text.line_of(start), text.line_of(end));
    let touches_last = text.line_start(last) < end || text.line_start(first) < start;
    first + 1..last + 1 + usize::from(touches_last)
}

/// A version of a file, with the lines of it that a session was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownVersion {
    /// Hash of the version.
    pub hash: ContentHash,
    /// The lines.
    pub lines: ShownLines,
    /// `true` if the session made the version by its own change and has not read it since.
    pub is_result: bool,
}

/// The last versions of a file that a session was shown, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownVersions(VecDeque<ShownVersion>);

impl ShownVersions {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ShownVersion> {
        self.0.iter()
    }

    pub(crate) fn of(&self, hash: ContentHash) -> Option<&ShownVersion> {
        self.0.iter().find(|version| version.hash == hash)
    }

    /// Adds lines of a version that is known already.
    pub(crate) fn extend(&mut self, hash: ContentHash, lines: &ShownLines) {
        if let Some(version) = self.0.iter_mut().find(|version| version.hash == hash) {
            version.lines = version.lines.with(lines);
        }
    }

    /// Makes a version the newest one, with these lines besides those that were shown of it before.
    pub(crate) fn add(&mut self, hash: ContentHash, lines: &ShownLines) {
        let known = self.0.iter().position(|version| version.hash == hash).and_then(|at| self.0.remove(at));
        let lines = known.map_or_else(|| lines.clone(), |known| known.lines.with(lines));
        self.0.push_front(ShownVersion { hash, lines, is_result: false });
        self.0.truncate(VERSIONS);
    }

    /// Records that the newest version is the result of an own change.
    pub(crate) fn mark_result(&mut self) {
        if let Some(version) = self.0.front_mut() {
            version.is_result = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use editd_edit::Splice;

    fn set(ranges: &[(usize, usize)]) -> ShownLines {
        ShownLines::from_ranges(ranges.iter().map(|&(start, end)| LineRange { start, end }).collect())
    }

    #[test]
    fn ranges_that_touch_are_joined() {
        assert_eq!(set(&[(5, 6), (1, 2), (3, 3), (9, 8)]), set(&[(1, 3), (5, 6)]));
        assert!(set(&[(1, 2), (3, 4)]).contains(LineRange { start: 2, end: 3 }));
        assert!(!set(&[(1, 2), (4, 4)]).contains(LineRange { start: 2, end: 4 }));
        assert_eq!(set(&[(1, 2)]).with(&ShownLines::All), ShownLines::All);
    }

    #[test]
    fn the_newest_versions_are_kept() {
        let hash = |number: u8| ContentHash::of(&[number]);
        let mut versions = ShownVersions::default();
        for number in 0..=VERSIONS as u8 {
            versions.add(hash(number), &set(&[(1, 1)]));
        }
        assert_eq!(versions.of(hash(0)), None);
        versions.add(hash(1), &set(&[(2, 2)]));
        assert_eq!(
            versions.iter().next(),
            Some(&ShownVersion { hash: hash(1), lines: set(&[(1, 2)]), is_result: false })
        );
        assert_eq!(versions.iter().count(), VERSIONS);
    }

    #[test]
    fn lines_move_with_an_edit_and_written_lines_are_known() {
        let after = |base: &str, (from, to, text): (usize, usize, &str), shown: &ShownLines| {
            let plan =
                Plan::new(base.len(), vec![Splice { range: from..to, text: text.to_owned() }]).unwrap();
            let result = plan.apply(base);
            shown.after(&plan, (&Text::from(base), &Text::from(result.as_str())))
        };
        let base = "1\n2\n3\n4\n5\n";
        // Line 2 becomes three lines.
        assert_eq!(after(base, (2, 4, "a\nb\nc\n"), &set(&[(4, 5)])), set(&[(2, 4), (6, 7)]));
        // Line 2 is removed.
        assert_eq!(after(base, (2, 4, ""), &set(&[(1, 1), (4, 4)])), set(&[(1, 1), (3, 3)]));
        // Text is inserted into line 2.
        assert_eq!(after(base, (3, 3, "x\ny"), &set(&[(4, 4)])), set(&[(2, 3), (5, 5)]));
        // A line is added before line 1, and after the last one.
        assert_eq!(after(base, (0, 0, "0\n"), &set(&[(2, 2)])), set(&[(1, 1), (3, 3)]));
        assert_eq!(after(base, (10, 10, "6\n"), &set(&[])), set(&[(6, 6)]));
        assert_eq!(after("a", (1, 1, "\nb"), &set(&[])), set(&[(1, 2)]));
    }

    proptest! {
        /// A line that was shown and has not changed stays shown, under its new number; no other line is.
        #[test]
        fn shown_lines_are_the_same_lines(
            lines in 1_usize..12, shown in prop::collection::vec((1_usize..12, 1_usize..12), 0..3),
            (at, removed, added) in (0_usize..12, 0_usize..4, 0_usize..4),
        ) {
            let base: Vec<String> = (1..=lines).map(|line| format!("{line}\n")).collect();
            let at = at.min(lines);
            let end = (at + removed).min(lines);
            let start_of = |line: usize| base[..line].concat().len();
            let new = "new\n".repeat(added);
            let text = base.concat();
            let splice = Splice { range: start_of(at)..start_of(end), text: new.clone() };
            let plan = Plan::new(text.len(), vec![splice]).unwrap();
            let result = plan.apply(&text);
            let shown = set(&shown);
            let now = shown.after(&plan, (&Text::from(text.as_str()), &Text::from(result.as_str())));
            for (index, line) in editd_text::lines(&result).enumerate() {
                let number = index + 1;
                let old: Option<usize> = line.content.parse().ok();
                let expected = old.is_none_or(|old| shown.contains(LineRange { start: old, end: old }));
                prop_assert_eq!(now.contains(LineRange { start: number, end: number }), expected, "{}", number);
            }
        }
    }
}
