//! Placeholders for omitted code are refused, because writing them would lose that code.

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

const BEFORE: &str = "fn a() {\n    one();\n    two();\n}\n";
const CUT: &str = "fn a() {\n    three();\n    // ... rest of the function unchanged ...\n}\n";

#[test]
fn a_placeholder_in_new_text_is_refused_with_its_line() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", BEFORE));
    let data = machine.agent(&workspace).read_and_edit("a.rs", BEFORE, CUT).refused("placeholder");
    assert_eq!(data["line"], 3);
    assert_eq!(workspace.text("a.rs"), BEFORE);
}

#[test]
fn a_placeholder_in_a_whole_content_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", BEFORE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.rs");
    let write = |literal| json!({ "kind": "write", "path": "a.rs", "content": CUT, "literal": literal });
    assert_eq!(agent.change(write(false)).refused("placeholder")["line"], 3);
    assert_eq!(workspace.text("a.rs"), BEFORE);
    agent.change(write(true)).done();
    assert_eq!(workspace.text("a.rs"), CUT, "literal text can be written");
}

#[test]
fn exact_matching_writes_a_placeholder() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", BEFORE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.rs");
    let exact = json!({ "path": "a.rs", "oldText": BEFORE, "newText": CUT, "matching": "exact" });
    agent.call("editd/edit", exact).done();
    assert_eq!(workspace.text("a.rs"), CUT);
    // The placeholder is part of the file now, so writing it again loses nothing.
    agent.read_and_edit("a.rs", CUT, &CUT.replace("three", "four")).done();
}

#[test]
fn a_new_file_may_contain_a_placeholder() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    agent.change(json!({ "kind": "write", "path": "docs.md", "content": CUT })).done();
    assert_eq!(workspace.text("docs.md"), CUT);
}

/// Returns a request that replaces `BEFORE` with a text that has a placeholder, in one of several forms.
fn request_with_placeholder(path: &str, form: &str) -> serde_json::Value {
    let edits = |more: bool| {
        let first = json!({ "oldText": "    one();\n    two();\n", "newText": &CUT[9..CUT.len() - 2] });
        let second = json!({ "oldText": "fn a()", "newText": "fn b()" });
        if more { json!([first, second]) } else { json!([first]) }
    };
    match form {
        "edit" => json!({ "path": path, "edits": edits(false) }),
        "sequential" => json!({ "path": path, "edits": edits(true), "sequential": true }),
        "write" => json!({ "changes": [{ "kind": "write", "path": path, "content": CUT }] }),
        _ => json!({ "patch": { "text": format!(
            "*** Begin Patch\n*** Update File: {path}\n@@\n-    one();\n-    two();\n+    three();\n+    // ... rest of the function unchanged ...\n*** End Patch\n"
        ) } }),
    }
}

#[rstest]
fn placeholders_are_allowed_in_prose_but_not_in_code(
    #[values("edit", "sequential", "write", "patch")] form: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.md", BEFORE), ("a.rs", BEFORE)]));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.md", "a.rs"]);
    agent.call("editd/edit", request_with_placeholder("a.rs", form)).refused("placeholder");
    assert_eq!(workspace.text("a.rs"), BEFORE);
    agent.call("editd/edit", request_with_placeholder("a.md", form)).done();
    let expected = if form == "sequential" { CUT.replace("fn a", "fn b") } else { CUT.to_owned() };
    assert_eq!(workspace.text("a.md"), expected);
}
