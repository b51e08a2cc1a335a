//! `editd edit --lines`, `editd move` and `editd read --anchored`.

use std::process::Output;

use rstest::rstest;

use super::edits::TEXT;
use crate::support::{Machine, Workspace};

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("a.txt", TEXT))
}

#[track_caller]
fn succeeds(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    out.into_owned()
}

/// Reads a file and returns the first line of the output.
fn anchor(machine: &Machine, path: &str) -> String {
    let out = succeeds(&machine.run(&["read", "--anchored", path]));
    out.lines().next().expect("an anchor").to_owned()
}

#[rstest]
#[case::replaced(&["--lines", "2-3", "--new", "x"], "one\nx\nfour\nfive\n")]
#[case::deleted(&["--lines", "2-3", "--delete"], "one\nfour\nfive\n")]
#[case::inserted(&["--after", "0", "--new", "zero"], "zero\none\ntwo\nthree\nfour\nfive\n")]
#[case::inserted_before(&["--before", "5", "--new", "x", "--first", "five"], "one\ntwo\nthree\nfour\nx\nfive\n")]
fn lines_are_edited(#[case] arguments: &[&str], #[case] after: &str) {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    succeeds(&machine.run(&[&["edit", &path, "--yes"], arguments].concat()));
    assert_eq!(workspace.text("a.txt"), after);
}

#[test]
fn the_tag_of_a_read_names_the_version() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let anchor = anchor(&machine, &path);
    let (name, tag) = anchor.split_once('#').expect("a tag");
    assert_eq!((name, tag.len()), ("a.txt", 6));
    workspace.put("a.txt", format!("zero\n{TEXT}"));
    let tagged = format!("{path}#{tag}");
    succeeds(&machine.run(&["edit", &tagged, "--lines", "2", "--new", "2"]));
    assert_eq!(workspace.text("a.txt"), "zero\none\n2\nthree\nfour\nfive\n");
    succeeds(&machine.run(&["move", &tagged, "4", "--after", "0"]));
    assert_eq!(workspace.text("a.txt"), "four\nzero\none\n2\nthree\nfive\n");
    let refused = machine.run(&["edit", &tagged, "--lines", "9", "--new", "x"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--after 5"), "{refused:?}");
}

#[test]
fn lines_are_moved_and_copied() {
    let (machine, workspace) = scene();
    workspace.put("b.txt", "{\n\tb\n}\n");
    let [a, b] = ["a.txt", "b.txt"].map(|name| workspace.absolute(name));
    succeeds(&machine.run(&["move", &a, "1-2", "--to", &b, "--after", "1", "--reindent", "--yes"]));
    assert_eq!(workspace.text("a.txt"), "three\nfour\nfive\n");
    assert_eq!(workspace.text("b.txt"), "{\n\tone\n\ttwo\n\tb\n}\n");
    succeeds(&machine.run(&["move", &a, "3", "--before", "1", "--copy", "--yes"]));
    assert_eq!(workspace.text("a.txt"), "five\nthree\nfour\nfive\n");
    succeeds(&machine.run(&["undo", "--path", &a, "--yes"]));
    assert_eq!(workspace.text("a.txt"), "three\nfour\nfive\n");
}

#[rstest]
#[case::no_place(&["edit", "a.txt", "--new", "x"])]
#[case::two_places(&["edit", "a.txt", "--old", "x", "--lines", "1", "--new", "x"])]
#[case::delete_without_lines(&["edit", "a.txt", "--old", "x", "--delete"])]
#[case::all_with_lines(&["edit", "a.txt", "--lines", "1", "--new", "x", "--all"])]
#[case::no_new_place(&["move", "a.txt", "1"])]
fn wrong_arguments_are_usage_errors(#[case] arguments: &[&str]) {
    let (machine, _workspace) = scene();
    assert_eq!(machine.run(arguments).status.code(), Some(2));
}
