//! Tests on restricted file systems: read-only mounts, files that cannot be changed, file systems that cannot
//! swap names or have no hard links.

use std::path::PathBuf;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{
    Agent, Fault, Machine, Outcome, Strace, Volume, Workspace, eventually, is_portable, run, text_of,
};

const FILES: [(&str, &str); 4] = [("a", "one\n"), ("bad/b", "two\n"), ("c", "three\n"), ("d", "four\n")];

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] })
}

/// An edit, a new file, a deletion, a rename.
fn set() -> Vec<Value> {
    vec![
        edit("a", "one", "ONE"),
        json!({ "kind": "write", "path": "new/e", "content": "new\n" }),
        json!({ "kind": "delete", "path": "c" }),
        json!({ "kind": "rename", "path": "d", "newPath": "sub/d" }),
    ]
}

fn lay_out(agent: &mut Agent, workspace: &Workspace) {
    for (name, text) in FILES {
        workspace.put(name, text);
        agent.read(name);
    }
}

/// Name prefix that FUSE gives to a file that is removed while it is open; the file disappears when it is
/// closed.
const HIDDEN: &str = ".fuse_hidden";

/// Returns names and texts, without folders.
fn texts(workspace: &Workspace) -> Vec<(String, String)> {
    let named = |(path, bytes): (PathBuf, Option<Vec<u8>>)| {
        let name = path.strip_prefix(workspace.root()).expect("below").display().to_string();
        if name.starts_with(HIDDEN) {
            return None;
        }
        Some((name, String::from_utf8(bytes?).expect("text")))
    };
    workspace.everything().into_iter().filter_map(named).collect()
}

fn after() -> Vec<(String, String)> {
    let files = [("a", "ONE\n"), ("bad/b", "two\n"), ("new/e", "new\n"), ("sub/d", "four\n")];
    files.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec()
}

/// A set with a file that cannot be changed is refused before anything is changed; without that file it
/// succeeds.
#[rstest]
#[case::immutable(&["chattr", "+i"], &["chattr", "-i"])]
#[case::append_only(&["chattr", "+a"], &["chattr", "-a"])]
fn a_file_that_cannot_be_changed_stops_the_set(#[case] lock: &[&str], #[case] unlock: &[&str]) {
    let volume = Volume::ext4("");
    let (machine, workspace) = (Machine::start(), Workspace::at(&volume.at().join("project")));
    let mut agent = machine.agent(&workspace);
    lay_out(&mut agent, &workspace);
    let bad = workspace.absolute("bad/b");
    run(lock[0], &[lock[1], &bad]);
    let before = workspace.everything();
    for change in [edit("bad/b", "two", "TWO"), json!({ "kind": "delete", "path": "bad/b" })] {
        let mut changes = set();
        changes.push(change);
        agent.changes(changes).refused_as_any(&["read_only", "disk"]);
        assert_eq!(workspace.everything(), before);
    }
    run(unlock[0], &[unlock[1], &bad]);
    agent.changes(set()).done();
    assert_eq!(texts(&workspace), after());
}

#[test]
fn a_file_on_a_read_only_mount_stops_the_set() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&FILES));
    let mut agent = machine.agent(&workspace);
    lay_out(&mut agent, &workspace);
    let volume = Volume::tmpfs("size=64k");
    std::fs::write(volume.at().join("b"), "two\n").expect("a file");
    let bad = workspace.absolute("bad");
    run("mount", &["--bind", text_of(&volume.at()), &bad]);
    run("mount", &["-o", "remount,bind,ro", &bad]);
    agent.read("bad/b");
    let before = workspace.everything();
    for change in [
        edit("bad/b", "two", "TWO"),
        json!({ "kind": "write", "path": "bad/new", "content": "new\n" }),
        json!({ "kind": "delete", "path": "bad/b" }),
        json!({ "kind": "rename", "path": "bad/b", "newPath": "b" }),
    ] {
        let mut changes = set();
        changes.push(change);
        agent.changes(changes).refused_as_any(&["read_only", "disk"]);
        assert_eq!(workspace.everything(), before);
    }
    run("umount", &[&bad]);
    agent.changes(set()).done();
}

/// Asserts that the set succeeds, and that it has no effect if one member fails.
fn assert_set_works(workspace: &Workspace, agent: &mut Agent) {
    lay_out(agent, workspace);
    let before = texts(workspace);
    let mut changes = set();
    changes.push(edit("bad/b", "absent", "x"));
    agent.changes(changes).refused("not_found");
    assert_eq!(texts(workspace), before);
    agent.changes(set()).done();
    assert_eq!(texts(workspace), after());
    agent.edit("a", "ONE", "1").done();
    assert_eq!(workspace.text("a"), "1\n");
}

