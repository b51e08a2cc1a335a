use crate::{Language, Outline, Symbol, outline};
use editd_edit::Deadline;

/// Returns the outline of a text.
pub(crate) fn outlined(name: &str, text: &str) -> Outline {
    let language = Language::of_path(name.as_ref()).expect("a language");
    outline(text, language, Deadline::NONE).expect("an outline")
}

/// Describes each symbol in a line: kind, path, lines.
fn listed(name: &str, text: &str) -> Vec<String> {
    let outline = outlined(name, text);
    let describe = |symbol: &Symbol| {
        format!("{} {} {}-{}", symbol.kind, outline.path(symbol), symbol.lines.start, symbol.lines.end)
    };
    outline.symbols().iter().map(describe).collect()
}

/// Returns the text of a symbol.
fn span<'t>(name: &str, text: &'t str, path: &str) -> &'t str {
    let outline = outlined(name, text);
    let found = outline.symbols().iter().find(|symbol| outline.path(symbol) == path);
    &text[found.unwrap_or_else(|| panic!("{path} in {:?}", listed(name, text))).range.clone()]
}

/// Returns the body of a symbol.
fn body<'t>(name: &str, text: &'t str, path: &str) -> Option<&'t str> {
    let outline = outlined(name, text);
    let found = outline.symbols().iter().find(|symbol| outline.path(symbol) == path);
    found.unwrap_or_else(|| panic!("{path}")).body.clone().map(|body| &text[body])
}

fn signature(name: &str, text: &str, path: &str) -> String {
    let outline = outlined(name, text);
    let found = outline.symbols().iter().find(|symbol| outline.path(symbol) == path);
    found.unwrap_or_else(|| panic!("{path}")).signature.clone()
}

#[test]
fn rust_items_with_attributes_and_comments() {
    let text = "//! Module.\n\n/// Doc.\n// More.\n#[cfg(test)]\n#[inline]\npub(crate) fn a<T>(x: T) -> T {\n    fn inner() {}\n    let y = 1;\n    x\n}\n\n// Apart.\n\nstruct S(u8); // unit\nimpl<T> Tr for S<T> {\n    const N: u8 = 1;\n    fn m(&self);\n}\nimpl S { fn n() {} }\nmod t { static Q: u8 = 2; }\nmacro_rules! m { () => {} }\ntrait Tr { type A; fn d() {} }\n";
    let expected = [
        "function a 3-11",
        "function a.inner 8-8",
        "struct S 15-15",
        "impl impl Tr for S<T> 16-19",
        "constant S.N 17-17",
        "method S.m 18-18",
        "impl impl S 20-20",
        "method S.n 20-20",
        "module t 21-21",
        "variable t.Q 21-21",
        "macro m 22-22",
        "trait Tr 23-23",
        "type Tr.A 23-23",
        "method Tr.d 23-23",
    ];
    assert_eq!(listed("a.rs", text), expected);
    assert!(span("a.rs", text, "a").starts_with("/// Doc.\n// More.\n#[cfg(test)]\n"));
    assert_eq!(span("a.rs", text, "S"), "struct S(u8); // unit\n");
    assert_eq!(span("a.rs", text, "t.Q"), "static Q: u8 = 2;");
    assert_eq!(body("a.rs", text, "a"), Some("\n    fn inner() {}\n    let y = 1;\n    x\n"));
    assert_eq!(body("a.rs", text, "S.N"), Some("1"));
    assert_eq!(signature("a.rs", text, "a"), "pub(crate) fn a<T>(x: T) -> T");
    assert_eq!(signature("a.rs", text, "impl Tr for S<T>"), "impl<T> Tr for S<T>");
}

#[test]
fn python_decorators_and_nesting() {
    let text = "import a\n# Doc.\n@x\n@y(\n    1\n)\nasync def f(a,\n            b):\n    # First.\n    pass\n\nclass A(B):\n    n: int = 1\n    def __init__(self): pass\n    def m(self):\n        z = 1\n        def inner(): ...\n\nMAX = 1\nv = 2\nif v:\n    def late(): pass\n";
    let expected = [
        "function f 2-10",
        "class A 12-17",
        "field A.n 13-13",
        "constructor A.__init__ 14-14",
        "method A.m 15-17",
        "function A.m.inner 17-17",
        "constant MAX 19-19",
        "variable v 20-20",
        "function late 22-22",
    ];
    assert_eq!(listed("a.py", text), expected);
    assert_eq!(body("a.py", text, "f"), Some("# First.\n    pass"));
    assert_eq!(signature("a.py", text, "f"), "async def f(a, b)");
    assert_eq!(signature("a.py", text, "A"), "class A(B)");
}

