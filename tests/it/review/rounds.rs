//! An author replaces a pending proposal: what a person has decided about hunks that are the same stays.

use serde_json::{Value, json};

use crate::support::{Outcome, numbered_lines};

use super::scene::{Scene, hunk_ids, states};

fn edit(number: u32, new: &str) -> Value {
    json!({ "oldText": format!("line {number}\n"), "newText": format!("{new}\n") })
}

/// Replaces a proposal with edits of `a.txt`, and returns the new proposal as its author receives it.
fn replace(scene: &mut Scene, old: &Value, edits: &[Value]) -> Value {
    let call = json!({ "path": "a.txt", "edits": edits, "replaces": old["id"] });
    scene.agent.call("editd/edit", call).done()
}

#[test]
fn decisions_and_comments_on_hunks_that_are_the_same_stay() {
    let (mut scene, old) = Scene::three_hunks();
    let comment = json!([
        { "text": "In general" },
        { "hunk": "h1", "text": "About the first" },
        { "hunk": "h2", "text": "About the second" },
    ]);
    scene.decide(&old, json!({ "accept": ["h1"], "reject": ["h3"], "comment": comment })).done();
    // A new hunk comes first, the second is another one, and the others are the same.
    let edits = [edit(1, "Line 1"), edit(3, "LINE 3"), edit(20, "Line 20"), edit(37, "LINE 37")];
    let new = replace(&mut scene, &old, &edits);
    assert_eq!(
        (&new["state"], states(&new)),
        (&json!("pending"), vec!["pending", "accepted", "pending", "rejected"])
    );
    let reason = new["reason"].as_str().expect("a reason");
    let expected = format!("It replaces `{}`; 2 of 4 hunks are the same", old["id"].as_str().unwrap());
    assert!(reason.starts_with(&expected) && reason.ends_with("h2, h4."), "{reason}");
    let seen = scene.fetch(&new);
    assert_eq!(states(&seen), ["pending", "accepted", "pending", "rejected"]);
    assert_eq!((&seen["reason"], hunk_ids(&seen).len()), (&new["reason"], 4));
    let comments = seen["comments"].as_array().expect("comments");
    let hunks: Vec<_> = comments.iter().map(|comment| comment["hunk"].as_str()).collect();
    assert_eq!(hunks, [None, Some("h2"), None], "{comments:#?}");
    assert_eq!(scene.outcome(&old).refused("superseded")["proposal"], new["id"]);
    let done = scene.decide(&new, json!({ "accept": "all" })).done();
    assert_eq!(states(&done), ["accepted", "accepted", "accepted", "rejected"]);
    let expected = numbered_lines(40)
        .replace("line 1\n", "Line 1\n")
        .replace("line 3\n", "LINE 3\n")
        .replace("line 20\n", "Line 20\n");
    assert_eq!(scene.workspace.text("a.txt"), expected);
    assert_eq!(done.get("reason"), None);
}

#[test]
fn decisions_follow_their_lines_if_the_file_has_changed_in_between() {
    let (mut scene, old) = Scene::three_hunks();
    scene.decide(&old, json!({ "accept": ["h1"], "reject": ["h2"] })).done();
    scene.workspace.put("a.txt", format!("zero\n{}", numbered_lines(40)));
    scene.agent.read("a.txt");
    let edits = [edit(3, "LINE 3"), edit(20, "LINE 20"), edit(30, "LINE 30")];
    let new = replace(&mut scene, &old, &edits);
    assert_eq!(states(&new), ["accepted", "rejected", "pending"]);
}

#[test]
fn the_same_text_at_another_place_is_another_hunk() {
    let text = "same\na\nb\nc\nsame\n";
    let mut scene = Scene::new(&[("a.txt", text), ("b.txt", "one\n")]);
    scene.agent.read("a.txt");
    scene.agent.read("b.txt");
    let write = |content: &str| json!({ "kind": "write", "path": "a.txt", "content": content });
    let other = json!({ "kind": "write", "path": "b.txt", "content": "two\n" });
    let old = scene.agent.changes(vec![write("SAME\na\nb\nc\nsame\n"), other.clone()]).done();
    scene.decide(&old, json!({ "accept": ["h1"] })).done();
    let changes = json!([write("same\na\nb\nc\nSAME\n"), other]);
    let new = scene.agent.call("editd/edit", json!({ "changes": changes, "replaces": old["id"] })).done();
    assert_eq!(states(&new), ["pending", "pending"]);
}

