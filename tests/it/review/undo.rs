//! Reviews of undos, which are changes like any other.

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

use super::scene::{Scene, reviewer, states};

#[test]
fn an_accepted_undo_restores_the_bytes() {
    let machine = Machine::configured("review = \"auto\"\n");
    let workspace = Workspace::with(&[("a.txt", &b"one\r\ntwo\n"[..]), ("b.bin", &b"\0\x01"[..])]);
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let changes = vec![
        json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }] }),
        json!({ "kind": "delete", "path": "b.bin", "baseHash": workspace.hash("b.bin") }),
    ];
    let done = agent.changes(changes).done();
    let mut editor = reviewer(&machine, &workspace);
    let waits = agent.undo().done();
    assert_eq!((&waits["state"], &waits["undoes"]), (&json!("pending"), &done["transaction"]));
    assert_eq!(states(&waits), ["pending"; 2]);
    let all = json!({ "id": waits["id"], "revision": 1, "accept": "all" });
    assert_eq!(editor.call("editd/decide", all).done()["state"], "applied");
    assert_eq!(
        (workspace.bytes("a.txt"), workspace.bytes("b.bin")),
        (b"one\r\ntwo\n".to_vec(), b"\0\x01".to_vec())
    );
    let history = agent.history();
    assert_eq!((&history[1]["undone"], &history[0]["undoes"]), (&json!(true), &done["transaction"]));
}

#[test]
fn a_partially_accepted_undo_is_a_separate_change() {
    let mut scene =
        Scene::configured("review = \"off\"\n", &[("a.txt", &crate::support::numbered_lines(20))]);
    scene.agent.read("a.txt");
    let edits =
        json!([{ "oldText": "line 3\n", "newText": "3\n" }, { "oldText": "line 15\n", "newText": "15\n" }]);
    scene.agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    let waits = scene.agent.call("editd/undo", json!({ "review": true, "waitMs": 0 })).done();
    scene.decide(&waits, json!({ "accept": ["h1"], "reject": ["h2"] })).done();
    let text = scene.workspace.text("a.txt");
    assert!(text.contains("line 3\n") && text.contains("\n15\n"), "{text}");
    let history = scene.agent.history();
    assert_eq!((&history[1]["undone"], history[0].get("undoes")), (&json!(false), None));
}
