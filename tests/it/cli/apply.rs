//! `editd apply`: patches from a file or from standard input.

use std::process::Output;

use rstest::rstest;
use serde_json::Value;

use crate::support::{Machine, Workspace, hash_of, plain, type_into};

const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1 @@\n+new\n";
const BLOCKS: &str = "a.txt\n```\n<<<<<<< SEARCH\ntwo\n=======\nzwei\n>>>>>>> REPLACE\n```\nnew/b.txt\n```\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n```\n";
const SECTIONS: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+zwei\n*** Add File: new/b.txt\n+new\n*** End Patch\n";
const BEFORE: &str = "one\r\ntwo\r\nthree\r\n";
const AFTER: &str = "one\r\nzwei\r\nthree\r\n";

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    let printed = [&output.stdout[..], &output.stderr].concat();
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&printed));
}

fn scene(patch: &str) -> (Machine, Workspace) {
    let files = [(".git/HEAD", ""), ("a.txt", BEFORE), ("fix.patch", patch), ("sub/c.txt", "")];
    (Machine::start(), Workspace::with(&files))
}

fn apply_in(
    machine: &Machine,
    workspace: &Workspace,
    folder: &str,
    arguments: &[&str],
    input: &str,
) -> Output {
    let mut command = machine.command(&[&["apply"][..], arguments].concat());
    command.current_dir(workspace.path(folder));
    assert_cmd::Command::from_std(command).write_stdin(input).output().expect("editd can be run")
}

fn apply(machine: &Machine, workspace: &Workspace, arguments: &[&str], input: &str) -> Output {
    apply_in(machine, workspace, "", arguments, input)
}

#[rstest]
#[case::diff(DIFF)]
#[case::blocks(BLOCKS)]
#[case::sections(SECTIONS)]
fn yes_applies_a_patch_of_any_format(#[case] patch: &str) {
    let (machine, workspace) = scene(patch);
    let output = apply(&machine, &workspace, &["fix.patch", "--yes"], "");
    assert_code(&output, 0);
    assert_eq!((workspace.text("a.txt"), workspace.text("new/b.txt")), (AFTER.into(), "new\n".into()));
    let printed = plain(&String::from_utf8_lossy(&output.stdout));
    assert!(printed.contains("edited") && printed.contains("created"), "{printed}");
}

#[rstest]
#[case::by_default(&["--yes"])]
#[case::by_name(&["-", "-y", "--format", "unified_diff"])]
fn the_patch_may_come_from_standard_input(#[case] arguments: &[&str]) {
    let (machine, workspace) = scene("");
    assert_code(&apply(&machine, &workspace, arguments, &format!("Here:\n\n{DIFF}")), 0);
    assert_eq!(workspace.text("a.txt"), AFTER);
}

#[test]
fn paths_begin_here_or_at_the_top_of_the_repository() {
    let (machine, workspace) = scene(DIFF);
    assert_code(&apply_in(&machine, &workspace, "sub", &["../fix.patch", "--yes"], ""), 0);
    assert_eq!((workspace.text("a.txt"), workspace.text("new/b.txt")), (AFTER.into(), "new\n".into()));
    workspace.put("sub/a.txt", BEFORE);
    assert_code(&apply_in(&machine, &workspace, "sub", &["../fix.patch", "--yes"], ""), 0);
    assert_eq!(
        (workspace.text("sub/a.txt"), workspace.text("sub/new/b.txt")),
        (AFTER.into(), "new\n".into())
    );
}

#[test]
fn absolute_paths_lead_to_their_repository() {
    let (machine, workspace) = scene("");
    let patch =
        SECTIONS.replace("a.txt", &workspace.absolute("a.txt")).replace("new/", &workspace.absolute("new/"));
    assert_code(&machine.run_with_input(&["apply", "--yes"], &patch), 0);
    assert_eq!(workspace.text("a.txt"), AFTER);
}

#[test]
fn without_terminal_yes_or_bases_a_patch_is_unread() {
    let (machine, workspace) = scene(DIFF);
    let before = workspace.everything();
    let output = apply(&machine, &workspace, &["fix.patch"], "");
    assert_code(&output, 1);
    assert!(String::from_utf8_lossy(&output.stderr).contains("read"));
    let other = format!("a.txt={}", hash_of("other"));
    assert_code(&apply(&machine, &workspace, &["fix.patch", "--base", &other], ""), 1);
    assert_eq!(workspace.everything(), before);
    let base = format!("a.txt={}", hash_of(BEFORE));
    assert_code(&apply(&machine, &workspace, &["fix.patch", "--base", &base], ""), 0);
    assert_eq!(workspace.text("a.txt"), AFTER);
}

