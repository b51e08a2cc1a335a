//! Waiting for decisions, and notifications about them.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Outcome, numbered_lines};

use super::scene::{Scene, reviewer, states};

#[test]
fn a_waiting_edit_is_answered_by_the_decision() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    scene.agent.read("a.txt");
    let edit = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "waitMs": 25_000 });
    let request = scene.agent.send("editd/edit", edit);
    let news = scene.editor.call("editd/proposals", json!({ "state": "pending" }));
    let mut list = news.done();
    while list["proposals"].as_array().unwrap().is_empty() {
        list = scene.editor.call("editd/proposals", json!({ "state": "pending" })).done();
    }
    let proposal = list["proposals"][0].clone();
    assert_eq!((&proposal["author"], &proposal["revision"]), (&json!("alice"), &json!(1)));
    scene.decide(&proposal, json!({ "accept": "all", "comment": "fine" })).done();
    let answer = scene.agent.answer(request).done();
    assert_eq!((&answer["state"], &answer["comments"]), (&json!("applied"), &json!([{ "text": "fine" }])));
    assert_eq!(answer["files"][0]["hash"], scene.workspace.hash("a.txt"));
    // The answer makes the current file the agent's base.
    assert_eq!(scene.agent.edit("a.txt", "1", "2").done()["state"], "pending");
}

#[test]
fn a_wait_times_out_and_does_not_lock_the_file() {
    let (mut scene, proposal) = Scene::three_hunks();
    let begun = Instant::now();
    let wait = json!({ "id": proposal["id"], "waitMs": 300 });
    let waiting = scene.agent.send("editd/proposal", wait.clone());
    // Others can use the file in the meantime.
    scene.agent.read("a.txt");
    scene.editor.read_and_edit("a.txt", "line 10\n", "line ten\n").done();
    let answer = scene.agent.answer(waiting).done();
    assert!(answer["state"] == "pending" && begun.elapsed() >= Duration::from_millis(300), "{answer:#}");
    let answer = scene.agent.call("editd/apply", wait).done();
    assert_eq!(answer["state"], "pending");
}

#[test]
fn many_requests_can_wait_at_a_time() {
    let (mut scene, proposal) = Scene::three_hunks();
    let wait = json!({ "id": proposal["id"], "waitMs": 25_000 });
    let requests: Vec<_> = (0..40).map(|_| scene.agent.send("editd/apply", wait.clone())).collect();
    let mut other = scene.machine.agent_named("bob", &scene.workspace);
    other.read("a.txt");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    for request in requests {
        assert_eq!(scene.agent.answer(request).done()["state"], "applied");
    }
}

#[test]
fn a_cancelled_wait_changes_nothing() {
    let (mut scene, proposal) = Scene::three_hunks();
    let wait = json!({ "id": proposal["id"], "waitMs": 25_000 });
    let request = scene.agent.send("editd/apply", wait);
    scene.agent.notify("$/cancelRequest", json!({ "id": request }));
    assert!(scene.agent.answer(request).is_err());
    assert_eq!(scene.agent.state_of(&proposal), "pending");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(scene.outcome(&proposal).done()["state"], "applied");
}

#[test]
fn a_daemon_that_exits_answers_waiting_requests() {
    let (mut scene, proposal) = Scene::three_hunks();
    let request = scene.agent.send("editd/apply", json!({ "id": proposal["id"], "waitMs": 25_000 }));
    scene.agent.read("a.txt");
    let begun = Instant::now();
    scene.machine.terminate();
    let answer = scene.agent.answer_or_end(request).expect("an answer before the end").done();
    assert_eq!(answer["state"], "pending");
    scene.machine.until_ended();
    assert!(begun.elapsed() < Duration::from_secs(8));
}

#[test]
fn editors_and_authors_are_notified_of_every_change() {
    let (mut scene, proposal) = Scene::three_hunks();
    let mut second = reviewer(&scene.machine, &scene.workspace);
    assert_eq!(
        scene.editor.proposal_notification(&proposal),
        json!({ "id": proposal["id"], "revision": 1, "state": "pending" })
    );
    scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    let revised = json!({ "id": proposal["id"], "revision": 2, "state": "pending" });
    assert_eq!(second.proposal_notification(&proposal), revised);
    assert_eq!(scene.agent.proposal_notification(&proposal), revised);
    scene.decide(&proposal, json!({ "reject": "all", "keepEarlier": true })).done();
    let closed = json!({ "id": proposal["id"], "revision": 3, "state": "partial" });
    assert_eq!(second.proposal_notification(&proposal), closed);
    assert_eq!(scene.agent.proposal_notification(&proposal), closed);
    // The deciding editor receives the result in its answer instead.
    assert!(scene.editor.told_so_far().is_empty());
}

