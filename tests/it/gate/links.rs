//! Files that built-in tools name through links, `..`, and the shorthands of a program: they are the same files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;

use rstest::rstest;
use serde_json::{Value, json};

use super::claude::{Claude, history, made};
use super::programs::report;
use crate::review::scene::reviewer;
use crate::support::{Machine, Outcome as _, Workspace, eventually, need_root};

/// Returns the answer to a call of `Write`, and the reason if the tool must not run.
fn write(machine: &Machine, cwd: &Path, path: &str) -> Option<String> {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_name": "Write", "tool_use_id": "t",
        "tool_input": { "file_path": path, "content": "x" },
    });
    let answer = report(machine, "claude", &event);
    let output = &answer["hookSpecificOutput"];
    let reason = output["permissionDecisionReason"].as_str().map(str::to_owned);
    assert_eq!(reason.is_some(), output["permissionDecision"] == "deny", "{answer}");
    reason
}

#[track_caller]
fn refused(machine: &Machine, cwd: &Path, path: &str) -> String {
    write(machine, cwd, path).unwrap_or_else(|| panic!("{path} passes"))
}

/// Creates links to the project beside it and in it. Returns the folder of the links.
fn linked(machine: &Machine, workspace: &Workspace) -> PathBuf {
    let links = machine.home().join("links");
    fs::create_dir_all(&links).expect("a folder");
    symlink(workspace.root(), links.join("shop")).expect("a link");
    symlink("shop", links.join("again")).expect("a link");
    symlink(workspace.path(".env"), links.join("notes.txt")).expect("a link");
    symlink(workspace.path("new/.env"), links.join("dangling")).expect("a link");
    symlink("..", workspace.path("up")).expect("a link");
    links
}

#[test]
fn a_protected_file_is_protected_under_every_path() {
    let machine = Machine::start();
    let workspace = Workspace::with(&[(".env", "KEY=1\n"), ("src/a.txt", "one\n")]);
    workspace.put(".git/objects/x", "");
    let (root, links) = (workspace.root(), linked(&machine, &workspace));
    let (absolute, links) = (root.display(), links.display());
    for path in [
        format!("{links}/shop/.env"),
        format!("{links}/again/.env"),
        format!("{links}/notes.txt"),
        format!("{links}/dangling"),
        format!("{links}/shop/.git/hooks/pre-commit"),
        format!("{links}/shop/.vscode/tasks.json"),
        format!("{links}/shop/missing/../.env"),
        format!("{absolute}/../project/.env"),
        format!("{absolute}/up/project/.env"),
        format!("/proc/self/root{absolute}/.env"),
        format!("/proc/thread-self/root{absolute}/src/a.txt"),
        "../project/.env".to_owned(),
        "up/project/.env".to_owned(),
        "src/../.env".to_owned(),
        format!("//{absolute}/./.env"),
    ] {
        let reason = refused(&machine, root, &path);
        let expected = match &path {
            path if path.starts_with("/proc/") => "a link of `/proc`",
            path if path.contains(".git/hooks") => "version_control",
            path if path.contains(".vscode") => "editor_config",
            _ => "secrets",
        };
        assert!(reason.contains(expected), "{path}: {reason}");
    }
    assert_eq!(workspace.text(".env"), "KEY=1\n");
}

#[test]
fn a_file_behind_a_link_is_read_edited_and_recorded() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let links = linked(&machine, &workspace);
    let beside = Workspace::at(&links.join("shop"));
    let claude = Claude::new(&machine, &beside);
    let unread = claude.edit("a.txt", "one", "1").refused.expect("the tool does not run");
    assert!(unread.contains("has not been read"), "{unread}");
    claude.read("a.txt");
    made(&claude.edit("a.txt", "one", "1"));
    let changes = history(&machine, &workspace);
    assert_eq!(changes[0]["files"][0]["path"], workspace.absolute("a.txt"), "{changes:?}");
}

