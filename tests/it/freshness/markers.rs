//! `onConflict: "markers"`: writes conflict markers into the file on request.

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, hash_of, numbered_lines};

const BASE: &str = "one\ntwo\nthree\n";
const THEIRS: &str = "one\nTWO\nthree\n";
const MARKED: &str = "one\n<<<<<<< file\nTWO\n||||||| base\ntwo\n=======\n2\n>>>>>>> change\nthree\n";

fn asked() -> Value {
    json!({ "path": "a.txt", "oldText": "two", "newText": "2", "onStale": "rebase", "onConflict": "markers" })
}

fn has_marker_warning(file: &Value) -> bool {
    let warnings = file["warnings"].as_array().expect("warnings");
    warnings.iter().filter_map(Value::as_str).any(|said| said.contains("Conflict markers are in lines 2-8 "))
}

#[test]
fn a_conflict_is_written_with_markers_on_request() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", BASE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", THEIRS);
    let applied = agent.call("editd/edit", asked()).done();
    assert_eq!(workspace.text("a.txt"), MARKED);
    let file = &applied["files"][0];
    assert!(has_marker_warning(file) && file["rebased"] == true, "{file}");
    assert_eq!((&file["hash"], &file["hashBefore"]), (&json!(hash_of(MARKED)), &json!(hash_of(THEIRS))));
    assert!(file["diff"].as_str().is_some_and(|diff| diff.contains("+<<<<<<< file\n TWO\n+||||||| base\n")));
}

#[test]
fn a_proposal_with_the_option_gets_markers_when_it_is_applied() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", BASE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.call("editd/propose", asked()).done();
    workspace.put("a.txt", THEIRS);
    let applied = agent.apply(&proposal).done();
    assert_eq!(workspace.text("a.txt"), MARKED);
    assert!(has_marker_warning(&applied["files"][0]), "{applied}");
    agent.edit("a.txt", MARKED, "one\ntwo\n").done();
}

#[test]
fn a_proposal_with_markers_is_applied_as_it_was_shown() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", BASE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", THEIRS);
    let proposal = agent.call("editd/propose", asked()).done();
    assert_eq!(workspace.text("a.txt"), THEIRS);
    assert!(has_marker_warning(&proposal["files"][0]), "{proposal}");
    agent.apply(&proposal).done();
    assert_eq!(workspace.text("a.txt"), MARKED);
}

#[test]
fn a_warning_about_moved_markers_has_no_line_numbers() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(9).replace("line 7\n", "theirs\n"));
    let mut params = asked();
    (params["oldText"], params["newText"]) = (json!("line 7\n"), json!("ours\n"));
    let proposal = agent.call("editd/propose", params).done();
    agent.read("a.txt");
    agent.edit("a.txt", "line 1\n", "line 1\nline 1b\n").done();
    let applied = agent.apply(&proposal).done();
    let warnings = applied["files"][0]["warnings"].to_string();
    assert!(warnings.contains("Conflict markers are in the changed lines"), "{warnings}");
    assert!(workspace.text("a.txt").contains("<<<<<<< file\ntheirs\n"));
}

#[test]
fn markers_have_the_line_endings_of_the_file() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", crlf(BASE)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", crlf(THEIRS));
    agent.call("editd/edit", asked()).done();
    assert_eq!(workspace.text("a.txt"), crlf(MARKED));
}

#[test]
fn mergeable_changes_get_no_markers() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", BASE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", "zero\none\ntwo\nthree\n");
    let applied = agent.call("editd/edit", asked()).done();
    assert_eq!(workspace.text("a.txt"), "zero\none\n2\nthree\n");
    assert!(!applied["files"][0]["warnings"].to_string().contains("markers"), "{applied}");
}

#[test]
fn by_default_a_conflict_is_refused_with_its_three_sides() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", BASE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", format!("zero\n{THEIRS}"));
    let mut params = asked();
    params["onConflict"] = json!("refuse");
    let data = agent.call("editd/edit", params).refused("conflict");
    let region = json!({
        "base": "two\n", "ours": "TWO\n", "theirs": "2\n",
        "startLine": 3, "baseLine": 2, "oursLine": 3, "theirsLine": 2,
    });
    assert_eq!(data["regions"], json!([region]));
    assert!(data["hint"].as_str().is_some_and(|hint| hint.contains("onConflict")), "{data}");
}

#[test]
fn markers_require_on_stale_rebase() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", BASE));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let mut params = asked();
    params.as_object_mut().expect("an object").remove("onStale");
    agent.call("editd/edit", params).invalid("onConflict");
}
