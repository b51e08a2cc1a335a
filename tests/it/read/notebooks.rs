//! Notebooks are read as cells.

use serde_json::{Value, json};

use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace};

fn notebook(cells: &[Value]) -> String {
    let document = json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    format!("{document:#}\n")
}

fn code(id: &str, source: &str) -> Value {
    json!({ "cell_type": "code", "id": id, "metadata": {}, "execution_count": null, "outputs": [], "source": source })
}

fn read(agent: &mut Agent, more: &Value) -> Value {
    let mut params = json!({ "path": "a.ipynb" });
    params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    agent.call("editd/read", params).done()
}

#[test]
fn cells_have_ids_and_outputs_and_can_be_changed_by_id() {
    let mut shown = code("b", "print(1)\nplot()");
    shown["execution_count"] = json!(3);
    shown["outputs"] = json!([
        { "output_type": "stream", "name": "stdout", "text": ["1\n"] },
        { "output_type": "display_data", "metadata": {}, "data": { "image/png": "AAAA" } },
    ]);
    let markdown = json!({ "cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# T\n", "é"] });
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", notebook(&[markdown, shown])));
    let mut agent = machine.agent(&workspace);
    let found = read(&mut agent, &json!({}));
    let outputs = json!([
        { "outputType": "stream", "text": "1\n" },
        { "outputType": "display_data", "mimeTypes": ["image/png"] },
    ]);
    assert_eq!(
        found["cells"],
        json!([
            { "index": 0, "id": "a", "cellType": "markdown", "source": "# T\né" },
            { "index": 1, "id": "b", "cellType": "code", "source": "print(1)\nplot()", "executionCount": 3, "outputs": outputs },
        ])
    );
    assert_eq!((&found["totalCells"], &found["truncated"]), (&json!(2), &json!(false)));
    assert_eq!(found["hash"], workspace.hash("a.ipynb"));
    assert!(found.get("text").is_none() && found.get("notice").is_none(), "{found}");
    let cells = json!([{ "op": "replace", "id": "b", "source": "print(2)" }]);
    agent.change(json!({ "kind": "notebook", "path": "a.ipynb", "cells": cells })).done();
    assert_eq!(read(&mut agent, &json!({}))["cells"][1]["source"], "print(2)");
}

#[test]
fn a_raw_read_returns_the_json_text() {
    let text = notebook(&[code("a", "x")]);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", &text));
    let mut agent = machine.agent(&workspace);
    assert_eq!(read(&mut agent, &json!({ "raw": true }))["text"], text);
}

#[test]
fn an_invalid_notebook_is_read_as_text_with_a_notice() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", "{\"cells\": [\n}\n"));
    let found = read(&mut machine.agent(&workspace), &json!({}));
    assert_eq!(found["text"], "{\"cells\": [\n}\n");
    assert!(found["notice"].as_str().expect("a notice").contains("line 2"), "{found}");
}

#[test]
fn many_cells_are_read_in_pages() {
    let cells: Vec<_> = (0..7).map(|index| code(&format!("c{index}"), &"x\n".repeat(30_000))).collect();
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", notebook(&cells)));
    let mut agent = machine.agent(&workspace);
    let first = read(&mut agent, &json!({}));
    let ids = |found: &Value| -> Vec<String> {
        let cells = found["cells"].as_array().expect("cells");
        cells.iter().map(|cell| cell["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(&first), ["c0", "c1", "c2", "c3"]);
    assert_eq!(first["truncated"], true);
    assert!(first["notice"].as_str().expect("a notice").contains("`offset: 5`"), "{}", first["notice"]);
    agent.change(json!({ "kind": "delete", "path": "a.ipynb" })).refused("unread");
    let rest = read(&mut agent, &json!({ "offset": 5 }));
    assert_eq!(
        (ids(&rest), &rest["truncated"]),
        (vec!["c4".into(), "c5".into(), "c6".into()], &json!(false))
    );
    assert_eq!(ids(&read(&mut agent, &json!({ "offset": 2, "limit": 1 }))), ["c1"]);
    let none = read(&mut agent, &json!({ "offset": 8 }));
    assert_eq!((&none["cells"], &none["truncated"]), (&json!([]), &json!(false)));
    assert!(none["notice"].as_str().expect("a notice").contains("7 cells"), "{none}");
}

#[test]
fn long_outputs_and_sources_are_cut_with_a_notice() {
    let mut loud = code("a", "x");
    loud["outputs"] = json!([{ "output_type": "stream", "name": "stdout", "text": "é".repeat(9_000) }]);
    let long = code("b", &"é".repeat(200_000));
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", notebook(&[loud, long])));
    let mut agent = machine.agent(&workspace);
    let first = read(&mut agent, &json!({}));
    assert_eq!(first["cells"].as_array().expect("cells").len(), 1);
    let output = first["cells"][0]["outputs"][0]["text"].as_str().expect("a text");
    assert!((8_000..8_192).contains(&output.len()), "{}", output.len());
    let notice = first["notice"].as_str().expect("a notice");
    assert!(notice.contains("8192 bytes") && notice.contains("`offset: 2`"), "{notice}");
    let second = read(&mut agent, &json!({ "offset": 2 }));
    let source = second["cells"][0]["source"].as_str().expect("a source");
    assert!((200_000..262_144).contains(&source.len()), "{}", source.len());
    assert!(second["notice"].as_str().expect("a notice").contains("cut"), "{}", second["notice"]);
    assert_eq!(second["truncated"], true);
}

/// A read by cells does not show everything: truncated outputs, pictures and metadata are missing.
#[test]
fn reading_cells_is_not_reading_the_whole_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", notebook(&[code("a", "x")])));
    let mut agent = machine.agent(&workspace);
    let write = json!({ "kind": "write", "path": "a.ipynb", "content": notebook(&[]) });
    read(&mut agent, &json!({}));
    agent.change(write.clone()).refused("unread");
    read(&mut agent, &json!({ "raw": true }));
    agent.change(write).done();
}

/// The names and the number of outputs count toward the limit.
#[test]
fn the_size_of_an_answer_is_limited() {
    let named =
        |name: &str| json!({ "output_type": "display_data", "metadata": {}, "data": { name: "AAAA" } });
    let mut odd = code(&"i".repeat(100_000), "x");
    odd["outputs"] = (0..10_000).map(|_| named("image/png")).collect();
    let mut long = code("b", "y");
    long["outputs"] = json!([named(&"n".repeat(1_000_000))]);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", notebook(&[odd, long])));
    let found = read(&mut machine.agent(&workspace), &json!({}));
    assert!(found.to_string().len() < 20_000, "{} bytes", found.to_string().len());
    assert!(found["cells"][0].get("id").is_none(), "a truncated id would not name the cell");
    assert_eq!((&found["cells"][1]["id"], &found["truncated"]), (&json!("b"), &json!(true)));
}

#[test]
fn unsaved_cells_in_an_editor_are_current() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", notebook(&[code("a", "old")])));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.ipynb");
    editor.replace(&uri, "old", "new");
    editor.settle();
    let found = read(&mut machine.agent(&workspace), &json!({}));
    assert_eq!((&found["source"], &found["cells"][0]["source"]), (&json!("editor"), &json!("new")));
}
