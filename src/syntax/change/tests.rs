use super::super::outline::tests::outlined;
use super::*;
use editd_edit::Plan;

fn change(
    name: &str,
    text: &str,
    symbol: &str,
    op: SymbolOp,
    new: &str,
) -> Result<SymbolChange, SymbolRefusal> {
    edit_symbol(text, &outlined(name, text), &SymbolEdit::new(symbol, op, new))
}

fn edited(name: &str, text: &str, symbol: &str, op: SymbolOp, new: &str) -> String {
    let change = change(name, text, symbol, op, new).expect("a change");
    Plan::new(text.len(), change.splices).expect("a plan").apply(text)
}

const CLASS: &str = "class A {\n    fn = 1;\n\n    run() {\n        go();\n    }\n}\n";

#[test]
fn new_texts_are_indented_as_their_place() {
    let expected = CLASS.replace("go();", "stop();");
    for new in [
        "run() {\n    stop();\n}",
        "    run() {\n        stop();\n    }\n",
        "\n\n        run() {\n            stop();\n        }\n\n",
        "run() {\n        stop();\n    }",
        "\trun() {\n\t\tstop();\n\t}",
        "run() {\r\n    stop();\r\n}\r\n",
    ] {
        assert_eq!(edited("a.js", CLASS, "A.run", SymbolOp::Replace, new), expected, "{new:?}");
    }
    let tabs = CLASS.replace("    ", "\t");
    let expected = tabs.replace("go();", "stop();");
    for new in ["run() {\n  stop();\n}", "    run() {\n        stop();\n    }", "/**/run() {\n  stop();\n}"] {
        let result = edited("a.js", &tabs, "A.run", SymbolOp::Replace, new).replace("/**/", "");
        assert_eq!(result, expected, "{new:?}");
    }
}

#[test]
fn a_level_is_no_wider_than_the_first_one_of_the_symbol() {
    let other =
        "int g(void)\n{\n    if (a)\n        b();\n    if (c)\n        d();\n    if (e)\n        h();\n}\n\n";
    let text = "int f(void)\n{\n    a(\n            b,\n            c);\n    d(\n            e);\n}\n";
    let new = "int f(void)\n{\n\tx();\n\treturn;\n}";
    let expected = format!("{other}int f(void)\n{{\n    x();\n    return;\n}}\n");
    assert_eq!(edited("a.c", &format!("{other}{text}"), "f", SymbolOp::Replace, new), expected);
}

#[test]
fn a_text_that_cannot_be_shifted_is_kept_with_a_warning() {
    let text = "class A:\n    def f(self):\n        return 1\n";
    let new = "        def f(self):\n            return '''\nx\n'''\n";
    let change = change("a.py", text, "f", SymbolOp::Replace, new).expect("a change");
    assert_eq!(change.warnings, [replace::UNEVEN]);
    assert_eq!(change.splices[0].text, new.trim_end());
}

#[test]
fn bodies_are_replaced_inside_their_delimiters() {
    let result = |name, text, symbol, new| edited(name, text, symbol, SymbolOp::Body, new);
    assert_eq!(result("a.js", CLASS, "run", "stop();"), CLASS.replace("go();", "stop();"));
    assert_eq!(result("a.js", CLASS, "run", "a();\n\nb();"), CLASS.replace("go();", "a();\n\n        b();"));
    assert_eq!(result("a.js", CLASS, "run", "{\n    stop();\n}"), CLASS.replace("go();", "stop();"));
    assert_eq!(result("a.rs", "fn a() {}\n", "a", "b();"), "fn a() { b(); }\n");
    assert_eq!(result("a.rs", "fn a() {}\n", "a", "b();\nc();"), "fn a() {\n    b();\n    c();\n}\n");
    assert_eq!(result("a.rs", "fn a() {\n}\n", "a", "b();"), "fn a() {\n    b();\n}\n");
    assert_eq!(result("a.rs", "fn a() { b() }\n", "a", "c()"), "fn a() { c() }\n");
    assert_eq!(result("a.rs", "fn a() {\n    b();\n}\n", "a", ""), "fn a() {\n}\n");
    assert_eq!(result("a.rs", "fn a() { // x\n    b();\n}\n", "a", "c();"), "fn a() { // x\n    c();\n}\n");
    assert_eq!(
        result("a.lua", "function f()\n  a()\nend\n", "f", "b()\nc()"),
        "function f()\n  b()\n  c()\nend\n"
    );
    assert_eq!(result("a.html", "<p id=\"a\">x</p>\n", "a", "y"), "<p id=\"a\">y</p>\n");
    assert_eq!(result("a.css", ".a {\n  x: 1;\n}\n", ".a", "y: 2;"), ".a {\n  y: 2;\n}\n");
}

