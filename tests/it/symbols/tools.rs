//! Symbols through the tools for models.

use serde_json::json;

use super::edits::{CODE, scene};
use crate::support::Mcp;

#[test]
fn symbols_are_outlined_read_found_and_edited() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    let outline = mcp.call("outline", json!({ "path": "cart.py" })).done();
    let path = workspace.absolute("cart.py");
    assert_eq!(
        outline.text,
        format!(
            "{path}, python, 13 lines\n\n1-9 class Cart\n  4-5 method Cart.add\n  7-9 method Cart.total\n12-13 function add\n"
        )
    );
    let read = mcp.call("read", json!({ "path": "cart.py", "symbol": "Cart.total" })).done();
    assert!(read.text.ends_with("9\t        return sum(self.items)\n"), "{}", read.text);
    let found = mcp.call("find", json!({ "symbol": "total" })).done();
    assert_eq!(found.text, format!("{path}\n  7-9 method Cart.total\n"));
    let edits = json!([{ "symbol": "Cart.total", "op": "body", "newText": "return (0" }]);
    let done = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).done();
    assert_eq!(workspace.text("cart.py"), CODE.replace("sum(self.items)", "(0"));
    assert!(done.text.contains("Syntax error in line 9, not there before: return (0\n"), "{}", done.text);
    let edits = json!([{ "symbol": "Cart.nothing", "op": "delete" }]);
    let refused = mcp.call("edit", json!({ "path": "cart.py", "edits": edits })).refused("not_found");
    assert!(refused.text.contains("`outline`"), "{}", refused.text);
}
