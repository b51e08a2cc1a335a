//! Repository metadata under unusual names: repositories created by git itself, and forged pointers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace, hash_of, uri_of};

/// Runs git without the tester's configuration.
fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]);
    command.args(["-c", "init.defaultBranch=main"]).args(arguments).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn committed(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    git(folder, &["init", "-q"]);
    fs::write(folder.join("a.txt"), "one\n").expect("a file");
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "x"]);
}

/// Asserts that every change to existing git metadata, and every creation of new metadata, is refused.
#[track_caller]
fn assert_protected(workspace: &Workspace, agent: &mut Agent, paths: &[&str]) {
    let before = workspace.everything();
    for path in paths {
        let base = fs::read(workspace.path(path)).map(hash_of).ok();
        for mut change in [
            json!({ "kind": "write", "path": path, "content": "[core]\n\tfsmonitor = touch /tmp/x\n" }),
            json!({ "kind": "delete", "path": path }),
            json!({ "kind": "rename", "path": path, "newPath": "taken.txt" }),
            json!({ "kind": "rename", "path": "b.txt", "newPath": path }),
        ] {
            if let Some(base) = &base {
                change["baseHash"] = json!(base);
            }
            let kinds: &[&str] = if base.is_none() { &["protected", "missing"] } else { &["protected"] };
            let refusal = agent.change(change.clone()).refused_as_any(kinds);
            if refusal["kind"] == "protected" {
                assert_eq!(refusal["rule"], "version_control", "{change}");
            }
        }
        let write = json!({ "kind": "write", "path": path, "content": "x\n" });
        agent.change(write).refused("protected");
    }
    assert_eq!(workspace.everything(), before);
}

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("b.txt", "one\n"))
}

#[test]
fn a_repository_whose_folder_has_another_name_is_protected() {
    let (machine, workspace) = scene();
    fs::create_dir(workspace.path("work")).expect("a folder");
    git(workspace.root(), &["init", "-q", "--separate-git-dir=store", "work"]);
    let mut agent = machine.agent(&workspace);
    agent.read("b.txt");
    let paths = ["store/config", "store/hooks/pre-commit", "store/new/deep", "store/HEAD", "work/.git"];
    assert_protected(&workspace, &mut agent, &paths);
    agent.change(json!({ "kind": "write", "path": "work/a.txt", "content": "x\n" })).done();
}

#[test]
fn a_bare_repository_is_protected_and_work_trees_in_it_are_not() {
    let (machine, workspace) = scene();
    committed(&workspace.outside("origin"));
    git(workspace.root(), &["clone", "-q", "--bare", "../origin", "proj"]);
    git(&workspace.path("proj"), &["worktree", "add", "-q", "main"]);
    let mut agent = machine.agent(&workspace);
    agent.read("b.txt");
    let paths = ["proj/config", "proj/hooks/pre-push", "proj/worktrees/main/HEAD", "proj/main/.git"];
    assert_protected(&workspace, &mut agent, &paths);
    agent.read_and_edit("proj/main/a.txt", "one", "two").done();
    agent.change(json!({ "kind": "write", "path": "proj/main/new/a.txt", "content": "x\n" })).done();
}

#[test]
fn a_work_tree_next_to_its_hidden_repository_is_editable() {
    let (machine, workspace) = scene();
    committed(&workspace.outside("origin"));
    git(workspace.root(), &["clone", "-q", "--bare", "../origin", ".bare"]);
    workspace.put(".git", "gitdir: ./.bare\n");
    git(workspace.root(), &["worktree", "add", "-q", "main"]);
    let mut agent = machine.agent(&workspace);
    agent.read("b.txt");
    assert_protected(
        &workspace,
        &mut agent,
        &[".bare/config", ".bare/hooks/x", ".bare/worktrees/main/gitdir", ".git"],
    );
    agent.read_and_edit("main/a.txt", "one", "two").done();
}

#[test]
fn submodules_and_linked_work_trees_are_editable_and_their_metadata_is_protected() {
    let (machine, workspace) = scene();
    committed(&workspace.outside("module"));
    committed(workspace.root());
    git(workspace.root(), &["submodule", "-q", "add", "../module", "module"]);
    git(workspace.root(), &["worktree", "add", "-q", "trees/x"]);
    let mut agent = machine.agent(&workspace);
    agent.read("b.txt");
    let paths = [
        ".git/config",
        ".git/modules/module/config",
        ".git/worktrees/x/HEAD",
        ".git/worktrees/x/commondir",
        "module/.git",
        "trees/x/.git",
    ];
    assert_protected(&workspace, &mut agent, &paths);
    for path in ["module/a.txt", "trees/x/a.txt", "a.txt"] {
        agent.read_and_edit(path, "one", "two").done();
    }
}

