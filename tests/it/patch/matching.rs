//! Matching of hunks, and the bytes that they leave unchanged.

use rstest::rstest;
use serde_json::json;

use crate::support::{Answer, Machine, Outcome, Workspace, numbered_lines};

fn apply(before: impl AsRef<[u8]>, patch: &str) -> (Answer, Vec<u8>) {
    let (machine, workspace) = (Machine::start(), Workspace::file("x", before));
    let mut agent = machine.agent(&workspace);
    agent.read("x");
    (agent.call("editd/edit", json!({ "patch": patch })), workspace.bytes("x"))
}

#[track_caller]
fn assert_result(before: &str, patch: &str, after: &str) {
    let (answer, bytes) = apply(before, patch);
    answer.done();
    assert_eq!(String::from_utf8_lossy(&bytes), after);
}

fn diff(hunks: &str) -> String {
    format!("--- a/x\n+++ b/x\n{hunks}")
}

fn sections(chunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: x\n{chunks}*** End Patch\n")
}

fn block(old: &str, new: &str) -> String {
    format!("x\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
}

#[rstest]
#[case::diff(diff("@@ -9 +9 @@\n a\n-b\n+B\n c\n"))]
#[case::sections(sections("@@\n a\n-b\n+B\n c\n"))]
#[case::block(block("a\nb\nc\n", "a\nB\nc\n"))]
fn line_endings_and_invalid_bytes_are_kept(#[case] patch: String) {
    let before = b"\xef\xbb\xbfa  \r\nb\r\nc\t\r\n\xff odd\rend";
    let (answer, bytes) = apply(before, &patch);
    answer.done();
    assert_eq!(bytes, b"\xef\xbb\xbfa  \r\nB\r\nc\t\r\n\xff odd\rend");
    let (answer, bytes) = apply(b"a\r\nb\r\nc\r\n", &patch.replace('\n', "\r\n"));
    answer.done();
    assert_eq!(bytes, b"a\r\nB\r\nc\r\n");
}

#[test]
fn wrong_line_numbers_and_counts_do_not_matter() {
    let before = numbered_lines(40);
    let after = before.replace("line 20\n", "line twenty\n").replace("line 30\n", "");
    let hunks = "@@ -1,9 +99,1 @@ some heading\n line 19\n-line 20\n+line twenty\n line 21\n@@ -2 +2 @@\n line 29\n-line 30\n";
    assert_result(&before, &diff(hunks), &after);
}

#[rstest]
#[case::diff(diff("@@ -4 +4 @@\n-same\n+other\n"))]
#[case::numbers_among_sections(sections("@@ -4,1 +4,1 @@\n-same\n+other\n"))]
#[case::context(sections("@@ [two]\n-same\n+other\n"))]
#[case::end(sections("@@\n-same\n+other\n*** End of File\n"))]
fn equal_lines_are_disambiguated(#[case] patch: String) {
    assert_result("[one]\nsame\n[two]\nsame\n", &patch, "[one]\nsame\n[two]\nother\n");
}

#[rstest]
#[case::a_line_between(diff("@@ -3 +3 @@\n-same\n+other\n"))]
#[case::no_line(diff("@@\n-same\n+other\n"))]
#[case::sections(sections("@@\n-same\n+other\n"))]
#[case::block(block("same\n", "other\n"))]
fn equal_lines_without_a_clue_are_ambiguous(#[case] patch: String) {
    let before = "[one]\nsame\n[two]\nsame\n";
    let (answer, bytes) = apply(before, &patch);
    let data = answer.refused("ambiguous");
    assert!(data["patchLine"].is_u64(), "{data}");
    assert_eq!(bytes, before.as_bytes());
}

#[rstest]
#[case::diff(diff("@@ -1 +1 @@\n-b\n+c\n"))]
#[case::sections(sections("-b\n+c\n"))]
#[case::block(block("b\n", "c\n"))]
fn hunks_match_whole_lines(#[case] patch: String) {
    assert_result("ab\nb\nbb\n", &patch, "ab\nc\nbb\n");
    let (answer, bytes) = apply("ab\nbb\n", &patch);
    answer.refused("not_found");
    assert_eq!(bytes, b"ab\nbb\n");
}

#[rstest]
#[case::after_a_line(sections("@@ def f():\n+    b()\n"), "def f():\n    b()\n    a()\n")]
#[case::at_the_end(sections("@@\n+    b()\n*** End of File\n"), "def f():\n    a()\n    b()\n")]
#[case::with_context(sections(" def f():\n+    b()\n"), "def f():\n    b()\n    a()\n")]
fn additions_are_inserted_at_their_context(#[case] patch: String, #[case] after: &str) {
    assert_result("def f():\n    a()\n", &patch, after);
}

#[test]
fn missing_context_is_not_found() {
    let (answer, _) = apply("a\nb\n", &sections("@@ class A:\n-b\n"));
    let data = answer.refused("not_found");
    assert!(data["hint"].as_str().is_some_and(|hint| hint.contains("context line")), "{data}");
}

#[rstest]
#[case::added("a\nb", diff("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"), "a\nc\n")]
#[case::removed("a\nb\n", diff("@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"), "a\nc")]
#[case::kept("a\nb", diff("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), "a\nc")]
fn the_final_line_ending_follows_the_diff(#[case] before: &str, #[case] patch: String, #[case] after: &str) {
    assert_result(before, &patch, after);
}

#[rstest]
#[case::diff(diff("@@ -1,3 +1,3 @@\n if a:\n-  b(\"x\")\n+  b(\"y\")\n"))]
#[case::block(block("if a:\n  b(\"x\")\n", "if a:\n  b(\"y\")\n"))]
fn hunks_have_the_tolerance_of_all_edits(#[case] patch: String) {
    assert_result("if a:\n\tb(“x”)\n", &patch, "if a:\n\tb(“y”)\n");
    let (machine, workspace) = (Machine::start(), Workspace::file("x", "if a:\n\tb(“x”)\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("x");
    agent.call("editd/edit", json!({ "patch": patch, "matching": "exact" })).refused("not_found");
}

#[test]
fn a_patch_that_is_already_applied_is_reported() {
    let (answer, _) = apply("a\nc\nd\n", &diff("@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"));
    assert_eq!(answer.refused("not_found")["alreadyApplied"], true);
    let (answer, _) = apply("a\nb\n", &diff("@@ -1,2 +1,2 @@\n a\n b\n"));
    answer.refused("no_change");
}

#[rstest]
#[case::diff(diff("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -2,4 +2,4 @@\n b\n c\n-d\n+D\n e\n"))]
#[case::sections(sections("@@\n a\n-b\n+B\n c\n@@\n c\n-d\n+D\n"))]
#[case::blocks(block("a\nb\nc\n", "a\nB\nc\n") + &block("c\nd\n", "c\nD\n"))]
fn hunks_may_share_context(#[case] patch: String) {
    assert_result("a\nb\nc\nd\ne\n", &patch, "a\nB\nc\nD\ne\n");
}

#[rstest]
#[case::diff(diff("@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -2,2 +2,2 @@\n-b\n+C\n c\n"), "contradiction")]
#[case::blocks(block("a\nb\n", "A\nB\n") + &block("b\nc\n", "X\nY\n"), "overlap")]
fn hunks_may_not_share_changed_lines(#[case] patch: String, #[case] kind: &str) {
    let (answer, bytes) = apply("a\nb\nc\n", &patch);
    answer.refused(kind);
    assert_eq!(bytes, b"a\nb\nc\n");
}

#[rstest]
#[case::context(sections("@@\n [two]\n@@\n-same\n+other\n"), "[one]\nsame\n[two]\nother\n[three]\nsame\n", 2)]
#[case::a_named_line(sections("@@ [two]\n-same\n+other\n"), "[one]\nsame\n[two]\nother\n[three]\nsame\n", 2)]
#[case::as_many_hunks(
    sections("@@\n-same\n+1\n@@\n-same\n+2\n@@\n-same\n+3\n"),
    "[one]\n1\n[two]\n2\n[three]\n3\n",
    2
)]
fn hunks_of_sections_are_in_order(#[case] patch: String, #[case] after: &str, #[case] number: usize) {
    let before = "[one]\nsame\n[two]\nsame\n[three]\nsame\n";
    let (answer, bytes) = apply(before, &patch);
    let answer = answer.done();
    assert_eq!(String::from_utf8_lossy(&bytes), after);
    let said = format!("in 3 places; this is number {number}");
    assert!(answer["files"][0]["warnings"].to_string().contains(&said), "{answer}");
}

#[test]
fn an_end_with_a_blank_before_it_is_an_end() {
    assert_result("a\nb\n", "*** Begin Patch\n*** Update File: x\n@@\n-b\n+c\n *** End Patch", "a\nc\n");
}
