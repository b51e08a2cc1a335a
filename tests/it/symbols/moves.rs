//! Symbols that are moved and copied by name, within a file, to other files, and to new ones.

use rstest::rstest;
use serde_json::{Value, json};

use super::edits::{CODE, edit, scene};
use crate::support::{Agent, Answer, Machine, Mcp, Outcome, Workspace};

const ADD: &str = "    def add(self, item):\n        self.items.append(item)\n";
const TOTAL: &str = "    @property\n    def total(self):\n        return sum(self.items)\n";

#[rstest]
#[case::down(
    json!({ "move": { "symbol": "Cart.add" }, "to": { "afterSymbol": "Cart.total" } }),
    CODE.replace(&format!("{ADD}\n{TOTAL}"), &format!("{TOTAL}\n{ADD}")),
)]
#[case::up(
    json!({ "move": { "symbol": "Cart.total" }, "to": { "beforeSymbol": "Cart.add" } }),
    CODE.replace(&format!("{ADD}\n{TOTAL}"), &format!("{TOTAL}\n{ADD}")),
)]
#[case::to_a_line(
    json!({ "move": { "symbol": "Cart.add" }, "to": { "after": 9 } }),
    CODE.replace(&format!("{ADD}\n{TOTAL}"), &format!("{TOTAL}\n{ADD}")),
)]
#[case::before_a_line(
    json!({ "move": { "symbol": "Cart.total" }, "to": { "before": 4 } }),
    CODE.replace(&format!("{ADD}\n{TOTAL}"), &format!("{TOTAL}\n{ADD}")),
)]
#[case::into_a_class(
    json!({ "move": { "symbol": "add@12" }, "to": { "afterSymbol": "Cart.add" } }),
    CODE.replace("\n\ndef add(a, b):\n    return a + b\n", "")
        .replace(ADD, &format!("{ADD}\n    def add(a, b):\n        return a + b\n")),
)]
#[case::out_of_a_class(
    json!({ "move": { "symbol": "Cart.total" }, "to": { "beforeSymbol": "Cart" } }),
    format!("@property\ndef total(self):\n    return sum(self.items)\n\n\n{}", CODE.replace(&format!("\n{TOTAL}"), "")),
)]
#[case::several_in_the_given_order(
    json!({ "move": { "symbols": ["Cart.total", "Cart.add"] }, "to": { "path": "cart.py" } }),
    CODE.replace(&format!("\n{ADD}\n{TOTAL}"), "")
        + "\n\n@property\ndef total(self):\n    return sum(self.items)\n\n\ndef add(self, item):\n    self.items.append(item)\n",
)]
#[case::copied(
    json!({ "copy": { "symbol": "Cart.add" }, "to": { "afterSymbol": "add@12" } }),
    format!("{CODE}\n\ndef add(self, item):\n    self.items.append(item)\n"),
)]
#[case::lines_beside_a_symbol(
    json!({ "move": { "lines": "12-13" }, "to": { "beforeSymbol": "Cart.total" } }),
    CODE.replace("def add(a, b):\n    return a + b\n", "")
        .replace(TOTAL, &format!("    def add(a, b):\n        return a + b\n\n{TOTAL}")),
)]
fn a_symbol_is_moved_within_a_file(#[case] requested: Value, #[case] after: String) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    edit(&mut agent, requested).done();
    assert_eq!(workspace.text("cart.py"), after);
    agent.undo().done();
    assert_eq!(workspace.text("cart.py"), CODE);
}

const OBJECT: &str = "\
{
  // A circle.
  \"circle\": { \"area\": 1 }, // round
  \"square\": [1,
    2],
  \"dot\": 0
}
";

