//! Tests of commands in folders that cannot be roots.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;
use serde_json::json;

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
fn a_file_can_be_created_in_a_new_folder_below_home() {
    let machine = Machine::start();
    assert_code(&run_in(&machine, &machine.home(), &["write", "new/deep/a.txt"]), 0);
    assert_eq!(fs::read_to_string(machine.home().join("new/deep/a.txt")).expect("the file"), "one\n");
}

#[test]
fn a_new_folder_below_home_is_removed_after_a_refusal() {
    let machine = Machine::start();
    assert_code(&run_in(&machine, &machine.home(), &["write", "new/.git/a.txt"]), 1);
    assert!(!machine.home().join("new").exists());
}

#[rstest]
#[case("read", &[])]
#[case("edit", &["--old", "a", "--new", "b", "--yes"])]
#[case("write", &["-", "--yes"])]
fn a_refusal_of_a_folder_names_it(#[case] command: &str, #[case] more: &[&str]) {
    let (machine, workspace) = (Machine::start(), Workspace::file("sub/a.txt", "one\n"));
    fs::create_dir(machine.home().join("project")).expect("a folder");
    for folder in [workspace.absolute("sub"), workspace.absolute("sub/"), "project".to_owned()] {
        let output = run_in(&machine, &machine.home(), &[&[command, &folder][..], more].concat());
        assert_code(&output, 1);
        let printed = String::from_utf8_lossy(&output.stderr);
        let name = folder.trim_end_matches('/').rsplit('/').next().expect("a name");
        assert!(printed.contains(&format!("{name}`")) && printed.contains("a folder"), "{printed}");
    }
}

/// Calls the tool `read` of an `editd mcp` whose working folder is gone, and returns its output.
fn read_from_nowhere(machine: &Machine, workspace: &Workspace, arguments: &[&str]) -> String {
    let gone = machine.home().join("gone");
    fs::create_dir(&gone).expect("a folder");
    let client = json!({ "protocolVersion": "2025-06-18", "clientInfo": { "name": "r", "version": "1" }, "capabilities": {} });
    let call = json!({ "name": "read", "arguments": { "path": workspace.absolute("a.txt") } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }),
    ];
    let input = messages.map(|message| format!("{message}\n")).concat();
    let mut command = Command::new("sh");
    let script =
        format!("cd {} && rmdir {0} && exec {} mcp \"$@\"", gone.display(), env!("CARGO_BIN_EXE_editd"));
    command.args(["-c", &script, "sh"]).args(arguments).envs(machine.surroundings());
    let output = assert_cmd::Command::from_std(command).write_stdin(input).output().expect("a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn tools_are_served_if_the_working_folder_is_gone() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let root = workspace.absolute("").trim_end_matches('/').to_owned();
    let printed = read_from_nowhere(&machine, &workspace, &["--root", &root]);
    assert!(printed.contains("one") && !printed.contains("\"isError\":true"), "{printed}");
    let printed = read_from_nowhere(&machine, &workspace, &[]);
    assert!(printed.contains("no longer exists") && printed.contains("editd mcp --root"), "{printed}");
}
