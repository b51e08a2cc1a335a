//! A person may take back what any agent did.

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn an_editor_undoes_anybodys_change() {
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
fn agents_undo_while_others_do() {
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
