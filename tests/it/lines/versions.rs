//! The versions that line numbers refer to.

use serde_json::{Value, json};

use super::edits::{TEXT, anchored, edits};
use crate::support::{Agent, Answer, Machine, Outcome, Workspace, hash_of};

/// Edits a file, merging with what others have changed.
fn rebased(agent: &mut Agent, path: &str, edits: &Value) -> Answer {
    agent.call("editd/edit", json!({ "path": path, "edits": edits, "onStale": "rebase" }))
}

fn machine() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("a.txt", TEXT))
}

#[test]
fn an_edit_is_carried_over_changes_of_others() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    workspace.put("a.txt", "zero\none\ntwo\nthree\n4\nfive\n");
    let edit = json!([{ "lines": "2", "newText": "2" }]);
    edits(&mut agent, "a.txt", edit.clone()).refused("stale");
    let done = rebased(&mut agent, "a.txt", &edit).done();
    assert_eq!(workspace.text("a.txt"), "zero\none\n2\nthree\n4\nfive\n");
    assert_eq!(done["files"][0]["rebased"], true);
    let matches = &done["files"][0]["matches"][0];
    assert_eq!((&matches["startLine"], &matches["endLine"]), (&json!(3), &json!(3)));
    // Lines of others were not shown yet.
    let refusal = edits(&mut agent, "a.txt", json!([{ "lines": "5", "newText": "x" }]))
        .refused_as_any(&["unread", "ambiguous"]);
    assert!(refusal["hint"].is_string());
}

#[test]
fn lines_that_others_changed_or_that_repeat_are_stale() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    workspace.put("a.txt", "one\nTWO\nthree\nfour\nfive\n");
    let stale = edits(&mut agent, "a.txt", json!([{ "lines": "2", "newText": "2" }])).refused("stale");
    assert!(stale["diff"].as_str().is_some_and(|diff| diff.contains("-two\n+TWO")), "{stale}");
    rebased(&mut agent, "a.txt", &json!([{ "lines": "2", "newText": "2" }])).refused("stale");
    rebased(&mut agent, "a.txt", &json!([{ "lines": "4", "newText": "4" }])).done();
    assert_eq!(workspace.text("a.txt"), "one\nTWO\nthree\n4\nfive\n");

    workspace.put("b.txt", "head\n}\n}\ntail\n");
    anchored(&mut agent, "b.txt");
    workspace.put("b.txt", "head\n}\ntail\n");
    rebased(&mut agent, "b.txt", &json!([{ "lines": "2", "newText": "]" }])).refused("stale");
    assert_eq!(workspace.text("b.txt"), "head\n}\ntail\n");
}

#[test]
fn an_edit_with_both_forms_is_stale_after_changes_of_others() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    workspace.put("a.txt", "zero\none\ntwo\nthree\nfour\nfive\n");
    let both = json!([{ "lines": "2", "newText": "2" }, { "oldText": "five", "newText": "5" }]);
    edits(&mut agent, "a.txt", both.clone()).refused("stale");
    let rebase = json!({ "path": "a.txt", "edits": both, "onStale": "rebase" });
    agent.call("editd/edit", rebase).done();
    assert_eq!(workspace.text("a.txt"), "zero\none\n2\nthree\nfour\n5\n");
}

#[test]
fn numbers_of_the_result_are_known_after_an_own_edit() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    let first = anchored(&mut agent, "a.txt");
    let done = edits(&mut agent, "a.txt", json!([{ "after": 2, "newText": "2a\n2b" }])).done();
    let second = done["files"][0]["hashAfter"].as_str().expect("a hash")[3..9].to_owned();
    // Line 2 is the same in both versions, line 5 is not.
    edits(&mut agent, "a.txt", json!([{ "lines": "1", "newText": "1" }])).done();
    let refusal = edits(&mut agent, "a.txt", json!([{ "lines": "5", "newText": "x" }])).refused("ambiguous");
    let tags: Vec<&str> =
        refusal["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert!(tags.contains(&&*first) && tags.contains(&&*second), "{tags:?}");
    edits(&mut agent, &format!("a.txt#{second}"), json!([{ "lines": "5", "newText": "3" }])).done();
    edits(&mut agent, &format!("a.txt#{first}"), json!([{ "lines": "5", "newText": "5" }])).done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n2a\n2b\n3\nfour\n5\n");
}

