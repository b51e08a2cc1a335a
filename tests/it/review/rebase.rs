//! The file changes while a proposal is pending.

use serde_json::json;

use crate::support::{Outcome, numbered_lines};

use super::scene::{Scene, states};

#[test]
fn untouched_hunks_move_with_their_lines() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = format!("new 1\nnew 2\n{}", numbered_lines(40)).replace("line 30\n", "");
    scene.workspace.put("a.txt", &text);
    let seen = scene.fetch(&proposal);
    assert_eq!(states(&seen), ["pending"; 3]);
    let file = &seen["files"][0];
    let starts: Vec<_> =
        file["hunks"].as_array().unwrap().iter().map(|hunk| hunk["oldStart"].clone()).collect();
    assert_eq!(starts, [json!(5), json!(22), json!(38)]);
    assert_eq!((&file["hashBefore"], &seen["revision"]), (&json!(scene.workspace.hash("a.txt")), &json!(1)));
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    let expected = text
        .replace("line 3\n", "LINE 3\n")
        .replace("line 20\n", "LINE 20\n")
        .replace("line 37\n", "LINE 37\n");
    assert_eq!(scene.workspace.text("a.txt"), expected);
    assert_eq!(file["hashAfter"], scene.workspace.hash("a.txt"));
    // The agent has not read the other changes of the file.
    let outcome = scene.outcome(&proposal).done();
    assert_eq!(outcome["files"][0]["rebased"], true);
    let write = json!({ "kind": "write", "path": "a.txt", "content": "x" });
    scene.agent.change(write).refused("unread");
}

#[test]
fn only_a_touched_hunk_is_in_conflict() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = numbered_lines(40).replace("line 20\n", "mine 20\n");
    scene.workspace.put("a.txt", &text);
    let seen = scene.fetch(&proposal);
    assert_eq!(states(&seen), ["pending", "conflicted", "pending"]);
    let hunk = &seen["files"][0]["hunks"][1];
    assert_eq!((&hunk["oldText"], &hunk["newText"]), (&json!("mine 20\n"), &json!("LINE 20\n")));
    assert!(seen["notice"].as_str().unwrap().contains("h2"), "{seen:#}");
    // Accepting all does not decide a conflict.
    let most = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(
        (&most["state"], states(&most)),
        (&json!("pending"), vec!["accepted", "conflicted", "accepted"])
    );
    assert!(most["notice"].as_str().unwrap().contains("h2"), "{most:#}");
    assert_eq!(scene.workspace.text("a.txt"), text);
    let done = scene.decide(&proposal, json!({ "reject": ["h2"] })).done();
    assert_eq!(done["state"], "partial");
    assert_eq!(
        scene.workspace.text("a.txt"),
        text.replace("line 3\n", "LINE 3\n").replace("line 37\n", "LINE 37\n")
    );
}

#[test]
fn taking_a_conflict_writes_the_agents_text() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = numbered_lines(40).replace("line 20\n", "mine 20\n").replace("line 10\n", "mine 10\n");
    scene.workspace.put("a.txt", &text);
    let done = scene.decide(&proposal, json!({ "accept": "all", "take": ["h2"] })).done();
    assert_eq!((&done["state"], states(&done)), (&json!("applied"), vec!["accepted"; 3]));
    let expected = text
        .replace("line 3\n", "LINE 3\n")
        .replace("mine 20\n", "LINE 20\n")
        .replace("line 37\n", "LINE 37\n");
    assert_eq!(scene.workspace.text("a.txt"), expected);
}

#[test]
fn accepting_a_hunk_that_changed_since_its_revision_has_no_effect() {
    let (mut scene, proposal) = Scene::three_hunks();
    assert_eq!(states(&scene.fetch(&proposal)), ["pending"; 3]);
    let text = numbered_lines(40).replace("line 20\n", "an hour of work\n");
    scene.workspace.put("a.txt", &text);
    // `reject: "all"` applies to hunks that are not named.
    let decision = json!({ "accept": ["h2"], "reject": "all" });
    let waits = scene.decide_on(&proposal, &json!(1), decision).done();
    assert_eq!((&waits["state"], &waits["revision"]), (&json!("pending"), &json!(2)));
    assert_eq!(states(&waits), ["rejected", "conflicted", "rejected"]);
    assert_eq!(waits["files"][0]["hunks"][1]["oldText"], "an hour of work\n");
    assert!(waits["notice"].as_str().unwrap().contains("h2"), "{waits:#}");
    assert_eq!(scene.workspace.text("a.txt"), text);
    scene.decide(&proposal, json!({ "take": ["h2"] })).done();
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40).replace("line 20\n", "LINE 20\n"));
}