#[test]
fn files_on_an_overlay_are_changed_like_any() {
    let below = Volume::tmpfs("size=1m");
    for folder in ["lower", "upper", "work"] {
        std::fs::create_dir(below.at().join(folder)).expect("a folder");
    }
    let lower = Workspace::at(&below.at().join("lower/project"));
    for (name, text) in FILES {
        lower.put(name, text);
    }
    let at = |folder: &str| text_of(&below.at().join(folder)).to_owned();
    let options = format!("lowerdir={},upperdir={},workdir={}", at("lower"), at("upper"), at("work"));
    let volume = Volume::other("mount", &["-t", "overlay", "-o", &options, "overlay"]);
    let (machine, workspace) = (Machine::start(), Workspace::at(&volume.at().join("project")));
    assert_set_works(&workspace, &mut machine.agent(&workspace));
    assert_eq!(lower.text("a"), "one\n", "what lies below stays");
}

/// A file system that reports missing features: no exchange of names, no rename restricted to a free name,
/// and perhaps no hard links, as on FAT.
#[rstest]
#[case::no_swap(&["renameat2"])]
#[case::no_swap_and_no_links(&["renameat2", "linkat"])]
fn a_file_system_with_fewer_features_is_written_correctly(#[case] calls: &[&'static str]) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let refusal = |call: &&'static str| {
        Fault::always(call, if *call == "linkat" { "error=EPERM" } else { "error=EINVAL" })
    };
    let faults: Vec<_> = calls.iter().map(refusal).collect();
    let strace = Strace::attach(machine.pid(), &faults, &[]);
    assert_set_works(&workspace, &mut agent);
    let has_fault = strace.finish(false).has_fault();
    assert!(has_fault || is_portable(), "other calls are made only with `EDITD_SYSTEM=portable`");
}

/// exFAT through FUSE: no hard links, only plain renames, no owners, no modes.
#[test]
fn files_on_exfat_are_changed_all_or_none() {
    let volume = Volume::exfat();
    let (machine, workspace) = (Machine::start(), Workspace::at(&volume.at().join("project")));
    assert_set_works(&workspace, &mut machine.agent(&workspace));
    let hidden = |(path, _): &(PathBuf, _)| path.display().to_string().contains(HIDDEN);
    eventually("displaced files to be released", || {
        (!workspace.everything().iter().any(hidden)).then_some(())
    });
}

#[test]
fn a_folder_that_refuses_new_files_is_reported_by_the_requested_path() {
    let volume = Volume::ext4("");
    let (machine, workspace) = (Machine::start(), Workspace::at(&volume.at().join("project")));
    workspace.put("ro/a.txt", "one\n");
    let (mut agent, folder) = (machine.agent(&workspace), workspace.absolute("ro"));
    agent.read("ro/a.txt");
    run("chattr", &["+i", &folder]);
    let error =
        agent.change(json!({ "kind": "write", "path": "ro/new.txt", "content": "x\n" })).fails(-32803);
    run("chattr", &["-i", &folder]);
    let meant = workspace.absolute("ro/new.txt");
    assert_eq!((error.kind(), &error.data["path"]), ("disk", &json!(meant)));
    assert!(error.message.contains(&format!("may not write `{meant}`")), "{}", error.message);
    assert!(error.data["hint"].as_str().expect("a hint").contains("allow it"), "{error:?}");
    assert!(!format!("{error:?}").contains(HIDDEN), "{error:?}");
}

#[test]
fn an_unlistable_folder_is_not_reported_as_empty() {
    let workspace = Workspace::file("closed/a.txt", "one\n");
    let mut machine = Machine::asleep("");
    let denied =
        Fault { path: Some(workspace.path("closed")), ..Fault::always("getdents64", "error=EACCES") };
    assert!(machine.serve_under(&[denied]));
    let mut agent = machine.agent(&workspace);
    let error = agent.call("editd/list", json!({ "path": "closed" })).fails(-32803);
    assert_eq!(error.kind(), "disk");
    assert!(error.message.contains("may not") && error.message.contains("/closed`"), "{}", error.message);
    let all = agent.call("editd/list", json!({})).done();
    assert_eq!(all["entries"].as_array().map(Vec::len), Some(1), "what holds it can be listed: {all}");
}