#[test]
fn a_write_through_a_link_waits_for_the_review_that_the_user_wants() {
    let (machine, workspace) =
        (Machine::configured("review = \"always\"\n"), Workspace::file("src/a.txt", "one\n"));
    let links = linked(&machine, &workspace);
    let mut editor = reviewer(&machine, &workspace);
    let (absolute, links) = (workspace.root().display(), links.display());
    for path in [
        format!("{links}/shop/src/b.txt"),
        format!("{absolute}/../project/src/b.txt"),
        format!("{absolute}/up/project/src/b.txt"),
    ] {
        let reason = thread::scope(|scope| {
            let call = scope.spawn(|| refused(&machine, workspace.root(), &path));
            let pending = eventually("a proposal", || {
                let listed = editor.call("editd/proposals", json!({ "state": "pending" })).done();
                listed["proposals"].get(0).cloned()
            });
            assert_eq!(pending["paths"], json!([workspace.absolute("src/b.txt")]), "{path}");
            let decision = json!({ "id": pending["id"], "revision": pending["revision"], "reject": "all" });
            editor.call("editd/decide", decision).done();
            call.join().expect("an answer")
        });
        assert!(reason.contains("rejected"), "{path}: {reason}");
        assert!(!workspace.has("src/b.txt"));
    }
}

#[test]
fn a_link_that_leads_out_of_the_project_and_back_is_followed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a/.env", "KEY=1\n"));
    workspace.put("a/x.txt", "one\n");
    let links = linked(&machine, &workspace);
    symlink(links.join("shop/a"), workspace.path("b")).expect("a link");
    assert_eq!(workspace.text("b/.env"), "KEY=1\n", "the link leads back");
    let reason = refused(&machine, workspace.root(), &workspace.absolute("b/.env"));
    assert!(reason.contains("secrets") && reason.contains("a/.env"), "{reason}");
    let claude = Claude::new(&machine, &workspace);
    claude.read("b/x.txt");
    made(&claude.edit("b/x.txt", "one", "1"));
    assert_eq!(history(&machine, &workspace)[0]["files"][0]["path"], workspace.absolute("a/x.txt"));
}

#[test]
fn a_path_with_two_meanings_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("deep/er/x", ""));
    symlink(workspace.path("deep/er"), workspace.path("link")).expect("a link");
    // As a text it is `a.txt`, for the system it is `deep/a.txt`.
    let reason = refused(&machine, workspace.root(), "link/../a.txt");
    assert!(reason.contains("without `..`"), "{reason}");
}

#[test]
fn a_patch_of_files_inside_and_outside_of_projects_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file(".env", "KEY=1\n"));
    let report = |patch: &str| {
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "cwd": workspace.root(),
            "model": "m", "tool_name": "apply_patch", "tool_use_id": "c", "tool_input": { "command": patch },
        });
        report(&machine, "codex", &event)
    };
    let outside = "*** Begin Patch\n*** Add File: /etc/editd-test\n+x\n";
    let inside = "*** Update File: .env\n@@\n-KEY=1\n+KEY=2\n*** End Patch\n";
    let answer = report(&format!("{outside}{inside}"));
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a reason");
    assert!(reason.contains("/etc/editd-test") && reason.contains("separate call"), "{reason}");
    assert_eq!(report(&format!("{outside}*** End Patch\n")), Value::Null, "outside only");
}

#[test]
fn a_working_folder_outside_of_the_configured_roots_opens_nothing() {
    let workspace = Workspace::file(".env", "KEY=1\n");
    let machine = Machine::configured(&format!("roots = [\"{}\"]\n", workspace.root().display()));
    let elsewhere = Workspace::file("a.txt", "one\n");
    let reason = refused(&machine, elsewhere.root(), &workspace.absolute(".env"));
    assert!(reason.contains("secrets"), "{reason}");
    assert_eq!(write(&machine, elsewhere.root(), "b.txt"), None, "the user has left it to the program");
    for protected in [".git/hooks/pre-commit", ".vscode/tasks.json", ".claude/settings.json", ".env"] {
        refused(&machine, elsewhere.root(), protected);
    }
}

