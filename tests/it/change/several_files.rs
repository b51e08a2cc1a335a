//! Edits of several files in one call, each with its own path.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Mcp, Outcome, Workspace};

fn scene() -> (Machine, Workspace) {
    let workspace = Workspace::file("a.py", "def f():\n    return 1\n");
    workspace.put("b.py", "from a import f\n\nprint(f())\n");
    workspace.put("c.txt", "f is a function\n");
    (Machine::start(), workspace)
}

#[expect(clippy::needless_pass_by_value, reason = "a value written at the place of the call reads best")]
fn edits(agent: &mut Agent, edits: Value) -> Answer {
    agent.call("editd/edit", json!({ "edits": edits }))
}

fn texts(workspace: &Workspace) -> [String; 3] {
    ["a.py", "b.py", "c.txt"].map(|name| workspace.text(name))
}

#[test]
fn all_forms_of_edits_name_their_files() {
    let (machine, workspace) = scene();
    let before = texts(&workspace);
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py", "c.txt"]);
    let done = edits(
        &mut agent,
        json!([
            { "path": "a.py", "symbol": "f", "op": "rename", "newText": "g" },
            { "path": "b.py", "oldText": "f", "newText": "g", "word": true, "replaceAll": true },
            { "path": "c.txt", "lines": "1", "newText": "g is a function" },
            { "path": "b.py", "after": 3, "newText": "print(2)" },
        ]),
    )
    .done();
    assert_eq!(done["files"].as_array().map(Vec::len), Some(3), "{done}");
    let after =
        ["def g():\n    return 1\n", "from a import g\n\nprint(g())\nprint(2)\n", "g is a function\n"];
    assert_eq!(texts(&workspace), after);
    assert_eq!(agent.history().len(), 1);
    agent.undo().done();
    assert_eq!(texts(&workspace), before);
}

#[test]
fn an_edit_without_a_path_concerns_the_file_of_the_call() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py"]);
    let request = json!({ "path": "a.py", "edits": [
        { "oldText": "return 1", "newText": "return 2" },
        { "path": "b.py", "oldText": "print", "newText": "show" },
        { "path": "a.py", "oldText": "def f", "newText": "def  f" },
        { "path": "b.py", "move": { "lines": "1" }, "to": { "path": "a.py", "after": 0 } },
    ] });
    agent.call("editd/edit", request).done();
    assert_eq!(workspace.text("a.py"), "from a import f\ndef  f():\n    return 2\n");
    assert_eq!(workspace.text("b.py"), "\nshow(f())\n");
}

#[test]
fn a_new_file_is_made_beside_an_edit() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    edits(
        &mut agent,
        json!([
            { "path": "a.py", "oldText": "return 1", "newText": "return 2" },
            { "path": "new/d.py", "oldText": "", "newText": "import a\n" },
        ]),
    )
    .done();
    assert_eq!(workspace.text("new/d.py"), "import a\n");
}

#[rstest]
#[case::unread(json!({ "path": "b.py", "oldText": "print", "newText": "show" }), "unread")]
#[case::absent(json!({ "path": "a.py", "oldText": "nothing", "newText": "show" }), "not_found")]
#[case::missing(json!({ "path": "none.py", "oldText": "a", "newText": "show" }), "missing")]
#[case::without_a_path(json!({ "oldText": "a", "newText": "show" }), "invalid_params")]
#[case::another_version(json!({ "path": "a.py#000000", "lines": "1", "newText": "x" }), "stale")]
fn one_refused_edit_refuses_all(#[case] edit: Value, #[case] name: &str) {
    let (machine, workspace) = scene();
    let before = texts(&workspace);
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "c.txt"]);
    let good = json!({ "path": "c.txt", "oldText": "function", "newText": "name" });
    let refusal = edits(&mut agent, json!([good, edit])).refused(name);
    if !matches!(name, "invalid_params" | "missing") {
        let named = if name == "unread" { "b.py" } else { "a.py" };
        assert_eq!(refusal["path"], workspace.absolute(named), "{refusal}");
    }
    if name == "not_found" {
        assert_eq!(refusal["edit"], 1, "the index in the call: {refusal}");
    }
    assert_eq!(texts(&workspace), before);
}

#[test]
fn an_answer_names_the_edits_by_their_numbers_in_the_call() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py"]);
    let done = edits(
        &mut agent,
        json!([
            { "path": "b.py", "move": { "lines": "1" }, "to": { "after": 2 }, "reindent": true },
            { "path": "a.py", "oldText": "eturn", "newText": "eturn " },
        ]),
    )
    .done();
    let numbers = |file: &Value| -> Vec<u64> {
        file["matches"].as_array().into_iter().flatten().filter_map(|found| found["edit"].as_u64()).collect()
    };
    for file in done["files"].as_array().expect("files") {
        let number = u64::from(!file["path"].to_string().contains("b.py"));
        assert!(numbers(file).iter().all(|edit| *edit == number), "{file}");
        let warnings = file["warnings"].to_string();
        assert!(warnings.contains(&format!("edit {number}")), "{file}");
    }
}

#[test]
fn a_model_edits_several_files_in_one_call() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    for path in ["a.py", "b.py"] {
        mcp.call("read", json!({ "path": path })).done();
    }
    let edits = json!([
        { "path": "a.py", "oldText": "return 1", "newText": "return 2" },
        { "path": "b.py", "oldText": "print(f())", "newText": "print(f() + 1)" },
    ]);
    let done = mcp.call("edit", json!({ "edits": edits })).done();
    assert!(done.text.contains("a.py#") && done.text.contains("b.py#"), "{}", done.text);
    assert_eq!(workspace.text("b.py"), "from a import f\n\nprint(f() + 1)\n");
}