#[test]
fn a_tag_is_accepted_as_base_hash() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    let tag = anchored(&mut agent, "a.txt");
    let mut edit = |base: &str, path: &str| {
        let params = json!({ "path": path, "baseHash": base, "edits": [{ "lines": "1", "newText": base }] });
        agent.call("editd/edit", params)
    };
    edit("123", "a.txt").refused("invalid_params");
    let stale = edit("abcdef", "a.txt").refused("stale");
    assert_eq!(stale["tag"], "abcdef");
    edit(&tag, "a.txt").done();
    assert_eq!(workspace.text("a.txt"), TEXT.replace("one", &tag));
}

#[test]
fn a_tag_and_a_hash_of_different_versions_are_refused() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    let tag = anchored(&mut agent, "a.txt");
    workspace.put("a.txt", "zero\none\ntwo\nthree\nfour\nfive\n");
    let current = agent.read("a.txt")["hash"].as_str().expect("a hash").to_owned();
    let edit = |base: &str| json!({ "path": format!("a.txt#{tag}"), "baseHash": base, "edits": [{ "lines": "4", "newText": "4" }], "onStale": "rebase" });
    let patch = |path: &str, base: &str| json!({ "patch": format!("[a.txt#{tag}]\nPUT 1:\n+1\n"), "bases": { path: base }, "onStale": "rebase" });
    let absolute = workspace.absolute("a.txt");
    for params in
        [edit(&current), edit(&current[3..12]), patch("a.txt", &current), patch(&absolute, &current)]
    {
        let error = agent.call("editd/edit", params).expect_err("a refusal");
        assert_eq!(error.kind(), "invalid_params");
        assert!(error.message.contains("send only the tag"), "{}", error.message);
    }
    let old = hash_of(TEXT);
    agent.call("editd/edit", edit(&old[3..14])).done();
    agent.call("editd/edit", patch(&absolute, &old)).done();
    assert_eq!(workspace.text("a.txt"), "zero\n1\ntwo\nthree\n4\nfive\n");
}

#[test]
fn the_tag_of_another_file_is_refused() {
    let (machine, workspace) = machine();
    workspace.put("b.txt", "other\n");
    let mut agent = machine.agent(&workspace);
    let of_b = anchored(&mut agent, "b.txt");
    anchored(&mut agent, "a.txt");
    let error = edits(&mut agent, &format!("a.txt#{of_b}"), json!([{ "lines": "1", "newText": "x" }]))
        .expect_err("a refusal");
    assert_eq!(error.kind(), "stale");
    assert!(error.message.contains("b.txt"), "{}", error.message);
}

#[test]
fn a_file_with_a_number_sign_in_its_name_has_tags_too() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a#b.txt", TEXT));
    let mut agent = machine.agent(&workspace);
    let tag = anchored_with_sign(&mut agent);
    edits(&mut agent, "a#b.txt", json!([{ "lines": "1", "newText": "1" }])).done();
    edits(&mut agent, &format!("a#b.txt#{tag}"), json!([{ "lines": "2", "newText": "2" }])).done();
    assert_eq!(workspace.text("a#b.txt"), "1\n2\nthree\nfour\nfive\n");
}

fn anchored_with_sign(agent: &mut Agent) -> String {
    let read = agent.call("editd/read", json!({ "path": "a#b.txt", "anchored": true })).done();
    read["anchor"].as_str().expect("an anchor").rsplit_once('#').expect("a tag").1.to_owned()
}

#[test]
fn another_session_may_name_a_version_by_its_tag() {
    let (machine, workspace) = machine();
    let tag = anchored(&mut machine.agent(&workspace), "a.txt");
    let mut other = machine.agent(&workspace);
    edits(&mut other, "a.txt", json!([{ "lines": "1", "newText": "1" }])).refused("unread");
    edits(&mut other, &format!("a.txt#{tag}"), json!([{ "lines": "1", "newText": "1" }])).done();
    assert_eq!(workspace.text("a.txt"), TEXT.replace("one", "1"));
}

#[test]
fn numbers_stay_valid_over_edits_that_search_for_text() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    let tag = anchored(&mut agent, "a.txt");
    agent.edit("a.txt", "one\n", "").done();
    edits(&mut agent, &format!("a.txt#{tag}"), json!([{ "lines": "4", "newText": "4" }])).done();
    assert_eq!(workspace.text("a.txt"), "two\nthree\n4\nfive\n");
}

