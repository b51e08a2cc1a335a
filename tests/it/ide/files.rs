//! The files by which programs find the server.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use serde_json::json;

use super::server::{Claude, Server, lock_files};
use crate::review::scene::reviewer;
use crate::support::{Machine, Workspace, eventually};

/// The user `nobody`.
const OTHER: u32 = 65_534;

#[test]
fn a_folder_of_another_user_costs_only_the_protocol_that_needs_it() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let folder = machine.temporary().join("gemini/ide");
    fs::create_dir_all(&folder).expect("a folder");
    std::os::unix::fs::chown(&folder, Some(OTHER), None).expect("root may do that");
    let (server, errors) = Server::start_with_errors(&machine, &workspace);
    Claude::connect(&server);
    assert!(!server.discovery_file().exists());
    assert_eq!(fs::metadata(&folder).expect("a folder").uid(), OTHER);
    let said = eventually("a warning", || Some(errors()).filter(|text| text.ends_with('\n')));
    assert!(said.starts_with("editd: Gemini CLI finds this server only if"), "{said}");
    assert!(said.contains("is not a folder of yours"), "{said}");
}

#[test]
fn the_warnings_of_a_server_of_the_daemon_are_in_its_log() {
    let (machine, workspace) = (Machine::configured("ide = true"), Workspace::file("a.txt", "a\n"));
    fs::write(machine.temporary().join("gemini"), "a file").expect("a file");
    let _person = reviewer(&machine, &workspace);
    eventually("the lock file", || (lock_files(&machine).len() == 1).then_some(()));
    eventually("the warning", || {
        let logs = fs::read_dir(machine.state().join("logs")).expect("a folder").flatten();
        let mut texts = logs.map(|log| fs::read_to_string(log.path()).expect("a text"));
        texts.any(|text| text.contains("Gemini CLI finds this server only if")).then_some(())
    });
}

#[test]
fn other_users_can_have_folders_beside_that_of_gemini_cli() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let server = Server::start(&machine, &workspace);
    eventually("the file", || server.discovery_file().exists().then_some(()));
    let mode = |name| fs::metadata(machine.temporary().join(name)).expect("a folder").permissions().mode();
    assert_eq!((mode("gemini") & 0o7777, mode("gemini/ide") & 0o7777), (0o1777, 0o700));
}

#[test]
fn files_whose_port_is_used_stay() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let (claude, gemini) = (machine.home().join(".claude/ide"), machine.temporary().join("gemini/ide"));
    for folder in [&claude, &gemini] {
        fs::create_dir_all(folder).expect("a folder");
    }
    // The process of a server outside of a container is unknown inside.
    let unknown = 4_194_303;
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a listener");
    let used = listener.local_addr().expect("an address").port();
    let put = |port: u16| {
        let lock = claude.join(format!("{port}.lock"));
        fs::write(&lock, json!({ "pid": unknown, "ideName": "editd" }).to_string()).expect("a file");
        let discovery = gemini.join(format!("gemini-ide-server-{unknown}-{port}.json"));
        fs::write(&discovery, json!({ "port": port }).to_string()).expect("a file");
        [lock, discovery]
    };
    let (kept, removed) = (put(used), put(1));
    let server = Server::start(&machine, &workspace);
    eventually("the file", || server.discovery_file().exists().then_some(()));
    assert!(kept.iter().all(|path| path.exists()));
    assert!(!removed.iter().any(|path| path.exists()));
}

/// Puts a pipe and a link to endless data under names of discovery files.
fn put_traps(folder: &std::path::Path) {
    fs::create_dir_all(folder).expect("a folder");
    let name = |port: u16| folder.join(format!("gemini-ide-server-4194303-{port}.json"));
    rustix::fs::mknodat(rustix::fs::CWD, name(1), rustix::fs::FileType::Fifo, 0o666.into(), 0)
        .expect("a pipe");
    std::os::unix::fs::symlink("/dev/zero", name(2)).expect("a link");
}

#[test]
fn traps_of_another_user_do_not_stop_the_server() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let folder = machine.temporary().join("gemini/ide");
    put_traps(&folder);
    std::os::unix::fs::chown(&folder, Some(OTHER), None).expect("root may do that");
    let (server, errors) = Server::start_with_errors(&machine, &workspace);
    Claude::connect(&server);
    eventually("a warning", || errors().contains("is not a folder of yours").then_some(()));
}

#[test]
fn pipes_and_devices_in_the_own_folder_are_not_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    put_traps(&machine.temporary().join("gemini/ide"));
    put_traps(&machine.home().join(".claude/ide"));
    let mut server = Server::start(&machine, &workspace);
    eventually("the file", || server.discovery_file().exists().then_some(()));
    Claude::connect(&server);
    assert!(server.memory() < 64 << 20, "{} bytes", server.memory());
    server.terminate();
}

#[rstest::rstest]
#[case::of_another_user(OTHER, 0o1777)]
#[case::without_the_sticky_bit(0, 0o777)]
fn a_shared_folder_that_others_control_gets_no_token(#[case] owner: u32, #[case] mode: u32) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\n"));
    let shared = machine.temporary().join("gemini");
    fs::create_dir(&shared).expect("a folder");
    fs::set_permissions(&shared, fs::Permissions::from_mode(mode)).expect("permissions");
    std::os::unix::fs::chown(&shared, Some(owner), None).expect("root may do that");
    let (server, errors) = Server::start_with_errors(&machine, &workspace);
    Claude::connect(&server);
    eventually("a warning", || errors().contains("other users can rename").then_some(()));
    assert!(!server.discovery_file().exists());
}
