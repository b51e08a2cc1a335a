//! Reopening rejected proposals.

use serde_json::{Value, json};

use crate::support::{Answer, Outcome, Workspace, numbered_lines};

use super::scene::{Scene, hunk_ids, reviewer, states};

fn reopen(scene: &mut Scene, proposal: &Value) -> Answer {
    scene.editor.call("editd/reopen", json!({ "id": proposal["id"] }))
}

fn with(lines: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let other = lines.iter().find(|(at, _)| *at == number).map(|(_, text)| format!("{text}\n"));
        other.unwrap_or_else(|| format!("line {number}\n"))
    };
    (1..=40).map(line).collect()
}

#[test]
fn a_reopened_proposal_is_pending_under_a_new_id() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": "all", "comment": "no" })).done();
    let again = reopen(&mut scene, &proposal).done();
    assert_ne!(again["id"], proposal["id"]);
    assert_eq!(
        (&again["state"], &again["revision"], &again["author"]),
        (&json!("pending"), &json!(1), &json!("alice"))
    );
    assert_eq!((states(&again), hunk_ids(&again)), (vec!["pending"; 3], vec!["h1", "h2", "h3"]));
    assert!(again.get("comments").is_none(), "{again:#}");
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
    // The author can read the new proposal, and a request for the old one names the new one.
    assert_eq!(scene.agent.state_of(&again), "pending");
    let error = scene.outcome(&proposal).fails(-32803);
    assert!(
        error.kind() == "superseded" && error.message.contains(again["id"].as_str().unwrap()),
        "{error:?}"
    );
    assert_eq!(scene.fetch(&proposal)["replacedBy"], again["id"]);
    let done = scene.decide(&again, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("a.txt"), with(&[(3, "LINE 3"), (20, "LINE 20"), (37, "LINE 37")]));
    assert_eq!(scene.agent.history()[0]["author"], "alice");
    // Once the author has received the outcome, the next edit needs no new read.
    assert_eq!(scene.outcome(&again).done()["state"], "applied");
    assert_eq!(scene.agent.edit("a.txt", "LINE 3\n", "3\n").done()["state"], "pending");
}

#[test]
fn only_the_rejected_hunks_of_a_partial_proposal_are_reopened() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": ["h2"], "accept": "all" })).done();
    scene.workspace.put("a.txt", format!("new\n{}", scene.workspace.text("a.txt")));
    let again = reopen(&mut scene, &proposal).done();
    assert_eq!(states(&again), ["pending"]);
    let hunk = &again["files"][0]["hunks"][0];
    assert_eq!((&hunk["oldText"], &hunk["newText"]), (&json!("line 20\n"), &json!("LINE 20\n")));
    assert_eq!(hunk["oldStart"], 21);
    scene.decide(&again, json!({ "accept": ["h1"] })).done();
    let lines = [(3, "LINE 3"), (20, "LINE 20"), (37, "LINE 37")];
    assert_eq!(scene.workspace.text("a.txt"), format!("new\n{}", with(&lines)));
}

#[test]
fn a_reopened_hunk_on_changed_lines_is_in_conflict() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": "all" })).done();
    scene.workspace.put("a.txt", with(&[(20, "a person's")]));
    let again = reopen(&mut scene, &proposal).done();
    assert_eq!(states(&again), ["pending", "conflicted", "pending"], "{again:#}");
    scene.decide(&again, json!({ "accept": "all", "take": ["h2"] })).done();
    assert_eq!(scene.workspace.text("a.txt"), with(&[(3, "LINE 3"), (20, "LINE 20"), (37, "LINE 37")]));
}

#[test]
fn an_insertion_already_in_the_file_is_not_reopened() {
    let mut scene = Scene::new(&[("a.txt", "one\ntwo\n")]);
    scene.agent.read("a.txt");
    let proposal = scene.agent.edit("a.txt", "one\n", "one\nnew\n").done();
    scene.decide(&proposal, json!({ "reject": "all" })).done();
    scene.workspace.put("a.txt", "one\nnew\ntwo\n");
    let again = reopen(&mut scene, &proposal).done();
    scene.decide(&again, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), "one\nnew\ntwo\n");
}

#[test]
fn a_reopened_partial_proposal_is_based_on_the_current_text() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": ["h1"], "reject": "all" })).done();
    scene.workspace.put("a.txt", with(&[(3, "LINE 3"), (20, "a person's"), (37, "LINE 37")]));
    let again = reopen(&mut scene, &proposal).done();
    // The third hunk is in the file already.
    assert_eq!(states(&again), ["pending"], "{again:#}");
    assert_eq!(again["files"][0]["hunks"][0]["oldText"], "a person's\n");
    scene.decide(&again, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), with(&[(3, "LINE 3"), (20, "LINE 20"), (37, "LINE 37")]));
}

