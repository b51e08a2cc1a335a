//! Tables for the tiers that transform a request or match whole lines loosely: matches, results, and texts
//! that must not match.

use rstest::rstest;

use super::*;

pub(super) fn found_by(strategy: Strategy, base: &str, old: &str, new: &str, expected: &str) {
    assert_eq!(one(base, old, new), (expected.to_owned(), strategy));
}

pub(super) fn refused(base: &str, old: &str, new: &str) -> EditRefusalKind {
    match apply(base, &[Edit::new(old, new)]) {
        Ok(found) => panic!("{found:?}"),
        Err(refusals) => refusals.into_iter().next().unwrap().kind,
    }
}

#[rstest]
#[case::numbers_and_a_tab("a\nb\nc\n", "2\tb\n3\tc\n", "2\tb\n3\tx\n", "a\nb\nx\n")]
#[case::numbers_and_an_arrow("a\n  b\nc\n", "     2→  b\n     3→c", "     2→  x\n     3→c", "a\n  x\nc\n")]
#[case::numbers_and_a_bar("a\n\nb\n", "1 | a\n2 |\n3 | b\n", "a\n\nc\n", "a\n\nc\n")]
#[case::numbers_and_a_colon("a\nb\n", "1: a\n2: b", "1: a\n2: c", "a\nc\n")]
#[case::numbers_and_other_depth("f:\n\ta\n\tb\n", "2\t    a\n3\t    b\n", "    a\n    c\n", "f:\n\ta\n\tc\n")]
#[case::escaped_quotes("say(\"a\")\n", r#"say(\"a\")"#, r#"say(\"b\")"#, "say(\"b\")\n")]
#[case::escaped_line_endings("a\n\tb\nc\n", r"a\n\tb\n", r"a\n\tx\n", "a\n\tx\nc\n")]
#[case::escaped_quotes_next_to_escapes(
    "say(\"a\\n\")\nend\n",
    "say(\\\"a\\n\\\")\nend\n",
    "say(\\\"b\\n\\\")\nend\n",
    "say(\"b\\n\")\nend\n"
)]
#[case::doubled_backslashes("m(\"\\d+\")\n", r#"m("\\d+")"#, r#"m("\\w+")"#, "m(\"\\w+\")\n")]
#[case::entities("if a < b && c:\n", "if a &lt; b &amp;&amp; c:", "if a &gt; b:", "if a > b:\n")]
#[case::new_text_was_not_escaped("say(\"a\")\n", r#"say(\"a\")"#, "say(\"b\")", "say(\"b\")\n")]
fn line_numbers_and_escapes_are_removed(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    found_by(Strategy::PrefixesEscapes, base, old, new, expected);
}

#[rstest]
#[case::numbers_that_do_not_count_up("a\nb\n", "1\ta\n3\tb\n", "c")]
#[case::numbers_here_and_there_in_new("a\nb\n", "1\ta\n2\tb\n", "1\ta\nc\n")]
#[case::part_of_a_line("say(\"a\") or not\n", r#"say(\"a\")"#, "x")]
#[case::half_escaped("f(\"a\", \"b\")\n", r#"f(\"a\", "b")"#, "x")]
#[case::new_text_that_can_be_read_in_two_ways("f(\"a\")\n", r#"f(\"a\")"#, r#"f(\"a\nb\")"#)]
#[case::new_text_half_escaped("f(\"a\")\n", r#"f(\"a\")"#, r#"f(\"b\", "c")"#)]
#[case::entities_next_to_bare_characters("a < b && c\n", "a &lt; b && c", "a &lt; b")]
fn other_prefixes_and_escapes_are_text(#[case] base: &str, #[case] old: &str, #[case] new: &str) {
    assert!(matches!(refused(base, old, new), EditRefusalKind::NotFound { .. }));
}

