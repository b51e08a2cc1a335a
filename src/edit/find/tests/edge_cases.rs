//! Edge cases of replacements, found with requests that were written from the rules alone.

use rstest::rstest;

use super::output::reason;
use super::tolerant::{found_by, refused};
use super::*;
use crate::Options;

#[rstest]
#[case::a_step_used_only_after_brackets(
    "def a(p):\n  add(\n      'x')\n  add(\n      'y')\n  add(\n      'z')\n\ndef run(p):\n  if not p:\n    p = 1\n  return p\n",
    "      p = 1",
    "      p = 1\n      if q:\n         z()",
    ("    p = 1\n", "    p = 1\n    if q:\n      z()\n")
)]
#[case::all_replacements_of_a_shifted_line(
    "def f():\n    a()\n    b()\n    c()\n",
    "    a()\n      b()\n    c()",
    "    a()\n      n1()\n      n2()\n    c()",
    ("    b()\n", "    n1()\n    n2()\n")
)]
#[case::a_block_around_a_shifted_line(
    "def f():\n    a()\n    b()\n    c()\n",
    "    a()\n      b()\n    c()",
    "    a()\n      if q:\n          b()\n    c()",
    ("    b()\n", "    if q:\n        b()\n")
)]
fn new_lines_have_the_depth_of_the_file(
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
#[case::a_call_after_an_empty_line("\n\nz()")]
fn text_of_unclear_depth_after_a_clipped_block_is_refused(#[case] appended: &str) {
    let old = "def a():\nx()\ny()";
    let reason_given = reason("def a():\n    x()\n    y()\n\nz()\n", old, &[old, appended].concat());
    assert!(reason_given.contains("does not follow"), "{reason_given}");
}

#[test]
fn a_comment_mark_alone_is_not_written_twice() {
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
fn adjacent_last_lines_are_removed_together(
    #[case] base: &str,
    #[case] removed: &[&str],
    #[case] expected: &str,
) {
    let edits: Vec<_> = removed.iter().map(|old| Edit::new(*old, "")).collect();
    let found = find(base, &edits, &Options::default()).expect("all are found");
    assert_eq!(found.plan.apply(base), expected);
}

#[test]
fn a_numbered_empty_last_line_is_removed() {
    found_by(Strategy::PrefixesEscapes, "a\nb\n\nc\n", "2\tb\n3\t", "", "a\nc\n");
}

#[test]
fn numbers_that_do_not_continue_are_reported() {
    let reason_given = reason("alpha\nbeta\ngamma\ndelta\n", "2\tbeta\n3\tgamma", "10\tbeta\n20\tgamma");
    assert!(reason_given.contains("the numbers in the new text do not continue"), "{reason_given}");
}

#[test]
fn a_new_text_without_entities_is_literal() {
    found_by(Strategy::PrefixesEscapes, "a -> b\n", "a -&gt; b", "a -> c & d", "a -> c & d\n");
}

#[test]
fn a_variation_selector_is_tolerated_and_stays() {
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
fn a_less_indented_line_causes_a_warning_in_strict_tiers(
    #[case] line: &str,
    #[case] old: &str,
    #[case] new: &str,
) {
    let base = ["class A:\n    def f(self):\n", line].concat();
    let found = find(&base, &[Edit::new(old, new)], &Options::default()).expect("it is found");
    let is_reported =
        found.warnings.iter().any(|it| it.contains("the new text was written as given, including `z("));
    assert!(is_reported, "{:?}", found.warnings);
}

#[test]
fn a_letter_with_a_combining_mark_is_reported_whole() {
    let options = Options { fuzzy: false, ..Options::default() };
    let refused = find("cafe\u{301} noir\n", &[Edit::new("caf\u{e9} noir", "x")], &options).unwrap_err();
    let EditRefusalKind::NotFound { closest, .. } = &refused[0].kind else { panic!("{refused:?}") };
    assert_eq!(closest[0].reason, "the character at column 4 of line 1 is U+0065 U+0301");
}
