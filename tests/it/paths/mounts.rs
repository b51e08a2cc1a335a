//! Folders and files that are bind-mounted under other names. These tests need root to mount. POSIX has no call that
//! tells about mounts.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Returns an agent with this root.
fn agent_at(machine: &Machine, root: &Path) -> Agent {
    let session = json!({ "clientInfo": { "name": "a" }, "rootUri": uri_of(root) });
    let mut agent = Agent::connect(machine, Framing::Lines);
    agent.initialize(session).done();
    agent
}

#[test]
fn changes_in_a_mount_of_a_project_elsewhere_are_reviewed() {
    if is_portable() {
        return;
    }
    let (_, workspace) = scene();
    let machine = Machine::configured("review = \"auto\"\n");
    let alias = workspace.outside("alias");
    fs::create_dir(&alias).expect("a folder");
    let _bound = Bound::new(workspace.root(), alias.clone());
    let mut session = workspace.session("vim");
    session["capabilities"] = json!({ "experimental": { "editd": { "review": true } } });
    let mut editor = Agent::connect_as_editor(&machine);
    editor.initialize(session).done();
    let mut agent = agent_at(&machine, &alias);
    let new = json!({ "kind": "write", "path": alias.join("new.txt"), "content": "x\n" });
    assert_eq!(agent.change(new).done()["state"], "pending");
    // The root may also lie deeper than the mount.
    let new = json!({ "kind": "write", "path": "b.txt", "content": "x\n" });
    assert_eq!(agent_at(&machine, &alias.join("src")).change(new).done()["state"], "pending");
    let waiting = editor.call("editd/proposals", json!({})).done();
    let files = |n: usize| waiting["proposals"][n]["paths"][0].clone();
    let mut paths = [files(0), files(1)].map(|path| path.as_str().unwrap_or_default().to_owned());
    paths.sort();
    assert_eq!(paths, [workspace.absolute("new.txt"), workspace.absolute("src/b.txt")], "{waiting}");
}

#[test]
fn text_that_is_open_under_the_path_of_a_mount_is_seen() {
    if is_portable() {
        return;
    }
    let (machine, workspace) = scene();
    let alias = workspace.outside("alias");
    fs::create_dir(&alias).expect("a folder");
    let _bound = Bound::new(workspace.root(), alias.clone());
    let mut editor = Agent::connect_as_editor(&machine);
    editor.initialize(json!({ "clientInfo": { "name": "vim" }, "rootUri": uri_of(&alias) })).done();
    let document = json!({
        "uri": uri_of(&alias.join("src/a.txt")), "languageId": "text", "version": 1, "text": "typed\n",
    });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    editor.call("editd/status", json!({})).done();
    assert_eq!(machine.agent(&workspace).read("src/a.txt")["text"], "typed\n");
}

#[test]
fn the_names_of_a_mount_protect_its_files_too() {
    if is_portable() {
        return;
    }
    let (machine, workspace) = scene();
    let alias = workspace.outside("other/.vscode");
    fs::create_dir_all(&alias).expect("a folder");
    let _bound = Bound::new(&workspace.path("src"), alias.clone());
    let new = json!({ "kind": "write", "path": "tasks.json", "content": "x\n" });
    assert_eq!(agent_at(&machine, &alias).change(new).refused("protected")["rule"], "editor_config");
}

/// Another process can see the project at a path that is free here. Its folders have no path of this machine.
#[test]
fn a_folder_in_the_mounts_of_another_process_is_no_root() {
    if is_portable() {
        return;
    }
    let (machine, workspace) = scene();
    let (from, at) = (workspace.root().display(), workspace.outside("elsewhere"));
    fs::create_dir(&at).expect("a folder");
    let script = format!("mount --bind {from} {} && echo ready && exec sleep 60", at.display());
    let mut process = Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .stdout(Stdio::piped())
        .spawn()
        .expect("unshare(1)");
    let mut ready = String::new();
    BufReader::new(process.stdout.take().expect("output")).read_line(&mut ready).expect("a line");
    assert_eq!(ready, "ready\n", "this test needs root to mount");
    let there = PathBuf::from(format!("/proc/{}/root{}", process.id(), at.display()));
    assert_eq!(fs::read_to_string(there.join("src/a.txt")).expect("the file of the project"), "one\n");
    for folder in [there.clone(), there.join("src"), there.join(".vscode")] {
        let mut agent = Agent::connect(&machine, Framing::Lines);
        let mut session = workspace.session("agent");
        session["workspaceFolders"] = json!([{ "uri": uri_of(&folder), "name": "there" }]);
        agent.initialize(session).refused_as_any(&["disk", "missing"]);
    }
    process.kill().expect("a process");
    process.wait().expect("its end");
}