#[rstest]
#[case::before("b\nc\n", "\nb\nc\n", "\nx\nc\n", "x\nc\n")]
#[case::two_before("a\nb\nc\n", "\n\nb\nc\n", "\n\nx\nc\n", "a\nx\nc\n")]
#[case::after("a\nb\nc\n", "a\nb\n\n", "a\nx\n\n", "a\nx\nc\n")]
#[case::both_and_other_depth("{\n\ta\n\tb\n}\n", "\n\n  a\n  b\n\n", "\n\n  a\n  c\n\n", "{\n\ta\n\tc\n}\n")]
#[case::new_text_has_none("a\nb\nc\n", "\nb\n\n", "x\n", "a\nx\nc\n")]
#[case::the_file_has_some("a\n\nb\nc\n", "\n\n\nb\n", "\n\n\nx\n", "a\n\nx\nc\n")]
#[case::existing_ones_can_be_removed("a\n\nb\nc\n", "\n\n\nb\n", "b\n", "a\nb\nc\n")]
#[case::at_the_end_of_file("a\nb", "\nb\n\n", "\nx\n\n", "a\nx")]
#[case::start_of_another_line_at_the_end("a\n  b\nc\n", "\n  b\n  ", "\n  x\n  ", "a\n  x\nc\n")]
#[case::removal("a\nb\nc\n", "\n\nb\n", "\n", "a\nc\n")]
fn blank_lines_at_the_edges_are_tolerated(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    found_by(Strategy::Edges, base, old, new, expected);
}

#[rstest]
#[case::aligned("a   = 1\nbcd = 2\n", "a = 1\nbcd = 2\n", "a = 1\nbcd = 3\n", "a   = 1\nbcd = 3\n")]
#[case::changed_line_keeps_its_whitespace("x(a,   b,  c)\n", "x(a, b, c)", "x(a, b, d)", "x(a,   b,  d)\n")]
#[case::change_in_the_middle("x(a,   b,  c)\n", "x(a, b, c)", "x(a, q, c)", "x(a,   q,  c)\n")]
#[case::tab_for_a_space("a\tb\n", "a b", "a c", "a\tc\n")]
#[case::tab_for_a_wide_space("a\tb\n", "a\u{a0}b", "x", "x\n")]
#[case::too_many_in_the_request("f(a, b)\n", "f(a,  b)", "f(a,  c)", "f(a, c)\n")]
#[case::with_other_depth(
    "{\n\tx  = 1\n}\n",
    "    x = 1\n",
    "    x = 1\n    y = 2\n",
    "{\n\tx  = 1\n\ty = 2\n}\n"
)]
#[case::with_blank_edges("x  = 1\ny\n", "\nx = 1\n\n", "\nx = 2\n\n", "x  = 2\ny\n")]
fn whitespace_runs_are_tolerated(
    #[case] base: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    found_by(Strategy::InnerSpace, base, old, new, expected);
}

#[rstest]
#[case::whitespace_is_not_nothing("f (a)\n", "f(a)")]
#[case::nothing_is_not_whitespace("f(a)\n", "f( a )")]
#[case::joined_lines("a(\n  b)\n", "a( b)")]
fn whitespace_and_nothing_are_not_equal(#[case] base: &str, #[case] old: &str) {
    assert!(matches!(refused(base, old, "new"), EditRefusalKind::NotFound { .. }));
}

const FUNCTION: &str =
    "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n\n\ndef g():\n    return 0\n";

#[rstest]
#[case::dots("def f():\n...\n    return a\n", "def f(x):\n...\n    return x\n")]
#[case::comment("def f():\n    # ...\n    return a\n", "def f(x):\n    # ...\n    return x\n")]
#[case::words(
    "def f():\n    # ... existing code ...\n    return a\n",
    "def f(x):\n    # ... rest unchanged ...\n    return x\n"
)]
#[case::blank_lines_around("def f():\n\n    ...\n\n    return a\n", "def f(x):\n\n    ...\n\n    return x\n")]
#[case::deeper(
    "    def f():\n        ...\n        return a\n",
    "    def f(x):\n        ...\n        return x\n"
)]
fn elided_lines_are_unchanged(#[case] old: &str, #[case] new: &str) {
    let expected = FUNCTION.replace("f()", "f(x)").replace("return a", "return x");
    found_by(Strategy::Elision, FUNCTION, old, new, &expected);
}

#[test]
fn an_unchanged_segment_need_not_be_unique() {
    let base = "fn a() {\n    one();\n    two();\n}\nfn b() {\n    three();\n}\n";
    let (old, new) = ("fn a() {\n    // ...\n}\n", "fn c() {\n    // ...\n}\n");
    found_by(Strategy::Elision, base, old, new, &base.replace("fn a", "fn c"));
}