#[test]
fn rejecting_a_changed_hunk_can_be_reversed_only_by_taking_it() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": ["h1"] })).done();
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 3\n", "mine\n"));
    let open = scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    assert_eq!(states(&open), ["conflicted", "pending", "pending"]);
    let taken = scene.decide(&proposal, json!({ "take": ["h1"] })).done();
    assert_eq!(states(&taken), ["accepted", "pending", "pending"]);
    // Accepting again reverses nothing.
    let again = scene.decide(&proposal, json!({ "accept": ["h1", "h2"] })).done();
    assert_eq!(states(&again), ["accepted", "accepted", "pending"]);
}

#[test]
fn taking_an_untouched_hunk_accepts_it() {
    let (mut scene, proposal) = Scene::three_hunks();
    let some = scene.decide(&proposal, json!({ "take": ["h1"] })).done();
    assert_eq!(states(&some), ["accepted", "pending", "pending"]);
    // The hunk is therefore open again when its lines change.
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 3\n", "mine\n"));
    let rest = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(states(&rest), ["conflicted", "accepted", "accepted"]);
}

#[test]
fn an_accepted_hunk_is_open_again_after_a_change_of_its_lines() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 3\n", "mine\n"));
    let rest = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(
        (&rest["state"], states(&rest)),
        (&json!("pending"), vec!["conflicted", "accepted", "accepted"])
    );
    scene.decide(&proposal, json!({ "take": ["h1"] })).done();
    assert!(scene.workspace.text("a.txt").contains("LINE 3\n"));
}

#[test]
fn a_hunk_already_in_the_file_is_not_written_again() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = numbered_lines(40).replace("line 20\n", "LINE 20\n");
    scene.workspace.put("a.txt", &text);
    assert_eq!(states(&scene.fetch(&proposal)), ["pending"; 3]);
    scene.workspace.put("a.txt", text.replace("line 3\n", "LINE 3\n").replace("line 37\n", "LINE 37\n"));
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert!(done.get("transaction").is_none() && scene.agent.history().is_empty(), "{done:#}");
    assert_eq!(scene.outcome(&proposal).done()["state"], "applied");
}

#[test]
fn a_deleted_file_can_be_restored_or_left_deleted() {
    for (decision, there) in
        [(json!({ "take": ["h1", "h2"], "reject": ["h3"] }), true), (json!({ "reject": "all" }), false)]
    {
        let (mut scene, proposal) = Scene::three_hunks();
        std::fs::remove_file(scene.workspace.path("a.txt")).expect("removed");
        assert_eq!(states(&scene.fetch(&proposal)), ["conflicted"; 3]);
        let waits = scene.decide(&proposal, json!({ "accept": "all" })).done();
        assert_eq!(waits["state"], "pending");
        scene.decide(&proposal, decision).done();
        assert_eq!(scene.workspace.has("a.txt"), there);
        if there {
            let expected =
                numbered_lines(40).replace("line 3\n", "LINE 3\n").replace("line 20\n", "LINE 20\n");
            assert_eq!(scene.workspace.text("a.txt"), expected);
        }
    }
}

#[test]
fn a_file_that_became_binary_can_only_be_rejected() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.workspace.put("a.txt", b"\0\x01\x02");
    assert_eq!(states(&scene.fetch(&proposal)), ["conflicted"; 3]);
    scene.decide(&proposal, json!({ "take": ["h1", "h2", "h3"] })).refused("binary");
    // The refused request decided nothing.
    assert_eq!(scene.fetch(&proposal)["revision"], 1);
    assert_eq!(scene.decide(&proposal, json!({ "reject": "all" })).done()["state"], "rejected");
    assert_eq!(scene.workspace.bytes("a.txt"), b"\0\x01\x02");
}

#[test]
fn another_agent_can_write_in_the_meantime() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.editor.read_and_edit("a.txt", "line 1\n", "LINE 1\nLINE 1b\n").done();
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("a.txt").matches("LINE").count(), 5);
    let history = scene.editor.history();
    assert_eq!(history[0]["author"], "alice");
}

#[test]
fn a_conflict_taken_over_one_text_is_open_again_over_a_later_one() {
    let (mut scene, proposal) = Scene::three_hunks();
    let edited = |by: &str| numbered_lines(40).replace("line 20\n", &format!("{by}\n"));
    scene.workspace.put("a.txt", edited("first"));
    let taken = scene.decide(&proposal, json!({ "take": ["h2"] })).done();
    assert_eq!(states(&taken), ["pending", "accepted", "pending"]);
    scene.workspace.put("a.txt", edited("second"));
    let asked = scene.decide(&proposal, json!({ "accept": ["h1", "h3"] })).done();
    assert_eq!((&asked["state"], states(&asked)[1]), (&json!("pending"), "conflicted"));
    assert_eq!(scene.workspace.text("a.txt"), edited("second"));
    scene.decide(&proposal, json!({ "take": ["h2"] })).done();
    assert!(scene.workspace.text("a.txt").contains("\nLINE 20\n"));
}
