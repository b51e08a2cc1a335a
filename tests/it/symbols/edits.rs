//! Edits of symbols by their names.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Outcome, Workspace};

pub(super) const CODE: &str = "\
class Cart:
    \"\"\"A cart.\"\"\"

    def add(self, item):
        self.items.append(item)

    @property
    def total(self):
        return sum(self.items)


def add(a, b):
    return a + b
";

pub(super) fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("cart.py", CODE))
}

#[expect(clippy::needless_pass_by_value, reason = "a value written at the place of the call reads best")]
pub(super) fn edit(agent: &mut Agent, edit: Value) -> Answer {
    agent.call("editd/edit", json!({ "path": "cart.py", "edits": [edit] }))
}

#[rstest]
#[case::replaced(
    json!({ "symbol": "Cart.add", "newText": "def add(self, *items):\n    self.items += items\n" }),
    CODE.replace("    def add(self, item):\n        self.items.append(item)\n", "    def add(self, *items):\n        self.items += items\n"),
)]
#[case::the_body(
    json!({ "symbol": "Cart::total", "op": "body", "newText": "return 0" }),
    CODE.replace("return sum(self.items)", "return 0"),
)]
#[case::after(
    json!({ "symbol": "Cart.add", "op": "after", "newText": "def clear(self):\n    self.items = []\n" }),
    CODE.replace("append(item)\n", "append(item)\n\n    def clear(self):\n        self.items = []\n"),
)]
#[case::before(
    json!({ "symbol": "add@12", "op": "before", "newText": "def sub(a, b):\n    return a - b\n" }),
    CODE.replace("\ndef add(a", "\ndef sub(a, b):\n    return a - b\n\n\ndef add(a"),
)]
#[case::deleted(
    json!({ "symbol": "Cart.total", "op": "delete" }),
    CODE.replace("\n    @property\n    def total(self):\n        return sum(self.items)\n", ""),
)]
#[case::renamed_here(
    json!({ "symbol": "Cart.total", "op": "rename_here", "newText": "amount" }),
    CODE.replace("def total", "def amount"),
)]
fn a_symbol_is_edited(#[case] requested: Value, #[case] after: String) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let done = edit(&mut agent, requested).done();
    assert_eq!(workspace.text("cart.py"), after);
    assert_eq!(done["files"][0]["matches"][0]["strategy"], "symbol");
    agent.undo().done();
    assert_eq!(workspace.text("cart.py"), CODE);
}

#[test]
fn all_forms_go_into_one_call() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let edits = json!([
        { "symbol": "Cart.total", "op": "body", "newText": "return 0" },
        { "oldText": "a + b", "newText": "b + a" },
        { "lines": "2", "newText": "    \"\"\"A basket.\"\"\"" },
    ]);
    agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits })).done();
    let after = CODE.replace("sum(self.items)", "0").replace("a + b", "b + a").replace("A cart", "A basket");
    assert_eq!(workspace.text("cart.py"), after);
    let edits = json!([
        { "symbol": "Cart.total", "op": "delete" },
        { "oldText": "return 0", "newText": "return 1" },
    ]);
    let refusal = agent.call("editd/edit", json!({ "path": "cart.py", "edits": edits })).refused("overlap");
    assert_eq!(refusal["edits"].as_array().map(Vec::len), Some(2));
}

#[rstest]
#[case::unknown("Cart.ad", "replace", "not_found", "Cart.add")]
#[case::several("add", "replace", "", "")]
#[case::two_of_them("item", "replace", "not_found", "")]
#[case::blank("Cart.add", "replace", "syntax", "blank")]
fn a_symbol_that_is_not_certain_is_refused(
    #[case] symbol: &str,
    #[case] op: &str,
    #[case] kind: &str,
    #[case] says: &str,
) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let new = if says == "blank" { " \n" } else { "def x():\n    pass\n" };
    let answer = edit(&mut agent, json!({ "symbol": symbol, "op": op, "newText": new }));
    // The whole path of the function is `add`, so it is not ambiguous.
    if kind.is_empty() {
        answer.done();
        return;
    }
    let error = answer.expect_err("a refusal");
    assert_eq!(error.kind(), kind, "{error:?}");
    assert!(error.message.contains(says), "{}", error.message);
    assert_eq!(workspace.text("cart.py"), CODE);
}

#[test]
fn equal_names_are_listed_with_their_lines() {
    let text = "class A:\n    def run(self): pass\n\nclass B:\n    def run(self): pass\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("cart.py", text));
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let request = |symbol: &str| json!({ "symbol": symbol, "op": "body", "newText": "return 1" });
    let refusal = edit(&mut agent, request("run")).refused("ambiguous");
    assert_eq!(refusal["symbols"][1]["symbol"], "B.run");
    assert_eq!(refusal["symbols"][1]["startLine"], 5);
    edit(&mut agent, request("run@5")).done();
    edit(&mut agent, request("run/1")).done();
    assert_eq!(workspace.text("cart.py"), text.replace("pass", "return 1"));
}

