//! Tables per tier: the base, the old text, the new text, and the expected bytes.

mod anchors;
mod counts;
mod drifted;
mod edge_cases;
mod indented;
mod order;
mod output;
mod patterns;
mod properties;
mod refusals;
mod tolerant;

use rstest::rstest;

use super::*;
use crate::{Count, LineRange};

fn apply(base: &str, edits: &[Edit]) -> Result<(String, Vec<Match>, Vec<String>), Vec<EditRefusal>> {
    let found = find(base, edits, &Options::default())?;
    let result = found.plan.apply(base);
    assert_eq!(found.plan.invert(base).apply(&result), base, "inverting restores");
    Ok((result, found.matches, found.warnings))
}

fn one(base: &str, old: &str, new: &str) -> (String, Strategy) {
    let (result, matches, _) = apply(base, &[Edit::new(old, new)]).unwrap();
    (result, matches[0].strategy)
}

fn refusal(base: &str, old: &str, new: &str) -> EditRefusalKind {
    apply(base, &[Edit::new(old, new)]).unwrap_err().remove(0).kind
}

#[rstest]
#[case::in_a_line("let a = 1;\n", "1", "2", "let a = 2;\n")]
#[case::templates_are_text("a\n", "a", r"$1 \1 $& ${a}", "$1 \\1 $& ${a}\n")]
#[case::crlf_file_keeps_its_line_endings("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nc\r\n")]
#[case::crlf_request_on_lf_file("a\nb\n", "a\r\nb", "a\r\nx", "a\nx\n")]
#[case::cr_file("a\rb\rc", "a\nb\n", "a\nx\ny\n", "a\rx\ry\rc")]
#[case::mixed_line_endings_stay("a\r\nb\nc\r\nd\n", "b\nc\nd", "b\nx\nd", "a\r\nb\nx\r\nd\n")]
#[case::new_lines_end_like_the_region("a\r\nb\nc\n", "a", "x\ny", "x\r\ny\r\nb\nc\n")]
#[case::single_line_takes_the_ending_of_its_line("a\r\n", "a", "x\ny", "x\r\ny\r\n")]
#[case::last_line_takes_the_ending_before("a\r\nb", "b", "x\ny", "a\r\nx\r\ny")]
#[case::no_line_ending_anywhere("ab", "b", "x\ny", "ax\ny")]
#[case::byte_order_mark_in_the_request("a\nb\n", "\u{feff}a\n", "\u{feff}x\n", "x\nb\n")]
#[case::emoji("a 😀 b\n", "😀", "🎉", "a 🎉 b\n")]
#[case::unicode_separators_are_content("a\u{2028}b\u{85}c\n", "b\u{85}", "x", "a\u{2028}xc\n")]
#[case::deleting_lines("a\nb\nc\n", "b\n", "", "a\nc\n")]
#[case::joining_lines("a\nb\n", "a\nb", "a b", "a b\n")]
#[case::joining_crlf_lines("a\r\nb\r\n", "a\nb", "a b", "a b\r\n")]
#[case::end_of_file_matches_the_last_line_ending("a\nb", "b\n", "x\n", "a\nx")]
#[case::no_final_line_ending_is_added("a\nb", "a\nb\n", "a\nb\nc\n", "a\nb\nc")]
#[case::final_line_ending_can_be_added("a\nb", "b", "b\n", "a\nb\n")]
#[case::final_line_ending_can_be_removed("a\nb\n", "b\n", "b", "a\nb")]
#[case::trailing_whitespace_is_literal("a  \nb\n", "a  \n", "a\n", "a\nb\n")]
#[case::escapes_are_literal("a\\nb\n", "a\\nb", "c\\td", "c\\td\n")]
#[case::line_numbers_are_literal("1\ta\n2\tb\n", "2\tb", "2\tc", "1\ta\n2\tc\n")]
#[case::whitespace_only("a\n\n\nb\n", "\n\n\n", "\n\n", "a\n\nb\n")]
#[case::shallow_text_in_a_deeper_line("if a:\n    b\n", "b", "c", "if a:\n    c\n")]
fn exact_matches_are_replaced_byte_for_byte(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    assert_eq!(one(base, old, new), (expected.to_owned(), Strategy::Exact));
}

