//! The files that a session has read, and the changes that this allows.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, hash_of, numbered_lines};

fn edit() -> Value {
    json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "line 5\n", "newText": "line V\n" }] })
}

fn write() -> Value {
    json!({ "kind": "write", "path": "a.txt", "content": "all new\n" })
}

fn delete() -> Value {
    json!({ "kind": "delete", "path": "a.txt" })
}

fn rename() -> Value {
    json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" })
}

#[rstest]
#[case(edit())]
#[case(write())]
#[case(delete())]
#[case(rename())]
fn a_file_that_was_not_read_cannot_be_changed(#[case] mut change: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    let before = workspace.everything();
    let data = agent.change(change.clone()).refused("unread");
    assert_eq!(data["currentHash"], hash_of(numbered_lines(9)));
    assert!(data["path"].as_str().is_some_and(|path| path.ends_with("a.txt")), "{data}");
    assert_eq!(data["change"], 0);
    assert_eq!(workspace.everything(), before);
    change["baseHash"] = data["currentHash"].clone();
    agent.change(change).done();
    assert_ne!(workspace.everything(), before);
}

#[test]
fn an_unread_refusal_has_an_excerpt_around_the_target_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(900)));
    let mut agent = machine.agent(&workspace);
    let data = agent.edit("a.txt", "line 500\n", "x\n").refused("unread");
    let excerpt = data["excerpt"].to_string();
    assert!(excerpt.contains("line 500") && !excerpt.contains("line 800"), "{excerpt}");
    let data = agent.edit("a.txt", "no such line\n", "x\n").refused("unread");
    assert!(data.get("excerpt").is_none_or(Value::is_null), "{data}");
}

#[test]
fn a_refusal_does_not_count_as_a_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.edit("a.txt", "one", "two").refused("unread");
    agent.edit("a.txt", "one", "two").refused("unread");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_read_by_another_session_does_not_count() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    machine.agent(&workspace).read("a.txt");
    machine.agent(&workspace).edit("a.txt", "one", "two").refused("unread");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_hash_from_another_session_is_a_valid_base() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    let hash = alice.read("a.txt")["hash"].clone();
    let change = json!({ "path": "a.txt", "baseHash": hash, "oldText": "one", "newText": "1" });
    bob.call("editd/edit", change.clone()).done();
    let data = bob.call("editd/edit", change).refused("stale");
    assert_eq!(data["baseKnown"], true);
    assert!(data["diff"].as_str().is_some_and(|diff| diff.contains("-one\n+1\n")), "{data}");
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
}

#[test]
fn own_edits_count_as_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "0\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for number in 0..10 {
        agent.edit("a.txt", &number.to_string(), &(number + 1).to_string()).done();
    }
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "end\n" })).done();
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).done();
    assert!(!workspace.has("a.txt"));
}

#[test]
fn an_edit_by_hash_alone_counts_as_read_afterwards() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let params = json!({ "path": "a.txt", "baseHash": hash_of("one\n"), "oldText": "one", "newText": "two" });
    agent.call("editd/edit", params).done();
    agent.edit("a.txt", "two", "three").done();
    assert_eq!(workspace.text("a.txt"), "three\n");
}

#[rstest]
#[case::a_few_lines(9, json!({ "path": "a.txt", "limit": 2 }))]
#[case::the_end(9, json!({ "path": "a.txt", "offset": 8 }))]
#[case::as_much_as_an_answer_holds(2_500, json!({ "path": "a.txt" }))]
fn a_partial_read_allows_only_an_edit(#[case] lines: usize, #[case] part: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(lines)));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", part).done();
    for change in [write(), delete(), rename()] {
        agent.change(change).refused("unread");
    }
    assert_eq!(workspace.text("a.txt"), numbered_lines(lines));
    agent.change(edit()).done();
    assert_eq!(workspace.text("a.txt"), numbered_lines(lines).replace("line 5\n", "line V\n"));
}

#[rstest]
#[case(write())]
#[case(delete())]
#[case(rename())]
fn a_partial_read_with_the_hash_allows_all_changes(#[case] mut change: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "a.txt", "limit": 2 })).done();
    change["baseHash"] = read["hash"].clone();
    agent.change(change).done();
    assert_ne!(workspace.everything(), Workspace::file("a.txt", numbered_lines(9)).everything());
}

#[rstest]
#[case(write())]
#[case(delete())]
#[case(rename())]
fn a_file_that_the_session_has_written_needs_no_read(#[case] change: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "own\n" })).done();
    agent.change(change.clone()).done();
    assert!(!workspace.has("a.txt") || workspace.text("a.txt") == "all new\n");
    // What others write in its place must be read.
    workspace.put("a.txt", "of others\n");
    agent.change(change).refused_as_any(&["stale", "unread", "exists"]);
    assert_eq!(workspace.text("a.txt"), "of others\n");
}

#[test]
fn a_full_read_after_a_partial_one_allows_all_changes() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "a.txt", "limit": 2 })).done();
    agent.read("a.txt");
    agent.change(write()).done();
    assert_eq!(workspace.text("a.txt"), "all new\n");
}

#[test]
fn a_new_session_of_the_same_author_has_read_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut first = machine.agent(&workspace);
    first.read_and_edit("a.txt", "one", "two").done();
    machine.agent(&workspace).edit("a.txt", "two", "three").refused("unread");
    assert_eq!(workspace.text("a.txt"), "two\n");
}

/// The client may have truncated or dropped the answer, unknown to the daemon.
#[test]
fn a_read_that_did_not_reach_its_reader_can_be_forgotten() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    // Sent without waiting: `editd/forget` applies to the earlier read.
    let (forget, edit) = (
        agent.send("editd/forget", json!({ "path": "a.txt" })),
        agent.send("editd/edit", json!({ "path": "a.txt", "oldText": "line 5\n", "newText": "x\n" })),
    );
    agent.answer(forget).done();
    agent.answer(edit).refused("unread");
    agent.call("editd/forget", json!({ "path": "a.txt" })).done();
    agent.read("a.txt");
    agent.edit("a.txt", "line 5\n", "x\n").done();
}

/// The merged file contains lines that the author of the edit has not read.
#[rstest]
#[case(write())]
#[case(delete())]
#[case(rename())]
fn a_merge_does_not_count_as_a_read_of_the_merged_lines(#[case] mut change: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(9) + "precious\n");
    let rebase = json!({ "path": "a.txt", "oldText": "line 5\n", "newText": "x\n", "onStale": "rebase" });
    let done = agent.call("editd/edit", rebase).done();
    agent.change(change.clone()).refused("unread");
    agent.edit("a.txt", "line 6\n", "y\n").done();
    assert!(workspace.text("a.txt").ends_with("precious\n"));
    assert_ne!(done["files"][0]["hash"], workspace.hash("a.txt"));
    change["baseHash"] = json!(workspace.hash("a.txt"));
    agent.change(change).done();
}
