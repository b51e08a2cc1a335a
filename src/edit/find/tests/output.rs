//! The bytes written for tolerant matches, and refusals if they are unclear.

use rstest::rstest;

use super::tolerant::{found_by, refused};
use super::*;
use crate::{Anchor, Options};

/// Returns the reason why the closest region is not a match.
pub(super) fn reason(base: &str, old: &str, new: &str) -> String {
    match refused(base, old, new) {
        EditRefusalKind::NotFound { closest, .. } => {
            closest.first().map_or(String::new(), |one| one.reason.clone())
        }
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::a_table("7\tx\n3\ty\n9\tz\n", "1\t7\tx\n2\t3\ty", "7\tX\n3\ty", "7\tX\n3\ty\n9\tz\n")]
#[case::a_table_that_counts_up("1\tx\n2\ty\n3\tz\n", "2\t2\ty\n3\t3\tz", "2\tY\n3\tz", "1\tx\n2\tY\n3\tz\n")]
#[case::a_table_with_numbers_in_both(
    "7\tx\n3\ty\n",
    "1\t7\tx\n2\t3\ty\n",
    "1\t7\tx\n2\t3\tY\n",
    "7\tx\n3\tY\n"
)]
#[case::an_inserted_row("7\tx\n3\ty\n", "1\t7\tx\n2\t3\ty\n", "7\tx\n8\tw\n3\ty\n", "7\tx\n8\tw\n3\ty\n")]
#[case::padded("   12\tAda\n   34\tBob\n", "2\t   34\tBob", "   35\tBob", "   12\tAda\n   35\tBob\n")]
#[case::one_line("a: b\n80: http\n", "2\t80: http", "80: https", "a: b\n80: https\n")]
#[case::keys_in_yaml("a: b\n80: http\n", "2:80: http", "80: https", "a: b\n80: https\n")]
#[case::a_pipe_table("3 | x\n5 | y\n", " 1 | 3 | x\n 2 | 5 | y", "3 | X\n5 | y", "3 | X\n5 | y\n")]
fn columns_of_numbers_are_not_line_numbers(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    found_by(Strategy::PrefixesEscapes, base, old, new, expected);
}

/// A Python class; `§` is the placeholder for the tested lines.
const CLASS: &str = "class A:\n    def f(self):\n        self.app = app\n        self.b = b\n\n    def g(self):\n        if x:\n            y()\n";