#[test]
fn a_root_in_a_hidden_repository_is_refused() {
    let (machine, workspace) = scene();
    git(workspace.root(), &["init", "-q", "--bare", "store"]);
    for root in ["store", "store/hooks", "store/refs/heads"] {
        let mut agent = Agent::connect(&machine, Framing::Lines);
        let session = json!({ "clientInfo": { "name": "a" }, "rootUri": uri_of(&workspace.path(root)) });
        agent.initialize(session).refused("outside_workspace");
    }
}

#[test]
fn metadata_behind_a_symlink_is_recognized_by_its_content() {
    let (machine, workspace) = scene();
    git(workspace.root(), &["init", "-q", "--bare", "store"]);
    symlink("store", workspace.path(".git")).expect("a link");
    symlink("store/hooks", workspace.path("h")).expect("a link");
    let mut agent = machine.agent(&workspace);
    agent.read("b.txt");
    assert_protected(
        &workspace,
        &mut agent,
        &["store/config", "store/hooks/x", "h/pre-commit", ".git/config"],
    );
}

/// A `.git` file points to metadata. It is not trusted: metadata is recognized by its own content.
#[test]
fn a_forged_pointer_grants_nothing_and_locks_nobody_out() {
    for pointer in
        ["gitdir: {out}\n", "gitdir: .\n", "gitdir: ..\n", "gitdir: {root}\n", "gitdir: sub\n", "gitdir: /\n"]
    {
        let (machine, workspace) = scene();
        let out = workspace.outside("out");
        fs::create_dir(&out).expect("a folder outside");
        for (name, text) in [("config", "secret\n"), ("HEAD", "x\n"), ("commondir", "{root}\n")] {
            fs::write(out.join(name), text).expect("a file outside");
        }
        let pointer = pointer
            .replace("{out}", out.to_str().expect("text"))
            .replace("{root}", workspace.root().to_str().expect("text"));
        workspace.put(".git", &pointer);
        workspace.put("sub/a.txt", "one\n");
        let mut agent = machine.agent(&workspace);
        agent.try_read(out.join("config").to_str().expect("text")).refused("outside_workspace");
        let write = json!({ "kind": "write", "path": out.join("config"), "content": "x\n" });
        agent.change(write).refused("outside_workspace");
        for path in ["b.txt", "sub/a.txt"] {
            agent.read_and_edit(path, "one", "two").done();
        }
        agent.change(json!({ "kind": "write", "path": ".git", "content": "x\n" })).refused("protected");
        assert_eq!(fs::read_to_string(out.join("config")).expect("a file"), "secret\n");
    }
}

/// A hard link bypasses all rules about names, so protected files are recognized by their inode.
#[test]
fn a_hard_link_to_a_protected_file_is_refused_even_if_hard_links_are_allowed() {
    let machine = Machine::configured("hard_links = true\n");
    let workspace = Workspace::file("b.txt", "one\n");
    committed(workspace.root());
    workspace.put(".git/hooks/pre-commit", "one\n");
    fs::create_dir(workspace.path("sub")).expect("a folder");
    machine.write_policy("");
    // The configuration may be on another file system; then it cannot have a hard link here.
    let linked = fs::hard_link(machine.policy_file(), workspace.path("sub/p")).is_ok();
    fs::hard_link(workspace.path(".git/config"), workspace.path("sub/a")).expect("a link");
    fs::hard_link(workspace.path(".git/hooks/pre-commit"), workspace.path("sub/b")).expect("a link");
    fs::hard_link(workspace.path("b.txt"), workspace.path("sub/c")).expect("a link");
    let mut agent = machine.agent(&workspace);
    for (path, rule) in [("sub/a", "version_control"), ("sub/b", "version_control"), ("sub/p", "editd")] {
        if path == "sub/p" && !linked {
            continue;
        }
        let mut write = json!({ "kind": "write", "path": path, "content": "x\n" });
        write["baseHash"] = json!(workspace.hash(path));
        assert_eq!(agent.change(write).refused("protected")["rule"], rule, "{path}");
    }
    agent.read_and_edit("sub/c", "one", "two").done();
    assert_eq!(workspace.text("b.txt"), "two\n");
}

#[test]
fn a_hard_link_is_refused_for_every_change() {
    let (machine, workspace) = scene();
    fs::write(workspace.outside("other.txt"), "one\n").expect("a file outside");
    fs::hard_link(workspace.outside("other.txt"), workspace.path("a.txt")).expect("a link");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let changes = [
        json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "x" }] }),
        json!({ "kind": "write", "path": "a.txt", "content": "x\n" }),
        json!({ "kind": "delete", "path": "a.txt" }),
        json!({ "kind": "rename", "path": "a.txt", "newPath": "c.txt" }),
    ];
    for change in changes {
        let refusal: Value = agent.change(change).refused("protected");
        assert_eq!(refusal["rule"], "hard_link");
        assert!(refusal["hint"].as_str().expect("a hint").contains("hard_links"), "{refusal}");
    }
    assert_eq!(fs::read_to_string(workspace.outside("other.txt")).expect("a file"), "one\n");
}
