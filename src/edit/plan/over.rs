//! Rebasing of a plan onto a text that has changed since the plan was made.

use std::ops::Range;

use super::{Plan, Shift, Splice};

/// The location of a splice of a base in a newer version of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedRange {
    /// Bytes of the newer text; approximate if `touched`, and possibly not on character boundaries then.
    pub range: Range<usize>,
    /// `true` if a newer change touches the splice, so that its meaning may have changed.
    pub touched: bool,
}

impl Plan {
    /// Rebases this plan onto the result of `earlier`, both made for `base`. Where the two overlap this plan
    /// wins: the whole range that the two changed becomes what this plan alone makes of it. Where they only
    /// touch, both are applied, the insertion of `earlier` first.
    ///
    /// If [`rebase_strict`](Self::rebase_strict) returns a plan, this returns the same one.
    #[must_use]
    pub fn over(&self, earlier: &Self, base: &str) -> Self {
        let (mut own, mut other) = (self.splices.iter().peekable(), earlier.splices.iter().peekable());
        let mut shift = Shift::default();
        let mut splices = Vec::with_capacity(self.splices.len());
        while let Some(first) = own.next() {
            while let Some(passed) = other.next_if(|other| other.range.end <= first.range.start) {
                shift.pass(passed);
            }
            let (mut range, mut members) = (first.range.clone(), vec![first]);
            let before = shift.clone();
            loop {
                if let Some(met) = other.next_if(|other| overlap(&other.range, &range)) {
                    shift.pass(met);
                    range = range.start.min(met.range.start)..range.end.max(met.range.end);
                } else if let Some(next) = own.next_if(|next| overlap(&next.range, &range)) {
                    range.end = range.end.max(next.range.end);
                    members.push(next);
                } else {
                    break;
                }
            }
            let text = apply_in_range(base, &range, &members);
            splices.push(Splice { range: before.apply(range.start)..shift.apply(range.end), text });
        }
        Self::new(earlier.result_len(), splices).unwrap_or_else(|_| Self::empty(earlier.result_len()))
    }

    /// Maps splices of this plan's base to its result. They must be sorted and disjoint, as
    /// [`by_hunk`](Self::by_hunk) returns them.
    pub fn map_splices(&self, splices: &[Splice]) -> Vec<MappedRange> {
        // The shift before each of the plan's splices.
        let mut shifts = vec![Shift::default()];
        for splice in &self.splices {
            let mut shift = shifts.last().cloned().unwrap_or_default();
            shift.pass(splice);
            shifts.push(shift);
        }
        let place = |splice: &Splice| {
            let Range { start, end } = splice.range;
            let first = self.splices.partition_point(|other| other.range.end <= start);
            let before = self.splices.partition_point(|other| other.range.start < end.max(start));
            // A splice that only touches the start counts as before, and so does an insertion at the same
            // offset.
            let touches = |other: &Splice| other.range.start <= end && other.range.end >= start;
            let near = first.saturating_sub(1)..(before + 1).min(self.splices.len());
            let from = self.map_offset(&shifts, first, start);
            let to = if start == end { from } else { self.map_offset(&shifts, before, end).max(from) };
            MappedRange { range: from..to, touched: self.splices[near].iter().any(touches) }
        };
        splices.iter().map(place).collect()
    }

    /// Maps an offset of the base to the result; `before` is the number of splices before it.
    fn map_offset(&self, shifts: &[Shift], before: usize, offset: usize) -> usize {
        let inside = |splice: &&Splice| splice.range.start < offset && offset < splice.range.end;
        // The splice around the offset is either the last one that begins before it or the next.
        let mut candidates = [before.checked_sub(1), Some(before)].into_iter().flatten();
        let around = candidates.find_map(|at| Some((at, self.splices.get(at).filter(inside)?)));
        match around {
            Some((at, splice)) => {
                let start = shifts[at].apply(splice.range.start);
                start + (offset - splice.range.start).min(splice.text.len())
            }
            None => shifts[before].apply(offset),
        }
    }
}

