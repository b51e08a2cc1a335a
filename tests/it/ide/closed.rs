//! Diffs that Claude Code closes, because the person has answered in its prompt.

use std::time::Duration;

use serde_json::json;

use super::claude::{Scene, rejected};
use super::server::tab;
use crate::support::Outcome;

#[test]
fn a_diff_that_claude_code_closes_is_withdrawn() {
    let mut scene = Scene::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let diff = scene.open("a.txt", "new\n");
    let proposal = scene.pending_one("a.txt");
    // The person has answered in the prompt of Claude Code.
    scene.claude.call("close_tab", &json!({ "tab_name": tab("a.txt") }));
    assert_eq!(scene.claude.texts(diff), rejected("a.txt"));
    scene.pending(&[]);
    let shown = scene.person.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    assert_eq!(shown["state"], "discarded");

    let diffs = ["a.txt", "b.txt"].map(|name| scene.open(name, "new\n"));
    scene.pending(&["a.txt", "b.txt"]);
    assert_eq!(scene.claude.call("closeAllDiffTabs", &json!({})), ["CLOSED_2_DIFF_TABS"]);
    assert_eq!(scene.claude.texts(diffs[0]), rejected("a.txt"));
    assert_eq!(scene.claude.texts(diffs[1]), rejected("b.txt"));
    scene.pending(&[]);
    assert_eq!(scene.workspace.text("a.txt"), "a\n");
}

#[test]
fn a_diff_that_is_accepted_in_the_prompt_of_claude_code_is_recorded() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    scene.open("a.txt", "new\n");
    scene.pending(&["a.txt"]);
    // Claude Code does not wait until the diff is closed.
    scene.workspace.put("a.txt", "new\n");
    scene.claude.call("close_tab", &json!({ "tab_name": tab("a.txt") }));
    let past = scene.history(1);
    assert_eq!(past[0]["author"], "claude-code");
    scene.person.call("editd/undo", json!({ "transaction": past[0]["id"] })).done();
    assert_eq!(scene.workspace.text("a.txt"), "a\n");
}

#[test]
fn another_text_after_a_closed_diff_is_not_taken_for_one_of_claude_code() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    scene.open("a.txt", "new\n");
    scene.pending(&["a.txt"]);
    scene.claude.call("close_tab", &json!({ "tab_name": tab("a.txt") }));
    scene.workspace.put("a.txt", "of the person\n");
    std::thread::sleep(Duration::from_secs(7));
    assert!(scene.history(0).is_empty());
    // The report is over, so this comes from somebody else.
    scene.workspace.put("a.txt", "new\n");
    std::thread::sleep(Duration::from_secs(2));
    assert!(scene.history(0).is_empty());
}

#[test]
fn a_cancelled_call_withdraws_its_diff() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    let diff = scene.open("a.txt", "new\n");
    scene.pending(&["a.txt"]);
    scene.claude.notify("notifications/cancelled", &json!({ "requestId": diff, "reason": "interrupted" }));
    scene.pending(&[]);
    assert_eq!(scene.workspace.text("a.txt"), "a\n");
}

#[test]
fn of_two_diffs_at_once_with_one_key_the_last_stays() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    for _ in 0..5 {
        let diffs = ["1\n", "2\n", "3\n"].map(|text| scene.open("a.txt", text));
        std::thread::sleep(Duration::from_millis(500));
        scene.pending(&["a.txt"]);
        assert_eq!(scene.claude.call("closeAllDiffTabs", &json!({})), ["CLOSED_1_DIFF_TABS"]);
        // None is left that waits and that nobody can close.
        for diff in diffs {
            assert_eq!(scene.claude.texts(diff), rejected("a.txt"));
        }
        scene.pending(&[]);
    }
}

#[test]
fn a_diff_that_is_closed_after_a_restart_of_the_daemon_is_withdrawn() {
    let mut scene = Scene::new(&[("a.txt", "a\n")]);
    let diff = scene.open("a.txt", "new\n");
    scene.restart();
    scene.claude.call("close_tab", &json!({ "tab_name": tab("a.txt") }));
    assert_eq!(scene.claude.texts(diff), rejected("a.txt"));
    scene.pending(&[]);
}