#[rstest]
#[case::in_the_file("a \nb\t\nc\n", "a\nb\n", "a\nx\n", "a \nx\nc\n")]
#[case::in_the_request("a\nb\nc\n", "a  \nb\t\n", "a  \nx\n", "a\nx\nc\n")]
#[case::unchanged_lines_keep_their_whitespace("a  \nb\nc\t\n", "a\nb\nc", "a\nx\nc", "a  \nx\nc\t\n")]
#[case::without_a_last_line_ending("a\nb\n", "b  ", "c", "a\nc\n")]
#[case::changed_line_ends_like_the_new_text("a \nb  \n", "a\nb", "a\nbc", "a \nbc\n")]
#[case::line_ending_is_not_swallowed("foo\n    bar\n", "foo \n", "baz \n", "baz \n    bar\n")]
#[case::requested_hard_breaks_are_written("a \nb\n", "a\nb", "a  \nb", "a  \nb\n")]
#[case::crlf("a \r\nb\r\n", "a\nb\n", "x\ny\nz\n", "x\r\ny\r\nz\r\n")]
#[case::blank_line_of_the_file("x\n   \nfoo\n", "\nfoo ", "foo ", "x\nfoo\n")]
#[case::next_line_is_left_alone("a \nb\n    \nc\n", "a\nb\n", "a\nx\n", "a \nx\n    \nc\n")]
#[case::end_of_file("a\nb  ", "b\n", "c\n", "a\nc")]
fn trailing_whitespace_is_tolerated(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    assert_eq!(one(base, old, new), (expected.to_owned(), Strategy::TrailingBlanks));
}

#[rstest]
#[case::quotes_of_the_file_stay(
    "say “hi” to ‘x’ now\n",
    "say \"hi\" to 'x' now",
    "say \"hi\" to 'x' then",
    "say “hi” to ‘x’ then\n"
)]
#[case::request_has_the_curly_ones("say \"hi\"\n", "say “hi”", "say “ho”", "say \"ho\"\n")]
#[case::dash_and_space("a\u{a0}– b\n", "a - b", "a - c", "a\u{a0}– c\n")]
#[case::unchanged_lines_keep_their_characters(
    "“a”\n“b”\n“c”\n",
    "\"a\"\n\"b\"\n\"c\"",
    "\"a\"\n\"x\"\n\"c\"",
    "“a”\n“x”\n“c”\n"
)]
#[case::composed_and_decomposed("cafe\u{301} a\n", "café a", "café b", "cafe\u{301} b\n")]
#[case::whole_characters("1ﬃ cups\n", "1ffi cups", "1ffi mugs", "1ﬃ mugs\n")]
#[case::requested_characters_are_written("a – b\n", "a - b", "a — c", "a — c\n")]
#[case::ellipsis("wait…\nend\n", "wait...\nend", "wait...\nstop", "wait…\nstop\n")]
#[case::trailing_whitespace_too("“a” \nb\n", "\"a\"\nb", "\"a\"\nc", "“a” \nc\n")]
#[case::in_a_long_line("x = “a” + “b”;\n", "\"b\"", "\"c\"", "x = “a” + “c”;\n")]
fn look_alike_characters_are_tolerated(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    assert_eq!(one(base, old, new), (expected.to_owned(), Strategy::Typography));
}

