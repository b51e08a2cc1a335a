//! Decisions hunk by hunk. Accepted hunks are applied together.

use serde_json::{Value, json};

use crate::support::{Outcome, numbered_lines};

use super::scene::{Scene, hunk_ids, states};

fn capitals(numbers: &[usize]) -> String {
    let line = |number: usize| {
        let word = if numbers.contains(&number) { "LINE" } else { "line" };
        format!("{word} {number}\n")
    };
    (1..=40).map(line).collect()
}

#[test]
fn nothing_is_applied_before_all_hunks_are_decided() {
    let (mut scene, proposal) = Scene::three_hunks();
    assert_eq!(hunk_ids(&proposal), ["h1", "h2", "h3"]);
    assert_eq!(states(&proposal), ["pending"; 3]);
    assert!(
        proposal["files"][0].get("hash").is_none() && proposal.get("transaction").is_none(),
        "{proposal:#}"
    );
    let some = scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    assert_eq!((&some["state"], &some["revision"]), (&json!("pending"), &json!(2)));
    assert_eq!(states(&some), ["accepted", "pending", "pending"]);
    let more = scene.decide(&proposal, json!({ "reject": ["h2"] })).done();
    assert_eq!(states(&more), ["accepted", "rejected", "pending"]);
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
    let done = scene.decide(&proposal, json!({ "accept": ["h3"] })).done();
    assert_eq!((&done["state"], &done["revision"]), (&json!("partial"), &json!(4)));
    assert_eq!(states(&done), ["accepted", "rejected", "accepted"]);
    assert_eq!(scene.workspace.text("a.txt"), capitals(&[3, 37]));
    assert_eq!(done["files"][0]["hash"], scene.workspace.hash("a.txt"));
    // There is one transaction, by the agent.
    let history = scene.agent.history();
    assert_eq!((history.len(), &history[0]["author"]), (1, &json!("alice")));
    assert_eq!(history[0]["transaction"], done["transaction"]);
}

#[test]
fn all_hunks_are_accepted_with_one_request() {
    let (mut scene, proposal) = Scene::three_hunks();
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("a.txt"), capitals(&[3, 20, 37]));
    let outcome = scene.outcome(&proposal).done();
    assert_eq!((&outcome["state"], &outcome["transaction"]), (&json!("applied"), &done["transaction"]));
    assert_eq!(outcome["files"][0]["hash"], scene.workspace.hash("a.txt"));
    assert!(outcome["files"][0]["snippet"].as_str().unwrap().contains("LINE 3"), "{outcome:#}");
    // Another request returns the same outcome.
    assert_eq!(scene.outcome(&proposal).done(), outcome);
    assert_eq!(scene.agent.history().len(), 1);
}

#[test]
fn all_applies_to_hunks_that_are_not_named() {
    let (mut scene, proposal) = Scene::three_hunks();
    let done = scene.decide(&proposal, json!({ "accept": "all", "reject": ["h2"] })).done();
    assert_eq!(states(&done), ["accepted", "rejected", "accepted"]);
    assert_eq!(scene.workspace.text("a.txt"), capitals(&[3, 37]));
}

#[test]
fn rejecting_all_hunks_applies_an_accepted_one_only_if_told_so() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": ["h2"] })).done();
    let refused = scene.decide(&proposal, json!({ "reject": "all" }));
    let refused = refused.refused("earlier_decision");
    assert_eq!(refused["hunks"], json!(["h2"]), "{refused:#}");
    assert_eq!(states(&scene.fetch(&proposal)), ["pending", "accepted", "pending"]);
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
    // Hunks that are named are decided differently.
    let named = scene.decide(&proposal, json!({ "reject": ["h1", "h2"] })).done();
    assert_eq!(states(&named), ["rejected", "rejected", "pending"]);
    scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    let done = scene.decide(&proposal, json!({ "reject": "all", "keepEarlier": true })).done();
    assert_eq!(states(&done), ["accepted", "rejected", "rejected"]);
    assert_eq!(scene.workspace.text("a.txt"), capitals(&[3]));
}

#[test]
fn accepting_all_hunks_leaves_a_rejected_one_rejected() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "reject": ["h2"] })).done();
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(
        (&done["state"], states(&done)),
        (&json!("partial"), vec!["accepted", "rejected", "accepted"])
    );
}

