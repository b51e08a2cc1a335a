//! Tests of `$/cancelRequest`.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, numbered_lines};

const CANCELLED: i64 = -32800;

#[test]
fn a_cancelled_request_gets_one_answer() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(60_000)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for _ in 0..3 {
        let old = "line 777 is not here\nline 778 neither\nline 779 is not\nline 780 is not\n";
        let id = agent.send("editd/edit", json!({ "path": "a.txt", "oldText": old, "newText": "x\n" }));
        agent.notify("$/cancelRequest", json!({ "id": id }));
        let error = agent.answer(id).expect_err("cancelled, or not found in the meantime");
        assert!(error.code == CANCELLED || error.kind() == "not_found", "{error:?}");
    }
    agent.told_so_far();
}

#[test]
fn a_cancelled_edit_is_applied_completely_or_not_at_all() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "n = 0\n"));
    let mut agent = machine.agent(&workspace);
    let mut present = 0;
    for _ in 0..40 {
        agent.read("a.txt");
        let (old, new) = (format!("n = {present}\n"), format!("n = {}\n", present + 1));
        let id = agent.send("editd/edit", json!({ "path": "a.txt", "oldText": old, "newText": new }));
        agent.notify("$/cancelRequest", json!({ "id": id }));
        let answer = agent.answer(id);
        let text = agent.read("a.txt")["text"].as_str().expect("a text").to_owned();
        match answer {
            Ok(_) => assert_eq!(text, new, "an acknowledged edit is there"),
            Err(error) => assert_eq!(error.code, CANCELLED, "{error:?}"),
        }
        assert!(text == old || text == new, "{text}");
        present = if text == new { present + 1 } else { present };
    }
}

#[rstest]
#[case::unknown(json!({ "id": 4_711 }))]
#[case::a_text(json!({ "id": "nobody" }))]
#[case::no_id(json!({}))]
#[case::an_object(json!({ "id": {} }))]
#[case::nothing(Value::Null)]
fn a_cancellation_without_a_request_is_ignored(#[case] params: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.notify("$/cancelRequest", params);
    agent.read("a.txt");
}

#[test]
fn one_client_cannot_cancel_anothers_request() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "n = 0\n"));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    alice.read("a.txt");
    for round in 0..20 {
        let (old, new) = (format!("n = {round}\n"), format!("n = {}\n", round + 1));
        let id = alice.send("editd/edit", json!({ "path": "a.txt", "oldText": old, "newText": new }));
        bob.notify("$/cancelRequest", json!({ "id": id }));
        alice.answer(id).done();
    }
}
