//! Both sides of a proposed file as whole texts, for editors that show them side by side.

use serde_json::{Value, json};

use crate::support::{Outcome, numbered_lines};

use super::scene::{Scene, states};

/// Fetches one side of the first file of a proposal.
fn side(scene: &mut Scene, proposal: &Value, which: &str) -> Value {
    side_of(scene, proposal, 0, which)
}

fn side_of(scene: &mut Scene, proposal: &Value, file: usize, which: &str) -> Value {
    let seen = scene.fetch(proposal);
    let path = seen["files"][file]["path"].as_str().expect("a path");
    let uri = format!("editd:///{}/{which}{path}", proposal["id"].as_str().expect("an id"));
    scene.editor.call("workspace/textDocumentContent", json!({ "uri": uri })).done()
}

#[test]
fn a_side_includes_the_hash_of_its_base_file() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = format!("new\n{}", numbered_lines(40)).replace("line 20\n", "mine 20\n");
    scene.workspace.put("a.txt", &text);
    scene.decide(&proposal, json!({ "reject": ["h1"] })).done();
    let (base, proposed) = (side(&mut scene, &proposal, "base"), side(&mut scene, &proposal, "proposed"));
    let hash = scene.workspace.hash("a.txt");
    assert_eq!(base, json!({ "text": text, "hash": hash }));
    // The proposed side omits rejected hunks, and has the current text for conflicts.
    assert_eq!(proposed, json!({ "text": text.replace("line 37\n", "LINE 37\n"), "hash": hash }));
    let path = scene.workspace.absolute("a.txt");
    let mine = proposed["text"].as_str().expect("a text").replace("new\n", "newer\n");
    let replace = json!([{ "path": path, "baseHash": proposed["hash"], "content": mine }]);
    let done = scene.decide(&proposal, json!({ "replace": replace })).done();
    assert_eq!(done["state"], "partial", "{done:#}");
    assert_eq!(scene.workspace.text("a.txt"), mine);
}

#[test]
fn a_missing_file_has_no_hash() {
    let mut scene = Scene::new(&[]);
    let change = json!({ "kind": "write", "path": "new.txt", "content": "one\r\ntwo\r\n", "literal": true });
    let proposal = scene.agent.call("editd/edit", json!({ "changes": [change] })).done();
    assert_eq!(states(&scene.fetch(&proposal)), ["pending"]);
    assert_eq!(side(&mut scene, &proposal, "base"), json!({ "text": "", "hash": null }));
    assert_eq!(side(&mut scene, &proposal, "proposed"), json!({ "text": "one\r\ntwo\r\n", "hash": null }));
}

#[test]
fn the_reviewers_text_replaces_the_proposed_side() {
    let mut scene = Scene::new(&[("a.txt", "one\ntwo\n"), ("b.txt", "going\n")]);
    scene.agent.read("a.txt");
    scene.agent.read("b.txt");
    let edit = json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "two", "newText": "2" }] });
    let delete = json!({ "kind": "delete", "path": "b.txt" });
    let proposal = scene.agent.call("editd/edit", json!({ "changes": [edit, delete] })).done();
    let gone = side_of(&mut scene, &proposal, 1, "proposed");
    assert_eq!(gone, json!({ "text": "", "hash": scene.workspace.hash("b.txt") }));
    let base = side(&mut scene, &proposal, "base");
    let path = scene.workspace.absolute("a.txt");
    let replace = json!([{ "path": path, "baseHash": base["hash"], "content": "one\nII\n" }]);
    let seen = scene.decide(&proposal, json!({ "replace": replace })).done();
    assert_eq!((&seen["state"], states(&seen)), (&json!("pending"), vec!["edited", "pending"]));
    assert_eq!(side(&mut scene, &proposal, "proposed")["text"], "one\nII\n");
    // The text is rebased onto changes elsewhere in the file.
    scene.workspace.put("a.txt", "zero\none\ntwo\n");
    assert_eq!(side(&mut scene, &proposal, "proposed")["text"], "zero\none\nII\n");
}

#[test]
fn agents_cannot_fetch_the_sides() {
    let (mut scene, proposal) = Scene::three_hunks();
    let uri =
        format!("editd:///{}/base{}", proposal["id"].as_str().unwrap(), scene.workspace.absolute("a.txt"));
    scene.agent.call("workspace/textDocumentContent", json!({ "uri": uri })).refused("not_permitted");
}
