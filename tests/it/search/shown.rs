//! Found lines may be changed without a read.

use rstest::rstest;
use serde_json::{Value, json};

use super::scene::search;
use crate::support::{Agent, Answer, Machine, Mcp, Outcome, Workspace, numbered_lines};

fn scene() -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(40)));
    let agent = machine.agent(&workspace);
    (machine, workspace, agent)
}

fn tag_of(found: &Value) -> String {
    found["matches"][0]["tag"].as_str().unwrap_or_else(|| panic!("a tag: {found}")).to_owned()
}

fn edit(agent: &mut Agent, path: &str, edit: &Value) -> Answer {
    agent.call("editd/edit", json!({ "path": path, "edits": [edit] }))
}

#[test]
fn found_lines_are_changed_by_their_numbers_and_others_are_unread() {
    let (_machine, workspace, mut agent) = scene();
    let found = search(&mut agent, json!({ "pattern": "line 2[05]$", "context": 1 }));
    let path = format!("a.txt#{}", tag_of(&found));
    assert_eq!(found["matches"][1].get("tag"), None, "{found}");
    edit(&mut agent, &path, &json!({ "lines": "19-21", "newText": "x" })).done();
    edit(&mut agent, &path, &json!({ "lines": 22, "newText": "x" })).refused("unread");
    edit(&mut agent, "a.txt", &json!({ "lines": 1, "newText": "x" })).refused("unread");
    edit(&mut agent, "a.txt", &json!({ "oldText": "line 25\n", "newText": "y\n" })).done();
    let expected =
        numbered_lines(40).replace("line 19\nline 20\nline 21\n", "x\n").replace("line 25\n", "y\n");
    assert_eq!(workspace.text("a.txt"), expected);
}

#[rstest]
#[case::write(json!({ "kind": "write", "path": "a.txt", "content": "x\n" }))]
#[case::delete(json!({ "kind": "delete", "path": "a.txt" }))]
fn a_search_does_not_show_the_whole_file(#[case] change: Value) {
    let (_machine, workspace, mut agent) = scene();
    search(&mut agent, json!({ "pattern": "line 20" }));
    agent.change(change).refused("unread");
    assert_eq!(workspace.text("a.txt"), numbered_lines(40));
}

/// What the agent knows of the rest of the file is older.
#[test]
fn a_search_makes_no_stale_edit_valid() {
    let (machine, workspace, mut agent) = scene();
    agent.read("a.txt");
    let mut other = machine.agent_named("kim", &workspace);
    other.read("a.txt");
    other.edit("a.txt", "line 1\n", "line one\nline 1\n").done();
    let found = search(&mut agent, json!({ "pattern": "line 20" }));
    agent.edit("a.txt", "line 30\n", "y\n").refused("stale");
    let path = format!("a.txt#{}", tag_of(&found));
    edit(&mut agent, &path, &json!({ "lines": 21, "newText": "x" })).done();
    assert_eq!(
        workspace.text("a.txt"),
        "line one\n".to_owned() + &numbered_lines(40).replace("line 20", "x")
    );
}

#[test]
fn a_search_after_a_read_leaves_the_file_read() {
    let (_machine, workspace, mut agent) = scene();
    agent.read("a.txt");
    edit(&mut agent, "a.txt", &json!({ "after": 0, "newText": "new" })).done();
    search(&mut agent, json!({ "pattern": "line 20" }));
    // Numbers without a tag are those that were shown last.
    edit(&mut agent, "a.txt", &json!({ "lines": 21, "newText": "x" })).done();
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "all\n" })).done();
    assert_eq!(workspace.text("a.txt"), "all\n");
}

#[test]
fn cut_lines_and_large_files_do_not_count() {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("a.txt", "x".repeat(3_000) + "two\nshort two\n"));
    workspace.put("b.txt", "two\n".to_owned() + &numbered_lines(200_000));
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "two" }));
    let path = format!("a.txt#{}", tag_of(&found));
    edit(&mut agent, &path, &json!({ "lines": 1, "newText": "x" })).refused("unread");
    edit(&mut agent, &path, &json!({ "lines": 2, "newText": "x" })).done();
    let tags = found["matches"].as_array().expect("matches").iter().filter(|found| found["tag"].is_string());
    assert_eq!(tags.count(), 1, "{found}");
    agent.edit("b.txt", "two\n", "x\n").refused("unread");
}

#[test]
fn a_model_is_told_the_version_and_only_printed_lines_count() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(40)));
    let long = |at: usize| format!("two {at} {}\n", "y".repeat(1_000));
    workspace.put("b.txt", (0..60).map(long).collect::<String>());
    let mut mcp = Mcp::start(&machine, &workspace);
    let found = mcp.call("search", json!({ "pattern": "line 20" })).done();
    let heading = found.text.lines().next().expect("a heading").to_owned();
    assert_eq!(heading, format!("a.txt#{}", &workspace.hash("a.txt")[3..9]));
    mcp.call("edit", json!({ "path": heading, "edits": [{ "lines": 20, "newText": "x" }] })).done();
    let found = mcp.call("search", json!({ "pattern": "two" })).done();
    let printed = found.text.lines().filter(|line| line.contains(": two ")).count();
    assert!((20..40).contains(&printed), "{printed}");
    let change = |line: usize| json!({ "path": "b.txt", "edits": [{ "lines": line, "newText": "x" }] });
    mcp.call("edit", change(printed)).done();
    assert!(mcp.call("edit", change(printed + 1)).refused("unread").text.contains("not shown"));
}
