//! Anchors: the constraints of patches on a location.

use rstest::rstest;

use super::*;
use crate::Anchor;

const CLASSES: &str = "class A:\n    def run(self):\n        x = 1\n        return x\n\n    def stop(self):\n        x = 1\n        return x\n\n\nclass B:\n    def run(self):\n        x = 1\n        return x\n";

fn under(lines: &[&str]) -> Anchor {
    Anchor { under: lines.iter().map(|&line| line.to_owned()).collect(), ..Anchor::default() }
}

fn at_end() -> Anchor {
    Anchor { at_end: true, ..Anchor::default() }
}

fn anchored(base: &str, (old, new): (&str, &str), anchor: Anchor) -> Result<String, EditRefusalKind> {
    let edit = Edit { anchor, ..Edit::new(old, new) };
    apply(base, &[edit]).map(|found| found.0).map_err(|mut refused| refused.remove(0).kind)
}

/// Returns the classes with the `n`th `x = 1` (from 0) changed.
fn changed(n: usize) -> String {
    let mut pieces: Vec<_> = CLASSES.split("x = 1").collect();
    let tail = pieces.split_off(n + 1);
    [pieces.join("x = 1"), tail.join("x = 1")].join("x = 2")
}

#[rstest]
#[case::class_and_function(&["class A:", "def run(self):"], 0)]
#[case::the_second_function(&["def stop(self):"], 1)]
#[case::another_class(&["class B:"], 2)]
#[case::the_beginning_of_a_line(&["class B", "def run"], 2)]
#[case::a_mark_at_the_end(&["def stop(self): @@"], 1)]
#[case::indented_as_in_the_file(&["class B:", "    def run(self):"], 2)]
fn context_lines_narrow_the_search(#[case] lines: &[&str], #[case] expected: usize) {
    let edit = ("        x = 1\n", "        x = 2\n");
    assert_eq!(anchored(CLASSES, edit, under(lines)).unwrap(), changed(expected));
}

#[test]
fn context_lines_that_leave_several_places_are_ambiguous() {
    for lines in [&["class A:"][..], &["def run(self):"]] {
        let refused = anchored(CLASSES, ("x = 1", "x = 2"), under(lines)).unwrap_err();
        assert!(matches!(refused, EditRefusalKind::Ambiguous { .. }), "{refused:?}");
    }
}

#[rstest]
#[case::nowhere(&["class C:"])]
#[case::not_after_the_one_before(&["class B:", "def stop(self):"])]
fn context_lines_have_to_be_found(#[case] lines: &[&str]) {
    let refused = anchored(CLASSES, ("x = 1", "x = 2"), under(lines)).unwrap_err();
    let EditRefusalKind::MissingContext { context, .. } = refused else { panic!("{refused:?}") };
    assert_eq!(context, *lines.last().unwrap());
}

#[test]
fn a_match_above_its_context_line_is_not_found() {
    let refused = anchored("a\nb\nc\n", ("a\n", "x\n"), under(&["b"])).unwrap_err();
    let EditRefusalKind::NotFound { closest, .. } = refused else { panic!("{refused:?}") };
    assert!(closest[0].reason.contains("require another location"), "{closest:?}");
}

#[rstest]
#[case::between("a\nb\nc\n", "b", "x\n", "a\nb\nx\nc\n")]
#[case::without_line_ending("a\nb\nc\n", "b", "x", "a\nb\nx\nc\n")]
#[case::crlf("a\r\nb\r\nc\r\n", "a", "x\ny\n", "a\r\nx\r\ny\r\nb\r\nc\r\n")]
#[case::after_the_last_line("a\nb\n", "b", "x\n", "a\nb\nx\n")]
#[case::after_a_last_line_without_ending("a\nb", "b", "x\n", "a\nb\nx")]
fn added_lines_go_after_the_context(
    #[case] base: &str,
    #[case] context: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    assert_eq!(anchored(base, ("", new), under(&[context])).unwrap(), expected);
}

#[test]
fn added_lines_with_several_contexts_are_ambiguous() {
    let refused = anchored(CLASSES, ("", "    y = 1\n"), under(&["def run(self):"])).unwrap_err();
    assert!(matches!(refused, EditRefusalKind::Ambiguous { .. }), "{refused:?}");
}

#[rstest]
#[case::ended("a\n", "b\n", "a\nb\n")]
#[case::open("a", "b\n", "a\nb")]
#[case::crlf("a\r\n", "b\nc\n", "a\r\nb\r\nc\r\n")]
#[case::empty("", "b\n", "b\n")]
fn added_lines_go_to_the_end(#[case] base: &str, #[case] new: &str, #[case] expected: &str) {
    assert_eq!(anchored(base, ("", new), at_end()).unwrap(), expected);
}

#[test]
fn the_end_of_file_decides_between_matches() {
    assert_eq!(anchored("a\nb\na\n", ("a\n", "x\n"), at_end()).unwrap(), "a\nb\nx\n");
    assert_eq!(anchored("a\nb\na", ("a", "x"), at_end()).unwrap(), "a\nb\nx");
    let refused = anchored("a\nb\n", ("a\n", "x\n"), at_end()).unwrap_err();
    assert!(matches!(refused, EditRefusalKind::NotFound { .. }), "{refused:?}");
}

