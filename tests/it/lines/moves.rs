//! Lines that are moved and copied, within a file and between files.

use rstest::rstest;
use serde_json::{Value, json};

use super::edits::{TEXT, anchored, edits};
use crate::support::{Machine, Outcome, Workspace};

#[rstest]
#[case::down(json!({ "move": { "lines": "1-2" }, "to": { "after": 4 } }), "three\nfour\none\ntwo\nfive\n")]
#[case::up(json!({ "move": { "lines": "4-5" }, "to": { "before": 1 } }), "four\nfive\none\ntwo\nthree\n")]
#[case::to_the_start(json!({ "move": { "lines": "3" }, "to": { "after": 0 } }), "three\none\ntwo\nfour\nfive\n")]
#[case::copied(json!({ "copy": { "lines": "1" }, "to": { "after": 5 } }), "one\ntwo\nthree\nfour\nfive\none\n")]
fn lines_are_moved_within_a_file(#[case] edit: Value, #[case] after: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    edits(&mut agent, "a.txt", json!([edit])).done();
    assert_eq!(workspace.text("a.txt"), after);
    agent.undo().done();
    assert_eq!(workspace.text("a.txt"), TEXT);
}

fn two_files() -> (Machine, Workspace) {
    let workspace = Workspace::file("a.py", "def f():\n    return 1\n\ndef g():\n    return 2\n");
    workspace.put("b.py", "class B:\r\n\tdef h(self):\r\n\t\treturn 3\r\n");
    (Machine::start(), workspace)
}

#[test]
fn lines_are_moved_to_another_file_in_one_transaction() {
    let (machine, workspace) = two_files();
    let before = ["a.py", "b.py"].map(|name| workspace.text(name));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py"]);
    let edit = json!({ "move": { "lines": "1-3" }, "to": { "path": "b.py", "after": 3 } });
    let done = edits(&mut agent, "a.py", json!([edit])).done();
    assert_eq!(done["files"].as_array().map(Vec::len), Some(2));
    assert_eq!(workspace.text("a.py"), "def g():\n    return 2\n");
    assert_eq!(workspace.text("b.py"), before[1].clone() + "def f():\r\n    return 1\r\n\r\n");
    assert_eq!(agent.history().len(), 1);
    agent.undo().done();
    assert_eq!(["a.py", "b.py"].map(|name| workspace.text(name)), before);
}

#[test]
fn moved_lines_take_the_indentation_of_their_place_on_request() {
    let (machine, workspace) = two_files();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py"]);
    let edit = json!({ "copy": { "path": "a.py", "lines": "4-5" }, "to": { "after": 1 }, "reindent": true });
    edits(&mut agent, "b.py", json!([edit])).done();
    assert_eq!(
        workspace.text("b.py"),
        "class B:\r\n\tdef g():\r\n\t\treturn 2\r\n\tdef h(self):\r\n\t\treturn 3\r\n"
    );
    assert_eq!(agent.history()[0]["files"].as_array().map(Vec::len), Some(1), "the source is not changed");
}

#[rstest]
#[case::after_themselves(json!({ "after": 4 }))]
#[case::before_themselves(json!({ "before": 3 }))]
fn lines_are_indented_in_place_as_the_lines_around_them(#[case] to: Value) {
    let text = "def f(a):\n    b()\n        if a:\n            c()\n    d()\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", text));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let edit = json!({ "move": { "lines": "3-4" }, "to": to, "reindent": true });
    edits(&mut agent, "a.py", json!([edit])).done();
    assert_eq!(workspace.text("a.py"), "def f(a):\n    b()\n    if a:\n        c()\n    d()\n");
}

#[test]
fn an_indentation_that_fits_already_is_said() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", "x = 1\ny = 2\nz = 3\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let mut moved = |edit: Value| edits(&mut agent, "a.py", json!([edit]));
    moved(json!({ "move": { "lines": "1-2" }, "to": { "after": 2 }, "reindent": true })).refused("no_change");
    let done = moved(json!({ "move": { "lines": "1" }, "to": { "after": 3 }, "reindent": true })).done();
    assert_eq!(workspace.text("a.py"), "y = 2\nz = 3\nx = 1\n");
    let warnings = done["files"][0]["warnings"].to_string();
    assert!(warnings.contains("`reindent` changed nothing"), "{done}");
}

