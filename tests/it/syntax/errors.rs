//! New syntax errors: right edits have none, broken ones have their line.

use editd_edit::Deadline;
use editd_syntax::{Language, SyntaxError, SyntaxErrorKind, new_errors};
use rstest::rstest;

use super::samples::{sample, samples};

fn errors(name: &str, before: &str, after: &str) -> Vec<SyntaxError> {
    let language = Language::of_path(name.as_ref()).expect("a language");
    found(before, after, language)
}

/// Returns the new errors. On a busy machine, parsing may take too long at first.
fn found(before: &str, after: &str, language: Language) -> Vec<SyntaxError> {
    let mut attempts = (0..50).map(|_| new_errors(before, after, language, Deadline::NONE));
    attempts.find_map(|errors| errors).expect("a parse")
}

#[test]
fn samples_have_no_errors() {
    for file in samples() {
        let found = found("", &file.text, file.language);
        assert_eq!(found, [], "{}", file.path.display());
    }
}

#[test]
fn right_edits_add_no_error() {
    for (name, before, after) in [
        ("shop.java", "return items.get(name);", "return items.getOrDefault(name, null);"),
        ("queue.go", "q.mu.Lock()", "q.mu.Lock() // held"),
        ("panel.tsx", "setOpen(false);", "setOpen((it) => !it);"),
        ("page.html", "<p>One</p>", "<p>One<br>Two</p>"),
        ("site.css", "padding: 0;", "padding: 0 calc(1px + var(--gap));"),
        ("compose.yaml", "version: \"3\"", "version: &v \"3\""),
        ("package.json", "\"dist\", \"src\"", "\"dist\", /* built */ \"src\""),
        ("deploy.sh", "make \"$TARGET\"", "make \"${TARGET%%-*}\" || exit 1"),
        ("tool.toml", "log.version = \"0.4\"", "log = '0.4'"),
        ("module.lua", "return a + b", "return a // b"),
        ("list.c", "if (!added)", "if (added == NULL)"),
        ("store.py", "return self.items[0]", "return self.items[0] if self.items else None"),
        ("guide.md", "- one", "- [one](x"),
    ] {
        let file = sample(name);
        assert!(file.text.contains(before), "{name}");
        assert_eq!(errors(name, &file.text, &file.text.replacen(before, after, 1)), [], "{name}");
    }
}

#[test]
fn broken_edits_are_reported_with_their_line() {
    for (name, before, after) in [
        ("shop.java", "return items.get(name);", "return items.get(name;"),
        ("queue.go", "q.mu.Lock()", "q.mu.Lock("),
        ("panel.tsx", "setOpen(false);", "setOpen(false;"),
        ("site.css", "padding: 0;", "padding: 0;;)"),
        ("compose.yaml", "version: \"3\"", "version: \"3"),
        ("package.json", "\"build\": \"tsc -p .\",", "\"build\": \"tsc -p .\""),
        ("deploy.sh", "cd \"$ROOT\"", "if cd \"$ROOT\""),
        ("tool.toml", "name = \"one\"", "name = "),
        ("module.lua", "return a + b", "return a +"),
        ("list.c", "if (!added)", "if (!added"),
        ("store.py", "return self.items[0]", "return self.items[0"),
    ] {
        let file = sample(name);
        let at = file.text.find(before).unwrap_or_else(|| panic!("{name}"));
        let line = editd_text::lines(&file.text[..at]).count().max(1);
        let found = errors(name, &file.text, &file.text.replacen(before, after, 1));
        assert!(!found.is_empty(), "{name} has an error");
        let distance = found.iter().map(|error| error.line.abs_diff(line)).min();
        assert!(distance <= Some(2), "{name}: line {line}, {found:?}");
    }
}

