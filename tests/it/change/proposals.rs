//! The lifecycle of a proposal: listed, replaced, discarded, unknown.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace};

fn scene() -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    (machine, workspace, agent)
}

fn listed(agent: &mut Agent, params: Value) -> Vec<(Value, Value)> {
    let list = agent.call("editd/proposals", params).done();
    let proposals = list["proposals"].as_array().unwrap_or_else(|| panic!("no proposals: {list}"));
    proposals.iter().map(|proposal| (proposal["id"].clone(), proposal["state"].clone())).collect()
}

#[test]
fn a_proposal_can_be_read_again() {
    let (_machine, _workspace, mut agent) = scene();
    let proposal = agent.propose("a.txt", "one", "1").done();
    let again = agent.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    for key in ["id", "revision", "state", "label", "workspaceEdit"] {
        assert_eq!(again[key], proposal[key], "{key}");
    }
    assert_eq!(again["files"][0]["diff"], proposal["files"][0]["diff"]);
    assert_eq!(again["files"][0]["hunks"][0]["state"], "pending");
}

#[test]
fn proposals_are_listed_by_state() {
    let (_machine, _workspace, mut agent) = scene();
    assert!(listed(&mut agent, json!({})).is_empty());
    let kept = agent.propose("a.txt", "one", "1").done()["id"].clone();
    let dropped = agent.propose("a.txt", "two", "2").done()["id"].clone();
    agent.call("editd/discard", json!({ "id": dropped, "reason": "a better idea" })).done();
    assert_eq!(listed(&mut agent, json!({ "state": "proposed" })), [(kept.clone(), json!("proposed"))]);
    assert_eq!(listed(&mut agent, json!({ "state": "discarded" })), [(dropped, json!("discarded"))]);
    assert!(listed(&mut agent, json!({})).contains(&(kept, json!("proposed"))));
    assert!(listed(&mut agent, json!({ "state": "rejected" })).is_empty());
}

#[test]
fn lists_are_limited_to_the_sessions_roots() {
    let (machine, _workspace, mut agent) = scene();
    agent.propose("a.txt", "one", "1").done();
    let elsewhere = Workspace::empty();
    assert!(listed(&mut machine.agent(&elsewhere), json!({})).is_empty());
    assert_eq!(listed(&mut agent, json!({})).len(), 1);
}

#[test]
fn a_discarded_proposal_cannot_be_applied() {
    let (_machine, workspace, mut agent) = scene();
    let proposal = agent.propose("a.txt", "one", "1").done();
    agent.call("editd/discard", json!({ "id": proposal["id"] })).done();
    assert_eq!(agent.state_of(&proposal), "discarded");
    agent.apply(&proposal).refused_as_any(&["unknown_proposal", "superseded", "rejected"]);
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
}

#[test]
fn a_proposal_replaces_another() {
    let (_machine, workspace, mut agent) = scene();
    let first = agent.propose("a.txt", "one", "1").done();
    let params = json!({ "path": "a.txt", "oldText": "one", "newText": "eins", "replaces": first["id"] });
    let second = agent.call("editd/propose", params).done();
    assert_ne!(second["id"], first["id"]);
    assert_eq!((agent.state_of(&first), agent.state_of(&second)), ("superseded".into(), "proposed".into()));
    agent.apply(&first).refused("superseded");
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
    agent.apply(&second).done();
    assert_eq!(workspace.text("a.txt"), "eins\ntwo\n");
}

#[test]
fn a_refused_replacement_does_not_affect_the_first_proposal() {
    let (_machine, workspace, mut agent) = scene();
    let first = agent.propose("a.txt", "one", "1").done();
    let params = json!({ "path": "a.txt", "oldText": "absent", "newText": "x", "replaces": first["id"] });
    agent.call("editd/propose", params).refused("not_found");
    assert_eq!(agent.state_of(&first), "proposed");
    agent.apply(&first).done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
}

#[test]
fn an_applied_proposal_can_be_neither_replaced_nor_discarded() {
    let (_machine, workspace, mut agent) = scene();
    let proposal = agent.propose("a.txt", "one", "1").done();
    agent.apply(&proposal).done();
    let params = json!({ "path": "a.txt", "oldText": "two", "newText": "2", "replaces": proposal["id"] });
    assert!(agent.call("editd/propose", params).is_err());
    assert!(agent.call("editd/discard", json!({ "id": proposal["id"] })).is_err());
    assert_eq!(agent.state_of(&proposal), "applied");
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
}

#[rstest]
#[case("editd/apply", json!({ "id": "nobody-made-this" }))]
#[case("editd/discard", json!({ "id": "nobody-made-this" }))]
#[case("editd/proposal", json!({ "id": "nobody-made-this" }))]
#[case(
    "editd/propose",
    json!({ "path": "a.txt", "oldText": "one", "newText": "1", "replaces": "nobody-made-this" }),
)]
fn a_nonexistent_proposal_is_unknown(#[case] method: &str, #[case] params: Value) {
    let (_machine, _workspace, mut agent) = scene();
    agent.call(method, params).refused("unknown_proposal");
}

#[test]
fn a_proposal_outlives_the_connection_that_made_it() {
    let (machine, workspace, mut agent) = scene();
    let proposal = agent.propose("a.txt", "one", "1").done();
    drop(agent);
    machine.agent(&workspace).apply(&proposal).done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
}
