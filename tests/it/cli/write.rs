//! Tests of `editd write` from a file or from standard input.

use std::process::Output;

use crate::support::{Machine, Workspace};

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    let printed = [&output.stdout[..], &output.stderr].concat();
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&printed));
}

#[test]
fn a_new_file_is_created_with_its_folders() {
    let (machine, workspace) = (Machine::start(), Workspace::file("from", "one\n"));
    let (to, from) = (workspace.absolute("new/deep/a.txt"), workspace.absolute("from"));
    assert_code(&machine.run(&["write", &to, &from]), 0);
    assert_eq!(workspace.text("new/deep/a.txt"), "one\n");
}

#[test]
fn an_existing_file_is_only_overwritten_with_yes() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "a\r\nb\r\n"), ("from", "a\nc\n")]));
    let (to, from) = (workspace.absolute("a.txt"), workspace.absolute("from"));
    assert_code(&machine.run(&["write", &to, &from]), 1);
    assert_eq!(workspace.text("a.txt"), "a\r\nb\r\n");
    assert_code(&machine.run(&["write", &to, &from, "--yes"]), 0);
    assert_eq!(workspace.text("a.txt"), "a\r\nc\r\n");
}

#[test]
fn the_content_comes_from_standard_input_by_default() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let output = machine.run_with_input(&["write", &workspace.absolute("a.txt")], "h\u{e9}\n");
    assert_code(&output, 0);
    assert_eq!(workspace.text("a.txt"), "h\u{e9}\n");
}

#[test]
fn content_that_is_not_utf_8_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("from", b"\xff\n"));
    let (to, from) = (workspace.absolute("b.txt"), workspace.absolute("from"));
    assert_code(&machine.run(&["write", &to, &from]), 1);
    assert!(!workspace.path("b.txt").exists());
}
