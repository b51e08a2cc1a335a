//! Commands in folders that are no root.

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

/// What `editd mcp` says to a call of `read`, where its working folder is gone.
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
fn tools_are_served_where_the_working_folder_is_gone() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let root = workspace.absolute("").trim_end_matches('/').to_owned();
    let said = read_from_nowhere(&machine, &workspace, &["--root", &root]);
    assert!(said.contains("one") && !said.contains("\"isError\":true"), "{said}");
    let said = read_from_nowhere(&machine, &workspace, &[]);
    assert!(said.contains("not there any more") && said.contains("editd mcp --root"), "{said}");
}
