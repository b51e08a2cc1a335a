//! Commands in folders that are no root.

use std::fs;
use std::path::Path;
use std::process::Output;

use rstest::rstest;

use crate::support::{Machine, Workspace};

fn run_in(machine: &Machine, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = machine.command(arguments);
    command.current_dir(folder);
    assert_cmd::Command::from_std(command).write_stdin("one\n").output().expect("editd can be run")
}

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
}

#[rstest]
#[case("proposals")]
#[case("status")]
fn a_command_without_a_file_works_anywhere(#[case] command: &str) {
    let machine = Machine::start();
    for folder in [machine.home().as_path(), Path::new("/"), Path::new("/etc")] {
        assert_code(&run_in(&machine, folder, &[command]), 0);
    }
}

#[test]
fn a_new_folder_directly_below_home_is_written_into() {
    let machine = Machine::start();
    assert_code(&run_in(&machine, &machine.home(), &["write", "new/deep/a.txt"]), 0);
    assert_eq!(fs::read_to_string(machine.home().join("new/deep/a.txt")).expect("the file"), "one\n");
}

#[test]
fn a_new_folder_below_home_does_not_outlive_a_refusal() {
    let machine = Machine::start();
    assert_code(&run_in(&machine, &machine.home(), &["write", "new/.git/a.txt"]), 1);
    assert!(!machine.home().join("new").exists());
}

#[rstest]
#[case("read", &[])]
#[case("edit", &["--old", "a", "--new", "b", "--yes"])]
#[case("write", &["-", "--yes"])]
fn a_folder_is_refused_as_itself(#[case] command: &str, #[case] more: &[&str]) {
    let (machine, workspace) = (Machine::start(), Workspace::file("sub/a.txt", "one\n"));
    fs::create_dir(machine.home().join("project")).expect("a folder");
    for folder in [workspace.absolute("sub"), workspace.absolute("sub/"), "project".to_owned()] {
        let output = run_in(&machine, &machine.home(), &[&[command, &folder][..], more].concat());
        assert_code(&output, 1);
        let said = String::from_utf8_lossy(&output.stderr);
        let name = folder.trim_end_matches('/').rsplit('/').next().expect("a name");
        assert!(said.contains(&format!("{name}`")) && said.contains("a folder"), "{said}");
    }
}
