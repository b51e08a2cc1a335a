//! A file with several names is one file.

use std::fs;
use std::os::unix::fs::symlink;

use rstest::rstest;

use crate::support::{Machine, Outcome, Workspace};

fn is_link(workspace: &Workspace, name: &str) -> bool {
    workspace.path(name).symlink_metadata().expect("an existing path").file_type().is_symlink()
}

#[rstest]
#[case::read_by_link_edit_by_name("link.txt", "dir/a.txt")]
#[case::read_by_name_edit_by_link("dir/a.txt", "link.txt")]
#[case::read_and_edit_by_link("link.txt", "link.txt")]
#[case::by_a_linked_folder("dir/a.txt", "folder/a.txt")]
#[case::by_two_links("link.txt", "folder/a.txt")]
fn a_symlink_and_its_target_are_one_file(
    #[case] read: &str,
    #[case] edit: &str,
    #[values(true, false)] absolute: bool,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("dir/a.txt", "one\n"));
    let target = |name: &str| if absolute { workspace.path(name) } else { name.into() };
    symlink(target("dir/a.txt"), workspace.path("link.txt")).expect("a link");
    symlink(target("dir"), workspace.path("folder")).expect("a link");
    let mut agent = machine.agent(&workspace);
    agent.read(read);
    agent.edit(edit, "one", "two").done();
    agent.edit(read, "two", "three").done();
    assert_eq!(workspace.text("dir/a.txt"), "three\n");
    assert!(is_link(&workspace, "link.txt") && is_link(&workspace, "folder"));
    assert!(!is_link(&workspace, "dir/a.txt"));
}

#[test]
fn a_symlink_with_a_new_target_is_stale() {
    let files = [("a.txt", "one\n"), ("b.txt", "one\n...\n")];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    symlink("a.txt", workspace.path("link.txt")).expect("a link");
    let mut agent = machine.agent(&workspace);
    agent.read("link.txt");
    fs::remove_file(workspace.path("link.txt")).expect("a link to remove");
    symlink("b.txt", workspace.path("link.txt")).expect("a link");
    agent.edit("link.txt", "one", "two").refused_as_any(&["stale", "unread"]);
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("one\n".into(), "one\n...\n".into()));
}

#[rstest]
#[case("./a.txt")]
#[case("sub/../a.txt")]
#[case("sub/./.././a.txt")]
#[case(".//a.txt")]
fn every_spelling_of_a_path_is_the_same_file(#[case] spelling: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("sub/b.txt", "")]));
    let mut agent = machine.agent(&workspace);
    agent.read(spelling);
    agent.edit("a.txt", "one", "two").done();
    agent.edit(spelling, "two", "three").done();
    agent.edit(&workspace.absolute("a.txt"), "three", "four").done();
    assert_eq!(workspace.text("a.txt"), "four\n");
}

#[test]
fn two_hard_links_are_one_file_in_the_ledger() {
    let (machine, workspace) =
        (Machine::configured("hard_links = true\n"), Workspace::file("a.txt", "one\n"));
    fs::hard_link(workspace.path("a.txt"), workspace.path("b.txt")).expect("a second name");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.edit("b.txt", "one", "two").done();
    agent.edit("a.txt", "two", "three").done();
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("three\n".into(), "three\n".into()));
}

#[test]
fn one_session_in_two_nested_roots_has_one_ledger() {
    let (machine, workspace) = (Machine::start(), Workspace::file("sub/a.txt", "one\n"));
    let mut session = workspace.session("alice");
    let inner = serde_json::json!({ "uri": format!("file://{}", workspace.absolute("sub")), "name": "sub" });
    session["workspaceFolders"].as_array_mut().expect("folders").push(inner);
    let mut agent = machine.agent_with(session);
    agent.read("sub/a.txt");
    agent.edit(&workspace.absolute("sub/a.txt"), "one", "two").done();
    assert_eq!(workspace.text("sub/a.txt"), "two\n");
}
