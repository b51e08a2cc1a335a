//! Notifications to an agent about changes by others to files that it has read.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, eventually, hash_of, uri_of};

const CHANGED: &str = "editd/fileChanged";

fn scene() -> (Machine, Workspace) {
    let files = [("a.txt", "one\n"), ("b.txt", "one\n"), ("c.txt", "one\n")];
    (Machine::start(), Workspace::with(&files))
}

fn pair(machine: &Machine, workspace: &Workspace) -> (Agent, Agent) {
    (machine.agent_named("alice", workspace), machine.agent_named("bob", workspace))
}

fn count_about(told: &[Value], name: &str) -> usize {
    let about = |one: &&Value| {
        one["method"] == CHANGED && one["params"]["path"].as_str().is_some_and(|path| path.ends_with(name))
    };
    told.iter().filter(about).count()
}

#[test]
fn an_edit_by_another_agent_is_notified() {
    let (machine, workspace) = scene();
    let (mut alice, mut bob) = pair(&machine, &workspace);
    alice.read("a.txt");
    bob.read_and_edit("a.txt", "one", "two").done();
    let told = alice.told(CHANGED, "a.txt");
    assert_eq!(told["uri"], uri_of(&workspace.path("a.txt")));
    assert_eq!((&told["hash"], &told["by"]), (&json!(hash_of("two\n")), &json!("bob")));
}

#[test]
fn a_write_by_another_program_is_notified() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", "two\n");
    let told = agent.told(CHANGED, "a.txt");
    assert!(told["by"].is_string(), "{told}");
    agent.edit("a.txt", "one", "three").refused("stale");
}

#[test]
fn a_replacement_by_another_program_is_notified() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("new", "two\n");
    fs::rename(workspace.path("new"), workspace.path("a.txt")).expect("a rename");
    agent.told(CHANGED, "a.txt");
}

#[test]
fn a_deletion_is_notified() {
    let (machine, workspace) = scene();
    let (mut alice, mut bob) = pair(&machine, &workspace);
    alice.read("a.txt");
    alice.read("b.txt");
    bob.read("a.txt");
    bob.change(json!({ "kind": "delete", "path": "a.txt" })).done();
    let told = alice.told(CHANGED, "a.txt");
    assert!(told.get("hash").is_none_or(Value::is_null), "{told}");
    fs::remove_file(workspace.path("b.txt")).expect("a file to remove");
    alice.told(CHANGED, "b.txt");
}

#[test]
fn a_change_is_notified_once_until_the_file_is_read_again() {
    let (machine, workspace) = scene();
    let (mut alice, mut bob) = pair(&machine, &workspace);
    alice.read("a.txt");
    alice.read("b.txt");
    bob.read("a.txt");
    for (old, new) in [("one", "two"), ("two", "three"), ("three", "four")] {
        bob.edit("a.txt", old, new).done();
    }
    bob.read_and_edit("b.txt", "one", "two").done();
    alice.told(CHANGED, "a.txt");
    alice.told(CHANGED, "b.txt");
    assert_eq!(count_about(&alice.told_so_far(), "a.txt"), 0);
    assert_eq!(alice.read("a.txt")["text"], "four\n");
    bob.edit("a.txt", "four", "five").done();
    assert_eq!(alice.told(CHANGED, "a.txt")["hash"], hash_of("five\n"));
}

#[test]
fn listing_changes_counts_as_reading() {
    let (machine, workspace) = scene();
    let (mut alice, mut bob) = pair(&machine, &workspace);
    alice.read("a.txt");
    bob.read_and_edit("a.txt", "one", "two").done();
    alice.told(CHANGED, "a.txt");
    alice.call("editd/changes", json!({})).done();
    bob.edit("a.txt", "two", "three").done();
    assert_eq!(alice.told(CHANGED, "a.txt")["hash"], hash_of("three\n"));
}

