//! Changes of several files: all or nothing.

use std::os::unix::fs::PermissionsExt;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace};

const FILES: [(&str, &str); 5] = [
    ("a.txt", "alpha\n"),
    ("b.txt", "beta\n"),
    ("c.txt", "gamma\n"),
    ("d.txt", "delta\n"),
    ("unread.txt", "epsilon\n"),
];

fn scene() -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&FILES));
    let mut agent = machine.agent(&workspace);
    for (name, _) in &FILES[..4] {
        agent.read(name);
    }
    (machine, workspace, agent)
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] })
}

fn good_changes() -> Vec<Value> {
    vec![
        edit("a.txt", "alpha", "ALPHA"),
        json!({ "kind": "write", "path": "new/e.txt", "content": "new\n" }),
        json!({ "kind": "delete", "path": "b.txt" }),
        json!({ "kind": "rename", "path": "c.txt", "newPath": "moved.txt" }),
        json!({ "kind": "write", "path": "d.txt", "content": "DELTA\n" }),
    ]
}

#[test]
fn a_set_of_changes_is_applied_as_a_whole() {
    let (_machine, workspace, mut agent) = scene();
    let applied = agent.changes(good_changes()).done();
    assert_eq!(workspace.text("a.txt"), "ALPHA\n");
    assert_eq!(workspace.text("new/e.txt"), "new\n");
    assert_eq!(workspace.text("moved.txt"), "gamma\n");
    assert_eq!(workspace.text("d.txt"), "DELTA\n");
    assert!(!workspace.has("b.txt") && !workspace.has("c.txt"));
    let files = applied["files"].as_array().expect("files");
    let actions: Vec<&str> = files.iter().filter_map(|file| file["action"].as_str()).collect();
    assert_eq!(actions, ["edit", "create", "delete", "rename", "edit"]);
}

#[test]
fn no_temporary_files_are_left_in_the_folder() {
    let (_machine, workspace, mut agent) = scene();
    agent.changes(good_changes()).done();
    let names: Vec<String> = workspace
        .everything()
        .iter()
        .filter_map(|(path, _)| path.file_name()?.to_str().map(str::to_owned))
        .collect();
    assert_eq!(names, ["a.txt", "d.txt", "moved.txt", "new", "e.txt", "unread.txt"]);
}

#[rstest]
#[case::text_that_is_not_there(edit("d.txt", "absent", "x"), "not_found")]
#[case::unread(edit("unread.txt", "epsilon", "x"), "unread")]
#[case::missing(edit("no.txt", "a", "b"), "missing")]
#[case::taken(json!({ "kind": "rename", "path": "d.txt", "newPath": "a.txt" }), "exists")]
#[case::outside(json!({ "kind": "write", "path": "../out.txt", "content": "x" }), "outside_workspace")]
#[case::protected(json!({ "kind": "write", "path": ".git/hooks/x", "content": "x" }), "protected")]
#[case::no_change(json!({ "kind": "write", "path": "d.txt", "content": "delta\n" }), "no_change")]
fn one_invalid_change_stops_all(#[case] bad: Value, #[case] kind: &str, #[values(0, 2, 4)] at: usize) {
    let (_machine, workspace, mut agent) = scene();
    let before = workspace.everything();
    let mut changes = good_changes();
    changes.truncate(4);
    changes.insert(at, bad);
    let data = agent.changes(changes.clone()).refused(kind);
    assert_eq!(data["change"], at, "{data}");
    assert_eq!(workspace.everything(), before);
    changes.remove(at);
    agent.changes(changes).done();
}

#[test]
fn a_read_only_member_stops_all() {
    let (_machine, workspace, mut agent) = scene();
    std::fs::set_permissions(workspace.path("d.txt"), PermissionsExt::from_mode(0o444)).expect("a mode");
    let before = workspace.everything();
    agent.changes(good_changes()).refused("read_only");
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_stale_member_stops_all() {
    let (_machine, workspace, mut agent) = scene();
    workspace.put("d.txt", "dELTA\n");
    let before = workspace.everything();
    let data = agent.changes(good_changes()).refused("stale");
    assert_eq!(data["change"], 4);
    assert_eq!(workspace.everything(), before);
}

#[test]
fn every_refusal_is_listed_in_the_order_of_the_changes() {
    let (_machine, workspace, mut agent) = scene();
    let before = workspace.everything();
    let changes = vec![
        edit("a.txt", "alpha", "ALPHA"),
        edit("b.txt", "absent", "x"),
        edit("unread.txt", "epsilon", "x"),
        json!({ "kind": "rename", "path": "c.txt", "newPath": "moved.txt" }),
        edit("no.txt", "a", "b"),
    ];
    let data = agent.changes(changes).refused("not_found");
    assert_eq!((&data["change"], &data["edit"]), (&json!(1), &json!(0)));
    let refusals = data["refusals"].as_array().expect("refusals");
    let listed: Vec<(&str, u64)> =
        refusals.iter().filter_map(|one| Some((one["kind"].as_str()?, one["change"].as_u64()?))).collect();
    assert_eq!(listed, [("not_found", 1), ("unread", 2), ("missing", 4)]);
    assert_eq!(workspace.everything(), before);
}

#[test]
fn every_refusal_of_one_files_edits_is_listed() {
    let (_machine, workspace, mut agent) = scene();
    let edits = json!([
        { "oldText": "absent", "newText": "x" },
        { "oldText": "alpha", "newText": "ALPHA" },
        { "oldText": "", "newText": "y" },
    ]);
    let data = agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).refused("not_found");
    let refusals = data["refusals"].as_array().expect("refusals");
    let listed: Vec<(&str, u64)> =
        refusals.iter().filter_map(|one| Some((one["kind"].as_str()?, one["edit"].as_u64()?))).collect();
    assert_eq!(listed, [("not_found", 0), ("empty_old_text", 2)]);
    assert_eq!(workspace.text("a.txt"), "alpha\n");
}

#[test]
fn a_swap_of_names_ends_with_both_files() {
    let (_machine, workspace, mut agent) = scene();
    let changes = vec![
        json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" }),
        json!({ "kind": "rename", "path": "b.txt", "newPath": "a.txt" }),
    ];
    let answer = agent.changes(changes);
    let texts = (workspace.text("a.txt"), workspace.text("b.txt"));
    match answer {
        Ok(_) => assert_eq!(texts, ("beta\n".into(), "alpha\n".into())),
        Err(error) => {
            assert_eq!((error.kind(), texts), ("exists", ("alpha\n".into(), "beta\n".into())));
        }
    }
}

#[test]
fn many_files_change_together() {
    let names: Vec<String> = (0..200).map(|number| format!("sub{}/{number}.txt", number % 7)).collect();
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    for name in &names {
        workspace.put(name, format!("in {name}\n"));
        agent.read(name);
    }
    agent.changes(names.iter().map(|name| edit(name, "in ", "now in ")).collect()).done();
    for name in &names {
        assert_eq!(workspace.text(name), format!("now in {name}\n"));
    }
}
