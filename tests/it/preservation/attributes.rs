//! Attributes of a file besides its bytes.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

fn edit() -> Value {
    json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "two" }] })
}

fn write() -> Value {
    json!({ "kind": "write", "path": "a.txt", "content": "two\n" })
}

fn set_mode(workspace: &Workspace, mode: u32) {
    fs::set_permissions(workspace.path("a.txt"), PermissionsExt::from_mode(mode)).expect("a mode");
}

fn mode(workspace: &Workspace) -> u32 {
    workspace.path("a.txt").metadata().expect("a file").mode() & 0o7777
}

#[track_caller]
fn change(machine: &Machine, workspace: &Workspace, change: Value) {
    let mut agent = machine.agent(workspace);
    agent.read("a.txt");
    agent.change(change).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[rstest]
fn the_mode_is_kept(
    #[values(0o755, 0o600, 0o640, 0o664, 0o777, 0o700)] bits: u32,
    #[values(edit(), write())] how: Value,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    set_mode(&workspace, bits);
    change(&machine, &workspace, how);
    assert_eq!(mode(&workspace), bits);
}

#[rstest]
#[case(edit())]
#[case(write())]
fn owner_and_group_are_kept(#[case] how: Value) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    chown(workspace.path("a.txt"), Some(1234), Some(2345)).expect("root may change the owner");
    set_mode(&workspace, 0o644);
    change(&machine, &workspace, how);
    let now = workspace.path("a.txt").metadata().expect("a file");
    assert_eq!((now.uid(), now.gid(), mode(&workspace)), (1234, 2345, 0o644));
}

#[rstest]
#[case(edit())]
#[case(write())]
fn extended_attributes_are_kept(#[case] how: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.path("a.txt");
    if xattr::set(&path, "user.origin", b"elsewhere \0\xff").is_err() {
        return;
    }
    xattr::set(&path, "user.empty", b"").expect("a second attribute");
    change(&machine, &workspace, how);
    assert_eq!(
        xattr::get(&path, "user.origin").expect("an attribute").as_deref(),
        Some(&b"elsewhere \0\xff"[..])
    );
    assert_eq!(xattr::get(&path, "user.empty").expect("an attribute").as_deref(), Some(&b""[..]));
}

#[rstest]
#[case::in_the_same_folder("a.txt", "real.txt")]
#[case::in_a_folder("a.txt", "deep/down/real.txt")]
fn a_symlink_stays_a_symlink(
    #[case] link: &str,
    #[case] target: &str,
    #[values(edit(), write())] how: Value,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file(target, "one\n"));
    symlink(target, workspace.path(link)).expect("a link");
    change(&machine, &workspace, how);
    assert_eq!(fs::read_link(workspace.path(link)).expect("a link"), std::path::Path::new(target));
    assert_eq!(workspace.text(target), "two\n");
    assert!(workspace.path(target).symlink_metadata().expect("a file").is_file());
}

#[rstest]
#[case(edit())]
#[case(write())]
fn a_hard_linked_file_keeps_its_inode(#[case] how: Value) {
    let (machine, workspace) =
        (Machine::configured("hard_links = true\n"), Workspace::file("a.txt", "one\n"));
    fs::hard_link(workspace.path("a.txt"), workspace.path("b.txt")).expect("a second name");
    let inode = workspace.path("a.txt").metadata().expect("a file").ino();
    change(&machine, &workspace, how);
    for name in ["a.txt", "b.txt"] {
        let now = workspace.path(name).metadata().expect("a file");
        assert_eq!((now.ino(), now.nlink(), workspace.text(name)), (inode, 2, "two\n".into()));
    }
}

#[rstest]
#[case(edit())]
#[case(write())]
#[case(json!({ "kind": "delete", "path": "a.txt" }))]
fn a_read_only_file_is_refused(#[case] how: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    set_mode(&workspace, 0o444);
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.change(how).refused("read_only");
    assert_eq!((workspace.text("a.txt").as_str(), mode(&workspace)), ("one\n", 0o444));
}

#[test]
fn other_files_in_the_folder_are_unchanged() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let facts = |name: &str| {
        let now = workspace.path(name).metadata().expect("a file");
        (now.ino(), now.mode(), now.mtime(), now.mtime_nsec(), now.ctime_nsec())
    };
    let before = facts("b.txt");
    change(&machine, &workspace, edit());
    assert_eq!(facts("b.txt"), before);
    assert_eq!(workspace.everything().len(), 2);
}

#[rstest]
#[case::the_longest_name(255)]
#[case::nearly(250)]
fn a_file_with_a_name_of_maximum_length_can_be_edited(#[case] length: usize) {
    let name = "n".repeat(length);
    let (machine, workspace) = (Machine::start(), Workspace::file(&name, "one\n"));
    machine.agent(&workspace).read_and_edit(&name, "one", "two").done();
    assert_eq!(workspace.text(&name), "two\n");
}
