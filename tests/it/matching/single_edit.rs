//! Matching of a single edit, and the exact bytes of the result.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

/// Edits a file after reading it. Returns its entry in the answer and its text.
fn edited(before: &str, old: &str, new: &str) -> (Value, String) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let applied = machine.agent(&workspace).read_and_edit("a.txt", old, new).done();
    (applied["files"][0].clone(), workspace.text("a.txt"))
}

#[track_caller]
fn assert_edited(strategy: &str, before: &str, (old, new): (&str, &str), after: &str) {
    let (file, text) = edited(before, old, new);
    assert_eq!(text, after);
    let found = &file["matches"][0];
    assert_eq!(found["strategy"], strategy, "{found}");
    let similarity = found["similarity"].as_f64().unwrap_or_else(|| panic!("no similarity: {found}"));
    assert!((0.0..=1.0).contains(&similarity), "{found}");
    let warnings = file["warnings"].as_array().unwrap_or_else(|| panic!("no warnings: {file}"));
    assert!(strategy == "exact" || !warnings.is_empty(), "tolerated differences are reported: {file}");
}

#[rstest]
#[case::one_word("a b c\n", ("b", "x"), "a x c\n")]
#[case::at_the_start("a\nb\n", ("a", "x"), "x\nb\n")]
#[case::the_last_line_without_an_ending("a\nb", ("b", "x"), "a\nx")]
#[case::the_whole_file("a\n", ("a\n", "b\nc\n"), "b\nc\n")]
#[case::removed("a\nb\nc\n", ("b\n", ""), "a\nc\n")]
#[case::everything_removed("a\n", ("a\n", ""), "")]
#[case::several_lines("a\nb\nc\nd\n", ("b\nc", "x\ny\nz"), "a\nx\ny\nz\nd\n")]
#[case::whitespace_verbatim("a  \n\tb\n", ("a  \n\tb", "a  \n\tc"), "a  \n\tc\n")]
#[case::windows_line_endings("a\r\nb\r\nc\r\n", ("a\nb\n", "a\nx\nb\n"), "a\r\nx\r\nb\r\nc\r\n")]
#[case::windows_line_endings_in_the_request("a\nb\nc\n", ("a\r\nb", "a\r\nx\r\nb"), "a\nx\nb\nc\n")]
#[case::old_macintosh_line_endings("a\rb\rc\r", ("b\nc", "b\nx\nc"), "a\rb\rx\rc\r")]
#[case::mixed_line_endings("a\r\nb\nc\r\n", ("a\nb\nc", "a\nB\nc"), "a\r\nB\nc\r\n")]
#[case::a_line_ending_at_the_end_of_the_file("a\nb", ("b\n", "c\n"), "a\nc")]
#[case::after_a_byte_order_mark("\u{feff}a\nb\n", ("a\nb", "a\nc"), "\u{feff}a\nc\n")]
#[case::a_byte_order_mark_in_the_request("a\nb\n", ("\u{feff}a", "\u{feff}x"), "x\nb\n")]
#[case::not_a_template("cost: 1\n", ("1", "$1 \\1 $& ${0} \\n %s"), "cost: $1 \\1 $& ${0} \\n %s\n")]
#[case::not_a_regular_expression("a.c abc\n", ("a.c", "x"), "x abc\n")]
#[case::separators_are_content("a\u{2028}b\u{85}c\n", ("b\u{85}c", "x"), "a\u{2028}x\n")]
#[case::text_like_line_numbers("1\ta\n2\tb\n", ("2\tb", "2\tc"), "1\ta\n2\tc\n")]
#[case::text_like_escapes("say \"\\n\"\n", ("\\n", "\\t"), "say \"\\t\"\n")]
#[case::wide_characters("😀 a 😀\n", ("a 😀", "é 😀"), "😀 é 😀\n")]
fn an_exact_match_is_replaced_verbatim(
    #[case] before: &str,
    #[case] edit: (&str, &str),
    #[case] after: &str,
) {
    assert_edited("exact", before, edit, after);
}