#[test]
fn typescript_functions_in_all_forms() {
    let text = "/** Doc. */\nexport const f = async () => {\n  const local = 1;\n  const g = (x) => x;\n};\n\nexport default class A {\n  @d() x = 1;\n  go = () => { run(); };\n  @e()\n  m(): void {}\n  constructor() {}\n  m2?(): void;\n}\nlet a = 1, b = 2;\nfunction over(x: number): void;\nfunction over(x: any) {}\nmodule.exports.z = function () {};\nA.prototype.p = () => 1;\nnamespace N { export type T = number; }\ninterface I { q: string; r(): void }\nenum E { X }\ndeclare function d(): void;\n";
    let expected = [
        "function f 1-5",
        "function f.g 4-4",
        "class A 7-14",
        "field A.x 8-8",
        "method A.go 9-9",
        "method A.m 10-11",
        "constructor A.constructor 12-12",
        "method A.m2 13-13",
        "variable a 15-15",
        "variable b 15-15",
        "function over 16-16",
        "function over 17-17",
        "function z 18-18",
        "function A.p 19-19",
        "module N 20-20",
        "type N.T 20-20",
        "interface I 21-21",
        "field I.q 21-21",
        "method I.r 21-21",
        "enum E 22-22",
        "function d 23-23",
    ];
    assert_eq!(listed("a.ts", text), expected);
    assert_eq!(span("a.ts", text, "A.go"), "  go = () => { run(); };\n");
    assert_eq!(span("a.ts", text, "a"), "a = 1,");
    assert_eq!(body("a.ts", text, "f.g"), Some("x"));
    assert_eq!(body("a.ts", text, "A.go"), Some(" run(); "));
    assert_eq!(signature("a.ts", text, "f"), "export const f = async () =>");
}

#[test]
fn default_exports_and_objects_of_javascript() {
    assert_eq!(listed("a.js", "export default () => 1;\n"), ["function default 1-1"]);
    assert_eq!(listed("a.js", "export default function g() {}\n"), ["function g 1-1"]);
    let text = "export default {\n  data() { return 1; },\n  methods: {\n    go: () => 1,\n  },\n};\n";
    assert_eq!(
        listed("a.js", text),
        ["variable default 1-6", "method default.data 2-2", "method default.go 4-4"]
    );
}

#[test]
fn go_receivers_and_groups() {
    let text = "package p\n\n// T is.\ntype T struct{ a int }\n\nfunc (t *T[K]) M() {}\n\ntype (\n\tA int\n\t// B is.\n\tB interface{ N() }\n)\n\nconst X = 1\n\nfunc F() { var y = 1 }\n";
    let expected = [
        "struct T 3-4",
        "method T.M 6-6",
        "type A 9-9",
        "interface B 10-11",
        "method B.N 11-11",
        "constant X 14-14",
        "function F 16-16",
    ];
    assert_eq!(listed("a.go", text), expected);
    assert_eq!(body("a.go", text, "T"), Some(" a int "));
}

#[test]
fn java_members_with_annotations() {
    let text = "/** D. */\n@A(1)\npublic class C {\n  @B int x = 1;\n  C() {}\n  @Override\n  void f() {}\n  void f(int a) {}\n  enum E { P; void q() {} }\n  interface I { void g(); }\n}\nrecord R(int a) {}\n";
    let expected = [
        "class C 1-11",
        "field C.x 4-4",
        "constructor C.C 5-5",
        "method C.f 6-7",
        "method C.f 8-8",
        "enum C.E 9-9",
        "method C.E.q 9-9",
        "interface C.I 10-10",
        "method C.I.g 10-10",
        "class R 12-12",
    ];
    assert_eq!(listed("a.java", text), expected);
    assert_eq!(signature("a.java", text, "C"), "public class C");
}

#[test]
fn c_declarators() {
    let text = "#define M(x) (x)\n/* D. */\nstatic char *f(int a)\n{\n    int local = 1;\n    return 0;\n}\ntypedef struct { int a; } S;\nstruct T { int b; };\nint g(void);\nint (*fp)(int);\nint *x = 0;\nvoid use(struct T *t) { struct T u; }\n#ifdef A\nenum E { Q };\n#endif\n";
    let expected = [
        "macro M 1-1",
        "function f 2-7",
        "struct S 8-8",
        "struct T 9-9",
        "function g 10-10",
        "variable fp 11-11",
        "variable x 12-12",
        "function use 13-13",
        "enum E 15-15",
    ];
    assert_eq!(listed("a.c", text), expected);
    assert_eq!(span("a.c", text, "T"), "struct T { int b; };\n");
}

