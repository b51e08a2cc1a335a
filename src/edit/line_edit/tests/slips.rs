//! Slips that models make in edits by lines.

use super::super::*;
use super::{at, edited};
use crate::EditRefusalKind;

const CODE: &str = "\
fn main() {
    let a = one();
    let b = two();
    print(a, b);
}

fn other() {
    call();
}
";

/// Applies an edit with a slip. Returns the result, and checks that there is a warning.
fn mended(base: &str, place: &str, new: &str) -> String {
    let (result, warnings) = edited(base, vec![at(place, Some(new))]).expect("a result");
    assert!(!warnings.is_empty(), "{place}: {new:?} became {result:?} without a warning");
    result
}

/// Applies an edit without a slip, and checks that it is applied as given.
fn as_given(base: &str, place: &str, new: &str) -> String {
    let (result, warnings) = edited(base, vec![at(place, Some(new))]).expect("a result");
    assert_eq!(warnings, [""; 0], "{place}: {new:?}");
    result
}

#[test]
fn copied_line_numbers_are_removed() {
    let expected = CODE.replace("    let a = one();\n", "    let a = 1;\n    let c = 3;\n");
    for new in [
        "2\t    let a = 1;\n3\t    let c = 3;",
        "2→    let a = 1;\n3→    let c = 3;\n",
        "2|    let a = 1;\n3|    let c = 3;",
        "2:    let a = 1;\n3:    let c = 3;",
        "L2:    let a = 1;\nL3:    let c = 3;",
        "     2\t    let a = 1;\n     3\t    let c = 3;",
    ] {
        assert_eq!(mended(CODE, "2", new), expected, "{new:?}");
    }
    assert_eq!(mended(CODE, "after 2", "3\t    let c = 3;"), CODE.replace("let b", "let c = 3;\n    let b"));
}

#[test]
fn numbers_that_are_content_stay() {
    let table = "1\tone\n2\ttwo\n3\tthree\n";
    assert_eq!(as_given(table, "2", "2\tzwei"), "1\tone\n2\tzwei\n3\tthree\n");
    assert_eq!(as_given("a:\n  b\n", "2", "2: b"), "a:\n2: b\n");
    assert_eq!(as_given("a\nb\n", "2", "70\tb"), "a\n70\tb\n");
    // The first rows below the head of a table have as many columns as it.
    assert_eq!(as_given("id\tname\n", "after 1", "1\ta\n2\tb"), "id\tname\n1\ta\n2\tb\n");
    // A row may begin with two numbers.
    assert_eq!(as_given(table, "after 3", "4\t2024\tfour"), format!("{table}4\t2024\tfour\n"));
}

#[test]
fn line_numbers_before_rows_with_numbers_are_removed() {
    let table = "10\tone\n2\ttwo\n30\tthree\n";
    let expected = "10\tone\n2\tzwei\n30\tdrei\n";
    assert_eq!(mended(table, "2-3", "2\t2\tzwei\n3\t30\tdrei"), expected);
    assert_eq!(as_given(table, "2-3", "2\tzwei\n30\tdrei"), expected);
}

#[test]
fn repeated_lines_around_the_place_are_dropped() {
    let expected = CODE.replace("    call();\n", "    call(1);\n");
    for new in [
        "fn other() {\n    call(1);",
        "    call(1);\n}",
        "fn other() {\n    call(1);\n}",
        "fn other() {\n    call(1);\n}\n",
    ] {
        assert_eq!(mended(CODE, "8", new), expected, "{new:?}");
    }
    let python = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n";
    let expected = python.replace("return 1", "return 3");
    assert_eq!(mended(python, "3", "    def f(self):\n        return 3"), expected);
    let inserted = CODE.replace("    call();\n", "    before();\n    call();\n");
    assert_eq!(mended(CODE, "after 7", "fn other() {\n    before();"), inserted);
}

#[test]
fn repeated_lines_are_recognized_without_their_indentation() {
    let nested = "fn f() {\n    if a {\n        b();\n    }\n    c();\n}\n";
    let expected = nested.replace("b();", "b(1);");
    for new in ["if a {\n    b(1);", "    b(1);\n}"] {
        assert_eq!(mended(nested, "3", new), expected, "{new:?}");
    }
}

