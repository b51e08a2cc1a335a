//! The content of a proposal. Proposing changes no file.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{
    Documents, Machine, Outcome, Workspace, apply_unified, hash_of, numbered_lines, uri_of,
};

const TEN: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn session_counting_in(workspace: &Workspace, encoding: &str) -> Value {
    let mut session = workspace.session("alice");
    session["capabilities"] = json!({ "general": { "positionEncodings": [encoding] } });
    session
}

#[test]
fn a_proposal_has_every_field_and_changes_nothing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEN));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "label": "Shout", "path": "a.txt", "oldText": "five", "newText": "FIVE" });
    let proposal = agent.call("editd/propose", params).done();
    assert_eq!(workspace.text("a.txt"), TEN);
    assert!(proposal["id"].is_string() && proposal["revision"].is_u64(), "{proposal}");
    assert_eq!((&proposal["state"], &proposal["label"]), (&json!("proposed"), &json!("Shout")));
    assert!(proposal["workspaceEdit"]["documentChanges"].is_array());
    let new = TEN.replace("five", "FIVE");
    let file = &proposal["files"][0];
    assert_eq!(file["uri"], uri_of(&workspace.path("a.txt")));
    assert!(file["path"].as_str().is_some_and(|path| path.ends_with("a.txt")));
    assert_eq!(file["action"], "edit");
    assert_eq!((&file["hashBefore"], &file["hashAfter"]), (&json!(hash_of(TEN)), &json!(hash_of(new))));
    assert_eq!(
        (&file["firstChangedLine"], &file["added"], &file["removed"]),
        (&json!(5), &json!(1), &json!(1))
    );
    assert_eq!((&file["warnings"], &file["tags"]), (&json!([]), &json!([])));
    let matches = json!([{ "edit": 0, "strategy": "exact", "similarity": 1.0, "startLine": 5, "endLine": 5,
                           "replacements": 1 }]);
    assert_eq!(normalized(&file["matches"]), normalized(&matches));
}

/// Normalizes numbers, because `1` and `1.0` are equal.
fn normalized(matches: &Value) -> Vec<Vec<String>> {
    let shown = |value: &Value| value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string());
    let row = |one: &Value| {
        ["edit", "strategy", "similarity", "startLine", "endLine", "replacements"]
            .map(|key| shown(&one[key]))
            .to_vec()
    };
    matches.as_array().expect("matches").iter().map(row).collect()
}

#[test]
fn the_diff_has_three_lines_of_context() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEN));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "five", "FIVE").done();
    let diff = proposal["files"][0]["diff"].as_str().expect("a diff");
    let hunk = "@@ -2,7 +2,7 @@\n two\n three\n four\n-five\n+FIVE\n six\n seven\n eight\n";
    assert!(diff.starts_with("--- ") && diff.contains("\n+++ ") && diff.ends_with(hunk), "{diff}");
    assert_eq!(apply_unified(TEN, diff), TEN.replace("five", "FIVE"));
}

#[rstest]
#[case::inserted("ten\n", "ten\neleven\n")]
#[case::removed("one\ntwo\n", "")]
#[case::all_replaced(TEN, "nothing left")]
#[case::end_taken("ten\n", "ten")]
fn the_diff_turns_the_old_text_into_the_new(#[case] old: &str, #[case] new: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEN));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let change = json!({ "kind": "write", "path": "a.txt", "content": TEN.replace(old, new) });
    let proposal = agent.call("editd/propose", json!({ "changes": [change] })).done();
    let diff = proposal["files"][0]["diff"].as_str().expect("a diff");
    assert_eq!(apply_unified(TEN, diff), TEN.replace(old, new), "{diff}");
}

#[test]
fn hunks_have_the_line_numbers_of_the_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(60)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edits = json!([
        { "oldText": "line 10\n", "newText": "line 10\nline 10 and a half\n" },
        { "oldText": "line 50\n", "newText": "" },
    ]);
    let proposal = agent.call("editd/propose", json!({ "path": "a.txt", "edits": edits })).done();
    let file = &proposal["files"][0];
    assert_eq!(
        (&file["firstChangedLine"], &file["added"], &file["removed"]),
        (&json!(11), &json!(1), &json!(1))
    );
    let hunks = file["hunks"].as_array().expect("hunks");
    assert_eq!(hunks.len(), 2, "{hunks:?}");
    assert_ne!(hunks[0]["id"], hunks[1]["id"]);
    let number = |hunk: &Value, key: &str| hunk[key].as_i64().unwrap_or_else(|| panic!("no {key} in {hunk}"));
    for (hunk, line, more) in [(&hunks[0], 10, 1), (&hunks[1], 50, -1)] {
        assert!((line - 3..=line + 1).contains(&number(hunk, "oldStart")), "{hunk}");
        assert_eq!(number(hunk, "newLines") - number(hunk, "oldLines"), more, "{hunk}");
        assert_eq!(hunk["state"], "pending");
    }
    // Line 50 became line 51 and was deleted. As in any diff, a side without lines has the number of the line
    // before.
    assert_eq!((number(&hunks[1], "oldStart"), number(&hunks[1], "newStart")), (50, 50));
}

