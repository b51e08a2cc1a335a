//! `deadline_ms` bounds the time of every kind of change.

use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

/// Time after the deadline until the answer, not counting the time to parse the request. Builds of tests are slow.
const GRACE: Duration = Duration::from_secs(5);

/// Sends a change with a deadline of 300 ms, and checks the time until the answer.
fn check(name: &str, content: &str, mut params: Value) {
    let machine = Machine::configured("[limits]\ndeadline_ms = 300\n");
    let workspace = Workspace::file(name, content);
    let mut agent = machine.agent(&workspace);
    agent.read(name);
    let mut timed = |params: Value| {
        let began = Instant::now();
        (agent.call("editd/edit", params), began.elapsed())
    };
    let (answer, took) = timed(params.clone());
    params["unknown"] = true.into();
    let (invalid, parsing) = timed(params);
    invalid.invalid("unknown");
    assert!(took < parsing + GRACE, "{took:?}, of which {parsing:?} to parse: {answer:?}");
}

#[rstest]
#[case::replaced(|at| json!({ "op": "replace", "id": format!("c{}", at * 29), "source": "b\nc" }))]
#[case::deleted(|at| json!({ "op": "delete", "id": format!("c{}", at * 29) }))]
#[case::inserted(|at| json!({ "op": "insert", "index": at * 29, "cellType": "code", "source": "b\nc" }))]
#[case::inserted_at_one_place(|_| json!({ "op": "insert", "index": 30_000, "cellType": "code", "source": "b\nc" }))]
#[case::unknown(|at| json!({ "op": "delete", "id": format!("d{at}") }))]
#[case::the_same_cell(|_| json!({ "op": "replace", "index": 59_000, "source": "b" }))]
#[case::known_placeholder(|at| json!({ "op": "replace", "id": format!("c{}", at * 29), "source": "# ... existing code ..." }))]
fn operations_on_a_notebook_of_many_cells_end_with_the_deadline(#[case] op: fn(usize) -> Value) {
    let cell = |at: usize| {
        format!(r#"{{"cell_type":"code","id":"c{at}","metadata":{{}},"outputs":[],"source":["a{at}"]}}"#)
    };
    let mut cells: Vec<String> = (0..60_000).map(cell).collect();
    cells.push(cell(60_000).replace("a60000", "# ... existing code ..."));
    let notebook =
        format!(r#"{{"cells":[{}],"metadata":{{}},"nbformat":4,"nbformat_minor":5}}"#, cells.join(",\n"));
    let ops: Vec<Value> = (0..2_000).map(op).collect();
    let params = json!({ "changes": [{ "kind": "notebook", "path": "a.ipynb", "cells": ops }] });
    check("a.ipynb", &notebook, params);
}

#[test]
fn overlapping_edits_of_long_texts_end_with_the_deadline() {
    let text = (0..60_000).map(|at| format!("line {at}\n")).collect::<Vec<_>>().concat();
    let edit = |at: usize| {
        let old = &text[at * 9..];
        let old = &old[..100_000];
        json!({ "oldText": old, "newText": at.to_string() })
    };
    let edits: Vec<Value> = (0..500).map(edit).collect();
    let params = json!({ "path": "a.txt", "edits": edits });
    check("a.txt", &text, params);
}
