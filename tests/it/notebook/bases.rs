//! Base checks of notebooks: the same as for any file.

use serde_json::{Value, json};

use super::cells::NOTEBOOK;
use crate::support::{Machine, Outcome, Workspace};

fn replace(more: &Value) -> Value {
    let cells = json!([{ "op": "replace", "id": "calc", "source": "a = 2\nprint(a)" }]);
    let mut params = json!({ "changes": [{ "kind": "notebook", "path": "a.ipynb", "cells": cells }] });
    params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    params
}

#[test]
fn a_notebook_must_exist_and_must_have_been_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    let data = agent.call("editd/edit", replace(&json!({}))).refused("unread");
    assert_eq!(data["currentHash"], workspace.hash("a.ipynb"));
    let mut missing = replace(&json!({}));
    missing["changes"][0]["path"] = json!("b.ipynb");
    agent.call("editd/edit", missing).refused("missing");
    let mut sent = replace(&json!({}));
    sent["changes"][0]["baseHash"] = data["currentHash"].clone();
    agent.call("editd/edit", sent).done();
}

#[test]
fn a_changed_notebook_is_stale_or_merged() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    let theirs = NOTEBOOK.replace("# Größe", "# Maß");
    workspace.put("a.ipynb", &theirs);
    agent.call("editd/edit", replace(&json!({}))).refused("stale");
    agent.call("editd/edit", replace(&json!({ "onStale": "rebase" }))).done();
    assert_eq!(workspace.text("a.ipynb"), theirs.replace("a = 1", "a = 2"));
}

#[test]
fn a_merge_never_leaves_an_invalid_notebook() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    let theirs = NOTEBOOK.replace("a = 1", "a = 3");
    workspace.put("a.ipynb", &theirs);
    let both = json!({ "onStale": "rebase", "onConflict": "markers" });
    let data = agent.call("editd/edit", replace(&both)).refused("conflict");
    assert_eq!(data["regions"][0]["theirs"], "    \"a = 2\\n\",\n");
    assert_eq!(workspace.text("a.ipynb"), theirs);
}

#[test]
fn a_merge_by_lines_that_loses_a_comma_is_a_conflict() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    // They remove the last line of the list; we add a line after it. A merge by lines would lose the comma.
    let theirs = NOTEBOOK.replace("    \"a = 1\\n\",\n    \"print(a)\"", "    \"a = 1\\n\"");
    workspace.put("a.ipynb", &theirs);
    let cells = json!([{ "op": "replace", "id": "calc", "source": "a = 1\nprint(a)\nprint(2)" }]);
    let changes = json!([{ "kind": "notebook", "path": "a.ipynb", "cells": cells }]);
    agent.call("editd/edit", json!({ "changes": changes, "onStale": "rebase" })).refused("conflict");
    assert_eq!(workspace.text("a.ipynb"), theirs);
}
