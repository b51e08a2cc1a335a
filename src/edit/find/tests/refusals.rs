//! Refusals and their explanations.

use rstest::rstest;

use super::*;
use crate::{Deadline, LineRange};

#[rstest]
#[case::exact("a\na\n", "a")]
#[case::overlapping("aaa\n", "aa")]
#[case::end_of_file_counts("b\nab", "b\n")]
#[case::trailing_blanks("a \nb\nx\na\t\nb\n", "a\nb")]
#[case::typography("“a”\n„a”\n“a”\n", "\"a\"")]
#[case::indentation("\ta()\n\t\ta()\n", "    a()")]
#[case::similar_blocks_at_two_depths(
    "if a:\n\tx = 1\n\ty = 2\nif b:\n\t\tx = 1\n\t\ty = 2\n",
    "  x = 1\n  y = 2\n"
)]
#[case::a_looser_tier_never_breaks_a_tie("a()\n a()\n", "a()")]
fn more_than_one_match_is_ambiguous(#[case] base: &str, #[case] old: &str) {
    let EditRefusalKind::Ambiguous { occurrences } = refusal(base, old, "new") else {
        panic!("{:?}", refusal(base, old, "new"));
    };
    assert!(occurrences.total > 1 && occurrences.listed.len() == occurrences.total);
}

#[rstest]
#[case::anchors_only("fn a() {\n    one();\n    two();\n}\n", "fn a() {\n    three();\n    four();\n}\n")]
#[case::a_long_gap_between_anchors(
    ".a {\n  outline: none;\n}\n.b {\n  color: red;\n}\n/* end */\n",
    "  outline: none;\n/* end */\n"
)]
#[case::an_invented_body(
    "fn a() {\n    if b {\n        c();\n    }\n    d();\n}\n",
    "fn a() {\n    e();\n    }\n"
)]
#[case::a_drifted_value("[x]\nport = 8081\nhost = a\n", "[x]\nport = 8080\nhost = a\n")]
#[case::only_the_first_and_the_last_line("begin\nmiddle\nend\n", "begin\nend\n")]
#[case::a_bracket_too_few("f(\n  g(\n    1\n  )\n)\n", "f(\n  g(\n    1\n)\n)\n)\n")]
#[case::a_surplus_line_in_the_file("a();\nb();\nc();\n", "a();\nc();\n")]
#[case::a_missing_line("a();\nc();\n", "a();\nb();\nc();\n")]
#[case::half_a_character("½ cup\n", "1⁄")]
#[case::half_a_line_with_other_whitespace("foobar\n", "foo ")]
#[case::quotes_of_another_kind("'a'\n", "“a”")]
#[case::whitespace_only_is_literal("a\t\nb\n", "  \n")]
#[case::letter_case("Foo\n", "foo")]
#[case::empty_file("", "a")]
fn absent_text_is_not_found(#[case] base: &str, #[case] old: &str) {
    assert!(
        matches!(refusal(base, old, "new"), EditRefusalKind::NotFound { .. }),
        "{:?}",
        one(base, old, "new")
    );
}

#[test]
fn tolerance_can_be_switched_off() {
    let options = Options { fuzzy: false, ..Options::default() };
    let refused = find("a \nb\n", &[Edit::new("a\nb", "c")], &options).unwrap_err();
    assert!(matches!(refused[0].kind, EditRefusalKind::NotFound { .. }));
}

#[test]
fn a_stricter_tier_is_never_overruled() {
    // One exact match, and looser ones next to it.
    assert_eq!(one("\ta()\n  a();\n“a” \"a\"\n", "  a()", "  b()").0, "\ta()\n  b();\n“a” \"a\"\n");
    assert_eq!(one("“a”\n\"a\"\n", "\"a\"", "c").0, "“a”\nc\n");
}

#[test]
fn new_text_that_the_file_has_counts_as_applied() {
    let kind = refusal("let x = 2;\n", "let x = 1;", "let x = 2;");
    assert!(matches!(kind, EditRefusalKind::NotFound { already_applied: true, .. }));
}

#[test]
fn an_empty_old_text_is_refused() {
    assert_eq!(refusal("a", "", "b"), EditRefusalKind::EmptyOldText);
    assert_eq!(refusal("a", "\u{feff}", "b"), EditRefusalKind::EmptyOldText);
}

#[test]
fn a_change_that_changes_nothing_is_refused_as_a_whole() {
    assert_eq!(refusal("a\n", "a", "a"), EditRefusalKind::NoChange);
    assert_eq!(refusal("“a”\n", "\"a\"", "“a”"), EditRefusalKind::NoChange);
    let (result, matches, warnings) = apply("a\nb\n", &[Edit::new("a", "a"), Edit::new("b", "c")]).unwrap();
    assert_eq!((&*result, matches.len(), warnings.len()), ("a\nc\n", 1, 1));
}