/// A file with an error in line 2.
const RUST: &str = "fn a() {\n    let x = ;\n    one();\n}\n\nfn b() {\n    1\n}\n\nfn c() {\n    2\n}\n";
/// A right file with two lines that the grammar does not understand.
const C: &str = "#include <a.h>\n\nMODULE_AUTHOR(x y) z w;\n\nint f(int a)\n{\n    if (a)\n        return 1;\n    return 2;\n}\n\nEXPORT(f) g h;\n\nint g(void)\n{\n    return f(3);\n}\n";
/// A module with an error in line 5.
const PYTHON: &str =
    "import os\n\n\ndef a():\n    return = 1\n\n\ndef b(x):\n    if x:\n        return 2\n    return 3\n";
/// A template, which is not valid HTML.
const HTML: &str = "<ul>\n<a <b>\n  <li id=\"x\">One</li>\n</ul>\n<p>Text</p>\n<p>More</p>\n";
/// A file with an error in line 3.
const JSON: &str = "{\n  \"a\": 1,\n  \"b\": {{ b }},\n  \"c\": [1, 2],\n  \"d\": 3\n}\n";
/// A component with an error in line 2.
const TYPESCRIPT: &str = "export class A {\n  x = = 1;\n\n  run(): number {\n    return this.x;\n  }\n}\n\nexport function f(a: A): number {\n  return a.run();\n}\n";

#[rstest]
#[case::rust("a.rs", RUST, &[
    ("    1\n", "    2\n"),
    ("fn a()", "// A comment.\nfn a()"),
    // The text of the old error changes.
    ("let x = ;", "let y = = ;"),
    ("let x = ;", "let x = = ;\n    let z = 2;"),
    ("let x = ;", "let x = 1;"),
    ("    one();\n", ""),
    ("    one();\n", "    one();\n    two();\n"),
    ("fn b() {\n    1\n}\n\n", ""),
    ("fn b()", "fn d(x: u8) -> u8 {\n    x\n}\n\nfn b()"),
    (
        "fn a() {\n    let x = ;\n    one();\n}\n\nfn b() {\n    1\n}\n",
        "fn b() {\n    1\n}\n\nfn a() {\n    let x = ;\n    one();\n}\n",
    ),
])]
#[case::c("a.c", C, &[
    ("return 1", "return 10"),
    ("    return 2;\n", "    return 2 + a;\n"),
    ("int f(int a)\n", "static int f(int a)\n"),
    ("#include <a.h>\n", "#include <a.h>\n#include <b.h>\n"),
    ("MODULE_AUTHOR(x y) z w;\n", "MODULE_AUTHOR(x y) z w v;\n"),
    ("EXPORT(f) g h;\n", ""),
    ("f(3)", "f(3) + f(4)"),
    ("\nint g(void)", "\n/* Calls f. */\nint g(void)"),
])]
#[case::python("a.py", PYTHON, &[
    ("return 2", "return 20"),
    ("return = 1", "return = 2"),
    ("def b(x)", "def b(x, y)"),
    ("import os\n", ""),
])]
#[case::html("a.html", HTML, &[("Text", "A text"), ("<p>More</p>\n", "<p>More</p>\n<p>And more</p>\n"), ("One", "<b>One</b>")])]
#[case::json("a.json", JSON, &[
    ("\"a\": 1", "\"a\": 10"),
    ("[1, 2]", "[1, 2, 3]"),
    ("{{ b }}", "{{ c }}"),
    ("  \"c\": [1, 2],\n", ""),
])]
#[case::typescript("a.ts", TYPESCRIPT, &[
    ("a.run()", "a.run() + 1"),
    ("return this.x;", "return this.x + 1;"),
    ("x = = 1", "y = = 2"),
    ("run()", "go()"),
])]
fn errors_of_before_do_not_count(#[case] name: &str, #[case] before: &str, #[case] edits: &[(&str, &str)]) {
    assert_ne!(errors(name, "", before), [], "there is an error");
    for (old, new) in edits {
        assert!(before.contains(old), "{old}");
        assert_eq!(errors(name, before, &before.replacen(old, new, 1)), [], "{old:?} {new:?}");
    }
}

