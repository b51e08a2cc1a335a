//! The file changes while a person thinks.

use serde_json::json;

use crate::support::{Outcome, numbered_lines};

use super::scene::{Scene, states};

#[test]
fn hunks_nobody_touched_move_along() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = format!("new 1\nnew 2\n{}", numbered_lines(40)).replace("line 30\n", "");
    scene.workspace.put("a.txt", &text);
    let seen = scene.seen(&proposal);
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
    // What else is new there the agent has not seen.
    let outcome = scene.outcome(&proposal).done();
    assert_eq!(outcome["files"][0]["rebased"], true);
    let write = json!({ "kind": "write", "path": "a.txt", "content": "x" });
    scene.agent.change(write).refused("unread");
}

#[test]
fn a_touched_hunk_is_in_conflict_alone() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = numbered_lines(40).replace("line 20\n", "mine 20\n");
    scene.workspace.put("a.txt", &text);
    let seen = scene.seen(&proposal);
    assert_eq!(states(&seen), ["pending", "conflicted", "pending"]);
    let hunk = &seen["files"][0]["hunks"][1];
    assert_eq!((&hunk["oldText"], &hunk["newText"]), (&json!("mine 20\n"), &json!("LINE 20\n")));
    assert!(seen["notice"].as_str().unwrap().contains("h2"), "{seen:#}");
    // To accept all is not to decide about a conflict.
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
fn a_conflict_that_is_taken_takes_the_agents_text() {
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
fn a_yes_to_what_has_changed_since_it_was_looked_at_is_none() {
    let (mut scene, proposal) = Scene::three_hunks();
    assert_eq!(states(&scene.seen(&proposal)), ["pending"; 3]);
    let text = numbered_lines(40).replace("line 20\n", "an hour of work\n");
    scene.workspace.put("a.txt", &text);
    // `reject: "all"` is about those that are not named.
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
fn a_no_to_what_has_changed_since_can_be_taken_back_only_by_taking() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": ["h1"] })).done();
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 3\n", "mine\n"));
    let open = scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    assert_eq!(states(&open), ["conflicted", "pending", "pending"]);
    let taken = scene.decide(&proposal, json!({ "take": ["h1"] })).done();
    assert_eq!(states(&taken), ["accepted", "pending", "pending"]);
    // To say yes again takes nothing back.
    let again = scene.decide(&proposal, json!({ "accept": ["h1", "h2"] })).done();
    assert_eq!(states(&again), ["accepted", "accepted", "pending"]);
}

#[test]
fn to_take_what_nobody_touched_is_to_accept_it() {
    let (mut scene, proposal) = Scene::three_hunks();
    let some = scene.decide(&proposal, json!({ "take": ["h1"] })).done();
    assert_eq!(states(&some), ["accepted", "pending", "pending"]);
    // So it is open again when its place is touched.
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 3\n", "mine\n"));
    let rest = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(states(&rest), ["conflicted", "accepted", "accepted"]);
}

#[test]
fn what_was_accepted_before_it_was_touched_is_asked_again() {
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
fn what_is_there_already_is_not_written_again() {
    let (mut scene, proposal) = Scene::three_hunks();
    let text = numbered_lines(40).replace("line 20\n", "LINE 20\n");
    scene.workspace.put("a.txt", &text);
    assert_eq!(states(&scene.seen(&proposal)), ["pending"; 3]);
    scene.workspace.put("a.txt", text.replace("line 3\n", "LINE 3\n").replace("line 37\n", "LINE 37\n"));
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert!(done.get("transaction").is_none() && scene.agent.history().is_empty(), "{done:#}");
    assert_eq!(scene.outcome(&proposal).done()["state"], "applied");
}

#[test]
fn a_file_that_is_gone_can_be_got_back_or_left() {
    for (decision, there) in
        [(json!({ "take": ["h1", "h2"], "reject": ["h3"] }), true), (json!({ "reject": "all" }), false)]
    {
        let (mut scene, proposal) = Scene::three_hunks();
        std::fs::remove_file(scene.workspace.path("a.txt")).expect("removed");
        assert_eq!(states(&scene.seen(&proposal)), ["conflicted"; 3]);
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
fn what_is_no_text_any_more_can_only_be_left() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.workspace.put("a.txt", b"\0\x01\x02");
    assert_eq!(states(&scene.seen(&proposal)), ["conflicted"; 3]);
    scene.decide(&proposal, json!({ "take": ["h1", "h2", "h3"] })).refused("binary");
    // Nothing was decided by that.
    assert_eq!(scene.seen(&proposal)["revision"], 1);
    assert_eq!(scene.decide(&proposal, json!({ "reject": "all" })).done()["state"], "rejected");
    assert_eq!(scene.workspace.bytes("a.txt"), b"\0\x01\x02");
}

#[test]
fn another_agent_may_write_meanwhile() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.editor.read_and_edit("a.txt", "line 1\n", "LINE 1\nLINE 1b\n").done();
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("a.txt").matches("LINE").count(), 5);
    let history = scene.editor.history();
    assert_eq!(history[0]["author"], "alice");
}

#[test]
fn what_was_taken_over_one_text_is_not_taken_over_a_later_one() {
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
