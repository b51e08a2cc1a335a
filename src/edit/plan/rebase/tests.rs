use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::{Deadline, Labels, diff_texts};

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
    assert_eq!(plan.rebase_overwriting(&drift, base).apply(now), expected);
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
    assert_eq!(plan.rebase_overwriting(&drift, &base).apply(""), wanted);
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
            let over = alone.rebase_overwriting(&drift, &base);
            if let Some(rebased) = rebased {
                prop_assert_eq!(&rebased.splices()[0].range, &place.range);
                prop_assert_eq!(&over, &rebased);
            }
            prop_assert!(over.apply(&now).contains(&hunk.text));
        }
        let plan = Plan::new(base.len(), hunks).unwrap();
        let both = plan.rebase_overwriting(&drift, &base).apply(&now);
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
        prop_assert_eq!(plan.rebase_overwriting(&Plan::empty(base.len()), &base), plan);
    }
}

fn undo(old: &str, new: &str) -> UndoPlan {
    let plan = Plan::between(old, new, Deadline::NONE);
    UndoPlan::of(&plan, old, &Text::from(new))
}

#[test]
fn a_change_is_found_by_its_context() {
    let undo = undo("one\ntwo\nthree\nfour\n", "one\n2\nthree\nfour\n");
    assert_eq!((undo.spots[0].line, undo.spots[0].before.as_str()), (0, "one\n"));
    let moved = "zero\none\n2\nthree\nfour\nfive\n";
    assert_eq!(undo.found_in(moved).unwrap().apply(moved), "zero\none\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn a_change_with_two_matches_or_none_is_not_found() {
    let undo = undo("one\ntwo\nthree\n", "one\n2\nthree\n");
    for text in ["one\n2\nthree\none\n2\nthree\n", "one\n2!\nthree\n", "one\n2\n", ""] {
        assert_eq!(undo.found_in(text), None, "{text:?}");
    }
    // Overlapping matches count as two.
    let undo = undo_of_repeated_lines();
    assert_eq!(undo.found_in("a\nb\na\nb\na\nb\na\n"), None);
}

fn undo_of_repeated_lines() -> UndoPlan {
    undo("a\nb\na\n", "a\nb\na\nb\na\n")
}

#[test]
fn a_change_without_context_is_not_found() {
    assert_eq!(undo("old", "new").found_in("new"), None);
    assert_eq!(undo("\n\nold\n", "\n\nnew\n").found_in("new\n\n\nnew\n\n"), None);
}

#[test]
fn changes_must_be_in_their_original_order() {
    let lines = |names: [&str; 2]| format!("{}\nx\ny\nz\nu\nv\n{}\n", names[0], names[1]);
    let undo = undo(&lines(["a", "b"]), &lines(["A", "B"]));
    assert_eq!(undo.spots.len(), 2);
    assert_eq!(undo.found_in("u\nv\nB\nA\nx\ny\n"), None);
}

#[test]
fn long_lines_are_cut_at_whole_characters() {
    let long = "é".repeat(1000);
    let (old, new) = (format!("{long}old{long}\n"), format!("{long}new{long}\n"));
    let undo = undo(&old, &new);
    let spot = &undo.spots[0];
    assert!(spot.before.len() <= CONTEXT_BYTES && spot.before.len() > CONTEXT_BYTES - 4);
    assert!(spot.after.len() <= CONTEXT_BYTES && spot.after.len() > CONTEXT_BYTES - 4);
    let now = format!("before\n{new}");
    assert_eq!(undo.found_in(&now).unwrap().apply(&now), format!("before\n{old}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn undoing_restores_the_old_text(old in "[ab\r\né]{0,30}", new in "[ab\r\né]{0,30}") {
        let undo = undo(&old, &new);
        prop_assert_eq!(undo.carried(&[]).unwrap().apply(&new), old.as_str());
        if let Some(found) = undo.found_in(&new) {
            prop_assert_eq!(found.apply(&new), old);
        }
    }

    #[test]
    fn later_changes_elsewhere_are_kept(
        lines in prop::collection::vec("[a-c]{0,3}", 3..12), changed in any::<prop::sample::Index>(),
        later in any::<prop::sample::Index>(),
    ) {
        let (changed, later) = (changed.index(lines.len()), later.index(lines.len()));
        prop_assume!(changed.abs_diff(later) > 1);
        let with = |marks: &[(usize, &str)]| -> String {
            let line = |(at, line): (usize, &String)| {
                let mark = marks.iter().find(|(marked, _)| *marked == at).map_or("", |(_, mark)| mark);
                format!("{line}{mark}\n")
            };
            lines.iter().enumerate().map(line).collect()
        };
        let (old, new) = (with(&[]), with(&[(changed, "+")]));
        let now = with(&[(changed, "+"), (later, "-")]);
        let expected = with(&[(later, "-")]);
        let undo = undo(&old, &new);
        let drift = Plan::between(&new, &now, Deadline::NONE);
        prop_assert_eq!(undo.carried(&[drift]).unwrap().apply(&now), expected.as_str());
        // Its context may or may not be found, but the result is never another text.
        if let Some(found) = undo.found_in(&now) {
            prop_assert_eq!(found.apply(&now), expected);
        }
    }
}
