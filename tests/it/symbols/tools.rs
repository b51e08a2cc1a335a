//! Symbols through the tools for models.

use rstest::rstest;
use serde_json::{Value, json};

use super::edits::{CODE, scene};
use crate::support::{Machine, Mcp, Workspace};

#[test]
fn symbols_are_outlined_read_found_and_edited() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    let outline = mcp.call("outline", json!({ "path": "cart.py" })).done();
    assert_eq!(
        outline.text,
        "cart.py, python, 13 lines\n\n1-9 class Cart\n  4-5 method Cart.add\n  7-9 method Cart.total\n12-13 function add\n"
    );
    let read = mcp.call("read", json!({ "path": "cart.py", "symbol": "Cart.total" })).done();
    assert!(read.text.ends_with("9\t        return sum(self.items)\n"), "{}", read.text);
    let found = mcp.call("find", json!({ "symbol": "total" })).done();
    assert_eq!(found.text, "cart.py\n  7-9 method Cart.total\n");
    let edits = json!([{ "symbol": "Cart.total", "op": "body", "newText": "return (0" }]);
    let done = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).done();
    assert_eq!(workspace.text("cart.py"), CODE.replace("sum(self.items)", "(0"));
    assert!(done.text.contains("Syntax error in line 9, not there before: return (0\n"), "{}", done.text);
    let edits = json!([{ "symbol": "Cart.nothing", "op": "delete" }]);
    let refused = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).refused("not_found");
    assert!(refused.text.contains("`outline`"), "{}", refused.text);
}

/// Returns a class with 40 methods.
fn module() -> String {
    let method = |number| {
        format!("\n    def row_{number}(self):\n        row = self.rows[{number}]\n        return row\n")
    };
    (0..40).fold("class Table:\n    rows = []\n".to_owned(), |text, number| text + &method(number))
}

#[rstest]
#[case::a_body(json!({ "symbol": "Table.row_7", "op": "body", "newText": "return 7" }))]
#[case::a_long_body(json!({ "symbol": "Table.row_7", "op": "body", "newText": "self.next()\n".repeat(60) }))]
#[case::replaced(json!({ "symbol": "row_7", "newText": "def row_7(self):\n    return 7\n" }))]
#[case::inserted(json!({ "symbol": "row_7", "op": "after", "newText": "def row_7a(self):\n    return 7\n" }))]
#[case::deleted(json!({ "symbol": "row_7", "op": "delete" }))]
#[case::renamed(json!({ "symbol": "row_7", "op": "rename_here", "newText": "seventh" }))]
#[case::broken(json!({ "symbol": "row_7", "op": "body", "newText": "return (7" }))]
fn an_answer_to_an_edit_of_a_symbol_is_brief(#[case] edit: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("src/table.py", module()));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "src/table.py" })).done();
    mcp.call("edit", json!({ "path": "src/table.py", "edits": [edit] })).done().is_brief();
    assert_ne!(workspace.text("src/table.py"), module());
}

#[test]
fn a_refusal_about_symbols_costs_375_tokens() {
    let (machine, workspace) = (Machine::start(), Workspace::file("src/table.py", module()));
    let mut mcp = Mcp::start(&machine, &workspace);
    let mut deletes = |symbol: &str, reads: bool, kind: &str| {
        if reads {
            mcp.call("read", json!({ "path": "src/table.py" })).done();
        }
        let edits = json!([{ "symbol": symbol, "op": "delete" }]);
        let refused = mcp.call("edit", json!({ "path": "src/table.py", "edits": edits })).refused(kind);
        for form in [refused.text.len(), refused.data.to_string().len()] {
            assert!(form <= 1_500, "{form} bytes: {}", refused.text);
        }
    };
    deletes("Table", false, "unread");
    deletes("Table.row", true, "not_found");
    workspace.put("src/table.py", module().replace("row", "line").repeat(3));
    deletes("Table", false, "stale");
}

#[test]
fn a_rename_of_the_declaration_lists_the_uses_that_are_left() {
    let (machine, workspace) = scene();
    workspace.put("cart.py", format!("{CODE}\n\nprint(add(1, 2))\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "cart.py" })).done();
    let edits = json!([{ "symbol": "add@12", "op": "rename_here", "newText": "plus" }]);
    let done = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).done();
    assert!(done.text.contains("the name is still used in cart.py, lines 4, 16"), "{}", done.text);
}