#[rstest]
#[case::an_item_after_the_last(
    ("circle", json!({ "afterSymbol": "dot" })),
    "{\n  \"square\": [1,\n    2],\n  \"dot\": 0,\n  // A circle.\n  \"circle\": { \"area\": 1 } // round\n}\n",
)]
#[case::the_last_item_before_the_first(
    ("dot", json!({ "beforeSymbol": "circle" })),
    "{\n  \"dot\": 0,\n  // A circle.\n  \"circle\": { \"area\": 1 }, // round\n  \"square\": [1,\n    2]\n}\n",
)]
#[case::an_item_deeper(
    ("square", json!({ "afterSymbol": "circle.area" })),
    "{\n  // A circle.\n  \"circle\": { \"area\": 1, \"square\": [1,\n    2] }, // round\n  \"dot\": 0\n}\n",
)]
fn items_get_the_commas_and_the_indentation_of_their_place(
    #[case] (symbol, to): (&str, Value),
    #[case] after: &str,
) {
    for ending in ["\n", "\r\n"] {
        let text = OBJECT.replace('\n', ending);
        let (machine, workspace) = (Machine::start(), Workspace::file("a.jsonc", &text));
        let mut agent = machine.agent(&workspace);
        agent.read("a.jsonc");
        let moved = json!([{ "move": { "symbol": symbol }, "to": to }]);
        agent.call("editd/edit", json!({ "path": "a.jsonc", "edits": moved })).done();
        assert_eq!(workspace.text("a.jsonc"), after.replace('\n', ending));
    }
}

#[rstest]
#[case::to_the_front("c", json!({ "beforeSymbol": "a" }), "{\n  \"c\": 3,\n  \"a\": 1,\n  \"b\": { \"d\": 2, \"e\": 4 }\n}\n")]
#[case::to_the_end("a", json!({ "afterSymbol": "c" }), "{\n  \"b\": { \"d\": 2, \"e\": 4 },\n  \"c\": 3,\n  \"a\": 1\n}\n")]
#[case::within_a_line("b.d", json!({ "afterSymbol": "b.e" }), "{\n  \"a\": 1,\n  \"b\": { \"e\": 4, \"d\": 2 },\n  \"c\": 3\n}\n")]
#[case::out_of_a_line("b.e", json!({ "afterSymbol": "a" }), "{\n  \"a\": 1,\n  \"e\": 4,\n  \"b\": { \"d\": 2 },\n  \"c\": 3\n}\n")]
#[case::into_a_line("a", json!({ "beforeSymbol": "b.d" }), "{\n  \"b\": { \"a\": 1, \"d\": 2, \"e\": 4 },\n  \"c\": 3\n}\n")]
fn keys_of_json_are_moved(#[case] symbol: &str, #[case] to: Value, #[case] after: &str) {
    let text = "{\n  \"a\": 1,\n  \"b\": { \"d\": 2, \"e\": 4 },\n  \"c\": 3\n}\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.json", text));
    let mut agent = machine.agent(&workspace);
    agent.read("a.json");
    let moved = json!([{ "move": { "symbol": symbol }, "to": to }]);
    agent.call("editd/edit", json!({ "path": "a.json", "edits": moved })).done();
    assert_eq!(workspace.text("a.json"), after);
}

/// Moves symbols of a file. Returns the answer and the text after it.
fn moved_in(name: &str, text: &str, from: &Value, to: &Value) -> (Answer, String) {
    let (machine, workspace) = (Machine::start(), Workspace::file(name, text));
    let mut agent = machine.agent(&workspace);
    agent.read(name);
    let edits = json!([{ "move": from, "to": to }]);
    let answer = agent.call("editd/edit", json!({ "path": name, "edits": edits }));
    (answer, workspace.text(name))
}

const KEYS: &str = "{\n  \"x\": 1,\n  \"y\": 2,\n  \"z\": 3\n}\n";

#[rstest]
#[case::the_last_before_its_neighbor(json!({ "symbol": "z" }), json!({ "beforeSymbol": "y" }), "{\n  \"x\": 1,\n  \"z\": 3,\n  \"y\": 2\n}\n")]
#[case::two_turned_round(json!({ "symbols": ["z", "y"] }), json!({ "afterSymbol": "x" }), "{\n  \"x\": 1,\n  \"z\": 3,\n  \"y\": 2\n}\n")]
#[case::the_first_two_to_the_end(json!({ "symbols": ["x", "y"] }), json!({ "afterSymbol": "z" }), "{\n  \"z\": 3,\n  \"x\": 1,\n  \"y\": 2\n}\n")]
#[case::where_it_is(json!({ "symbol": "z" }), json!({ "afterSymbol": "y" }), "")]
#[case::where_they_are(json!({ "symbols": ["y", "z"] }), json!({ "afterSymbol": "x" }), "")]
#[case::where_it_is_by_line(json!({ "symbol": "z" }), json!({ "after": 3 }), "")]
fn neighbors_keep_their_commas(#[case] from: Value, #[case] to: Value, #[case] after: &str) {
    let (answer, text) = moved_in("a.json", KEYS, &from, &to);
    if after.is_empty() {
        answer.refused("no_change");
        assert_eq!(text, KEYS);
    } else {
        answer.done();
        assert_eq!(text, after);
    }
}

