//! Tests of file names that are not UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Output;

use crate::support::{Machine, Workspace};

/// Displayed form of a name that is not UTF-8.
const SHOWN: &str = "\u{fffd}.txt";

fn run(machine: &Machine, command: &str, path: &Path, more: &[&str]) -> Output {
    let mut command = machine.command(&[command]);
    command.arg(path).args(more);
    let output = assert_cmd::Command::from_std(command).write_stdin("three\n").output();
    let output = output.expect("editd can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn a_file_whose_name_is_not_utf_8_can_be_read_and_changed() {
    let (machine, workspace) = (Machine::start(), Workspace::file(SHOWN, "another\n"));
    let path = workspace.root().join(OsStr::from_bytes(b"\xff.txt"));
    fs::write(&path, "one\n").expect("a file");
    assert_eq!(run(&machine, "read", &path, &[]).stdout, b"one\n");
    run(&machine, "edit", &path, &["--old", "one", "--new", "two", "--yes"]);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "two\n");
    run(&machine, "write", &path, &["-", "--yes"]);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "three\n");
    let new = workspace.root().join(OsStr::from_bytes(b"\xfe.txt"));
    run(&machine, "write", &new, &[]);
    assert_eq!(fs::read_to_string(&new).expect("the file"), "three\n");
    assert_eq!(workspace.text(SHOWN), "another\n");
    assert_eq!(workspace.everything().len(), 3);
}