#[test]
fn lines_that_are_repeated_on_purpose_stay() {
    let calls = "fn f() {\n    a();\n    b();\n}\n";
    assert_eq!(as_given(calls, "3", "    a();\n    b();"), "fn f() {\n    a();\n    a();\n    b();\n}\n");
    assert_eq!(
        as_given(CODE, "8", "    call();\n}\n\nfn third() {\n    call();"),
        CODE.replace("    call();\n}", "    call();\n}\n\nfn third() {\n    call();\n}")
    );
    let nested = "if a {\n    if a {\n        x();\n    }\n}\n";
    assert_eq!(
        as_given(nested, "3", "        if a {\n            x();\n        }"),
        "if a {\n    if a {\n        if a {\n            x();\n        }\n    }\n}\n"
    );
}

#[test]
fn lines_that_are_off_by_one_are_moved_if_first_and_last_prove_it() {
    let with = |place: &str, first: Option<&str>, last: Option<&str>| {
        let [first, last] = [first, last].map(|text| text.map(str::to_owned));
        edited(CODE, vec![LineEdit { first, last, ..at(place, Some("    x();")) }])
    };
    let expected = CODE.replace("    let a = one();\n    let b = two();\n", "    x();\n");
    for (place, first, last) in [
        ("2-3", Some("let a = one();"), Some("let b  = two();")),
        ("1-2", Some("let a = one();"), Some("let b = two();")),
        ("3-4", Some("let a = one();"), Some("let b = two();")),
        ("2-4", Some("let a = one();"), Some("let b = two();")),
        ("1-3", Some("let a = one();"), Some("let b = two();")),
        ("2-3", Some("let a = one();"), None),
    ] {
        let (result, warnings) = with(place, first, last).expect(place);
        assert_eq!(result, expected, "{place}");
        assert_eq!(warnings.is_empty(), place == "2-3", "{place}");
    }
    let (result, _) = with("4", Some("let b = two();"), None).expect("a result");
    assert_eq!(result, CODE.replace("    let b = two();\n", "    x();\n"));
    // One end alone does not prove where the other is.
    for (place, first, last) in [
        ("1-2", Some("let a = one();"), None),
        ("2-4", None, Some("let b = two();")),
        ("5-6", Some("let a = one();"), Some("let b = two();")),
        ("2-3", Some("let z = 0;"), None),
    ] {
        let refusal = with(place, first, last).expect_err(place).remove(0);
        assert!(
            matches!(refusal.kind, EditRefusalKind::Lines(LineRefusal::OtherText { .. })),
            "{place}: {refusal:?}"
        );
    }
}

#[test]
fn a_missing_indentation_is_added() {
    let expected = CODE.replace("    let a = one();\n", "    let a = 1;\n    if a {\n        b();\n    }\n");
    assert_eq!(mended(CODE, "2", "let a = 1;\nif a {\n    b();\n}"), expected);
    assert_eq!(mended(CODE, "8", "call(1);"), CODE.replace("call()", "call(1)"));
    assert_eq!(mended(CODE, "after 2", "let c;"), CODE.replace("one();\n", "one();\n    let c;\n"));
    let python = "def f():\n\ta = 1\n\tb = 2\n\treturn a\n";
    assert_eq!(
        mended(python, "2", "a = 3\nif a:\n\tb = 4"),
        "def f():\n\ta = 3\n\tif a:\n\t\tb = 4\n\tb = 2\n\treturn a\n"
    );
}

#[test]
fn lines_that_belong_to_the_outermost_level_stay_there() {
    let python = "def f():\n    a = 1\n    return a\n";
    assert_eq!(as_given(python, "3", "x = 2"), "def f():\n    a = 1\nx = 2\n");
    let c = "int f() {\n    a();\n    b();\n}\n";
    assert_eq!(as_given(c, "2", "#ifdef X"), "int f() {\n#ifdef X\n    b();\n}\n");
    assert_eq!(as_given(c, "2", "end:"), "int f() {\nend:\n    b();\n}\n");
    for new in ["#ifdef X\n    c();\n#endif\n", "end:\n    c();\n"] {
        assert_eq!(as_given(c, "after 2", new), format!("int f() {{\n    a();\n{new}    b();\n}}\n"));
    }
    let list = "- a\n  - b\n  - c\n";
    assert_eq!(as_given(list, "after 2", "- d\n  - e"), "- a\n  - b\n- d\n  - e\n  - c\n");
    assert_eq!(
        as_given(CODE, "8", "}\n\nfn third() {"),
        CODE.replace("    call();\n", "}\n\nfn third() {\n")
    );
}

#[test]
fn lines_that_another_edit_changes_prove_nothing() {
    let base = "fn f() {\n    a();\n}\n";
    let edits = vec![at("1", None), at("2", Some("fn g() {\n    b();"))];
    let (result, warnings) = edited(base, edits).expect("a result");
    assert_eq!((result.as_str(), warnings.len()), ("fn g() {\n    b();\n}\n", 0));
}
