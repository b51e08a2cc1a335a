//! Operations on whole files: create, delete, rename.

use std::os::unix::fs::PermissionsExt;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, hash_of};

fn edit_of(path: &str) -> Value {
    json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "a", "newText": "b" }] })
}

#[test]
fn a_new_file_is_written_with_its_folders_and_needs_no_base() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let written = agent.change(json!({ "kind": "write", "path": "a/b/c.txt", "content": "new\n" })).done();
    assert_eq!(workspace.text("a/b/c.txt"), "new\n");
    let file = &written["files"][0];
    assert_eq!((&file["action"], &file["hashBefore"]), (&json!("create"), &Value::Null));
    assert_eq!((&file["hashAfter"], &file["hash"]), (&json!(hash_of("new\n")), &json!(hash_of("new\n"))));
    assert_eq!((&file["added"], &file["removed"]), (&json!(1), &json!(0)));
    agent.edit("a/b/c.txt", "new", "newer").done();
    assert_eq!(workspace.text("a/b/c.txt"), "newer\n");
}

#[test]
fn an_empty_file_can_be_created_and_filled() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "" })).done();
    assert_eq!(workspace.bytes("a.txt"), b"");
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "one\n" })).done();
    assert_eq!(workspace.text("a.txt"), "one\n");
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "" })).done();
    assert_eq!(workspace.bytes("a.txt"), b"");
}

#[test]
fn a_file_is_deleted() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let deleted = agent.change(json!({ "kind": "delete", "path": "a.txt" })).done();
    assert!(!workspace.has("a.txt"));
    let file = &deleted["files"][0];
    assert_eq!((&file["action"], &file["hashBefore"]), (&json!("delete"), &json!(hash_of("one\ntwo\n"))));
    assert_eq!((&file["hashAfter"], &file["removed"]), (&Value::Null, &json!(2)));
    agent.try_read("a.txt").refused("missing");
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "again\n" })).done();
    assert_eq!(workspace.text("a.txt"), "again\n");
}

#[test]
fn a_rename_preserves_content_and_mode() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.sh", "one\r\ntwo\n"));
    std::fs::create_dir(workspace.path("sub")).expect("a folder");
    std::fs::set_permissions(workspace.path("a.sh"), PermissionsExt::from_mode(0o751)).expect("a mode");
    let mut agent = machine.agent(&workspace);
    agent.read("a.sh");
    let renamed = agent.change(json!({ "kind": "rename", "path": "a.sh", "newPath": "sub/b.sh" })).done();
    assert!(!workspace.has("a.sh"));
    assert_eq!(workspace.text("sub/b.sh"), "one\r\ntwo\n");
    let mode = workspace.path("sub/b.sh").metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o751);
    let file = &renamed["files"][0];
    assert_eq!((&file["action"], &file["hashAfter"]), (&json!("rename"), &json!(hash_of("one\r\ntwo\n"))));
    assert!(file["newPath"].as_str().is_some_and(|path| path.ends_with("sub/b.sh")), "{file}");
    agent.edit("sub/b.sh", "two", "2").done();
    assert_eq!(workspace.text("sub/b.sh"), "one\r\n2\n");
}

#[test]
fn a_file_is_edited_and_renamed_in_one_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let changes = vec![
        json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "two" }] }),
        json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" }),
    ];
    agent.changes(changes).done();
    assert!(!workspace.has("a.txt"));
    assert_eq!(workspace.text("b.txt"), "two\n");
}

#[rstest]
#[case::edit(edit_of("no.txt"), "missing")]
#[case::delete(json!({ "kind": "delete", "path": "no.txt" }), "missing")]
#[case::rename(json!({ "kind": "rename", "path": "no.txt", "newPath": "b.txt" }), "missing")]
#[case::rename_onto_a_file(json!({ "kind": "rename", "path": "a.txt", "newPath": "other.txt" }), "exists")]
#[case::write_over_a_folder(json!({ "kind": "write", "path": "sub", "content": "x" }), "not_a_file")]
#[case::write_to_a_folders_name(json!({ "kind": "write", "path": "new/", "content": "x" }), "not_a_file")]
#[case::edit_a_folder(edit_of("sub"), "not_a_file")]
#[case::delete_a_folder(json!({ "kind": "delete", "path": "sub" }), "not_a_file")]
#[case::rename_a_folder(json!({ "kind": "rename", "path": "sub", "newPath": "moved" }), "not_a_file")]
fn an_impossible_operation_is_refused(#[case] change: Value, #[case] kind: &str) {
    let files = [("a.txt", "one\n"), ("other.txt", "two\n"), ("sub/in.txt", "three\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("other.txt");
    let before = workspace.everything();
    agent.change(change).refused(kind);
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_file_below_a_file_cannot_be_written() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let change = json!({ "kind": "write", "path": "a.txt/b.txt", "content": "x" });
    agent.change(change).refused_as_any(&["not_a_file", "missing"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn two_changes_of_one_file_are_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for other in ["a.txt".to_owned(), "./a.txt".to_owned(), workspace.absolute("a.txt")] {
        let changes = vec![
            json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "two" }] }),
            json!({ "kind": "delete", "path": other }),
        ];
        assert!(agent.changes(changes).is_err());
        assert_eq!(workspace.text("a.txt"), "one\n");
    }
}