#[test]
fn elided_lines_with_several_matches_are_ambiguous() {
    let base = "def f():\n    a()\n    return 0\ndef g():\n    b()\n    return 0\n";
    let (old, new) = ("def f():\n    ...\n    return 0\n", "def f():\n    ...\n    return 1\n");
    assert!(matches!(refused(base, old, new), EditRefusalKind::Ambiguous { .. }));
}

#[rstest]
#[case::out_of_order("    return a\n...\ndef f():\n", "    return b\n...\ndef f():\n")]
#[case::elision_on_one_side_only("def f():\n...\n    return a\n", "def f():\n    return b\n")]
#[case::a_segment_that_is_absent("def f():\n...\n    return z\n", "def f():\n...\n    return y\n")]
#[case::spread("def f():\n...args\n    return a\n", "def f():\n...args\n    return b\n")]
fn other_dots_are_not_elisions(#[case] old: &str, #[case] new: &str) {
    assert!(matches!(refused(FUNCTION, old, new), EditRefusalKind::NotFound { .. }));
}

#[test]
fn an_applied_edit_is_not_applied_again() {
    let base = "service:\n  name: a\n  kind: unit\n  message:\n    state: restarted\n\nqueue: one\n";
    let old = "service:\n  name: a\n  kind: unit\n  state: restarted\n\nqueue: one\n";
    assert!(matches!(refused(base, old, base), EditRefusalKind::NotFound { already_applied: true, .. }));
}

#[rstest]
#[case::only_lines_at_the_margin_agree(
    "{\n\tone();\n}\n// end\n",
    ("    one();\n}\n", "    if a {\n        one();\n    }\n}\n"),
    "{\n\tif a {\n\t\tone();\n\t}\n}\n// end\n"
)]
#[case::stars_of_a_comment_are_not_a_level(
    "class A {\n  /**\n   * Says.\n   */\n  void a() {\n    b();\n  }\n}\n",
    ("    /**\n     * Says.\n     */\n    void a() {\n", "    if (x) {\n        /**\n         * Says.\n         */\n    }\n    void a() {\n"),
    "class A {\n  if (x) {\n    /**\n     * Says.\n     */\n  }\n  void a() {\n    b();\n  }\n}\n"
)]
#[case::stars_do_not_show_the_unit(
    "/*\n * Says.\n */\nint a()\n{\n\treturn b;\n}\n",
    ("\t/*\n\t * Says.\n\t */\n", "\tif (c) {\n\t\td();\n\t}\n\t/*\n\t * Says.\n\t */\n"),
    "if (c) {\n\td();\n}\n/*\n * Says.\n */\nint a()\n{\n\treturn b;\n}\n"
)]
#[case::stars_do_not_show_the_width(
    "    b();\n\n    /**\n     * E.\n     */\n    v();\n",
    ("  /**\n   * E.\n   */\n  v();\n", "  /**\n  if (s) {\n    f();\n  }\n  v();\n"),
    "    b();\n\n    /**\n    if (s) {\n        f();\n    }\n    v();\n"
)]
#[case::a_new_line_is_aligned_with_the_one_before(
    "void f() {\n#ifdef X\n    a();\n#endif\n    b();\n}\n",
    ("  #ifdef X\n  a();\n  #endif\n  b();\n", "  #ifdef X\n  a();\n  c();\n  #endif\n  b();\n"),
    "void f() {\n#ifdef X\n    a();\n    c();\n#endif\n    b();\n}\n"
)]
#[case::stars_are_shifted_with_their_comment(
    "\t/**\n\t * Closes.\n\t */\n\tv();\n",
    ("\t\t/**\n\t\t * Closes.\n\t\t */\n\t\tv();\n", "\t\tif (e) {\n\t\t\t/**\n\t\t\t * Closes.\n\t\t\t */\n\t\t}\n\t\tv();\n"),
    "\tif (e) {\n\t\t/**\n\t\t * Closes.\n\t\t */\n\t}\n\tv();\n"
)]
#[case::a_line_that_starts_inside_the_indentation(
    "if a:\n    with b:\n        c()\n",
    ("  with b: \n", "  if d:\n    with b:\n"),
    "if a:\n    if d:\n        with b:\n        c()\n"
)]
#[case::the_next_line_is_not_joined(
    "{\n\ta();\n\tb();\n}\n",
    ("    a();\n    b();\n", "    a();\n    c();"),
    "{\n\ta();\n\tc();\n}\n"
)]
fn new_lines_follow_the_indentation_of_the_file(
    #[case] base: &str,
    #[case] (old, new): (&str, &str),
    #[case] expected: &str,
) {
    found_by(Strategy::Indentation, base, old, new, expected);
}

