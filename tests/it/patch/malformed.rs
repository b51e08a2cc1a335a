//! Malformed patches change nothing, and the refusal names the line.

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

#[rstest]
#[case::no_patch("Please close the door.\n", "auto", 1, "a patch")]
#[case::empty("", "auto", 1, "a patch")]
#[case::another_format(
    "x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    "apply_patch",
    1,
    "`*** Begin Patch`"
)]
#[case::cut_block("x\n<<<<<<< SEARCH\na\n=======\nb\n", "auto", 5, "`>>>>>>> REPLACE`")]
#[case::cut_sections("*** Begin Patch\n*** Update File: x\n-a\n+b\n", "auto", 4, "`*** End Patch`")]
#[case::no_names("@@ -1 +1 @@\n-a\n+b\n", "unified_diff", 1, "`--- path` and `+++ path`")]
#[case::mode("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "auto", 2, "modes")]
#[case::binary("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "auto", 2, "binary")]
#[case::good_and_bad(
    "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n--- y\n+++ y\n@@ -1 +1 @@\n",
    "auto",
    8,
    "lines of a hunk"
)]
#[case::no_path("--- \"a/\\000\"\n+++ \"b/\\000\"\n@@ -1 +1 @@\n-a\n", "auto", 1, "a valid path")]
fn the_refusal_names_the_line_and_the_expected_input(
    #[case] text: &str,
    #[case] format: &str,
    #[case] line: u64,
    #[case] expected: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("x", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("x");
    for method in ["editd/propose", "editd/edit"] {
        let params = json!({ "patch": { "format": format, "text": text } });
        let error = agent.call(method, params).expect_err("a refusal");
        assert_eq!(error.kind(), "bad_patch", "{error:?}");
        assert_eq!(error.data["line"], line, "{error:?}");
        let reported = error.data["expected"].as_str().expect("what was expected");
        assert!(reported.contains(expected) && error.message.contains(reported), "{error:?}");
        assert!(error.message.contains(&format!("Line {line} ")), "{error:?}");
    }
    assert_eq!(workspace.text("x"), "a\n");
}

#[test]
fn a_truncated_patch_changes_nothing() {
    let machine = Machine::start();
    let patch = "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n@@ c\n-d\n+e\n*** End Patch\n";
    for (end, _) in patch.match_indices('\n').filter(|(end, _)| end + 1 < patch.len()) {
        let workspace = Workspace::file("x", "a\nc\nd\n");
        let mut agent = machine.agent(&workspace);
        agent.read("x");
        agent.call("editd/edit", json!({ "patch": &patch[..=end] })).refused("bad_patch");
        assert_eq!(workspace.text("x"), "a\nc\nd\n");
    }
}

#[test]
fn a_huge_patch_is_answered() {
    let (machine, workspace) = (Machine::start(), Workspace::file("x", "a\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("x");
    let text = format!("--- x\n+++ x\n@@ -1 +1 @@\n{}", "-- a\n++ b\n\n".repeat(200_000));
    agent.call("editd/edit", json!({ "patch": text })).refused_as_any(&["not_found", "timeout"]);
    assert_eq!(agent.read("x")["text"], "a\n");
}

#[test]
fn a_patch_that_is_too_long_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let mut cut = |kilobytes: usize| {
        let lines = format!("+{}\n", "a".repeat(1022)).repeat(kilobytes);
        agent.call("editd/edit", json!({ "patch": format!("*** Begin Patch\n*** Add File: x\n{lines}") }))
    };
    cut(16 << 10).invalid("patch.text");
    assert_eq!(cut(15 << 10).refused("bad_patch")["line"], (15 << 10) + 2);
}

/// The opening lines of a second block that no format knows, with a line that belongs to its block.
const UNKNOWN: [&str; 9] = [
    "<<<<<<< SEARCH:",
    "<<<<<<< Search",
    "<<<<<<< HEAD",
    "<<<<<<< FIND",
    "<<<<<<< SEARCH y",
    "<<< SEARCH",
    "- <<<<<<< SEARCH",
    "> <<<<<<< SEARCH",
    "*** Update File: y",
];

#[test]
fn no_block_is_dropped_while_others_are_applied() {
    let machine = Machine::start();
    for marker in UNKNOWN {
        for turned in [false, true] {
            let workspace = Workspace::with(&[("x", "a\n"), ("y", "c\n")]);
            let mut agent = machine.agent(&workspace);
            agent.read_all(&["x", "y"]);
            let known = "x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
            let unknown = format!("y\n{marker}\nc\n=======\nd\n>>>>>>> REPLACE\n");
            let text = if turned { format!("{unknown}\n{known}") } else { format!("{known}\n{unknown}") };
            let error = agent
                .call("editd/edit", json!({ "patch": { "format": "search_replace", "text": text } }))
                .expect_err(&text);
            assert_eq!(error.kind(), "bad_patch", "{error:?}");
            let line = text.lines().position(|line| line == marker).expect("the marker") + 1;
            assert_eq!(error.data["line"], line, "{error:?} in {text}");
            assert!(error.message.contains(marker), "{error:?}");
            assert_eq!((workspace.text("x"), workspace.text("y")), ("a\n".to_owned(), "c\n".to_owned()));
        }
    }
}

#[test]
fn a_second_format_in_the_same_text_is_refused() {
    let machine = Machine::start();
    let block = "x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let sections = "*** Begin Patch\n*** Update File: y\n-c\n+d\n*** End Patch\n";
    let diff = "--- a/z\n+++ b/z\n@@ -1 +1 @@\n-e\n+f\n\nThat is it.\n";
    for (first, second) in
        [(block, sections), (sections, block), (block, diff), (sections, diff), (diff, block)]
    {
        let files = [("x", "a\n"), ("y", "c\n"), ("z", "e\n")];
        let workspace = Workspace::with(&files);
        let mut agent = machine.agent(&workspace);
        agent.read_all(&["x", "y", "z"]);
        let patch = format!("{first}\nAnd:\n\n{second}");
        agent.call("editd/edit", json!({ "patch": patch })).refused("bad_patch");
        for (name, text) in files {
            assert_eq!(workspace.text(name), text);
        }
    }
}