#[test]
fn new_errors_beside_old_ones_are_reported() {
    for (name, before, edits, line) in [
        // One more error.
        ("a.rs", RUST, &[("    1\n", "    1 +\n")][..], 7),
        ("a.c", C, &[("return 2;", "return (2;")], 9),
        ("a.c", C, &[("f(3)", "f(3")], 16),
        ("a.py", PYTHON, &[("return 3", "return (3")], 11),
        ("a.ts", TYPESCRIPT, &[("a.run()", "a.run(")], 10),
        // The old error is repaired, and another one made.
        ("a.rs", RUST, &[("let x = ;", "let x = 1;"), ("    1\n", "    1 +\n")], 7),
        ("a.rs", RUST, &[("    let x = ;\n", ""), ("    2\n", "    let y = ;\n")], 10),
        ("a.py", PYTHON, &[("return = 1", "return 1"), ("return 3", "return = 3")], 11),
        ("a.ts", TYPESCRIPT, &[("x = = 1", "x = 1"), ("a.run()", "a.run(")], 10),
        // The whole file is broken.
        ("a.rs", RUST, &[("fn b() {", "fn b() { {")], 6),
        ("a.c", C, &[("    return 2;\n}\n", "    return 2;\n")], 16),
        ("a.c", C, &[("    if (a)\n", "    if (a) {\n")], 17),
        ("a.c", C, &[("int f(int a)\n{\n", "int f(int a)\n(\n")], 6),
        ("a.ts", TYPESCRIPT, &[("export function f(", "export function f((({")], 9),
    ] {
        let after = edits.iter().fold(before.to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{name}: {old}");
            text.replacen(old, new, 1)
        });
        let found = errors(name, before, &after);
        assert!(!found.is_empty(), "{name}: {edits:?}");
        let distance = found.iter().map(|error| error.line.abs_diff(line)).min();
        assert!(distance <= Some(2), "{name}: {edits:?} in line {line}, {found:?}");
    }
}

#[test]
fn an_error_moved_by_the_change_is_not_new() {
    let before = "fn a() {\n    let x = ;\n}\n\nfn b() {\n    1\n}\n";
    let worse = errors("a.rs", before, &before.replace("    1\n", "    1 +\n"));
    assert_eq!(worse.len(), 1, "{worse:?}");
    assert_eq!((worse[0].line, worse[0].excerpt.as_str()), (6, "1 +"));
    // The same error once more, before and after the old one.
    let again = |text: &str| errors("a.rs", before, text).iter().map(|error| error.line).collect::<Vec<_>>();
    assert_eq!(again(&format!("fn c() {{\n    let x = ;\n}}\n\n{before}")), [2]);
    assert_eq!(again(&format!("{before}\nfn c() {{\n    let x = ;\n}}\n")), [10]);
}

#[test]
fn files_that_grammars_misunderstand_are_not_judged() {
    let c = "MODULE_LICENSE(\"GPL\")\nEXPORT(foo) bar baz;\n\nint f(void)\n{\n    return 1;\n}\n";
    assert_eq!(errors("a.c", c, &c.replace("return 1", "return 2")), []);
    let template = "<ul>\n{% for x in y %}\n  <li id=\"{{ x }}\">{{ x }}</li>\n{% endfor %}\n</ul>\n";
    assert_eq!(errors("a.html", template, &template.replace("<li", "<li class=\"a\"")), []);
    let helm = "a: {{ .Values.a }}\n{{- if .b }}\nb: 1\n{{- end }}\nc: 2\n";
    assert_eq!(errors("a.yaml", helm, &helm.replace("c: 2", "c: 3")), []);
    let comments = "{\n  // One.\n  \"a\": 1,\n}\n";
    assert_eq!(errors("a.json", comments, &comments.replace('1', "2")), []);
}

#[test]
fn kinds_tell_what_is_wrong() {
    let found = errors("a.c", "int f(void) { return 1; }\n", "int f(void) { return 1 }\n");
    assert_eq!(
        found,
        [SyntaxError {
            line: 1,
            excerpt: "int f(void) { return 1 }".to_owned(),
            kind: SyntaxErrorKind::Missing { token: ";".to_owned() }
        }]
    );
}