#[rstest]
#[case::commas(
    "interface I {\n  a: 1,\n  b: 2,\n  c: 3\n}\n",
    "interface I {\n  b: 2,\n  c: 3,\n  a: 1\n}\n"
)]
#[case::semicolons(
    "interface I {\n  a: 1;\n  b: 2;\n  c: 3;\n}\n",
    "interface I {\n  b: 2;\n  c: 3;\n  a: 1;\n}\n"
)]
#[case::nothing("type I = {\n  a: 1\n  b: 2\n  c: 3\n}\n", "type I = {\n  b: 2\n  c: 3\n  a: 1\n}\n")]
fn members_of_types_keep_their_punctuation(#[case] text: &str, #[case] after: &str) {
    let (answer, moved) =
        moved_in("a.ts", text, &json!({ "symbol": "I.a" }), &json!({ "afterSymbol": "I.c" }));
    answer.done();
    assert_eq!(moved, after);
}

#[rstest]
#[case::a_command_behind("a.sh", "w=3\ntest -f x || r=1\n", ("w", json!({ "afterSymbol": "r" })))]
#[case::a_case("a.sh", "f() {\n  echo\n}\ncase x in\n  *) v=2 ;;\nesac\n", ("f", json!({ "beforeSymbol": "v" })))]
#[case::a_class_in_a_line("a.py", "class A: x = 1\n\n\ndef f():\n    pass\n", ("f", json!({ "afterSymbol": "A.x" })))]
#[case::two_statements_in_a_line("a.py", "a = 1; b = 2\nc = 3\n", ("c", json!({ "afterSymbol": "a" })))]
#[case::one_of_several_variables("a.js", "var a, b = 1, c;\nfunction f() {}\n", ("b", json!({ "afterSymbol": "f" })))]
#[case::among_several_variables("a.js", "const a = 1, b = 2;\nfunction f() {}\n", ("f", json!({ "beforeSymbol": "a" })))]
#[case::behind_a_qualifier("a.c", "extern \"C\" int f(int);\nint g(int);\n", ("g", json!({ "beforeSymbol": "f" })))]
#[case::a_key_into_braces("a.yaml", "d: {e: 1, f: 2}\ng: 3\n", ("g", json!({ "afterSymbol": "d.e" })))]
#[case::a_key_into_an_inline_table("a.toml", "a = 1\nb = { x = 1, y = 2 }\n", ("a", json!({ "beforeSymbol": "b.x" })))]
#[case::a_key_behind_its_object("a.json", KEYS, ("x", json!({ "path": "a.json" })))]
#[case::the_only_statement_of_a_block("a.py", "class A:\n    x = 1\n\n\ny = 2\n", ("A.x", json!({ "afterSymbol": "y" })))]
fn a_move_that_would_damage_the_text_is_refused(
    #[case] name: &str,
    #[case] text: &str,
    #[case] (symbol, to): (&str, Value),
) {
    let (answer, after) = moved_in(name, text, &json!({ "symbol": symbol }), &to);
    answer.refused("syntax");
    assert_eq!(after, text);
}

#[rstest]
#[case::behind_a_block(
    "def a():\n    return 1\n\n\nx = 2\n\nif x:\n    a()\n",
    "x = 2\n\nif x:\n    a()\n\n\ndef a():\n    return 1\n"
)]
#[case::without_a_final_line_ending(
    "def a():\n    return 1\n\n\nx = [\n    2]",
    "x = [\n    2]\n\n\ndef a():\n    return 1\n"
)]
fn the_end_of_a_file_is_outside_of_its_blocks(#[case] text: &str, #[case] after: &str) {
    let (answer, moved) = moved_in("a.py", text, &json!({ "symbol": "a" }), &json!({ "path": "a.py" }));
    answer.done();
    assert_eq!(moved.trim_end(), after.trim_end());
}

