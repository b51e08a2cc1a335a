//! Tests of a socket that is removed or replaced while the daemon runs.

use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use rstest::rstest;

use crate::support::{Machine, Workspace};

fn agents(machine: &Machine) -> PathBuf {
    machine.agent_socket()
}

fn editors(machine: &Machine) -> PathBuf {
    machine.editor_socket()
}

#[rstest]
#[case::of_agents(agents)]
#[case::of_editors(editors)]
fn a_daemon_whose_socket_was_replaced_ends_and_keeps_the_replacement(
    #[case] socket: fn(&Machine) -> PathBuf,
) {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    // When it answers, the daemon knows its sockets.
    machine.agent(&workspace).read("a.txt");
    let socket = socket(&machine);
    fs::remove_file(&socket).expect("a socket");
    let thief = UnixListener::bind(&socket).expect("a free name");
    assert!(machine.until_ended().success());
    UnixStream::connect(&socket).expect("the thief's socket is there");
    thief.accept().expect("and leads to the thief");
    // No daemon owns this socket, so the next daemon does not replace it.
    let refused = machine.spawn_daemon().wait().expect("an end");
    assert!(!refused.success());
    UnixStream::connect(&socket).expect("the thief's socket is still there");
}

#[test]
fn an_unreachable_daemon_ends_and_the_next_one_serves() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    fs::remove_file(machine.agent_socket()).expect("a socket");
    assert!(machine.until_ended().success());
    assert!(!machine.editor_socket().exists());
    agent.wire().until_closed();
    machine.serve();
    machine.agent(&workspace).read("a.txt");
}
