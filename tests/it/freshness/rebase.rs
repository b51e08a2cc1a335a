//! `onStale: "rebase"`: merges changes that do not touch.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Outcome, Workspace, hash_of, numbered_lines};

/// A session reads `base`, another program writes `theirs`, then the session sends `params`.
fn rebased(base: &str, theirs: &str, mut params: Value) -> (Answer, Workspace) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", base));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", theirs);
    params["path"] = json!("a.txt");
    params["onStale"] = json!("rebase");
    (agent.call("editd/edit", params), workspace)
}

#[rstest]
#[case::text(json!({ "oldText": "line 20\n", "newText": "twenty\n" }))]
#[case::lines(json!({ "lines": "20", "newText": "twenty" }))]
fn the_user_configures_whether_a_stale_change_is_refused_or_merged(#[case] edit: Value) {
    for (config, merges) in [("", false), ("stale = \"reject\"\n", false), ("stale = \"merge\"\n", true)] {
        let (machine, workspace) =
            (Machine::configured(config), Workspace::file("a.txt", numbered_lines(30)));
        let mut agent = machine.agent(&workspace);
        agent.read("a.txt");
        let theirs = numbered_lines(30).replace("line 3\n", "line three\nand more\n");
        workspace.put("a.txt", &theirs);
        let params = json!({ "path": "a.txt", "edits": [edit] });
        let mut rejected = params.clone();
        rejected["onStale"] = json!("reject");
        agent.call("editd/edit", rejected).refused("stale");
        let answer = agent.call("editd/edit", params);
        if merges {
            answer.done();
            assert_eq!(workspace.text("a.txt"), theirs.replace("line 20\n", "twenty\n"));
        } else {
            answer.refused("stale");
            assert_eq!(workspace.text("a.txt"), theirs);
        }
    }
}

#[test]
fn changes_that_do_not_touch_are_merged() {
    let (base, theirs) =
        (numbered_lines(30), numbered_lines(30).replace("line 3\n", "line three\nand more\n"));
    let (answer, workspace) =
        rebased(&base, &theirs, json!({ "oldText": "line 20\n", "newText": "line twenty\n" }));
    let merged = theirs.replace("line 20\n", "line twenty\n");
    assert_eq!(workspace.text("a.txt"), merged);
    let applied = answer.done();
    let file = &applied["files"][0];
    assert_eq!((&file["hash"], &file["hashBefore"]), (&json!(hash_of(&merged)), &json!(hash_of(&theirs))));
    assert!(!file["rebased"].is_null() && file["rebased"] != false, "{file}");
    let others = file["others"].as_str().expect("what the others changed");
    assert!(others.contains("\n-line 3\n+line three\n+and more\n"), "{others}");
    assert!(!others.contains("twenty"), "{others}");
}

#[test]
fn only_changes_of_others_are_shown_after_a_merge() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(30)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.edit("a.txt", "line 3\n", "line three\n").done();
    let edit = |old: &str, new: &str| json!({ "path": "a.txt", "oldText": old, "newText": new, "onStale": "rebase" });
    let own = agent.call("editd/edit", edit("line 9\n", "line nine\n")).done();
    assert!(own["files"][0]["others"].is_null(), "{own}");
    let text = workspace.text("a.txt").replace("line 20\n", "line twenty\n");
    workspace.put("a.txt", &text);
    let merged = agent.call("editd/edit", edit("line 28\n", "line 28 and more\n")).done();
    let others = merged["files"][0]["others"].as_str().expect("a diff");
    let changed: Vec<&str> =
        others.lines().filter(|line| line.starts_with(['-', '+']) && line.contains("line")).collect();
    assert_eq!(changed, ["-line 20", "+line twenty"], "{others}");
}

#[test]
fn the_match_is_the_one_that_was_read_even_if_it_has_a_duplicate_now() {
    let (base, theirs) = ("a\nx\nb\nc\nd\n", "x\na\nx\nb\nc\nd\n");
    let (answer, workspace) = rebased(base, theirs, json!({ "oldText": "x\n", "newText": "y\n" }));
    answer.done();
    assert_eq!(workspace.text("a.txt"), "x\na\ny\nb\nc\nd\n");
}

#[test]
fn merged_lines_keep_the_line_endings_of_the_file() {
    let base = numbered_lines(20).replace('\n', "\r\n");
    let theirs = base.replace("line 3\r\n", "line three\r\n");
    let (answer, workspace) =
        rebased(&base, &theirs, json!({ "oldText": "line 15\n", "newText": "line fifteen\nnew\n" }));
    answer.done();
    assert_eq!(workspace.text("a.txt"), theirs.replace("line 15\r\n", "line fifteen\r\nnew\r\n"));
}

#[rstest]
#[case::the_same_line("one\nTWO\nthree\n", "two", "2")]
#[case::the_line_is_gone("one\nthree\n", "two", "2")]
#[case::both_add_at_one_place("one\ntwo\ntheirs\nthree\n", "two\n", "two\nmine\n")]
fn changes_that_touch_conflict(#[case] theirs: &str, #[case] old: &str, #[case] new: &str) {
    let (answer, workspace) = rebased("one\ntwo\nthree\n", theirs, json!({ "oldText": old, "newText": new }));
    let data = answer.refused("conflict");
    let regions = data["regions"].as_array().unwrap_or_else(|| panic!("no regions: {data}"));
    assert!(!regions.is_empty());
    for region in regions {
        assert!(["base", "ours", "theirs"].iter().all(|side| region.get(side).is_some()), "{region}");
    }
    assert_eq!(workspace.text("a.txt"), theirs);
}

