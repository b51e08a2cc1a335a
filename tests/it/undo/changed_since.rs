//! Tests of files that have changed since: an undo keeps changes that do not overlap, and refuses if any
//! overlap.

use std::fs;

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace, numbered_lines};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[rstest]
#[case::the_same_agent("alice")]
#[case::another_agent("bob")]
#[case::another_program("")]
fn later_changes_elsewhere_are_kept(#[case] who: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEN));
    let mut alice = machine.agent_named("alice", &workspace);
    let done = alice.read_and_edit("a.txt", "3", "three").done();
    if who.is_empty() {
        workspace
            .put("a.txt", workspace.text("a.txt").replace('8', "eight\nand more").replace("1\n", "0\n1\n"));
    } else {
        let mut later = machine.agent_named(who, &workspace);
        later.read_and_edit("a.txt", "8", "eight\nand more").done();
        later.edit("a.txt", "1\n2", "0\n1\n2").done();
    }
    let expected = workspace.text("a.txt").replace("three", "3");
    let undone = alice.undo_this(&done).done();
    assert_eq!(workspace.text("a.txt"), expected);
    let file = &undone["files"][0];
    assert!(file["rebased"] == json!(true) && file["warnings"][0].is_string(), "{file}");
}

#[rstest]
#[case::another_agent(false)]
#[case::another_program(true)]
fn an_overlap_refuses_the_whole_undo(#[case] outside: bool) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", TEN), ("b.txt", "b\n")]));
    let mut alice = machine.agent_named("alice", &workspace);
    alice.read("a.txt");
    alice.read("b.txt");
    let edit = |path: &str, old: &str, new: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] });
    let made = json!({ "kind": "write", "path": "made.txt", "content": "x\n" });
    let done = alice.changes(vec![edit("b.txt", "b", "B"), edit("a.txt", "3", "three"), made]).done();
    if outside {
        workspace.put("a.txt", workspace.text("a.txt").replace("three", "THREE"));
    } else {
        machine.agent_named("bob", &workspace).read_and_edit("a.txt", "three", "THREE").done();
    }
    let before = workspace.everything();
    let refusal = alice.undo_this(&done).refused("stale");
    assert_eq!(workspace.everything(), before);
    assert_eq!((&refusal["change"], &refusal["currentHash"]), (&json!(1), &json!(workspace.hash("a.txt"))));
    let diff = refusal["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("-three\n+THREE\n"), "the later change is reported: {refusal}");
    assert_eq!(refusal["baseKnown"], json!(true));
    assert!(alice.history().iter().all(|entry| entry["undone"] == json!(false)));
}

#[test]
fn an_older_change_is_reverted_under_newer_ones_of_the_same_line() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "let total = price * count;\n"));
    let mut agent = machine.agent(&workspace);
    let first = agent.read_and_edit("a.txt", "total", "sum").done();
    agent.edit("a.txt", "count", "amount").done();
    agent.undo_this(&first).done();
    assert_eq!(workspace.text("a.txt"), "let total = price * amount;\n");
}

#[test]
fn without_a_base_text_the_location_is_found_by_context() {
    let mut machine = Machine::asleep("[limits]\nkept_bases = 0\n");
    machine.serve();
    let workspace = Workspace::file("a.txt", numbered_lines(40));
    let done = machine.agent(&workspace).read_and_edit("a.txt", "line 20\n", "twenty\n").done();
    machine.restart();
    let changed = workspace.text("a.txt").replace("line 35", "changed outside");
    workspace.put("a.txt", &changed);
    machine.agent(&workspace).undo_this(&done).done();
    assert_eq!(workspace.text("a.txt"), changed.replace("twenty", "line 20"));
}

#[rstest]
#[case::not_there("twenty", "zwanzig")]
#[case::twice("line 35\n", "line 18\nline 19\ntwenty\nline 21\nline 22\n")]
fn an_undo_without_a_unique_location_is_stale(#[case] old: &str, #[case] new: &str) {
    let mut machine = Machine::asleep("[limits]\nkept_bases = 0\n");
    machine.serve();
    let workspace = Workspace::file("a.txt", numbered_lines(40));
    let done = machine.agent(&workspace).read_and_edit("a.txt", "line 20\n", "twenty\n").done();
    machine.restart();
    workspace.put("a.txt", workspace.text("a.txt").replace(old, new));
    let before = workspace.everything();
    let refusal = machine.agent(&workspace).undo_this(&done).refused("stale");
    assert_eq!((&refusal["baseKnown"], refusal.get("diff")), (&json!(false), None));
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_created_file_that_has_changed_is_not_deleted() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let done = agent.change(json!({ "kind": "write", "path": "new.txt", "content": "new\n" })).done();
    workspace.put("new.txt", "new\nand mine\n");
    let refusal = agent.undo_this(&done).refused("stale");
    assert!(refusal["diff"].as_str().unwrap_or_default().contains("+and mine"), "{refusal}");
    assert_eq!(workspace.text("new.txt"), "new\nand mine\n");
    fs::remove_file(workspace.path("new.txt")).unwrap();
    agent.undo_this(&done).refused("no_change");
}

#[test]
fn a_taken_path_is_left_alone() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    let deleted = agent.change(json!({ "kind": "delete", "path": "a.txt" })).done();
    let renamed = agent.change(json!({ "kind": "rename", "path": "b.txt", "newPath": "c.txt" })).done();
    workspace.put("a.txt", "mine\n");
    workspace.put("b.txt", "mine too\n");
    let before = workspace.everything();
    agent.undo_this(&deleted).refused("exists");
    agent.undo_this(&renamed).refused("exists");
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_renamed_file_goes_back_with_later_edits() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEN));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let change = json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" });
    let edit = json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "3", "newText": "three" }] });
    let done = agent.changes(vec![edit, change]).done();
    workspace.put("b.txt", workspace.text("b.txt").replace('8', "eight"));
    agent.undo_this(&done).done();
    assert!(!workspace.has("b.txt"));
    assert_eq!(workspace.text("a.txt"), TEN.replace('8', "eight"));
}

#[test]
fn an_already_reverted_file_is_no_change() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    let edit = |path: &str, old: &str, new: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] });
    let done = agent.changes(vec![edit("a.txt", "a", "A"), edit("b.txt", "b", "B")]).done();
    workspace.put("a.txt", "a\n");
    let undone = agent.undo_this(&done).done();
    assert_eq!(undone["files"].as_array().map(Vec::len), Some(1), "{undone}");
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("a\n".to_owned(), "b\n".to_owned()));
    let again = agent.edit("b.txt", "b", "B").done();
    workspace.put("b.txt", "b\n");
    agent.undo_this(&again).refused("no_change");
}

#[test]
fn a_rename_is_not_undone_on_another_file_that_got_the_name() {
    let text = "one\ntwo\nthree\nfour\n";
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", text), ("b.bin", "\0\u{1}")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let rename = agent.change(json!({ "kind": "rename", "path": "a.txt", "newPath": "c.txt" })).done();
    fs::remove_file(workspace.path("c.txt")).expect("removed");
    fs::write(workspace.path("c.txt"), "something else\nby somebody\n").expect("their file");
    agent.call("editd/undo", json!({ "transaction": rename["transaction"] })).refused("stale");
    assert_eq!(workspace.text("c.txt"), "something else\nby somebody\n");
    // A file that is mostly the same is accepted.
    fs::write(workspace.path("c.txt"), "one\ntwo\nTHREE\nfour\n").expect("their edit");
    agent.call("editd/undo", json!({ "transaction": rename["transaction"] })).done();
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nTHREE\nfour\n");
}
