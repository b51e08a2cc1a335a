//! Patches of several files: all are changed, or none.

use rstest::rstest;
use serde_json::json;

use crate::support::{Agent, Machine, Outcome, Workspace};

const FILES: [(&str, &str); 5] = [
    ("a.txt", "alpha\n"),
    ("b.txt", "beta\ntwo\n"),
    ("c.txt", "gamma\n"),
    ("empty.txt", ""),
    ("unread.txt", "delta\n"),
];

fn scene() -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&FILES));
    let mut agent = machine.agent(&workspace);
    for (name, _) in &FILES[..4] {
        agent.read(name);
    }
    (machine, workspace, agent)
}

const SECTIONS: &str = "*** Begin Patch\n*** Update File: a.txt\n-alpha\n+ALPHA\n*** Add File: new/d.txt\n+new\n\
    *** Delete File: b.txt\n*** Update File: c.txt\n*** Move to: moved/c.txt\n@@\n-gamma\n+GAMMA\n*** End Patch\n";
const DIFF: &str = "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-alpha\n+ALPHA\n\
    diff --git a/new/d.txt b/new/d.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new/d.txt\n@@ -0,0 +1 @@\n+new\n\
    diff --git a/b.txt b/b.txt\ndeleted file mode 100644\n--- a/b.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-beta\n-two\n\
    diff --git a/c.txt b/moved/c.txt\nsimilarity index 50%\nrename from c.txt\nrename to moved/c.txt\n--- a/c.txt\n+++ b/moved/c.txt\n@@ -1 +1 @@\n-gamma\n+GAMMA\n";

#[rstest]
#[case::sections(SECTIONS)]
#[case::diff(DIFF)]
fn files_are_edited_created_deleted_and_renamed_together(#[case] text: &str) {
    let (_machine, workspace, mut agent) = scene();
    let applied = agent.call("editd/edit", json!({ "patch": text })).done();
    let files = applied["files"].as_array().expect("files");
    let actions: Vec<&str> = files.iter().filter_map(|file| file["action"].as_str()).collect();
    assert_eq!(actions, ["edit", "create", "delete", "rename"]);
    assert_eq!(workspace.text("a.txt"), "ALPHA\n");
    assert_eq!(workspace.text("new/d.txt"), "new\n");
    assert_eq!(workspace.text("moved/c.txt"), "GAMMA\n");
    assert!(!workspace.has("b.txt") && !workspace.has("c.txt"));
}

#[rstest]
#[case::text_that_is_not_there("*** Update File: empty.txt\n-absent\n+x\n", "not_found")]
#[case::unread("*** Update File: unread.txt\n-delta\n+x\n", "unread")]
#[case::unread_deletion("*** Delete File: unread.txt\n", "unread")]
#[case::missing("*** Update File: no.txt\n-a\n+b\n", "missing")]
#[case::missing_deletion("*** Delete File: no.txt\n", "missing")]
#[case::exists("*** Add File: empty.txt\n+x\n", "exists")]
#[case::exists_and_unread("*** Add File: unread.txt\n+x\n", "exists")]
#[case::target_exists("*** Update File: empty.txt\n*** Move to: a.txt\n", "exists")]
#[case::target_created_in_the_same_patch("*** Update File: empty.txt\n*** Move to: new/d.txt\n", "exists")]
#[case::outside("*** Add File: ../out.txt\n+x\n", "outside_workspace")]
#[case::absolute("*** Add File: /srv/out.txt\n+x\n", "outside_workspace")]
#[case::protected("*** Add File: .git/hooks/x\n+x\n", "protected")]
#[case::moved_outside("*** Update File: empty.txt\n*** Move to: ../out.txt\n", "outside_workspace")]
#[case::a_folder("*** Update File: new/\n-a\n", "not_a_file")]
#[case::no_change("*** Update File: empty.txt\n", "bad_patch")]
#[case::twice_in_two_spellings("*** Delete File: ./a.txt\n", "bad_patch")]
fn one_bad_section_fails_the_whole_patch(
    #[case] bad: &str,
    #[case] kind: &str,
    #[values(true, false)] first: bool,
) {
    let (_machine, workspace, mut agent) = scene();
    let before = workspace.everything();
    let (mark, patch) = if first {
        ("*** Begin Patch\n", SECTIONS.replacen("*** Begin Patch\n", &format!("*** Begin Patch\n{bad}"), 1))
    } else {
        ("*** End Patch\n", SECTIONS.replacen("*** End Patch\n", &format!("{bad}*** End Patch\n"), 1))
    };
    assert!(patch.contains(mark) && patch.len() > SECTIONS.len());
    agent.call("editd/edit", json!({ "patch": patch })).refused(kind);
    assert_eq!(workspace.everything(), before);
    agent.call("editd/edit", json!({ "patch": SECTIONS })).done();
}

