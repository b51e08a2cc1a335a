//! Tests of an invalid configuration: it refuses all writes and reports its file.

use std::fs;

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

/// Asserts that reads work, changes do not, and the refusal names the invalid file.
fn assert_writes_refused(machine: &Machine, file: &str) {
    let workspace = Workspace::file("a.txt", "one\n");
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read("a.txt")["text"], "one\n");
    let before = workspace.everything();
    let changes = [
        json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "two" }] }),
        json!({ "kind": "write", "path": "b.txt", "content": "new\n" }),
        json!({ "kind": "delete", "path": "a.txt" }),
        json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" }),
    ];
    for change in changes {
        let error = agent.change(change).fails(-32803);
        let printed = format!("{} {}", error.message, error.data);
        assert!(printed.contains(file), "{file} should be named: {error:?}");
    }
    assert_eq!(workspace.everything(), before);
}

#[rstest]
#[case::no_toml("review = \"off\"\ndurability = \n")]
#[case::no_text("\u{0}\u{1}\u{2}")]
#[case::an_unknown_value("durability = \"sometimes\"\n")]
#[case::a_value_of_another_type("hard_links = \"perhaps\"\n")]
#[case::an_unknown_key("durabilty = \"full\"\n")]
#[case::an_unknown_limit("[limits]\nfile_sizes = 1000\n")]
#[case::room_for_nothing("[limits]\nrequests_in_flight = 0\n")]
#[case::no_duration("idle_exit = \"soon\"\n")]
fn a_broken_configuration_refuses_all_writes(#[case] text: &str) {
    let mut machine = Machine::asleep("");
    machine.write_config(text);
    machine.serve();
    assert_writes_refused(&machine, "config.toml");
}

#[test]
fn a_broken_policy_refuses_all_writes() {
    let mut machine = Machine::asleep("");
    fs::write(machine.config_file().with_file_name("policy.toml"), "rules = [").expect("a policy");
    machine.serve();
    assert_writes_refused(&machine, "policy.toml");
}

#[test]
fn a_missing_configuration_is_valid() {
    let mut machine = Machine::asleep("");
    fs::remove_dir_all(machine.config_file().parent().expect("its folder")).expect("a folder to remove");
    machine.serve();
    let workspace = Workspace::file("a.txt", "one\n");
    machine.agent(&workspace).read("a.txt");
}

#[test]
fn a_workspace_cannot_bring_its_own_configuration() {
    let machine = Machine::start();
    let workspace = Workspace::with(&[
        ("a.txt", "one\n"),
        ("config.toml", "review = \n"),
        (".editd/config.toml", "review = \n"),
        ("editd.toml", "review = \n"),
        ("policy.toml", "rules = [\n"),
    ]);
    machine.agent(&workspace).read_and_edit("a.txt", "one", "two").done();
}

#[test]
fn edits_work_with_full_durability() {
    let (machine, workspace) =
        (Machine::configured("durability = \"full\"\n"), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "two").done();
    let changes = vec![
        json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "two", "newText": "three" }] }),
        json!({ "kind": "write", "path": "sub/b.txt", "content": "new\n" }),
    ];
    agent.changes(changes).done();
    assert_eq!((workspace.text("a.txt"), workspace.text("sub/b.txt")), ("three\n".into(), "new\n".into()));
}
