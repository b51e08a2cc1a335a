//! Roots of a client.

use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace, uri_of};

fn workspaces() -> (Machine, Workspace, Workspace) {
    (Machine::start(), Workspace::file("a.txt", "here\n"), Workspace::file("a.txt", "there\n"))
}

fn roots(workspace: &Workspace) -> Value {
    json!([{ "uri": uri_of(workspace.root()), "name": "x" }])
}

fn read(mcp: &mut Mcp) -> String {
    mcp.call("read", json!({ "path": "a.txt" })).done().content()
}

#[test]
fn the_roots_of_the_client_are_used_and_can_change() {
    let (machine, here, there) = workspaces();
    let mut mcp = Mcp::with(&machine, here.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": { "listChanged": true } }));
    mcp.roots = Some(roots(&there));
    assert_eq!((read(&mut mcp), read(&mut mcp), mcp.asked), ("there\n".to_owned(), "there\n".to_owned(), 1));
    mcp.roots = Some(roots(&here));
    assert_eq!(read(&mut mcp), "there\n");
    mcp.notify("notifications/roots/list_changed", json!({}));
    assert_eq!((read(&mut mcp), mcp.asked), ("here\n".to_owned(), 2));
}

#[test]
fn roots_on_the_command_line_take_precedence() {
    let (machine, here, there) = workspaces();
    let root = there.root().to_str().expect("a test's path");
    let mut mcp =
        Mcp::with(&machine, here.root(), &["--root", root, "--root", here.root().to_str().unwrap()]);
    mcp.introduce("2025-06-18", json!({ "roots": {} }));
    assert_eq!((read(&mut mcp), mcp.asked), ("there\n".to_owned(), 0));
    mcp.call("read", json!({ "path": here.absolute("a.txt") })).done();
}

#[test]
fn paths_in_answers_are_relative_to_the_first_root() {
    let (machine, here, there) = workspaces();
    let root = |workspace: &Workspace| workspace.root().to_str().expect("a test's path").to_owned();
    // The session may know a root by another name.
    let link = machine.home().join("project");
    std::os::unix::fs::symlink(here.root(), &link).expect("a link");
    let roots = ["--root", link.to_str().expect("a test's path"), "--root", &root(&there)];
    let mut mcp = Mcp::with(&machine, here.root(), &roots);
    mcp.introduce("2025-06-18", json!({}));
    mcp.call("edit", json!({ "path": "a.txt", "oldText": "here", "newText": "x" })).refused("unread");
    let read = mcp.call("read", json!({ "path": here.absolute("a.txt") })).done();
    assert!(read.text.starts_with("a.txt#"), "{}", read.text);
    let edited = mcp.call("edit", json!({ "path": "a.txt", "oldText": "here", "newText": "x" })).done();
    assert!(edited.text.starts_with("Changed a.txt#"), "{}", edited.text);
    assert_eq!(edited.data["files"][0]["path"], "a.txt");
    let refused = mcp.call("edit", json!({ "path": "a.txt", "oldText": "here", "newText": "y" }));
    let refused = refused.refused("not_found");
    assert!(refused.text.contains("`a.txt`"), "{}", refused.text);
    assert!(!refused.text.contains(&root(&here)), "{}", refused.text);
    here.put("a.txt", "other\n");
    let after = mcp.call("find", json!({ "pattern": "a.txt" })).done();
    let mut found: Vec<&str> = after.text.lines().take(2).collect();
    found.sort_unstable();
    assert_eq!(found, [there.absolute("a.txt").as_str(), "a.txt"]);
    let changed = mcp.call("changes", json!({ "path": "a.txt" })).done();
    assert!(!changed.text.contains(&root(&here)), "{}", changed.text);
    let deleted = "*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n";
    let refused = mcp.call("apply_patch", json!({ "patch": deleted })).refused("missing");
    assert!(refused.text.contains("`b.txt`"), "{}", refused.text);
}

fn answer(mcp: &mut Mcp, request: &Value, workspace: &Workspace) {
    assert_eq!(request["method"], "roots/list");
    let result = json!({ "roots": roots(workspace) });
    mcp.wire.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
}

#[test]
fn a_late_response_with_roots_is_used_and_never_replaced_by_another_folder() {
    let (machine, here, there) = workspaces();
    let mut mcp = Mcp::with(&machine, here.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": {} }));
    let call = mcp.send_call("find", json!({ "pattern": "a.txt" }));
    let request = mcp.wire.receive();
    let refused = mcp.called("find", call).refused("unavailable");
    assert!(refused.text.contains("--root"), "{}", refused.text);
    answer(&mut mcp, &request, &there);
    assert_eq!((read(&mut mcp), mcp.asked), ("there\n".to_owned(), 0));
}

#[test]
fn a_client_without_usable_roots_is_refused_and_asked_again() {
    let (machine, here, there) = workspaces();
    let mut mcp = Mcp::with(&machine, here.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": {} }));
    for unusable in [json!([]), json!([{ "uri": "https://x/y" }]), json!("no list")] {
        mcp.roots = Some(unusable);
        let refused = mcp.call("read", json!({ "path": "a.txt" })).refused("unavailable");
        assert!(refused.text.contains("--root"), "{}", refused.text);
    }
    mcp.roots = Some(roots(&there));
    assert_eq!((read(&mut mcp), mcp.asked), ("there\n".to_owned(), 4));
}

#[test]
fn roots_that_change_during_a_request_are_requested_again() {
    let (machine, here, there) = workspaces();
    let mut mcp = Mcp::with(&machine, here.root(), &[]);
    mcp.introduce("2025-06-18", json!({ "roots": { "listChanged": true } }));
    let call = mcp.send_call("read", json!({ "path": "a.txt" }));
    let request = mcp.wire.receive();
    mcp.notify("notifications/roots/list_changed", json!({}));
    answer(&mut mcp, &request, &there);
    mcp.roots = Some(roots(&here));
    assert_eq!(mcp.called("read", call).done().content(), "here\n");
    assert_eq!((read(&mut mcp), mcp.asked), ("here\n".to_owned(), 1));
}

#[test]
fn a_missing_root_is_not_treated_as_an_empty_project() {
    let machine = Machine::start();
    let nope = machine.home().join("nope");
    std::fs::create_dir(&nope).expect("a folder");
    let mut mcp = Mcp::with(&machine, &machine.home(), &["--root", nope.to_str().expect("a path")]);
    mcp.introduce("2025-06-18", json!({}));
    std::fs::remove_dir(&nope).expect("an empty folder");
    let refused = mcp.call("list", json!({})).refused("missing");
    assert!(refused.text.contains("nope"), "{}", refused.text);
}

#[test]
fn a_folder_that_cannot_be_a_root_is_refused_with_a_hint() {
    let (machine, here, _) = workspaces();
    let mut mcp = Mcp::with(&machine, &machine.home(), &[]);
    mcp.introduce("2025-06-18", json!({}));
    for tool in ["read", "edit", "list"] {
        let refused = mcp.call(tool, json!({ "path": here.absolute("a.txt") })).refused("outside_workspace");
        assert!(refused.text.contains("--root"), "{}", refused.text);
    }
}

#[test]
fn a_missing_root_is_reported_at_startup() {
    let machine = Machine::asleep("");
    let output = machine.run(&["mcp", "--root", "/nowhere/at/all"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`/nowhere/at/all`: No such file or directory"), "{said}");
}
