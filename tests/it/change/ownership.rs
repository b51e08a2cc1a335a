//! A proposal belongs to the author name of its session.

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

#[rstest]
#[case("editd/apply")]
#[case("editd/discard")]
fn another_authors_proposal_can_be_neither_applied_nor_discarded(#[case] method: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    alice.read("a.txt");
    bob.read("a.txt");
    let proposal = alice.propose("a.txt", "one", "1").done();
    bob.call(method, json!({ "id": proposal["id"] })).refused_as_any(&["not_permitted", "unknown_proposal"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert_eq!(alice.state_of(&proposal), "proposed");
}

#[test]
fn another_authors_proposal_cannot_be_replaced() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    alice.read("a.txt");
    bob.read("a.txt");
    let proposal = alice.propose("a.txt", "one", "1").done();
    let params = json!({ "path": "a.txt", "oldText": "one", "newText": "uno", "replaces": proposal["id"] });
    bob.call("editd/propose", params).refused_as_any(&["not_permitted", "unknown_proposal"]);
    assert_eq!(alice.state_of(&proposal), "proposed");
}

#[test]
fn another_connection_of_the_same_author_may_apply_and_discard() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let (mut first, mut second) =
        (machine.agent_named("alice", &workspace), machine.agent_named("alice", &workspace));
    first.read("a.txt");
    let (one, two) = (first.propose("a.txt", "one", "1").done(), first.propose("a.txt", "two", "2").done());
    second.call("editd/discard", json!({ "id": two["id"] })).done();
    second.apply(&one).done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
    assert_eq!((first.state_of(&one), first.state_of(&two)), ("applied".into(), "discarded".into()));
}
