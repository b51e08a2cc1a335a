//! Pending proposals survive restarts.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{FRENCH, Outcome, latin, numbered_lines};

use super::scene::{Scene, reviewer, states};

fn restart(scene: &mut Scene) {
    scene.machine.restart();
    scene.agent = scene.machine.agent(&scene.workspace);
    scene.editor = reviewer(&scene.machine, &scene.workspace);
}

#[test]
fn pending_proposals_survive_a_killed_daemon() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": ["h1"], "comment": "so far" })).done();
    let before = scene.fetch(&proposal);
    restart(&mut scene);
    let mut after = scene.fetch(&proposal);
    // Match information is reported only once.
    after["files"][0]["matches"] = before["files"][0]["matches"].clone();
    assert_eq!(after, before);
    assert_eq!(scene.agent.state_of(&proposal), "pending");
    scene.workspace.put("a.txt", format!("new\n{}", numbered_lines(40)));
    let done = scene.decide(&proposal, json!({ "reject": ["h2"], "accept": "all" })).done();
    assert_eq!(
        (&done["state"], states(&done)),
        (&json!("partial"), vec!["accepted", "rejected", "accepted"])
    );
    assert_eq!(scene.workspace.text("a.txt").matches("LINE").count(), 2);
    let outcome = scene.outcome(&proposal).done();
    assert_eq!(outcome["comments"], json!([{ "text": "so far" }]));
    assert_eq!(scene.agent.history()[0]["author"], "alice");
}

#[test]
fn closed_proposals_do_not_come_back() {
    let (mut scene, proposal) = Scene::three_hunks();
    let discarded = scene.agent.edit("a.txt", "line 5\n", "5\n").done();
    scene.agent.call("editd/discard", json!({ "id": discarded["id"] })).done();
    scene.decide(&proposal, json!({ "reject": "all" })).done();
    let waits = scene.agent.edit("a.txt", "line 6\n", "6\n").done();
    let folder = scene.machine.state().join("proposals");
    let names = || fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(names(), 1);
    restart(&mut scene);
    let list = scene.editor.call("editd/proposals", json!({})).done();
    let list = list["proposals"].as_array().unwrap();
    assert_eq!((list.len(), &list[0]["id"]), (1, &waits["id"]));
    // New proposals get other ids.
    scene.agent.read("a.txt");
    let next = scene.agent.edit("a.txt", "line 17\n", "17\n").done();
    assert_ne!(next["id"], waits["id"]);
    scene.decide(&next, json!({ "accept": "all" })).done();
    scene.decide(&waits, json!({ "accept": "all" })).done();
    assert_eq!(names(), 0);
}

#[test]
fn a_request_repeated_after_the_restart_creates_no_second_proposal() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    scene.agent.read("a.txt");
    let edit = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "requestId": "r1" });
    let first = scene.agent.call("editd/edit", edit.clone()).done();
    restart(&mut scene);
    scene.agent.read("a.txt");
    let again = scene.agent.call("editd/edit", edit.clone()).done();
    assert_eq!((&again["id"], &again["state"]), (&first["id"], &first["state"]));
    scene.decide(&first, json!({ "accept": "all" })).done();
    assert_eq!(scene.agent.call("editd/edit", edit).done()["state"], "applied");
    assert_eq!(scene.workspace.text("a.txt"), "1\n");
}

#[test]
fn damaged_files_are_set_aside_and_the_others_are_loaded() {
    let (mut scene, proposal) = Scene::three_hunks();
    let other = scene.agent.edit("a.txt", "line 5\n", "5\n").done();
    let folder = scene.machine.state().join("proposals");
    let file = |id: &serde_json::Value| folder.join(format!("{}.json", id.as_str().unwrap()));
    scene.machine.crash();
    let text = fs::read_to_string(file(&other["id"])).expect("a stored proposal");
    fs::write(file(&other["id"]), &text[..text.len() / 2]).expect("torn");
    fs::write(folder.join("p000000-1.json"), text.replace("line 5", "line 6")).expect("forged");
    fs::write(folder.join("p000000-2.part"), "half").expect("half written");
    scene.machine.serve();
    scene.agent = scene.machine.agent(&scene.workspace);
    scene.editor = reviewer(&scene.machine, &scene.workspace);
    let list = scene.editor.call("editd/proposals", json!({})).done();
    let list = list["proposals"].as_array().unwrap();
    assert_eq!((list.len(), &list[0]["id"]), (1, &proposal["id"]));
    assert!(
        file(&other["id"]).with_extension("damaged").exists() && folder.join("p000000-1.damaged").exists()
    );
    scene.decide(&proposal, json!({ "accept": "all" })).done();
}

#[test]
fn only_the_owner_can_read_stored_proposals() {
    let (scene, proposal) = Scene::three_hunks();
    let folder = scene.machine.state().join("proposals");
    let mode =
        |path: &std::path::Path| fs::metadata(path).expect("an existing file").permissions().mode() & 0o777;
    let file = folder.join(format!("{}.json", proposal["id"].as_str().unwrap()));
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
}

#[test]
fn all_fields_of_a_proposal_survive_a_restart() {
    let mut scene =
        Scene::new(&[("edit.txt", "one\r\ntwo\r\n"), ("gone.txt", "x\n"), ("old name.txt", "y\n")]);
    scene.workspace.put("latin.txt", latin(FRENCH));
    scene.workspace.put("binary", b"\0\x01");
    for path in ["edit.txt", "gone.txt", "old name.txt", "latin.txt"] {
        scene.agent.read(path);
    }
    let first = scene.agent.read("latin.txt")["text"].as_str().unwrap().lines().next().unwrap().to_owned();
    let edit = |path: &str, old: &str, new: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] });
    let changes = json!([
        edit("edit.txt", "two\n", "2\n"),
        json!({ "kind": "write", "path": "empty.txt", "content": "" }),
        json!({ "kind": "delete", "path": "gone.txt" }),
        json!({ "kind": "rename", "path": "old name.txt", "newPath": "new name.txt" }),
        edit("old name.txt", "y", "z"),
        edit("latin.txt", &first, "ASCII"),
        json!({ "kind": "delete", "path": "binary", "baseHash": scene.workspace.hash("binary") }),
    ]);
    let call = json!({ "changes": changes, "label": "everything", "display": "summary" });
    let proposal = scene.agent.call("editd/edit", call).done();
    let seen = scene.fetch(&proposal);
    let path = seen["files"][0]["path"].clone();
    let base = scene.workspace.hash("edit.txt");
    let mine = json!({ "replace": [{ "path": path, "baseHash": base, "content": "one\ntwo!\n" }] });
    scene.decide(&proposal, mine).done();
    let before = scene.fetch(&proposal);
    restart(&mut scene);
    let mut after = scene.fetch(&proposal);
    for file in 0..before["files"].as_array().unwrap().len() {
        after["files"][file]["matches"] = before["files"][file]["matches"].clone();
    }
    assert_eq!(after, before);
    assert_eq!(scene.decide(&proposal, json!({ "accept": "all" })).done()["state"], "applied");
    assert_eq!(scene.workspace.text("edit.txt"), "one\r\ntwo!\r\n");
    assert_eq!(scene.workspace.text("new name.txt"), "z\n");
    assert_eq!(scene.workspace.bytes("empty.txt"), b"");
    for path in ["gone.txt", "old name.txt", "binary"] {
        assert!(!scene.workspace.has(path), "{path}");
    }
}