#[test]
fn bodies_without_delimiters_are_values_or_blocks() {
    let result = |name, text, symbol, new| edited(name, text, symbol, SymbolOp::Body, new);
    let python = "class A:\n    def f(self):\n        # C.\n        return 1\n\n    x = 1\n";
    assert_eq!(
        result("a.py", python, "f", "if x:\n    return 2"),
        python.replace("# C.\n        return 1", "if x:\n            return 2")
    );
    assert_eq!(result("a.py", python, "x", "2"), python.replace("x = 1", "x = 2"));
    assert_eq!(
        result("a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "a", "{\n  \"c\": 3\n}"),
        "{\n  \"a\": {\n    \"c\": 3\n  },\n  \"b\": 2\n}\n"
    );
    assert_eq!(result("a.yaml", "a:\n  b: 1\n", "a", "c: 2\nd: 3"), "a:\n  c: 2\n  d: 3\n");
    assert_eq!(result("a.rs", "const X: u8 = 1;\n", "X", "2"), "const X: u8 = 2;\n");
    assert_eq!(result("a.md", "# A\n\none\n\n# B\n", "A", "two\n"), "# A\n\ntwo\n\n# B\n");
    let refused = change("a.rs", "struct A;\n", "A", SymbolOp::Body, "x").expect_err("a refusal");
    assert_eq!(refused, SymbolRefusal::WithoutBody { lines: LineRange { start: 1, end: 1 } });
}

#[test]
fn insertions_follow_the_distance_of_neighbors() {
    let after = |text, symbol, new| edited("a.py", text, symbol, SymbolOp::After, new);
    let before = |text, symbol, new| edited("a.py", text, symbol, SymbolOp::Before, new);
    let far = "def a(): pass\n\n\ndef b(): pass\n";
    assert_eq!(after(far, "a", "def c(): pass"), "def a(): pass\n\n\ndef c(): pass\n\n\ndef b(): pass\n");
    assert_eq!(after(far, "b", "def c(): pass"), "def a(): pass\n\n\ndef b(): pass\n\n\ndef c(): pass\n");
    assert_eq!(before(far, "a", "def c(): pass"), "def c(): pass\n\n\ndef a(): pass\n\n\ndef b(): pass\n");
    let near = "a = 1\nb = 2\n\n\ndef f(): pass\n";
    assert_eq!(after(near, "a", "c = 3"), "a = 1\nc = 3\nb = 2\n\n\ndef f(): pass\n");
    assert_eq!(before(near, "a", "c = 3"), "c = 3\na = 1\nb = 2\n\n\ndef f(): pass\n");
    assert_eq!(
        before("import x\n\ndef f(): pass\n", "f", "def g(): pass"),
        "import x\n\ndef g(): pass\n\ndef f(): pass\n"
    );
    assert_eq!(after("def f(): pass", "f", "def g(): pass\n"), "def f(): pass\n\ndef g(): pass");
}

#[test]
fn lists_get_the_commas_that_they_need() {
    let json = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
    let result = |op, symbol, new| edited("a.json", json, symbol, op, new);
    for new in ["\"c\": 3", "\"c\": 3,"] {
        assert_eq!(result(SymbolOp::After, "b", new), "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n");
        assert_eq!(result(SymbolOp::After, "a", new), "{\n  \"a\": 1,\n  \"c\": 3,\n  \"b\": 2\n}\n");
        assert_eq!(result(SymbolOp::Before, "a", new), "{\n  \"c\": 3,\n  \"a\": 1,\n  \"b\": 2\n}\n");
        assert_eq!(result(SymbolOp::Replace, "b", new), "{\n  \"a\": 1,\n  \"c\": 3\n}\n");
        assert_eq!(result(SymbolOp::Replace, "a", new), "{\n  \"c\": 3,\n  \"b\": 2\n}\n");
    }
    assert_eq!(result(SymbolOp::Delete, "b", ""), "{\n  \"a\": 1\n}\n");
    assert_eq!(result(SymbolOp::Delete, "a", ""), "{\n  \"b\": 2\n}\n");
    let change = change("a.json", json, "b", SymbolOp::Delete, "").expect("a change");
    assert_eq!(change.lines.iter().map(|lines| lines.start).collect::<Vec<_>>(), [2, 3]);
    let line = "x = { a = 1, b = 2, c = 3 }\n";
    let result = |op, symbol, new| edited("a.toml", line, symbol, op, new);
    assert_eq!(result(SymbolOp::Delete, "a", ""), "x = { b = 2, c = 3 }\n");
    assert_eq!(result(SymbolOp::Delete, "c", ""), "x = { a = 1, b = 2 }\n");
    assert_eq!(result(SymbolOp::After, "c", "d = 4"), "x = { a = 1, b = 2, c = 3, d = 4 }\n");
    assert_eq!(result(SymbolOp::Before, "a", "d = 4"), "x = { d = 4, a = 1, b = 2, c = 3 }\n");
    assert_eq!(result(SymbolOp::Replace, "b", "b = 5"), "x = { a = 1, b = 5, c = 3 }\n");
}

#[test]
fn deletions_leave_the_blank_lines_of_one_side() {
    let delete = |name, text, symbol| edited(name, text, symbol, SymbolOp::Delete, "");
    let python =
        "class A:\n    def a(self): pass\n\n    def b(self): pass\n\n\ndef c(): pass\n\n\ndef d(): pass\n";
    assert_eq!(delete("a.py", python, "A.a"), python.replace("    def a(self): pass\n\n", ""));
    assert_eq!(
        delete("a.py", python, "A.b"),
        python.replace("    def b(self): pass\n\n", "").replace("pass\n\n\n\n", "pass\n\n\n")
    );
    assert_eq!(delete("a.py", python, "c"), python.replace("def c(): pass\n\n\n", ""));
    assert_eq!(delete("a.py", python, "d"), python.replace("\n\ndef d(): pass\n", ""));
    let rust = "use a;\nfn b() {}\n\nfn c() {}\n";
    assert_eq!(delete("a.rs", rust, "b"), "use a;\n\nfn c() {}\n");
    assert_eq!(delete("a.rs", "fn a() {} fn b() {} // x\n", "a"), "fn b() {} // x\n");
    assert_eq!(delete("a.rs", "mod a { fn b() {} }\n", "b"), "mod a { }\n");
}

#[test]
fn comments_behind_a_declaration_stay() {
    let text = "const A: u8 = 1; // one\nconst B: u8 = 2;\n";
    let replace = |new| edited("a.rs", text, "A", SymbolOp::Replace, new);
    assert_eq!(replace("const A: u8 = 3;"), text.replace("= 1", "= 3"));
    assert_eq!(replace("const A: u8 = 3; // three"), text.replace("= 1; // one", "= 3; // three"));
}

#[test]
fn names_are_replaced_in_the_declaration_only() {
    let rename = |name, text, symbol, new| change(name, text, symbol, SymbolOp::RenameHere, new);
    let text = "fn a() { a() }\n";
    let changed = rename("a.rs", text, "a", "b").expect("a change");
    assert_eq!(changed.splices, [Splice { range: 3..4, text: "b".to_owned() }]);
    assert_eq!(changed.lines, [LineRange { start: 1, end: 1 }]);
    for bad in ["", "a b", "1a", "a\nb", "a()"] {
        assert!(matches!(rename("a.rs", text, "a", bad), Err(SymbolRefusal::BadText { .. })), "{bad:?}");
    }
    assert!(matches!(rename("a.rs", "impl A {}\n", "impl A", "B"), Err(SymbolRefusal::WithoutName { .. })));
    assert_eq!(rename("a.json", "{\"a\": 1}", "a", "b c").expect("a change").splices[0].range, 2..3);
    assert!(rename("a.md", "# A b\n", "A b", "C, d").is_ok());
}

#[test]
fn the_lines_to_read_depend_on_the_operation() {
    let lines = |op| {
        let change = change("a.js", CLASS, "A.run", op, "x() {}").expect("a change");
        change.lines.iter().map(|lines| (lines.start, lines.end)).collect::<Vec<_>>()
    };
    assert_eq!(lines(SymbolOp::Replace), [(4, 6)]);
    assert_eq!(lines(SymbolOp::Delete), [(4, 6)]);
    assert_eq!(lines(SymbolOp::Body), [(4, 6)]);
    assert_eq!(lines(SymbolOp::Before), [(4, 4), (6, 6)]);
    assert_eq!(lines(SymbolOp::After), [(4, 4), (6, 6)]);
}

#[test]
fn what_is_kept_or_lost_is_reported() {
    let text = "#[test]\npub fn a() {}\n";
    let warnings = |new| change("a.rs", text, "a", SymbolOp::Replace, new).expect("a change").warnings;
    assert_eq!(warnings("pub fn a() { b() }"), ["kept the attributes above the declaration: #[test]"]);
    assert_eq!(warnings("#[test]\npub fn a() { b() }"), [""; 0]);
    assert_eq!(
        warnings("#[test]\nfn a() {}"),
        ["the new declaration does not begin with `pub`, the old one did"]
    );
    assert!(matches!(
        change("a.rs", text, "a", SymbolOp::Replace, " \n"),
        Err(SymbolRefusal::BadText { reason: BadText::Blank })
    ));
}

#[test]
fn a_text_in_a_shared_line_is_set_apart_by_its_own_end() {
    use SymbolOp::{After, Before};
    let made = [
        ("a.js", "class A { run() {} stop() {} }\n", "A.run", After, "go() {}"),
        ("a.rs", "mod m { fn stop() {} }\n", "m.stop", Before, "fn go() {}"),
        ("a.py", "a = 1; b = 2\n", "a", After, "c = 3;"),
    ];
    let results = [
        "class A { run() {} go() {} stop() {} }\n",
        "mod m { fn go() {} fn stop() {} }\n",
        "a = 1; c = 3; b = 2\n",
    ];
    for ((name, text, symbol, op, new), expected) in made.into_iter().zip(results) {
        assert_eq!(edited(name, text, symbol, op, new), expected);
    }
    let refused = [
        ("a.py", "a = 1; b = 2\n", "a", After, "c = 3"),
        ("a.py", "a = 1; b = 2\n", "b", Before, "c = 3"),
        ("a.js", "let a = 1; let b = 2;\n", "a", After, "let c = 3"),
    ];
    for (name, text, symbol, op, new) in refused {
        let refusal = change(name, text, symbol, op, new).expect_err("shared lines");
        assert_eq!(refusal, SymbolRefusal::SharedLines { line: 1 }, "{name} {symbol}");
    }
}
