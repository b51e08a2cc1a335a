//! A repeated request is executed once.

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

fn request(id: &str) -> Value {
    json!({ "path": "a.txt", "oldText": "a", "newText": "ab", "requestId": id })
}

#[test]
fn a_repeated_request_returns_the_first_answer_and_does_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let first = agent.call("editd/edit", request("r1")).done();
    let second = agent.call("editd/edit", request("r1")).done();
    assert_eq!(second, first);
    assert_eq!(workspace.text("a.txt"), "ab\n");
    agent.call("editd/edit", request("r2")).done();
    assert_eq!(workspace.text("a.txt"), "abb\n");
}

#[test]
fn a_repeated_proposal_returns_the_first_one() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let first = agent.call("editd/propose", request("r1")).done();
    assert_eq!(agent.call("editd/propose", request("r1")).done()["id"], first["id"]);
    let all = agent.call("editd/proposals", json!({})).done();
    assert_eq!(all["proposals"].as_array().map(Vec::len), Some(1), "{all}");
}

#[test]
fn a_request_can_be_repeated_on_another_connection_of_the_author() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let first = agent.call("editd/edit", request("r1")).done();
    drop(agent);
    let mut again = machine.agent(&workspace);
    again.read("a.txt");
    assert_eq!(again.call("editd/edit", request("r1")).done()["id"], first["id"]);
    assert_eq!(workspace.text("a.txt"), "ab\n");
}

#[test]
fn the_same_id_from_another_author_is_another_request() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    for name in ["alice", "bob"] {
        let mut agent = machine.agent_named(name, &workspace);
        agent.read("a.txt");
        agent.call("editd/edit", request("r1")).done();
    }
    assert_eq!(workspace.text("a.txt"), "abb\n");
}

#[test]
fn a_refusal_is_not_stored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/edit", request("r1")).refused("unread");
    agent.read("a.txt");
    agent.call("editd/edit", request("r1")).done();
    assert_eq!(workspace.text("a.txt"), "ab\n");
}

#[test]
fn two_concurrent_copies_are_executed_once() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let sent: Vec<u64> = (0..10).map(|_| agent.send("editd/edit", request("r1"))).collect();
    let ids: Vec<Value> = sent.into_iter().map(|id| agent.answer(id).done()["id"].clone()).collect();
    assert!(ids.iter().all(|id| id == &ids[0]), "{ids:?}");
    assert_eq!(workspace.text("a.txt"), "ab\n");
}

#[test]
fn another_request_under_a_used_id_is_refused_with_a_reason() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\nb\n"), ("b.txt", "a\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    let first = agent.call("editd/edit", request("r1")).done();
    for (method, name, value) in [
        ("editd/edit", "newText", json!("c")),
        ("editd/edit", "path", json!("b.txt")),
        ("editd/edit", "onStale", json!("rebase")),
        ("editd/edit", "review", json!(true)),
        ("editd/propose", "label", Value::Null),
    ] {
        let mut other = request("r1");
        other[name] = value;
        let data = agent.call(method, other).refused("not_permitted");
        assert_eq!(data["requestId"], "r1", "{data}");
        assert!(data["hint"].as_str().is_some_and(|hint| hint.contains("new `requestId`")), "{data}");
    }
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("ab\nb\n".to_owned(), "a\n".to_owned()));
    assert_eq!(agent.call("editd/edit", request("r1")).done(), first);
}

#[test]
fn another_timeout_or_spelling_does_not_make_it_another_request() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let first = agent.call("editd/edit", request("r1")).done();
    let again = json!({ "file_path": "a.txt", "old_string": "a", "new_string": "ab", "request_id": "r1", "waitMs": 1 });
    assert_eq!(agent.call("editd/edit", again).done(), first);
}

#[test]
fn a_repeated_answer_is_not_returned_to_a_session_with_another_root() {
    let machine = Machine::start();
    let (ours, theirs) = (Workspace::file("a.txt", "a\n"), Workspace::file("a.txt", "a\n"));
    let (mut one, mut other) = (machine.agent(&ours), machine.agent(&theirs));
    one.read("a.txt");
    other.read("a.txt");
    one.call("editd/edit", request("1")).done();
    let data = other.call("editd/edit", request("1")).refused("not_permitted");
    assert!(!data.to_string().contains(&ours.path("a.txt").display().to_string()), "{data}");
    assert_eq!(theirs.text("a.txt"), "a\n");
    other.call("editd/edit", request("2")).done();
    assert_eq!(theirs.text("a.txt"), "ab\n");
}
