//! A file that has changed since it was read is not edited, and the refusal shows the change.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, apply_unified, hash_of, numbered_lines};

#[test]
fn the_second_agents_edit_is_stale_and_succeeds_with_the_new_hash() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let (mut first, mut second) =
        (machine.agent_named("first", &workspace), machine.agent_named("second", &workspace));
    first.read("a.txt");
    second.read("a.txt");
    first.edit("a.txt", "line 2\n", "line two\n").done();
    let now = workspace.text("a.txt");
    let error = second.edit("a.txt", "line 8\n", "line eight\n").fails(-32801);
    let data = error.data;
    assert_eq!((&data["kind"], &data["baseKnown"]), (&json!("stale"), &json!(true)));
    assert_eq!(data["currentHash"], hash_of(&now));
    assert_eq!(apply_unified(&numbered_lines(9), data["diff"].as_str().expect("a diff")), now);
    assert_eq!(workspace.text("a.txt"), now);
    let params = json!({
        "path": "a.txt", "oldText": "line 8\n", "newText": "line eight\n", "baseHash": data["currentHash"],
    });
    second.call("editd/edit", params).done();
    assert_eq!(workspace.text("a.txt"), now.replace("line 8\n", "line eight\n"));
}

#[test]
fn a_stale_refusal_does_not_change_the_base() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", "one\ntwo\n");
    for _ in 0..3 {
        agent.edit("a.txt", "one", "1").refused("stale");
    }
    agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
}

#[rstest]
#[case(json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }] }))]
#[case(json!({ "kind": "write", "path": "a.txt", "content": "mine\n" }))]
#[case(json!({ "kind": "delete", "path": "a.txt" }))]
#[case(json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" }))]
fn every_kind_of_change_is_refused(#[case] change: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", "one\ntwo\n");
    let data = agent.change(change).refused("stale");
    assert_eq!(data["currentHash"], hash_of("one\ntwo\n"));
    assert!(data["diff"].as_str().is_some_and(|diff| diff.contains("+two\n")), "{data}");
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
}

#[test]
fn the_hash_is_compared_before_the_text_is_searched() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", "two\n");
    agent.edit("a.txt", "one", "1").refused("stale");
    agent.edit("a.txt", "absent", "1").refused("stale");
}

#[test]
fn the_hash_of_an_older_text_from_this_daemon_is_a_known_base() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let old = agent.read("a.txt")["hash"].clone();
    workspace.put("a.txt", "two\n");
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "two", "newText": "2", "baseHash": old });
    let data = agent.call("editd/edit", params).refused("stale");
    assert_eq!(data["baseKnown"], true);
    assert!(data["diff"].as_str().is_some_and(|diff| diff.contains("-one\n+two\n")), "{data}");
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[rstest]
#[case("reject")]
#[case("rebase")]
fn a_hash_that_was_never_returned_is_an_unknown_base(#[case] way: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let unknown = format!("b3:{}", "0123456789abcdef".repeat(2));
    let params =
        json!({ "path": "a.txt", "oldText": "one", "newText": "1", "baseHash": unknown, "onStale": way });
    let data = agent.call("editd/edit", params).refused("stale");
    assert_eq!((&data["baseKnown"], &data["currentHash"]), (&json!(false), &json!(hash_of("one\n"))));
    assert!(data.get("diff").is_none_or(Value::is_null), "{data}");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_sent_hash_takes_precedence_over_the_last_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "baseHash": hash_of("other\n") });
    agent.call("editd/edit", params).refused("stale");
    assert_eq!(workspace.text("a.txt"), "one\n");
}