#[test]
fn every_refusal_is_listed_with_its_line() {
    let (_machine, workspace, mut agent) = scene();
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-absent\n@@\n-alpha\n@@\n-no\n*** Update File: unread.txt\n-delta\n*** Delete File: no.txt\n*** End Patch\n";
    let error = agent.call("editd/edit", json!({ "patch": patch })).expect_err("a refusal");
    assert!(error.message.contains("line 3 of the patch"), "{}", error.message);
    let refusals = error.data["refusals"].as_array().expect("refusals");
    let listed: Vec<_> = refusals
        .iter()
        .map(|one| (one["kind"].as_str().expect("a kind"), one["change"].as_u64(), one["patchLine"].as_u64()))
        .collect();
    assert_eq!(
        listed,
        [
            ("not_found", Some(0), Some(3)),
            ("not_found", Some(0), Some(7)),
            ("unread", Some(1), Some(9)),
            ("missing", Some(2), Some(11)),
        ]
    );
    assert!(refusals[2]["hint"].as_str().is_some_and(|hint| hint.contains("`bases`")), "{}", refusals[2]);
    assert_eq!(workspace.text("a.txt"), "alpha\n");
}

#[rstest]
#[case::edits(
    "--- ./a.txt\n+++ ./a.txt\n@@ -1 +1 @@\n-alpha\n+ALPHA\n--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-beta\n+BETA\n--- ./b.txt\n+++ ./b.txt\n@@ -2 +2 @@\n-two\n+TWO\n",
    "BETA\nTWO\n"
)]
#[case::blocks(
    "b.txt\n<<<<<<< SEARCH\nbeta\n=======\nBETA\n>>>>>>> REPLACE\n./b.txt\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n",
    "BETA\nTWO\n"
)]
fn a_file_may_be_spelled_in_several_ways(#[case] text: &str, #[case] after: &str) {
    let (_machine, workspace, mut agent) = scene();
    agent.call("editd/edit", json!({ "patch": text })).done();
    assert_eq!(workspace.text("b.txt"), after);
}

#[rstest]
#[case::diff("--- a/b.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-beta\n-two\n", None)]
#[case::no_hunk("diff --git a/b.txt b/b.txt\ndeleted file mode 100644\n", None)]
#[case::other_text("--- a/b.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-beta\n-zwei\n", Some("not_found"))]
#[case::some_of_the_text("--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-beta\n", Some("bad_patch"))]
fn a_file_is_deleted_only_if_the_patch_matches_it(#[case] text: &str, #[case] refused: Option<&str>) {
    let (_machine, workspace, mut agent) = scene();
    let answer = agent.call("editd/edit", json!({ "patch": text }));
    match refused {
        None => assert_eq!(answer.done()["files"][0]["action"], "delete"),
        Some(kind) => {
            answer.refused(kind);
        }
    }
    assert_eq!(workspace.has("b.txt"), refused.is_some());
}

#[rstest]
#[case::an_empty_file("empty.txt", true)]
#[case::a_new_file("deep/new.txt", true)]
#[case::a_file_with_text("a.txt", false)]
fn an_empty_search_fills_an_empty_file(#[case] name: &str, #[case] fits: bool) {
    let (_machine, workspace, mut agent) = scene();
    let block = format!("{name}\n<<<<<<< SEARCH\n=======\none\ntwo\n>>>>>>> REPLACE\n");
    let diff = format!("--- a/{name}\n+++ b/{name}\n@@ -0,0 +1,2 @@\n+one\n+two\n");
    for (patch, line) in [(block, 2), (diff, 3)] {
        let answer = agent.call("editd/propose", json!({ "patch": patch }));
        if fits {
            agent.apply(&answer.done()).done();
            assert_eq!(workspace.text(name), "one\ntwo\n");
            workspace.put(name, "");
            if name.contains('/') {
                std::fs::remove_file(workspace.path(name)).expect("the file");
            }
            agent.try_read(name).ok();
        } else {
            let data = answer.refused("bad_patch");
            assert_eq!(data["line"], line, "{data}");
            assert!(data["expected"].as_str().is_some_and(|it| it.contains("context")), "{data}");
            assert_eq!(workspace.text(name), "alpha\n");
        }
    }
}

