//! Tests of `editd/blame`.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, numbered_lines};

/// Returns the author of every line.
fn authors(agent: &mut Agent, path: &str) -> Vec<String> {
    let blame = agent.call("editd/blame", json!({ "path": path })).done();
    let mut authors = Vec::new();
    for range in blame["lines"].as_array().expect("ranges") {
        let number = |name: &str| usize::try_from(range[name].as_u64().expect("a line")).expect("a number");
        assert_eq!(number("startLine"), authors.len() + 1, "{blame}");
        let by_disk = range["author"] == json!("disk");
        assert_eq!((range["transaction"].is_null(), range["at"].is_null()), (by_disk, by_disk), "{range}");
        authors.resize(number("endLine"), range["author"].as_str().expect("an author").to_owned());
    }
    authors
}

#[rstest]
#[case::whose_texts_are_known(false)]
#[case::one_of_whose_texts_is_gone(true)]
fn lines_are_attributed_to_agents_the_user_and_the_disk(#[case] seen_by_all: bool) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(8)));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    let first = alice.read_and_edit("a.txt", "line 2\n", "two\nzwei\n").done();
    bob.read_and_edit("a.txt", "line 5", "five").done();
    machine.editor(&workspace).read_and_edit("a.txt", "zwei", "deux").done();
    workspace.put("a.txt", workspace.text("a.txt").replace("line 7", "seven"));
    if seen_by_all {
        // No session holds the user's text any more.
        alice.call("editd/changes", json!({})).done();
    }
    let expected = ["disk", "alice", "person", "disk", "disk", "bob", "disk", "disk", "disk"];
    assert_eq!(authors(&mut alice, "a.txt"), expected);
    let blame = bob.call("editd/blame", json!({ "path": "a.txt" })).done();
    assert_eq!(blame["lines"][1]["transaction"], first["transaction"]);
    assert_eq!(blame["hash"], json!(workspace.hash("a.txt")));
}

#[test]
fn neighbours_of_one_transaction_are_one_range() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "1\n2\n3" })).done();
    let blame = agent.call("editd/blame", json!({ "path": "a.txt" })).done();
    let lines = blame["lines"].as_array().unwrap();
    assert_eq!((lines.len(), &lines[0]["startLine"], &lines[0]["endLine"]), (1, &json!(1), &json!(3)));
    agent.change(json!({ "kind": "write", "path": "empty.txt", "content": "" })).done();
    assert_eq!(agent.call("editd/blame", json!({ "path": "empty.txt" })).done()["lines"], json!([]));
}

#[test]
fn blame_survives_renames_undos_and_restarts() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(5)));
    let mut alice = machine.agent_named("alice", &workspace);
    alice.read_and_edit("a.txt", "line 2", "two").done();
    let wrong = alice.edit("a.txt", "line 3", "wrong").done();
    alice.change(json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" })).done();
    machine.restart();
    let mut bob = machine.agent_named("bob", &workspace);
    bob.read_and_edit("b.txt", "line 5", "five").done();
    assert_eq!(authors(&mut bob, "b.txt"), ["disk", "alice", "alice", "disk", "bob"]);
    machine.agent_named("alice", &workspace).undo_this(&wrong).refused("stale");
}

#[test]
fn without_base_texts_only_certain_lines_are_attributed() {
    let mut machine = Machine::asleep("[limits]\nkept_bases = 0\n");
    machine.serve();
    let workspace = Workspace::file("a.txt", numbered_lines(60));
    let mut alice = machine.agent_named("alice", &workspace);
    alice.read_and_edit("a.txt", "line 10\n", "ten\nzehn\n").done();
    alice.edit("a.txt", "line 30", "thirty").done();
    alice.edit("a.txt", "line 50", "fifty").done();
    machine.restart();
    // Around `thirty` and in `fifty` the text differs from what alice left; `ten` is unchanged.
    let changed = workspace.text("a.txt").replace("line 31", "changed").replace("fifty", "FIFTY");
    workspace.put("a.txt", format!("above\n{changed}"));
    let authors = authors(&mut machine.agent(&workspace), "a.txt");
    let by_alice: Vec<usize> =
        (0..authors.len()).filter(|at| authors[*at] == "alice").map(|at| at + 1).collect();
    assert_eq!(by_alice, [11, 12]);
}

#[test]
fn blame_handles_a_thousand_changes_of_a_long_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(10_000)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let mut expected = vec!["disk"; 10_000];
    for number in 0..1000_usize {
        let line = (number * 7919) % 10_000 + 1;
        agent.edit("a.txt", &format!("line {line}\n"), &format!("LINE {line}\n")).done();
        expected[line - 1] = "alice";
    }
    assert_eq!(authors(&mut agent, "a.txt"), expected);
}

#[test]
fn blame_refuses_like_a_read_but_does_not_count_as_one() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/blame", json!({ "path": "b.txt" })).refused("missing");
    workspace.put("c.bin", b"\x7fELF\x00\x00");
    agent.call("editd/blame", json!({ "path": "c.bin" })).refused("binary");
    agent.call("editd/blame", json!({ "path": "../x.txt" })).refused("outside_workspace");
    assert_eq!(authors(&mut agent, "a.txt"), ["disk"]);
    // Blame does not count as a read: the session has no base.
    agent.edit("a.txt", "one", "1").refused("unread");
    let _: Value = agent.read("a.txt");
}

/// A text that was restored belongs to those who wrote it first, also if the file has changed since.
#[rstest]
#[case::exactly(false)]
#[case::beside_later_changes(true)]
fn restored_lines_belong_to_those_who_wrote_them(#[case] changed_since: bool) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    let mut editor = machine.editor(&workspace);
    alice.read_and_edit("a.txt", "line 2", "two").done();
    let removed = bob.read_and_edit("a.txt", "two\nline 3", "three").done();
    let mut expected = ["disk", "alice", "disk", "disk", "disk", "disk", "disk", "disk", "disk"];
    if changed_since {
        bob.read_and_edit("a.txt", "line 8", "eight").done();
        expected[7] = "bob";
    }
    let undone = editor.undo_this(&removed).done();
    assert_eq!(authors(&mut alice, "a.txt"), expected);
    let redone = editor.undo_this(&undone).done();
    let without = [&["disk", "bob"], &expected[3..]].concat();
    assert_eq!(authors(&mut alice, "a.txt"), without);
    editor.undo_this(&redone).done();
    assert_eq!(authors(&mut alice, "a.txt"), expected);
}

#[test]
fn a_file_that_is_restored_has_the_authors_that_it_had() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(3)));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    alice.read_and_edit("a.txt", "line 2", "two").done();
    bob.read("a.txt");
    let deleted = bob.change(json!({ "kind": "delete", "path": "a.txt" })).done();
    machine.editor(&workspace).undo_this(&deleted).done();
    assert_eq!(authors(&mut alice, "a.txt"), ["disk", "alice", "disk"]);
}
