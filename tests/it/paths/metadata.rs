//! Version control metadata is never changed.

use std::os::unix::fs::symlink;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, hash_of};

const CONFIG: &str = "[core]\n\tbare = false\n";

fn scene() -> (Machine, Workspace) {
    let files = [
        (".git/config", CONFIG),
        (".git/hooks/sample", CONFIG),
        ("sub/.git/hooks/x", CONFIG),
        ("linked/.git", "gitdir: ../.git/worktrees/linked\n"),
        ("a.txt", "one\n"),
        (".gitignore", "target\n"),
        (".github/workflows.txt", "one\n"),
        ("digit/config", "one\n"),
    ];
    let workspace = Workspace::with(&files);
    symlink(".git", workspace.path("alias")).expect("a link");
    symlink(".git/config", workspace.path("alias.txt")).expect("a link");
    (Machine::start(), workspace)
}

#[track_caller]
fn assert_protected(path: &str, changes: impl IntoIterator<Item = Value>) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let _ = agent.try_read(path);
    let before = workspace.everything();
    for change in changes {
        let data = agent.change(change.clone()).refused("protected");
        assert!(data["rule"].as_str().is_some_and(|rule| !rule.is_empty()), "{data}");
        agent.call("editd/propose", json!({ "changes": [change] })).refused("protected");
    }
    assert_eq!(workspace.everything(), before);
}

#[rstest]
fn existing_metadata_is_never_changed(
    #[values(
        ".git/config",
        "./.git/config",
        ".git/./config",
        "sub/../.git/config",
        ".git/hooks/../config",
        ".git/hooks/sample",
        "sub/.git/hooks/x",
        "linked/.git",
        "alias/config",
        "alias.txt"
    )]
    path: &str,
) {
    let base = json!(hash_of(CONFIG));
    assert_protected(
        path,
        [
            json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "bare", "newText": "x" }] }),
            json!({ "kind": "edit", "path": path, "baseHash": base,
                    "edits": [{ "oldText": "bare", "newText": "x" }] }),
            json!({ "kind": "write", "path": path, "content": "x\n" }),
            json!({ "kind": "write", "path": path, "baseHash": base, "content": "x\n" }),
        ],
    );
}

#[rstest]
fn existing_metadata_is_neither_deleted_nor_moved_away(
    #[values(".git/config", "sub/.git/hooks/x", "linked/.git", "alias/config")] path: &str,
) {
    assert_protected(
        path,
        [
            json!({ "kind": "delete", "path": path }),
            json!({ "kind": "rename", "path": path, "newPath": "taken.txt" }),
        ],
    );
}

#[rstest]
fn metadata_is_neither_created_nor_moved_in(
    #[values(
        ".git/new",
        ".GIT/config",
        ".Git/hooks/pre-commit",
        ".git/hooks/deep/er",
        "new/.git",
        "new/.git/config",
        "new/.GiT/config",
        "sub/.git/config",
        "alias/hooks/new"
    )]
    path: &str,
) {
    assert_protected(
        path,
        [
            json!({ "kind": "write", "path": path, "content": "x\n" }),
            json!({ "kind": "rename", "path": "a.txt", "newPath": path }),
        ],
    );
}

#[test]
fn a_symlink_gives_no_access_by_absolute_path_or_uri() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let before = workspace.everything();
    let write = |field: &str, value: String| json!({ "kind": "write", field: value, "content": "x\n" });
    agent.change(write("path", workspace.absolute(".git/new"))).refused("protected");
    agent.change(write("uri", format!("file://{}", workspace.absolute("%2Egit/new")))).refused("protected");
    agent.change(write("uri", format!("file://{}", workspace.absolute(".%67it/new")))).refused("protected");
    assert_eq!(workspace.everything(), before);
}

#[test]
fn metadata_can_be_read() {
    let (machine, workspace) = scene();
    assert_eq!(machine.agent(&workspace).read(".git/config")["text"], CONFIG);
}

#[rstest]
#[case(".gitignore", "target")]
#[case(".github/workflows.txt", "one")]
#[case("digit/config", "one")]
fn files_with_similar_names_are_editable(#[case] path: &str, #[case] old: &str) {
    let (machine, workspace) = scene();
    machine.agent(&workspace).read_and_edit(path, old, "new").done();
    assert_eq!(workspace.text(path), "new\n");
}

#[test]
fn a_root_inside_the_metadata_gives_no_access() {
    let (machine, workspace) = scene();
    let mut session = workspace.session("alice");
    session["workspaceFolders"][0]["uri"] = json!(format!("file://{}", workspace.absolute(".git")));
    let before = workspace.everything();
    let mut agent = crate::support::Agent::connect(&machine, crate::support::Framing::Lines);
    if agent.initialize(session).is_ok() {
        agent.change(json!({ "kind": "write", "path": "hooks/new", "content": "x\n" })).refused("protected");
    }
    assert_eq!(workspace.everything(), before);
}