#[rstest]
#[case::a_file_with_text("a.txt", "bad_patch")]
#[case::a_missing_file("no.txt", "missing")]
fn additions_without_context_are_refused_in(#[case] name: &str, #[case] kind: &str) {
    let (_machine, workspace, mut agent) = scene();
    let patch = format!("*** Begin Patch\n*** Update File: {name}\n@@\n+beta\n*** End Patch\n");
    agent.call("editd/edit", json!({ "patch": patch })).refused(kind);
    assert_eq!(workspace.text("a.txt"), "alpha\n");
    assert!(!workspace.has("no.txt"));
}

#[test]
fn a_deleted_file_can_be_added_again() {
    let (_machine, workspace, mut agent) = scene();
    std::fs::remove_file(workspace.path("a.txt")).expect("a file");
    agent
        .call("editd/edit", json!({ "patch": "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n" }))
        .done();
    assert_eq!(workspace.text("a.txt"), "x\n");
}

#[rstest]
#[case::a_last_line("+one\n", b"one\n")]
#[case::an_empty_last_line("+one\n+\n", b"one\n\n")]
#[case::two_of_them("+one\n+\n+\n", b"one\n\n\n")]
#[case::nothing_else("+\n", b"\n")]
#[case::one_without_its_sign("+one\n\n", b"one\n")]
fn a_new_file_consists_of_the_added_lines(#[case] lines: &str, #[case] bytes: &[u8]) {
    let (_machine, workspace, mut agent) = scene();
    let patch = format!("*** Begin Patch\n*** Add File: new.txt\n{lines}*** End Patch\n");
    agent.call("editd/edit", json!({ "patch": patch })).done();
    assert_eq!(workspace.bytes("new.txt"), bytes);
}

#[test]
fn time_stamps_after_blanks_are_no_part_of_a_name() {
    let (_machine, workspace, mut agent) = scene();
    let diff = "--- /dev/null 1970-01-01 00:00:00.000000000 +0000\n+++ b/d.txt 2024-01-01 00:00:00.000000000 +0000\n\
        @@ -0,0 +1 @@\n+new\n--- a/a.txt 2024-01-01 00:00:00.000000000 +0000\n\
        +++ b/a.txt 2024-01-02 00:00:00.000000000 +0000\n@@ -1 +1 @@\n-alpha\n+ALPHA\n";
    agent.call("editd/edit", json!({ "patch": diff })).done();
    assert_eq!((workspace.text("d.txt").as_str(), workspace.text("a.txt").as_str()), ("new\n", "ALPHA\n"));
}

#[test]
fn a_removal_that_a_diff_marks_by_time_0_deletes_the_file() {
    let (_machine, workspace, mut agent) = scene();
    let diff = "--- old/b.txt\t2024-01-01 00:00:00.000000000 +0100\n\
        +++ b.txt\t1970-01-01 01:00:00.000000000 +0100\n@@ -1,2 +0,0 @@\n-beta\n-two\n";
    let done = agent.call("editd/edit", json!({ "patch": diff })).done();
    assert_eq!(done["files"][0]["action"], "delete");
    assert!(!workspace.has("b.txt"));
}

#[test]
fn a_series_for_one_file_is_applied_in_order() {
    let (_machine, workspace, mut agent) = scene();
    let series = "commit 1\n\n    Add d\n\ndiff --git a/d.txt b/d.txt\nnew file mode 100644\n--- /dev/null\n+++ b/d.txt\n\
        @@ -0,0 +1,2 @@\n+one\n+two\n\ncommit 2\n\n    Change d and b\n\ndiff --git a/d.txt b/d.txt\n--- a/d.txt\n+++ b/d.txt\n\
        @@ -1,2 +1,2 @@\n one\n-two\n+TWO\ndiff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-beta\n+BETA\n two\n\
        \ncommit 3\n\n    Change b again\n\ndiff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-BETA\n+Beta\n two\n";
    agent.call("editd/edit", json!({ "patch": series })).done();
    assert_eq!(
        (workspace.text("d.txt").as_str(), workspace.text("b.txt").as_str()),
        ("one\nTWO\n", "Beta\ntwo\n")
    );
}
