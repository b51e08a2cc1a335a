//! Outlines, reads of symbols, and the search for declarations.

use serde_json::{Value, json};

use super::edits::scene;
use crate::support::{Machine, Outcome, Workspace};

#[test]
fn an_outline_lists_symbols_with_their_lines() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let outline = agent.call("editd/outline", json!({ "path": "cart.py" })).done();
    assert_eq!((&outline["language"], &outline["totalLines"]), (&json!("python"), &json!(13)));
    let symbols = outline["symbols"].as_array().expect("symbols");
    let brief = |symbol: &Value| {
        format!(
            "{} {} {}-{} {}",
            symbol["symbol"], symbol["kind"], symbol["startLine"], symbol["endLine"], symbol["depth"]
        )
    };
    let brief: Vec<String> = symbols.iter().map(brief).map(|text| text.replace('"', "")).collect();
    assert_eq!(
        brief,
        ["Cart class 1-9 0", "Cart.add method 4-5 1", "Cart.total method 7-9 1", "add function 12-13 0"]
    );
}

#[test]
fn an_outline_lists_only_symbols_that_match_a_pattern() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let mut names = |pattern: &str| {
        let outline = agent.call("editd/outline", json!({ "path": "cart.py", "pattern": pattern })).done();
        let symbols = outline["symbols"].as_array().expect("symbols").clone();
        symbols.iter().map(|it| it["symbol"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("add$"), ["Cart.add", "add"]);
    assert_eq!(names(r"^Cart\."), ["Cart.add", "Cart.total"]);
    assert_eq!(names("(?i)TOTAL"), ["Cart.total"]);
    assert_eq!(names("nothing"), [] as [&str; 0]);
    for pattern in ["(", ""] {
        agent.call("editd/outline", json!({ "path": "cart.py", "pattern": pattern })).invalid("pattern");
    }
}

#[test]
fn unsaved_text_has_an_outline() {
    let (machine, workspace) = scene();
    let editor = crate::support::Editor::start(&machine, &workspace, crate::support::Kind::Plugin);
    let uri = editor.open(&workspace, "cart.py");
    editor.type_at_start(&uri, "def new(): pass\n\n");
    editor.settle();
    let mut agent = machine.agent(&workspace);
    let outline = agent.call("editd/outline", json!({ "path": "cart.py" })).done();
    assert_eq!(outline["symbols"][0]["symbol"], "new");
}

#[test]
fn overloads_that_follow_one_another_are_read_together() {
    let overloads = "// Parses.\nexport function parse(text: string): number;\nexport function parse(text: number): string;\n\nexport function parse(text: any): any {\n  return text;\n}\n\nexport const next = 1;\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ts", overloads));
    workspace.put("a.c", "int f(int a);\nint g(void);\nint f(int a) { return a; }\n");
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "a.ts", "symbol": "parse" })).done();
    assert_eq!((&read["startLine"], &read["endLine"]), (&json!(1), &json!(7)), "{read}");
    // One of them is named by its line.
    let read = agent.call("editd/read", json!({ "path": "a.ts", "symbol": "parse@3" })).done();
    assert_eq!((&read["startLine"], &read["endLine"]), (&json!(3), &json!(3)), "{read}");
    // Other code between them is not shown unasked.
    let refused = agent.call("editd/read", json!({ "path": "a.c", "symbol": "f" })).refused("ambiguous");
    assert_eq!(refused["symbols"].as_array().map(Vec::len), Some(2), "{refused}");
    // An edit means one declaration.
    let edits = json!([{ "symbol": "parse", "op": "delete" }]);
    agent.call("editd/edit", json!({ "path": "a.ts", "edits": edits })).refused("ambiguous");
}

#[test]
fn a_symbol_is_read_alone() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let read =
        agent.call("editd/read", json!({ "path": "cart.py", "symbol": "total", "anchored": true })).done();
    let text = read["text"].as_str().expect("text");
    assert!(
        text.ends_with("7\t    @property\n8\t    def total(self):\n9\t        return sum(self.items)\n"),
        "{text}"
    );
    assert_eq!((&read["startLine"], &read["endLine"]), (&json!(7), &json!(9)));
    agent.call("editd/read", json!({ "path": "cart.py", "symbol": "none" })).refused("not_found");
    agent
        .call("editd/read", json!({ "path": "cart.py", "symbol": "total", "offset": 1 }))
        .refused("invalid_params");
    let edit = json!({ "path": "cart.py", "edits": [{ "lines": "9", "newText": "        return 0" }] });
    agent.call("editd/edit", edit).done();
}

#[test]
fn declarations_are_found_in_all_files() {
    let files = [
        ("a.py", "class Cart:\n    def add(self): pass\n"),
        ("src/b.rs", "impl Cart {\n    fn add(&self) {}\n}\n"),
        ("src/c.ts", "// add is elsewhere\nadd();\n"),
        ("d.txt", "def add(): pass\n"),
        (".gitignore", "ignored\n"),
        ("ignored/e.py", "def add(): pass\n"),
    ];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    let mut find = |params: Value| {
        let found = agent.call("editd/find", params).done();
        let symbols = found["symbols"].as_array().cloned().unwrap_or_default();
        let place = |it: &Value| {
            let path = it["path"].as_str().expect("a path").rsplit('/').next().expect("a name").to_owned();
            format!("{path} {} {}", it["symbol"].as_str().expect("a name"), it["startLine"])
        };
        symbols.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(find(json!({ "symbol": "Cart.add" })), ["a.py Cart.add 2", "b.rs Cart.add 2"]);
    assert_eq!(find(json!({ "symbol": "add", "pattern": "*.rs" })), ["b.rs Cart.add 2"]);
    assert_eq!(find(json!({ "symbol": "add", "path": "src" })), ["b.rs Cart.add 2"]);
    assert_eq!(find(json!({ "symbol": "none" })), [""; 0]);
    let limited = agent.call("editd/find", json!({ "symbol": "add", "limit": 1 })).done();
    assert_eq!((limited["symbols"].as_array().map(Vec::len), &limited["truncated"]), (Some(1), &json!(true)));
    agent.call("editd/find", json!({})).refused("invalid_params");
    agent.call("editd/find", json!({ "symbol": " " })).refused("invalid_params");
}
