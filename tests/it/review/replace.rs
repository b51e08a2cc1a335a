//! Decisions in which the reviewer replaces the proposed text.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Answer, Outcome, numbered_lines};

use super::scene::{Scene, states};

fn replace(scene: &mut Scene, proposal: &Value, content: &str) -> Answer {
    let seen = scene.fetch(proposal);
    let file = json!({ "path": seen["files"][0]["path"], "baseHash": seen["files"][0]["hashBefore"], "content": content });
    scene.decide_on(proposal, &seen["revision"], json!({ "replace": [file] }))
}

fn capitals() -> String {
    let base = numbered_lines(40);
    base.replace("line 3\n", "LINE 3\n").replace("line 20\n", "LINE 20\n").replace("line 37\n", "LINE 37\n")
}

#[test]
fn the_reviewers_text_is_written_and_reported_to_the_agent() {
    let (mut scene, proposal) = Scene::three_hunks();
    let content = capitals().replace("LINE 20\n", "Line 20!\n").replace("LINE 37\n", "line 37\n");
    let done = replace(&mut scene, &proposal, &content).done();
    assert_eq!((&done["state"], states(&done)), (&json!("partial"), vec!["accepted", "edited", "rejected"]));
    assert_eq!(scene.workspace.text("a.txt"), content);
    let outcome = scene.outcome(&proposal).done();
    let edit = &outcome["userEdits"][0];
    assert_eq!(edit["path"], scene.workspace.absolute("a.txt"));
    let diff = edit["diff"].as_str().unwrap();
    assert!(diff.contains("-LINE 20\n+Line 20!\n") && diff.contains("-LINE 37\n+line 37\n"), "{diff}");
    assert_eq!(outcome["files"][0]["hash"], scene.workspace.hash("a.txt"));
    assert!(outcome["files"][0]["diff"].as_str().unwrap().contains("+Line 20!\n"), "{outcome:#}");
}

#[rstest]
#[case::what_is_there("rejected", &["rejected"; 3])]
#[case::what_was_proposed("applied", &["accepted"; 3])]
fn a_replacement_equal_to_one_side_is_not_an_edit(#[case] state: &str, #[case] hunks: &[&str]) {
    let (mut scene, proposal) = Scene::three_hunks();
    let content = if state == "applied" { capitals() } else { numbered_lines(40) };
    let done = replace(&mut scene, &proposal, &content).done();
    assert_eq!((&done["state"], states(&done)), (&json!(state), hunks.to_vec()));
    assert!(done.get("userEdits").is_none(), "{done:#}");
    assert_eq!(scene.workspace.text("a.txt"), content);
}

#[test]
fn a_replacement_may_change_lines_outside_the_hunks() {
    let (mut scene, proposal) = Scene::three_hunks();
    let content = capitals().replace("line 10\n", "mine\n");
    let done = replace(&mut scene, &proposal, &content).done();
    assert_eq!((&done["state"], states(&done)), (&json!("applied"), vec!["accepted"; 3]));
    assert_eq!(scene.workspace.text("a.txt"), content);
    assert!(done["userEdits"][0]["diff"].as_str().unwrap().contains("+mine\n"), "{done:#}");
}

#[test]
fn a_replacement_for_an_outdated_file_is_stale() {
    let (mut scene, proposal) = Scene::three_hunks();
    let seen = scene.fetch(&proposal);
    scene.workspace.put("a.txt", numbered_lines(41));
    let file = json!({ "path": seen["files"][0]["path"], "baseHash": seen["files"][0]["hashBefore"], "content": "x" });
    let refused = scene.decide(&proposal, json!({ "replace": [file] })).refused("stale");
    assert_eq!(refused["currentHash"], scene.workspace.hash("a.txt"));
    assert_eq!(scene.fetch(&proposal)["revision"], 1);
}

#[test]
fn a_replacement_waits_for_the_other_files_and_is_rebased() {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(40)), ("b.txt", "one\n")]);
    scene.agent.read("a.txt");
    scene.agent.read("b.txt");
    let edit = |path: &str, old: &str, new: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] });
    let both = vec![edit("a.txt", "line 20\n", "LINE 20\n"), edit("b.txt", "one", "1")];
    let proposal = scene.agent.changes(both).done();
    let content = numbered_lines(40).replace("line 20\n", "Line 20!\n");
    let waits = replace(&mut scene, &proposal, &content).done();
    assert_eq!((&waits["state"], states(&waits)), (&json!("pending"), vec!["edited", "pending"]));
    assert!(waits["files"][0]["diff"].as_str().unwrap().contains("+Line 20!"), "{waits:#}");
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 1\n", "mine 1\n"));
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), content.replace("line 1\n", "mine 1\n"));
}

#[test]
fn a_replacement_on_changed_lines_is_a_conflict() {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(40)), ("b.txt", "one\n")]);
    scene.agent.read("a.txt");
    scene.agent.read("b.txt");
    let edit = |path: &str, old: &str, new: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] });
    let both = vec![edit("a.txt", "line 20\n", "LINE 20\n"), edit("b.txt", "one", "1")];
    let proposal = scene.agent.changes(both).done();
    replace(&mut scene, &proposal, &numbered_lines(40).replace("line 20\n", "Line 20!\n")).done();
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 20\n", "somebody's 20\n"));
    let waits = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!((&waits["state"], states(&waits)), (&json!("pending"), vec!["conflicted", "accepted"]));
    assert!(scene.workspace.text("a.txt").contains("somebody's"));
}

#[test]
fn a_decision_about_a_hunk_overrides_the_replacement() {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(40)), ("b.txt", "one\n")]);
    scene.agent.read("a.txt");
    scene.agent.read("b.txt");
    let edit = |path: &str, old: &str, new: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] });
    let both = vec![edit("a.txt", "line 20\n", "LINE 20\n"), edit("b.txt", "one", "1")];
    let proposal = scene.agent.changes(both).done();
    replace(&mut scene, &proposal, &numbered_lines(40).replace("line 20\n", "Line 20!\n")).done();
    let again = scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    assert_eq!(states(&again), ["accepted", "pending"]);
    scene.decide(&proposal, json!({ "reject": "all", "keepEarlier": true })).done();
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40).replace("line 20\n", "LINE 20\n"));
}

#[test]
fn new_files_and_deletions_can_be_replaced() {
    let mut scene = Scene::new(&[("old.txt", "one\r\ntwo\r\n")]);
    scene.agent.read("old.txt");
    let changes = vec![
        json!({ "kind": "write", "path": "new.txt", "content": "new\n" }),
        json!({ "kind": "delete", "path": "old.txt" }),
    ];
    let proposal = scene.agent.changes(changes).done();
    let seen = scene.fetch(&proposal);
    let path = |at: usize| seen["files"][at]["path"].clone();
    let both = json!({ "replace": [
        { "path": path(0), "baseHash": null, "content": "newer\n" },
        { "path": path(1), "baseHash": scene.workspace.hash("old.txt"), "content": "one\n" },
    ]});
    let done = scene.decide_on(&proposal, &json!(1), both).done();
    assert_eq!((&done["state"], states(&done)), (&json!("applied"), vec!["edited", "edited"]));
    assert_eq!(scene.workspace.text("new.txt"), "newer\n");
    // The line endings of the file are preserved, as with a `write`.
    assert_eq!(scene.workspace.text("old.txt"), "one\r\n");
}