#[test]
fn continuation_lines_keep_their_indentation_at_the_same_depth() {
    let text = "int a (int b,\n\t\t\t  const int c);\n\nint d (int e,\n       int f);\n";
    let (answer, after) = moved_in("a.c", text, &json!({ "symbol": "a" }), &json!({ "afterSymbol": "d" }));
    answer.done();
    assert_eq!(after, "int d (int e,\n       int f);\n\nint a (int b,\n\t\t\t  const int c);\n");
}

fn two_files() -> (Machine, Workspace) {
    let workspace = Workspace::file("cart.py", CODE);
    workspace.put("shop.py", "class Shop:\r\n\tdef open(self):\r\n\t\treturn 1\r\n");
    (Machine::start(), workspace)
}

fn moved(agent: &mut Agent, from: &Value, to: &Value) -> Answer {
    agent.call("editd/edit", json!({ "path": "cart.py", "edits": [{ "move": from, "to": to }] }))
}

#[test]
fn a_symbol_is_moved_to_another_file_with_its_indentation_and_line_endings() {
    let (machine, workspace) = two_files();
    let before = ["cart.py", "shop.py"].map(|name| workspace.text(name));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["cart.py", "shop.py"]);
    moved(
        &mut agent,
        &json!({ "symbol": "add@12" }),
        &json!({ "path": "shop.py", "afterSymbol": "Shop.open" }),
    )
    .done();
    assert_eq!(workspace.text("cart.py"), CODE.replace("\n\ndef add(a, b):\n    return a + b\n", ""));
    assert_eq!(workspace.text("shop.py"), before[1].clone() + "\r\n\tdef add(a, b):\r\n\t\treturn a + b\r\n");
    agent.undo().done();
    assert_eq!(["cart.py", "shop.py"].map(|name| workspace.text(name)), before);
}

#[rstest]
#[case::without_first_lines("", "")]
#[case::with_first_lines("import os\n\n\n", "import os\n\n\n")]
fn a_new_file_is_created_for_symbols(#[case] head: &str, #[case] start: &str) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let to = json!({ "path": "new/sums.py", "create": head });
    let done = moved(&mut agent, &json!({ "symbols": ["add@12", "Cart.total"] }), &to).done();
    assert_eq!(done["files"].as_array().map(Vec::len), Some(2), "{done}");
    let text =
        "def add(a, b):\n    return a + b\n\n\n@property\ndef total(self):\n    return sum(self.items)\n";
    assert_eq!(workspace.text("new/sums.py"), format!("{start}{text}"));
    assert_eq!(workspace.text("cart.py"), CODE.split("\n    @property").next().expect("the text before"));
    // The new file is known completely.
    let edits = json!([{ "symbol": "total", "op": "delete" }]);
    agent.call("editd/edit", json!({ "path": "new/sums.py", "edits": edits })).done();
    agent.undo().done();
    agent.undo().done();
    assert_eq!((workspace.text("cart.py").as_str(), workspace.has("new/sums.py")), (CODE, false));
}

#[test]
fn several_moves_of_a_call_share_a_new_file() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let edits = json!([
        { "move": { "symbol": "add@12" }, "to": { "path": "b.py", "create": "# Sums." } },
        { "copy": { "lines": "1-2" }, "to": { "path": "b.py" } },
    ]);
    agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits })).done();
    let text = "# Sums.\n\n\ndef add(a, b):\n    return a + b\n\n\nclass Cart:\n    \"\"\"A cart.\"\"\"\n";
    assert_eq!(workspace.text("b.py"), text);
}