#[rstest]
#[case::of_the_file(
    "let a = 1;  \nlet b = 2;\n",
    ("let a = 1;\nlet b = 2;\n", "let a = 1;\nlet b = 3;\n"),
    "let a = 1;  \nlet b = 3;\n",
)]
#[case::of_the_request("x = 1\ny = 2\n", ("x = 1  \ny = 2\n", "x = 1  \ny = 5\n"), "x = 1\ny = 5\n")]
#[case::a_tab("a\t\nb\nc\n", ("a\nb", "a\nB"), "a\t\nB\nc\n")]
#[case::of_a_changed_line("a = 1;  \nb\n", ("a = 1;\nb", "a = 2;\nb"), "a = 2;\nb\n")]
#[case::before_windows_line_endings("a \r\nb\r\nc\r\n", ("a\nb\n", "a\nx\nb\n"), "a \r\nx\r\nb\r\nc\r\n")]
#[case::on_an_empty_line("a\n   \nb\n", ("a\n\nb", "a\n\nc"), "a\n   \nc\n")]
fn trailing_whitespace_is_tolerated(#[case] before: &str, #[case] edit: (&str, &str), #[case] after: &str) {
    assert_edited("trailing_blanks", before, edit, after);
}

#[rstest]
#[case::double_quotes(
    "say “hello” now\n",
    ("say \"hello\" now", "say \"hello\" later"),
    "say “hello” later\n",
)]
#[case::an_apostrophe("it’s here\n", ("it's here", "it's there"), "it’s there\n")]
#[case::straight_in_the_file("it's here\n", ("it’s here", "it’s there"), "it's there\n")]
#[case::a_dash("pages 1–9 here\n", ("pages 1-9 here", "pages 1-9 there"), "pages 1–9 there\n")]
#[case::a_no_break_space("a\u{a0}b = 1\n", ("a b = 1", "a b = 2"), "a\u{a0}b = 2\n")]
#[case::a_composed_letter("caf\u{e9} one\n", ("cafe\u{301} one", "cafe\u{301} two"), "caf\u{e9} two\n")]
#[case::a_line_that_stays("“a”\nb\n", ("\"a\"\nb", "\"a\"\nc"), "“a”\nc\n")]
fn typography_is_tolerated(#[case] before: &str, #[case] edit: (&str, &str), #[case] after: &str) {
    assert_edited("typography", before, edit, after);
}

#[rstest]
#[case::tabs_in_the_file(
    "fn f() {\n\tif a {\n\t\tb();\n\t}\n}\n",
    ("if a {\n    b();\n}", "if a {\n    c();\n}"),
    "fn f() {\n\tif a {\n\t\tc();\n\t}\n}\n",
)]
#[case::deeper_in_the_file(
    "{\n        x();\n        y();\n}\n",
    ("    x();\n    y();\n", "    x();\n    z();\n    y();\n"),
    "{\n        x();\n        z();\n        y();\n}\n",
)]
#[case::two_for_four(
    "if a:\n  if b:\n    c()\n",
    ("if a:\n    if b:\n        c()\n", "if a:\n    if b:\n        d()\n"),
    "if a:\n  if b:\n    d()\n",
)]
#[case::a_deeper_line_is_new(
    "class A:\n\tdef f(self):\n\t\tpass\n",
    (
        "    def f(self):\n        pass\n",
        "    def f(self):\n        if x:\n            return\n        pass\n",
    ),
    "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn\n\t\tpass\n",
)]
#[case::only_the_first_line("\ta();\n\tb();\n", ("a();\n    b();", "a();\n    c();"), "\ta();\n\tc();\n")]
fn different_indentation_is_tolerated(#[case] before: &str, #[case] edit: (&str, &str), #[case] after: &str) {
    assert_edited("indentation", before, edit, after);
}

#[test]
fn a_stricter_match_wins_over_looser_ones() {
    assert_edited("exact", "“q”\n\"q\"\n“q”\n", ("\"q\"", "\"r\""), "“q”\n\"r\"\n“q”\n");
}

#[test]
fn a_match_reports_its_location() {
    let (file, _) = edited("one\ntwo\nthree\nfour\n", "two\nthree\n", "2\n");
    let found = &file["matches"][0];
    assert_eq!((&found["startLine"], &found["endLine"], &found["edit"]), (&json!(2), &json!(3), &json!(0)));
    assert_eq!(found["replacements"], 1);
}

#[rstest]
#[case::trailing_blanks("a  \nb\n", "a\nb\n")]
#[case::typography("it’s here\n", "it's here")]
#[case::indentation("\ta();\n\tb();\n", "    a();\n    b();\n")]
fn exact_matching_tolerates_no_differences(#[case] before: &str, #[case] old: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": old, "newText": "x\n", "matching": "exact" });
    agent.call("editd/edit", params.clone()).refused("not_found");
    assert_eq!(workspace.text("a.txt"), before);
    let mut fuzzy = params;
    fuzzy["matching"] = json!("fuzzy");
    agent.call("editd/edit", fuzzy).done();
}

