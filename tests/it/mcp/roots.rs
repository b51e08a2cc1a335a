//! Where a client may work.

use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace, uri_of};

fn workspaces() -> (Machine, Workspace, Workspace) {
    (Machine::start(), Workspace::file("a.txt", "here\n"), Workspace::file("a.txt", "there\n"))
}

fn roots(workspace: &Workspace) -> Value {
    json!([{ "uri": uri_of(workspace.root()), "name": "x" }])
}

fn read(mcp: &mut Mcp) -> Value {
    mcp.call("read", json!({ "path": "a.txt" })).done().data["text"].clone()
}

#[test]
fn the_clients_roots_count_and_change_when_it_says_so() {
    let (machine, here, there) = workspaces();
    let mut mcp = Mcp::with(&machine, here.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": { "listChanged": true } }));
    mcp.roots = Some(roots(&there));
    assert_eq!((read(&mut mcp), read(&mut mcp), mcp.asked), (json!("there\n"), json!("there\n"), 1));
    mcp.roots = Some(roots(&here));
    assert_eq!(read(&mut mcp), "there\n");
    mcp.notify("notifications/roots/list_changed", json!({}));
    assert_eq!((read(&mut mcp), mcp.asked), (json!("here\n"), 2));
}

#[test]
fn roots_on_the_command_line_win() {
    let (machine, here, there) = workspaces();
    let root = there.root().to_str().expect("a test's path");
    let mut mcp =
        Mcp::with(&machine, here.root(), &["--root", root, "--root", here.root().to_str().unwrap()]);
    mcp.introduce("2025-06-18", json!({ "roots": {} }));
    assert_eq!((read(&mut mcp), mcp.asked), (json!("there\n"), 0));
    mcp.call("read", json!({ "path": here.absolute("a.txt") })).done();
}

#[test]
fn a_client_that_does_not_answer_works_in_the_working_folder() {
    let (machine, here, _) = workspaces();
    let mut mcp = Mcp::with(&machine, here.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": {} }));
    assert_eq!((read(&mut mcp), read(&mut mcp), mcp.asked), (json!("here\n"), json!("here\n"), 1));
}

#[test]
fn a_client_without_roots_works_in_the_working_folder() {
    let (machine, here, _) = workspaces();
    let mut mcp = Mcp::with(&machine, here.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": {} }));
    mcp.roots = Some(json!([]));
    assert_eq!(read(&mut mcp), "here\n");
}

#[test]
fn a_folder_that_cannot_be_a_root_is_refused_with_what_to_do() {
    let (machine, here, _) = workspaces();
    let mut mcp = Mcp::with(&machine, &machine.home(), &[]);
    mcp.introduce("2025-06-18", json!({}));
    for tool in ["read", "edit", "list"] {
        let refused = mcp.call(tool, json!({ "path": here.absolute("a.txt") })).refused("outside_workspace");
        assert!(refused.text.contains("--root"), "{}", refused.text);
    }
}
