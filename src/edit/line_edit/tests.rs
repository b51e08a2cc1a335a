mod slips;

use proptest::prelude::*;

use super::*;
use crate::{EditRefusal, EditRefusalKind};
use editd_text::lines;

pub(super) fn at(lines: &str, new: Option<&str>) -> LineEdit {
    let place = match lines.split_once(' ') {
        Some(("after", line)) => LinePlace::After(line.parse().unwrap()),
        Some(("before", line)) => LinePlace::Before(line.parse().unwrap()),
        _ => LinePlace::Lines(parse_range(lines).unwrap()),
    };
    LineEdit { place, new: new.map(str::to_owned), first: None, last: None, origin: LineOrigin::Written }
}

/// Applies edits, given as places and new lines. Returns the result and all warnings.
pub(super) fn edited(base: &str, edits: Vec<LineEdit>) -> Result<(String, Vec<String>), Vec<EditRefusal>> {
    let located = locate(base, edits.into_iter().enumerate().collect())?;
    let plan = plan_lines(base, &located, Vec::new()).expect("a plan");
    let warnings = located.into_iter().flat_map(|located| located.warnings).collect();
    Ok((plan.apply(base), warnings))
}

fn result(base: &str, edits: &[(&str, Option<&str>)]) -> String {
    edited(base, edits.iter().map(|(lines, new)| at(lines, *new)).collect()).expect("a result").0
}

#[test]
fn lines_are_replaced_inserted_and_deleted() {
    let base = "one\ntwo\nthree\n";
    assert_eq!(result(base, &[("2", Some("2"))]), "one\n2\nthree\n");
    assert_eq!(result(base, &[("2", Some("2\n"))]), "one\n2\nthree\n");
    assert_eq!(result(base, &[("2-3", Some("2\n\n"))]), "one\n2\n\n");
    assert_eq!(result(base, &[("1-2", None)]), "three\n");
    assert_eq!(result(base, &[("1-2", Some(""))]), "three\n");
    assert_eq!(result(base, &[("after 0", Some("0"))]), "0\none\ntwo\nthree\n");
    assert_eq!(result(base, &[("before 1", Some("0"))]), "0\none\ntwo\nthree\n");
    assert_eq!(result(base, &[("after 3", Some("4"))]), "one\ntwo\nthree\n4\n");
    assert_eq!(result(base, &[("after 1", Some("\n"))]), "one\n\ntwo\nthree\n");
    assert_eq!(result("", &[("after 0", Some("a"))]), "a");
    assert_eq!(result("", &[("before 1", Some("a\n"))]), "a\n");
}

#[test]
fn all_numbers_refer_to_the_text_before_the_call() {
    let base = "one\ntwo\nthree\nfour\n";
    let edits = [("4", Some("4")), ("1", None), ("after 2", Some("2a")), ("before 3", Some("2b"))];
    assert_eq!(result(base, &edits), "two\n2a\n2b\nthree\n4\n");
    assert_eq!(result(base, &[("2", Some("2")), ("after 2", Some("2a"))]), "one\n2\n2a\nthree\nfour\n");
    assert_eq!(
        result(base, &[("after 1", Some("a")), ("after 1", Some("b"))]),
        "one\na\nb\ntwo\nthree\nfour\n"
    );
}

#[test]
fn a_missing_final_line_ending_stays_missing() {
    let base = "one\ntwo\nthree";
    assert_eq!(result(base, &[("3", Some("3\n"))]), "one\ntwo\n3");
    assert_eq!(result(base, &[("3", None)]), "one\ntwo");
    assert_eq!(result(base, &[("after 3", Some("4\n"))]), "one\ntwo\nthree\n4");
    assert_eq!(result(base, &[("2", Some("2")), ("3", None)]), "one\n2");
    assert_eq!(result(base, &[("3", None), ("after 2", Some("x"))]), "one\ntwo\nx");
    assert_eq!(result(base, &[("1-3", None)]), "");
    assert_eq!(result(base, &[("2", None), ("3", None)]), "one");
    assert_eq!(result("one\r\ntwo", &[("after 2", Some("3\n4"))]), "one\r\ntwo\r\n3\r\n4");
}