#[test]
fn an_author_can_discard_or_replace_a_pending_proposal() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.editor.proposal_notification(&proposal);
    let edit =
        json!({ "path": "a.txt", "oldText": "line 5\n", "newText": "LINE 5\n", "replaces": proposal["id"] });
    let next = scene.agent.call("editd/edit", edit).done();
    assert_eq!(next["state"], "pending");
    assert_eq!(scene.editor.proposal_notification(&proposal)["state"], "superseded");
    let all = json!({ "accept": "all" });
    let refused = scene.decide_on(&proposal, &json!(1), all.clone()).refused("superseded");
    assert_eq!(refused["proposal"], next["id"]);
    scene.editor.proposal_notification(&next);
    let gone = scene.agent.call("editd/discard", json!({ "id": next["id"], "reason": "never mind" })).done();
    assert_eq!(gone["state"], "discarded");
    assert_eq!(scene.editor.proposal_notification(&next)["state"], "discarded");
    scene.decide_on(&next, &json!(1), all).refused("superseded");
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
}

#[test]
fn waiting_for_a_discarded_proposal_is_answered() {
    let (mut scene, proposal) = Scene::three_hunks();
    let wait = json!({ "id": proposal["id"], "waitMs": 25_000 });
    let request = scene.agent.send("editd/apply", wait);
    // Requests are accepted in order, so the first one waits when this one is answered.
    scene.agent.call("editd/status", json!({})).done();
    let mut other = scene.machine.agent(&scene.workspace);
    other.call("editd/discard", json!({ "id": proposal["id"], "reason": "never mind" })).done();
    let answer = scene.agent.answer(request).done();
    assert_eq!((&answer["state"], &answer["reason"]), (&json!("discarded"), &json!("never mind")));
    assert_eq!(states(&answer), ["rejected"; 3]);
}

#[test]
fn an_outdated_revision_of_a_pending_proposal_is_refused() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    scene.agent.read("a.txt");
    let first = scene.agent.edit("a.txt", "one", "1").done();
    let apply = |revision: u64| json!({ "id": first["id"], "revision": revision });
    let data = scene.agent.call("editd/apply", apply(7)).refused("superseded");
    assert_eq!(data["currentRevision"], first["revision"]);
    assert_eq!(scene.agent.call("editd/apply", apply(1)).done()["state"], "pending");
    scene.decide(&first, json!({ "accept": "all" })).done();
    // A client that missed the decision receives the outcome.
    assert_eq!(scene.agent.call("editd/apply", apply(1)).done()["state"], "applied");
}

#[test]
fn a_repeated_request_waits_for_the_same_decision() {
    let mut scene = Scene::new(&[("a.txt", "one\n")]);
    scene.agent.read("a.txt");
    let edit = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "requestId": "r1" });
    let first = scene.agent.call("editd/edit", edit.clone()).done();
    assert_eq!(scene.agent.call("editd/edit", edit.clone()).done(), first);
    let mut waiting = edit.clone();
    waiting["waitMs"] = json!(25_000);
    let request = scene.agent.send("editd/edit", waiting);
    scene.decide(&first, json!({ "accept": "all" })).done();
    let outcome = scene.agent.answer(request).done();
    assert_eq!((&outcome["state"], &outcome["id"]), (&json!("applied"), &first["id"]));
    assert_eq!(scene.agent.call("editd/edit", edit).done(), outcome);
    let list = scene.agent.call("editd/proposals", json!({})).done();
    assert_eq!(list["proposals"].as_array().unwrap().len(), 1);
    assert_eq!(scene.agent.history().len(), 1);
}

#[test]
fn editing_the_text_of_a_pending_change_is_a_dependency() {
    let (mut scene, proposal) = Scene::three_hunks();
    let refused = scene.agent.edit("a.txt", "LINE 20\n", "Line 20\n").refused("dependency");
    assert_eq!(refused["proposal"], proposal["id"]);
    // The proposal is invisible to another author.
    let mut other = scene.machine.agent_named("bob", &scene.workspace);
    other.read_and_edit("a.txt", "LINE 20\n", "Line 20\n").refused("not_found");
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    scene.outcome(&proposal).done();
    assert_eq!(scene.agent.edit("a.txt", "LINE 20\n", "Line 20\n").done()["state"], "pending");
}
