//! `editd outline`, `editd read --symbol`, `editd find --symbol` and `editd edit --symbol`.

use std::process::Output;

use super::edits::{CODE, scene};

#[track_caller]
fn succeeds(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    out.into_owned()
}

#[test]
fn symbols_are_listed_read_found_and_edited() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("cart.py");
    let outline = succeeds(&machine.run(&["outline", &path]));
    assert_eq!(
        outline,
        " 1-9   Cart class\n 4-5     Cart.add method\n 7-9     Cart.total method\n12-13  add function\n"
    );
    let read = succeeds(&machine.run(&["read", &path, "--symbol", "Cart.add"]));
    assert_eq!(read, "    def add(self, item):\n        self.items.append(item)\n");
    let root = workspace.root().display().to_string();
    let found = succeeds(&machine.run(&["find", "--symbol", "total", &root]));
    assert!(found.contains("cart.py:7 Cart.total method\n"), "{found}");
    let none = machine.run(&["find", "--symbol", "none", &root]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("No file declares"), "{none:?}");
    succeeds(&machine.run(&[
        "edit",
        &path,
        "--symbol",
        "Cart.total",
        "--op",
        "body",
        "--new",
        "return 0",
        "--yes",
    ]));
    assert_eq!(workspace.text("cart.py"), CODE.replace("sum(self.items)", "0"));
    succeeds(&machine.run(&["edit", &path, "--symbol", "Cart.total", "--op", "delete", "--yes"]));
    assert!(!workspace.text("cart.py").contains("total"));
}

#[test]
fn a_new_syntax_error_is_reported() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("cart.py");
    let output = machine.run(&["edit", &path, "--old", "append(item)", "--new", "append(item", "--yes"]);
    succeeds(&output);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.contains("note: new syntax error in line 5: self.items.append(item\n"), "{notes}");
}

#[test]
fn a_rename_of_the_declaration_lists_the_uses_that_are_left() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("cart.py");
    workspace.put("cart.py", format!("{CODE}\n\nprint(add(1, 2))\n"));
    let rename = ["edit", &path, "--symbol", "add@12", "--op", "rename_here", "--new", "plus", "--yes"];
    let output = machine.run(&rename);
    succeeds(&output);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.contains("the name is still used in cart.py, lines 4, 16"), "{notes}");
}