#[rstest]
#[case::tabs_for_spaces(
    "fn a() {\n\tif b {\n\t\tc();\n\t}\n}\n",
    "    if b {\n        c();\n    }\n",
    "    if b {\n        if d {\n            e();\n        }\n        c();\n    }\n",
    "fn a() {\n\tif b {\n\t\tif d {\n\t\t\te();\n\t\t}\n\t\tc();\n\t}\n}\n"
)]
#[case::spaces_for_tabs(
    "def a():\n    if b:\n        c()\n",
    "\tif b:\n\t\tc()",
    "\tif b:\n\t\tc()\n\t\tif d:\n\t\t\te()",
    "def a():\n    if b:\n        c()\n        if d:\n            e()\n"
)]
#[case::two_for_four(
    "a {\n    b {\n        c\n    }\n}\n",
    "  b {\n    c\n  }\n",
    "  b {\n    c\n    d {\n      e\n    }\n  }\n",
    "a {\n    b {\n        c\n        d {\n            e\n        }\n    }\n}\n"
)]
#[case::four_for_two(
    "a {\n  b {\n    c\n  }\n}\n",
    "    b {\n        c\n    }\n",
    "    b {\n        c\n        d {\n            e\n        }\n    }\n",
    "a {\n  b {\n    c\n    d {\n      e\n    }\n  }\n}\n"
)]
#[case::less_indented_block(
    "class A:\n    def b(self):\n        return 1\n",
    "def b(self):\n    return 1",
    "def b(self):\n    if c:\n        return 2\n    return 1",
    "class A:\n    def b(self):\n        if c:\n            return 2\n        return 1\n"
)]
#[case::over_indented_block(
    "def b():\n    return 1\n",
    "        def b():\n            return 1",
    "        def b():\n            x = 1\n            return x",
    "def b():\n    x = 1\n    return x\n"
)]
#[case::one_less_indented_line("\tfoo(a,\n\t\tb)\n", "foo(a,\nb)", "foo(a,\nc)", "\tfoo(a,\n\t\tc)\n")]
#[case::first_line_only(
    "class A:\n    a()\n    b()\n",
    "        a()\n    b()",
    "        x()\n    b()\n    c()\n        d()",
    "class A:\n    x()\n    b()\n    c()\n        d()\n"
)]
#[case::blank_lines_stay_empty(
    "if a:\n\tb()\n\n\tc()\n",
    "    b()\n    \n    c()\n",
    "    b()\n    \n    d()\n    \n    c()\n",
    "if a:\n\tb()\n\n\td()\n\n\tc()\n"
)]
#[case::deeper_wrapping("x:\n\ta()\n", "    a()\n", "    if b:\n        a()\n", "x:\n\tif b:\n\t\ta()\n")]
#[case::shallower_than_the_match(
    "a:\n\tb:\n\t\tc()\n",
    "        c()\n",
    "        c()\n    d()\n",
    "a:\n\tb:\n\t\tc()\n\td()\n"
)]
#[case::inner_alignment_stays(
    "\tfoo(a,\n\t    b)\n",
    "  foo(a,\n      b)",
    "  foo(a,\n      b,\n      c)",
    "\tfoo(a,\n\t    b,\n\t    c)\n"
)]
#[case::typography_and_indentation("\tsay(“a”)\n", "  say(\"a\")\n", "  say(\"b\")\n", "\tsay(“b”)\n")]
#[case::crlf("a:\r\n\tb\r\n", "    b\n", "    c\n    d\n", "a:\r\n\tc\r\n\td\r\n")]
#[case::end_of_file("a:\n\tb", "  b\n", "  c\n", "a:\n\tc")]
fn indentation_is_mapped(#[case] base: &str, #[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    assert_eq!(one(base, old, new), (expected.to_owned(), Strategy::Indentation));
}

#[test]
fn two_texts_can_swap() {
    let edits = [Edit::new("one", "two"), Edit::new("two", "one")];
    let (result, matches, _) = apply("one two\n", &edits).unwrap();
    assert_eq!((&*result, matches.len()), ("two one\n", 2));
}