#[test]
fn the_same_edit_by_both_is_no_change() {
    let (answer, workspace) =
        rebased("one\ntwo\nthree\n", "one\n2\nthree\n", json!({ "oldText": "two", "newText": "2" }));
    if let Err(error) = answer {
        assert!(["no_change", "conflict"].contains(&error.kind()), "{error:?}");
    }
    assert_eq!(workspace.text("a.txt"), "one\n2\nthree\n");
}

#[test]
fn text_missing_in_the_base_is_not_found() {
    let (answer, workspace) = rebased("one\n", "one\nlater\n", json!({ "oldText": "later", "newText": "x" }));
    answer.refused_as_any(&["not_found", "stale"]);
    assert_eq!(workspace.text("a.txt"), "one\nlater\n");
}

#[test]
fn an_unchanged_file_needs_no_merge() {
    let (answer, workspace) = rebased("one\n", "one\n", json!({ "oldText": "one", "newText": "two" }));
    let applied = answer.done();
    let rebased = &applied["files"][0]["rebased"];
    assert!(rebased.is_null() || rebased == false, "{applied}");
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn a_merge_counts_as_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(20)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(20).replace("line 1\n", "line one\n"));
    let params = json!({ "path": "a.txt", "oldText": "line 15\n", "newText": "x\n", "onStale": "rebase" });
    agent.call("editd/edit", params).done();
    agent.edit("a.txt", "line 10\n", "y\n").done();
}

/// Returns the only file that `editd/changes` reports.
fn changed(agent: &mut Agent) -> Value {
    let mut answer = agent.call("editd/changes", json!({})).done();
    let files = answer["files"].as_array_mut().expect("files");
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn rebase_edit(agent: &mut Agent, old: &str, new: &str) -> Value {
    let edit = json!({ "path": "a.txt", "oldText": old, "newText": new, "onStale": "rebase" });
    agent.call("editd/edit", edit).done()
}

#[test]
fn changes_by_others_before_a_merge_are_reported_afterwards() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "1\n2\n3\n4\n5\n6\n"));
    let (mut other, mut agent) = (machine.agent_named("other", &workspace), machine.agent(&workspace));
    agent.read("a.txt");
    other.read_and_edit("a.txt", "1", "one").done();
    let merged = rebase_edit(&mut agent, "6", "six");
    let file = changed(&mut agent);
    assert_eq!((&file["by"], &file["hash"]), (&json!("other"), &merged["files"][0]["hash"]));
    let diff = file["diff"].as_str().expect("a diff");
    assert!(diff.contains("-1\n+one\n") && !diff.contains("+six"), "{diff}");
    assert_eq!(file["hashBefore"], json!(hash_of("1\n2\n3\n4\n5\nsix\n")));
    assert_eq!(agent.call("editd/changes", json!({})).done()["files"], json!([]));
}

#[test]
fn changes_by_another_program_are_still_reported_after_more_edits() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(30)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(30).replace("line 2\n", "two\n"));
    rebase_edit(&mut agent, "line 20\n", "twenty\n");
    agent.edit("a.txt", "line 25\n", "twenty-five\n").done();
    workspace.put("a.txt", workspace.text("a.txt").replace("line 8\n", "eight\n"));
    rebase_edit(&mut agent, "line 28\n", "twenty-eight\n");
    let file = changed(&mut agent);
    let diff = file["diff"].as_str().expect("a diff");
    assert!(file["by"] == "disk" && diff.contains("+two\n") && diff.contains("+eight\n"), "{file}");
}

#[test]
fn a_merged_change_is_not_reported_after_a_read_or_an_undo() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for read in [true, false] {
        let before = workspace.text("a.txt");
        workspace.put("a.txt", before.replace("line 2\n", "two\n"));
        rebase_edit(&mut agent, if read { "line 7\n" } else { "line 8\n" }, "mine\n");
        let merged = workspace.text("a.txt");
        if read {
            agent.read("a.txt");
            workspace.put("a.txt", merged.replace("two\n", "line 2\n"));
            changed(&mut agent);
        } else {
            workspace.put("a.txt", merged.replace("two\n", "line 2\n"));
        }
        assert_eq!(agent.call("editd/changes", json!({})).done()["files"], json!([]));
    }
}

#[test]
fn a_merged_proposal_hides_no_changes_by_others() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let propose = json!({ "path": "a.txt", "oldText": "line 8\n", "newText": "8\n", "onStale": "rebase" });
    let proposal = agent.call("editd/propose", propose).done();
    workspace.put("a.txt", numbered_lines(9).replace("line 2\n", "two\n"));
    agent.apply(&proposal).done();
    let diff = changed(&mut agent)["diff"].as_str().expect("a diff").to_owned();
    assert!(diff.contains("+two\n") && !diff.contains("+8\n"), "{diff}");
}

#[test]
fn a_merged_undo_hides_no_changes_by_others() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "line 8\n", "8\n").done();
    workspace.put("a.txt", workspace.text("a.txt").replace("line 2\n", "two\n"));
    agent.undo().done();
    let diff = changed(&mut agent)["diff"].as_str().expect("a diff").to_owned();
    assert!(diff.contains("+two\n"), "{diff}");
}

#[test]
fn an_edit_with_the_current_hash_counts_as_a_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", numbered_lines(9).replace("line 2\n", "two\n"));
    let stale = agent.edit("a.txt", "line 8\n", "8\n").refused("stale");
    let edit =
        json!({ "path": "a.txt", "oldText": "line 8\n", "newText": "8\n", "baseHash": stale["currentHash"] });
    agent.call("editd/edit", edit).done();
    assert_eq!(agent.call("editd/changes", json!({})).done()["files"], json!([]));
}