#[test]
fn files_that_are_too_long_for_one_read_can_be_deleted_and_renamed() {
    let (machine, workspace) = scene("");
    workspace.put("long.txt", "line\n".repeat(5_000));
    workspace.put("gone.txt", "line\n".repeat(5_000));
    let patch = "*** Begin Patch\n*** Delete File: gone.txt\n*** Update File: long.txt\n*** Move to: moved.txt\n*** End Patch\n";
    assert_code(&apply(&machine, &workspace, &["--yes"], patch), 0);
    assert!(workspace.has("moved.txt") && !workspace.has("gone.txt") && !workspace.has("long.txt"));
}

#[test]
fn all_errors_are_reported_and_nothing_is_changed() {
    let (machine, workspace) = scene(&format!("{DIFF}--- x\n+++ x\n@@ -1 +1 @@\n-a\n"));
    let before = workspace.everything();
    let output = apply(&machine, &workspace, &["fix.patch", "--yes", "--output", "json"], "");
    assert_code(&output, 1);
    let printed: Value = serde_json::from_slice(&output.stderr).expect("JSON and nothing else");
    assert_eq!(printed["error"]["data"]["kind"], "missing");
    workspace.put("a.txt", "else\n");
    let output = apply(&machine, &workspace, &["fix.patch", "--yes"], "");
    assert_code(&output, 1);
    let printed = plain(&String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("hunk at line 3") && printed.contains("does not exist"), "{printed}");
    workspace.put("a.txt", BEFORE);
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_malformed_patch_is_refused_with_its_line() {
    let (machine, workspace) = scene("*** Begin Patch\n*** Update File: a.txt\n-two\n");
    let output = apply(&machine, &workspace, &["fix.patch", "--yes"], "");
    assert_code(&output, 1);
    let printed = plain(&String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("Line 3 of the patch") && printed.contains("*** End Patch"), "{printed}");
}

#[test]
fn json_output_is_what_the_method_returns() {
    let (machine, workspace) = scene(DIFF);
    let output = apply(&machine, &workspace, &["fix.patch", "--yes", "--output", "json"], "");
    assert_code(&output, 0);
    let applied: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!((&applied["state"], &applied["files"][1]["action"]), (&"applied".into(), &"create".into()));
}

#[rstest]
#[case::no_such_format(&["--format", "ed", "--yes"], 2)]
#[case::a_base_without_a_path(&["--base", "b3:00", "--yes"], 2)]
#[case::two_patches(&["fix.patch", "fix.patch"], 2)]
#[case::no_such_file(&["no.patch", "--yes"], 1)]
fn usage_errors_have_their_own_exit_code(#[case] arguments: &[&str], #[case] code: i32) {
    let (machine, workspace) = scene(DIFF);
    assert_code(&apply(&machine, &workspace, arguments, ""), code);
    assert_eq!(workspace.text("a.txt"), BEFORE);
}

#[test]
fn a_patch_that_is_not_utf_8_is_refused() {
    let (machine, workspace) = scene("");
    workspace.put("fix.patch", b"--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+\xff\n");
    assert_code(&apply(&machine, &workspace, &["fix.patch", "--yes"], ""), 1);
    assert_eq!(workspace.text("a.txt"), BEFORE);
}

#[rstest]
#[case("y\r", 0, AFTER)]
#[case("n\r", 3, BEFORE)]
fn on_a_terminal_the_diff_is_shown_before_the_question(
    #[case] answer: &str,
    #[case] code: i32,
    #[case] after: &str,
) {
    let (machine, workspace) = scene(SECTIONS);
    let patch =
        SECTIONS.replace("a.txt", &workspace.absolute("a.txt")).replace("new/", &workspace.absolute("new/"));
    workspace.put("fix.patch", patch);
    let typed = type_into(&machine, &["apply", &workspace.absolute("fix.patch")], answer, &[]);
    assert_eq!(typed.code, code, "{}", typed.shown);
    let shown = plain(&typed.shown);
    for line in ["-two", "+zwei", "+new", "Apply this change?"] {
        assert!(shown.lines().any(|shown| shown.starts_with(line)), "{line} in {shown}");
    }
    assert!(typed.shown.contains("\u{1b}["), "in colours: {:?}", typed.shown);
    assert_eq!(workspace.text("a.txt"), after);
    assert_eq!(workspace.has("new/b.txt"), code == 0);
}

#[test]
fn an_empty_patch_is_an_error() {
    let (machine, workspace) = scene("");
    let output = apply(&machine, &workspace, &["--yes"], "\n");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(1)
            && printed.contains("there is no patch")
            && !printed.contains("Line 1"),
        "{printed}"
    );
}