/// Returns `true` if two ranges overlap; an empty range overlaps a range that contains it.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Applies splices to a range of the base.
fn apply_in_range(base: &str, range: &Range<usize>, splices: &[&Splice]) -> String {
    let mut text = String::new();
    let mut copied = range.start;
    for splice in splices {
        text.push_str(base.get(copied..splice.range.start).unwrap_or_default());
        text.push_str(&splice.text);
        copied = splice.range.end;
    }
    text.push_str(base.get(copied..range.end).unwrap_or_default());
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::edit::{Deadline, Labels, diff_texts};

    fn lines(count: usize) -> String {
        (1..=count)
            .map(|number| number.to_string())
            .flat_map(|number| ["line ".to_owned(), number, "\n".to_owned()])
            .collect()
    }

    fn by_line(base: &str, wanted: &str) -> Vec<Splice> {
        let diff = diff_texts(base, wanted, Labels::same("x"), Deadline::NONE);
        Plan::between(base, wanted, Deadline::NONE).by_hunk(base, &diff.hunks)
    }

    #[rstest]
    #[case::elsewhere("a\nb\nc\nd\n", "a\nb\nC\nd\n", "A\nb\nc\nd\n", "A\nb\nC\nd\n", false)]
    #[case::the_same_line("a\nb\nc\n", "a\nB\nc\n", "a\nbb\nc\n", "a\nB\nc\n", true)]
    #[case::lines_in_front("a\nb\nc\n", "a\nB\nc\n", "a\nnew\nb\nc\n", "a\nnew\nB\nc\n", true)]
    #[case::lines_behind("a\nb\nc\n", "a\nB\nc\n", "a\nb\nnew\nc\n", "a\nB\nnew\nc\n", true)]
    #[case::both_insert("a\nb\n", "a\nmine\nb\n", "a\nyours\nb\n", "a\nyours\nmine\nb\n", true)]
    #[case::removed_around("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a\ne\n", "a\nb\nC\nd\ne\n", true)]
    #[case::removed("a\nb\nc\n", "a\nB\nc\n", "", "a\nB\nc\n", true)]
    #[case::the_same("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n", true)]
    fn the_plan_wins_where_both_changed(
        #[case] base: &str,
        #[case] wanted: &str,
        #[case] now: &str,
        #[case] expected: &str,
        #[case] touched: bool,
    ) {
        let drift = Plan::between(base, now, Deadline::NONE);
        let hunks = by_line(base, wanted);
        let plan = Plan::new(base.len(), hunks.clone()).unwrap();
        assert_eq!(plan.over(&drift, base).apply(now), expected);
        assert_eq!(drift.map_splices(&hunks)[0].touched, touched);
    }

    #[test]
    fn one_deletion_over_many_hunks_is_cheap() {
        let base = lines(40_000);
        let wanted: String = (1..=40_000)
            .map(|n| if n % 20 == 0 { format!("LINE {n}\n") } else { format!("line {n}\n") })
            .collect();
        let hunks = by_line(&base, &wanted);
        assert_eq!(hunks.len(), 2000);
        let drift = Plan::between(&base, "", Deadline::NONE);
        let places = drift.map_splices(&hunks);
        assert!(places.iter().all(|place| place.touched && place.range == (0..0)));
        let plan = Plan::new(base.len(), hunks).unwrap();
        assert_eq!(plan.over(&drift, &base).apply(""), wanted);
    }

    fn changed() -> impl Strategy<Value = (String, Vec<u8>, Vec<u8>)> {
        (4_usize..40).prop_flat_map(|count| {
            let marks = proptest::collection::vec(0_u8..8, count);
            (Just(lines(count)), marks.clone(), marks)
        })
    }

    /// Replaces or removes lines of a text, or inserts lines after them, according to `marks`.
    fn marked(base: &str, marks: &[u8], sign: &str) -> String {
        let line = |(line, mark): (&str, &u8)| match mark {
            0 => format!("{sign} {line}"),
            1 => String::new(),
            2 => format!("{line}{sign} new\n"),
            _ => line.to_owned(),
        };
        base.split_inclusive('\n').zip(marks).map(line).collect()
    }

    proptest! {
        #[test]
        fn untouched_splices_are_where_rebase_strict_puts_them((base, mine, yours) in changed()) {
            let (wanted, now) = (marked(&base, &mine, "mine"), marked(&base, &yours, "yours"));
            let drift = Plan::between(&base, &now, Deadline::NONE);
            let hunks = by_line(&base, &wanted);
            for (hunk, place) in hunks.iter().zip(drift.map_splices(&hunks)) {
                let alone = Plan::new(base.len(), vec![hunk.clone()]).unwrap();
                let rebased = alone.rebase_strict(&drift);
                prop_assert_eq!(rebased.is_none(), place.touched);
                prop_assert!(place.range.start <= place.range.end && place.range.end <= now.len());
                let over = alone.over(&drift, &base);
                if let Some(rebased) = rebased {
                    prop_assert_eq!(&rebased.splices()[0].range, &place.range);
                    prop_assert_eq!(&over, &rebased);
                }
                prop_assert!(over.apply(&now).contains(&hunk.text));
            }
            let plan = Plan::new(base.len(), hunks).unwrap();
            let both = plan.over(&drift, &base).apply(&now);
            if let Some(rebased) = plan.rebase_strict(&drift) {
                prop_assert_eq!(both, rebased.apply(&now));
            } else {
                for line in wanted.lines().filter(|line| line.starts_with("mine")) {
                    prop_assert!(both.contains(line), "{both:?} lacks {line}");
                }
            }
        }

        #[test]
        fn rebasing_onto_an_empty_plan_changes_nothing((base, mine, _) in changed()) {
            let plan = Plan::between(&base, &marked(&base, &mine, "mine"), Deadline::NONE);
            prop_assert_eq!(plan.over(&Plan::empty(base.len()), &base), plan);
        }
    }
}
