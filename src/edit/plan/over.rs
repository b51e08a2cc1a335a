//! A plan over a text that has changed since it was made.

use std::ops::Range;

use super::{Plan, Shift, Splice};

/// Where a splice of a base is in a text that was made of that base since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Bytes of the newer text; about the right ones where the splice was touched. They may cut a character
    /// then.
    pub range: Range<usize>,
    /// Whether what happened since touches it, so that it is not sure to mean what it meant.
    pub touched: bool,
}

impl Plan {
    /// This plan over the result of `earlier`, both made for `base`. Where the two share bytes this one wins:
    /// the whole stretch that the two changed there becomes what this plan alone makes of it. Where they only
    /// touch, both stay, the earlier one's insertion in front.
    ///
    /// Where [`map_through`](Self::map_through) gives a plan, it is this one.
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
                if let Some(met) = other.next_if(|other| share(&other.range, &range)) {
                    shift.pass(met);
                    range = range.start.min(met.range.start)..range.end.max(met.range.end);
                } else if let Some(next) = own.next_if(|next| share(&next.range, &range)) {
                    range.end = range.end.max(next.range.end);
                    members.push(next);
                } else {
                    break;
                }
            }
            let text = with(base, &range, &members);
            splices.push(Splice { range: before.apply(range.start)..shift.apply(range.end), text });
        }
        Self::new(earlier.result_len(), splices).unwrap_or_else(|_| Self::empty(earlier.result_len()))
    }

    /// Where each of these splices of this plan's base is in its result. They are sorted and disjoint, as
    /// [`by_hunk`](Self::by_hunk) gives them.
    pub fn places_of(&self, splices: &[Splice]) -> Vec<Moved> {
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
            let behind = self.splices.partition_point(|other| other.range.start < end.max(start));
            // A splice that only touches the start lies before; one of the same place that inserts does too.
            let touches = |other: &Splice| other.range.start <= end && other.range.end >= start;
            let near = first.saturating_sub(1)..(behind + 1).min(self.splices.len());
            let from = self.place_in(&shifts, first, start);
            let to = if start == end { from } else { self.place_in(&shifts, behind, end).max(from) };
            Moved { range: from..to, touched: self.splices[near].iter().any(touches) }
        };
        splices.iter().map(place).collect()
    }

    /// Where an offset of the base is in the result; `behind` is how many splices lie before it.
    fn place_in(&self, shifts: &[Shift], behind: usize, offset: usize) -> usize {
        let inside = |splice: &&Splice| splice.range.start < offset && offset < splice.range.end;
        // The one around the offset is either the last of those that begin before it or the next.
        let mut candidates = [behind.checked_sub(1), Some(behind)].into_iter().flatten();
        let around = candidates.find_map(|at| Some((at, self.splices.get(at).filter(inside)?)));
        match around {
            Some((at, splice)) => {
                let start = shifts[at].apply(splice.range.start);
                start + (offset - splice.range.start).min(splice.text.len())
            }
            None => shifts[behind].apply(offset),
        }
    }
}

/// Whether two ranges have bytes in common; an empty one has its place in common with what goes around it.
fn share(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// A range of the base after these splices in it.
fn with(base: &str, range: &Range<usize>, splices: &[&Splice]) -> String {
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
    #[case::taken_away_around("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a\ne\n", "a\nb\nC\nd\ne\n", true)]
    #[case::taken_away("a\nb\nc\n", "a\nB\nc\n", "", "a\nB\nc\n", true)]
    #[case::the_same("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n", true)]
    fn one_side_wins_where_both_changed(
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
        assert_eq!(drift.places_of(&hunks)[0].touched, touched);
    }

    #[test]
    fn one_deletion_over_many_hunks_costs_no_more_than_they_do() {
        let base = lines(40_000);
        let wanted: String = (1..=40_000)
            .map(|n| if n % 20 == 0 { format!("LINE {n}\n") } else { format!("line {n}\n") })
            .collect();
        let hunks = by_line(&base, &wanted);
        assert_eq!(hunks.len(), 2000);
        let drift = Plan::between(&base, "", Deadline::NONE);
        let places = drift.places_of(&hunks);
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

    /// A text whose lines were replaced, removed, or got company, by the marks.
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
        fn untouched_splices_are_where_map_through_has_them((base, mine, yours) in changed()) {
            let (wanted, now) = (marked(&base, &mine, "mine"), marked(&base, &yours, "yours"));
            let drift = Plan::between(&base, &now, Deadline::NONE);
            let hunks = by_line(&base, &wanted);
            for (hunk, place) in hunks.iter().zip(drift.places_of(&hunks)) {
                let alone = Plan::new(base.len(), vec![hunk.clone()]).unwrap();
                let carried = alone.map_through(&drift);
                prop_assert_eq!(carried.is_none(), place.touched);
                prop_assert!(place.range.start <= place.range.end && place.range.end <= now.len());
                let over = alone.over(&drift, &base);
                if let Some(carried) = carried {
                    prop_assert_eq!(&carried.splices()[0].range, &place.range);
                    prop_assert_eq!(&over, &carried);
                }
                prop_assert!(over.apply(&now).contains(&hunk.text));
            }
            let plan = Plan::new(base.len(), hunks).unwrap();
            let both = plan.over(&drift, &base).apply(&now);
            if let Some(carried) = plan.map_through(&drift) {
                prop_assert_eq!(both, carried.apply(&now));
            } else {
                for line in wanted.lines().filter(|line| line.starts_with("mine")) {
                    prop_assert!(both.contains(line), "{both:?} lacks {line}");
                }
            }
        }

        #[test]
        fn nothing_since_changes_nothing((base, mine, _) in changed()) {
            let plan = Plan::between(&base, &marked(&base, &mine, "mine"), Deadline::NONE);
            prop_assert_eq!(plan.over(&Plan::empty(base.len()), &base), plan);
        }
    }
}