#[test]
fn line_endings_follow_the_neighbors() {
    assert_eq!(result("a\r\nb\r\n", &[("1", Some("x\ny"))]), "x\r\ny\r\nb\r\n");
    assert_eq!(result("a\r\nb\nc\n", &[("after 2", Some("x\r\ny"))]), "a\r\nb\nx\ny\nc\n");
    assert_eq!(result("a\rb\r", &[("2", Some("x\ny\n"))]), "a\rx\ry\r");
    assert_eq!(result("a\nb\r\nc", &[("after 3", Some("x\ny\n"))]), "a\nb\r\nc\r\nx\r\ny");
}

#[test]
fn lines_that_do_not_exist_are_refused() {
    let base = "one\ntwo\n";
    for (place, line) in [("3", 3), ("2-3", 3), ("after 3", 3), ("before 3", 3), ("before 0", 0)] {
        let refusal = LineRefusal::NoSuchLine { line, total: 2 };
        assert_eq!(refused(base, &[place]), [(0, EditRefusalKind::Lines(refusal))], "{place}");
    }
}

#[test]
fn overlapping_lines_are_refused() {
    let base = "1\n2\n3\n4\n5\n";
    let range = |start, end| LineRange { start, end };
    let overlap =
        |other_edit, lines, other_lines| EditRefusalKind::Overlap { other_edit, lines, other_lines };
    assert_eq!(refused(base, &["1-3", "3-4"]), [(1, overlap(0, range(3, 4), range(1, 3)))]);
    assert_eq!(refused(base, &["3", "3"]), [(1, overlap(0, range(3, 3), range(3, 3)))]);
    assert_eq!(refused(base, &["after 2", "2-3"]), [(1, overlap(0, range(2, 3), range(2, 2)))]);
    assert_eq!(
        refused(base, &["1-5", "2", "4"]),
        [(1, overlap(0, range(2, 2), range(1, 5))), (2, overlap(0, range(4, 4), range(1, 5)))]
    );
}

fn refused(base: &str, places: &[&str]) -> Vec<(usize, EditRefusalKind)> {
    let edits = places.iter().map(|place| at(place, Some("x"))).collect();
    edited(base, edits)
        .expect_err("a refusal")
        .into_iter()
        .map(|refusal| (refusal.edit, refusal.kind))
        .collect()
}

/// Returns the numbers that lines of `old` have in `new`.
fn carried(old: &str, new: &str, lines: &str) -> Option<String> {
    let range = parse_range(lines).unwrap();
    let LineRange { start, end } = LineMap::between(old, new).get(range)?;
    Some(format!("{start}-{end}"))
}

#[test]
fn lines_are_carried_past_changes_elsewhere() {
    let old = "a\nb\nc\nd\n";
    assert_eq!(carried(old, old, "2-3").as_deref(), Some("2-3"));
    assert_eq!(carried(old, "x\na\nb\nc\nd\n", "2-3").as_deref(), Some("3-4"));
    assert_eq!(carried(old, "b\nc\nd\n", "2-3").as_deref(), Some("1-2"));
    assert_eq!(carried(old, "a\nb\nc\nd2\n", "2-3").as_deref(), Some("2-3"));
    assert_eq!(carried(old, "a\r\nb\r\nc\r\nd\r\n", "2-3").as_deref(), Some("2-3"));
}

#[test]
fn changed_and_divided_lines_are_not_carried() {
    let old = "a\nb\nc\nd\n";
    assert_eq!(carried(old, "a\nB\nc\nd\n", "2-3"), None);
    assert_eq!(carried(old, "a\nb\nnew\nc\nd\n", "2-3"), None);
    assert_eq!(carried(old, "a\nd\n", "2-3"), None);
    assert_eq!(carried(old, "", "2-3"), None);
    assert_eq!(carried(old, "a\nb\nc\nd\n", "4-5"), None);
}

#[test]
fn repeated_lines_are_not_carried() {
    // One of two equal blocks was removed, or added.
    let (one, two) = ("f {\nx\n}\n", "f {\nx\n}\nf {\nx\n}\n");
    for lines in ["2", "5"] {
        assert_eq!(carried(two, one, lines), None, "{lines}");
    }
    assert_eq!(carried(one, two, "2"), None);
    // It is not known which of two equal lines was removed, nor which is new.
    let (old, new) = ("head\nx\nx\ntail\n", "head\nx\ntail\n");
    assert_eq!(carried(old, new, "1").as_deref(), Some("1-1"));
    assert_eq!(carried(old, new, "2"), None);
    assert_eq!(carried(old, new, "3"), None);
    assert_eq!(carried(old, new, "4").as_deref(), Some("3-3"));
    assert_eq!(carried("b\n}\n}\n", "b\n}\n}\n}\na\n", "2"), None);
}