#[test]
fn reopening_an_edit_of_a_renamed_file_does_not_restore_the_old_name() {
    let mut scene = Scene::new(&[("old.txt", "one\ntwo\n")]);
    scene.agent.read("old.txt");
    let changes = json!([
        { "kind": "rename", "path": "old.txt", "newPath": "new.txt" },
        { "kind": "edit", "path": "old.txt", "edits": [{ "oldText": "two", "newText": "2" }] },
    ]);
    let proposal = scene.agent.call("editd/edit", json!({ "changes": changes })).done();
    assert_eq!(hunk_ids(&proposal), ["h1", "h2"], "{proposal:#}");
    scene.decide(&proposal, json!({ "accept": ["h1"], "reject": ["h2"] })).done();
    assert_eq!(reopen(&mut scene, &proposal).fails(-32803).kind(), "missing");
}

#[test]
fn creations_deletions_and_renames_can_be_reopened() {
    let mut scene = Scene::new(&[("old.txt", "old\n"), ("gone.txt", "gone\n")]);
    scene.agent.read("old.txt");
    scene.agent.read("gone.txt");
    let changes = json!([
        { "kind": "write", "path": "new.txt", "content": "new\n" },
        { "kind": "rename", "path": "old.txt", "newPath": "renamed.txt" },
        { "kind": "delete", "path": "gone.txt" },
    ]);
    let proposal = scene.agent.call("editd/edit", json!({ "changes": changes })).done();
    assert_eq!(proposal["state"], "pending", "{proposal:#}");
    scene.decide(&proposal, json!({ "reject": "all" })).done();
    let again = reopen(&mut scene, &proposal).done();
    assert_eq!(states(&again), ["pending"; 3]);
    scene.decide(&again, json!({ "accept": "all" })).done();
    assert_eq!(
        (scene.workspace.text("new.txt"), scene.workspace.text("renamed.txt")),
        ("new\n".to_owned(), "old\n".to_owned())
    );
    assert!(!scene.workspace.path("gone.txt").exists() && !scene.workspace.path("old.txt").exists());
}

#[test]
fn without_an_id_the_last_rejection_in_the_folders_is_reopened() {
    let mut scene = Scene::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let mut propose = |path: &str, old: &str, new: &str| {
        scene.agent.read(path);
        scene.agent.edit(path, old, new).done()
    };
    let (first, second) = (propose("a.txt", "a\n", "A\n"), propose("b.txt", "b\n", "B\n"));
    scene.decide(&second, json!({ "reject": "all" })).done();
    scene.decide(&first, json!({ "reject": "all" })).done();
    let elsewhere = Workspace::with::<&str>(&[]);
    let error = reviewer(&scene.machine, &elsewhere).call("editd/reopen", json!({})).fails(-32803);
    assert_eq!(error.kind(), "unknown_proposal");
    let paths: Vec<_> = (0..2)
        .map(|_| scene.editor.call("editd/reopen", json!({})).done()["files"][0]["path"].clone())
        .collect();
    let path = |name: &str| json!(scene.workspace.path(name));
    assert_eq!(paths, [path("a.txt"), path("b.txt")]);
    let error = scene.editor.call("editd/reopen", json!({})).fails(-32803);
    assert_eq!(error.message, "No rejected change in these folders is still stored.");
}

#[test]
fn without_an_id_a_rejection_decided_from_another_folder_is_found() {
    let (scene, proposal) = Scene::three_hunks();
    let mut visitor = reviewer(&scene.machine, &Workspace::with::<&str>(&[]));
    visitor.call("editd/decide", json!({ "id": proposal["id"], "revision": 1, "reject": "all" })).done();
    let again = visitor.call("editd/reopen", json!({})).done();
    assert_eq!(again["files"][0]["path"], json!(scene.workspace.path("a.txt")));
}

#[test]
fn a_proposal_that_cannot_be_reopened_is_refused_with_a_reason() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": ["h1"] })).done();
    let error = reopen(&mut scene, &proposal).fails(-32803);
    assert!(error.kind() == "unknown_proposal" && error.message.contains("still waits"), "{error:?}");
    scene.decide(&proposal, json!({ "reject": "all" })).done();
    let error = scene.agent.call("editd/reopen", json!({ "id": proposal["id"] })).fails(-32803);
    assert_eq!(error.kind(), "not_permitted");
    let unknown = reopen(&mut scene, &json!({ "id": "p0-0" })).fails(-32803);
    assert_eq!(unknown.kind(), "unknown_proposal");
    let again = reopen(&mut scene, &proposal).done();
    let error = reopen(&mut scene, &proposal).fails(-32803);
    assert!(
        error.kind() == "superseded" && error.message.contains(again["id"].as_str().unwrap()),
        "{error:?}"
    );
}