#[test]
fn an_author_cannot_complete_a_review_by_replacing_the_proposal() {
    let (mut scene, old) = Scene::three_hunks();
    scene.decide(&old, json!({ "accept": ["h1"], "reject": ["h2"] })).done();
    // Only hunks that are decided are left.
    let new = replace(&mut scene, &old, &[edit(3, "LINE 3"), edit(20, "LINE 20")]);
    assert_eq!((&new["state"], states(&new)), (&json!("pending"), vec!["pending", "pending"]));
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
}

#[test]
fn whole_files_and_texts_of_the_person_stay() {
    let mut scene = Scene::new(&[("a.txt", "one\ntwo\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
    for name in ["a.txt", "b.txt", "c.txt"] {
        scene.agent.read(name);
    }
    let changes = |last: &str| {
        json!([
            { "kind": "write", "path": "a.txt", "content": "ONE\ntwo\n" },
            { "kind": "delete", "path": "b.txt" },
            { "kind": "rename", "path": "c.txt", "newPath": "d.txt" },
            { "kind": "write", "path": "new.txt", "content": "new\n" },
            { "kind": "write", "path": "last.txt", "content": last },
        ])
    };
    let old = scene.agent.call("editd/edit", json!({ "changes": changes("1\n") })).done();
    let own = json!([{ "path": scene.workspace.absolute("a.txt"), "baseHash": scene.workspace.hash("a.txt"), "content": "Mine\ntwo\n" }]);
    scene.decide(&old, json!({ "replace": own, "accept": ["h2", "h3"], "reject": ["h4"] })).done();
    let call = json!({ "changes": changes("2\n"), "replaces": old["id"] });
    let new = scene.agent.call("editd/edit", call).done();
    assert_eq!(states(&new), ["edited", "accepted", "accepted", "rejected", "pending"]);
    // They also survive a restart of the daemon.
    scene.machine.restart();
    let (machine, workspace) = (&scene.machine, &scene.workspace);
    let (agent, editor) = (machine.agent(workspace), super::scene::reviewer(machine, workspace));
    (scene.agent, scene.editor) = (agent, editor);
    scene.decide(&new, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), "Mine\ntwo\n");
    assert!(!scene.workspace.has("b.txt") && scene.workspace.has("d.txt") && !scene.workspace.has("new.txt"));
}

/// Equal lines between equal lines at another place are another hunk.
#[test]
fn decisions_do_not_move_to_other_lines_that_look_the_same() {
    let text =
        "# test\n[[server]]\nopen = false\n\n# live\n[[server]]\nopen = false\n\nname = 1\ncolour = 2\n";
    let mut scene = Scene::new(&[("a.txt", text)]);
    scene.agent.read("a.txt");
    let open = |line: &str| json!({ "lines": line, "newText": "open = true\n" });
    let colour = |new: &str| json!({ "oldText": "colour = 2", "newText": new });
    let edits = json!({ "path": "a.txt", "edits": [open("3"), colour("colour = 3")] });
    let old = scene.agent.call("editd/edit", edits).done();
    scene.decide(&old, json!({ "accept": ["h1"] })).done();
    scene.workspace.put("a.txt", text.replace("name = 1", "name = 2"));
    scene.agent.read("a.txt");
    let new = replace(&mut scene, &old, &[open("7"), colour("colour = 4")]);
    assert_eq!(states(&new), ["pending", "pending"], "{new}");
    let again = replace(&mut scene, &new, &[open("3"), colour("colour = 4")]);
    assert_eq!(states(&again), ["pending", "pending"], "{again}");
}

#[test]
fn nothing_is_said_about_decisions_if_there_were_none() {
    let (mut scene, old) = Scene::three_hunks();
    let new = replace(&mut scene, &old, &[edit(3, "Line 3")]);
    assert_eq!((states(&new), new.get("reason")), (vec!["pending"], None));
}
