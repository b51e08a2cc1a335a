//! Links, pipes and other things in place of the files of the daemon: nothing is read or written through them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use rstest::rstest;
use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::support::{Machine, Outcome as _, Workspace, eventually, need_root};

const VICTIM: &str = "root:x:0:0\n";
/// A user who is not the one of the daemon.
const NOBODY: u32 = 65_534;

/// Replaces `today` in a name by the current day.
fn dated(name: &str) -> String {
    let day = Command::new("date").args(["-u", "+%F"]).output().expect("a day");
    name.replace("today", String::from_utf8_lossy(&day.stdout).trim())
}

/// Creates a machine with an empty private state folder, and a folder with a victim.
fn scene() -> (Machine, PathBuf) {
    let machine = Machine::asleep("");
    for folder in [machine.state(), machine.runtime()] {
        fs::create_dir(&folder).expect("a folder");
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("permissions");
    }
    let victims = machine.home().join("victims");
    fs::create_dir(&victims).expect("a folder");
    fs::write(victims.join("passwd"), VICTIM).expect("a file");
    (machine, victims)
}

/// Starts the daemon, and edits a file if it serves. Returns `true` if it does.
fn starts_and_edits(machine: &Machine) -> bool {
    let mut daemon = machine.spawn_daemon();
    let serves = eventually("a daemon that serves or ends", || {
        let ended = daemon.try_wait().expect("a state").is_some();
        let serves = UnixStream::connect(machine.agent_socket()).is_ok();
        (ended || serves).then_some(serves)
    });
    if serves {
        let workspace = Workspace::file("a.txt", "one\n");
        let mut agent = machine.agent(&workspace);
        agent.read("a.txt");
        let _ = agent.edit("a.txt", "one", "two");
        let run = machine.command(&["run", "--", "touch", "b.txt"]).current_dir(workspace.root()).output();
        run.expect("editd can be run");
    }
    daemon.kill().expect("it can be killed");
    daemon.wait().expect("it can be waited for");
    serves
}

fn assert_untouched(victims: &Path, name: &str) {
    let names: Vec<_> = fs::read_dir(victims).expect("a folder").flatten().map(|it| it.file_name()).collect();
    assert_eq!(names, ["passwd"], "{name}");
    assert_eq!(fs::read_to_string(victims.join("passwd")).expect("a file"), VICTIM, "{name}");
    let mode = fs::metadata(victims.join("passwd")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o644, "{name}");
}

#[rstest]
fn a_link_in_place_of_a_file_is_not_followed(
    #[values("logs/editd.today.log", "sockets", "lock", "reviewers.json", "journal/0", "run/sockets.lock")]
    name: &str,
) {
    let (machine, victims) = scene();
    fs::set_permissions(victims.join("passwd"), Permissions::from_mode(0o644)).expect("permissions");
    let file = match name.strip_prefix("run/") {
        Some(name) => machine.runtime().join(name),
        None => machine.state().join(dated(name)),
    };
    let folder = file.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    fs::set_permissions(folder, Permissions::from_mode(0o700)).expect("permissions");
    symlink(victims.join("passwd"), &file).expect("a link");
    starts_and_edits(&machine);
    assert_untouched(&victims, name);
}

#[rstest]
fn a_link_in_place_of_a_folder_is_not_followed(
    #[values("logs", "journal", "history", "proposals", "bases", "interrupted", "runs", "snapshots")]
    name: &str,
) {
    let (machine, victims) = scene();
    fs::set_permissions(victims.join("passwd"), Permissions::from_mode(0o644)).expect("permissions");
    symlink(&victims, machine.state().join(name)).expect("a link");
    starts_and_edits(&machine);
    assert_untouched(&victims, name);
}

/// Returns the regular files below a folder.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            found.extend(files_in(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}

/// Creates a machine whose state folder holds a change, a proposal and a command, and whose daemon was killed. Returns
/// the files in one of its folders, and a folder with a victim.
fn used(folder: &str) -> (Machine, Vec<PathBuf>, PathBuf) {
    let mut machine = Machine::start();
    let workspace = Workspace::file("a.txt", "one\n");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.edit("a.txt", "one", "two").done();
    let large = json!({ "kind": "write", "path": "large.txt", "content": "a line of it\n".repeat(20_000) });
    agent.change(large).done();
    let proposed =
        json!({ "path": "a.txt", "oldText": "two", "newText": "three", "review": true, "waitMs": 0 });
    agent.call("editd/edit", proposed).done();
    let run = machine.command(&["run", "--", "touch", "b.txt"]).current_dir(workspace.root()).output();
    assert!(run.expect("editd can be run").status.success());
    kill_process(machine.pid(), Signal::KILL).expect("a kill");
    machine.until_ended();
    let victims = machine.home().join("victims");
    fs::create_dir(&victims).expect("a folder");
    fs::write(victims.join("passwd"), VICTIM).expect("a file");
    fs::set_permissions(victims.join("passwd"), Permissions::from_mode(0o644)).expect("permissions");
    let files = files_in(&machine.state().join(folder));
    assert_ne!(files, [] as [PathBuf; 0], "{folder}");
    (machine, files, victims)
}

/// Folders of the state that hold files after [`used`].
const FOLDERS: [&str; 5] = ["logs", "journal", "history", "proposals", "snapshots"];

#[test]
fn files_of_an_earlier_daemon_that_became_links_are_not_followed() {
    for folder in FOLDERS {
        let (machine, files, victims) = used(folder);
        for file in &files {
            fs::remove_file(file).expect("a removal");
            symlink(victims.join("passwd"), file).expect("a link");
        }
        starts_and_edits(&machine);
        assert_untouched(&victims, folder);
    }
}

#[test]
fn files_of_another_user_in_the_state_folder_are_not_written() {
    need_root();
    for folder in FOLDERS {
        let (machine, files, _) = used(folder);
        let before: Vec<_> = files.iter().map(|file| fs::read(file).expect("a file")).collect();
        for file in &files {
            std::os::unix::fs::chown(file, Some(NOBODY), Some(NOBODY)).expect("an owner");
        }
        starts_and_edits(&machine);
        for (file, before) in files.iter().zip(before) {
            let Ok(found) = fs::metadata(file) else { continue };
            let is_theirs = found.uid() == NOBODY;
            assert!(!is_theirs || fs::read(file).expect("a file") == before, "{}", file.display());
        }
    }
}

#[rstest]
fn a_pipe_in_place_of_a_file_blocks_nothing(
    #[values("logs/editd.today.log", "sockets", "lock", "reviewers.json", "page.json")] name: &str,
) {
    let (machine, _) = scene();
    let file = machine.state().join(dated(name));
    let folder = file.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    fs::set_permissions(folder, Permissions::from_mode(0o700)).expect("permissions");
    rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    starts_and_edits(&machine);
}

#[test]
fn a_connection_of_an_agent_program_is_stored_in_no_other_file() {
    let (machine, victims) = scene();
    fs::set_permissions(victims.join("passwd"), Permissions::from_mode(0o644)).expect("permissions");
    symlink(&victims, machine.state().join("connected")).expect("a link");
    let settings = machine.home().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
    fs::write(&settings, "{}").expect("the settings");
    machine.run(&["connect", "claude", "--yes"]);
    assert_untouched(&victims, "connected");
}