#[rstest]
#[case::utf_8("utf-8")]
#[case::utf_16("utf-16")]
#[case::utf_32("utf-32")]
fn the_workspace_edit_has_the_same_result_in_a_simple_client(#[case] encoding: &str) {
    let old = "a 😀é ends here\r\nb\rc 😀😀 tail\nd\u{2028}e word\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", old));
    let mut agent = machine.agent_with(session_counting_in(&workspace, encoding));
    agent.read("a.txt");
    let edits = json!([
        { "oldText": "ends", "newText": "😀 begins" },
        { "oldText": "b\nc", "newText": "b\nnew\nc" },
        { "oldText": "word\n", "newText": "wörd\nlast\n" },
    ]);
    let proposal = agent.call("editd/propose", json!({ "path": "a.txt", "edits": edits })).done();
    let mut client = Documents::new(&[(&workspace.path("a.txt"), old)]);
    client.apply(&proposal["workspaceEdit"], encoding);
    agent.apply(&proposal).done();
    assert_eq!(client, Documents::new(&[(&workspace.path("a.txt"), &workspace.text("a.txt"))]));
    assert_eq!(proposal["files"][0]["hashAfter"], workspace.hash("a.txt"));
}

#[test]
fn the_workspace_edit_creates_renames_and_deletes_like_the_daemon() {
    let files = [("edit.txt", "one\n"), ("gone.txt", "two\n"), ("from.txt", "three\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    for (name, _) in files {
        agent.read(name);
    }
    let changes = json!([
        { "kind": "edit", "path": "edit.txt", "edits": [{ "oldText": "one", "newText": "1" }] },
        { "kind": "write", "path": "sub/new.txt", "content": "new\n" },
        { "kind": "delete", "path": "gone.txt" },
        { "kind": "rename", "path": "from.txt", "newPath": "to.txt" },
    ]);
    let proposal = agent.call("editd/propose", json!({ "changes": changes })).done();
    let paths = files.map(|(name, text)| (workspace.path(name), text));
    let mut client = Documents::new(&paths.each_ref().map(|(path, text)| (path.as_path(), *text)));
    client.apply(&proposal["workspaceEdit"], "utf-16");
    let after = [("edit.txt", "1\n"), ("sub/new.txt", "new\n"), ("to.txt", "three\n")];
    let paths = after.map(|(name, text)| (workspace.path(name), text));
    assert_eq!(client, Documents::new(&paths.each_ref().map(|(path, text)| (path.as_path(), *text))));
}

#[test]
fn the_workspace_edit_is_minimal_and_versioned() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(1_000)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let content =
        numbered_lines(1_000).replace("line 500\n", "line five hundred\n").replace("line 900\n", "");
    let change = json!({ "kind": "write", "path": "a.txt", "content": content });
    let proposal = agent.call("editd/propose", json!({ "changes": [change] })).done();
    let documents = proposal["workspaceEdit"]["documentChanges"].as_array().expect("document changes");
    assert_eq!(documents.len(), 1);
    assert_eq!(
        documents[0]["textDocument"],
        json!({ "uri": uri_of(&workspace.path("a.txt")), "version": null })
    );
    let edits = documents[0]["edits"].as_array().expect("edits");
    let written: usize = edits.iter().map(|edit| edit["newText"].as_str().expect("a text").len()).sum();
    assert!(written < 60, "{written} bytes for one word and a line");
}

#[test]
fn a_proposal_does_not_change_the_sessions_base() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", TEN));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.propose("a.txt", "five", "FIVE").done();
    workspace.put("a.txt", "one\n");
    agent.propose("a.txt", "one", "1").refused("stale");
    let mut other = machine.agent_named("bob", &workspace);
    let change = json!({ "kind": "edit", "path": "a.txt", "baseHash": hash_of("one\n"),
                         "edits": [{ "oldText": "one", "newText": "1" }] });
    other.call("editd/propose", json!({ "changes": [change] })).done();
    other.propose("a.txt", "one", "1").refused("unread");
}