#[test]
fn rejecting_everything_changes_nothing_and_reports_the_comments() {
    let (mut scene, proposal) = Scene::three_hunks();
    let wait = json!({ "id": proposal["id"], "waitMs": 20_000 });
    let waiting = scene.agent.send("editd/apply", wait);
    let comment =
        json!([{ "text": "Too loud.\nKeep it down." }, { "hunk": "h2", "text": "least of all this" }]);
    let done = scene.decide(&proposal, json!({ "reject": "all", "comment": comment })).done();
    assert_eq!((&done["state"], states(&done)), (&json!("rejected"), vec!["rejected"; 3]));
    // The waiting request is answered. A later one is refused.
    let answer = scene.agent.answer(waiting).done();
    assert_eq!(answer["state"], "rejected");
    assert_eq!(answer["comments"][1], json!({ "hunk": "h2", "text": "least of all this" }));
    let error = scene.outcome(&proposal).fails(-32803);
    assert!(error.message.contains("Too loud") && error.kind() == "rejected", "{error:?}");
    assert_eq!(error.data["comments"][0], "Too loud.\nKeep it down.");
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
    assert!(scene.agent.history().is_empty());
}

#[test]
fn decisions_can_change_while_a_hunk_is_undecided() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": ["h1", "h2"] })).done();
    let again = scene.decide(&proposal, json!({ "reject": ["h1"] })).done();
    assert_eq!(states(&again), ["rejected", "accepted", "pending"]);
    scene.decide(&proposal, json!({ "reject": ["h3"] })).done();
    assert_eq!(scene.workspace.text("a.txt"), capitals(&[20]));
}

#[test]
fn a_comment_alone_leaves_the_proposal_pending() {
    let (mut scene, proposal) = Scene::three_hunks();
    let path = scene.workspace.absolute("a.txt");
    let said = scene.decide(&proposal, json!({ "comment": [{ "path": path, "text": "hm" }] })).done();
    assert_eq!(
        (&said["state"], &said["comments"]),
        (&json!("pending"), &json!([{ "path": path, "text": "hm" }]))
    );
    scene.decide(&proposal, json!({ "comment": "really?" })).done();
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    let told = scene.outcome(&proposal).done();
    assert_eq!(told["comments"], json!([{ "path": path, "text": "hm" }, { "text": "really?" }]));
}

#[test]
fn the_outcome_becomes_the_agents_base() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": "all" })).done();
    // The agent has not received the outcome yet, so its base is stale.
    let write = json!({ "kind": "write", "path": "a.txt", "content": "all new\n" });
    scene.agent.change(write.clone()).refused("stale");
    let told = scene.outcome(&proposal).done();
    assert_eq!(told["files"][0]["hash"], scene.workspace.hash("a.txt"));
    assert_eq!(scene.agent.change(write).done()["state"], "pending");
}

#[test]
fn reading_the_proposal_returns_the_outcome_too() {
    let (mut scene, proposal) = Scene::three_hunks();
    scene.decide(&proposal, json!({ "accept": ["h1"], "reject": "all" })).done();
    let told = scene.agent.call("editd/proposal", json!({ "id": proposal["id"], "waitMs": 1000 })).done();
    assert_eq!(
        (&told["state"], states(&told)),
        (&json!("partial"), vec!["accepted", "rejected", "rejected"])
    );
    assert_eq!(told["files"][0]["hash"], scene.workspace.hash("a.txt"));
    let next = scene.agent.edit("a.txt", "LINE 3\n", "Line 3\n").done();
    assert_eq!(next["state"], "pending");
}

#[test]
fn a_proposal_that_was_not_applied_can_be_decided_too() {
    let mut scene = Scene::new(&[("a.txt", "one\ntwo\n")]);
    scene.agent.read("a.txt");
    let proposal = scene.agent.propose("a.txt", "one", "1").done();
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("a.txt"), "1\ntwo\n");
    assert_eq!(scene.outcome(&proposal).done()["transaction"], done["transaction"]);
}

#[test]
fn hunks_include_their_texts_for_the_reviewer() {
    let (mut scene, proposal) = Scene::three_hunks();
    let seen = scene.fetch(&proposal);
    let hunk = |at: usize| seen["files"][0]["hunks"][at].clone();
    assert_eq!(
        (hunk(1)["oldText"].clone(), hunk(1)["newText"].clone()),
        (json!("line 20\n"), json!("LINE 20\n"))
    );
    assert_eq!(hunk(1)["oldStart"], 20);
    assert_eq!(seen["files"][0]["hashBefore"], scene.workspace.hash("a.txt"));
    let own: Value = scene.agent.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    assert!(own["files"][0]["hunks"][0].get("oldText").is_none());
}