#[test]
fn moved_blocks_are_carried_and_lone_lines_are_not() {
    let (old, new) = ("f {\na\n}\ng {\nb\n}\n", "g {\nb\n}\nf {\na\n}\n");
    assert_eq!(carried(old, new, "2").as_deref(), Some("5-5"));
    assert_eq!(carried(old, new, "1-2").as_deref(), Some("4-5"));
    // The same text may have been written anew in another place.
    let (old, new) = ("f {\nreturn\n}\ng {\nb\n}\n", "f {\n}\ng {\nreturn\nc\n}\n");
    assert_eq!(carried(old, new, "2"), None);
}

#[test]
fn a_line_between_blank_lines_is_proved_by_the_next_other_line() {
    let old = "a\n\nx\n\nb\n";
    assert_eq!(carried(old, "new\nA\n\nx\n\nb\n", "3").as_deref(), Some("4-4"));
    assert_eq!(carried(old, "new\na\n\nx\n\nB\n", "3").as_deref(), Some("4-4"));
    assert_eq!(carried(old, "new\nA\n\nx\n\nB\n", "3"), None);
    assert_eq!(carried("x\n\n", "new\nx\n\n", "1").as_deref(), Some("2-2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// After a change, a line is carried to itself, never to another line with the same text.
    #[test]
    fn carried_lines_are_the_same_lines(
        old in prop::collection::vec("[abc} ]", 1..12),
        (at, removed, added) in (0_usize..12, 0_usize..4, prop::collection::vec("[abc} ]", 0..4)),
    ) {
        let (mut now, mut identities) = (old.clone(), (0..old.len()).map(Some).collect::<Vec<_>>());
        let at = at.min(old.len());
        let end = (at + removed).min(old.len());
        identities.splice(at..end, added.iter().map(|_| None));
        now.splice(at..end, added);
        let text = |lines: &[String]| lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>();
        let map = LineMap::between(&text(&old), &text(&now));
        for line in 1..=old.len() {
            if let Some(moved) = map.get(LineRange { start: line, end: line }) {
                prop_assert_eq!(&now[moved.start - 1], &old[line - 1]);
                let identity = identities[moved.start - 1];
                let is_same = identity.is_none_or(|identity| identity == line - 1);
                prop_assert!(is_same || now == old, "{line} of {old:?} in {now:?}");
            }
        }
    }

    /// Every line outside the edits stays as it is, and the new lines stand at the place.
    #[test]
    fn other_lines_stay(
        base in prop::collection::vec("[ab ]{0,3}", 0..8),
        ended in any::<bool>(),
        place in (any::<prop::sample::Index>(), 0_usize..4), new in prop::collection::vec("[xy]{1,3}", 0..3),
    ) {
        let mut text = base.join("\n");
        if ended && !text.is_empty() {
            text.push('\n');
        }
        let total = lines(&text).count();
        let (start, len) = (place.0.index(total + 1), place.1);
        let len = if start == 0 { 0 } else { len.min(total + 1 - start) };
        let place = if len == 0 { LinePlace::After(start) } else {
            LinePlace::Lines(LineRange { start, end: start + len - 1 })
        };
        let edit = LineEdit::of_moved(place, new.join("\n"), Vec::new());
        let (result, _) = edited(&text, vec![edit]).unwrap();
        let kept = if len == 0 { start } else { start - 1 };
        let expected: Vec<&str> = lines(&text).take(kept).map(|line| line.content)
            .chain(new.iter().map(String::as_str))
            .chain(lines(&text).skip(kept + len).map(|line| line.content)).collect();
        let actual: Vec<&str> = lines(&result).map(|line| line.content).collect();
        prop_assert_eq!(&actual, &expected);
        let empty_end = expected.last().is_none_or(|line| line.is_empty());
        prop_assert!(empty_end || text.is_empty() || result.ends_with('\n') == text.ends_with('\n'));
    }
}