#[test]
fn a_notification_does_not_move_the_base() {
    let (machine, workspace) = scene();
    let (mut alice, mut bob) = pair(&machine, &workspace);
    alice.read("a.txt");
    bob.read_and_edit("a.txt", "one", "two").done();
    let hash = alice.told(CHANGED, "a.txt")["hash"].clone();
    alice.edit("a.txt", "two", "three").refused("stale");
    let params = json!({ "path": "a.txt", "oldText": "two", "newText": "three", "baseHash": hash });
    alice.call("editd/edit", params).done();
    assert_eq!(workspace.text("a.txt"), "three\n");
}

#[test]
fn own_changes_and_unread_files_are_not_notified() {
    let (machine, workspace) = scene();
    let (mut alice, mut bob) = pair(&machine, &workspace);
    alice.read_and_edit("a.txt", "one", "two").done();
    alice.read("c.txt");
    bob.read_and_edit("b.txt", "one", "two").done();
    bob.change(json!({ "kind": "write", "path": "new.txt", "content": "new\n" })).done();
    bob.read_and_edit("c.txt", "one", "two").done();
    alice.told(CHANGED, "c.txt");
    let rest = alice.told_so_far();
    assert!(rest.iter().all(|one| one["method"] != CHANGED), "{rest:?}");
}

#[test]
fn a_replaced_but_equal_file_is_not_notified() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    // Replaced by a rename: a write in place would leave the file empty for a moment, which is a change.
    workspace.put("other", "one\n");
    fs::rename(workspace.path("other"), workspace.path("a.txt")).expect("renamed");
    workspace.put("b.txt", "two\n");
    agent.told(CHANGED, "b.txt");
    assert_eq!(count_about(&agent.told_so_far(), "a.txt"), 0);
}

#[test]
fn a_file_whose_text_was_evicted_is_still_watched() {
    let machine = Machine::configured("[limits]\nmemory = 100000\n");
    let workspace = Workspace::with(&[("a.txt", "a".repeat(90_000)), ("b.txt", "b".repeat(90_000))]);
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    workspace.put("a.txt", "changed\n");
    agent.told(CHANGED, "a.txt");
    workspace.put("b.txt", "changed\n");
    agent.told(CHANGED, "b.txt");
}

#[test]
fn a_file_with_a_new_hard_link_is_still_watched() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    fs::hard_link(workspace.path("a.txt"), workspace.path("again.txt")).expect("a link");
    fs::write(workspace.path("a.txt"), "two\n").expect("a write");
    agent.told(CHANGED, "a.txt");
    let changes = agent.call("editd/changes", json!({})).done();
    assert_eq!(changes["files"][0]["hash"], json!(hash_of("two\n")), "{changes}");
}

#[test]
fn texts_of_other_programs_count_toward_the_memory_limit() {
    let machine = Machine::configured("[limits]\nmemory = 1000000\n");
    let names: Vec<_> = (0..8).map(|number| format!("{number}.txt")).collect();
    let workspace = Workspace::with(&names.iter().map(|name| (name.as_str(), "one\n")).collect::<Vec<_>>());
    let mut agent = machine.agent(&workspace);
    for name in &names {
        agent.read(name);
    }
    for name in &names {
        workspace.put(name, "x".repeat(400_000));
        agent.told(CHANGED, name);
    }
    let status = agent.call("editd/status", json!({})).done();
    let text = status["memory"]["text"].as_u64().expect("a size");
    assert!((400_000..=1_000_000).contains(&text), "{status}");
}

#[test]
fn a_file_that_may_no_longer_be_read_is_not_mentioned() {
    let (machine, workspace) = scene();
    workspace.put("secret.txt", "one\n");
    let mut agent = machine.agent(&workspace);
    agent.read("secret.txt");
    agent.read("b.txt");
    machine.write_policy("[[rules]]\npattern = \"secret.txt\"\noperations = [\"read\"]\nclass = \"never\"\n");
    // Notices arrive in the order of the changes.
    workspace.put("secret.txt", "key = 12\n");
    let mut other = machine.agent_named("bob", &workspace);
    other.read_and_edit("b.txt", "one", "two").done();
    let told = eventually("a notice", || {
        let told = agent.told_so_far();
        (count_about(&told, "b.txt") == 1).then_some(told)
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    let told = [told, agent.told_so_far()].concat();
    assert_eq!(count_about(&told, "secret.txt"), 0, "{told:?}");
}