#[test]
fn sequential_edits_see_each_others_results() {
    let options = Options { sequential: true, ..Options::default() };
    let edits = [Edit::new("a", "b\nb2"), Edit::new("b2", "c"), Edit::new("c", "c"), Edit::new("d\n", "e\n")];
    let found = find("a\nx\nd \n", &edits, &options).unwrap();
    assert_eq!(found.plan.apply("a\nx\nd \n"), "b\nc\nx\ne\n");
    assert_eq!(found.matches.iter().map(|found| found.edit).collect::<Vec<_>>(), [0, 1, 3]);
    // The caller asked for it, so that an edit of what an earlier one wrote is no warning.
    assert!(found.warnings.iter().all(|warning| !warning.starts_with("edit 1")), "{:?}", found.warnings);
    assert!(found.warnings.iter().any(|warning| warning.starts_with("edit 3")), "{:?}", found.warnings);

    let refused = find("a\n", &[Edit::new("a", "b"), Edit::new("b", "a")], &options).unwrap_err();
    assert_eq!(refused, [EditRefusal { edit: 0, kind: EditRefusalKind::NoChange }]);
}

#[test]
fn an_edit_of_what_an_earlier_one_replaced_contradicts_it() {
    let options = Options { sequential: true, ..Options::default() };
    let refused = |base: &str, edits: &[(&str, &str)]| {
        let edits: Vec<Edit> = edits.iter().map(|(old, new)| Edit::new(*old, *new)).collect();
        find(base, &edits, &options).unwrap_err()
    };
    let lines = LineRange { start: 1, end: 1 };
    let kind = EditRefusalKind::Contradiction { other_edit: 0, lines };
    let expected = [EditRefusal { edit: 1, kind: kind.clone() }];
    assert_eq!(refused("a\n", &[("a", "b"), ("a", "c")]), expected);
    // A similar match elsewhere is not the intended one.
    assert_eq!(refused("go()\n\tgo() \n", &[("go()\n", "run()\n"), ("go()\n", "halt()\n")]), expected);
    let third = [EditRefusal { edit: 2, kind }];
    assert_eq!(refused("a\nx\n", &[("a", "b"), ("x", "y"), ("a", "c")]), third);
    let absent = refused("a\n", &[("a", "b"), ("z", "c")]);
    assert!(matches!(absent[..], [EditRefusal { edit: 1, kind: EditRefusalKind::NotFound { .. } }]));
}

#[test]
fn an_edit_in_a_sequence_may_rely_on_what_others_removed() {
    let options = Options { sequential: true, ..Options::default() };
    let found = find("a\nb\nc\n", &[Edit::new("b\n", ""), Edit::new("a\nc\n", "d\n")], &options).unwrap();
    assert_eq!(found.plan.apply("a\nb\nc\n"), "d\n");
    assert_eq!(found.warnings, [] as [String; 0]);
    let found = find("a\nb\n", &[Edit::new("b", "bb"), Edit::new("a", "aa")], &options).unwrap();
    assert_eq!((found.plan.apply("a\nb\n").as_str(), found.warnings.len()), ("aa\nbb\n", 0));
}

#[test]
fn a_tolerated_difference_is_reported() {
    let (_, matches, warnings) = apply("x\n\tfoo()\n", &[Edit::new("  foo()\n", "  bar()\n")]).unwrap();
    assert_eq!((matches[0].start_line, matches[0].end_line), (2, 2));
    assert!(matches[0].similarity > 0.7 && matches[0].similarity < 1.0);
    assert!(warnings[0].contains("line 2") && warnings[0].contains("indentation"), "{warnings:?}");
}

#[test]
fn lines_are_counted_from_one() {
    let (_, matches, _) = apply("a\r\nb\rc\nd\n", &[Edit::new("c\nd\n", "x\n")]).unwrap();
    assert_eq!((matches[0].start_line, matches[0].end_line, matches[0].replacements), (3, 4, 1));
}
