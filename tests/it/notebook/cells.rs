//! The resulting file after operations on cells.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, apply_unified, hash_of};

pub(super) const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Größe"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {},
   "outputs": [
    {"name":"stdout", "output_type":"stream","text":["1\n"]}
   ],
   "source": [
    "a = 1\n",
    "print(a)"
   ]
  }
 ],
 "metadata": {"x" : 1.0},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

/// Applies operations to a notebook. Returns the resulting bytes and the entry of the file in the answer.
fn changed(before: impl AsRef<[u8]>, cells: &Value) -> (Vec<u8>, Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", before));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    let applied = agent.change(json!({ "kind": "notebook", "path": "a.ipynb", "cells": cells })).done();
    (workspace.bytes("a.ipynb"), applied["files"][0].clone())
}

#[test]
fn only_the_source_is_replaced() {
    let cells = json!([{ "op": "replace", "id": "calc", "source": "a = 2\nprint(a)" }]);
    let (after, file) = changed(NOTEBOOK, &cells);
    let expected = NOTEBOOK.replace("a = 1", "a = 2");
    assert_eq!(String::from_utf8_lossy(&after), expected);
    assert_eq!((&file["action"], &file["hash"]), (&json!("edit"), &json!(hash_of(&expected))));
    assert_eq!((&file["matches"], &file["warnings"]), (&json!([]), &json!([])));
    assert_eq!(apply_unified(NOTEBOOK, file["diff"].as_str().expect("a diff")), expected);
}

#[test]
fn all_operations_refer_to_the_original_cells() {
    let cells = json!([
        { "op": "delete", "index": 0 },
        { "op": "replace", "index": 1, "source": "x", "clearOutputs": true },
        { "op": "insert", "index": 1, "cellType": "markdown", "source": "new" },
    ]);
    let (after, file) = changed(NOTEBOOK, &cells);
    let after: Value = serde_json::from_slice(&after).expect("JSON");
    let sources: Vec<_> =
        after["cells"].as_array().expect("cells").iter().map(|cell| &cell["source"]).collect();
    assert_eq!(sources, [&json!(["new"]), &json!(["x"])]);
    assert_eq!(
        (&after["cells"][1]["outputs"], &after["cells"][1]["execution_count"]),
        (&json!([]), &json!(null))
    );
    let id = after["cells"][0]["id"].as_str().expect("an id");
    assert_eq!(file["warnings"], json!([format!("cells[2]: the new cell has the id {id}")]));
}

#[test]
fn a_type_change_adds_and_removes_required_members() {
    let cells = json!([
        { "op": "replace", "id": "calc", "cellType": "raw" },
        { "op": "replace", "id": "intro", "cellType": "code" },
    ]);
    let (after, file) = changed(NOTEBOOK, &cells);
    let after: Value = serde_json::from_slice(&after).expect("JSON");
    let [now_code, now_raw] = [&after["cells"][0], &after["cells"][1]];
    assert_eq!((&now_code["execution_count"], &now_code["outputs"]), (&json!(null), &json!([])));
    assert!(now_raw.get("outputs").is_none() && now_raw.get("execution_count").is_none(), "{now_raw}");
    assert!(file["warnings"][0].as_str().is_some_and(|warning| warning.contains("outputs")), "{file}");
}

#[rstest]
#[case::crlf(NOTEBOOK.replace('\n', "\r\n").into_bytes())]
#[case::a_byte_order_mark([b"\xef\xbb\xbf", NOTEBOOK.as_bytes()].concat())]
#[case::utf16([&b"\xff\xfe"[..], &NOTEBOOK.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat())]
#[case::stray_bytes(NOTEBOOK.replace("stdout", "std\u{0}").into_bytes().into_iter().map(|byte| if byte == 0 { 0xff } else { byte }).collect())]
fn other_bytes_are_kept(#[case] before: Vec<u8>) {
    let (after, _) = changed(&before, &json!([{ "op": "replace", "index": 1, "source": "a = 1\nprint(b)" }]));
    let different: Vec<_> = before.iter().zip(&after).filter(|(old, new)| old != new).collect();
    assert_eq!((before.len(), different), (after.len(), vec![(&b'a', &b'b')]));
}

#[test]
fn a_proposal_is_applied_as_it_was_shown() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    let cells = json!([{ "op": "insert", "id": "intro", "cellType": "code", "source": "b\nc" }]);
    let changes = json!([{ "kind": "notebook", "path": "a.ipynb", "cells": cells }]);
    let proposal = agent.call("editd/propose", json!({ "changes": changes, "display": "summary" })).done();
    assert_eq!(workspace.text("a.ipynb"), NOTEBOOK);
    let file = &proposal["files"][0];
    assert!(file["display"].as_str().is_some_and(|shown| shown.contains("lines added")), "{file}");
    agent.apply(&proposal).done();
    assert_eq!(workspace.hash("a.ipynb"), file["hashAfter"]);
}

#[test]
fn a_notebook_and_other_files_change_together_or_not_at_all() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.ipynb", NOTEBOOK), ("b.txt", "one\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    agent.read("b.txt");
    let notebook =
        json!({ "kind": "notebook", "path": "a.ipynb", "cells": [{ "op": "delete", "id": "calc" }] });
    let edit =
        |old| json!({ "kind": "edit", "path": "b.txt", "edits": [{ "oldText": old, "newText": "two" }] });
    agent.changes(vec![notebook.clone(), edit("absent")]).refused("not_found");
    assert_eq!(workspace.text("a.ipynb"), NOTEBOOK);
    agent.changes(vec![notebook, edit("one")]).done();
    assert!(!workspace.text("a.ipynb").contains("calc") && workspace.text("b.txt") == "two\n");
}
