use proptest::prelude::*;

use super::*;
use crate::{Deadline, merge, rewrite};
use editd_text::lines;

fn splice(range: Range<usize>, text: &str) -> Splice {
    Splice { range, text: text.to_owned() }
}

#[test]
fn splices_that_touch_become_one() {
    let plan = Plan::new(9, vec![splice(3..5, "b"), splice(0..3, "a"), splice(7..7, "x"), splice(7..7, "y")]);
    assert_eq!(plan.unwrap().splices(), [splice(0..5, "ab"), splice(7..7, "xy")]);
}

#[test]
fn splices_that_overlap_or_are_out_of_bounds_are_refused() {
    assert_eq!(Plan::new(9, vec![splice(0..3, ""), splice(2..4, "")]), Err(PlanError::Overlap));
    assert_eq!(Plan::new(3, vec![splice(2..4, "")]), Err(PlanError::OutOfBounds));
    assert_eq!(
        Plan::new(3, vec![Splice { range: Range { start: 2, end: 1 }, text: String::new() }]),
        Err(PlanError::OutOfBounds)
    );
    assert!(Plan::new(3, vec![splice(1..1, "")]).unwrap().is_empty());
}

#[test]
fn splices_that_undo_each_other_change_nothing() {
    let base = "a\n\nb\n\nc\n";
    let changes = |splices| Plan::new(base.len(), splices).unwrap().changes(base);
    // The second line and the line after it change places with equal ones.
    assert!(!changes(vec![splice(2..2, "\nb\n"), splice(3..6, "")]));
    assert!(!changes(vec![splice(0..1, "a")]) && !changes(Vec::new()));
    assert!(changes(vec![splice(2..2, "\nb\n"), splice(5..8, "")]));
    assert!(changes(vec![splice(2..2, "\n"), splice(3..6, "")]));
}

#[test]
fn a_plan_is_rebased_unless_the_plans_touch() {
    let plan = Plan::new(9, vec![splice(4..5, "x")]).unwrap();
    let earlier = |range| Plan::new(9, vec![splice(range, "12")]).unwrap();
    assert_eq!(plan.rebase_strict(&earlier(0..1)).unwrap().splices(), [splice(5..6, "x")]);
    assert_eq!(plan.rebase_strict(&earlier(6..9)).unwrap().splices(), [splice(4..5, "x")]);
    for touching in [3..4, 4..5, 5..6, 0..9, 4..4, 5..5] {
        assert_eq!(plan.rebase_strict(&earlier(touching)), None);
    }
}

#[test]
fn a_difference_is_minimal() {
    let between = |old, new| Plan::between(old, new, Deadline::NONE).splices().to_vec();
    assert_eq!(between("a\nbcd\ne\n", "a\nbxd\ne\n"), [splice(3..4, "x")]);
    assert_eq!(between("a\r\nb", "a\nb"), [splice(1..3, "\n")]);
    assert_eq!(between("é\n", "è\n"), [splice(0..2, "è")]);
    assert_eq!(between("a\nb\n", "a\nx\nb\n"), [splice(2..2, "x\n")]);
}

#[test]
fn a_rewrite_keeps_the_line_endings_of_the_file() {
    let rewritten = |base: &str, content| rewrite(base, content, false, Deadline::NONE).unwrap().apply(base);
    assert_eq!(rewritten("a\r\nb\r\n", "a\nx\ny\n"), "a\r\nx\r\ny\r\n");
    assert_eq!(rewritten("a\r\nb\nc\r\n", "a\nx\nb\nc\n"), "a\r\nx\r\nb\nc\r\n");
    assert_eq!(rewritten("a\r\nb\n", "a\r\nb\r\n"), "a\r\nb\r\n");
    assert_eq!(rewritten("a\r\nb", "a\nb\n"), "a\r\nb\r\n");
    assert_eq!(rewritten("a\r\nb\r\n", "a\nb"), "a\r\nb");
    assert_eq!(rewritten("", "a\nb"), "a\nb");
    assert_eq!(rewritten("a\r\n", ""), "");
    assert_eq!(rewrite("a\r\n", "a\n", true, Deadline::NONE).unwrap().apply("a\r\n"), "a\n");
}

#[test]
fn changes_of_different_lines_are_merged() {
    assert_eq!(merge("a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n"), Ok("x\nb\ny\n".to_owned()));
    let crate::MergeError::Conflicts(regions) = merge("a\nb\n", "a\nx\n", "a\ny\n").unwrap_err() else {
        panic!("a conflict of two lines")
    };
    assert_eq!((&*regions[0].base, &*regions[0].ours, &*regions[0].theirs), ("b\n", "x\n", "y\n"));
    assert_eq!((regions[0].base_line, regions[0].ours_line, regions[0].theirs_line), (2, 2, 2));
}

