//! Tests of a single daemon, its sockets, and the files it leaves on disk.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Child;

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace, eventually, hash_of};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap_or_else(|error| panic!("{}: {error}", path.display())).mode() & 0o777
}

#[test]
fn one_of_twenty_daemons_started_at_once_stays() {
    for _ in 0..3 {
        one_of_twenty_stays();
    }
}

fn one_of_twenty_stays() {
    let machine = Machine::asleep("");
    let workspace = Workspace::file("a.txt", "one\n");
    let mut children: Vec<Child> = (0..20).map(|_| machine.spawn_daemon()).collect();
    eventually("nineteen of twenty to give way", || {
        let alive = |child: &mut Child| child.try_wait().expect("a child's state").is_none();
        (children.iter_mut().filter_map(|child| alive(child).then_some(())).count() == 1).then_some(())
    });
    eventually("the one to answer", || std::os::unix::net::UnixStream::connect(machine.agent_socket()).ok());
    machine.agent(&workspace).read_and_edit("a.txt", "one", "two").done();
    let alive = children
        .iter_mut()
        .filter_map(|child| child.try_wait().expect("a child's state").is_none().then_some(()));
    assert_eq!(alive.count(), 1);
    for mut child in children {
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[test]
fn a_second_daemon_exits_and_leaves_the_first_alone() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let mut second = machine.spawn_daemon();
    eventually("the second to give way", || second.try_wait().expect("a child's state"));
    agent.read("a.txt");
    machine.agent(&workspace).read("a.txt");
    assert!(machine.is_serving());
}

#[test]
fn only_their_owner_can_use_the_sockets() {
    let machine = Machine::start();
    assert_eq!(mode(&machine.runtime()), 0o700);
    assert_eq!(mode(&machine.state()), 0o700);
    // The mode is set after the sockets are bound.
    let modes = || (mode(&machine.agent_socket()), mode(&machine.editor_socket()));
    eventually("the modes of the sockets", || (modes() == (0o600, 0o600)).then_some(()));
}

#[test]
fn dead_sockets_are_replaced() {
    let mut machine = Machine::asleep("");
    let workspace = Workspace::file("a.txt", "one\n");
    fs::create_dir(machine.runtime()).expect("a folder for the sockets");
    fs::set_permissions(machine.runtime(), PermissionsExt::from_mode(0o700)).expect("a mode");
    for socket in [machine.agent_socket(), machine.editor_socket()] {
        drop(UnixListener::bind(socket).expect("a socket whose owner is gone"));
    }
    machine.serve();
    machine.agent(&workspace).read("a.txt");
}

#[test]
fn after_a_crash_the_next_daemon_serves() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    for (old, new) in [("one", "two"), ("two", "three"), ("three", "four")] {
        machine.agent(&workspace).read_and_edit("a.txt", old, new).done();
        machine.crash();
        machine.serve();
    }
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "four\n");
    assert_eq!(workspace.everything().len(), 1);
}

#[test]
fn a_restart_forgets_reads() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    machine.agent(&workspace).read("a.txt");
    machine.crash();
    machine.serve();
    let mut agent = machine.agent(&workspace);
    let data = agent.edit("a.txt", "one", "two").refused("unread");
    assert_eq!(data["currentHash"], hash_of("one\n"));
    let params = json!({ "path": "a.txt", "oldText": "one", "newText": "two", "baseHash": hash_of("one\n") });
    agent.call("editd/edit", params).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn logs_are_kept_in_the_state_folder() {
    let machine = Machine::start();
    eventually("a log", || has_log(&machine.state()).then_some(()));
}

fn has_log(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| {
        entries.any(|entry| {
            let path = entry.expect("an entry").path();
            let named = path
                .to_str()
                .is_some_and(|name| name.rsplit("state").next().is_some_and(|rest| rest.contains("log")));
            (path.is_file() && named) || (path.is_dir() && has_log(&path))
        })
    })
}

#[test]
fn a_client_finds_the_sockets_through_the_state_folder() {
    let machine = Machine::start();
    let output = assert_cmd::Command::from_std({
        let mut command = machine.command(&["status", "--no-spawn"]);
        command.env_remove("EDITD_RUNTIME_DIR");
        command
    })
    .output()
    .expect("editd can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
