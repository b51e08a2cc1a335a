use super::super::outline::tests::outlined;
use super::*;

/// Returns the line of the symbol that a reference means.
fn line(name: &str, text: &str, path: &str) -> Result<usize, SymbolRefusal> {
    let outline = outlined(name, text);
    outline.resolve(&SymbolPath::parse(path)).map(|symbol| symbol.lines.start)
}

const PYTHON: &str = "class A:\n    def run(self): pass\n    def stop(self): pass\n\nclass B:\n    def run(self): pass\n\ndef stop(): pass\n";

#[test]
fn paths_in_all_notations() {
    for path in ["A.run", "A::run", "A#run", "A.run()", " A.run ", "run/1", "run@2", "run@L2", "A.run@2"] {
        assert_eq!(line("a.py", PYTHON, path), Ok(2), "{path}");
    }
    assert_eq!(line("a.py", PYTHON, "run/2"), Ok(6));
    assert_eq!(line("a.py", PYTHON, "B.run"), Ok(6));
    // A whole path takes precedence over the end of one.
    assert_eq!(line("a.py", PYTHON, "stop"), Ok(8));
    assert_eq!(line("a.py", PYTHON, "A.stop"), Ok(3));
}

#[test]
fn names_with_separators_are_reachable() {
    let json = "{\n  \"a.b\": {\n    \"c/2\": 1,\n    \"d@3\": 2\n  },\n  \"a\": { \"b\": 3 }\n}\n";
    assert_eq!(line("a.json", json, "c/2"), Ok(3));
    assert_eq!(line("a.json", json, "a.b.c/2"), Ok(3));
    assert_eq!(line("a.json", json, "d@3"), Ok(4));
    let Err(SymbolRefusal::Ambiguous { candidates, more: 0 }) = line("a.json", json, "a.b") else {
        panic!("two")
    };
    assert_eq!(candidates.len(), 2);
    assert_eq!(line("a.json", json, "a.b@6"), Ok(6));
    let markdown = "# Usage (v1.2): `a/b` # c\n\n## FAQ\n";
    assert_eq!(line("a.md", markdown, "Usage (v1.2): `a/b` # c"), Ok(1));
    assert_eq!(line("a.md", markdown, "## FAQ"), Ok(3));
    assert_eq!(line("a.css", ".a:hover, #b { }\n", ".a:hover, #b"), Ok(1));
    assert_eq!(line("a.html", "<p id=\"main\"></p>\n", "#main"), Ok(1));
    assert_eq!(line("a.rs", "struct A;\nimpl A { fn new() {} }\n", "A::new"), Ok(2));
    assert_eq!(line("a.rs", "struct A;\nimpl A { fn new() {} }\n", "A"), Ok(1));
    assert_eq!(line("a.rs", "struct A;\nimpl A { fn new() {} }\n", "impl A"), Ok(2));
}

#[test]
fn unknown_names_list_similar_ones() {
    let Err(SymbolRefusal::Unknown { candidates, total: 6 }) = line("a.py", PYTHON, "A.rum") else {
        panic!("unknown")
    };
    assert_eq!(candidates[0].path, "A.run");
    assert_eq!(candidates[0].lines.start, 2);
    let Err(SymbolRefusal::Unknown { candidates, .. }) = line("a.py", PYTHON, "frobnicate_xyz") else {
        panic!("unknown")
    };
    assert!(candidates.is_empty(), "{candidates:?}");
}

#[test]
fn ambiguous_names_list_eight() {
    let text = "def f(): pass\n".repeat(12);
    let Err(SymbolRefusal::Ambiguous { candidates, more: 4 }) = line("a.py", &text, "f") else {
        panic!("ambiguous")
    };
    assert_eq!(candidates.iter().map(|it| it.lines.start).collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    assert!(matches!(line("a.py", &text, "f@99"), Err(SymbolRefusal::Ambiguous { .. })));
    assert_eq!(line("a.py", &text, "f/12"), Ok(12));
}

/// Returns the lines of the declarations that a reference means.
fn declarations(name: &str, text: &str, path: &str) -> Option<Vec<usize>> {
    let outline = outlined(name, text);
    let found = outline.declarations(&SymbolPath::parse(path)).ok()?;
    Some(found.iter().map(|symbol| symbol.lines.start).collect())
}

#[test]
fn overloads_and_prototypes_declare_one_symbol() {
    let overloads = "export function f(a: string): string;\nexport function f(a: number): number;\n\nexport function f(a: any) {\n  return a;\n}\n";
    assert_eq!(declarations("a.ts", overloads, "f"), Some(vec![1, 2, 4]));
    assert_eq!(declarations("a.ts", overloads, "f@4"), Some(vec![4]));
    let members = "class A {\n  g(): void;\n  g(a?: number) {}\n}\nclass B {\n  g() {}\n}\n";
    assert_eq!(declarations("a.ts", members, "A.g"), Some(vec![2, 3]));
    assert_eq!(declarations("a.ts", members, "g"), None, "methods of two classes");
    let prototype = "int f(int a);\n\nint g(void) { return 1; }\n\nint f(int a) { return a; }\n";
    assert_eq!(declarations("a.c", prototype, "f"), Some(vec![1, 5]));
    let spaces = "interface F { a: number }\nconst F = 1;\n";
    assert_eq!(declarations("a.ts", spaces, "F"), None, "a type and a value");
    assert_eq!(declarations("a.ts", spaces, "F/2"), Some(vec![2]));
    assert_eq!(declarations("a.ts", spaces, "F/3"), None);
}

#[test]
fn a_line_means_the_innermost_symbol() {
    let text = "class A:\n    class A:\n        x = 1\n";
    assert_eq!((line("a.py", text, "A@3"), line("a.py", text, "A@1")), (Ok(2), Ok(1)));
    let java = "class Shop {\n    int a;\n\n    Shop() {\n        a = 1;\n    }\n}\n";
    assert_eq!((line("Shop.java", java, "Shop"), line("Shop.java", java, "Shop@5")), (Ok(1), Ok(4)));
    let text = "class O:\n    class A:\n        class A:\n            x = 1\n";
    assert_eq!(line("a.py", text, "A@4"), Ok(3));
    assert_eq!(line("a.py", text, "A@2"), Ok(2));
}
