//! Tests that a user may undo the changes of any agent.

use std::fs;
use std::time::Duration;

use editd_disk::FileBytes;
use editd_disk::history::{History, HistoryLimits, folder_in};
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn an_editor_undoes_changes_of_any_agent() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    machine.agent_named("alice", &workspace).read_and_edit("a.txt", "one", "1").done();
    machine.agent_named("bob", &workspace).read_and_edit("a.txt", "two", "2").done();
    let mut editor = machine.editor(&workspace);
    editor.undo().done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
    editor.undo().done();
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
    let history = editor.history();
    let authors: Vec<_> = history.iter().map(|entry| entry["author"].as_str().unwrap()).collect();
    assert_eq!(authors, ["person", "person", "bob", "alice"]);
    assert_eq!(history[2]["undoneBy"], history[1]["transaction"]);
}

#[test]
fn concurrent_undos_all_succeed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for number in 1..=8 {
        agent.edit("a.txt", &format!("{number}\n"), &format!("{number}!\n")).done();
    }
    let requests: Vec<_> = (0..8).map(|_| agent.send("editd/undo", json!({}))).collect();
    for request in requests {
        agent.answer(request).done();
    }
    assert_eq!(workspace.text("a.txt"), "1\n2\n3\n4\n5\n6\n7\n8\n");
}

#[test]
fn a_user_can_restore_a_displaced_text_without_losing_the_current_one() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let done = machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    machine.crash();
    let limits = HistoryLimits { bytes: 1 << 20, age: Duration::from_secs(1 << 20), file_size: 1 << 20 };
    let history = History::open(&folder_in(&machine.state()), limits);
    let theirs = FileBytes::from(b"\xef\xbb\xbftheirs\r\n".to_vec());
    let id = history.rescue(&workspace.path("a.txt"), &theirs, "written while editd did").unwrap();
    drop(history);
    machine.serve();
    let this = json!({ "transaction": &*id });
    let (mut agent, mut editor) = (machine.agent(&workspace), machine.editor(&workspace));
    let listed = &agent.history()[0];
    assert_eq!(
        (&listed["author"], &listed["label"], &listed["rescued"]),
        (&json!("disk"), &json!("written while editd did"), &json!(true))
    );
    agent.call("editd/undo", this.clone()).refused("missing");
    let mut back_and_forth = |before: &str, workspace: &Workspace| {
        let undone = editor.call("editd/undo", this.clone()).done();
        assert_eq!(workspace.bytes("a.txt"), b"\xef\xbb\xbftheirs\r\n");
        // The undo is a change like any other.
        editor.undo_this(&undone).done();
        assert_eq!(workspace.text("a.txt"), before);
    };
    back_and_forth("1\n", &workspace);
    workspace.put("a.txt", "an unknown text\n");
    back_and_forth("an unknown text\n", &workspace);
    fs::remove_file(workspace.path("a.txt")).expect("removed");
    editor.call("editd/undo", this).done();
    assert_eq!(workspace.bytes("a.txt"), b"\xef\xbb\xbftheirs\r\n");
    workspace.put("a.txt", "1\n");
    agent.undo_this(&done).done();
}