fn plans() -> impl Strategy<Value = (String, Plan)> {
    let splices = proptest::collection::vec((0..20_usize, 0..4_usize, "[xé\n\r]{0,3}"), 0..5);
    ("[abé\r\n]{0,20}", splices).prop_map(|(base, wanted)| {
        let mut at = 0;
        let mut splices = Vec::new();
        for (skip, length, text) in wanted {
            let round =
                |at: usize| (0..=at.min(base.len())).rev().find(|&at| base.is_char_boundary(at)).unwrap();
            let start = round(at + skip % 5).max(at);
            let end = round(start + length).max(start);
            splices.push(Splice { range: start..end, text });
            at = end;
        }
        let plan = Plan::new(base.len(), splices).unwrap();
        (base, plan)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn applying_replaces_every_splice((base, plan) in plans()) {
        let mut expected = base.clone();
        for splice in plan.splices().iter().rev() {
            expected.replace_range(splice.range.clone(), &splice.text);
        }
        prop_assert_eq!(&plan.apply(&base), &expected);
        prop_assert_eq!(plan.result_len(), expected.len());
        let mut text = Text::from(&*base);
        plan.apply_to(&mut text);
        prop_assert!(text.eq_str(&expected));
        prop_assert_eq!(plan.invert(&base).apply(&expected), base);
    }

    #[test]
    fn a_composed_plan_equals_both_plans_in_sequence((base, first) in plans(), last in "[abé\r\n]{0,24}") {
        let middle = first.apply(&base);
        let second = Plan::between(&middle, &last, Deadline::NONE);
        let both = first.then(&second);
        prop_assert!(both.fits(&base));
        prop_assert_eq!(both.apply(&base), last);
        prop_assert_eq!(Plan::new(both.base_len(), both.splices().to_vec()), Ok(both));
    }

    #[test]
    fn a_rebased_plan_keeps_both_changes((base, plan) in plans(), cut in 0..20_usize) {
        let part = |keep: &dyn Fn(&Splice) -> bool| {
            let splices = plan.splices().iter().filter(|splice| keep(splice)).cloned().collect();
            Plan::new(plan.base_len(), splices).expect("a part of a plan is one")
        };
        let first = part(&|splice| splice.range.start < cut);
        let second = part(&|splice| splice.range.start >= cut);
        let Some(rebased) = second.rebase_strict(&first) else { return Ok(()) };
        prop_assert_eq!(rebased.apply(&first.apply(&base)), plan.apply(&base));
    }

    #[test]
    fn the_difference_of_two_texts_turns_one_into_the_other(
        old in "[abé\r\n]{0,24}", new in "[abé\r\n]{0,24}",
    ) {
        let plan = Plan::between(&old, &new, Deadline::NONE);
        prop_assert!(plan.fits(&old));
        prop_assert_eq!(plan.apply(&old), &*new);
        for splice in plan.splices() {
            for at in [splice.range.start, splice.range.end] {
                prop_assert!(!(old[..at].ends_with('\r') && old[at..].starts_with('\n')), "a CRLF is cut");
            }
        }
    }

    #[test]
    fn a_rewrite_has_the_lines_of_the_content(base in "[ab\r\n]{0,24}", content in "[ab\n]{0,24}") {
        let result = rewrite(&base, &content, false, Deadline::NONE).unwrap().apply(&base);
        let plain: String = lines(&result)
            .flat_map(|line| [line.content, if line.ending.as_str().is_empty() { "" } else { "\n" }])
            .collect();
        prop_assert_eq!(&plain, &content);
        prop_assert_eq!(rewrite(&base, &content, true, Deadline::NONE).unwrap().apply(&base), content);
    }

    #[test]
    fn merging_separate_changes_equals_rebasing(
        lines in proptest::collection::vec("[a-e]{2}", 6..12), first in 0..3_usize, second in 0..3_usize,
    ) {
        let base = lines.iter().enumerate().map(|(at, line)| format!("{at:02}{line}\n")).collect::<Vec<_>>().concat();
        let change = |at: usize| Plan::between(&base, &base.replace(&format!("{at:02}{}", lines[at]), "changed"), Deadline::NONE);
        let (ours, theirs) = (change(first), change(lines.len() - 1 - second));
        prop_assume!(lines.len() - 1 - second > first + 1);
        let both = theirs.rebase_strict(&ours).unwrap().apply(&ours.apply(&base));
        prop_assert_eq!(merge(&base, &ours.apply(&base), &theirs.apply(&base)), Ok(both));
    }
}

#[test]
fn a_plan_is_rebased_next_to_another_but_not_over_it() {
    let splice = |range, text: &str| Splice { range, text: text.to_owned() };
    let base = "one two";
    let plan = Plan::new(base.len(), vec![splice(0..3, "1")]).unwrap();
    for (other, expected) in [
        (splice(0..0, "zero "), Some("zero 1 two")),
        (splice(3..3, "!"), Some("1! two")),
        (splice(3..7, ""), Some("1")),
        (splice(1..1, "x"), None),
        (splice(2..5, ""), None),
    ] {
        let other = Plan::new(base.len(), vec![other]).unwrap();
        let rebased = plan.rebase_adjacent(&other).map(|plan| plan.apply(&other.apply(base)));
        assert_eq!(rebased.as_deref(), expected);
    }
    let insertion = Plan::new(base.len(), vec![splice(3..3, "a")]).unwrap();
    let other = Plan::new(base.len(), vec![splice(3..3, "b")]).unwrap();
    assert_eq!(insertion.rebase_adjacent(&other), None);
}