#[rstest]
#[case::aligned_lines_keep_their_offset(
    CLASS,
    ("          self.app = app\n          self.b = b\n", "          self.app = call(1,\n                          2)\n          self.b = b\n"),
    ("self.app = app", "self.app = call(1,\n                        2)")
)]
#[case::one_depth_and_deeper_lines(
    CLASS,
    ("  self.app = app\n  self.b = b\n", "  if p:\n      self.app = c(d,\n                   e)\n  self.b = b\n"),
    ("self.app = app", "if p:\n            self.app = c(d,\n                         e)")
)]
#[case::a_continued_string(
    "def f():\n    if a:\n        warn(X('one'\n                        'two'))\n    b()\n",
    ("      if a:\n          warn(X('one'\n                          'two'))\n      b()\n",
     "      if a:\n          warn(X('one'\n                          'two'\n                          'six'))\n      b()\n"),
    ("'two'))", "'two'\n                        'six'))")
)]
#[case::list_items_below_a_heading(
    "# One\n\n1. a\n   - b\n\n# Two\ntext\n",
    ("  # Two\n  text\n", "  # Two\n    - item\n  text\n"),
    ("# Two\n", "# Two\n  - item\n")
)]
#[case::one_column_a_level(
    "a\n b\n  c\n d\ne\n",
    ("  b\n   c\n  d\n", "  b\n   c\n    x\n  d\n"),
    ("  c\n", "  c\n   x\n")
)]
#[case::half_levels_and_tabs(
    "f (int a)\n{\n  if (a)\n    {\n      b ();\n      if (c)\n\t{\n\t  d ();\n\t}\n    }\n}\n",
    ("      if (c)\n        {\n          d ();\n        }\n", "      if (c)\n        {\n          d ();\n          k ();\n        }\n"),
    ("\t  d ();\n", "\t  d ();\n\t  k ();\n")
)]
#[case::a_tab_less(
    "func a() {\n\tif p {\n\t\tx(1)\n\t}\n}\n",
    ("if p {\n\tx(1)\n}\n", "if p {\n\tx(1)\n\tif q {\n\t\ty(1,\n\t\t  2)\n\t}\n}\n"),
    ("\t\tx(1)\n", "\t\tx(1)\n\t\tif q {\n\t\t\ty(1,\n\t\t\t  2)\n\t\t}\n")
)]
#[case::spaces_before_tabs(
    "{\n\tone();\n\t\ttwo();\n}\n",
    ("    \tone();\n    \t\ttwo();\n", "    \tone();\n    \t\ttwo();\n    \t\t\tsix();\n"),
    ("\t\ttwo();\n", "\t\ttwo();\n\t\t\tsix();\n")
)]
#[case::another_unit_of_two_depths(
    "a:\n  b:\n    c: 1\n",
    ("    b:\n        c: 1\n", "    b:\n        c: 1\n        d:\n            e: 2\n"),
    ("    c: 1\n", "    c: 1\n    d:\n      e: 2\n")
)]
#[case::another_unit_of_one_depth(
    "if a {\n  one();\n  two();\n}\n",
    ("    one();\n    two();\n", "    one();\n    if b {\n        two();\n    }\n"),
    ("  two();\n", "  if b {\n    two();\n  }\n")
)]
#[case::a_step_of_the_file_is_a_shift(
    "if a {\n    one();\n    if b {\n        two();\n        six();\n    }\n}\n",
    ("    two();\n    six();\n", "    two();\n    if c {\n        six();\n    }\n"),
    ("        six();\n", "        if c {\n            six();\n        }\n")
)]
fn new_lines_are_shifted_as_the_old_ones_are(
    #[case] base: &str,
    #[case] (old, new): (&str, &str),
    #[case] (before, after): (&str, &str),
) {
    let expected = base.replacen(before, after, 1);
    found_by(Strategy::Indentation, base, old, new, &expected);
}

#[rstest]
#[case::both_units_are_used(
    "a {\n  b();\n  c();\n}\nd {\n    e();\n      f();\n}\n",
    "    b();\n    c();\n",
    "    b();\n    if x {\n        c();\n    }\n"
)]
#[case::spaces_for_a_tab_without_a_block("a\n\tb\n\tc\n", "b\nc\n", "b\n    x\nc\n")]
#[case::less_deep_than_the_margin("a\n  b\n  c\n", "      b\n      c\n", "      b\n      c\n  d\n")]
#[case::a_block_outside_the_match_is_closed(
    "func a() {\n\tif p {\n\t\tx(1)\n\t}\n}\n",
    "if p {\n\tx(1)\n}\n",
    "if p {\n\tx(1)\n}\n}\n\nfunc b() {\n\ty(1)\n"
)]
fn indentation_that_is_unclear_is_refused(#[case] base: &str, #[case] old: &str, #[case] new: &str) {
    let said = reason(base, old, new);
    assert!(said.starts_with("the text is here with another indentation"), "{said}");
}

const CLIPPED: &str = "func a() {\n\tx(1)\n\tz(1)\n}\n\nvar q = 1\n";

#[rstest]
#[case::after_the_block(
    "func a() {\nx(1)\nz(1)\n}\n\nfunc b() {\n\ty(1)\n}\n",
    "}\n\nv",
    "}\n\nfunc b() {\n\ty(1)\n}\n\nv"
)]
#[case::within_it("func a() {\nx(1)\ny(1)\nz(1)\n}\n", "z(1)", "y(1)\n\tz(1)")]
#[case::in_place_of_a_line("func a() {\nx(1)\nz(2)\n}\n", "z(1)", "z(2)")]
fn if_equal_depths_correspond_to_two_the_nearest_line_decides(
    #[case] new: &str,
    #[case] before: &str,
    #[case] after: &str,
) {
    let expected = CLIPPED.replacen(before, after, 1);
    found_by(Strategy::Indentation, CLIPPED, "func a() {\nx(1)\nz(1)\n}\n", new, &expected);
}