#[test]
fn a_line_number_decides_between_exact_matches_only() {
    let line = |line| Anchor { line: Some(line), ..Anchor::default() };
    assert_eq!(anchored("a\nb\na\n", ("a\n", "x\n"), line(3)).unwrap(), "a\nb\nx\n");
    assert_eq!(anchored("a\nb\n", ("b\n", "x\n"), line(17)).unwrap(), "a\nx\n");
    for (base, number) in [("a\nb\na\n", 2), ("a \nb\na\t\n", 3)] {
        let refused = anchored(base, ("a\n", "x\n"), line(number)).unwrap_err();
        assert!(matches!(refused, EditRefusalKind::Ambiguous { .. }), "{refused:?}");
    }
}

#[rstest]
#[case::the_end_of_another_line("ab\nb\n", ("b\n", "x\n"), "ab\nx\n")]
#[case::an_indented_line("if a:\n    b\n", ("b\n", "c\nd\n"), "if a:\n    c\n    d\n")]
#[case::empty_lines("a\n\nb\n", ("\n", ""), "a\nb\n")]
#[case::after_carriage_returns("ab\rb\r", ("b\n", "x\n"), "ab\rx\r")]
#[case::trailing_whitespace("ab  \nb \n", ("b\n", "x\n"), "ab  \nx\n")]
#[case::the_last_line("b", ("b\n", "x\n"), "x")]
fn whole_lines_do_not_begin_within_one(
    #[case] base: &str,
    #[case] edit: (&str, &str),
    #[case] expected: &str,
) {
    let whole_lines = Anchor { whole_lines: true, ..Anchor::default() };
    assert_eq!(anchored(base, edit, whole_lines.clone()).unwrap(), expected);
    let refused = anchored(base, ("if\n", "x\n"), whole_lines).unwrap_err();
    assert!(matches!(refused, EditRefusalKind::NotFound { .. }), "{refused:?}");
}

/// Applies two hunks of a patch, each given as old and new text.
fn hunks(base: &str, hunks: [(&str, &str); 2]) -> Result<String, EditRefusalKind> {
    let whole_lines = || Anchor { whole_lines: true, ..Anchor::default() };
    let edits = hunks.map(|(old, new)| Edit { anchor: whole_lines(), ..Edit::new(old, new) });
    apply(base, &edits).map(|found| found.0).map_err(|mut refused| refused.remove(0).kind)
}

#[rstest]
#[case::at_the_edge([("1\n2\n3\n", "1\nX\n3\n"), ("3\n4\n5\n", "3\nY\n5\n")], "1\nX\n3\nY\n5\n")]
#[case::changed_by_the_other([("1\n2\n3\n", "1\nX\n3\n"), ("2\n3\n4\n", "2\n3\nY\n")], "1\nX\n3\nY\n5\n")]
#[case::one_around_the_other([("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nY\n"), ("2\n", "X\n")], "1\nX\n3\n4\nY\n")]
#[case::additions([("1\n2\n3\n", "1\nX\n2\n3\n"), ("2\n3\n4\n", "2\n3\nY\n4\n")], "1\nX\n2\n3\nY\n4\n5\n")]
#[case::deletion([("1\n2\n3\n", "1\n3\n"), ("3\n4\n", "3\nY\n4\n")], "1\n3\nY\n4\n5\n")]
fn hunks_may_share_context(#[case] both: [(&str, &str); 2], #[case] expected: &str) {
    assert_eq!(hunks("1\n2\n3\n4\n5\n", both).unwrap(), expected);
    let [one, other] = both;
    assert_eq!(hunks("1\n2\n3\n4\n5\n", [other, one]).unwrap(), expected);
}

#[rstest]
#[case::the_same_line([("1\n2\n", "1\nX\n"), ("2\n3\n", "Y\n3\n")])]
#[case::additions_at_one_point([("1\n2\n", "1\nX\n2\n"), ("1\n2\n3\n", "1\nY\n2\n3\n")])]
#[case::addition_after_a_removed_line([("1\n2\n", "1\n"), ("2\n3\n", "2\nY\n3\n")])]
fn hunks_may_not_overlap_in_changed_lines(#[case] both: [(&str, &str); 2]) {
    let refused = hunks("1\n2\n3\n", both).unwrap_err();
    let in_the_way =
        matches!(refused, EditRefusalKind::Overlap { .. } | EditRefusalKind::Contradiction { .. });
    assert!(in_the_way, "{refused:?}");
}

#[test]
fn frequent_context_lines_are_cheap() {
    // Trying every pair of lines would take too long.
    let base: String =
        (0..20_000).flat_map(|number| ["f".to_owned(), number.to_string(), " {\n}\n".to_owned()]).collect();
    let base = base + "end\n";
    assert!(anchored(&base, ("end\n", "fin\n"), under(&["}", "}", "}"])).unwrap().ends_with("}\nfin\n"));
    let refused = anchored(&base, ("", "new\n"), under(&["}"])).unwrap_err();
    assert!(matches!(refused, EditRefusalKind::Ambiguous { .. }), "{refused:?}");
}
