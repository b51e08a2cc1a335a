use super::*;
use crate::edit::Deadline;
use proptest::prelude::*;

fn way(old: &str, new: &str) -> WayBack {
    let plan = Plan::between(old, new, Deadline::NONE);
    WayBack::of(&plan, old, &Text::from(new))
}

#[test]
fn a_place_is_found_by_what_stands_around_it() {
    let way = way("one\ntwo\nthree\nfour\n", "one\n2\nthree\nfour\n");
    assert_eq!((way.spots[0].line, way.spots[0].before.as_str()), (0, "one\n"));
    let moved = "zero\none\n2\nthree\nfour\nfive\n";
    assert_eq!(way.found_in(moved).unwrap().apply(moved), "zero\none\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn a_place_that_stands_twice_or_not_at_all_is_not_found() {
    let way = way("one\ntwo\nthree\n", "one\n2\nthree\n");
    for text in ["one\n2\nthree\none\n2\nthree\n", "one\n2!\nthree\n", "one\n2\n", ""] {
        assert_eq!(way.found_in(text), None, "{text:?}");
    }
    // Overlapping ones are two as well.
    let way = way_of_blanks();
    assert_eq!(way.found_in("a\nb\na\nb\na\nb\na\n"), None);
}

fn way_of_blanks() -> WayBack {
    way("a\nb\na\n", "a\nb\na\nb\na\n")
}

#[test]
fn a_text_without_anything_to_know_it_by_is_not_found() {
    assert_eq!(way("old", "new").found_in("new"), None);
    assert_eq!(way("\n\nold\n", "\n\nnew\n").found_in("new\n\n\nnew\n\n"), None);
}

#[test]
fn places_must_stand_in_their_order() {
    let lines = |names: [&str; 2]| format!("{}\nx\ny\nz\nu\nv\n{}\n", names[0], names[1]);
    let way = way(&lines(["a", "b"]), &lines(["A", "B"]));
    assert_eq!(way.spots.len(), 2);
    assert_eq!(way.found_in("u\nv\nB\nA\nx\ny\n"), None);
}

#[test]
fn long_lines_are_cut_at_whole_characters() {
    let long = "é".repeat(1000);
    let (old, new) = (format!("{long}old{long}\n"), format!("{long}new{long}\n"));
    let way = way(&old, &new);
    let spot = &way.spots[0];
    assert!(spot.before.len() <= CONTEXT_BYTES && spot.before.len() > CONTEXT_BYTES - 4);
    assert!(spot.after.len() <= CONTEXT_BYTES && spot.after.len() > CONTEXT_BYTES - 4);
    let now = format!("before\n{new}");
    assert_eq!(way.found_in(&now).unwrap().apply(&now), format!("before\n{old}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_way_back_leads_back(old in "[ab\r\né]{0,30}", new in "[ab\r\né]{0,30}") {
        let way = way(&old, &new);
        prop_assert_eq!(way.carried(&[]).unwrap().apply(&new), old.as_str());
        if let Some(found) = way.found_in(&new) {
            prop_assert_eq!(found.apply(&new), old);
        }
    }

    #[test]
    fn what_came_later_elsewhere_stays(
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
        let way = way(&old, &new);
        let drift = Plan::between(&new, &now, Deadline::NONE);
        prop_assert_eq!(way.carried(&[drift]).unwrap().apply(&now), expected.as_str());
        // By its surroundings it is found or not, but nothing else is made of it.
        if let Some(found) = way.found_in(&now) {
            prop_assert_eq!(found.apply(&now), expected);
        }
    }
}
