//! No spelling of a path reaches files outside the roots.

use std::fs;
use std::os::unix::fs::symlink;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, hash_of, uri_of};

/// A root with symlinks that lead out of it, and files outside that must stay inaccessible.
fn scene() -> (Machine, Workspace) {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("sub/b.txt", "two\n")]));
    fs::create_dir(workspace.outside("project-evil")).expect("a folder");
    for place in ["secret.txt", "project-evil/secret.txt"] {
        fs::write(workspace.outside(place), "secret\n").expect("a file outside");
    }
    let links = [
        ("absolute", workspace.outside("secret.txt")),
        ("relative", "../secret.txt".into()),
        ("folder", workspace.outside("project-evil")),
        ("up", "..".into()),
        ("top", "/".into()),
        ("chain", "relative".into()),
        ("sub/over", "../up/secret.txt".into()),
        ("process", "/proc/self/root".into()),
        ("dangling", workspace.outside("not-there.txt")),
        ("dangling_up", "../not-there.txt".into()),
    ];
    for (name, target) in links {
        symlink(target, workspace.path(name)).expect("a link");
    }
    (machine, workspace)
}

/// Replaces `{out}` with the parent folder of the root.
fn spelled(workspace: &Workspace, path: &str) -> String {
    path.replace("{out}", workspace.outside("").to_str().expect("test paths are UTF-8").trim_end_matches('/'))
}

fn everything_outside(workspace: &Workspace) -> Vec<(String, Option<Vec<u8>>)> {
    let names = ["secret.txt", "project-evil/secret.txt", "not-there.txt", "new.txt", "project-evil/new.txt"];
    names.map(|name| (name.to_owned(), fs::read(workspace.outside(name)).ok())).to_vec()
}

#[rstest]
fn a_path_out_of_the_root_is_refused_for_every_method(
    #[values(
        "../secret.txt",
        "../../../../../../etc/passwd",
        "sub/../../secret.txt",
        "./../secret.txt",
        "/etc/passwd",
        "/etc/shadow",
        "{out}/secret.txt",
        "{out}/project-evil/secret.txt",
        "../project-evil/secret.txt",
        "{out}/project/../secret.txt",
        "absolute",
        "relative",
        "chain",
        "folder/secret.txt",
        "up/secret.txt",
        "top/etc/passwd",
        "sub/over",
        "process/etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/a.txt",
        "/dev/null",
        "sub/../sub/../../secret.txt",
        "sub/./.././../secret.txt",
        ".//../secret.txt",
        "../project-evil/../secret.txt",
        "../project-evil//secret.txt",
        "not-there/../../secret.txt",
        "not-there/../../../etc/passwd",
        "{out}//secret.txt",
        "{out}/./project-evil/secret.txt",
        "{out}/project//../secret.txt",
        "{out}/project-evil/../secret.txt",
        "//etc/passwd",
        "///etc/./passwd",
        "/proc/1/root/etc/passwd",
        "/proc/self/fd/0",
        "/dev/fd/0",
        "up/../secret.txt",
        "up/project-evil/secret.txt",
        "sub/../folder/secret.txt",
        "folder/../secret.txt",
        "top/proc/self/root/etc/passwd",
        "process/proc/self/root/etc/passwd"
    )]
    path: &str,
) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let path = spelled(&workspace, path);
    let (inside, outside) = (workspace.everything(), everything_outside(&workspace));
    agent.try_read(&path).refused("outside_workspace");
    for base in [Value::Null, json!(hash_of("secret\n"))] {
        for mut change in every_change(&workspace, &path) {
            if !base.is_null() {
                change["baseHash"] = base.clone();
            }
            for method in ["editd/propose", "editd/edit"] {
                agent.call(method, json!({ "changes": [change] })).refused("outside_workspace");
            }
        }
    }
    assert_eq!((workspace.everything(), everything_outside(&workspace)), (inside, outside));
}

fn every_change(workspace: &Workspace, path: &str) -> Vec<Value> {
    let mut changes = vec![
        json!({ "kind": "edit", "path": path, "edits": [{ "oldText": "secret", "newText": "x" }] }),
        json!({ "kind": "write", "path": path, "content": "x\n" }),
    ];
    // Deleting or renaming a symlink inside the root would not be an escape.
    if !workspace.path(path).is_symlink() {
        changes.push(json!({ "kind": "delete", "path": path }));
        changes.push(json!({ "kind": "rename", "path": path, "newPath": "stolen.txt" }));
    }
    changes
}