#[test]
fn a_block_whose_indentation_is_lost_is_refused() {
    let new = "func a() {\nx(1)\nz(1)\n}\n\nfunc b() {\ny(1)\n}\n";
    let said = reason(CLIPPED, "func a() {\nx(1)\nz(1)\n}\n", new);
    assert!(said.starts_with("the text is here with another indentation"), "{said}");
}

#[test]
fn one_misindented_line_does_not_shift_others() {
    let base = "  a(1,\n                     b);\n  c();\n  d();\n";
    let old = "  a(1,\n                      b);\n  c();\n  d();\n";
    let new = "  a(1,\n                      b);\n  c();\n                      e();\n  d();\n";
    let expected = "  a(1,\n                     b);\n  c();\n                      e();\n  d();\n";
    found_by(Strategy::Indentation, base, old, new, expected);
}

#[rstest]
#[case::one_line("a\nb\nc\n", "b", "a\nc\n")]
#[case::several_lines("a\nb\nc\nd\n", "b\nc", "a\nd\n")]
#[case::windows("a\r\nb\r\nc\r\n", "b", "a\r\nc\r\n")]
#[case::an_indented_line("a\n  b\nc\n", "  b", "a\nc\n")]
#[case::a_part_of_a_line("a\nb c\nd\n", "b", "a\n c\nd\n")]
#[case::the_rest_of_a_line("a\n  b\nc\n", "b", "a\n  \nc\n")]
#[case::the_last_line("a\nb", "b", "a")]
#[case::the_only_line("a", "a", "")]
#[case::the_last_line_of_windows("a\r\nb", "b", "a")]
#[case::whitespace("a\n  \nb\n", "  ", "a\n\nb\n")]
#[case::with_its_line_ending("a\nb\nc\n", "b\n", "a\nc\n")]
fn whole_lines_are_removed_with_their_line_ending(
    #[case] base: &str,
    #[case] old: &str,
    #[case] expected: &str,
) {
    assert_eq!(one(base, old, "").0, expected);
}

#[test]
fn a_removed_line_ending_causes_a_warning() {
    let (result, _, warnings) =
        apply("a\nb\nc\nb\n", &[Edit { count: Count::All, ..Edit::new("b", "") }]).unwrap();
    assert_eq!(result, "a\nc\n");
    assert!(warnings[0].contains("removed together with their last line ending"), "{warnings:?}");
}

#[rstest]
#[case::a_block("z(a)", "if p:\n    z(a)", "z(a)")]
#[case::a_closing_line("z(a)", "z(\n    a\n)", "a")]
#[case::after_other_code("z(a", "q(\n  a", "a")]
#[case::several_old_lines("x = z(a)\n        y()", "x = 1\n    z()\n        y()", "z()")]
fn less_indented_lines_cause_a_warning(#[case] old: &str, #[case] new: &str, #[case] line: &str) {
    let base = "class A:\n    def f(self):\n        x = z(a)\n        y()\n";
    let (result, matches, warnings) = apply(base, &[Edit::new(old, new)]).unwrap();
    assert_eq!((matches[0].strategy, result), (Strategy::Exact, base.replace(old, new)));
    let expected = format!("the new text was written as given, including `{line}`");
    assert!(warnings.iter().any(|said| said.contains(&expected)), "{warnings:?}");
}

#[rstest]
#[case::in_the_file(
    "let a\u{200b}b = 1;\nc();\n",
    "let ab = 1;\nc();\n",
    "let ab = 1;\nd();\n",
    "let a\u{200b}b = 1;\nd();\n"
)]
#[case::in_the_request(
    "let ab = 1;\nc();\n",
    "let a\u{2060}b = 1;\nc();\n",
    "let a\u{2060}b = 1;\nd();\n",
    "let ab = 1;\nd();\n"
)]
#[case::a_direction_mark(
    "// \u{202e}abc\nx = 1\n",
    "// abc\nx = 1",
    "// abc\nx = 2",
    "// \u{202e}abc\nx = 2\n"
)]
fn invisible_characters_are_typography(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    found_by(Strategy::Typography, base, old, new, expected);
}

