//! Corners of what is written, found by requests that were made from the rules alone.

use rstest::rstest;

use super::tolerant::{found_by, refused};
use super::written::reason;
use super::*;
use crate::edit::Options;

#[rstest]
#[case::a_step_that_only_brackets_take(
    "def a(p):\n  add(\n      'x')\n  add(\n      'y')\n  add(\n      'z')\n\ndef run(p):\n  if not p:\n    p = 1\n  return p\n",
    "      p = 1",
    "      p = 1\n      if q:\n         z()",
    ("    p = 1\n", "    p = 1\n    if q:\n      z()\n")
)]
#[case::all_lines_in_the_place_of_one_that_is_off(
    "def f():\n    a()\n    b()\n    c()\n",
    "    a()\n      b()\n    c()",
    "    a()\n      n1()\n      n2()\n    c()",
    ("    b()\n", "    n1()\n    n2()\n")
)]
#[case::a_block_around_one_that_is_off(
    "def f():\n    a()\n    b()\n    c()\n",
    "    a()\n      b()\n    c()",
    "    a()\n      if q:\n          b()\n    c()",
    ("    b()\n", "    if q:\n        b()\n")
)]
fn the_depth_of_new_lines_is_that_of_the_file(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] (from, to): (&str, &str),
) {
    found_by(Strategy::Indentation, base, old, new, &base.replacen(from, to, 1));
}

#[rstest]
#[case::a_function("\n\ndef b():\n    q()")]
#[case::a_block_without_an_empty_line("\ndef b():\n    q()")]
#[case::a_call_behind_an_empty_line("\n\nz()")]
fn what_may_stand_behind_a_clipped_block_is_refused(#[case] appended: &str) {
    let old = "def a():\nx()\ny()";
    let said = reason("def a():\n    x()\n    y()\n\nz()\n", old, &[old, appended].concat());
    assert!(said.contains("does not follow"), "{said}");
}

#[test]
fn marks_alone_are_not_written_twice() {
    let base = "# One line of the text.\n# Two lines of the text.\n# Three lines of the text.\n# Four lines of the text.\n#\n# End.\n";
    let old = "# One line of the text.\n# Two lines really of the text.\n# Three lines of the text.\n# Four lines of the text.";
    let kind = refused(base, old, &[old, "\n#"].concat());
    assert!(matches!(kind, EditRefusalKind::NotFound { .. }), "{kind:?}");
}

#[rstest]
#[case("a\nb\nc", &["b", "c"], "a")]
#[case("a\nb\nc\n", &["b", "c"], "a\n")]
#[case("a\nbc", &["b", "c"], "a\n")]
#[case("b\nc", &["b", "c"], "")]
#[case("a\r\nb\r\nc\r\nd", &["d", "b", "c"], "a")]
fn neighbouring_last_lines_go_together(#[case] base: &str, #[case] gone: &[&str], #[case] expected: &str) {
    let edits: Vec<_> = gone.iter().map(|old| Edit::new(*old, "")).collect();
    let found = find(base, &edits, &Options::default()).expect("all are found");
    assert_eq!(found.plan.apply(base), expected);
}

#[test]
fn an_empty_last_line_that_is_numbered_goes() {
    found_by(Strategy::PrefixesEscapes, "a\nb\n\nc\n", "2\tb\n3\t", "", "a\nc\n");
}

#[test]
fn numbers_that_do_not_go_on_are_told() {
    let said = reason("alpha\nbeta\ngamma\ndelta\n", "2\tbeta\n3\tgamma", "10\tbeta\n20\tgamma");
    assert!(said.contains("the numbers in the new text do not go on"), "{said}");
}

#[test]
fn a_new_text_without_entities_is_taken_as_it_is() {
    found_by(Strategy::PrefixesEscapes, "a -> b\n", "a -&gt; b", "a -> c & d", "a -> c & d\n");
}

#[test]
fn a_shape_selector_is_tolerated_and_stays() {
    found_by(
        Strategy::Typography,
        "# ⚠\u{fe0f} Warning\ntext\n",
        "# ⚠ Warning",
        "# ⚠ Warnings",
        "# ⚠\u{fe0f} Warnings\ntext\n",
    );
}

#[rstest]
#[case("        z(‘a’)\n", "z('a')", "if p:\n    z('a')")]
#[case("        z(a)\n", "z(a)  ", "if p:\n    z(a)")]
fn a_shallow_line_is_told_in_tiers_that_keep_the_indentation(
    #[case] line: &str,
    #[case] old: &str,
    #[case] new: &str,
) {
    let base = ["class A:\n    def f(self):\n", line].concat();
    let found = find(&base, &[Edit::new(old, new)], &Options::default()).expect("it is found");
    let told = found.warnings.iter().any(|it| it.contains("the new text was written as given, also `z("));
    assert!(told, "{:?}", found.warnings);
}

#[test]
fn a_letter_with_a_mark_of_its_own_is_named_whole() {
    let options = Options { fuzzy: false, ..Options::default() };
    let refused = find("cafe\u{301} noir\n", &[Edit::new("caf\u{e9} noir", "x")], &options).unwrap_err();
    let EditRefusalKind::NotFound { closest, .. } = &refused[0].kind else { panic!("{refused:?}") };
    assert_eq!(closest[0].reason, "the character at column 4 of line 1 is U+0065 U+0301");
}
