//! Parameters of operations on cells.

use rstest::rstest;
use serde_json::{Value, json};

use super::cells::NOTEBOOK;
use crate::support::{Machine, Outcome, Workspace};

#[rstest]
#[case::no_op(json!([{ "index": 0 }]), "op")]
#[case::an_unknown_op(json!([{ "op": "move", "index": 0 }]), "cells[0].op")]
#[case::two_places(json!([{ "op": "delete", "index": 0, "id": "calc" }]), "cells[0].index")]
#[case::no_place(json!([{ "op": "delete" }]), "cells[0].id")]
#[case::no_cell_to_replace(json!([{ "op": "replace", "source": "x" }]), "cells[0].id")]
#[case::nothing_to_replace(json!([{ "op": "replace", "index": 0 }]), "cells[0].source")]
#[case::a_negative_index(json!([{ "op": "delete", "index": -1 }]), "cells[0].index")]
#[case::no_type(json!([{ "op": "insert", "index": 0, "source": "x" }]), "cells[0].cellType")]
#[case::an_unknown_type(json!([{ "op": "insert", "index": 0, "cellType": "heading" }]), "cells[0].cellType")]
#[case::a_source_to_delete(json!([{ "op": "delete", "index": 0 }, { "op": "delete", "index": 1, "source": "" }]), "cells[1].source")]
#[case::outputs_of_a_new_cell(json!([{ "op": "insert", "index": 0, "cellType": "code", "clearOutputs": true }]), "cells[0].clearOutputs")]
#[case::an_unknown_field(json!([{ "op": "delete", "index": 0, "colour": 1 }]), "colour")]
#[case::none(json!([]), "cells")]
#[case::no_list(json!({}), "cells")]
fn an_invalid_parameter_is_named(#[case] cells: Value, #[case] field: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    agent.change(json!({ "kind": "notebook", "path": "a.ipynb", "cells": cells })).invalid(field);
    assert_eq!(workspace.text("a.ipynb"), NOTEBOOK);
}

#[rstest]
#[case(json!([{ "op": "replace", "cell_id": "calc", "cell_type": "raw", "clear_outputs": true }]))]
#[case(json!([{ "op": "replace", "cellId": "calc", "cellType": "raw", "clearOutputs": true }]))]
#[case(json!("[{\"op\":\"replace\",\"id\":\"calc\",\"cellType\":\"raw\"}]"))]
fn every_spelling_of_an_operation_is_accepted(#[case] cells: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    agent.change(json!({ "kind": "notebook", "path": "a.ipynb", "cells": cells })).done();
    assert!(workspace.text("a.ipynb").contains("\"cell_type\": \"raw\",\n   \"id\": \"calc\""));
}

#[test]
fn a_notebook_accepts_one_change_per_call() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", NOTEBOOK));
    let mut agent = machine.agent(&workspace);
    agent.read("a.ipynb");
    let delete = json!({ "kind": "notebook", "path": "a.ipynb", "cells": [{ "op": "delete", "index": 0 }] });
    let edit =
        json!({ "kind": "edit", "path": "a.ipynb", "edits": [{ "oldText": "a = 1", "newText": "b" }] });
    agent.changes(vec![delete.clone(), edit]).invalid("changes[1].path");
    agent.changes(vec![delete.clone(), delete]).invalid("changes[1].path");
}
