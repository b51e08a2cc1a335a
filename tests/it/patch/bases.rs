//! Base checks of the files in a patch.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, hash_of};

const PATCH: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n--- a/sub/b.txt\n+++ b/sub/b.txt\n@@ -1 +1 @@\n-two\n+TWO\n";

fn scene() -> (Machine, Workspace, Agent) {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("sub/b.txt", "two\n")]));
    let agent = machine.agent(&workspace);
    (machine, workspace, agent)
}

fn edit(agent: &mut Agent, bases: &Value) -> crate::support::Answer {
    agent.call("editd/edit", json!({ "patch": PATCH, "bases": bases }))
}

#[test]
fn every_file_must_have_been_read() {
    let (_machine, workspace, mut agent) = scene();
    agent.read("a.txt");
    let data = agent.call("editd/edit", json!({ "patch": PATCH })).refused("unread");
    assert_eq!((&data["change"], &data["currentHash"]), (&json!(1), &json!(hash_of("two\n"))));
    assert!(data["excerpt"].as_str().is_some_and(|excerpt| excerpt.contains("two")), "{data}");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn bases_replace_a_read() {
    let (_machine, workspace, mut agent) = scene();
    edit(&mut agent, &json!({ "a.txt": hash_of("one\n"), "sub/b.txt": hash_of("two\n") })).done();
    assert_eq!((workspace.text("a.txt"), workspace.text("sub/b.txt")), ("ONE\n".into(), "TWO\n".into()));
}

#[test]
fn a_base_can_be_a_tag() {
    let (_machine, workspace, mut agent) = scene();
    agent.read_all(&["a.txt", "sub/b.txt"]);
    let tag = |text: &str| hash_of(text)[3..9].to_owned();
    let bases = |first: String| json!({ "a.txt": first, "sub/../sub/b.txt": tag("two\n") });
    edit(&mut agent, &bases("xyz".to_owned())).invalid("bases.a.txt");
    workspace.put("a.txt", "one\nmore\n");
    edit(&mut agent, &bases(tag("one\n"))).refused("stale");
    workspace.put("a.txt", "one\n");
    edit(&mut agent, &bases(tag("one\n"))).done();
    assert_eq!((workspace.text("a.txt"), workspace.text("sub/b.txt")), ("ONE\n".into(), "TWO\n".into()));
}

#[test]
fn bases_accept_other_spellings_and_a_string() {
    let (_machine, workspace, mut agent) = scene();
    let bases =
        json!({ workspace.absolute("a.txt"): hash_of("one\n"), "sub/../sub/b.txt": hash_of("two\n") });
    edit(&mut agent, &json!(bases.to_string())).done();
    assert_eq!(workspace.text("sub/b.txt"), "TWO\n");
}

#[rstest]
#[case::the_same_file_twice("./a.txt")]
#[case::another_file("c.txt")]
#[case::outside("/etc/passwd")]
fn a_base_without_a_file_is_an_error(#[case] other: &str) {
    let (_machine, workspace, mut agent) = scene();
    let bases = json!({ "a.txt": hash_of("one\n"), "sub/b.txt": hash_of("two\n"), other: hash_of("one\n") });
    edit(&mut agent, &bases).invalid(&format!("bases.{other}"));
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn an_outdated_base_is_stale() {
    let (_machine, workspace, mut agent) = scene();
    for name in ["a.txt", "sub/b.txt"] {
        agent.read(name);
    }
    workspace.put("sub/b.txt", "zero\ntwo\n");
    let data = agent.call("editd/edit", json!({ "patch": PATCH })).refused("stale");
    assert_eq!((&data["change"], &data["patchLine"]), (&json!(1), &json!(6)));
    assert!(data["diff"].as_str().is_some_and(|diff| diff.contains("+zero")), "{data}");
    assert!(data["hint"].as_str().is_some_and(|hint| hint.contains("`bases`")), "{data}");
    edit(&mut agent, &json!({ "sub/b.txt": hash_of("two\n") })).refused("stale");
    assert_eq!(workspace.text("a.txt"), "one\n");
    edit(&mut agent, &json!({ "sub/b.txt": data["currentHash"] })).done();
    assert_eq!(workspace.text("sub/b.txt"), "zero\nTWO\n");
}

#[test]
fn a_stale_file_is_merged_on_request() {
    let (_machine, workspace, mut agent) = scene();
    workspace.put("sub/b.txt", "two\nthree\nfour\n");
    for name in ["a.txt", "sub/b.txt"] {
        agent.read(name);
    }
    workspace.put("sub/b.txt", "two\nthree\nFOUR\n");
    agent.call("editd/edit", json!({ "patch": PATCH, "onStale": "rebase" })).done();
    assert_eq!(workspace.text("sub/b.txt"), "TWO\nthree\nFOUR\n");
}

#[test]
fn text_is_not_added_to_a_file_that_is_no_longer_empty() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", ""));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    workspace.put("a.txt", "theirs\n");
    let patch = "a.txt\n<<<<<<< SEARCH\n=======\nmine\n>>>>>>> REPLACE\n";
    agent.call("editd/edit", json!({ "patch": patch })).refused("stale");
    agent.call("editd/edit", json!({ "patch": patch, "onStale": "rebase" })).refused("bad_patch");
    assert_eq!(workspace.text("a.txt"), "theirs\n");
}
