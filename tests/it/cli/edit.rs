//! Tests of `editd edit` without a terminal.

use std::fs;
use std::process::{Output, Stdio};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Workspace, hash_of, numbered_lines};

fn printed(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", printed(output));
}

fn edit(machine: &Machine, path: &str, more: &[&str]) -> Output {
    machine.run(&[&["edit", path][..], more].concat())
}

#[test]
fn yes_edits_without_asking() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\r\ntwo  \nthree"));
    let path = workspace.absolute("a.txt");
    assert_code(&edit(&machine, &path, &["--old", "two", "--new", "2", "--yes"]), 0);
    assert_eq!(workspace.text("a.txt"), "one\r\n2  \nthree");
}

#[test]
fn tolerant_matches_are_reported_on_standard_error() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "zero\na\tb\n"));
    let path = workspace.absolute("a.txt");
    let output = edit(&machine, &path, &["--old", "a b", "--new", "c d", "--yes"]);
    assert_code(&output, 0);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.contains("note: matched by inner_space at line 2\n"), "{notes}");
    assert!(notes.contains("note: line 2: ") && !notes.contains("edit 0"), "{notes}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("note"), "{}", printed(&output));
    let output = edit(&machine, &path, &["--old", "zero", "--new", "0", "--yes"]);
    assert_code(&output, 0);
    assert!(output.stderr.is_empty(), "{}", printed(&output));
}

#[test]
fn without_terminal_yes_or_base_a_file_is_unread() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let output = edit(&machine, &workspace.absolute("a.txt"), &["--old", "one", "--new", "two"]);
    assert_code(&output, 1);
    assert!(String::from_utf8_lossy(&output.stderr).to_lowercase().contains("read"), "{}", printed(&output));
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_base_replaces_yes() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let base = hash_of("one\n");
    assert_code(&edit(&machine, &path, &["--old", "one", "--new", "two", "--base", &base]), 0);
    assert_eq!(workspace.text("a.txt"), "two\n");
    let output = edit(&machine, &path, &["--old", "two", "--new", "three", "--base", &base]);
    assert_code(&output, 1);
    assert!(!output.stderr.is_empty());
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn a_stale_base_is_refused_with_the_diff_and_the_current_hash() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    assert_code(&machine.run(&["read", &path]), 0);
    workspace.put("a.txt", "one\nmore\n");
    let edit_from = |base: &str| edit(&machine, &path, &["--old", "one", "--new", "1", "--base", base]);
    let output = edit_from(&hash_of("one\n"));
    assert_code(&output, 1);
    let (now, stderr) = (hash_of("one\nmore\n"), String::from_utf8_lossy(&output.stderr));
    assert!(stderr.contains("\n+more\n"), "{stderr}");
    assert!(stderr.contains("--base") && stderr.ends_with(&format!("\n{now}\n")), "{stderr}");
    assert_code(&edit_from(&now), 0);
    assert_eq!(workspace.text("a.txt"), "1\nmore\n");
}

#[test]
fn an_unknown_base_is_refused_with_the_current_hash() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let output = edit(&machine, &path, &["--old", "one", "--new", "1", "--base", &hash_of("other\n")]);
    assert_code(&output, 1);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("--base") && stderr.ends_with(&format!("\n{}\n", hash_of("one\n"))), "{stderr}");
}

#[rstest]
#[case::all(&["--all"], 0, "x b x\n")]
#[case::the_expected_number(&["--expect", "2"], 0, "x b x\n")]
#[case::another_number(&["--expect", "3"], 1, "a b a\n")]
#[case::one_of_two(&[], 1, "a b a\n")]
fn the_number_of_occurrences_is_checked(#[case] count: &[&str], #[case] code: i32, #[case] after: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a b a\n"));
    let arguments = [&["--old", "a", "--new", "x", "--yes"][..], count].concat();
    assert_code(&edit(&machine, &workspace.absolute("a.txt"), &arguments), code);
    assert_eq!(workspace.text("a.txt"), after);
}

#[rstest]
#[case::nothing(&[])]
#[case::no_new_text(&["a.txt", "--old", "one", "--yes"])]
#[case::no_old_text(&["a.txt", "--new", "one", "--yes"])]
#[case::no_path(&["--old", "one", "--new", "two", "--yes"])]
#[case::an_unknown_option(&["a.txt", "--old", "one", "--new", "two", "--yes", "--colour-me"])]
#[case::no_number(&["a.txt", "--old", "one", "--new", "two", "--yes", "--expect", "many"])]
#[case::two_counts(&["a.txt", "--old", "one", "--new", "two", "--yes", "--all", "--expect", "2"])]
fn usage_errors_have_their_own_exit_code(#[case] arguments: &[&str]) {
    let machine = Machine::start();
    fs::write(machine.home().join("a.txt"), "one\n").expect("a file");
    let output = machine.run(&[&["edit"][..], arguments].concat());
    assert_code(&output, 2);
    assert!(!output.stderr.is_empty());
    assert_eq!(fs::read_to_string(machine.home().join("a.txt")).expect("the file"), "one\n");
}