#[test]
fn a_symbol_must_have_been_read() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let request = json!({ "symbol": "Cart.total", "op": "body", "newText": "return 0" });
    edit(&mut agent, request.clone()).refused("unread");
    agent.call("editd/outline", json!({ "path": "cart.py" })).done();
    edit(&mut agent, request.clone()).refused("unread");
    agent.call("editd/read", json!({ "path": "cart.py", "symbol": "Cart.add" })).done();
    let refusal = edit(&mut agent, request.clone()).refused("unread");
    assert!(refusal["excerpt"].as_str().is_some_and(|text| text.contains("return sum")), "{refusal}");
    // The refusal has shown the symbol.
    edit(&mut agent, request).done();
    assert_eq!(workspace.text("cart.py"), CODE.replace("sum(self.items)", "0"));
}

#[test]
fn an_edit_of_a_symbol_is_carried_over_changes_elsewhere() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    workspace.put("cart.py", format!("import os\n\n{CODE}").replace("a + b", "b + a"));
    let body = json!({ "symbol": "Cart.total", "op": "body", "newText": "return 0" });
    edit(&mut agent, body.clone()).refused("stale");
    let rebase = json!({ "path": "cart.py", "edits": [body], "onStale": "rebase" });
    agent.call("editd/edit", rebase).done();
    let after = format!("import os\n\n{CODE}").replace("a + b", "b + a").replace("sum(self.items)", "0");
    assert_eq!(workspace.text("cart.py"), after);
    workspace.put("cart.py", after.replace("return 0", "return 1"));
    agent.call("editd/changes", json!({})).done();
    let mut other = machine.agent(&workspace);
    other.read("cart.py");
    workspace.put("cart.py", after.replace("return 0", "return 2"));
    edit(&mut other, json!({ "symbol": "Cart.total", "op": "body", "newText": "return 3" })).refused("stale");
}

#[test]
fn files_without_a_grammar_have_no_symbols() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "def f(): pass\n"), ("b.bin", "\0")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edit = json!({ "path": "a.txt", "edits": [{ "symbol": "f", "op": "delete" }] });
    let refusal = agent.call("editd/edit", edit).refused("syntax");
    assert!(refusal["reason"].as_str().is_some_and(|reason| reason.contains("grammar")), "{refusal}");
    agent.call("editd/outline", json!({ "path": "a.txt" })).refused("syntax");
    agent.call("editd/outline", json!({ "path": "b.bin" })).refused("binary");
    agent.call("editd/outline", json!({ "path": "none.py" })).refused("missing");
}

#[test]
fn a_rename_of_the_declaration_lists_the_uses_that_are_left() {
    let code = "def total(x):\n    return x\n\n\ndef main():\n    print(total(1), \"total\")  # total\n    return total\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("src/sum.py", code));
    let mut agent = machine.agent(&workspace);
    agent.read("src/sum.py");
    let rename = json!({ "symbol": "total", "op": "rename_here", "newText": "amount" });
    // Lines of the result: the other edit moves them.
    let edits = json!([rename, { "after": 0, "newText": "# Sums." }]);
    let done = agent.call("editd/edit", json!({ "path": "src/sum.py", "edits": edits })).done();
    let warnings = done["files"][0]["warnings"].to_string();
    let expected =
        "only the declaration of `total` was renamed; the name is still used in src/sum.py, lines 7, 8";
    assert!(warnings.contains(expected), "{warnings}");
    agent.undo().done();
    agent.read("src/sum.py");
    // All uses are renamed in the same call.
    let body = json!({ "symbol": "main", "op": "body", "newText": "return amount" });
    let edits = json!([{ "symbol": "total", "op": "rename_here", "newText": "amount" }, body]);
    let done = agent.call("editd/edit", json!({ "path": "src/sum.py", "edits": edits })).done();
    assert!(!done["files"][0]["warnings"].to_string().contains("still used"), "{done}");
}

#[test]
fn the_list_of_uses_that_are_left_is_bounded() {
    let code = format!("int x = 1;\nint f() {{\n{}    return 0;\n}}\n", "    x++;\n".repeat(500));
    let (machine, workspace) = (Machine::start(), Workspace::file("a.c", code));
    let mut agent = machine.agent(&workspace);
    agent.read("a.c");
    let edits = json!([{ "symbol": "x", "op": "rename_here", "newText": "count" }]);
    let done = agent.call("editd/edit", json!({ "path": "a.c", "edits": edits })).done();
    let warnings = done["files"][0]["warnings"].to_string();
    assert!(warnings.contains("lines 3, 4, 5") && warnings.contains("22 and 480 more"), "{warnings}");
}

#[test]
fn own_changes_make_no_edit_of_a_symbol_stale() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "cart.py", "anchored": true })).done();
    let anchor = read["anchor"].as_str().expect("an anchor").to_owned();
    let mut body = |text: &str| {
        let edits = json!([{ "symbol": "Cart.total", "op": "body", "newText": text }]);
        agent.call("editd/edit", json!({ "path": anchor, "edits": edits })).done();
    };
    body("return 1");
    body("return 2\nreturn 3");
    body("return 4");
    assert_eq!(workspace.text("cart.py"), CODE.replace("sum(self.items)", "4"));
}
