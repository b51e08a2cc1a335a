//! Decisions about several changes at once, in an editor without the editd plugin.

use rstest::rstest;
use serde_json::{Value, json};

use super::review::{TEXT, scene};
use crate::support::Outcome;

#[rstest]
#[case("accept all 2 changes in this file", "2", "11", "b\n")]
#[case("accept all 3 changes in 2 files: this one and b.txt (alice: Digits)", "2", "11", "B\n")]
#[case("reject all 3 changes in 2 files", "two", "eleven", "b\n")]
fn many_hunks_are_decided_at_once(
    #[case] title: &str,
    #[case] two: &str,
    #[case] eleven: &str,
    #[case] b: &str,
) {
    let scene = scene(json!({}));
    let (mut agent, pending) = scene.propose();
    scene.choose_at(5, title);
    if agent.state_of(&pending) == "pending" {
        let argument = json!({ "id": pending["id"], "revision": 2, "keepEarlier": true });
        let command = json!({ "command": "editd.rejectAll", "arguments": [argument] });
        assert_eq!(scene.run(&command)["error"], Value::Null);
    }
    assert_eq!(scene.editor.text(&scene.uri), TEXT.replace("two", two).replace("eleven", eleven));
    assert_eq!(scene.workspace.text("b.txt"), b);
}

#[test]
fn accepting_a_proposal_names_the_files_that_the_user_does_not_see() {
    let scene = scene(json!({}));
    let mut agent = scene.machine.agent(&scene.workspace);
    agent.read("a.txt");
    let create = |name: &str| json!({ "kind": "write", "path": name, "content": "new\n" });
    let edit = json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "two", "newText": "2" }] });
    let names = ["src/one.rs", "src/two.rs", "tests/one.rs", "tests/two.rs", "x\u{1b}[2J\u{202e}\n.rs"];
    let changes = [vec![edit], names.map(create).to_vec()].concat();
    let pending = agent.changes(changes).done();
    let listed = "6 files: this one, src/one.rs, src/two.rs, tests/one.rs and 2 more";
    scene.choose_at(5, &format!("accept all 6 changes in {listed} (alice)"));
    assert_eq!(agent.state_of(&pending), "applied");
    assert!(names.iter().all(|name| scene.workspace.has(name)));
}

#[test]
fn accepting_a_proposal_names_other_files_and_counts_what_was_rejected() {
    let scene = scene(json!({}));
    let (mut agent, pending) = scene.propose();
    scene.choose_at(1, "reject this change");
    scene.choose_at(5, "accept 2 other changes in 2 files: this one and b.txt; 1 is not applied (alice");
    assert_eq!(agent.state_of(&pending), "partial");
    assert_eq!(scene.editor.text(&scene.uri), TEXT.replace("eleven", "11"));
    assert_eq!(scene.workspace.text("b.txt"), "B\n");
}

#[rstest]
#[case("reject 2 other changes in 2 files; 1 is applied", "2", "partial")]
#[case("reject 2 other changes in 2 files, and 1 accepted before", "two", "rejected")]
fn rejecting_all_names_a_change_that_was_accepted(
    #[case] title: &str,
    #[case] two: &str,
    #[case] state: &str,
) {
    let scene = scene(json!({}));
    let (mut agent, pending) = scene.propose();
    scene.choose_at(1, "accept this change");
    // A command that names nothing is refused.
    let command =
        json!({ "command": "editd.rejectAll", "arguments": [{ "id": pending["id"], "revision": 2 }] });
    assert_eq!(scene.run(&command)["error"]["data"]["kind"], "earlier_decision");
    assert_eq!(agent.state_of(&pending), "pending");
    scene.choose_at(5, title);
    assert_eq!(agent.state_of(&pending), state);
    assert_eq!(scene.editor.text(&scene.uri), TEXT.replace("two", two));
    assert_eq!(scene.workspace.text("b.txt"), "b\n");
}
