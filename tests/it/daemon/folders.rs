//! Tests of the daemon's folders: a folder in use for something else is not taken over, and none is shared.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Output;

use rstest::rstest;

use crate::support::{Fault, Machine, Workspace, eventually};

fn mode(path: &Path) -> u32 {
    path.metadata().expect("a folder").permissions().mode() & 0o777
}

fn shared(path: &Path) {
    fs::create_dir_all(path).expect("a folder");
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("a mode");
}

/// Runs `editd serve`, which must refuse; returns its error output.
#[track_caller]
fn refused(machine: &Machine, state: &Path, runtime: &str) -> String {
    let mut command = machine.command(&["serve", "--runtime-dir", runtime, "--state-dir"]);
    command.arg(state);
    let mut command = assert_cmd::Command::from_std(command);
    let Output { status, stderr, .. } =
        command.timeout(std::time::Duration::from_secs(10)).output().expect("editd can be run");
    let printed = String::from_utf8_lossy(&stderr).into_owned();
    assert_eq!(status.code(), Some(1), "{printed}");
    printed
}

#[rstest]
#[case::of_state("state")]
#[case::of_sockets("run")]
fn a_folder_in_use_is_not_closed_to_others(#[case] name: &str) {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("shared/a.txt", "one\n"));
    let folder = workspace.path("shared");
    shared(&folder);
    let before = workspace.everything();
    let (state, runtime) = match name {
        "state" => (folder.clone(), machine.runtime()),
        _ => (machine.state(), folder.clone()),
    };
    let printed = refused(&machine, &state, runtime.to_str().expect("UTF-8"));
    assert!(
        printed.contains("not safe") && printed.contains("not empty") && printed.contains("chmod"),
        "{printed}"
    );
    assert_eq!(mode(&folder), 0o755);
    assert_eq!(workspace.everything(), before);
}

#[test]
fn empty_folders_are_closed_to_others() {
    let mut machine = Machine::asleep("");
    shared(&machine.state());
    shared(&machine.runtime());
    machine.serve();
    assert_eq!((mode(&machine.state()), mode(&machine.runtime())), (0o700, 0o700));
}

/// Folders that are created while a socket is bound have the mode of all others.
#[test]
fn folders_of_the_state_are_usable_at_once() {
    let mut machine = Machine::asleep("");
    let slow = [Fault::always("bind", "delay_enter=500000"), Fault::always("mkdir", "delay_enter=50000")];
    assert!(machine.serve_under(&slow));
    let folders = eventually("the folder of runs", || {
        machine.state().join("runs").exists().then(|| fs::read_dir(machine.state()).expect("a folder"))
    });
    for path in folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()) {
        assert_eq!(mode(&path), 0o700, "{}", path.display());
    }
    for socket in [machine.agent_socket(), machine.runtime().join("editor.sock")] {
        // The mode is set after the socket is bound.
        eventually("the mode of a socket", || (mode(&socket) == 0o600).then_some(()));
    }
}

#[test]
fn a_folder_of_the_state_that_its_owner_cannot_use_is_repaired() {
    let mut machine = Machine::start();
    let runs = machine.state().join("runs");
    eventually("the folder of runs", || runs.exists().then_some(()));
    fs::set_permissions(&runs, PermissionsExt::from_mode(0o600)).expect("a mode");
    machine.serve_without_privileges();
    eventually("a usable folder", || (mode(&runs) == 0o700).then_some(()));
}

#[rstest]
#[case("")]
#[case("/")]
fn a_symlink_is_refused_as_socket_folder(#[case] end: &str) {
    let (machine, workspace) = (Machine::asleep(""), Workspace::empty());
    fs::create_dir(workspace.path("run")).expect("a folder");
    symlink(workspace.path("run"), workspace.path("link")).expect("a link");
    let printed = refused(&machine, &machine.state(), &(workspace.absolute("link") + end));
    assert!(printed.contains("not safe") && printed.contains("link"), "{printed}");
}

#[test]
fn a_file_in_place_of_a_socket_stays() {
    let machine = Machine::asleep("");
    fs::create_dir(machine.runtime()).expect("a folder");
    fs::set_permissions(machine.runtime(), PermissionsExt::from_mode(0o700)).expect("a mode");
    fs::write(machine.agent_socket(), "precious\n").expect("a file");
    let printed = refused(&machine, &machine.state(), machine.runtime().to_str().expect("UTF-8"));
    assert!(printed.contains("agent.sock") && printed.contains("not a socket"), "{printed}");
    assert_eq!(fs::read_to_string(machine.agent_socket()).expect("the file"), "precious\n");
}

#[test]
fn two_daemons_do_not_share_a_folder_of_sockets() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let other = workspace.path("other-state");
    let runtime = machine.runtime();
    // Without its sockets, only the lock shows that the folder has an owner.
    fs::rename(machine.agent_socket(), runtime.join("aside")).expect("a socket to move");
    let printed = refused(&machine, &other, runtime.to_str().expect("UTF-8"));
    assert!(
        printed.contains("running already with its sockets in") && !printed.contains("state folder"),
        "{printed}"
    );
    fs::rename(runtime.join("aside"), machine.agent_socket()).expect("a socket to move back");
    assert!(machine.is_serving());
    machine.agent(&workspace).read("a.txt");
}
