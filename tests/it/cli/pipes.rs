//! Tests that a closed standard output is not an error.

use rstest::rstest;

use crate::support::{Machine, Workspace};

/// Runs a command whose standard output is closed. Returns its exit code and its standard error.
fn unread(machine: &Machine, arguments: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = machine.command(arguments);
    let output =
        command.stdout(writer).stdin(std::process::Stdio::null()).output().expect("editd can be run");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[rstest]
#[case::for_people(&[])]
#[case::for_programs(&["--output", "json"])]
fn a_change_is_made_with_a_closed_output(#[case] more: &[&str]) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let arguments = [&["edit", &path, "--old", "one", "--new", "two", "--yes"][..], more].concat();
    assert_eq!(unread(&machine, &arguments), (Some(0), String::new()));
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[rstest]
#[case(&["completions", "bash"])]
#[case(&["status"])]
#[case(&["proposals"])]
#[case(&["doctor"])]
#[case(&["stop"])]
fn a_command_succeeds_with_a_closed_output(#[case] arguments: &[&str]) {
    let machine = Machine::start();
    let (code, stderr) = unread(&machine, arguments);
    // A note about an empty list goes to standard error.
    assert!(code == Some(0) && !stderr.contains("editd: "), "{stderr}");
}

#[test]
fn a_text_longer_than_a_pipe_buffer_may_stay_unread() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "line\n".repeat(2_000)));
    let (code, stderr) = unread(&machine, &["read", &workspace.absolute("a.txt")]);
    assert_eq!(code, Some(0), "{stderr}");
}