#[test]
fn a_blank_line_is_not_the_end_of_another_line() {
    let (base, old, new) = ("head\nfoo(1);\nbar(2);\n", "    \nfoo(1);\nbar(2);\n", "foo(1);\nbar(3);\n");
    found_by(Strategy::Edges, base, old, new, "head\nfoo(1);\nbar(3);\n");
}

#[test]
fn a_blank_line_after_the_new_text_stays() {
    let base = "a = 1\nb   = 2\n\nccc = 3\nd = 4\n";
    let expected = "a = 1\nb   = 2\n\nd = 4\n";
    found_by(Strategy::InnerSpace, base, "a = 1\nb = 2\n\nccc = 3", "a = 1\nb = 2\n", expected);
}

#[rstest]
#[case::lines_removed_by_an_unended_old_text("a = 1  \nb = 2\nc = 3\n", ("a = 1\nb = 2", "a = 1"), "a = 1  \nc = 3\n")]
#[case::lines_inserted_by_an_unended_old_text("a = “1”  \nc = 3\n", ("a = \"1\"", "z\na = \"1\"\nb"), "z\na = “1”  \nb\nc = 3\n")]
#[case::the_last_line_moves_up("a = “1”\nb = 2  \nc\n", ("a = \"1\"\nb = 2", "b = 2\nx"), "b = 2  \nx\nc\n")]
#[case::windows_line_endings("a  \r\nb\r\nc\r\n", ("a\nb", "a"), "a  \r\nc\r\n")]
#[case::the_file_has_no_final_line_ending("a  \nb", ("a\nb", "a"), "a  ")]
fn unchanged_lines_keep_their_bytes(
    #[case] base: &str,
    #[case] (old, new): (&str, &str),
    #[case] expected: &str,
) {
    assert_eq!(one(base, old, new).0, expected);
}

#[test]
fn trailing_whitespace_only_in_the_old_text_is_ignored() {
    let base = "});\n\nlet a = memo(`a – b`);\n\nrun(() => {\n});\n";
    let old = "}); \n\nlet a = memo(`a - b`);  \n \nrun(() => {  \n});";
    let new = "let a = memo(`a - b`);\n\nrun(() => {\n});";
    found_by(Strategy::Typography, base, old, new, "let a = memo(`a – b`);\n\nrun(() => {\n});\n");
}

#[test]
fn a_removal_next_to_an_elision_leaves_no_empty_line() {
    let base = "one(1);\ntwo(2);\nthree(3);\nfive(5);\nsix(6);\n";
    found_by(
        Strategy::Elision,
        base,
        "one(1);\n...\nfive(5);",
        "one(1);\n...",
        &base.replace("five(5);\n", ""),
    );
}

#[test]
fn the_end_of_the_file_ends_one_line_only() {
    found_by(Strategy::Edges, "a\n", "a\n\n", "b\n\n", "b\n");
}

#[test]
fn a_line_inserted_before_the_block_is_not_inserted_again() {
    let base = "a();\nlog(1);\nlet r = get();\nassert_eq(r, 8019);\nassert(ok);\n}\n\nnext();\n";
    let old = "let r = get();\nassert_eq(r, 30);\nassert(ok);\n}\n";
    let new = "log(1);\nlet r = get();\nassert_eq(r, 8019);\nassert(ok);\n}\n";
    assert!(matches!(refused(base, old, new), EditRefusalKind::NotFound { already_applied: true, .. }));
}