#[rstest]
#[case::absent(&["--old", "absent", "--new", "x"])]
#[case::no_change(&["--old", "one", "--new", "one"])]
#[case::empty_old_text(&["--old", "", "--new", "x"])]
fn a_refusal_goes_to_standard_error(#[case] arguments: &[&str]) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let arguments = [arguments, &["--yes"]].concat();
    let output = edit(&machine, &workspace.absolute("a.txt"), &arguments);
    assert_code(&output, 1);
    assert!(!output.stderr.is_empty());
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_missing_file_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let output = edit(&machine, &workspace.absolute("no.txt"), &["--old", "a", "--new", "b", "--yes"]);
    assert_code(&output, 1);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no.txt"), "{}", printed(&output));
}

#[test]
fn json_output_is_what_the_method_returns() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let arguments = ["--old", "one", "--new", "two", "--yes", "--output", "json"];
    let output = edit(&machine, &workspace.absolute("a.txt"), &arguments);
    assert_code(&output, 0);
    let applied: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(applied["state"], "applied");
    assert_eq!(applied["files"][0]["hash"], hash_of("two\n"));
}

#[test]
fn a_relative_path_is_relative_to_the_working_folder() {
    let (machine, workspace) = (Machine::start(), Workspace::file("sub/a.txt", "one\n"));
    let mut command = machine.command(&["edit", "../sub/a.txt", "--old", "one", "--new", "two", "--yes"]);
    command.current_dir(workspace.path("sub"));
    let output = assert_cmd::Command::from_std(command).output().expect("editd can be run");
    assert_code(&output, 0);
    assert_eq!(workspace.text("sub/a.txt"), "two\n");
}

#[test]
fn a_file_directly_in_the_home_folder_can_be_edited() {
    let machine = Machine::start();
    fs::write(machine.home().join("notes.txt"), "one\n").expect("a file");
    assert_code(&edit(&machine, "notes.txt", &["--old", "one", "--new", "two", "--yes"]), 0);
    assert_eq!(fs::read_to_string(machine.home().join("notes.txt")).expect("the file"), "two\n");
}

#[test]
fn a_file_in_a_repository_is_edited() {
    let machine = Machine::start();
    let workspace = Workspace::with(&[(".git/HEAD", "ref: refs/heads/main\n"), ("deep/down/a.txt", "one\n")]);
    let path = workspace.absolute("deep/down/a.txt");
    assert_code(&edit(&machine, &path, &["--old", "one", "--new", "two", "--yes"]), 0);
    assert_eq!(workspace.text("deep/down/a.txt"), "two\n");
    let head = workspace.absolute(".git/HEAD");
    assert_code(&edit(&machine, &head, &["--old", "main", "--new", "x", "--yes"]), 1);
    assert_eq!(workspace.text(".git/HEAD"), "ref: refs/heads/main\n");
}

#[test]
fn parameters_can_be_json() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let params = json!({
        "path": workspace.absolute("a.txt"), "baseHash": hash_of("one\ntwo\n"),
        "edits": [{ "oldText": "one", "newText": "1" }, { "oldText": "two", "newText": "2" }],
    });
    let output = machine.run_with_input(&["edit", "--json", "-"], &params.to_string());
    assert_code(&output, 0);
    assert_eq!(workspace.text("a.txt"), "1\n2\n");
}

#[test]
fn text_that_looks_like_options_is_taken_literally() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "--all\n-x\n"));
    let path = workspace.absolute("a.txt");
    assert_code(&edit(&machine, &path, &["--old=--all\n-x", "--new=--yes\n$1", "--yes"]), 0);
    assert_eq!(workspace.text("a.txt"), "--yes\n$1\n");
}

#[test]
fn sixty_concurrent_edits_of_one_file_all_succeed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(60)));
    let path = workspace.absolute("a.txt");
    let start = |number: usize| {
        let (old, new) = (format!("line {number}\n"), format!("LINE {number}\n"));
        let mut command = machine.command(&["edit", &path, "--old", &old, "--new", &new, "--yes"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("editd runs")
    };
    let running: Vec<_> = (1..=60).map(start).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(workspace.text("a.txt"), numbered_lines(60).replace("line", "LINE"));
}

#[test]
fn an_edit_with_a_base_is_not_retried() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let base = hash_of("none\n");
    let output = machine.run(&["edit", &path, "--old", "one", "--new", "two", "--yes", "--base", &base]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has changed in the meantime"));
    assert_eq!(workspace.text("a.txt"), "one\n");
}