#[test]
fn in_a_project_in_a_system_folder_protected_files_are_refused_and_the_user_is_warned() {
    need_root();
    let folder = tempfile::tempdir_in("/var/lib").expect("a temporary folder");
    let project = Workspace::at(&folder.path().join("shop"));
    project.put(".git/HEAD", "");
    let machine = Machine::start();
    for protected in [".git/hooks/pre-commit", ".vscode/tasks.json", ".claude/settings.json", ".env"] {
        refused(&machine, project.root(), protected);
    }
    let event = |tool: &str, input: Value| {
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": tool,
            "tool_use_id": "t", "tool_input": input,
        });
        report(&machine, "claude", &event)
    };
    let edit = || event("Write", json!({ "file_path": project.absolute("index.html"), "content": "x" }));
    for answer in [edit(), event("Bash", json!({ "command": "make" }))] {
        let warning = answer["systemMessage"].as_str().expect("a warning");
        assert!(warning.contains("agents can have no root in"), "{warning}");
    }
    assert_eq!(edit(), Value::Null, "the second time, nothing is said");
    machine.write_config("review = \"always\"\n");
    let reason = refused(&machine, project.root(), "index.html");
    assert!(reason.contains("must be reviewed") && reason.contains("move the project"), "{reason}");
    let allowed = format!(
        "[[rules]]\npattern = \"{}/.env\"\noperations = [\"create\", \"modify\"]\nclass = \"allow\"\n",
        project.root().display()
    );
    machine.write_config("");
    machine.write_policy(&allowed);
    assert_eq!(write(&machine, project.root(), ".env"), None, "the user allows it");
}

#[test]
fn projects_of_users_in_system_folders_are_projects() {
    need_root();
    let folder = tempfile::tempdir_in("/usr/local/src").expect("a temporary folder");
    let (machine, project) = (Machine::configured("review = \"off\"\n"), Workspace::at(folder.path()));
    project.put("a.txt", "one\n");
    machine.agent(&project).read_and_edit("a.txt", "one", "two").done();
    refused(&machine, project.root(), ".vscode/tasks.json");
}

#[test]
fn a_repository_without_a_work_tree_is_no_place_outside() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for name in ["HEAD", "objects/x", "refs/x", "hooks/x"] {
        workspace.put(&format!("bare/{name}"), "");
    }
    refused(&machine, &workspace.path("bare"), "hooks/pre-commit");
}

#[test]
fn start_up_files_in_new_folders_of_the_home_folder_are_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let home = machine.home();
    for name in [
        ".config/autostart/x.desktop",
        ".config/kitty/kitty.conf",
        ".ssh/authorized_keys",
        ".bashrc",
        ".tigrc",
    ] {
        refused(&machine, workspace.root(), home.join(name).to_str().expect("UTF-8"));
    }
    let plain = home.join("new/folder/a.txt");
    assert_eq!(write(&machine, workspace.root(), plain.to_str().expect("UTF-8")), None);
}

#[rstest]
#[case::home("~/project/.env")]
#[case::reference("@.env")]
#[case::reference_to_home("@~/project/.env")]
#[case::no_break_space("~/with\u{a0}space/.env")]
fn the_shorthands_of_pi_are_understood(#[case] path: &str) {
    let machine = Machine::start();
    let folder = machine.home().join("project");
    let workspace = Workspace::at(&folder);
    workspace.put(".env", "KEY=1\n");
    symlink(&folder, machine.home().join("with space")).expect("a link");
    let event = json!({
        "hook": "tool_call", "context": { "session": "7", "turn": "t", "cwd": folder },
        "event": { "toolName": "write", "toolCallId": "c", "input": { "path": path, "content": "x" } },
    });
    let answer = report(&machine, "pi", &event);
    assert!(answer["refuse"].as_str().is_some_and(|reason| reason.contains("secrets")), "{answer}");
}
