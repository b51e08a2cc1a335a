//! `display`: an additional text form of each change.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

const WORDS: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\none\ntwo [-2-]{+zwei+}\nthree\n";
const NUMBERS: &str = " 1\tone\n-2\ttwo 2\n+2\ttwo zwei\n 3\tthree\n";
const SUMMARY: &str = "a.txt: 1 place changed, +1 -1\nline 2 replaced by 1 line: `two zwei`\n";
const UNIFIED: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two 2\n+two zwei\n three\n";

fn request(display: Option<&str>) -> Value {
    let mut params = json!({ "path": "a.txt", "oldText": "2", "newText": "zwei" });
    if let Some(display) = display {
        params["display"] = json!(display);
    }
    params
}

#[rstest]
#[case::word("word", WORDS)]
#[case::numbered("numbered", NUMBERS)]
#[case::summary("summary", SUMMARY)]
#[case::unified("unified", UNIFIED)]
fn every_answer_about_a_change_includes_the_display(#[case] display: &str, #[case] expected: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo 2\nthree\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.call("editd/propose", request(Some(display))).done();
    let seen = agent.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    let applied = agent.apply(&proposal).done();
    let kept = agent.call("editd/proposal", json!({ "id": proposal["id"] })).done();
    for answer in [proposal, seen, applied, kept] {
        assert_eq!(answer["files"][0]["display"], expected, "{answer}");
        assert_eq!(answer["files"][0]["diff"], UNIFIED);
    }
    workspace.put("a.txt", "one\ntwo 2\nthree\n");
    agent.read("a.txt");
    let edited = agent.call("editd/edit", request(Some(display))).done();
    assert_eq!(edited["files"][0]["display"], expected);
}

#[test]
fn without_a_request_there_is_no_display() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "2\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let answer = agent.call("editd/propose", request(None)).done();
    assert!(answer["files"][0].get("display").is_none(), "{answer}");
}

#[test]
fn an_unknown_form_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "2\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.call("editd/propose", request(Some("sideways"))).invalid("display");
}

#[test]
fn a_rebased_change_is_displayed_in_its_rebased_form() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\nb\nc\nd\n2\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.call("editd/propose", request(Some("summary"))).done();
    agent.edit("a.txt", "a\n", "a\na\n").done();
    let applied = agent.apply(&proposal).done();
    let shown = applied["files"][0]["display"].as_str().expect("a display");
    assert!(shown.contains("line 6 replaced by 1 line: `zwei`"), "{shown}");
}

#[test]
fn creations_deletions_and_renames_have_a_display_too() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\nb\n"), ("b.txt", "x\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    let changes = json!([
        { "kind": "write", "path": "new.txt", "content": "n\n" },
        { "kind": "delete", "path": "a.txt" },
        { "kind": "rename", "path": "b.txt", "newPath": "c.txt" },
    ]);
    let answer = agent.call("editd/edit", json!({ "changes": changes, "display": "summary" })).done();
    let shown: Vec<&str> = answer["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|file| file["display"].as_str())
        .collect();
    assert!(shown[0].starts_with("new.txt: created, 1 line\n"), "{shown:?}");
    assert!(shown[1].starts_with("a.txt: deleted, 2 lines\n"), "{shown:?}");
    assert!(shown[2].starts_with("b.txt -> c.txt: renamed, no line changed\n"), "{shown:?}");
}
