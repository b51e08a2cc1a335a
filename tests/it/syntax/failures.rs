//! Failures that users reported of other tools that edit symbols.

use editd_edit::{Deadline, Plan};
use editd_syntax::{Language, SymbolEdit, SymbolOp, SymbolRefusal, edit_symbol, new_errors, outline};

/// Applies an edit. Checks that it adds no syntax error.
pub(crate) fn edited(name: &str, text: &str, edit: &SymbolEdit) -> Result<String, SymbolRefusal> {
    let language = Language::of_path(name.as_ref()).expect("a language");
    let outline = outline(text, language, Deadline::NONE).expect("an outline");
    let change = edit_symbol(text, &outline, edit)?;
    let after = Plan::new(text.len(), change.splices).expect("a plan").apply(text);
    let errors = new_errors(text, &after, language, Deadline::NONE).expect("a parse");
    assert!(errors.is_empty(), "{errors:?}\n{after}");
    Ok(after)
}

fn done(name: &str, text: &str, symbol: &str, op: SymbolOp, new: &str) -> String {
    edited(name, text, &SymbolEdit::new(symbol, op, new)).expect("an edit")
}

/// oraios/serena#1029: the new body of an arrow function in a component was inserted before the old one.
#[test]
fn nested_arrow_functions_are_replaced_in_place() {
    let text = "export const App = () => {\n  const close = (e) => {\n    stop(e);\n  };\n\n  return <a onClick={close} />;\n};\n";
    let new = "const close = (e: Event) => {\n  e.preventDefault();\n  stop(e);\n};";
    let expected = text.replace("(e) => {\n    stop", "(e: Event) => {\n    e.preventDefault();\n    stop");
    assert_eq!(done("a.tsx", text, "App.close", SymbolOp::Replace, new), expected);
    let expected = text.replace("    stop(e);\n", "    go(e);\n    stop(e);\n");
    assert_eq!(done("a.tsx", text, "close", SymbolOp::Body, "go(e);\nstop(e);\n"), expected);
}

/// Pull request 1530 of serena: the keyword before a name was lost or doubled.
#[test]
fn keywords_are_part_of_the_declaration() {
    let text = "export const a = 1;\nlet b = 2;\nvar c = 3;\nexport type D = string;\n";
    for (symbol, old, new) in [
        ("a", "export const a = 1;", "export const a = 10;"),
        ("b", "let b = 2;", "let b = 20;"),
        ("c", "var c = 3;", "var c = 30;"),
        ("D", "export type D = string;", "export type D = number;"),
    ] {
        assert_eq!(done("a.ts", text, symbol, SymbolOp::Replace, new), text.replace(old, new));
    }
    assert_eq!(done("a.ts", text, "b", SymbolOp::Body, "20"), text.replace("b = 2", "b = 20"));
    let go = "package p\n\nvar x = 1\n\nconst y = 2\n\ntype T struct{}\n";
    assert_eq!(done("a.go", go, "x", SymbolOp::Replace, "var x = 3"), go.replace("x = 1", "x = 3"));
    assert_eq!(
        done("a.go", go, "T", SymbolOp::Replace, "type T struct{ a int }"),
        go.replace("T struct{}", "T struct{ a int }")
    );
}

/// serena#1593, pull request 1968: with an outdated index, the body of another function was returned. An
/// outline is built from the text that it is used for.
#[test]
fn the_outline_is_of_the_current_text() {
    let text = "def a():\n    return 1\n\n\ndef b():\n    return 2\n";
    let longer = format!("import os\n\n\n{text}");
    let expected = longer.replace("return 2", "return 3");
    assert_eq!(done("a.py", &longer, "b", SymbolOp::Body, "return 3"), expected);
}

/// serena#1952, #1898: the blank line before the next symbol was swallowed.
#[test]
fn blank_lines_between_symbols_stay() {
    let text = "def a():\n    return 1\n\n\ndef b():\n    return 2\n";
    let new = "def a():\n    return 10";
    assert_eq!(done("a.py", text, "a", SymbolOp::Replace, new), text.replace("return 1\n", "return 10\n"));
    let new = "def a():\n    return 10\n\n\n";
    assert_eq!(done("a.py", text, "a", SymbolOp::Replace, new), text.replace("return 1\n", "return 10\n"));
    let text = "# A\n\nOne.\n\n## B\n\nTwo.\n\n## C\n\nThree.\n";
    assert_eq!(done("a.md", text, "B", SymbolOp::Replace, "## B\n\n2."), text.replace("Two.", "2."));
    assert_eq!(done("a.md", text, "B", SymbolOp::Delete, ""), text.replace("## B\n\nTwo.\n\n", ""));
    assert_eq!(done("a.md", text, "A.C", SymbolOp::Body, "3.\n"), text.replace("Three.", "3."));
}

