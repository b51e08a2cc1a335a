//! Folders and files that are bind-mounted under other names. These tests need root to mount. POSIX has no call that
//! tells about mounts.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::{Agent, Framing, Machine, Outcome, Workspace, hash_of, is_portable, uri_of};

/// A bind mount that is unmounted on drop. Declare it after the workspace, so that it is dropped first.
struct Bound(PathBuf);

impl Bound {
    fn new(from: &Path, at: PathBuf) -> Self {
        let status = Command::new("mount").arg("--bind").arg(from).arg(&at).status().expect("mount(8)");
        assert!(status.success(), "this test needs root to mount");
        Self(at)
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

fn scene() -> (Machine, Workspace) {
    let files = [
        (".git/HEAD", "x\n"),
        (".git/config", "one\n"),
        (".git/hooks/sample", "one\n"),
        (".hg/hgrc", "one\n"),
        (".vscode/tasks.json", "one\n"),
        (".env", "one\n"),
        ("src/a.txt", "one\n"),
        ("x/placeholder", ""),
        ("file.txt", ""),
    ];
    (Machine::start(), Workspace::with(&files))
}

#[test]
fn a_mounted_folder_keeps_its_protection() {
    if is_portable() {
        return;
    }
    let (machine, workspace) = scene();
    for (from, path, rule) in [
        (".git", "x/config", "version_control"),
        (".git", "x/new", "version_control"),
        (".git/hooks", "x/sample", "version_control"),
        (".git/hooks", "x/deep/new", "version_control"),
        (".hg", "x/hgrc", "version_control"),
        (".vscode", "x/tasks.json", "editor_config"),
    ] {
        let _bound = Bound::new(&workspace.path(from), workspace.path("x"));
        let before = workspace.everything();
        let mut agent = machine.agent(&workspace);
        agent.read("src/a.txt");
        for mut change in [
            json!({ "kind": "write", "path": path, "content": "x\n" }),
            json!({ "kind": "rename", "path": "src/a.txt", "newPath": path }),
        ] {
            if change["kind"] == "write" && workspace.has(path) {
                change["baseHash"] = json!(hash_of("one\n"));
            }
            assert_eq!(agent.change(change).refused("protected")["rule"], rule, "{from} as {path}");
        }
        assert_eq!(workspace.everything(), before);
    }
}

#[test]
fn a_mounted_file_keeps_its_protection() {
    if is_portable() {
        return;
    }
    let (machine, workspace) = scene();
    for (from, rule) in [(".git/config", "version_control"), (".env", "secrets")] {
        let _bound = Bound::new(&workspace.path(from), workspace.path("file.txt"));
        let mut agent = machine.agent(&workspace);
        let edit = json!({ "kind": "edit", "path": "file.txt", "baseHash": hash_of("one\n"),
                           "edits": [{ "oldText": "one", "newText": "two" }] });
        assert_eq!(agent.change(edit).refused("protected")["rule"], rule, "{from}");
        assert_eq!(agent.try_read("file.txt").is_ok(), rule == "version_control");
        assert_eq!(workspace.text(from), "one\n");
    }
}

#[test]
fn an_unprotected_mounted_file_is_like_any_other() {
    let (machine, workspace) = scene();
    let _bound = Bound::new(&workspace.path("src"), workspace.path("x"));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("x/a.txt", "one", "two").done();
    assert_eq!(workspace.text("src/a.txt"), "two\n");
    agent.change(json!({ "kind": "write", "path": "x/new/b.txt", "content": "x\n" })).done();
}

#[test]
fn mounted_metadata_is_refused_as_a_root() {
    if is_portable() {
        return;
    }
    let (machine, workspace) = scene();
    for from in [".git", ".git/hooks", ".hg"] {
        let _bound = Bound::new(&workspace.path(from), workspace.path("x"));
        let session = json!({ "clientInfo": { "name": "a" }, "rootUri": uri_of(&workspace.path("x")) });
        Agent::connect(&machine, Framing::Lines).initialize(session).refused("outside_workspace");
    }
}