#[test]
fn a_changed_segment_between_elisions_must_be_unique_in_the_file() {
    let base = "case A:\n    go();\n    break;\ncase B:\n    run();\n    break;\n";
    let (old, new) = ("case B:\n    ...\n    break;\n", "case B:\n    ...\n    return;\n");
    assert!(matches!(refused(base, old, new), EditRefusalKind::Ambiguous { .. }));
}

#[rstest]
#[case::tabs_in_blank_lines(
    "limit = 30\n\t\ntags = 1\n",
    ("  limit = 30\n", "  limit = 30\n  (insert\n    more = 2\n  )\n"),
    "limit = 30\n(insert\n  more = 2\n)\n\t\ntags = 1\n"
)]
#[case::blank_lines_of_another_kind(
    "{\n\ta = 1;\n  \n\tb = 2;\n}\n",
    ("  a = 1;\n \t\n  b = 2;\n", "  a = 1;\n   \n  b = 3;\n"),
    "{\n\ta = 1;\n  \n\tb = 3;\n}\n"
)]
#[case::a_block_that_starts_inside_the_indentation(
    "    count  INT\n);\n\nCREATE\n",
    ("  count  INT \n);\n\nCREATE\n", "\nCREATE\n"),
    "\nCREATE\n"
)]
fn whitespace_of_other_lines_is_ignored(
    #[case] base: &str,
    #[case] (old, new): (&str, &str),
    #[case] expected: &str,
) {
    found_by(Strategy::Indentation, base, old, new, expected);
}

#[rstest]
#[case::a_section("[server.a]\nport = 1\nhost = x\nuser = root\n", "server.a", "server.b", ("root", "me"))]
#[case::an_item("- name: web1\n  port: 80\n  host: a\n  user: root\n", "web1", "web2", ("root", "me"))]
#[case::a_named_item("- name: alpha\n  port: 80\n  host: a\n  user: root\n", "alpha", "alphas", ("root", "me"))]
#[case::a_version("## Version 1.2\n\n- fixed a\n- fixed b\n", "1.2", "1.3", ("fixed b", "fixed b\n- fixed c"))]
#[case::a_row("UPDATE users\nSET active = 1\nWHERE id = 5\n  AND org = 7\n", "id = 5", "id = 6", ("active = 1", "active = 0"))]
#[case::an_attribute("<div id=\"a1\">\n  <p>one</p>\n  <p>two</p>\n</div>\n", "a1", "a2", ("two", "three"))]
#[case::a_variant("match kind {\n    Kind::A => {\n        one();\n        two();\n    }\n}\n", "Kind::A", "Kind::B", ("two", "three"))]
#[case::a_test("it('adds one', () => {\n  run();\n  expect(a);\n  done();\n});\n", "adds one", "adds two", ("run()", "go()"))]
#[case::a_character_that_joins_lines("o = {\n  first: a,\n  second: b,\n  third: c\n};\n", "third: c", "third: c,", ("};", "  fourth: d,\n};"))]
fn a_different_line_is_not_drift(
    #[case] base: &str,
    #[case] there: &str,
    #[case] asked: &str,
    #[case] change: (&str, &str),
) {
    let old = base.replace(there, asked);
    let new = old.replace(change.0, change.1);
    assert!(matches!(refused(base, &old, &new), EditRefusalKind::NotFound { .. }));
}

#[test]
fn elided_lines_do_not_leave_their_block() {
    let base = "def f():\n    a()\n\ndef g():\n    b()\n    return 2\n";
    let (old, new) = ("def f():\n    # ...\n    return 2\n", "def f(x):\n    # ...\n    return x\n");
    assert!(matches!(refused(base, old, new), EditRefusalKind::NotFound { .. }));
}

#[test]
fn a_blank_new_text_does_not_show_which_blank_lines_stay() {
    assert!(matches!(refused("a\n\nb\n\nc\n", "\n\nb\n\n\n", "\n\n"), EditRefusalKind::NotFound { .. }));
}

#[test]
fn lists_of_stars_have_their_own_levels() {
    let base = "* one\n    * two\n    * three\n* four\n";
    let (old, new) =
        ("* one\n  * two\n  * three\n* four\n", "* one\n  * two\n  * three\n    * more\n* four\n");
    found_by(
        Strategy::Indentation,
        base,
        old,
        new,
        "* one\n    * two\n    * three\n        * more\n* four\n",
    );
}