#[rstest]
fn no_file_is_created_or_moved_outside(
    #[values(
        "../new.txt",
        "{out}/new.txt",
        "folder/new.txt",
        "up/new.txt",
        "dangling",
        "dangling_up",
        "../project-evil/new.txt",
        "sub/../../new.txt",
        "process/tmp/new.txt"
    )]
    path: &str,
) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let path = spelled(&workspace, path);
    let (inside, outside) = (workspace.everything(), everything_outside(&workspace));
    agent.change(json!({ "kind": "write", "path": path, "content": "x\n" })).refused("outside_workspace");
    let rename = json!({ "kind": "rename", "path": "a.txt", "newPath": path });
    agent.change(rename).refused_as_any(&["outside_workspace", "exists"]);
    assert_eq!((workspace.everything(), everything_outside(&workspace)), (inside, outside));
}

#[rstest]
#[case("../secret.txt", "../no-such-file.txt")]
#[case("{out}/project-evil/secret.txt", "{out}/project-evil/no.txt")]
#[case("/etc/passwd", "/etc/no-such-file")]
#[case("/etc/passwd", "/no/such/folder/file")]
#[case("folder/secret.txt", "folder/no.txt")]
#[case("absolute", "dangling")]
fn refusals_outside_do_not_reveal_whether_a_file_exists(#[case] existing: &str, #[case] missing: &str) {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let mut said = [existing, missing].map(|path| {
        let path = spelled(&workspace, path);
        let error = agent.try_read(&path).fails(-32803);
        assert_eq!(error.kind(), "outside_workspace", "{error:?}");
        let nameless = |text: String| text.replace(&path, "PATH");
        (nameless(error.message), nameless(error.data["hint"].to_string()), keys(&error.data))
    });
    let first = std::mem::take(&mut said[0]);
    assert_eq!(first, said[1]);
}

fn keys(data: &Value) -> Vec<String> {
    data.as_object().expect("data").keys().cloned().collect()
}

#[test]
fn the_refusal_names_the_roots() {
    let (machine, workspace) = scene();
    let data = machine.agent(&workspace).try_read("/etc/passwd").refused("outside_workspace");
    let root = workspace.root().to_str().expect("test paths are UTF-8");
    assert!(data["roots"].to_string().contains(root), "{data}");
}

#[test]
fn a_uri_reaches_no_further_than_a_path() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let root = uri_of(workspace.root());
    let uris = [
        uri_of(&workspace.outside("secret.txt")),
        format!("{root}/../secret.txt"),
        format!("{root}/%2E%2E/secret.txt"),
        format!("{root}/sub%2F..%2F..%2Fsecret.txt"),
        "file:///etc/passwd".to_owned(),
    ];
    for uri in uris {
        agent.call("editd/read", json!({ "uri": uri })).refused("outside_workspace");
    }
}

#[test]
fn the_root_of_a_session_does_not_apply_to_another() {
    let (machine, mine, theirs) =
        (Machine::start(), Workspace::file("a.txt", "one\n"), Workspace::file("b.txt", "two\n"));
    let (mut me, mut them) = (machine.agent_named("alice", &mine), machine.agent_named("bob", &theirs));
    me.read("a.txt");
    them.read("b.txt");
    me.try_read(&theirs.absolute("b.txt")).refused("outside_workspace");
    them.try_read(&mine.absolute("a.txt")).refused("outside_workspace");
}

#[test]
fn a_root_replaced_with_a_symlink_does_not_redirect_edits() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    fs::write(workspace.outside("project-evil/a.txt"), "one\n").expect("a decoy");
    fs::rename(workspace.root(), workspace.outside("moved")).expect("a rename");
    symlink(workspace.outside("project-evil"), workspace.root()).expect("a link");
    let _ = agent.edit("a.txt", "one", "two");
    let decoy = fs::read_to_string(workspace.outside("project-evil/a.txt")).expect("the decoy");
    assert_eq!(decoy, "one\n");
}
