//! New executable files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

pub(crate) const SCRIPT: &str = "#!/bin/sh\necho ran\n";

const PATCH: &str = "diff --git a/bin/run b/bin/run\nnew file mode 100755\n--- /dev/null\n+++ b/bin/run\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+echo ran\n";

pub(crate) fn mode(workspace: &Workspace, path: &str) -> u32 {
    fs::metadata(workspace.path(path)).expect("a file").permissions().mode() & 0o7777
}

#[track_caller]
pub(crate) fn assert_runs(workspace: &Workspace, path: &str) {
    // The umask limits execute permission to those with read permission.
    let mode = mode(workspace, path);
    assert_eq!(mode & 0o111, (mode & 0o444) >> 2, "{mode:o}");
    let output = Command::new(workspace.path(path)).output().expect("a runnable file");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ran\n");
}

pub(crate) fn script(path: &str) -> Value {
    json!({ "kind": "write", "path": path, "content": SCRIPT, "mode": "100755" })
}

#[rstest]
#[case::git("100755", true)]
#[case::four_digits("0755", true)]
#[case::chmod("755", true)]
#[case::plain("100644", false)]
#[case::plain_chmod("644", false)]
fn a_write_can_make_a_new_file_executable(#[case] sent: &str, #[case] runs: bool) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let change = json!({ "kind": "write", "path": "bin/run", "content": SCRIPT, "mode": sent });
    let file = agent.change(change).done()["files"][0].clone();
    assert_eq!(file["mode"], if runs { json!("100755") } else { Value::Null });
    let diff = file["diff"].as_str().expect("a diff");
    assert_eq!(diff.contains("new file mode 100755\n--- /dev/null\n"), runs, "{diff}");
    if runs {
        assert_runs(&workspace, "bin/run");
    } else {
        assert_eq!(mode(&workspace, "bin/run") & 0o111, 0);
    }
}

#[rstest]
#[case::link("120000")]
#[case::set_user_id("104755")]
#[case::words("executable")]
fn other_modes_are_refused(#[case] sent: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let change = json!({ "kind": "write", "path": "run", "content": SCRIPT, "mode": sent });
    machine.agent(&workspace).change(change).invalid("changes[0].mode");
    assert!(!workspace.has("run"));
}

#[test]
fn the_mode_of_an_existing_file_is_preserved() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("run", SCRIPT), ("text", "text\n"), ("patched", "old\n")]));
    fs::set_permissions(workspace.path("run"), fs::Permissions::from_mode(0o750)).expect("a mode");
    let mut agent = machine.agent(&workspace);
    for path in ["run", "text"] {
        agent.read(path);
    }
    let refusal = agent.change(script("text")).refused("exists");
    assert!(refusal["hint"].as_str().is_some_and(|it| it.contains("chmod")), "{refusal}");
    let mut again = script("run");
    again["content"] = json!("#!/bin/sh\necho more\n");
    agent.change(again).done();
    assert_eq!((mode(&workspace, "run"), workspace.text("run").contains("more")), (0o750, true));
    let plain = json!({ "kind": "write", "path": "run", "content": "text\n", "mode": "100644" });
    agent.change(plain).refused("exists");
    assert_eq!(workspace.text("text"), "text\n");
}

#[test]
fn a_patch_creates_an_executable_file_and_git_can_apply_its_diff() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let done = agent.call("editd/edit", json!({ "patch": PATCH })).done();
    assert_runs(&workspace, "bin/run");
    let diff = done["files"][0]["diff"].as_str().expect("a diff").to_owned();
    fs::remove_file(workspace.path("bin/run")).expect("a file to remove");
    agent.call("editd/edit", json!({ "patch": diff })).done();
    assert_runs(&workspace, "bin/run");
    fs::remove_file(workspace.path("bin/run")).expect("a file to remove");
    let mut git = Command::new("git");
    let mut git =
        git.args(["apply", "-"]).current_dir(workspace.root()).stdin(Stdio::piped()).spawn().expect("git");
    std::io::Write::write_all(&mut git.stdin.take().expect("a pipe"), diff.as_bytes())
        .expect("git reads the diff");
    assert!(git.wait().expect("git exits").success());
    assert_runs(&workspace, "bin/run");
}

#[test]
fn undo_removes_an_executable_file_and_redo_restores_it() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    agent.change(script("run")).done();
    let undone = agent.undo().done();
    assert!(!workspace.has("run"));
    agent.call("editd/undo", json!({ "transaction": undone["transaction"] })).done();
    assert_runs(&workspace, "run");
}

#[test]
fn the_command_line_creates_executable_files() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let path = workspace.absolute("bin/run");
    let output = machine.run_with_input(&["write", "--executable", &path], SCRIPT);
    assert!(output.status.success(), "{output:?}");
    assert_runs(&workspace, "bin/run");
}