#[rstest]
#[case::no_such_symbol(json!({ "symbol": "Cart.sum" }), json!({ "path": "shop.py" }), "not_found")]
#[case::an_ambiguous_one(json!({ "symbol": "add" }), json!({ "afterSymbol": "add/3" }), "ambiguous")]
#[case::no_such_place(json!({ "symbol": "Cart.add" }), json!({ "afterSymbol": "Cart.sum" }), "not_found")]
#[case::inside_itself(json!({ "symbol": "Cart" }), json!({ "afterSymbol": "Cart.add" }), "overlap")]
#[case::beside_itself(json!({ "symbol": "Cart.add" }), json!({ "beforeSymbol": "Cart.total" }), "no_change")]
#[case::nested(json!({ "symbols": ["Cart", "Cart.add"] }), json!({ "path": "shop.py" }), "overlap")]
#[case::a_file_that_exists(json!({ "symbol": "Cart.add" }), json!({ "path": "shop.py", "create": "" }), "exists")]
#[case::a_file_that_does_not(json!({ "symbol": "Cart.add" }), json!({ "path": "none.py" }), "missing")]
#[case::an_unread_file(json!({ "symbol": "Cart.add" }), json!({ "path": "unread.py" }), "unread")]
#[case::a_line_that_does_not_exist(json!({ "symbol": "Cart.add" }), json!({ "after": 99 }), "not_found")]
#[case::from_an_unread_file(json!({ "path": "unread.py", "symbol": "f" }), json!({ "path": "shop.py" }), "unread")]
#[case::outside(json!({ "symbol": "Cart.add" }), json!({ "path": "../none.py", "create": "" }), "outside_workspace")]
#[case::a_protected_place(json!({ "symbol": "Cart.add" }), json!({ "path": ".git/hooks/none.py", "create": "" }), "protected")]
#[case::no_part(json!({}), json!({ "path": "shop.py" }), "invalid_params")]
#[case::two_parts(json!({ "symbol": "Cart", "lines": "1" }), json!({ "path": "shop.py" }), "invalid_params")]
#[case::no_symbols(json!({ "symbols": [] }), json!({ "path": "shop.py" }), "invalid_params")]
#[case::two_places(json!({ "symbol": "Cart" }), json!({ "after": 1, "create": "" }), "invalid_params")]
#[case::no_place(json!({ "symbol": "Cart" }), json!({}), "invalid_params")]
fn a_move_that_cannot_be_made_changes_nothing(#[case] from: Value, #[case] to: Value, #[case] name: &str) {
    let (machine, workspace) = two_files();
    workspace.put("unread.py", "def f():\n    return 1\n");
    let texts = || ["cart.py", "shop.py", "unread.py"].map(|name| workspace.text(name));
    let before = texts();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["cart.py", "shop.py"]);
    moved(&mut agent, &from, &to).refused(name);
    let copied = json!({ "path": "cart.py", "edits": [{ "copy": from, "to": to }] });
    if !matches!(name, "overlap" | "no_change") {
        agent.call("editd/edit", copied).refused(name);
    }
    assert_eq!((texts(), workspace.has("none.py")), (before, false));
}

#[rstest]
#[case::after_the_one_above(json!({ "symbol": "b" }), json!({ "afterSymbol": "a" }))]
#[case::before_the_one_below(json!({ "symbol": "b" }), json!({ "beforeSymbol": "c" }))]
#[case::after_a_line(json!({ "symbol": "b" }), json!({ "after": 2 }))]
#[case::several(json!({ "symbols": ["b", "c"] }), json!({ "afterSymbol": "a" }))]
fn a_symbol_between_others_that_is_moved_where_it_is_changes_nothing(#[case] from: Value, #[case] to: Value) {
    let text = ["a", "b", "c", "d"].map(|name| format!("def {name}():\n    pass\n")).join("\n\n");
    let (answer, after) = moved_in("names.py", &text, &from, &to);
    answer.refused("no_change");
    assert_eq!(after, text);
}

#[test]
fn neighbors_are_deleted_in_one_call() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let edits = json!([{ "symbol": "Cart.total", "op": "delete" }, { "symbol": "Cart.add", "op": "delete" }]);
    agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits })).done();
    assert_eq!(workspace.text("cart.py"), CODE.replace(&format!("\n{ADD}\n{TOTAL}"), ""));
}

#[test]
fn docstrings_move_along_and_other_strings_stay() {
    let text = "class A:\n    def f(self):\n        \"\"\"Does it.\n\n        Well.\n        \"\"\"\n        return '''\n    a'''\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("cart.py", text));
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let edits = json!([{ "copy": { "symbol": "A.f" }, "to": { "afterSymbol": "A" } }]);
    agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits })).done();
    let copied = "\n\ndef f(self):\n    \"\"\"Does it.\n\n    Well.\n    \"\"\"\n    return '''\n    a'''\n";
    assert_eq!(workspace.text("cart.py"), format!("{text}{copied}"));
}

