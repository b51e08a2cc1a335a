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

const CODE: &str = "fn a() {\n    one();\n    two();\n}\n\nfn b() {}\n";
const OMITTED: &str = "    // ... existing code ...\n";

#[rstest]
#[case::lines(json!({ "lines": "2-3", "newText": OMITTED }))]
#[case::after(json!({ "after": 1, "newText": OMITTED }))]
#[case::before(json!({ "before": 2, "newText": OMITTED }))]
#[case::symbol(json!({ "symbol": "a", "newText": format!("fn a() {{\n{OMITTED}}}\n") }))]
#[case::body(json!({ "symbol": "a", "op": "body", "newText": OMITTED }))]
#[case::after_a_symbol(json!({ "symbol": "a", "op": "after", "newText": format!("fn c() {{\n{OMITTED}}}\n") }))]
#[case::before_a_symbol(json!({ "symbol": "a", "op": "before", "newText": format!("fn c() {{\n{OMITTED}}}\n") }))]
fn a_placeholder_is_refused_in_every_form_of_an_edit(#[case] edit: serde_json::Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", CODE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.rs");
    let request = |matching: &str| json!({ "path": "a.rs", "edits": [&edit], "matching": matching });
    let data = agent.call("editd/edit", request("fuzzy")).refused("placeholder");
    assert!(data["line"].is_u64() && data["edit"] == 0, "{data}");
    assert_eq!(workspace.text("a.rs"), CODE);
    agent.call("editd/edit", request("exact")).done();
    assert!(workspace.text("a.rs").contains("// ... existing code ..."));
}

#[test]
fn lines_that_a_placeholder_replaces_may_have_it() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", format!("{OMITTED}x();\n")));
    let mut agent = machine.agent(&workspace);
    agent.read("a.rs");
    let edits = json!([{ "lines": "1-2", "newText": format!("{OMITTED}y();\n") }]);
    agent.call("editd/edit", json!({ "path": "a.rs", "edits": edits })).done();
    assert_eq!(workspace.text("a.rs"), format!("{OMITTED}y();\n"));
    // Moved lines are lines of the file, whatever they look like.
    let edits = json!([{ "move": { "lines": "1" }, "to": { "after": 2 } }]);
    agent.call("editd/edit", json!({ "path": "a.rs", "edits": edits })).done();
    assert_eq!(workspace.text("a.rs"), format!("y();\n{OMITTED}"));
}

#[rstest]
#[case::without_a_grammar("build.zig")]
#[case::without_an_extension("Justfile")]
#[case::with_a_grammar("a.py")]
fn a_placeholder_is_refused_in_files_of_code(#[case] path: &str, #[values(true, false)] is_new: bool) {
    let files: &[(&str, &str)] = if is_new { &[] } else { &[(path, BEFORE)] };
    let (machine, workspace) = (Machine::start(), Workspace::with(files));
    let mut agent = machine.agent(&workspace);
    if !is_new {
        agent.read(path);
    }
    let write = |literal| json!({ "kind": "write", "path": path, "content": OMITTED, "literal": literal });
    agent.change(write(false)).refused("placeholder");
    assert_eq!(workspace.has(path), !is_new);
    agent.change(write(true)).done();
    assert_eq!(workspace.text(path), OMITTED);
}

#[rstest]
#[case::new_file("*** Begin Patch\n*** Add File: n.rs\n+// ... existing code ...\n*** End Patch\n")]
#[case::added_lines(
    "*** Begin Patch\n*** Update File: a.rs\n@@ fn a() {\n+// ... existing code ...\n*** End Patch\n"
)]
#[case::block("a.rs\n<<<<<<< SEARCH\n    one();\n=======\n    // ... existing code ...\n>>>>>>> REPLACE\n")]
#[case::diff(
    "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n fn a() {\n-    one();\n+    // ... existing code ...\n"
)]
fn a_placeholder_is_refused_in_patches(#[case] patch: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", BEFORE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.rs");
    agent.call("editd/edit", json!({ "patch": patch })).refused("placeholder");
    assert_eq!(workspace.text("a.rs"), BEFORE);
}

#[test]
fn a_placeholder_is_refused_in_the_place_of_lines_in_a_patch() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", BEFORE));
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "a.rs", "anchored": true })).done();
    let anchor = read["anchor"].as_str().expect("an anchor");
    let patch = format!("[{anchor}]\nPUT 2.=3:\n+    // ... existing code ...\n");
    agent.call("editd/edit", json!({ "patch": patch })).refused("placeholder");
    assert_eq!(workspace.text("a.rs"), BEFORE);
}

#[test]
fn a_placeholder_is_refused_in_a_cell_of_code() {
    let notebook = json!({
        "cells": [{ "cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [],
            "source": ["one()\n", "two()\n"] }],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    });
    let (machine, workspace) = (Machine::start(), Workspace::file("n.ipynb", notebook.to_string()));
    let mut agent = machine.agent(&workspace);
    agent.read("n.ipynb");
    let op = |kind: &str| json!({ "op": "replace", "id": "a", "cellType": kind, "source": "# ... existing code ...\n" });
    let change = |kind| json!({ "kind": "notebook", "path": "n.ipynb", "cells": [op(kind)] });
    agent.change(change("code")).refused("placeholder");
    assert_eq!(workspace.text("n.ipynb"), notebook.to_string());
    agent.change(change("markdown")).done();
}