#[test]
fn edits_that_share_bytes_are_refused() {
    let refused = apply("a\nb\nc\n", &[Edit::new("a\nb", "x"), Edit::new("b\nc", "y")]).unwrap_err();
    let lines = |start, end| LineRange { start, end };
    let expected = EditRefusalKind::Overlap { other_edit: 0, lines: lines(2, 3), other_lines: lines(1, 2) };
    assert_eq!(refused, [EditRefusal { edit: 1, kind: expected }]);
}

#[test]
fn edits_that_contradict_each_other_are_refused() {
    let refused = apply("a\nb\n", &[Edit::new("b", "x"), Edit::new("b", "y")]).unwrap_err();
    let lines = LineRange { start: 2, end: 2 };
    assert_eq!(
        refused,
        [EditRefusal { edit: 1, kind: EditRefusalKind::Contradiction { other_edit: 0, lines } }]
    );
}

#[test]
fn a_repeated_edit_is_applied_once() {
    let (result, matches, warnings) = apply("a\nb\n", &[Edit::new("b", "x"), Edit::new("b", "x")]).unwrap();
    assert_eq!((&*result, matches.len(), warnings.len()), ("a\nx\n", 1, 1));
}

#[test]
fn an_edit_of_another_edits_new_text_is_a_dependency() {
    let refused = apply("a\n", &[Edit::new("a", "let b = 1;"), Edit::new("b = 1", "b = 2")]).unwrap_err();
    assert_eq!(refused, [EditRefusal { edit: 1, kind: EditRefusalKind::Dependency { other_edit: 0 } }]);
}

#[test]
fn an_edit_of_another_edits_result_is_a_dependency() {
    let edits = [Edit::new("c", "d"), Edit::new("foo", "bar"), Edit::new("x = bar(1)", "y")];
    let refused = apply("x = foo(1)\nc\n", &edits).unwrap_err();
    assert_eq!(refused, [EditRefusal { edit: 2, kind: EditRefusalKind::Dependency { other_edit: 1 } }]);
}

#[test]
fn a_literal_match_inside_the_indentation_causes_a_warning() {
    let exact = Options { fuzzy: false, ..Options::default() };
    let found = find("a:\n    b\n", &[Edit::new("  b\n", "  c\n  d\n")], &exact).unwrap();
    assert_eq!(found.plan.apply("a:\n    b\n"), "a:\n    c\n  d\n");
    assert!(found.warnings[0].contains("line 2"), "{:?}", found.warnings);
    let warnings = |new: &str| apply("a:\n    b\n", &[Edit::new("b", new)]).unwrap().2.len();
    assert_eq!((warnings("b\nc"), warnings("b\n    c"), warnings("c")), (1, 0, 0));
}

#[test]
fn every_edit_has_its_own_refusal() {
    let edits = [Edit::new("x", "1"), Edit::new("a", "2"), Edit::new("", "3"), Edit::new("b", "4")];
    let refused = apply("a\na\nb\n", &edits).unwrap_err();
    assert_eq!(refused.iter().map(|refusal| refusal.edit).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_deadline_ends_the_search() {
    let options = Options { deadline: Deadline::after(std::time::Duration::ZERO), ..Options::default() };
    let refused = find("a\n", &[Edit::new("b", "c")], &options).unwrap_err();
    assert_eq!(refused, [EditRefusal { edit: 0, kind: EditRefusalKind::Timeout }]);
}

#[test]
fn a_placeholder_for_code_is_refused() {
    let base = "fn a() {\n    one();\n    two();\n}\n";
    let new = "fn a() {\n    three();\n    // ... rest of the function unchanged\n}\n";
    let kind = refusal(base, base, new);
    let text = "// ... rest of the function unchanged".to_owned();
    assert_eq!(kind, EditRefusalKind::Placeholder { line: 3, text });
    let exact = Options { fuzzy: false, ..Options::default() };
    let found = find(base, &[Edit::new(base, new)], &exact).unwrap();
    assert_eq!(found.plan.apply(base), new, "what is meant literally can be written");
}

#[test]
fn a_too_large_result_is_refused_before_it_is_built() {
    let base = "x".repeat(2_000);
    let edit = |count| Edit { count, ..Edit::new("x", "y".repeat(2_000)) };
    let options = Options { room: 1 << 20, ..Options::default() };
    let too_large = EditRefusalKind::TooLarge { limit: 1 << 20, size: 4_000_000 };
    let refused = find(&base, &[edit(Count::All)], &options).unwrap_err();
    assert_eq!(refused, [EditRefusal { edit: 0, kind: too_large }]);
    let edits = [Edit::new("a", "b".repeat(600)), Edit::new("c", "d".repeat(600))];
    for sequential in [false, true] {
        let options = Options { room: 1_000, sequential, ..Options::default() };
        let refused = find("a c", &edits, &options).unwrap_err();
        assert!(matches!(refused[..], [EditRefusal { edit: 1, kind: EditRefusalKind::TooLarge { .. } }]));
        assert!(find("a c", &edits, &Options { room: 1_200, ..options }).is_ok());
    }
}
