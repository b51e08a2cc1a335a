//! Missing cells, and files that are not notebooks.

use rstest::rstest;
use serde_json::{Value, json};

use super::cells::NOTEBOOK;
use crate::support::{Answer, Machine, Outcome, Workspace};

fn change_cells(before: &str, cells: &Value) -> Answer {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    let answer = agent.change(json!({ "kind": "notebook", "path": "a.ipynb", "cells": cells }));
    assert_eq!(workspace.text("a.ipynb"), before);
    answer
}

#[rstest]
#[case::an_id(json!({ "op": "delete", "id": "none" }), "no cell with the id `none`; its cells are 0 `intro`, 1 `calc`.")]
#[case::an_index(json!({ "op": "replace", "index": 2, "source": "" }), "no cell 2; its cells are 0 `intro`, 1 `calc`.")]
#[case::a_position_out_of_range(json!({ "op": "insert", "index": 3, "cellType": "raw" }), "no cell 3;")]
#[case::no_position(json!({ "op": "insert", "cellType": "raw" }), "cells[0] does not say where")]
fn a_missing_cell_is_refused_with_a_list_of_cells(#[case] op: Value, #[case] expected: &str) {
    let error = change_cells(NOTEBOOK, &json!([op])).fails(-32803);
    assert!(error.message.contains(expected), "{error:?}");
    assert_eq!(
        (error.kind(), &error.data["edit"], &error.data["found"]),
        ("not_found", &json!(0), &json!(2))
    );
    let second = json!({ "index": 1, "id": "calc", "cellType": "code", "startLine": 11, "endLine": 23 });
    assert_eq!(error.data["cells"][1], second);
}

#[test]
fn two_operations_on_one_cell_contradict_each_other() {
    let cells = json!([{ "op": "replace", "id": "calc", "source": "x" }, { "op": "delete", "index": 1 }]);
    let data = change_cells(NOTEBOOK, &cells).refused("contradiction");
    let both = [1, 0].map(|edit| json!({ "edit": edit, "startLine": 11, "endLine": 23 }));
    assert_eq!(data["edits"], json!(both));
}

#[test]
fn a_duplicate_id_is_ambiguous() {
    let data = change_cells(&NOTEBOOK.replace("intro", "calc"), &json!([{ "op": "delete", "id": "calc" }]))
        .refused("ambiguous");
    assert_eq!((&data["found"], &data["occurrences"][1]["startLine"]), (&json!(2), &json!(11)));
}

#[test]
fn unusual_ids_are_escaped_in_messages() {
    let before = NOTEBOOK.replace("intro", "a\\n\\u0000");
    change_cells(&before, &json!([{ "op": "delete", "id": "c\nd" }])).refused("not_found");
}

#[rstest]
#[case::an_equal_source(json!([{ "op": "replace", "index": 1, "source": "a = 1\nprint(a)" }]))]
#[case::outputs_of_text(json!([{ "op": "replace", "index": 0, "clearOutputs": true }]))]
fn an_operation_without_effect_is_refused(#[case] cells: Value) {
    change_cells(NOTEBOOK, &cells).refused("no_change");
}

#[rstest]
#[case::no_json("{\n \"cells\": [\n", 3)]
#[case::text("print(1)\n", 1)]
#[case::an_old_format("{\"nbformat\": 3,\n \"worksheets\": []}", 1)]
#[case::no_cells("{\"nbformat\": 4}", 1)]
#[case::too_deep(&"[".repeat(5_000), 1)]
fn an_invalid_notebook_is_refused_with_the_line(#[case] before: &str, #[case] line: usize) {
    let data = change_cells(before, &json!([{ "op": "delete", "index": 0 }])).refused("encoding");
    assert_eq!(data["line"], line, "{data}");
    assert!(data["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{data}");
}

#[rstest]
#[case::an_edit(json!({ "kind": "edit", "path": "a.ipynb", "edits": [{ "oldText": "    \"print(a)\"\n", "newText": "    \"print(\"b\")\"\n" }] }))]
#[case::a_new_content(json!({ "kind": "write", "path": "a.ipynb", "content": "print(1)\n" }))]
fn a_text_change_that_breaks_the_notebook_is_refused(#[case] change: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.ipynb", "raw": true })).done();
    let data = agent.change(change).refused("encoding");
    assert!(data["hint"].as_str().is_some_and(|hint| hint.contains("notebook")), "{data}");
    assert!(data["line"].is_u64() && data["reason"].is_string(), "{data}");
    assert_eq!(workspace.text("a.ipynb"), NOTEBOOK);
}

#[test]
fn a_literal_write_may_replace_a_notebook_with_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.ipynb", "raw": true })).done();
    let content = "print(1)\n";
    agent.change(json!({ "kind": "write", "path": "a.ipynb", "content": content, "literal": true })).done();
    assert_eq!(workspace.text("a.ipynb"), content);
}

#[test]
fn a_failed_text_edit_suggests_a_notebook_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    let hint_of = |data: Value| data["hint"].as_str().expect("a hint").to_owned();
    let edit = hint_of(agent.edit("a.ipynb", "a = 1\nprint(a)", "a = 2\nprint(a)").refused("not_found"));
    let text =
        "*** Begin Patch\n*** Update File: a.ipynb\n@@\n a = 1\n-print(a)\n+print(a, a)\n*** End Patch\n";
    let patch = hint_of(agent.call("editd/edit", json!({ "patch": { "text": text } })).refused("not_found"));
    for (hint, copied) in [(&edit, "`oldText`"), (&patch, "the hunk's context and removed lines")] {
        for part in ["is a notebook", "a `notebook` change", "`raw: true`", copied] {
            assert!(hint.contains(part), "{part}: {hint}");
        }
    }
    assert_eq!(workspace.text("a.ipynb"), NOTEBOOK);
}