/// Pull request 1701 of serena: the range of the last symbol was beyond the end of the file.
#[test]
fn the_last_symbol_ends_with_the_file() {
    for text in ["fn a() {}\n\nfn b() {}", "fn a() {}\n\nfn b() {}\n", "fn a() {}\r\n\r\nfn b() {}"] {
        let language = Language::Rust;
        let outline = outline(text, language, Deadline::NONE).expect("an outline");
        assert_eq!(outline.symbols()[1].range.end, text.len());
        assert_eq!(outline.symbols()[1].lines.end, 3);
        let expected = text.replace("fn b()", "fn b(x: u8)");
        assert_eq!(done("a.rs", text, "b", SymbolOp::Replace, "fn b(x: u8) {}"), expected);
        let ending = if text.contains('\r') { "\r\n" } else { "\n" };
        let last = if text.ends_with('\n') { "\n" } else { "" };
        assert_eq!(done("a.rs", text, "b", SymbolOp::Delete, ""), format!("fn a() {{}}{last}"));
        let expected = format!("{}{ending}{ending}fn c() {{}}{last}", text.trim_end());
        assert_eq!(done("a.rs", text, "b", SymbolOp::After, "fn c() {}\n"), expected);
    }
}

/// Pull request 533 of serena: the semicolon was outside the range and doubled.
#[test]
fn semicolons_are_not_doubled_or_lost() {
    let text = "class A {\n  x = 1;\n  go = () => {\n    run();\n  };\n}\n\nconst f = () => 1;\n";
    assert_eq!(done("a.ts", text, "A.x", SymbolOp::Replace, "x = 2;"), text.replace("x = 1", "x = 2"));
    let new = "go = () => {\n  stop();\n};";
    assert_eq!(done("a.ts", text, "go", SymbolOp::Replace, new), text.replace("run()", "stop()"));
    assert_eq!(
        done("a.ts", text, "f", SymbolOp::Replace, "const f = () => 2;"),
        text.replace("=> 1", "=> 2")
    );
    assert_eq!(done("a.ts", text, "f", SymbolOp::Body, "2;"), text.replace("=> 1", "=> 2"));
    let c = "struct a {\n    int x;\n};\n\nint y = 1;\n";
    assert_eq!(
        done("a.c", c, "a", SymbolOp::Replace, "struct a {\n    int z;\n}"),
        c.replace("int x", "int z")
    );
    assert_eq!(
        done("a.c", c, "a", SymbolOp::Replace, "struct a {\n    int z;\n};"),
        c.replace("int x", "int z")
    );
    assert_eq!(done("a.c", c, "a", SymbolOp::Delete, ""), "int y = 1;\n");
}

/// serena#1358: symbols of a broken file came from a cache. Here they are of the file as it is, and a broken one is
/// refused.
#[test]
fn a_broken_symbol_is_refused_and_others_are_not() {
    let text = "fn a() {\n    let x = ;\n}\n\nfn b() {\n    1\n}\n";
    let broken = |op| edited("a.rs", text, &SymbolEdit::new("a", op, "fn a() {}")).expect_err("a refusal");
    for op in [SymbolOp::Replace, SymbolOp::Body, SymbolOp::Delete, SymbolOp::RenameHere] {
        assert_eq!(broken(op), SymbolRefusal::Broken { line: 2 });
    }
    assert_eq!(done("a.rs", text, "b", SymbolOp::Body, "2"), text.replace("    1\n", "    2\n"));
    assert!(done("a.rs", text, "a", SymbolOp::After, "fn c() {}").contains("}\n\nfn c() {}\n\nfn b()"));
}

/// Edits keep `#[test]`, decorators and doc comments that the new text leaves out, and do not double them.
#[test]
fn attributes_and_comments_are_neither_lost_nor_doubled() {
    let text = "/// Checks.\n#[test]\nfn a() {\n    one();\n}\n";
    let expected = text.replace("one", "two");
    for head in ["", "#[test]\n", "/// Checks.\n#[test]\n", "/// Checks.\n"] {
        let new = format!("{head}fn a() {{\n    two();\n}}\n");
        assert_eq!(done("a.rs", text, "a", SymbolOp::Replace, &new), expected, "{head}");
    }
    let new = "/// Checks well.\nfn a() {\n    two();\n}\n";
    assert_eq!(done("a.rs", text, "a", SymbolOp::Replace, new), expected.replace("Checks", "Checks well"));
    let new = "#[tokio::test]\nasync fn a() {}\n";
    assert_eq!(
        done("a.rs", text, "a", SymbolOp::Replace, new),
        "/// Checks.\n#[tokio::test]\nasync fn a() {}\n"
    );
    let java = "class A {\n    /** Doc. */\n    @Override public int f() { return 1; }\n}\n";
    let new = "public int f() {\n    return 2;\n}";
    let expected =
        "class A {\n    /** Doc. */\n    @Override public int f() {\n        return 2;\n    }\n}\n";
    assert_eq!(done("a.java", java, "A.f", SymbolOp::Replace, new), expected);
}
