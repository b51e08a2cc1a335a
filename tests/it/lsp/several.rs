//! Decisions about several changes at once, in an editor without the editd plugin.

use rstest::rstest;
use serde_json::{Value, json};

use super::review::{TEXT, scene};

#[rstest]
#[case("accept all 2 changes in this file", "2", "11", "b\n")]
#[case("accept all 3 changes in 2 files", "2", "11", "B\n")]
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