#[test]
fn hunks_come_in_the_order_of_the_file() {
    let base = "a\nx = 1\nb\nx = 1\n";
    let hunk = |old: &str, new: &str| Edit {
        anchor: Anchor { whole_lines: true, ..Anchor::default() },
        ..Edit::new(old, new)
    };
    let found = apply(base, &[hunk("b\n", "c\n"), hunk("x = 1\n", "x = 2\n")]).unwrap();
    assert_eq!(found.0, "a\nx = 1\nc\nx = 2\n");
    let found = apply(base, &[hunk("b\n", "b\n"), hunk("x = 1\n", "x = 2\n")]).unwrap();
    assert_eq!(found.0, "a\nx = 1\nb\nx = 2\n");
    let refused = apply(base, &[hunk("a\n", "c\n"), hunk("x = 1\n", "x = 2\n")]).unwrap_err();
    assert!(matches!(refused[0].kind, EditRefusalKind::Ambiguous { .. }));
    // Texts that are not hunks have no order.
    let refused = apply(base, &[Edit::new("b\n", "c\n"), Edit::new("x = 1\n", "x = 2\n")]).unwrap_err();
    assert!(matches!(refused[0].kind, EditRefusalKind::Ambiguous { .. }));
}

const SIMPLIFY: &str = "fn check(a: &Type, b: &Type) {\n    // Both are looked at.\n    let kind = simplify_union(a, b);\n    let size = kind.len();\n    assert(size > 0);\n    done();\n}\n";

#[test]
fn a_context_line_with_another_name_is_another_location() {
    let old = SIMPLIFY.replace("simplify_union", "simplify_intersection");
    let new = old.replace("done", "finish");
    assert!(matches!(refused(SIMPLIFY, &old, &new), EditRefusalKind::NotFound { .. }));
}

#[test]
fn lines_after_a_drifted_match_are_not_written_twice() {
    let base = SIMPLIFY.replace("    done();\n", "    done();\n    more(1);\n");
    let old = SIMPLIFY.replace("// Both are looked at.", "// Both are looked at here.").replace("}\n", "");
    let new = old.clone() + "    more(1);\n";
    assert!(matches!(refused(&base, &old, &new), EditRefusalKind::NotFound { already_applied: true, .. }));
}

#[test]
fn a_reworded_comment_at_the_edge_of_a_long_block_is_tolerated() {
    let base =
        "// Counts what there is.\none(1);\ntwo(2);\nthree(3);\nfour(4);\nfive(5);\nsix(6);\nseven(7);\n";
    let old = base.replace("Counts what there is", "Counts all there is now");
    let expected = base.replace("five(5)", "five(50)");
    found_by(Strategy::DriftedContext, base, &old, &old.replace("five(5)", "five(50)"), &expected);
}

#[test]
fn the_reason_names_invisible_characters() {
    let options = Options { fuzzy: false, ..Options::default() };
    let reason = |base: &str, old: &str| {
        let kind = find(base, &[Edit::new(old, "x")], &options).unwrap_err().remove(0).kind;
        let EditRefusalKind::NotFound { closest, .. } = kind else { panic!("{kind:?}") };
        closest[0].reason.clone()
    };
    let said = reason("let a\u{200b}b = 1;\n", "let ab = 1;");
    assert_eq!(
        said,
        "in line 1 the file has the invisible character U+200B at column 6, the old text does not"
    );
    let said = reason("let ab = 1;\n", "let a\u{2060}b = 1;");
    assert_eq!(
        said,
        "in line 1 the old text has the invisible character U+2060 at column 6, the file does not"
    );
    let said = reason("if (a < b && c) {\n", "if (a &lt; b && c) {");
    assert!(said.contains("HTML entities"), "{said}");
}

#[test]
fn a_long_difference_shows_both_sides() {
    let lines = |before: &str| -> String {
        let line = |at| format!("let value_{at} = {before}{at};\n");
        (0..60).map(line).collect::<Vec<_>>().concat()
    };
    let (base, old) = (lines(""), lines("x"));
    let EditRefusalKind::NotFound { closest, .. } = refused(&base, &old, "x") else { panic!() };
    let diff = &closest[0].diff;
    assert!(diff.contains("-let value_0 = x0;\n") && diff.contains("+let value_0 = 0;\n"), "{diff}");
    assert!(diff.ends_with("[cut: only a part of 60 lines is shown]\n"), "{diff}");
    assert!(diff.lines().count() <= 41, "{diff}");
}