#[test]
fn a_proposal_that_cannot_be_reopened_is_skipped() {
    let (mut scene, first) = Scene::three_hunks();
    scene.decide(&first, json!({ "reject": "all" })).done();
    let edits = json!([
        { "oldText": "line 5\n", "newText": "LINE 5\n" },
        { "oldText": "line 9\n", "newText": "LINE 9\n" },
    ]);
    let second = scene.agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    scene.decide(&second, json!({ "accept": ["h1"], "reject": ["h2"] })).done();
    scene.workspace.put("a.txt", with(&[(5, "LINE 5"), (9, "LINE 9")]));
    assert_eq!(reopen(&mut scene, &second).fails(-32803).kind(), "no_change");
    let again = scene.editor.call("editd/reopen", json!({})).done();
    assert_eq!(scene.fetch(&first)["replacedBy"], again["id"]);
    assert_eq!(scene.editor.call("editd/reopen", json!({})).fails(-32803).kind(), "no_change");
}

#[test]
fn a_proposal_dropped_by_the_limit_is_skipped() {
    let mut scene = Scene::configured("review = \"auto\"\nlimits.proposals = 2\n", &[("a.txt", "a\n")]);
    let mut reject = |author: &str| {
        let mut agent = scene.machine.agent_named(author, &scene.workspace);
        agent.read("a.txt");
        let proposal = agent.edit("a.txt", "a\n", "b\n").done();
        let decision = json!({ "id": proposal["id"], "revision": 1, "reject": "all" });
        scene.editor.call("editd/decide", decision).done();
        (agent, proposal)
    };
    let (_, first) = reject("ada");
    let (mut bob, second) = reject("bob");
    for text in ["c\n", "d\n"] {
        bob.edit("a.txt", "a\n", text).done();
    }
    assert_eq!(reopen(&mut scene, &second).fails(-32803).kind(), "unknown_proposal");
    let again = scene.editor.call("editd/reopen", json!({})).done();
    assert_eq!(again["author"], "ada");
    assert_eq!(scene.fetch(&first)["replacedBy"], again["id"]);
}

#[test]
fn a_reopened_undo_of_changed_lines_is_a_conflict() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    let undo = scene.agent.call("editd/undo", json!({})).done();
    scene.decide(&undo, json!({ "reject": "all" })).done();
    scene.workspace.put("a.txt", with(&[(3, "LINE 3"), (20, "a person's"), (37, "LINE 37")]));
    let again = reopen(&mut scene, &undo).done();
    assert_eq!(states(&again), ["pending", "conflicted", "pending"]);
    let done = scene.decide(&again, json!({ "accept": "all", "reject": ["h2"] })).done();
    assert_eq!(done["state"], "partial");
    assert_eq!(scene.workspace.text("a.txt"), with(&[(20, "a person's")]));
}

#[test]
fn only_the_newest_rejections_are_stored() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    scene.agent.read("a.txt");
    let mut rejected = Vec::new();
    for number in 0..65 {
        let proposal = scene.agent.edit("a.txt", "a\n", &format!("{number}\n")).done();
        scene.decide(&proposal, json!({ "reject": "all" })).done();
        rejected.push(proposal);
    }
    assert_eq!(reopen(&mut scene, &rejected[0]).fails(-32803).kind(), "unknown_proposal");
    assert_eq!(reopen(&mut scene, &rejected[1]).done()["state"], "pending");
}

#[test]
fn a_rejection_too_large_to_store_evicts_no_others() {
    let large = format!("first\n{}", format!("{}\n", "x".repeat(999)).repeat(17_000));
    let mut scene = Scene::new(&[("large.txt", large.as_str()), ("a.txt", "a\n")]);
    let mut reject = |path: &str, old: &str| {
        scene.agent.call("editd/read", json!({ "path": path, "limit": 1 })).done();
        let proposal = scene.agent.edit(path, old, "new\n").done();
        scene.decide(&proposal, json!({ "reject": "all" })).done();
        proposal
    };
    let (small, large) = (reject("a.txt", "a\n"), reject("large.txt", "first\n"));
    assert_eq!(reopen(&mut scene, &large).fails(-32803).kind(), "unknown_proposal");
    assert_eq!(reopen(&mut scene, &small).done()["state"], "pending");
}

#[test]
fn a_reopened_proposal_survives_a_restart() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": ["h1"], "accept": "all" })).done();
    let again = reopen(&mut scene, &proposal).done();
    scene.machine.restart();
    scene.editor = reviewer(&scene.machine, &scene.workspace);
    scene.decide(&again, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), with(&[(3, "LINE 3"), (20, "LINE 20"), (37, "LINE 37")]));
}

#[test]
fn a_reopened_undo_is_still_an_undo() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    let undo = scene.agent.call("editd/undo", json!({})).done();
    assert_eq!(undo["state"], "pending", "{undo:#}");
    scene.decide(&undo, json!({ "reject": "all" })).done();
    let again = reopen(&mut scene, &undo).done();
    scene.decide(&again, json!({ "accept": "all" })).done();
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
    let history = scene.agent.history();
    assert_eq!(history[0]["undoes"], history[1]["transaction"], "{history:#?}");
}
