//! The lifecycle of a session, from `initialize` to `exit`.

use editd_protocol::{EDITOR_METHODS, METHODS};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace};

#[rstest]
#[case::one_message_a_line(Framing::Lines)]
#[case::base_protocol(Framing::Headers)]
fn initialize_announces_the_served_methods(#[case] framing: Framing) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = Agent::connect(&machine, framing);
    let result = agent.initialize(workspace.session("alice")).done();
    let editd = &result["capabilities"]["experimental"]["editd"];
    assert_eq!(editd["protocol"], 1);
    assert_eq!(editd["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(editd["methods"], json!(METHODS));
}

#[test]
fn every_announced_method_is_served() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let mut editor = machine.editor(&workspace);
    for method in METHODS {
        agent.call(method, json!({ "no such": 1 })).fails(-32602);
    }
    for method in METHODS.iter().chain(EDITOR_METHODS) {
        editor.call(method, json!({ "no such": 1 })).fails(-32602);
    }
}

#[rstest]
#[case::one_message_a_line(Framing::Lines)]
#[case::base_protocol(Framing::Headers)]
fn a_file_is_read_and_edited_in_either_framing(#[case] framing: Framing) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = Agent::connect(&machine, framing);
    agent.initialize(workspace.session("alice")).done();
    assert_eq!(agent.read("a.txt")["text"], "one\ntwo\n");
    assert_eq!(agent.edit("a.txt", "two", "three").done()["state"], "applied");
    assert_eq!(workspace.text("a.txt"), "one\nthree\n");
}

#[rstest]
#[case("editd/read", json!({ "path": "a.txt" }))]
#[case("editd/status", json!({}))]
#[case("editd/edit", json!({ "path": "a.txt", "oldText": "a", "newText": "b" }))]
#[case("shutdown", Value::Null)]
fn nothing_is_served_before_initialize(#[case] method: &str, #[case] params: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = Agent::connect(&machine, Framing::Lines);
    let error = agent.call(method, params).fails(-32002);
    assert_eq!(error.kind(), "not_initialized");
    assert!(error.data["hint"].as_str().is_some_and(|hint| hint.contains("`initialize`")), "{error:?}");
    agent.initialize(workspace.session("alice")).done();
}

#[test]
fn nothing_is_served_after_shutdown_and_exit_ends_the_connection() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.call("shutdown", Value::Null).done(), Value::Null);
    agent.call("editd/read", json!({ "path": "a.txt" })).fails(-32600);
    agent.call("editd/status", json!({})).fails(-32600);
    agent.notify("exit", Value::Null);
    assert!(agent.wire().until_closed().is_empty());
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "one\n");
}

#[test]
fn a_second_initialize_is_refused_and_grants_nothing() {
    let (machine, inner, other) =
        (Machine::start(), Workspace::file("a.txt", "one\n"), Workspace::file("b.txt", "two\n"));
    let mut agent = machine.agent(&inner);
    let error = agent.call("initialize", other.session("alice")).fails(-32600);
    assert_eq!(error.kind(), "invalid_request");
    assert!(
        error.data["hint"].as_str().is_some_and(|hint| hint.contains("open a new connection")),
        "{error:?}"
    );
    agent.try_read(&other.absolute("b.txt")).refused("outside_workspace");
    assert_eq!(agent.read("a.txt")["text"], "one\n");
}

#[test]
fn missing_capabilities_count_as_none() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut session = workspace.session("alice");
    session.as_object_mut().expect("an object").remove("capabilities");
    let mut agent = machine.agent_with(session);
    assert_eq!(agent.read("a.txt")["text"], "one\n");
}

#[rstest]
#[case::nothing_offered(json!(null), &["utf-16"])]
#[case::nothing_in_the_offer(json!([]), &["utf-16"])]
#[case::only_what_all_have(json!(["utf-16"]), &["utf-16"])]
#[case::bytes(json!(["utf-8"]), &["utf-8"])]
#[case::characters(json!(["utf-32"]), &["utf-32"])]
#[case::one_of_those_offered(json!(["utf-8", "utf-16"]), &["utf-8", "utf-16"])]
#[case::the_unknown_is_passed_over(json!(["utf-7", "utf-8"]), &["utf-8"])]
#[case::only_unknown(json!(["utf-7"]), &["utf-16"])]
fn the_position_encoding_is_negotiated(#[case] offered: Value, #[case] allowed: &[&str]) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut session = workspace.session("alice");
    if !offered.is_null() {
        session["capabilities"] = json!({ "general": { "positionEncodings": offered } });
    }
    let mut agent = Agent::connect(&machine, Framing::Lines);
    let result = agent.initialize(session).done();
    let chosen = result["capabilities"]["positionEncoding"].as_str().unwrap_or("utf-16");
    assert!(allowed.contains(&chosen), "chosen: {chosen}");
}

#[test]
fn requests_sent_together_on_one_file_take_effect_in_their_order() {
    let (machine, workspace) = (Machine::start(), Workspace::file("n.txt", "n = 0\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("n.txt");
    let sent: Vec<u64> = (0..40)
        .map(|n| {
            let (old, new) = (format!("n = {n}\n"), format!("n = {}\n", n + 1));
            agent.send("editd/edit", json!({ "path": "n.txt", "oldText": old, "newText": new }))
        })
        .collect();
    for id in sent {
        agent.answer(id).done();
    }
    assert_eq!(workspace.text("n.txt"), "n = 40\n");
}
