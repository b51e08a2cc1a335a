//! Events that editd cannot judge: without a daemon, of an unknown form, or outside of projects.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use super::claude::{Claude, refused};
use crate::support::{Machine, Workspace, eventually};

#[rstest]
#[case::none(&["--no-spawn"], 0o700)]
#[case::refusing_to_start(&[], 0o755)]
fn without_a_daemon_the_tool_runs_and_the_user_is_warned_once(
    #[case] options: &[&str],
    #[case] runtime: u32,
) {
    let workspace = Workspace::file("a.txt", "one\n");
    let machine = Machine::asleep("");
    // The daemon does not use a folder with content that others may enter.
    fs::create_dir(machine.runtime()).expect("a folder");
    fs::write(machine.runtime().join("other"), "").expect("a file");
    fs::set_permissions(machine.runtime(), Permissions::from_mode(runtime)).expect("permissions");
    let arguments = [&["hook", "claude"], options].concat();
    let report = || {
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": workspace.root().to_str(),
            "tool_name": "Write", "tool_use_id": "t",
            "tool_input": { "file_path": workspace.absolute("a.txt"), "content": "x" },
        });
        let output = machine.run_with_input(&arguments, &event.to_string());
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()
    };
    let warning = report()["systemMessage"].as_str().expect("a warning").to_owned();
    assert!(warning.contains("editd does not check changes now"), "{warning}");
    assert_eq!(report(), Value::Null, "the second time, nothing is said");
    machine.write_config("review = \"always\"\n");
    assert_eq!(report()["hookSpecificOutput"]["permissionDecision"], "deny");
    machine.write_config("review = \"always\"\n[gate]\nfail_open = true\n");
    assert_eq!(report(), Value::Null);
}

#[test]
fn what_is_not_known_is_let_through() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = Claude::new(&machine, &workspace);
    for event in ["", "no json", "[]", "{}", r#"{ "hook_event_name": "PreToolUse", "tool_name": "Edit" }"#] {
        let output = machine.run_with_input(&["hook", "claude"], event);
        assert!(output.status.success() && output.stdout.is_empty(), "{event}: {output:?}");
    }
    let other = json!({ "tool_name": "Bash", "tool_use_id": "t", "tool_input": { "command": "ls" } });
    assert_eq!(claude.report("PreToolUse", other), Value::Null);
    let notices = fs::read_dir(machine.state().join("notices")).unwrap().count();
    assert_eq!(notices, 2, "one for each unknown form");
}

#[test]
fn a_file_outside_of_projects_is_left_to_the_program() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let claude = Claude::new(&machine, &workspace);
    let event = json!({
        "tool_name": "Write", "tool_use_id": "t",
        "tool_input": { "file_path": "/etc/editd-test", "content": "x" },
    });
    assert_eq!(claude.report("PreToolUse", event), Value::Null);
}

#[test]
fn a_daemon_that_hangs_does_not_stop_the_tool() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": workspace.root().to_str(), "tool_name": "Write",
        "tool_use_id": "t", "tool_input": { "file_path": workspace.absolute("a.txt"), "content": "x" },
    });
    let command = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": workspace.root().to_str(), "tool_name": "Bash",
        "tool_use_id": "t", "tool_input": { "command": "make" },
    });
    machine.pause();
    let warning = |event: &Value| {
        let output = machine.run_with_input(&["hook", "claude"], &event.to_string());
        assert!(output.status.success(), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        answer["systemMessage"].as_str().unwrap_or_default().to_owned()
    };
    let [first, second, of_command] = std::thread::scope(|scope| {
        let warned = [&event, &event, &command].map(|event| scope.spawn(|| warning(event)));
        warned.map(|warned| warned.join().expect("an answer"))
    });
    machine.resume();
    for warning in [first, second] {
        assert!(warning.contains("editd does not check changes now"), "each time: {warning}");
    }
    assert!(of_command.contains("editd does not record what commands change now"), "{of_command}");
}