#[test]
fn own_changes_make_nothing_stale() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    let tag = anchored(&mut agent, "a.txt");
    let path = format!("a.txt#{tag}");
    edits(&mut agent, &path, json!([{ "after": 1, "newText": "1a\n1b" }])).done();
    // Old numbers, with an edit that searches for text, and one of text alone.
    let both = json!([{ "lines": "3", "newText": "3" }, { "oldText": "two", "newText": "2" }]);
    edits(&mut agent, &path, both).done();
    edits(&mut agent, &path, json!([{ "oldText": "1a\n", "newText": "" }])).done();
    edits(
        &mut agent,
        &path,
        json!([{ "before": 5, "newText": "4a" }, { "move": { "lines": "1" }, "to": { "after": 5 } }]),
    )
    .done();
    assert_eq!(workspace.text("a.txt"), "1b\n2\n3\nfour\n4a\nfive\none\n");
    // The numbers of lines that the author itself has replaced mean nothing any more.
    edits(&mut agent, &path, json!([{ "lines": "3", "newText": "x" }])).refused("stale");
    edits(&mut agent, &path, json!([{ "lines": "4-5", "newText": "x" }])).refused("stale");
}

#[test]
fn equal_lines_are_told_apart_by_own_changes() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x\nx\nx\nx\n"));
    let mut agent = machine.agent(&workspace);
    let path = format!("a.txt#{}", anchored(&mut agent, "a.txt"));
    edits(&mut agent, &path, json!([{ "lines": "2", "delete": true }])).done();
    edits(&mut agent, &path, json!([{ "lines": "3", "newText": "three" }])).done();
    edits(&mut agent, &path, json!([{ "after": 4, "newText": "x" }])).done();
    edits(&mut agent, &path, json!([{ "lines": "4", "newText": "four" }])).done();
    assert_eq!(workspace.text("a.txt"), "x\nthree\nfour\nx\n");
}

#[test]
fn a_change_of_another_between_own_ones_is_stale() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    let path = format!("a.txt#{}", anchored(&mut agent, "a.txt"));
    edits(&mut agent, &path, json!([{ "lines": "1", "newText": "1" }])).done();
    workspace.put("a.txt", "1\ntwo\nTHREE\nfour\nfive\n");
    edits(&mut agent, &path, json!([{ "oldText": "five", "newText": "5" }])).refused("stale");
    edits(&mut agent, &path, json!([{ "lines": "3", "newText": "3" }])).refused("stale");
    assert_eq!(workspace.text("a.txt"), "1\ntwo\nTHREE\nfour\nfive\n");
}

#[test]
fn lines_without_a_tag_are_those_of_the_last_read() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    workspace.put("a.txt", "zero\none\ntwo\nthree\nfour\nfive\n");
    anchored(&mut agent, "a.txt");
    edits(&mut agent, "a.txt", json!([{ "lines": "2", "newText": "1" }])).done();
    edits(&mut agent, "a.txt", json!([{ "after": 1, "newText": "0a" }])).done();
    agent.read("a.txt");
    edits(&mut agent, "a.txt", json!([{ "lines": "4", "newText": "2" }])).done();
    assert_eq!(workspace.text("a.txt"), "zero\n0a\n1\n2\nthree\nfour\nfive\n");
}

#[test]
fn the_first_line_decides_which_version_is_meant() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    edits(&mut agent, "a.txt", json!([{ "after": 1, "newText": "1a" }])).done();
    edits(&mut agent, "a.txt", json!([{ "lines": "3", "newText": "x" }])).refused("ambiguous");
    edits(&mut agent, "a.txt", json!([{ "lines": "3", "first": "three", "newText": "3" }])).done();
    edits(&mut agent, "a.txt", json!([{ "lines": "3", "first": "two", "newText": "2" }])).done();
    assert_eq!(workspace.text("a.txt"), "one\n1a\n2\n3\nfour\nfive\n");
}

#[test]
fn lines_that_were_replaced_keep_their_numbers() {
    let (machine, workspace) = machine();
    let mut agent = machine.agent(&workspace);
    anchored(&mut agent, "a.txt");
    edits(&mut agent, "a.txt", json!([{ "lines": "2-3", "newText": "2\n3" }])).done();
    edits(&mut agent, "a.txt", json!([{ "lines": "3", "newText": "drei" }])).done();
    edits(&mut agent, "a.txt", json!([{ "lines": "2-4", "newText": "zwei\nvier" }])).done();
    assert_eq!(workspace.text("a.txt"), "one\nzwei\nvier\nfive\n");
    edits(&mut agent, "a.txt", json!([{ "lines": "4", "newText": "x" }])).refused("ambiguous");
}