#[test]
fn a_symbol_with_a_syntax_error_or_without_a_grammar_is_not_moved() {
    let workspace = Workspace::file("cart.py", "def f():\n    return (1\n");
    workspace.put("good.py", "def g():\n    pass\n");
    workspace.put("a.xyz", "f\n");
    let machine = Machine::start();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["cart.py", "good.py", "a.xyz"]);
    moved(&mut agent, &json!({ "symbol": "f" }), &json!({ "path": "b.py", "create": "" })).refused("syntax");
    let from = json!({ "path": "a.xyz", "symbol": "f" });
    moved(&mut agent, &from, &json!({ "path": "b.py", "create": "" })).refused("syntax");
    assert!(!workspace.has("b.py"));
    // A place without a grammar has lines only.
    moved(&mut agent, &json!({ "path": "good.py", "symbol": "g" }), &json!({ "path": "a.xyz" })).done();
    assert_eq!(workspace.text("a.xyz"), "f\n\ndef g():\n    pass\n");
}

#[test]
fn lines_that_were_not_shown_are_not_moved_by_name() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "cart.py", "offset": 10 })).done();
    let request = json!({ "move": { "symbol": "Cart.total" }, "to": { "afterSymbol": "add@12" } });
    let refusal = edit(&mut agent, request.clone()).refused("unread");
    assert!(refusal["excerpt"].to_string().contains("def total"), "{refusal}");
    edit(&mut agent, request).done();
    assert!(workspace.text("cart.py").ends_with("@property\ndef total(self):\n    return sum(self.items)\n"));
}

#[test]
fn the_end_of_a_file_need_not_be_shown() {
    let (machine, workspace) = two_files();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let before = workspace.text("shop.py");
    agent.call("editd/read", json!({ "path": "shop.py", "limit": 1 })).done();
    moved(&mut agent, &json!({ "symbol": "Cart.add" }), &json!({ "path": "shop.py" })).done();
    let after = workspace.text("shop.py");
    let rest = after.strip_prefix(before.as_str()).expect("the symbol is at the end");
    assert!(rest.trim_start().starts_with("def add(self, item):"), "{after}");
    // A symbol is named, and so must be known.
    agent.call("editd/forget", json!({ "path": "shop.py" })).done();
    agent.call("editd/read", json!({ "path": "shop.py", "limit": 1 })).done();
    let beside = json!({ "path": "shop.py", "afterSymbol": "add" });
    moved(&mut agent, &json!({ "symbol": "Cart.total" }), &beside).refused("unread");
}

#[test]
fn an_overlap_names_the_edit_of_text_at_the_start_of_a_moved_symbol() {
    let (machine, workspace) = two_files();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["cart.py", "shop.py"]);
    let edits = json!([
        { "oldText": "class Cart", "newText": "class Basket" },
        { "oldText": "    def add(self", "newText": "    async def add(self" },
        { "move": { "symbol": "Cart.add" }, "to": { "path": "shop.py" } },
    ]);
    let refusal = agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits })).refused("overlap");
    let named: Vec<_> =
        refusal["edits"].as_array().expect("edits").iter().map(|edit| &edit["edit"]).collect();
    assert_eq!(named, [2, 1], "{refusal}");
}

#[rstest]
#[case::refused("reject", "stale")]
#[case::merged("rebase", "")]
fn changes_of_others_elsewhere_are_kept(#[case] on_stale: &str, #[case] refusal: &str) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let other = CODE.replace("class Cart", "# New.\n\n\nclass Cart");
    workspace.put("cart.py", &other);
    let edits = json!([{ "move": { "symbol": "Cart.add" }, "to": { "afterSymbol": "Cart.total" } }]);
    let answer = agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits, "onStale": on_stale }));
    let after = other.replace(&format!("{ADD}\n{TOTAL}"), &format!("{TOTAL}\n{ADD}"));
    if refusal.is_empty() {
        answer.done();
        assert_eq!(workspace.text("cart.py"), after);
    } else {
        answer.refused(refusal);
        assert_eq!(workspace.text("cart.py"), other);
    }
}

#[test]
fn a_model_moves_symbols_and_its_answer_is_brief() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "cart.py" })).done();
    let edits = json!([{ "move": { "symbol": "add@12" }, "to": { "path": "sums.py", "create": "" } }]);
    let done = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).done();
    done.is_brief();
    assert_eq!(workspace.text("sums.py"), "def add(a, b):\n    return a + b\n");
    let edits = json!([{ "move": { "symbol": "Cart.add" }, "to": { "path": "other.py" } }]);
    let refused = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).refused("missing");
    assert!(refused.text.contains("`create`"), "{}", refused.text);
}