#[test]
fn keys_of_json_yaml_and_toml() {
    let json = "{\n  \"a\": { \"b.c\": 1 }, // x\n  \"d\": [{ \"e\": 1 }]\n}\n";
    assert_eq!(listed("a.json", json), ["key a 2-2", "key a.b.c 2-2", "key d 3-3"]);
    assert_eq!(span("a.json", json, "a"), "  \"a\": { \"b.c\": 1 }, // x\n");
    assert_eq!(body("a.json", json, "a"), Some("{ \"b.c\": 1 }"));
    let yaml = "# A.\na:\n  b: |\n    text\n\n# Behind.\n\"c d\": {e: 1}\n";
    assert_eq!(listed("a.yml", yaml), ["key a 1-4", "key a.b 3-4", "key c d 6-7", "key c d.e 7-7"]);
    // The grammar puts the comments into the sequence above them.
    let yaml = "a:\n  - b: 1\n    # In it.\n  - c: 2\n# One.\n# Two.\nd: 3\n";
    assert_eq!(listed("a.yml", yaml), ["key a 1-4", "key d 5-7"]);
    assert_eq!(span("a.yml", yaml, "d"), "# One.\n# Two.\nd: 3\n");
    let toml = "top = 1\n\n# P.\n[p.q] # x\na = 1\nb.c = 2\n\n# V.\n[[v]]\n\n[w]\nx = { y = 1 }\n";
    let expected = [
        "key top 1-1",
        "table p.q 3-6",
        "key p.q.a 5-5",
        "key p.q.b.c 6-6",
        "table v 8-9",
        "table w 11-12",
        "key w.x 12-12",
        "key w.x.y 12-12",
    ];
    assert_eq!(listed("Cargo.toml", toml), expected);
}

#[test]
fn sections_of_markdown() {
    let text =
        "---\na: 1\n---\nIntro\n\n# A `b`\n\ntext\n\n## C ##\n\n```\n# no\n```\n\nD\n=\n\n> # no\n\n\n";
    assert_eq!(listed("a.md", text), ["section A `b` 6-14", "section A `b`.C 10-14", "section D 16-19"]);
    assert_eq!(body("a.md", text, "A `b`.C"), Some("```\n# no\n```"));
}

#[test]
fn rules_and_elements_of_css_and_html() {
    let css = "/* A. */\n.a,\n.b > p { color: red }\n:root { --x: 1; y: 2 }\n@media (x) { .c {} }\n";
    let expected = [
        "rule .a, .b > p 1-3",
        "rule :root 4-4",
        "variable :root.--x 4-4",
        "rule @media (x) 5-5",
        "rule @media (x)..c 5-5",
    ];
    assert_eq!(listed("a.css", css), expected);
    let html = "<div id=\"a\">\n  <p>\n    <b ID='c'>x</b>\n  </p>\n  <br id=d>\n</div>\n";
    assert_eq!(listed("a.html", html), ["element a 1-6", "element a.c 3-3", "element a.d 5-5"]);
    assert_eq!(body("a.html", html, "a.c"), Some("x"));
}

#[test]
fn functions_of_shells_and_lua() {
    let bash = "#!/bin/sh\n# F.\nf() {\n    local x=1\n}\nfunction g { :; }\nexport Y=2\nX=1 env\n";
    assert_eq!(listed("a.sh", bash), ["function f 2-5", "function g 6-6", "variable Y 7-7"]);
    let lua = "-- D.\nlocal function f() return 1 end\nfunction M.a:b() end\nM.g = function() end\nlocal t = { k = function() end, n = 1 }\n";
    let expected =
        ["function f 1-2", "method M.a.b 3-3", "method M.g 4-4", "variable t 5-5", "method t.k 5-5"];
    assert_eq!(listed("a.lua", lua), expected);
    assert_eq!(body("a.lua", lua, "f"), Some(" return 1 "));
}

#[test]
fn a_byte_order_mark_and_line_endings_are_no_part_of_symbols() {
    let text = "\u{feff}# A.\r\nx = 1\r\n\r\ndef f():\r\n    pass";
    assert_eq!(listed("a.py", text), ["variable x 1-2", "function f 4-5"]);
    assert_eq!(span("a.py", text, "x"), "# A.\r\nx = 1\r\n");
    let text = "// A.\rfn a() {}\r\rfn b() {}\r";
    assert_eq!(listed("a.rs", text), ["function a 1-2", "function b 4-4"]);
}

#[test]
fn a_comment_is_attached_if_it_is_directly_above_and_equally_indented() {
    assert_eq!(span("a.py", "# Apart.\n\ndef f(): pass\n", "f"), "def f(): pass\n");
    assert_eq!(span("a.py", "#!/bin/python\ndef f(): pass\n", "f"), "def f(): pass\n");
    assert_eq!(span("a.py", "if x:\n    y()\n    # Inside.\ndef f(): pass\n", "f"), "def f(): pass\n");
    assert_eq!(span("a.rs", "use a; // Other.\nfn f() {}\n", "f"), "fn f() {}\n");
    assert_eq!(span("a.rs", "/* A\n * B */\nfn f() {}\n", "f"), "/* A\n * B */\nfn f() {}\n");
}