/// An agent can take all connections, and must not be able to turn off the checks in that way.
#[test]
fn an_edit_is_refused_if_the_daemon_has_no_place_for_the_hook() {
    let machine = Machine::configured("[limits]\nconnections = 16\nconnections_per_process = 16\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let mut taken = Vec::new();
    // One is kept for editors.
    eventually("all connections to be taken", || {
        let mut taking = UnixStream::connect(machine.agent_socket()).expect("a connection");
        taking.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
        let is_refused = matches!(taking.read(&mut [0]), Ok(0));
        taken.extend((!is_refused).then_some(taking));
        (taken.len() == 15).then_some(())
    });
    let claude = Claude::new(&machine, &workspace);
    for _ in 0..3 {
        let reason = refused(claude.write(".claude/settings.json", "{}\n"));
        assert!(reason.contains("Send the same call again"), "{reason}");
    }
    drop(taken);
}

#[test]
fn a_command_that_is_not_recorded_warns_once() {
    let machine = Machine::configured("[limits]\nsnapshot_files = 1\n");
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    let claude = Claude::new(&machine, &workspace);
    let command = || json!({ "tool_name": "Bash", "tool_use_id": "t", "tool_input": { "command": "make" } });
    let answer = claude.report("PreToolUse", command());
    assert!(answer.to_string().contains("it contains more than 1 files"), "{answer}");
    assert_eq!(claude.report("PreToolUse", command()), Value::Null);
}

#[test]
fn a_repository_that_contains_the_home_folder_is_not_the_project() {
    let machine = Machine::start();
    let folder = machine.home().parent().expect("a folder").to_owned();
    fs::create_dir_all(folder.join(".git/objects")).expect("a repository");
    fs::create_dir(folder.join("shop")).expect("a folder");
    let file = folder.join("shop/a.txt");
    fs::write(&file, "one\n").expect("a file");
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder.join("shop"), "tool_name": "Edit",
        "tool_use_id": "t", "tool_input": { "file_path": file, "old_string": "one", "new_string": "1" },
    });
    let output = machine.run_with_input(&["hook", "claude"], &event.to_string());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str();
    assert!(reason.is_some_and(|reason| reason.contains("has not been read")), "{output:?}");
}

#[test]
fn connecting_first_leaves_a_state_folder_that_the_daemon_accepts() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let output = machine.run(&["connect", "claude", "--yes"]);
    assert!(output.status.success(), "{output:?}");
    let settings = fs::read_to_string(machine.home().join(".claude/settings.json")).expect("the settings");
    assert!(settings.contains("PreToolUse"), "{settings}");
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": workspace.root().to_str(),
        "tool_name": "Edit", "tool_use_id": "t",
        "tool_input": { "file_path": workspace.absolute("a.txt"), "old_string": "one", "new_string": "1" },
    });
    let output = machine.run_with_input(&["hook", "claude"], &event.to_string());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{output:?}");
    let output = machine.run(&["connect", "claude", "--yes", "--undo"]);
    assert!(output.status.success(), "{output:?}");
    assert!(!machine.home().join(".claude/settings.json").exists(), "the file did not exist before");
    machine.run(&["stop"]);
}

#[test]
fn a_call_that_is_not_valid_unicode_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let event = format!(
        r#"{{ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "{}", "tool_name": "Write",
        "tool_use_id": "t", "tool_input": {{ "file_path": "a.txt", "content": "\ud83d" }} }}"#,
        workspace.root().display()
    );
    let output = machine.run_with_input(&["hook", "claude"], &event);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{output:?}");
}

#[test]
fn disconnecting_after_two_connections_restores_the_first_settings() {
    let machine = Machine::asleep("");
    let file = machine.home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let settings = "{ \"model\":   \"opus\" }";
    fs::write(&file, settings).expect("the settings");
    let folder = machine.home().join("bin");
    fs::create_dir(&folder).expect("a folder");
    symlink(env!("CARGO_BIN_EXE_editd"), folder.join("editd")).expect("a link");
    let run = |path: &Path, arguments: &[&str]| {
        let output = machine.command(arguments).env("PATH", path).output().expect("editd can be run");
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(&file).expect("the settings")
    };
    let by_name = run(&folder, &["connect", "claude", "--yes"]);
    let by_path = run(Path::new("/usr/bin"), &["connect", "claude", "--yes"]);
    assert!(by_name.contains("\"command\": \"editd\"") && by_name != by_path, "{by_path}");
    assert_eq!(run(&folder, &["connect", "claude", "--yes", "--undo"]), settings);
}
