//! Projects with other file systems, other repositories, and without room.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::{Value, json};

use super::command::{history, printed, run, undo};
use crate::support::{Machine, Outcome, Volume, Workspace};

fn git(workspace: &Workspace, folder: &str, arguments: &[&str]) {
    let options = ["-c", "protocol.file.allow=always", "-c", "user.email=a@b", "-c", "user.name=a"];
    let mut command = Command::new("git");
    let done =
        command.args(options).args(arguments).current_dir(workspace.path(folder)).output().expect("git");
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn a_mounted_file_system_is_not_entered() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let volume = Volume::tmpfs("size=1m");
    fs::create_dir(workspace.path("mnt")).expect("a folder");
    let at = workspace.absolute("mnt");
    let mount = |arguments: &[&str]| Command::new("mount").args(arguments).status().expect("mount").success();
    assert!(mount(&["--bind", volume.at().to_str().expect("a path"), &at]));
    fs::write(workspace.path("mnt/large"), vec![b'x'; 1000]).expect("a file");
    let output = run(&machine, &workspace, "echo two > a.txt; echo y >> mnt/large");
    run(&machine, &workspace, "echo z > mnt/new");
    let unmounted = Command::new("umount").arg(&at).status().expect("umount");
    assert!(unmounted.success());
    let past = history(&machine, &workspace);
    let changed = past.last().expect("a transaction");
    assert_eq!(changed["files"].as_array().map(Vec::len), Some(1), "{past:#?}\n{output:?}");
    // A new name changes the mounted folder, which is all that is known of it.
    assert!(past[0].to_string().contains("another file system is mounted there"), "{past:#?}");
    undo(&machine, &workspace, &changed["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn files_of_submodules_and_of_work_trees_are_recorded() {
    let (machine, workspace) = (Machine::start(), Workspace::file("main/a.txt", "one\n"));
    workspace.put("part/b.txt", "one\n");
    for folder in ["part", "main"] {
        git(&workspace, folder, &["init", "-q"]);
        git(&workspace, folder, &["add", "-A"]);
        git(&workspace, folder, &["commit", "-qm", "one"]);
    }
    git(&workspace, "main", &["submodule", "--quiet", "add", &workspace.absolute("part"), "sub"]);
    git(&workspace, "main", &["commit", "-qm", "sub"]);
    git(&workspace, "main", &["worktree", "add", "-q", "tree"]);
    let root = Workspace::at(&workspace.path("main"));
    run(&machine, &root, "for f in a.txt sub/b.txt tree/a.txt; do echo two >> $f; done; git commit -qam two");
    let past = history(&machine, &root);
    let files = past[0]["files"].as_array().expect("files");
    assert_eq!(files.len(), 3, "{past:#?}");
    assert!(!past[0].to_string().contains(".git/"), "{past:#?}");
    undo(&machine, &root, &past[0]["transaction"]);
    assert_eq!(root.text("sub/b.txt"), "one\n");
    assert_eq!(root.text("tree/a.txt"), "one\n");
}

#[test]
fn devices_and_sockets_are_listed_without_being_opened() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let _before = UnixListener::bind(workspace.path("old.sock")).expect("a socket");
    let script = "mknod zero c 1 5; mknod disk b 7 200; \
                  python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"new.sock\")'; echo two > a.txt";
    let output = run(&machine, &workspace, script);
    let printed = printed(&output);
    for name in ["zero", "disk", "new.sock"] {
        let line = format!("the content of {name} is not recorded: it is a device, a named pipe or a socket");
        assert!(printed.contains(&line), "{printed}");
    }
    assert!(!printed.contains("old.sock"), "{printed}");
    let past = history(&machine, &workspace);
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert!(workspace.has("zero"), "what has no content is left alone");
}

#[test]
fn files_and_folders_without_read_permission_are_listed() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    machine.serve_without_privileges();
    for name in ["secret.txt", "other.txt", "closed/b.txt"] {
        workspace.put(name, "secret\n");
    }
    let modes = |mode: u32| {
        for name in ["secret.txt", "other.txt", "closed"] {
            fs::set_permissions(workspace.path(name), Permissions::from_mode(mode)).expect("permissions");
        }
    };
    modes(0);
    let output =
        run(&machine, &workspace, "echo more >> secret.txt; echo more >> closed/b.txt; echo two > a.txt");
    let printed = printed(&output);
    assert!(printed.contains("the content of secret.txt is not recorded: "), "{printed}");
    assert!(!printed.contains("other.txt"), "only what was changed is listed: {printed}");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
    modes(0o755);
    assert_eq!(workspace.text("secret.txt"), "secret\nmore\n");
}

#[test]
fn a_full_state_folder_costs_only_the_record() {
    let volume = Volume::tmpfs("size=256k");
    let mut machine = Machine::asleep("");
    machine.keep_state_in(&volume.at());
    machine.serve();
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    run(&machine, &workspace, "true");
    let noise = "head -c 2000000 /dev/urandom > noise.bin";
    let output = run(&machine, &workspace, &format!("{noise}; echo two > a.txt"));
    assert_eq!(output.status.code(), Some(0), "the command runs");
    assert!(printed(&output).contains("noise.bin is not recorded"), "{}", printed(&output));
    assert_eq!(workspace.text("a.txt"), "two\n");
    // There is room again.
    fs::remove_file(workspace.path("noise.bin")).expect("a file");
    let output = run(&machine, &workspace, "echo two > b.txt");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let newest = history(&machine, &workspace).first().cloned().unwrap_or(Value::Null);
    assert!(newest["files"].to_string().contains("b.txt"), "{newest:#?}");
    machine.agent_named("robin", &workspace).call("editd/history", json!({})).expect("it is served");
}

#[test]
fn a_folder_that_was_replaced_by_another_one_is_recorded() {
    let (machine, workspace) = (Machine::start(), Workspace::file("p/a.txt", "one\n"));
    let run = |script: &str| {
        let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-c", script]);
        let output = command.current_dir(workspace.path("p")).output().expect("editd can be run");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run("echo two > a.txt").contains("has changed a.txt"));
    fs::remove_dir_all(workspace.path("p")).expect("a folder");
    workspace.put("p/a.txt", "three\n");
    assert!(run("echo four > a.txt").contains("has changed a.txt"));
    fs::rename(workspace.path("p"), workspace.path("old")).expect("a folder");
    workspace.put("p/a.txt", "five\n");
    assert!(run("echo six > a.txt").contains("has changed a.txt"));
    let mut agent = machine.agent_named("robin", &workspace);
    agent.call("editd/undo", json!({})).done();
    assert_eq!(workspace.text("p/a.txt"), "five\n");
}