#[test]
fn exact_matching_still_ignores_line_endings() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\r\nb\r\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "a\nb", "newText": "a\nc", "matching": "exact" });
    agent.call("editd/edit", params).done();
    assert_eq!(workspace.text("a.txt"), "a\r\nc\r\n");
}

#[rstest]
#[case::line_numbers("prefixes_escapes", "a\nb\n", ("1\ta\n2\tb\n", "1\ta\n2\tc\n"), "a\nc\n")]
#[case::escapes("prefixes_escapes", "say(\"a\")\n", (r#"say(\"a\")"#, r#"say(\"b\")"#), "say(\"b\")\n")]
#[case::blank_lines_at_the_edges("edges", "a\r\nb\r\n", ("\n\na\n\n", "\n\nx\n\n"), "x\r\nb\r\n")]
#[case::runs_of_spaces("inner_space", "f(a,   b)\n", ("f(a, b)", "f(a, c)"), "f(a,   c)\n")]
#[case::elided_lines(
    "elision",
    "f {\n\ta\n\tb\n\tc\n}\n",
    ("f {\n    // ...\n    c\n}\n", "g {\n    // ...\n    d\n}\n"),
    "g {\n\ta\n\tb\n\td\n}\n"
)]
#[case::drift(
    "drifted_context",
    "def f(a):\n    # Says how it is done.\n    b = a + 1\n    return b\n",
    (
        "def f(a):\n    # Tells how it is done.\n    b = a + 1\n    return b\n",
        "def f(a):\n    # Tells how it is done.\n    b = a + 2\n    return b\n",
    ),
    "def f(a):\n    # Says how it is done.\n    b = a + 2\n    return b\n"
)]
fn looser_tiers_are_reported_too(
    #[case] strategy: &str,
    #[case] before: &str,
    #[case] edit: (&str, &str),
    #[case] after: &str,
) {
    assert_edited(strategy, before, edit, after);
}

#[rstest]
#[case::removed("f:\n    x:\n        log()\n    run()\n", ("    log()\n", ""), "f:\n    x:\n    run()\n")]
#[case::removed_without_its_indentation("f:\n\t\tlog()\n\trun()\n", ("log()\n", ""), "f:\n\trun()\n")]
#[case::removed_with_trailing_whitespace("f:\n\tlog()  \nrun()\n", ("log()\n", ""), "f:\nrun()\n")]
#[case::more_lines("x:\n        a()\n", ("    a()\n", "    a()\n    b()\n"), "x:\n        a()\n        b()\n")]
#[case::deeper_lines("x:\n    y:\n        a()\n", ("    a()", "    if c:\n      a()"), "x:\n    y:\n        if c:\n            a()\n")]
fn an_unindented_line_does_not_move_other_lines(
    #[case] before: &str,
    #[case] edit: (&str, &str),
    #[case] after: &str,
) {
    assert_edited("indentation", before, edit, after);
}

#[test]
fn a_deeper_line_with_an_unknown_indentation_unit_is_refused() {
    let before = "x:\n    y:\n        a()\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    // The file has no level of two columns, and its eight columns do not map to the two columns of the
    // request.
    let data = agent.edit("a.txt", "  a()", "  if c:\n    a()").refused("not_found");
    let reason = data["closest"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("the indentation of the new line `a()` does not follow"), "{reason}");
    assert_eq!(workspace.text("a.txt"), before);
}

#[rstest]
#[case::one_line("x:\n        a()\n", ("    a()\n", "    b()\n"), "x:\n        b()\n")]
#[case::within_the_line("x:\n    a(b)\n", ("a(", "a(\nc, "), "x:\n    a(\nc, b)\n")]
#[case::following_lines("x:\n    a()\n", ("a()\n", "a()\n\ny:\n    b()\n"), "x:\n    a()\n\ny:\n    b()\n")]
#[case::joined("x:\n    a()\nb\n", ("a()\n", "a() "), "x:\n    a() b\n")]
fn text_is_exact_if_no_other_line_moves(
    #[case] before: &str,
    #[case] edit: (&str, &str),
    #[case] after: &str,
) {
    assert_edited("exact", before, edit, after);
}

#[test]
fn exact_matching_takes_an_unindented_line_literally() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x:\n    a()\nb\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "a()\n", "newText": "", "matching": "exact" });
    agent.call("editd/edit", params).done();
    assert_eq!(workspace.text("a.txt"), "x:\n    b\n");
}