#[rstest]
#[case::joined(json!({ "move": { "lines": "1-2" }, "to": { "after": 5 } }), &["edit 0: no blank line is between `g` and `f` now"])]
#[case::joined_below(json!({ "move": { "lines": "4-6" }, "to": { "before": 1 } }), &[])]
#[case::only_below(json!({ "move": { "lines": "4-5" }, "to": { "before": 1 } }), &["edit 0: no blank line is between `g` and `f` now"])]
#[case::too_many_below(json!({ "move": { "lines": "7-8" }, "to": { "after": 5 } }), &["edit 0: no blank line is between `g` and `h` now", "edit 0: 3 blank lines in a row are below the moved lines now"])]
#[case::too_many_above(json!({ "move": { "lines": "9-11" }, "to": { "after": 6 } }), &["edit 0: 3 blank lines in a row are above the moved lines now"])]
#[case::copied(json!({ "copy": { "lines": "7-8" }, "to": { "after": 12 } }), &[])]
#[case::too_many_left(json!({ "move": { "lines": "7-8" }, "to": { "after": 3 } }), &["edit 0: no blank line is between `h` and `g` now", "edit 0: 3 blank lines in a row are where the lines were now"])]
#[case::statements(json!({ "move": { "lines": "2" }, "to": { "after": 5 } }), &[])]
fn a_move_of_lines_tells_about_blank_lines(#[case] edit: Value, #[case] expected: &[&str]) {
    // Blank lines: 3, 6, 9 and 10.
    let text =
        "def f():\n    return 1\n\ndef g():\n    return 2\n\ndef h():\n    return 3\n\n\nx = 4\ny = 5\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", text));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let done = edits(&mut agent, "a.py", json!([edit])).done();
    assert_eq!(done["files"][0]["warnings"], json!(expected), "{}", workspace.text("a.py"));
}

#[test]
fn a_move_goes_with_other_edits_of_both_files() {
    let (machine, workspace) = two_files();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py"]);
    let changes = json!([
        { "kind": "edit", "path": "a.py", "edits": [
            { "lines": "5", "newText": "    return 4" },
            { "move": { "lines": "1-3" }, "to": { "path": "b.py", "after": 0 } },
        ] },
        { "kind": "edit", "path": "b.py", "edits": [{ "lines": "3", "newText": "\t\treturn 5" }] },
    ]);
    agent.call("editd/edit", json!({ "changes": changes })).done();
    assert_eq!(workspace.text("a.py"), "def g():\n    return 4\n");
    assert_eq!(
        workspace.text("b.py"),
        "def f():\r\n    return 1\r\n\r\nclass B:\r\n\tdef h(self):\r\n\t\treturn 5\r\n"
    );
}

#[test]
fn a_move_is_refused_as_a_whole() {
    let (machine, workspace) = two_files();
    let before = ["a.py", "b.py"].map(|name| workspace.text(name));
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let unread = json!({ "move": { "lines": "1-3" }, "to": { "path": "b.py", "after": 3 } });
    let refusal = edits(&mut agent, "a.py", json!([unread])).refused("unread");
    assert!(refusal["path"].as_str().is_some_and(|path| path.ends_with("b.py")), "{refusal}");
    agent.read("b.py");
    let edit = |lines: &str, after: usize| json!([{ "move": { "lines": lines }, "to": { "path": "b.py", "after": after } }]);
    let refusal = edits(&mut agent, "a.py", edit("5-6", 3)).refused("not_found");
    assert_eq!((&refusal["change"], &refusal["edit"]), (&json!(0), &json!(0)));
    edits(&mut agent, "a.py", edit("1-3", 9)).refused("not_found");
    edits(&mut agent, "a.py", json!([{ "move": { "lines": "1-3" }, "to": { "after": 2 } }]))
        .refused("overlap");
    edits(&mut agent, "a.py", json!([{ "move": { "lines": "1-3" } }])).refused("invalid_params");
    edits(&mut agent, "a.py", json!([{ "move": { "lines": "1-3" }, "to": {} }])).refused("invalid_params");
    assert_eq!(["a.py", "b.py"].map(|name| workspace.text(name)), before);
}

#[test]
fn lines_that_have_changed_are_neither_moved_nor_copied() {
    let (machine, workspace) = two_files();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py"]);
    workspace.put("a.py", "# new\ndef f():\n    return 1\n\ndef g():\n    return 22\n");
    for form in ["move", "copy"] {
        let edit = json!({ form: { "lines": "4-5" }, "to": { "path": "b.py", "after": 3 } });
        edits(&mut agent, "a.py", json!([edit])).refused("stale");
    }
    let edit = json!({ "copy": { "lines": "1-2" }, "to": { "path": "b.py", "after": 3 } });
    edits(&mut agent, "a.py", json!([edit])).done();
    assert!(workspace.text("b.py").ends_with("def f():\r\n    return 1\r\n"));
}

#[test]
fn a_source_may_be_read_only_if_it_is_copied() {
    let (machine, workspace) = two_files();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "b.py"]);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o444);
    std::fs::set_permissions(workspace.path("a.py"), mode).expect("a mode");
    let edit = |form: &str| json!([{ form: { "lines": "1-2" }, "to": { "path": "b.py", "after": 3 } }]);
    edits(&mut agent, "a.py", edit("copy")).done();
    assert!(workspace.text("b.py").ends_with("def f():\r\n    return 1\r\n"));
}
