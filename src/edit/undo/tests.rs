use super::*;
use crate::edit::Deadline;
use proptest::prelude::*;

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
